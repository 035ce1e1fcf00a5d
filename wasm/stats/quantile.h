/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this room share: a sample in order. */
#ifndef STATS_QUANTILE_H
#define STATS_QUANTILE_H

#include <perfwasm/base.h>
#include <perfwasm/stats.h>

void sort_sample(double *x, size_t n);
/* A sorted copy; the caller frees. */
double *sorted_sample(const double *x, size_t n);
/* As pw_quantile(), of a sample that is in order. */
double sorted_quantile(const double *s, size_t n, double q);

#endif
