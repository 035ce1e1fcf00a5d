/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stats: small samples of timings and what may be said of them. Knows
 * nothing of where the numbers came from. All functions leave their input
 * as it is; n == 0 gives NaN.
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

#endif
