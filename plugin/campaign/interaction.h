/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interaction: what of a table of times is explained neither by its row nor by
 * its column. Numbers only; knows no module and no runtime.
 */
#ifndef CAMPAIGN_INTERACTION_H
#define CAMPAIGN_INTERACTION_H

#include <stddef.h>

/*
 * Median polish (Tukey 1977, chapter 11) of the logarithms of `ms`, n_rows x
 * n_cols by rows; NaN is a cell without a time. excess[i] is by which factor
 * the cell is slower than its row and column explain (1: exactly as they do),
 * NaN where there is no time; col[j] by which factor the column is slower than
 * the others.
 */
void interaction_polish(const double *ms, size_t n_rows, size_t n_cols,
			double *excess, double *col);
/* Indexes of the cells with excess >= least, the greatest first; gives their
 * number; order has room for all cells. */
size_t interaction_rank(const double *excess, size_t n, double least,
			size_t *order);

#endif
