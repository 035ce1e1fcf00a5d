/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capture-source: the capture that report, annotate and export read: which,
 * what of it, and what else is known of it.
 */
#ifndef PW_CMD_CAPTURE_SOURCE_H
#define PW_CMD_CAPTURE_SOURCE_H

#include "../cmd.h"

#include <perfwasm/metrics.h>
#include <perfwasm/profile.h>
#include <perfwasm/sched.h>

struct source {
	/* --- from the options --- */
	const char *path; /* a directory, a perf.data, "-"; NULL: the usual */
	struct cmd_words tasks, modules;
	struct cmd_words wasm, jitdumps;
	const char *time, *symfs, *kallsyms;
	const char *runtime; /* to compile the modules on */
	bool provenance;
	bool wasm_only, no_local;
	/* set before cmd_source_read(): what else the profile is to do */
	struct pw_profile_opts opts;
	/* fed as well; then the profile is only fed when the capture tells of
	 * functions. Borrowed; NULL: none */
	struct pw_sched *sched;
	/* the metrics of the machine are wanted, too: a directory with these
	 * alone is a capture, though nothing of it is read here */
	bool with_system;
	/* --- what was read --- */
	char *dir, *data;
	char *box; /* where pieces were joined; NULL: they were not */
	struct pw_file facts_file;
	struct pw_space *space;
	struct pw_profile *profile;
	/* of time 0 of the capture, ns since 1970; 0: not told */
	uint64_t epoch_ns;
	struct cmd_words from_command; /* modules that perf's own command
					  line names; owned */
};

/* The options; a child of each command's argp, its input a struct source. */
extern const struct argp cmd_source_argp;
/* The capture as an argument; argp_error() when there are two. */
void cmd_source_take(struct source *s, const char *path,
		     const struct argp_state *state);
/*
 * Reads all of it. On failure what was read until then is in s->profile, or
 * that is NULL.
 */
int cmd_source_read(struct source *s, struct pw_err *err);
void cmd_source_release(struct source *s);
/* What `perf wasm record` wrote down, into the report. */
void cmd_source_report(const struct source *s, struct pw_report *r);
/* --- capture-artifacts.c ------------------------------------------------------- */

/* Compiles the modules on a runtime and adds the artifacts. -ENOTSUP: it
 * shows no code. */
int cmd_source_compile(struct source *s, struct pw_err *err);
/* Of a capture that was read: finds by mutants which wasm instruction the
 * machine instructions of its hot functions came from. */
int cmd_source_provenance(struct source *s, struct pw_err *err);

/* --- capture-kept.c ------------------------------------------------------------ */

/* Pieces that a killed recorder left are joined, before what follows. */
int cmd_source_join(struct source *s, struct pw_err *err);
/* Whether the directory has what record --bpf kept; reads it into s->sched. */
bool cmd_source_has_series(const struct source *s);
int cmd_source_series(struct source *s, struct pw_err *err);
/* Whether the directory has metrics of the machine; adds them to m. */
bool cmd_source_has_system(const struct source *s);
int cmd_source_system(const struct source *s, struct pw_metrics *m,
		      struct pw_err *err);
/* Of a directory without perf.data: whether there is something else of ours in
 * it, and err says which command reads that. */
bool cmd_source_is_other(const struct source *s, struct pw_err *err);
/* Where tasks waited, for the profile, in order with its events. NULL: nothing
 * was kept, or it can't be read, which is told. */
struct pw_waits *cmd_source_waits(const struct source *s, struct pw_err *err);
/* Reads what perfwhiz kept of a capture into s->sched, with the result in *ret.
 * False: the file is none. */
bool cmd_source_cdict(struct source *s, int *ret, struct pw_err *err);

/* --- capture-times.c ----------------------------------------------------------- */

/* What s->time asks for, into s->opts; EINVAL: it is no time. */
int cmd_source_times(struct source *s, const struct pw_capture_facts *facts,
		     struct pw_err *err);

/* --- capture-ring.c ------------------------------------------------------------ */

/* Where the samples of a capture are, for pw_capture_open(): a file or a folder of
 * pieces; where there is none, as usual. The caller frees. */
char *cmd_ring_samples(const char *capture);
/* The recorder of a ring was killed, so that the directory has pieces of the
 * scheduler's figures. */
bool cmd_ring_left_sched(const char *capture);
/* Makes one series of them, in a folder that the caller removes and frees. */
char *cmd_ring_join_sched(const char *capture, struct pw_err *err);
/* The recorder of a ring was killed, so that the directory has its pieces. */
bool cmd_ring_was_left(const char *capture);
/* As pw_system_read(), of such a one too. */
int cmd_system_read(const char *capture, struct pw_metrics *m,
		    struct pw_err *err);

/* --- capture-source.c ---------------------------------------------------------- */

/* The number of an event by name, as perf or the report calls it. */
int cmd_source_event(const struct source *s, const char *name, uint32_t *event,
		     struct pw_err *err);

#endif
