// SPDX-License-Identifier: GPL-2.0-only
/* Values by weight: runs first, a histogram when there are many. */
#include "spread.h"

#include <perfwasm/base.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_MAX 64

double spread_scale(enum pw_unit unit)
{
	switch (unit) {
	case PW_UNIT_PERCENT:
	case PW_UNIT_RATIO:
	case PW_UNIT_NONE:
		return 0x1p20; /* up to 2^24 */
	case PW_UNIT_BYTES:
	case PW_UNIT_NS:
		return 1;
	default:
		return 0x1p6;
	}
}

static void to_hist(struct spread *s, double value, uint64_t weight)
{
	double at = value * s->scale;

	/* min keeps what is below nothing */
	if (at < 0)
		at = 0;
	if (at > 0x1p62)
		at = 0x1p62;
	pw_hist_add_n(s->hist, (uint64_t)(at + 0.5), weight);
}

static void give_up_runs(struct spread *s)
{
	s->hist = pw_zalloc(sizeof(*s->hist));
	for (uint32_t i = 0; i < s->n_runs; i++)
		to_hist(s, s->runs[i].value, s->runs[i].weight);
	free(s->runs);
	s->runs = NULL;
	s->n_runs = s->room = 0;
}

static void add_run(struct spread *s, double value, uint64_t weight)
{
	for (uint32_t i = s->n_runs; i-- > 0;) {
		if (s->runs[i].value != value)
			continue;
		s->runs[i].weight += weight;
		return;
	}
	if (s->n_runs == RUNS_MAX) {
		give_up_runs(s);
		to_hist(s, value, weight);
		return;
	}
	if (s->n_runs == s->room) {
		s->room = s->room ? 2 * s->room : 4;
		s->runs = pw_realloc(s->runs, s->room * sizeof(*s->runs));
	}
	s->runs[s->n_runs++] = (struct spread_run){ value, weight };
}

void spread_add(struct spread *s, double value, uint64_t weight)
{
	double off = value - s->mean;

	if (!s->weight || value < s->min)
		s->min = value;
	if (!s->weight || value > s->max)
		s->max = value;
	s->weight += weight;
	s->mean += off * ((double)weight / (double)s->weight);
	s->m2 += (double)weight * off * (value - s->mean);
	if (value == 0)
		s->zeros += weight;
	else if (s->hist)
		to_hist(s, value, weight);
	else
		add_run(s, value, weight);
}

static int by_value(const void *a, const void *b)
{
	const struct spread_run *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/* Zeros are one of the values. */
static double of_runs(struct spread *s, double want)
{
	double seen = 0;
	bool had_zeros = !s->zeros;

	qsort(s->runs, s->n_runs, sizeof(*s->runs), by_value);
	for (uint32_t i = 0; i < s->n_runs; i++) {
		if (!had_zeros && s->runs[i].value > 0) {
			had_zeros = true;
			seen += (double)s->zeros;
			if (seen >= want)
				return 0;
		}
		seen += (double)s->runs[i].weight;
		if (seen >= want)
			return s->runs[i].value;
	}
	return s->max;
}

double spread_quantile(struct spread *s, double q)
{
	double want = q * (double)s->weight, at;

	if (!s->weight)
		return NAN;
	if (!s->hist)
		return s->n_runs ? of_runs(s, want) : 0;
	if (want <= (double)s->zeros && s->min >= 0)
		return 0;
	want = (want - (double)s->zeros) / (double)s->hist->n;
	at = pw_hist_quantile(s->hist, fmax(want, 0)) / s->scale;
	return fmin(fmax(at, s->min), s->max);
}

double spread_std(const struct spread *s)
{
	return s->weight ? sqrt(fmax(s->m2, 0) / (double)s->weight) : NAN;
}

void spread_release(struct spread *s)
{
	if (s->hist)
		pw_hist_release(s->hist);
	free(s->hist);
	free(s->runs);
	memset(s, 0, sizeof(*s));
}
