/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hunt: from a module that is slow on one runtime to the machine instructions
 * that make it slow there. The method is that of WarpL (ICSE 2026, arXiv
 * 2604.13693): mutate one instruction, see what cures the slowness while the
 * work stays the same, and compare the machine codes. What is ours besides is
 * in Kbuild-notes/architecture.md.
 */
#ifndef PERFWASM_HUNT_H
#define PERFWASM_HUNT_H

#include <perfwasm/bundle.h>

/* Where a hunt is; for a progress line. */
struct pw_hunt_progress {
	const char *step;     /* "baseline", "race", ... */
	uint32_t done, total; /* units of this step; total 0: not known */
	double best_closed; /* best share of the gap closed so far; < 0 none */
	const char *best;   /* its notation, or NULL */
	uint64_t left_ns;   /* estimate for the step; 0 unknown */
};

struct pw_hunt_opts {
	const char *module_path;
	const char *suspect;        /* runtime specs, see runtime.h */
	const char *const *oracles; /* NULL-ended, at least one */
	const char *dir;            /* journal and by-products; made when
					 missing, gone on with when there */
	struct pw_guest guest;
	double min_gap; /* suspect/oracle ratio below which there is no
			      gap; 1.25 */
	double weight_perf, weight_same; /* of the paper's score; 0.5, 0.5 */
	uint32_t budget; /* groups of equal machine code to run at most */
	uint32_t run_ms; /* scale runs down to this when possible; 0 never */
	uint32_t max_findings;
	uint64_t seed;
	uint32_t shard, n_shards; /* hunt this share of the candidates only,
					 from 1; 0 of 0: all of them */
	const char *const *merge; /* directories of shards of this hunt, whose
					 work is taken over; NULL: none */
	struct pw_bundle *bundle; /* filled when there is a gap; NULL none */
	void (*progress)(void *ctx, const struct pw_hunt_progress *p);
	void *progress_ctx;
};

/* The defaults that the comments above name. */
void pw_hunt_opts_init(struct pw_hunt_opts *o);

enum pw_hunt_verdict {
	PW_HUNT_FOUND,   /* at least one finding */
	PW_HUNT_NO_GAP,  /* not slower than the oracles: nothing to hunt */
	PW_HUNT_SHARE,   /* a shard did its share, which is to be merged */
	PW_HUNT_NOTHING, /* a gap, but no mutation within the budget closed it */
};

/*
 * Runs the hunt, or goes on with the one in opts->dir: a hunt killed at any
 * point is resumed by the same call and does nothing twice but the step that
 * was cut. A directory of another hunt (other module, runtimes or options
 * that change results), or of another shard, is refused with EEXIST. A
 * directory to merge that holds no hunt is ENOENT, another one EEXIST. The report is filled on
 * success. -EINTR after pw_measure_interrupt(), journal intact.
 */
int pw_hunt_run(const struct pw_hunt_opts *opts, struct pw_report *report,
		enum pw_hunt_verdict *verdict, struct pw_err *err);

#endif
