/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stats: samples of timings and what may be said of them: small ones as they
 * are, large ones as histograms. Knows nothing of where the numbers came from.
 * Functions of arrays leave their input as it is; n == 0 gives NaN.
 */
#ifndef PERFWASM_STATS_H
#define PERFWASM_STATS_H

#include <stddef.h>
#include <stdint.h>

struct pw_interval {
	double lo, hi;
};

double pw_min(const double *x, size_t n);
double pw_max(const double *x, size_t n);
double pw_median(const double *x, size_t n);
/* Median absolute deviation times 1.4826 (consistent with sigma). */
double pw_mad(const double *x, size_t n);
/* Linear interpolation between order statistics (type 7 of Hyndman and Fan
 * 1996); q in 0..1. */
double pw_quantile(const double *x, size_t n, double q);
/* Two-sided p of the Mann-Whitney U test: exact by enumeration while
 * C(n+m, n) <= 1e5 and no ties, else normal with tie and continuity
 * correction. */
double pw_rank_sum_p(const double *a, size_t n_a, const double *b, size_t n_b);
/*
 * Percentile bootstrap (Efron 1979) of median(a)/median(b): `level` e.g.
 * 0.95, n_boot resamples, seeded so that the same input gives the same
 * interval.
 */
struct pw_interval pw_bootstrap_ratio(const double *a, size_t n_a,
				      const double *b, size_t n_b, double level,
				      size_t n_boot, uint64_t seed);

/* --- histograms ------------------------------------------------------------- */

#include <perfwasm/log-buckets.def>

/*
 * Any number of values in bounded memory: counts by the buckets of
 * log-buckets.def, of which only the powers of two between the lowest and the
 * highest value take room. Two are merged without loss. Zeroed is empty.
 */
struct pw_hist {
	uint64_t n, sum, min, max; /* exact; min of none: 0 */
	uint64_t *counts;          /* of `room` buckets from `first` on */
	uint32_t first, room;
};

/* Makes room for a bucket; for pw_hist_add(). */
void pw_hist_reach(struct pw_hist *h, unsigned int bucket);
static inline void pw_hist_add(struct pw_hist *h, uint64_t value)
{
	unsigned int at = pw_bucket_of(value);

	if (at - h->first >= h->room)
		pw_hist_reach(h, at);
	h->counts[at - h->first]++;
	if (!h->n++ || value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
	h->sum += value;
}
void pw_hist_release(struct pw_hist *h);
void pw_hist_merge(struct pw_hist *h, const struct pw_hist *from);
/* PW_N_BUCKETS counts that were kept elsewhere, with the sum and the extremes
 * of their values. */
void pw_hist_add_counts(struct pw_hist *h, const uint64_t *counts, uint64_t sum,
			uint64_t min, uint64_t max);
/* The count of a bucket, 0 where nothing is. */
uint64_t pw_hist_count(const struct pw_hist *h, unsigned int bucket);
/*
 * The value with the share q (0..1) of all at or below it (nearest rank), as
 * the middle of its bucket: off by at most 1/32, by nothing below 32, and never
 * outside of min..max. That of the last one is exact: max. NaN of none.
 */
double pw_hist_quantile(const struct pw_hist *h, double q);
/* Exact. NaN of none. */
double pw_hist_mean(const struct pw_hist *h);

#endif
