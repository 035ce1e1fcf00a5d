// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spans of addresses that begin at some time and lie over the older ones, and
 * the question which one is on top at an address and a time. Knows nothing of
 * processes and code.
 */
#include "jitmap.h"

#include <stdlib.h>
#include <string.h>

void jit_layer_add(struct jit_layer *l, uint64_t start, uint64_t end,
		   uint64_t time, uint32_t ref)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 16;
		l->spans = pw_realloc(l->spans, l->cap * sizeof(*l->spans));
	}
	l->spans[l->n] = (struct jit_span){ start, end, time, ref, l->n };
	l->n++;
	l->is_sorted = false;
}

static void drop_index(struct jit_layer *l)
{
	free(l->times);
	free(l->cuts);
	free(l->node_at);
	free(l->ranks);
	l->times = l->cuts = l->node_at = NULL;
	l->ranks = NULL;
	l->n_cuts = l->last_bound = 0;
}

void jit_layer_release(struct jit_layer *l)
{
	drop_index(l);
	free(l->spans);
	memset(l, 0, sizeof(*l));
}

/* --- the index ------------------------------------------------------------------ */

static int by_time(const void *a, const void *b)
{
	const struct jit_span *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The number of values that are <= v. */
static uint32_t count_up_to(const uint64_t *values, uint32_t n, uint64_t v)
{
	uint32_t lo = 0;

	while (n) {
		uint32_t half = n / 2;

		if (values[lo + half] <= v) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

/* As they mostly come by time, sorting is seldom needed. */
static void sort_spans(struct jit_layer *l)
{
	uint32_t i;

	for (i = 1; i < l->n; i++)
		if (by_time(&l->spans[i - 1], &l->spans[i]) > 0)
			break;
	if (i < l->n)
		qsort(l->spans, l->n, sizeof(*l->spans), by_time);
	l->times = pw_alloc(l->n * sizeof(*l->times));
	for (i = 0; i < l->n; i++)
		l->times[i] = l->spans[i].time;
}

static void make_cuts(struct jit_layer *l)
{
	uint32_t i, n = 0;
	size_t all = 2 * (size_t)l->n, k;

	l->cuts = pw_alloc(all * sizeof(*l->cuts));
	for (i = 0; i < l->n; i++) {
		l->cuts[2 * (size_t)i] = l->spans[i].start;
		l->cuts[2 * (size_t)i + 1] = l->spans[i].end;
	}
	qsort(l->cuts, all, sizeof(*l->cuts), by_value);
	for (k = 0; k < all; k++)
		if (!n || l->cuts[n - 1] != l->cuts[k])
			l->cuts[n++] = l->cuts[k];
	l->n_cuts = n;
}

/* Calls fn for every node that a span is in. */
static void each_node(const struct jit_layer *l, uint32_t rank,
		      void (*fn)(struct jit_layer *, uint64_t, uint32_t),
		      struct jit_layer *to)
{
	const struct jit_span *s = &l->spans[rank];
	uint64_t leaves = l->n_cuts - 1;
	uint64_t lo = count_up_to(l->cuts, l->n_cuts, s->start) - 1 + leaves;
	uint64_t hi = count_up_to(l->cuts, l->n_cuts, s->end) - 1 + leaves;

	for (; lo < hi; lo /= 2, hi /= 2) {
		if (lo & 1)
			fn(to, lo++, rank);
		if (hi & 1)
			fn(to, --hi, rank);
	}
}

static void count_node(struct jit_layer *l, uint64_t node, uint32_t rank)
{
	(void)rank;
	l->node_at[node + 2]++;
}

/* node_at is one place ahead while it is filled. */
static void fill_node(struct jit_layer *l, uint64_t node, uint32_t rank)
{
	l->ranks[l->node_at[node + 1]++] = rank;
}

static void make_index(struct jit_layer *l)
{
	uint64_t n_nodes, k;
	uint32_t i;

	drop_index(l);
	sort_spans(l);
	make_cuts(l);
	n_nodes = 2 * (uint64_t)(l->n_cuts - 1);
	l->node_at = pw_zalloc((n_nodes + 2) * sizeof(*l->node_at));
	for (i = 0; i < l->n; i++)
		each_node(l, i, count_node, l);
	for (k = 1; k < n_nodes + 2; k++)
		l->node_at[k] += l->node_at[k - 1];
	l->ranks = pw_alloc((l->node_at[n_nodes + 1] + 1) * sizeof(*l->ranks));
	for (i = 0; i < l->n; i++)
		each_node(l, i, fill_node, l);
	l->is_sorted = true;
}

/* --- questions ------------------------------------------------------------------ */

/* How many spans have begun. Questions mostly come in the order of time. */
static uint32_t bound_of(struct jit_layer *l, uint64_t time)
{
	uint32_t b = l->last_bound;

	if (b > l->n || (b && l->times[b - 1] > time) ||
	    (b < l->n && l->times[b] <= time))
		l->last_bound = count_up_to(l->times, l->n, time);
	return l->last_bound;
}

static uint32_t count_below(const uint32_t *ranks, uint32_t n, uint32_t bound)
{
	uint32_t lo = 0;

	while (n) {
		uint32_t half = n / 2;

		if (ranks[lo + half] < bound) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

void jit_layer_find(struct jit_layer *l, uint64_t addr, uint64_t time,
		    struct jit_answer *a)
{
	uint32_t bound, top = UINT32_MAX, next = UINT32_MAX;
	uint64_t node;

	*a = (struct jit_answer){ JIT_REF_NOTHING, JIT_REF_NOTHING, 0,
				  UINT64_MAX };
	if (!l->n)
		return;
	if (!l->is_sorted)
		make_index(l);
	if (addr < l->cuts[0] || addr >= l->cuts[l->n_cuts - 1])
		return;
	bound = bound_of(l, time);
	node = count_up_to(l->cuts, l->n_cuts, addr) - 1 + l->n_cuts - 1;
	for (; node; node /= 2) {
		const uint32_t *ranks = l->ranks + l->node_at[node];
		uint32_t n = l->node_at[node + 1] - l->node_at[node];
		uint32_t k = n ? count_below(ranks, n, bound) : 0;

		if (k && (top == UINT32_MAX || ranks[k - 1] > top))
			top = ranks[k - 1];
		if (k < n && ranks[k] < next)
			next = ranks[k];
	}
	if (top != UINT32_MAX) {
		a->ref = l->spans[top].ref;
		a->from = l->times[top];
	}
	if (next != UINT32_MAX) {
		a->next_ref = l->spans[next].ref;
		a->to = l->times[next];
	}
}
