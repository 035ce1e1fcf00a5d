/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spread: how the values of one figure are distributed over time. Few different
 * values are kept as they are, more as a histogram, so its memory is bounded.
 */
#ifndef PERFWASM_SPREAD_H
#define PERFWASM_SPREAD_H

#include <perfwasm/report.h>
#include <perfwasm/stats.h>

struct spread_run {
	double value;
	uint64_t weight;
};

/* Zeroed is empty, with scale set: what a value is multiplied by to become a
 * whole number for the histogram. */
struct spread {
	double scale;
	double mean, m2; /* weighted, by West 1979 */
	double min, max;
	uint64_t weight;
	uint64_t zeros; /* weight of the value 0 */
	struct spread_run *runs;
	uint32_t n_runs, room;
	struct pw_hist *hist; /* in place of runs: what is more than 0 */
};

/* For a unit: shares are small numbers, bytes large ones. */
double spread_scale(enum pw_unit unit);
void spread_add(struct spread *s, double value, uint64_t weight);
/* The least value that holds, with all below it, the share q of the weight. */
double spread_quantile(struct spread *s, double q);
double spread_std(const struct spread *s);
void spread_release(struct spread *s);

#endif
