/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stats: samples and what may be said of them: small ones as they are, large
 * ones as histograms, means with their errors; formulas over figures, time in
 * bins. Knows nothing of where the numbers came from.
 * Functions of arrays leave their input as it is; n == 0 gives NaN.
 */
#ifndef PERFWASM_STATS_H
#define PERFWASM_STATS_H

#include <perfwasm/base.h>

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

/* --- estimates --------------------------------------------------------------- */

/* A figure, its standard error and the degrees of freedom of that. An error of
 * NAN: nothing is known of it. */
struct pw_estimate {
	double value, se, df;
};

/* The mean of independent values; of one the error is NAN. */
struct pw_estimate pw_mean_estimate(const double *x, size_t n);
/*
 * sum(x) / sum(w) of a series in time that depends on itself, w NULL: all 1.
 * Blocks with x NAN are left out. The variance is the one that a circular
 * moving-block bootstrap (Kuensch 1989, Politis and Romano 1992) has in the
 * limit, so nothing is drawn at random: the largest for lengths of 1, 2, 4, ...
 * up to a quarter of the series, so that slow drift counts. Of degrees of
 * freedom it has 1.5 (n/len - 1) (Meketon and Schmeiser 1984). Of fewer than 4
 * values the error is NAN.
 */
struct pw_estimate pw_block_estimate(const double *x, const double *w,
				     size_t n);
/* The same, but only what differs from block to block is error, by the mean
 * square of successive differences (von Neumann 1941): phases that a program
 * goes through in each of its runs are none. Too small for one run alone. */
struct pw_estimate pw_block_flicker(const double *x, const double *w, size_t n);
/* Of independent estimates; degrees of freedom by Welch 1947. */
struct pw_estimate pw_estimate_sum(struct pw_estimate a, struct pw_estimate b);
struct pw_estimate pw_estimate_scale(struct pw_estimate a, double by);
/* Two-sided p, by Student's t, of this or less when the truth is anywhere
 * within +-margin; NAN: not known. */
double pw_estimate_p(struct pw_estimate e, double margin);
struct pw_interval pw_estimate_interval(struct pw_estimate e, double level);
/*
 * The largest p that is a discovery when at most a share q of all discoveries
 * may be false (Benjamini and Hochberg 1995); 0: none is. NANs are left out.
 */
double pw_fdr_threshold(const double *p, size_t n, double q);

/* --- formulas ---------------------------------------------------------------- */

/*
 * A formula over named figures, as tables and users' files hold them:
 * "(user + system) / total", "x > 0 ? a / x : 0". Names: letters, digits, `_`,
 * `.` and `:`, not beginning with a digit, so the `:` of a choice stands
 * between spaces. Operators: + - * / ^ < <= > >= == != && || ?:, functions:
 * abs, sqrt, exp, ln, log2, log10, rint, min, max, sum, avg (those of muParser).
 */
struct pw_formula;

/* NULL: it is none; err says why, and where in the text. The caller frees. */
struct pw_formula *pw_formula_new(const char *text, struct pw_err *err);
void pw_formula_free(struct pw_formula *f);
/* The figures it needs, each once, in the order of their first use. */
uint32_t pw_formula_n_names(const struct pw_formula *f);
const char *pw_formula_name(const struct pw_formula *f, uint32_t i);
/* With a value for each name. NAN when one is not known (NAN), or the result
 * is not finite: a division by zero is unknown, never 0. */
double pw_formula_eval(struct pw_formula *f, const double *values);

/* --- time in bins ------------------------------------------------------------ */

/*
 * A time axis of at most n_max equal bins for what has no known end: when time
 * outgrows it, bins double in width, so that a long capture uses more than half
 * of them. Many arrays may share an axis; who keeps them folds each by
 * pw_bins_fold() as often as pw_axis_reach() says. Start with { .n_max = 128,
 * .shift = 20 }.
 */
struct pw_axis {
	uint64_t start_ns; /* of bin 0: the first time that was reached */
	uint32_t n_max;    /* a power of two */
	uint8_t shift;     /* a bin is 1 << shift ns wide */
	bool is_started;
};

/* time_ns gets a bin; gives how many times the bins doubled for it. */
unsigned int pw_axis_reach(struct pw_axis *a, uint64_t time_ns);
/* What is before the start is in bin 0, what was not reached in the last. */
static inline uint32_t pw_axis_bin(const struct pw_axis *a, uint64_t time_ns)
{
	uint64_t bin = time_ns <= a->start_ns
			       ? 0
			       : (time_ns - a->start_ns) >> a->shift;

	return bin < a->n_max ? (uint32_t)bin : a->n_max - 1;
}
/* Where a bin ends. */
static inline uint64_t pw_axis_end_ns(const struct pw_axis *a, uint32_t bin)
{
	return a->start_ns + (((uint64_t)bin + 1) << a->shift);
}
/* So many times two neighbours become their sum; what is then unused is 0. */
void pw_bins_fold(double *bins, uint32_t n, unsigned int times);
void pw_counts_fold(uint64_t *bins, uint32_t n, unsigned int times);
/* Adds `rate` per ns of the time from..to to the bins that it is in. */
void pw_bins_spread(double *bins, const struct pw_axis *a, uint64_t from_ns,
		    uint64_t to_ns, double rate);

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
/* The same value n times, n > 0. */
static inline void pw_hist_add_n(struct pw_hist *h, uint64_t value, uint64_t n)
{
	unsigned int at = pw_bucket_of(value);

	if (at - h->first >= h->room)
		pw_hist_reach(h, at);
	h->counts[at - h->first] += n;
	if (!h->n || value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
	h->n += n;
	h->sum += value * n;
}
static inline void pw_hist_add(struct pw_hist *h, uint64_t value)
{
	pw_hist_add_n(h, value, 1);
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
