/* SPDX-License-Identifier: GPL-2.0-only */
/* record: what the parts of `perf wasm record` share. */
#ifndef PW_CMD_RECORD_H
#define PW_CMD_RECORD_H

#include "../cmd.h"

#include <perfwasm/runtime.h>

struct record {
	struct cmd_opts common;
	/* --- what was asked for --- */
	const char *dir;
	struct cmd_words events, modules, more; /* more: options for perf */
	const char *freq, *count, *call_graph, *pid;
	bool graph, sched, all_cpus, no_jit_flag;
	bool bpf_wanted, no_samples; /* no_samples: no perf record */
	uint64_t interval_ns;        /* between readouts; 0: not told */
	uint64_t period_ns;          /* 0: to the end */
	bool system, no_sched;
	struct cmd_words sources, skip_sources, tasks, triggers;
	const char *pmu_config;
	uint64_t ring_ns, trigger_for_ns; /* 0: none */
	const char *spec, *invoke, *stdin_path;
	struct cmd_words env, mounts;
	char **command; /* NULL-ended; with a runtime: module and arguments */
	bool has_args;  /* of the module; while options are read */
	/* --- what is so --- */
	char *abs_dir, *data_path;
	bool no_kernel;          /* only the user's code is sampled */
	struct cmd_words argv;   /* of the command, with its flag */
	struct cmd_words setenv; /* NAME=VALUE for it; strings are owned */
	struct cmd_words owned;  /* other strings */
	struct pw_runtime rt;    /* with a runtime */
	bool has_rt;
	char *artifact;      /* file name in dir, or NULL */
	struct pw_buf facts; /* not written yet; see formats.md */
	int facts_fd;        /* -1: there is no directory yet */
	time_t from_s;
	pid_t perf_pid;           /* or the command's, without perf; 0: none */
	uint64_t n_samples;       /* found by record_gather() */
	struct record_ring *ring; /* NULL: everything is kept */
	bool goes_on;           /* so that others want what is gathered, too */
	struct record_bpf *bpf; /* while figures are kept in the kernel */
	struct pw_child recorder; /* of the system, while it runs */
	bool has_recorder;
	bool has_failed; /* something is missing at the end that was asked for */
};

/* --- record-facts.c: what the capture says of itself -------------------------- */

void record_first_facts(struct record *r);
void record_fact(struct record *r, const char *key, const char *value);
/* A sentence for the user, who is told unless quiet, and for the facts. */
void record_note(struct record *r, const char *fmt, ...) PW_PRINTF(2, 3);
/* There is a directory now: what was said before goes there. */
int record_open_facts(struct record *r, struct pw_err *err);
/* Appends what is known and not written yet, when there is a directory. */
int record_write_facts(struct record *r, struct pw_err *err);

/* --- record-options.c: rows of record-options.def ---------------------------- */

extern const struct argp record_argp;

/* --- record-lists.c: names of sources and metrics -------------------------------- */

/* An option asks for 'help'. */
bool record_wants_list(const struct record *r);
/* Prints what was asked for; an exit status. */
int record_list(const struct record *r);
/* End as argp_error() does for a name that there is not. */
void record_check_sources(const struct cmd_words *w,
			  const struct argp_state *state);
void record_check_triggers(const struct cmd_words *w,
			   const struct argp_state *state);
/* The same for a file of --pmu-config, or NULL. */
void record_check_pmu(const char *config, const struct argp_state *state);

/* --- record-probe.c: what can be recorded here ------------------------------- */

/* Chooses events where none were given; -errno: nothing can be sampled. */
int record_choose_events(struct record *r, struct pw_err *err);

/* --- record-flags.c: runtimes known by the name of their program -------------- */

/* Fills argv and setenv from the command; its flag only where wanted. */
void record_add_jit_flag(struct record *r, bool is_wanted);

/* --- record-run.c: perf at work ------------------------------------------------- */

/* How it ended. */
struct record_end {
	int status; /* of perf, as waitpid */
	/* with a runtime: what became of the guest */
	bool has_reply;
	struct pw_host_reply reply;
};
int record_run(struct record *r, const char *perf, struct record_end *end,
	       struct pw_err *err);

/* --- record-host.c: the talk with a runtime's host program ----------------------- */

/* A path that the host may open; the caller frees. */
char *record_guest_output(const struct record *r);
/* Onto standard output, where it could not go at once. */
void record_print_output(const char *path);
void record_print_request(const struct record *r, const char *output,
			  struct pw_buf *line);
/* Its answer, the last line of what it said. */
int record_hear(struct pw_buf *said, struct record_end *end,
		struct pw_err *err);

/* --- record-bpf.c: figures of the scheduler that the kernel keeps ---------------- */

/* Where it can't be, the user is told and perf is to record events. */
void record_bpf_open(struct record *r);
/* Into the directory, and of whom: the caller starts perf next. */
int record_bpf_start(struct record *r, struct pw_err *err);
/* Reads out when it is time; in how many ms it is time again, -1: never. */
int record_bpf_tick(struct record *r);
/* Reads out now. */
void record_bpf_read(struct record *r);
/* Goes on in a new file. False: it can't be made, and the old one grows. */
bool record_bpf_turn(struct record *r, const char *path);
/* The last readout; also when nothing was opened. */
void record_bpf_stop(struct record *r);

/* --- record-system.c: the recorder of the system's metrics --------------------- */

/* What --system asks for where it was not told. perf: NULL, not installed. */
void record_plan_system(struct record *r, const char *perf);
/* Nothing else is recorded, so that its recorder can take our place. */
bool record_is_system_alone(const struct record *r);
int record_system_facts(struct record *r, struct pw_err *err);
/* Does not come back but with an error. */
int record_become_recorder(struct record *r, struct pw_err *err);
/* Starts it beside us; returns after its first reading. */
int record_system_start(struct record *r, struct pw_err *err);
/* Looks whether it is still there: when not, the user is told. */
void record_system_watch(struct record *r);
void record_system_signal(const struct record *r, int signo);
/* Ends it; also when none was started. */
void record_system_stop(struct record *r);

/* --- record-ring.c: the last TIME of samples and of the scheduler's figures ------ */

/* Before all others start; nothing is done unless a ring is asked for. */
int record_ring_open(struct record *r, struct pw_err *err);
/* The first piece of --bpf; the caller frees. */
char *record_ring_sched(const struct record *r);
/* All goes on. perf: its process. */
void record_ring_begin(struct record *r, pid_t perf);
/* Begins new pieces when it is time, forgets old ones; in how many ms it is
 * time again, -1: never. */
int record_ring_tick(struct record *r);
/* When its watch is readable: perf has ended a piece. */
void record_ring_watch(struct record *r);
/* What can be read and told: -1, there is none. */
int record_ring_watch_fd(const struct record *r);
int record_ring_hear_fd(const struct record *r);
/* perf has ended, and gets no more signals. */
void record_ring_perf_ended(struct record *r);
/* All has ended, perf with this status: what the ring holds becomes the capture. */
void record_ring_end(struct record *r, int status);
void record_ring_close(struct record *r);

/* --- record-captures.c: DIR.N, written of a ring -------------------------------------- */

/* When the recorder's output is readable. False: it has said its last. */
bool record_ring_hear(struct record *r);
/* When a child has ended. */
void record_ring_reap(struct record *r);

/* --- record-keep.c: the directory of a capture ------------------------------------ */

/* Makes it; what was there becomes DIR.old when it is a capture. */
int record_make_dir(struct record *r, struct pw_err *err);
/* Copies of the modules that the command line names. */
int record_keep_modules(struct record *r, struct pw_err *err);
/* After the run, or what is so far: jitdumps, perf maps, kernel symbols, facts. */
int record_gather(struct record *r, struct pw_err *err);

#endif
