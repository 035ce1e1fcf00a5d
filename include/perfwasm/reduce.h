/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reduce: a module that is slow on one runtime, cut down to the little that
 * still is. Delta debugging (Zeller and Hildebrandt 2002), hierarchical
 * (Misherghi and Su 2006), guided by samples: whole functions first, then
 * statements from the outermost blocks inwards, then expressions.
 *
 * A candidate is kept when
 *   - it ends as the original did (outcome and exit code),
 *   - the milliseconds that the suspect loses to the oracle are still lost,
 *     but for a share, and the ratio is still there,
 *   - its samples lie on machine opcodes that the original's hot loops have.
 * So it shows the fault that the original has, and not another; what it
 * computes may differ.
 */
#ifndef PERFWASM_REDUCE_H
#define PERFWASM_REDUCE_H

#include <perfwasm/measure.h>
#include <perfwasm/report.h>

struct pw_reduce_progress {
	const char *pass; /* "functions", "statements", ... */
	uint32_t trials;
	uint32_t size_bytes, n_insns; /* of what is left */
};

struct pw_reduce_opts {
	const char *module_path;
	const char *suspect, *oracle; /* runtime specs, see runtime.h */
	const char *dir; /* the journal; made when missing, gone on with when
			    there */
	struct pw_guest guest;
	double min_gap;  /* ratio below which there is nothing to keep; 1.25 */
	double keep;     /* share of the gap that must stay; 0.7 */
	uint32_t run_ms; /* shorten runs to about this first; 25, 0 never */
	uint32_t budget; /* candidates to run at most; 2000 */
	uint64_t seed;
	void (*progress)(void *ctx, const struct pw_reduce_progress *p);
	void *progress_ctx;
};

void pw_reduce_opts_init(struct pw_reduce_opts *o);

/*
 * Appends the reduced module to `out` and fills the report. Without a gap the
 * module is appended as it was and *reduced is false. A reduction killed at
 * any point is resumed by the same call, with the decisions it made. EEXIST:
 * the directory is another reduction's. -EINTR after pw_measure_interrupt(),
 * journal intact.
 */
int pw_reduce_run(const struct pw_reduce_opts *opts, struct pw_buf *out,
		  struct pw_report *report, bool *reduced, struct pw_err *err);

#endif
