/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * explain: why a loop is slow. Looks at the machine code of one function,
 * slow and (where there is one) fast, finds the hot loops, what in them does
 * not change, what goes through the stack and what each turn hands on to the
 * next, and names the pattern (patterns.def) with its evidence. Times nothing
 * and changes nothing: how a probe went is told to it.
 */
#ifndef PERFWASM_EXPLAIN_H
#define PERFWASM_EXPLAIN_H

#include <perfwasm/code.h>
#include <perfwasm/module.h>

/* --- a hot loop by itself --------------------------------------------------- */

/* A value that a turn takes from the stack: a pair of store and load. */
struct pw_loop_slot {
	uint32_t load;  /* instruction */
	uint32_t store; /* that put it there in the loop, or UINT32_MAX: it
			   was put there before the loop */
	int64_t disp;   /* from the stack or frame pointer */
	uint32_t size_bytes;
	bool vector;
};

/*
 * What goes from turn to turn: each instruction waits for the one before it,
 * the first for the last one's result of the turn before.
 */
struct pw_loop_chain {
	uint32_t *insns;
	uint32_t n;
	/* of the latencies of latency.def: to compare chains by, rounded
	 * between processors */
	double cycles;
	/* a link that only merges (see pw_insn_uses), from `merged` to
	 * `merging`, in register `merge_reg` */
	bool merges;
	uint32_t merging, merged, merge_reg;
	/* a link through memory, from store to load */
	bool memory;
	uint32_t store, load;
};

struct pw_loop_study {
	uint32_t head;
	uint32_t n_insns, *insns; /* in code order, inner loops' too */
	double share;             /* of all samples; 0 where there are none */
	bool has_calls;
	/* operands that change in no turn, and so no result does; jumps,
	 * compares and stores are left out */
	uint32_t n_invariant, *invariant;
	uint32_t n_slots;
	struct pw_loop_slot *slots;
	/* the longest of each last instruction, by cycles */
	uint32_t n_chains;
	struct pw_loop_chain *chains;
	double cycles;      /* of the longest chain, 0 without any */
	double true_cycles; /* of the longest that does not merge */
};

/*
 * The hot loops of a function, those with most samples first: innermost ones
 * with 5 % of the function's samples at least, or a loop around them with its
 * inner ones when only both together have so many; without samples (share
 * NULL) all innermost loops. Loops of more than 3,000 instructions are left out. The
 * caller releases with pw_loop_studies_free().
 *
 * A value that comes from before the loop, or from instructions in it that
 * are themselves invariant, does not change. A load does not change when its
 * address does not and the loop neither calls nor stores through the same
 * base; constants and stack slots no other code can change.
 */
int pw_explain_loops(const struct pw_code *code, const struct pw_minsn *insns,
		     uint32_t n, const double *share,
		     struct pw_loop_study **loops, uint32_t *n_loops,
		     struct pw_err *err);
void pw_loop_studies_free(struct pw_loop_study *loops, uint32_t n);

/* --- explanations ------------------------------------------------------------- */

enum pw_pattern {
#define PW_PATTERN(id, name, weight, probe, help) PW_PATTERN_##id,
#include <perfwasm/patterns.def>
#undef PW_PATTERN
	PW_N_PATTERNS
};
const char *pw_pattern_id(enum pw_pattern p);    /* "false_dependence" */
const char *pw_pattern_name(enum pw_pattern p);  /* "false output ..." */
const char *pw_pattern_help(enum pw_pattern p);  /* what it is, what to do */
const char *pw_pattern_probe(enum pw_pattern p); /* what would confirm it */

/* One code of the function. Borrowed. */
struct pw_explain_side {
	const struct pw_code *code;
	const struct pw_minsn *insns;
	uint32_t n;
	const double *share; /* of samples per instruction, or NULL */
};

/* How a probe of a pattern went. */
enum pw_probe_result {
	PW_PROBE_CONFIRMED, /* the slowness went with it */
	PW_PROBE_REFUTED,   /* the slowness stayed */
};
struct pw_explain_probe {
	enum pw_pattern pattern;
	enum pw_probe_result result;
	const char *how; /* a sentence, borrowed */
};

/* One hardware event, counted over equal work on both sides. */
struct pw_explain_count {
	const char *event; /* as in events.def */
	uint64_t slow, fast;
};

struct pw_explain_input {
	struct pw_explain_side slow;
	struct pw_explain_side fast;           /* code NULL: there is none */
	const struct pw_code_diff_line *lines; /* of both */
	uint32_t n_lines;
	const uint32_t *accused; /* slow instructions */
	uint32_t n_accused;
	const struct pw_module *module; /* that offsets belong to, or NULL */
	uint32_t func_idx;
	const struct pw_explain_probe *probes;
	uint32_t n_probes;
	const char *pmu; /* of events.def, or NULL: nothing was counted */
	const struct pw_explain_count *counts;
	uint32_t n_counts;
	/* share of all samples that are outside the generated code */
	double outside;
	/* times changed with the address alone */
	bool moves_with_place;
	/* the compiler of the slow code is a baseline one: its name or NULL */
	const char *baseline_tier;
	/* it is known to be none, whatever the code looks like */
	bool optimised;
};

struct pw_explanation {
	enum pw_pattern pattern;
	/*
	 * 1 - product of (1 - w) over what speaks for it: the pattern's own
	 * weight; 0.4 when one of its instructions is accused; 0.3 when the
	 * fast code's hot loops have less of it; 0.2 when a tenth of the
	 * samples is on its instructions or the next ones, and 0.5 for a
	 * library call when three tenths are outside the generated code; 0.5
	 * when counters agree; 0.9 when a probe confirmed it. Then halved
	 * when the fast code has as much of it (but not for a library call
	 * that time is spent in, and not for a confirmed pattern), halved when samples are known and less than
	 * a hundredth is there, halved when counters contradict, a fifth when
	 * a probe refuted it.
	 */
	double confidence;
	uint32_t *insns; /* of the slow code */
	uint32_t n_insns;
	char **evidence; /* sentences */
	uint32_t n_evidence;
	bool probed; /* result holds */
	enum pw_probe_result result;
};

/*
 * All patterns that the slow code shows, most confident first, each once.
 * The caller frees with pw_explanations_free(). No pattern is no error.
 */
int pw_explain(const struct pw_explain_input *in, struct pw_explanation **list,
	       uint32_t *n, struct pw_err *err);
void pw_explanations_free(struct pw_explanation *list, uint32_t n);

/* --- hardware counters ----------------------------------------------------------- */

/* A line of plugin/explain/events.def, which explains the columns. */
struct pw_explain_event {
	const char *pmu;
	enum pw_pattern pattern;
	const char *name;
	double cycles;
};
const struct pw_explain_event *pw_explain_events(uint32_t *n);

/*
 * The PMU of this machine that events.def has events for, or NULL: then *why
 * (a buffer of `size`) says so in a sentence.
 */
const char *pw_explain_pmu(char *why, size_t size);

#define PW_EVENTS_MAX 12
struct pw_events {
	const char *event[PW_EVENTS_MAX]; /* of events.def; the first two
						   are cycles, instructions */
	int fd[PW_EVENTS_MAX];
	uint32_t n;
};
/*
 * Opens the events of a PMU ("perf": software events only, for machines
 * without one) for this process and the children that it will have; user
 * space only. They stand still until pw_events_run(c, true). Names that
 * libpfm or the kernel does not know are left out; -ENOTSUP when none is left.
 */
int pw_events_open(struct pw_events *c, const char *pmu, struct pw_err *err);
void pw_events_run(struct pw_events *c, bool on);
/* Counts since they were opened, scaled where events took turns. */
void pw_events_read(const struct pw_events *c, uint64_t *counts);
void pw_events_close(struct pw_events *c);

/* --- llvm-mca ----------------------------------------------------------------------- */

/*
 * Cycles of one turn of a loop as llvm-mca predicts them for this CPU: all
 * its instructions once each in code order, without calls. Needs llvm-mca on
 * PATH: -ENOENT with a sentence without it, -ENOTSUP when it cannot say.
 */
struct pw_mca {
	double cycles;
	char cpu[40]; /* the model that llvm-mca took, "native" when not told */
	uint32_t n_left_out;
};
int pw_explain_mca(const struct pw_minsn *insns,
		   const struct pw_loop_study *loop, const char *arch,
		   struct pw_mca *mca, struct pw_err *err);

#endif
