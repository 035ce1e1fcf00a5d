// SPDX-License-Identifier: GPL-2.0-only
/*
 * One sample: extremes, quantiles, spread. Works on a sorted copy; knows
 * nothing of a second sample (rank-sum.c, bootstrap.c).
 */
#include "quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	/* a NaN goes last, so that the order stays one */
	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y);
	return (x > y) - (x < y);
}

void sort_sample(double *x, size_t n)
{
	qsort(x, n, sizeof(*x), compare);
}

double *sorted_sample(const double *x, size_t n)
{
	double *s = pw_alloc((n ? n : 1) * sizeof(*s));

	if (n)
		memcpy(s, x, n * sizeof(*s));
	sort_sample(s, n);
	return s;
}

double sorted_quantile(const double *s, size_t n, double q)
{
	double at, below;
	size_t i;

	if (!n || isnan(q))
		return NAN;
	at = fmin(fmax(q, 0), 1) * (n - 1);
	below = floor(at);
	i = (size_t)below;
	/* no step at a whole index: infinity times zero is no number */
	if (at == below || s[i] == s[i + 1])
		return s[i];
	return s[i] + (at - below) * (s[i + 1] - s[i]);
}

double pw_min(const double *x, size_t n)
{
	double m = n ? x[0] : NAN;

	for (size_t i = 1; i < n; i++)
		m = fmin(m, x[i]);
	return m;
}

double pw_max(const double *x, size_t n)
{
	double m = n ? x[0] : NAN;

	for (size_t i = 1; i < n; i++)
		m = fmax(m, x[i]);
	return m;
}

double pw_quantile(const double *x, size_t n, double q)
{
	double *s = sorted_sample(x, n);
	double v = sorted_quantile(s, n, q);

	free(s);
	return v;
}

double pw_median(const double *x, size_t n)
{
	return pw_quantile(x, n, 0.5);
}

double pw_mad(const double *x, size_t n)
{
	double *d = pw_alloc((n ? n : 1) * sizeof(*d));
	double m = pw_median(x, n);

	for (size_t i = 0; i < n; i++)
		d[i] = fabs(x[i] - m);
	m = 1.4826 * pw_median(d, n);
	free(d);
	return m;
}
