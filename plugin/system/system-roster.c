// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the rows of a table again. The kernel tells its lines in the same order
 * every time, so the row at the next place is compared first, by a hash of its
 * names; only where that fails is it looked up.
 */
#include "system-impl.h"

#include <stdlib.h>

/* A name is both texts; where the one ends is no part of it, as a table has
 * either always a metric or never. */
static uint32_t put_name(char *to, struct span instance, struct span metric)
{
	uint32_t n = instance.n < MAX_NAME ? instance.n : MAX_NAME;
	uint32_t m = metric.n < MAX_NAME ? metric.n : MAX_NAME;

	memcpy(to, instance.s, n);
	memcpy(to + n, metric.s, m);
	return n + m;
}

static uint64_t hash_of(struct span instance, struct span metric)
{
	uint64_t h = instance.n ? pw_hash(instance.s, instance.n, 0) : 0;

	return metric.n ? pw_hash(metric.s, metric.n, h) : h;
}

void roster_begin(struct roster *r)
{
	r->at = 0;
	r->reading++;
}

static struct roster_slot *look_up(struct roster *r, struct span instance,
				   struct span metric)
{
	struct roster_row *row;
	char name[2 * MAX_NAME];
	uint32_t n = put_name(name, instance, metric);

	HASH_FIND(hh, r->by_name, name, n, row);
	return row ? &r->slots[row->idx] : NULL;
}

struct roster_slot *roster_find(struct roster *r, struct span instance,
				struct span metric)
{
	struct roster_slot *slot = r->at < r->n ? &r->slots[r->at] : NULL;

	if (!slot || slot->hash != hash_of(instance, metric))
		slot = look_up(r, instance, metric);
	if (!slot)
		return NULL;
	r->at = (uint32_t)(slot - r->slots) + 1;
	slot->seen = r->reading;
	return slot;
}

uint64_t *roster_values(const struct roster *r, const struct roster_slot *s)
{
	return r->values + (size_t)(s - r->slots) * r->n_values;
}

static void grow(struct roster *r)
{
	r->cap = r->cap ? 2 * r->cap : 16;
	r->slots = pw_realloc(r->slots, r->cap * sizeof(*r->slots));
	if (r->n_values)
		r->values = pw_realloc(r->values, (size_t)r->cap * r->n_values *
							  sizeof(*r->values));
}

struct roster_slot *roster_add(struct roster *r, struct span instance,
			       struct span metric, uint32_t n_values)
{
	char name[2 * MAX_NAME];
	uint32_t n = put_name(name, instance, metric);
	struct roster_row *row = pw_zalloc(sizeof(*row) + n);

	memcpy(row->name, name, n);
	row->n_metric = metric.n < MAX_NAME ? metric.n : MAX_NAME;
	row->n_instance = n - row->n_metric;
	row->key = r->next_key++;
	row->idx = r->n;
	HASH_ADD_KEYPTR(hh, r->by_name, row->name, n, row);
	r->n_values = n_values;
	if (r->n == r->cap)
		grow(r);
	r->slots[r->n] = (struct roster_slot){
		.hash = hash_of(instance, metric),
		.row = row,
		.seen = r->reading,
	};
	return &r->slots[r->n++];
}

static void row_free(struct roster *r, struct roster_row *row)
{
	HASH_DELETE(hh, r->by_name, row);
	free(row->ids);
	free(row);
}

/* The slot at i becomes the one at n, which is not behind it. */
static void move_slot(struct roster *r, uint32_t i, uint32_t n)
{
	if (i == n)
		return;
	r->slots[n] = r->slots[i];
	r->slots[n].row->idx = n;
	if (r->n_values)
		memcpy(r->values + (size_t)n * r->n_values,
		       r->values + (size_t)i * r->n_values,
		       r->n_values * sizeof(*r->values));
}

void roster_end(struct roster *r,
		void (*gone)(void *ctx, const struct roster_row *row),
		void *ctx)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		if (r->slots[i].seen == r->reading) {
			move_slot(r, i, n++);
			continue;
		}
		gone(ctx, r->slots[i].row);
		row_free(r, r->slots[i].row);
	}
	r->n = n;
}

void roster_release(struct roster *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		row_free(r, r->slots[i].row);
	free(r->slots);
	free(r->values);
	memset(r, 0, sizeof(*r));
}
