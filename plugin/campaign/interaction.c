// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows and columns give up their medians in turn until little is left to
 * give; what stays in a cell is its own.
 */
#include "interaction.h"

#include <perfwasm/base.h>
#include <perfwasm/stats.h>

#include <math.h>
#include <stdlib.h>

#define ROUNDS_MAX 50
#define LITTLE     1e-9

/* Takes the median of n cells, `stride` apart, out of them. */
static double give_up(double *cell, size_t n, size_t stride, double *scratch)
{
	size_t kept = 0;
	double m;

	for (size_t i = 0; i < n; i++)
		if (!isnan(cell[i * stride]))
			scratch[kept++] = cell[i * stride];
	if (!kept)
		return 0;
	m = pw_median(scratch, kept);
	for (size_t i = 0; i < n; i++)
		cell[i * stride] -= m; /* NaN stays NaN */
	return m;
}

void interaction_polish(const double *ms, size_t n_rows, size_t n_cols,
			double *excess, double *col)
{
	double *scratch = pw_alloc((n_rows + n_cols) * sizeof(*scratch));
	size_t n = n_rows * n_cols;

	for (size_t i = 0; i < n; i++)
		excess[i] = ms[i] > 0 ? log(ms[i]) : NAN;
	for (size_t j = 0; j < n_cols; j++)
		col[j] = 0;
	for (int round = 0; round < ROUNDS_MAX; round++) {
		double moved = 0;

		for (size_t i = 0; i < n_rows; i++)
			moved += fabs(give_up(excess + i * n_cols, n_cols, 1,
					      scratch));
		for (size_t j = 0; j < n_cols; j++) {
			double m = give_up(excess + j, n_rows, n_cols, scratch);

			col[j] += m;
			moved += fabs(m);
		}
		if (moved < LITTLE)
			break;
	}
	for (size_t i = 0; i < n; i++)
		excess[i] = exp(excess[i]);
	for (size_t j = 0; j < n_cols; j++)
		col[j] = exp(col[j]);
	free(scratch);
}

struct at {
	double excess;
	size_t i;
};

static int greatest_first(const void *a, const void *b)
{
	const struct at *x = a, *y = b;

	if (x->excess != y->excess)
		return x->excess < y->excess ? 1 : -1;
	return (x->i > y->i) - (x->i < y->i);
}

size_t interaction_rank(const double *excess, size_t n, double least,
			size_t *order)
{
	struct at *v = pw_alloc((n + 1) * sizeof(*v));
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (excess[i] >= least) /* not NaN */
			v[kept++] = (struct at){ excess[i], i };
	qsort(v, kept, sizeof(*v), greatest_first);
	for (size_t i = 0; i < kept; i++)
		order[i] = v[i].i;
	free(v);
	return kept;
}
