/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compare: what differs between reports of one kind, and what is noise. Reads
 * only what the reports say is to be compared (report.h, "comparing"); knows
 * nothing of captures.
 *
 * A figure of a run is a rate (a total by the time captured) or a level. With
 * three or more runs on a side its error is how the runs differ
 * (pw_mean_estimate()), at least what flickers from block to block within them
 * (pw_block_flicker()); with fewer it comes from the blocks of the run's time
 * (pw_block_estimate()). The difference d of two sides is Welch's. It is
 * tested against a margin, not against zero: what is smaller than the margin is
 * no difference, however sure it is. Of all figures together at most a share
 * 1 - level of those called different is expected to be so by chance
 * (Benjamini and Hochberg 1995); intervals are those that belong to such a
 * choice (Benjamini and Yekutieli 2005): of R chosen among m, at the level
 * 1 - R/m (1 - level). Figures that both sides together have less of than the
 * margin cannot differ by it and are not counted in m.
 *
 * With one run on a side, what differs from run to run (other memory, other
 * neighbours) cannot be told from a change, and the report says so. A state
 * (PW_AMOUNT_STATE) is not judged then, nor a metric of one CPU: on which the
 * same work runs is chance. Of events that come alone the error is
 * at least what chance makes of their number (Poisson). What the recorder's own
 * tasks cost is not judged (recorders.def).
 *
 * Differences are ranked by how many times what matters they are, |d| / margin,
 * which has no unit (of a level times the share of its row). Each then looks for
 * what explains it by relations.def: the same direction, and where units are the
 * same at least a quarter of the amount; of several the one that goes up and
 * down with it. So they become groups, led by their
 * cause: code before functions, functions before tasks, those before metrics of
 * the machine.
 */
#ifndef PERFWASM_COMPARE_H
#define PERFWASM_COMPARE_H

#include <perfwasm/report.h>

/* Runs of the same: repeated captures. All is borrowed for the call. */
struct pw_compare_side {
	const char *label;
	const struct pw_report *const *runs;
	uint32_t n_runs; /* at least 1 */
};

enum pw_compare_per {
	PW_PER_SECOND, /* totals by the time captured */
	PW_PER_RUN,    /* totals as they are: of runs that do the same work */
	/* totals as shares of their whole: what else took the machine's time
	 * does not matter, but when one row grows all others shrink. What is
	 * part of no whole is compared per second */
	PW_PER_WHOLE
};

struct pw_compare_opts {
	double level; /* 0: 0.99 */
	/* the margin: a difference is both at least so large a share of the
	 * whole and of the larger value, and what the reports say matters
	 * (pw_cell_matters()); negative: 0.01 and 0.03 */
	double min_share, min_change;
	enum pw_compare_per per;
	/* keys of columns by which rows are not told apart; NULL-ended */
	const char *const *ignore;
	/* only tables and sections whose key begins so; NULL: all */
	const char *only;
	uint32_t max_rows; /* of a table; 0: all */
};

/*
 * Compares each side with the first and adds to `to`, most first: section
 * `changes`, a sentence for each group that can be pasted, and the table
 * `differences`, group by group, or the note `nothing`; `advice`; facts (judged,
 * different, level, ...); the tables `sides` and `recorded`; section
 * `over_time`, the largest differences as charts; section `metrics`, a table of
 * all figures with units of their own; for each other table of the reports a section of
 * its key with a table a column: the value of each side, `difference`, `error`
 * (half the interval), `change`, `verdict` ("worse", "better", "changed", "same", "not
 * distinguishable", "small", "not judged"), `note` (on which side a row is
 * alone); and `figures`, the same of facts.
 * -EINVAL: reports of different kinds, or nothing in them to compare; err says
 * which. *n_different: how many differ; may be NULL.
 */
int pw_compare(const struct pw_compare_side *sides, uint32_t n_sides,
	       const struct pw_compare_opts *o, struct pw_report *to,
	       uint32_t *n_different, struct pw_err *err);

#endif
