/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * triage: where the time of a call goes that is not in generated code. Records
 * runs of a session's request with perf and splits them: CPU time by kind of
 * code, library and symbol, system calls by number, waiting by what was waited
 * for. Compares two such splits. Knows nothing of mutants.
 */
#ifndef PERFWASM_TRIAGE_H
#define PERFWASM_TRIAGE_H

#include <perfwasm/measure.h>
#include <perfwasm/report.h>

/* --- what a recording tells ------------------------------------------------------ */

enum pw_spent {
#define PW_SPENT(id, name, label, is_host) PW_SPENT_##id,
#include <perfwasm/spent.def>
#undef PW_SPENT
	PW_N_SPENT
};
/* "builtins"; and for display: "functions behind instructions". */
const char *pw_spent_name(enum pw_spent s);
const char *pw_spent_label(enum pw_spent s);

/* A function with samples. */
struct pw_triage_symbol {
	char *name, *library; /* "[kernel]": the kernel */
	enum pw_spent spent;
	uint64_t ns;
};

/* A system call of the guest's process, all its threads. */
struct pw_triage_call {
	char *name;  /* "futex" */
	uint64_t n;  /* calls */
	uint64_t ns; /* CPU time inside, from samples */
	/* of the thread that made the call into the guest: times it slept
	 * inside, and for how long */
	uint64_t n_waits, wait_ns;
};

/* An average run. Zeroed storage is one of which nothing is known. */
struct pw_triage {
	uint64_t cpu_ns, wall_ns; /* as the host measured them */
	uint64_t n_runs, n_samples;
	/* CPU time by kind of code, all threads; PW_SPENT_WAITING: time off
	 * the CPU of the thread that made the call, without time in which it
	 * could have run */
	uint64_t spent_ns[PW_N_SPENT];
	uint64_t baseline_ns; /* of generated code: compiled by a lower tier, by
				 the names of its functions */
	uint64_t ready_ns;    /* of that thread: others ran */
	uint32_t n_threads;   /* with samples */
	struct pw_triage_symbol *symbols; /* hottest first */
	size_t n_symbols;
	bool has_calls; /* system calls were counted, in runs of their own */
	struct pw_triage_call *calls; /* most time first */
	size_t n_calls;
	char *remark; /* what could not be had, and what to do; or NULL */
};
void pw_triage_release(struct pw_triage *t);

/* One line of text without tabs, and back. -EINVAL: not such a line. */
void pw_triage_print(const struct pw_triage *t, struct pw_buf *out);
int pw_triage_parse(struct pw_triage *t, const char *line, struct pw_err *err);

/* --- recording -------------------------------------------------------------------- */

struct pw_triage_opts {
	/* Absolute, writable, seen by the host (its box): what is recorded
	 * lies there while it is read. An empty folder stays. */
	const char *dir;
	/* ask for the artifact, too: the runtime shows its machine code */
	bool shows_code;
	uint64_t period_ns; /* CPU time between samples; 0: 250 us */
	uint32_t n_runs;    /* 0: one */
	uint64_t max_bytes; /* of a recording; beyond it the rest is not
			       counted; 0: 256 MiB */
};

/*
 * Runs the request n_runs times under perf and splits what the calls took.
 * With system calls: counts those too, which costs the guest time: use a run
 * without for times. reply: of the last run. -ENOTSUP: perf cannot record
 * here; err says why and what to do. -EINVAL: a run ended otherwise than ok or
 * exit. Where system calls cannot be counted, has_calls is false and `remark`
 * says why.
 */
int pw_triage_record(struct pw_session *s, const struct pw_host_request *req,
		     const struct pw_triage_opts *o, bool calls,
		     struct pw_triage *t, struct pw_host_reply *reply,
		     struct pw_err *err);
/* Puts the system calls and waits of one recording into another of the same
 * call, scaled to its CPU time in the kernel and its waiting. */
void pw_triage_take_calls(struct pw_triage *t, const struct pw_triage *calls);

/* Samples in wasm code, for runtimes that cannot sample themselves. */
struct pw_code_sample {
	uint32_t func_idx; /* imports counted */
	uint64_t off;      /* from the function's first byte */
	uint64_t n;
};
/* As pw_triage_record(), by function and offset; n_outside: samples of the
 * calls elsewhere. The caller frees *v. */
int pw_triage_code(struct pw_session *s, const struct pw_host_request *req,
		   const struct pw_triage_opts *o, struct pw_code_sample **v,
		   size_t *n, uint64_t *n_outside, struct pw_err *err);

/* --- comparing ---------------------------------------------------------------------- */

enum pw_excess {
	PW_EXCESS_NONE,    /* the suspect takes no more */
	PW_EXCESS_CODE,    /* nearly all in generated code */
	PW_EXCESS_MIXED,   /* some of both */
	PW_EXCESS_BUILTIN, /* nearly all outside, in what the runtime does for
			      single instructions */
	PW_EXCESS_HOST,    /* nearly all outside, by calls into the host */
	PW_EXCESS_UNKNOWN, /* nearly all outside, on either road */
};

struct pw_triage_side {
	const char *spec;
	const struct pw_triage *t; /* NULL: not recorded */
	/* of undisturbed runs, medians; 0: as recorded */
	double cpu_ns, wall_ns;
};

struct pw_triage_gap {
	enum pw_excess where;
	/* suspect less oracle, scaled to undisturbed runs */
	double excess_ns[PW_N_SPENT];
	double total_ns, outside_ns;  /* sums of what is above zero */
	double cpu_ratio, wall_ratio; /* suspect / oracle */
};

/*
 * has_imports: the module calls functions of the host. Without an oracle that
 * was recorded, all its CPU time is taken to be generated code, which finds
 * the excess outside too large, never too small.
 */
void pw_triage_compare(const struct pw_triage_side *suspect,
		       const struct pw_triage_side *oracle, bool has_imports,
		       struct pw_triage_gap *gap);

/* What a function of the host costs; see pw_triage_report(). */
struct pw_host_cost {
	const char *name; /* "wasi_snapshot_preview1.fd_write" */
	uint64_t n;       /* calls in one run; 0: not known */
	/* of all its calls together, CPU and wall; < 0: not known */
	double cpu_ns, wall_ns, oracle_cpu_ns, oracle_wall_ns;
};

/*
 * Adds the section `triage` to a report: where the excess is, sentences for
 * an issue, tables `time`, `symbols`, `system_calls`, `host_functions`.
 */
void pw_triage_report(const struct pw_triage_side *suspect,
		      const struct pw_triage_side *oracle,
		      const struct pw_triage_gap *gap,
		      const struct pw_host_cost *costs, size_t n_costs,
		      struct pw_node *to);
/* One sentence without its full stop: "wasmtime@50.0.1 makes 8.1 futex calls
 * for each pwrite64; ...". "" when the calls tell nothing. The caller frees. */
char *pw_triage_calls_sentence(const struct pw_triage_side *suspect,
			       const struct pw_triage_side *oracle);

#endif
