// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Mann-Whitney U test (Mann and Whitney 1947), two-sided. Exact for
 * small samples without ties, else the normal approximation.
 */
#include "quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From here on the exact distribution is not worth its time. */
#define MAX_EXACT 1e5

/* What the ranks of the joined samples tell. */
struct ranks {
	double u;   /* pairs (x in a, y in b) with x > y, ties count half */
	double tie; /* sum of t^3 - t over the groups of t equal values */
};

static double n_choices(size_t n, size_t k)
{
	double c = 1;

	for (size_t i = 1; i <= k && c <= MAX_EXACT; i++)
		c = c * (n - k + i) / i;
	return c;
}

/* Walks both sorted samples together, one group of equal values a turn. */
static struct ranks rank_all(const double *a, size_t n_a, const double *b,
			     size_t n_b)
{
	struct ranks r = { 0 };
	size_t i = 0, j = 0;

	while (i < n_a || j < n_b) {
		double v = j == n_b || (i < n_a && a[i] <= b[j]) ? a[i] : b[j];
		size_t i0 = i, j0 = j, t;

		while (i < n_a && a[i] == v)
			i++;
		while (j < n_b && b[j] == v)
			j++;
		r.u += (i - i0) * (j0 + (j - j0) / 2.0);
		t = i - i0 + j - j0;
		r.tie += (double)t * t * t - t;
		if (!t) /* a NaN equals nothing */
			return (struct ranks){ NAN, NAN };
	}
	return r;
}

/*
 * P(U <= u) without ties. The number of arrangements with U = k is the
 * coefficient of q^k in the Gaussian binomial
 *   (1 - q^(m+1)) ... (1 - q^(m+n)) / ((1 - q) ... (1 - q^n)),
 * made here factor by factor, each product followed by its division, so that
 * all are whole numbers below MAX_EXACT.
 */
static double exact_below(size_t n, size_t m, double u)
{
	size_t size = n * m + 1;
	double *f = pw_zalloc(size * sizeof(*f)), below = 0, all = 0;

	f[0] = 1;
	for (size_t j = 1; j <= n; j++) {
		for (size_t k = size; k-- > m + j;)
			f[k] -= f[k - m - j];
		for (size_t k = j; k < size; k++)
			f[k] += f[k - j];
	}
	for (size_t k = 0; k < size; k++) {
		all += f[k];
		if (k <= u)
			below += f[k];
	}
	free(f);
	return below / all;
}

static double normal_p(struct ranks r, double n, double m)
{
	double all = n + m;
	double var = n * m / 12 * (all + 1 - r.tie / (all * (all - 1)));
	double d = fabs(r.u - n * m / 2) - 0.5;

	if (!(var > 0) || d < 0)
		return 1;
	return erfc(d / sqrt(var) / sqrt(2));
}

double pw_rank_sum_p(const double *a, size_t n_a, const double *b, size_t n_b)
{
	double *sa, *sb, small_u;
	struct ranks r;
	size_t fewer = n_a < n_b ? n_a : n_b;

	if (!n_a || !n_b)
		return NAN;
	sa = sorted_sample(a, n_a);
	sb = sorted_sample(b, n_b);
	r = rank_all(sa, n_a, sb, n_b);
	free(sa);
	free(sb);
	if (isnan(r.u))
		return NAN;
	if (r.tie > 0 || n_choices(n_a + n_b, fewer) > MAX_EXACT)
		return normal_p(r, n_a, n_b);
	small_u = fmin(r.u, (double)n_a * n_b - r.u);
	return fmin(1, 2 * exact_below(fewer, n_a + n_b - fewer, small_u));
}
