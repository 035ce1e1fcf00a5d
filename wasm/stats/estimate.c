// SPDX-License-Identifier: GPL-2.0-only
/*
 * Means with standard errors, of independent values and of series in time that
 * depend on themselves, and what may be said of their differences.
 */
#include "student.h"
#include "quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING ((struct pw_estimate){ NAN, NAN, NAN })

struct pw_estimate pw_mean_estimate(const double *x, size_t n)
{
	double sum = 0, squares = 0, mean;

	if (!n)
		return NOTHING;
	for (size_t i = 0; i < n; i++)
		sum += x[i];
	mean = sum / (double)n;
	if (n == 1)
		return (struct pw_estimate){ mean, NAN, NAN };
	for (size_t i = 0; i < n; i++)
		squares += (x[i] - mean) * (x[i] - mean);
	return (struct pw_estimate){
		mean, sqrt(squares / (double)(n - 1) / (double)n),
		(double)(n - 1)
	};
}

/* --- series in time ------------------------------------------------------------- */

/* What each block adds to the error of a rate, in time order: its deviation
 * from what the rate lets expect. Their number; blocks without value are out. */
static size_t deviations(const double *x, const double *w, size_t n,
			 double *rate, double *z)
{
	double sum = 0, weights = 0;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (isnan(x[i]))
			continue;
		sum += x[i];
		weights += w ? w[i] : 1;
		kept++;
	}
	*rate = sum / weights;
	kept = 0;
	for (size_t i = 0; i < n; i++)
		if (!isnan(x[i]))
			z[kept++] = x[i] - *rate * (w ? w[i] : 1);
	for (size_t i = 0; i < kept; i++)
		z[i] /= weights / (double)kept;
	return kept;
}

/*
 * The variance of the mean of z that a moving-block bootstrap tends to with
 * blocks of `len` (circular: Politis and Romano 1992), by what it lacks when
 * nothing depends on anything.
 */
static double block_variance(const double *z, size_t n, size_t len)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < len; i++)
		sum += z[i];
	for (size_t i = 0; i < n; i++) {
		squares += sum * sum;
		sum += z[(i + len) % n] - z[i];
	}
	return squares / (double)n / (double)len / (double)n /
	       (1 - (double)len / (double)n);
}

struct pw_estimate pw_block_estimate(const double *x, const double *w, size_t n)
{
	double *z = pw_alloc((n ? n : 1) * sizeof(*z)), var = -1;
	struct pw_estimate e = NOTHING;
	size_t kept = n ? deviations(x, w, n, &e.value, z) : 0;

	for (size_t len = 1; len <= kept / 4; len *= 2) {
		double v = block_variance(z, kept, len);

		if (v <= var)
			continue;
		var = v;
		e.se = sqrt(v);
		e.df = 1.5 * ((double)kept / (double)len - 1);
	}
	free(z);
	return e;
}

struct pw_estimate pw_block_flicker(const double *x, const double *w, size_t n)
{
	double *z = pw_alloc((n ? n : 1) * sizeof(*z)), squares = 0;
	struct pw_estimate e = NOTHING;
	size_t kept = n ? deviations(x, w, n, &e.value, z) : 0;

	for (size_t i = 1; i < kept; i++)
		squares += (z[i] - z[i - 1]) * (z[i] - z[i - 1]) / 2;
	if (kept >= 4) {
		e.se = sqrt(squares / (double)(kept - 1) / (double)kept);
		e.df = (double)(kept - 1);
	}
	free(z);
	return e;
}

/* --- what may be said ------------------------------------------------------------ */

struct pw_estimate pw_estimate_sum(struct pw_estimate a, struct pw_estimate b)
{
	double va = a.se * a.se, vb = b.se * b.se;
	double below =
		(va > 0 ? va * va / a.df : 0) + (vb > 0 ? vb * vb / b.df : 0);
	double df = isnan(va + vb) ? NAN
		    : below > 0    ? (va + vb) * (va + vb) / below
				   : INFINITY;

	return (struct pw_estimate){ a.value + b.value, sqrt(va + vb), df };
}

struct pw_estimate pw_estimate_scale(struct pw_estimate a, double by)
{
	return (struct pw_estimate){ a.value * by, a.se * fabs(by), a.df };
}

double pw_estimate_p(struct pw_estimate e, double margin)
{
	double beyond = fabs(e.value) - margin;

	if (isnan(beyond) || isnan(e.se))
		return NAN;
	if (beyond <= 0)
		return 1;
	return e.se > 0 ? 2 * student_above(beyond / e.se, e.df) : 0;
}

struct pw_interval pw_estimate_interval(struct pw_estimate e, double level)
{
	double half;

	if (isnan(e.se))
		return (struct pw_interval){ NAN, NAN };
	half = e.se > 0 ? e.se * student_beyond((1 - level) / 2, e.df) : 0;
	return (struct pw_interval){ e.value - half, e.value + half };
}

double pw_fdr_threshold(const double *p, size_t n, double q)
{
	double *s = sorted_sample(p, n), threshold = 0;
	size_t known = n;

	while (known && isnan(s[known - 1]))
		known--;
	for (size_t i = known; i-- > 0 && !threshold;)
		if (s[i] <= q * (double)(i + 1) / (double)known)
			threshold = s[i] > 0 ? s[i] : 5e-324;
	free(s);
	return threshold;
}
