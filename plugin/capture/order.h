/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records that wait for their turn. They come as runs of rising time (one
 * buffer of the recorder after the other), so a run is kept as it came and
 * the runs are merged through a heap. Equal times leave as they came.
 */
#ifndef PLUGIN_CAPTURE_ORDER_H
#define PLUGIN_CAPTURE_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "stream.h"

struct waiting {
	uint64_t time_ns;
	const uint8_t *record;
};

struct run {
	struct waiting *e;
	uint32_t head, n, cap;
	uint64_t seq;
	struct run *next; /* among the idle ones */
};

struct order {
	struct run **heap; /* by the time of their first record, then seq */
	uint32_t n_heap, cap_heap;
	struct run *open; /* takes what comes while times rise; may be NULL */
	struct run *idle;
	uint32_t n_idle;
	uint64_t seq;
	uint64_t bytes;  /* of the runs in use */
	uint64_t max_ns; /* the latest time so far */
};

/* The record's block gets a reference. */
void order_add(struct order *o, uint64_t time_ns, const uint8_t *record);
/* The earliest record leaves, its block's reference with it; not empty. */
struct waiting order_take(struct order *o);
void order_release(struct order *o, struct block_pool *pool);

static inline int order_is_empty(const struct order *o)
{
	return !o->n_heap;
}

static inline uint64_t order_first_ns(const struct order *o)
{
	const struct run *r = o->heap[0];

	return r->e[r->head].time_ns;
}

#endif
