// SPDX-License-Identifier: GPL-2.0-only
/*
 * The queue of order.h. Knows of a record only its time and its block.
 */
#include "order.h"

#include <stdlib.h>
#include <string.h>

#define MOST_IDLE 64
#define AHEAD     4u /* records that are sent for before they are given */

static int before(const struct run *a, const struct run *b)
{
	uint64_t x = a->e[a->head].time_ns, y = b->e[b->head].time_ns;

	return x < y || (x == y && a->seq < b->seq);
}

static void sift_down(struct order *o)
{
	struct run **h = o->heap, *r = h[0];
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < o->n_heap) {
		if (child + 1 < o->n_heap && before(h[child + 1], h[child]))
			child++;
		if (!before(h[child], r))
			break;
		h[i] = h[child];
		i = child;
	}
	h[i] = r;
}

static void heap_add(struct order *o, struct run *r)
{
	uint32_t i = o->n_heap++;

	if (o->n_heap > o->cap_heap) {
		o->cap_heap = o->cap_heap ? 2 * o->cap_heap : 16;
		o->heap =
			pw_realloc(o->heap, o->cap_heap * sizeof(struct run *));
	}
	while (i && before(r, o->heap[(i - 1) / 2])) {
		o->heap[i] = o->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	o->heap[i] = r;
}

static uint64_t run_bytes(const struct run *r)
{
	return sizeof(*r) + sizeof(r) + r->cap * sizeof(*r->e);
}

static struct run *run_get(struct order *o)
{
	struct run *r = o->idle;

	if (r) {
		o->idle = r->next;
		o->n_idle--;
	} else {
		r = pw_zalloc(sizeof(*r));
	}
	r->head = r->n = 0;
	r->seq = o->seq++;
	o->bytes += run_bytes(r);
	return r;
}

static void run_free(struct run *r)
{
	free(r->e);
	free(r);
}

static void run_put(struct order *o, struct run *r)
{
	o->bytes -= run_bytes(r);
	if (o->n_idle == MOST_IDLE) {
		run_free(r);
		return;
	}
	r->next = o->idle;
	o->idle = r;
	o->n_idle++;
}

/* A run that never ends forgets what has left. */
static void run_make_room(struct order *o, struct run *r)
{
	uint32_t more = r->cap ? r->cap : 4;

	if (r->head && r->head >= r->n / 2) {
		r->n -= r->head;
		memmove(r->e, r->e + r->head, r->n * sizeof(*r->e));
		r->head = 0;
		return;
	}
	r->cap += more;
	r->e = pw_realloc(r->e, r->cap * sizeof(*r->e));
	o->bytes += more * sizeof(*r->e);
}

void order_add(struct order *o, uint64_t time_ns, const uint8_t *record)
{
	struct run *r = o->open;
	bool fresh = !r || r->e[r->n - 1].time_ns > time_ns;

	if (fresh)
		r = o->open = run_get(o);
	if (r->n == r->cap)
		run_make_room(o, r);
	r->e[r->n++] = (struct waiting){ .time_ns = time_ns, .record = record };
	block_of(record)->refs++;
	if (fresh)
		heap_add(o, r);
	if (time_ns > o->max_ns)
		o->max_ns = time_ns;
}

struct waiting order_take(struct order *o)
{
	struct run *r = o->heap[0];
	struct waiting w = r->e[r->head++];

	/* the record was read long ago and is no longer at hand */
	if (r->head + AHEAD < r->n) {
		const uint8_t *next = r->e[r->head + AHEAD].record;

		__builtin_prefetch(next);
		__builtin_prefetch(next + 64);
	}
	if (r->head == r->n) {
		o->heap[0] = o->heap[--o->n_heap];
		if (o->open == r)
			o->open = NULL;
		run_put(o, r);
		if (!o->n_heap)
			return w;
	}
	sift_down(o);
	return w;
}

void order_release(struct order *o, struct block_pool *pool)
{
	while (!order_is_empty(o))
		block_drop(pool, block_of(order_take(o).record));
	while (o->idle) {
		struct run *r = o->idle;

		o->idle = r->next;
		run_free(r);
	}
	free(o->heap);
	memset(o, 0, sizeof(*o));
}
