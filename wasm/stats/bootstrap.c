// SPDX-License-Identifier: GPL-2.0-only
/*
 * The percentile bootstrap (Efron 1979) of a ratio of medians. A resample is
 * kept as counts over the sorted sample, so that its median needs no sort.
 */
#include "quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct resampler {
	double *sorted;
	unsigned *counts;
	size_t n;
};

static void init(struct resampler *s, const double *x, size_t n)
{
	s->sorted = sorted_sample(x, n);
	s->counts = pw_alloc(n * sizeof(*s->counts));
	s->n = n;
}

static void release(struct resampler *s)
{
	free(s->sorted);
	free(s->counts);
}

/* The value with `rank` others before it in the resample. */
static double at_rank(const struct resampler *s, size_t rank)
{
	size_t i = 0, seen = 0;

	while ((seen += s->counts[i]) <= rank)
		i++;
	return s->sorted[i];
}

static double median_of_resample(struct resampler *s, struct pw_rng *rng)
{
	double lo, hi;

	memset(s->counts, 0, s->n * sizeof(*s->counts));
	for (size_t i = 0; i < s->n; i++)
		s->counts[pw_rng_below(rng, s->n)]++;
	lo = at_rank(s, (s->n - 1) / 2);
	hi = at_rank(s, s->n / 2);
	return lo == hi ? lo : lo + (hi - lo) / 2;
}

struct pw_interval pw_bootstrap_ratio(const double *a, size_t n_a,
				      const double *b, size_t n_b, double level,
				      size_t n_boot, uint64_t seed)
{
	struct pw_interval ci = { NAN, NAN };
	struct resampler ra, rb;
	struct pw_rng rng;
	double *ratios;

	if (!n_a || !n_b || !n_boot)
		return ci;
	init(&ra, a, n_a);
	init(&rb, b, n_b);
	ratios = pw_alloc(n_boot * sizeof(*ratios));
	pw_rng_init(&rng, seed);
	for (size_t i = 0; i < n_boot; i++) {
		double top = median_of_resample(&ra, &rng);

		ratios[i] = top / median_of_resample(&rb, &rng);
	}
	sort_sample(ratios, n_boot);
	if (!isnan(ratios[n_boot - 1])) { /* 0/0 has no ratio */
		ci.lo = sorted_quantile(ratios, n_boot, (1 - level) / 2);
		ci.hi = sorted_quantile(ratios, n_boot, (1 + level) / 2);
	}
	free(ratios);
	release(&ra);
	release(&rb);
	return ci;
}
