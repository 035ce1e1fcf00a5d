// SPDX-License-Identifier: GPL-2.0-only
/*
 * Histograms with the buckets of log-buckets.def. Room is taken by whole
 * powers of two, so that a task which sleeps for a millisecond each time takes
 * a few hundred bytes.
 */
#include <perfwasm/base.h>
#include <perfwasm/stats.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

void pw_hist_reach(struct pw_hist *h, unsigned int bucket)
{
	uint32_t lo = bucket / PW_BUCKET_SUB * PW_BUCKET_SUB;
	uint32_t hi = lo + PW_BUCKET_SUB;
	uint64_t *counts;

	if (h->room && h->first < lo)
		lo = h->first;
	if (h->room && h->first + h->room > hi)
		hi = h->first + h->room;
	counts = pw_zalloc((hi - lo) * sizeof(*counts));
	if (h->room)
		memcpy(counts + (h->first - lo), h->counts,
		       h->room * sizeof(*counts));
	free(h->counts);
	h->counts = counts;
	h->first = lo;
	h->room = hi - lo;
}

void pw_hist_release(struct pw_hist *h)
{
	free(h->counts);
	memset(h, 0, sizeof(*h));
}

static void add_extremes(struct pw_hist *h, uint64_t min, uint64_t max)
{
	if (!h->n || min < h->min)
		h->min = min;
	if (max > h->max)
		h->max = max;
}

static void add_count(struct pw_hist *h, unsigned int bucket, uint64_t n)
{
	if (!n)
		return;
	if (bucket - h->first >= h->room)
		pw_hist_reach(h, bucket);
	h->counts[bucket - h->first] += n;
	h->n += n;
}

void pw_hist_merge(struct pw_hist *h, const struct pw_hist *from)
{
	if (!from->n)
		return;
	add_extremes(h, from->min, from->max);
	h->sum += from->sum;
	for (uint32_t i = 0; i < from->room; i++)
		add_count(h, from->first + i, from->counts[i]);
}

void pw_hist_add_counts(struct pw_hist *h, const uint64_t *counts, uint64_t sum,
			uint64_t min, uint64_t max)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < PW_N_BUCKETS; i++)
		n += counts[i];
	if (!n)
		return;
	add_extremes(h, min, max);
	h->sum += sum;
	for (unsigned int i = 0; i < PW_N_BUCKETS; i++)
		add_count(h, i, counts[i]);
}

uint64_t pw_hist_count(const struct pw_hist *h, unsigned int bucket)
{
	return bucket - h->first < h->room ? h->counts[bucket - h->first] : 0;
}

static double middle(unsigned int bucket)
{
	/* of the values in it, which are whole numbers */
	return ((double)pw_bucket_low(bucket) +
		(double)(pw_bucket_low(bucket + 1) - 1)) /
	       2;
}

double pw_hist_quantile(const struct pw_hist *h, double q)
{
	double want, at, seen = 0;
	uint32_t i;

	if (!h->n || isnan(q))
		return NAN;
	want = fmin(fmax(ceil(q * (double)h->n), 1), (double)h->n);
	if (want == (double)h->n)
		return (double)h->max;
	for (i = 0; i + 1 < h->room; i++) {
		seen += (double)h->counts[i];
		if (seen >= want)
			break;
	}
	at = middle(h->first + i);
	return fmin(fmax(at, (double)h->min), (double)h->max);
}

double pw_hist_mean(const struct pw_hist *h)
{
	return h->n ? (double)h->sum / (double)h->n : NAN;
}
