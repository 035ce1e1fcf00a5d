/* SPDX-License-Identifier: GPL-2.0-only */
/* record: what the parts of `perf wasm record` share. */
#ifndef PW_CMD_RECORD_H
#define PW_CMD_RECORD_H

#include "cmd.h"

#include <perfwasm/runtime.h>

/* What --bpf keeps in the capture's directory: see formats.md. */
#define RECORD_SERIES "sched.series"

struct record {
	struct cmd_opts common;
	/* --- what was asked for --- */
	const char *dir;
	struct cmd_words events, modules, more; /* more: options for perf */
	const char *freq, *count, *call_graph, *pid;
	bool graph, sched, all_cpus, no_jit_flag;
	bool bpf_wanted, no_samples; /* no_samples: no perf record */
	uint64_t interval_ns;        /* between readouts */
	const char *spec, *invoke, *stdin_path;
	struct cmd_words env, mounts;
	char **command; /* NULL-ended; with a runtime: module and arguments */
	/* --- what is so --- */
	char *abs_dir, *data_path;
	bool no_kernel;          /* only the user's code is sampled */
	struct cmd_words argv;   /* of the command, with its flag */
	struct cmd_words setenv; /* NAME=VALUE for it; strings are owned */
	struct cmd_words owned;  /* other strings */
	struct pw_runtime rt;    /* with a runtime */
	bool has_rt;
	char *artifact;      /* file name in dir, or NULL */
	struct pw_buf facts; /* see formats.md */
	time_t from_s;
	uint64_t n_samples;     /* found by record_gather() */
	struct record_bpf *bpf; /* while figures are kept in the kernel */
};

/* A sentence for the user, who is told unless quiet, and for the facts. */
void record_note(struct record *r, const char *fmt, ...) PW_PRINTF(2, 3);
void record_fact(struct record *r, const char *key, const char *value);

/* --- record-probe.c: what can be recorded here ------------------------------- */

/* Chooses events where none were given; -errno: nothing can be sampled. */
int record_choose_events(struct record *r, struct pw_err *err);

/* --- record-flags.c: runtimes known by the name of their program -------------- */

/* Fills argv and setenv from the command. */
void record_add_jit_flag(struct record *r);

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

/* --- record-bpf.c: figures of the scheduler that the kernel keeps ---------------- */

/* Where it can't be, the user is told and perf is to record events. */
void record_bpf_open(struct record *r);
/* Into the directory, and of whom: the caller starts perf next. */
int record_bpf_start(struct record *r, struct pw_err *err);
/* Reads out when it is time; in how many ms it is time again, -1: never. */
int record_bpf_tick(struct record *r);
/* The last readout; also when nothing was opened. */
void record_bpf_stop(struct record *r);

/* --- record-keep.c: the directory of a capture ------------------------------------ */

/* Makes it; what was there becomes DIR.old when it is a capture. */
int record_make_dir(struct record *r, struct pw_err *err);
/* Copies of the modules that the command line names. */
int record_keep_modules(struct record *r, struct pw_err *err);
/* What a file is by its name and first bytes: "module", "artifact", or NULL:
 * none of them. */
const char *record_kind_of(const char *path);
/* After the run: jitdumps, perf maps, kernel symbols, facts. */
int record_gather(struct record *r, struct pw_err *err);

#endif
