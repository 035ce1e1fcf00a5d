// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the rows of a table again. The kernel tells its lines in the same order
 * every time, so the row at the next place is compared first; only where that
 * fails is it looked up.
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

static bool is_row(const struct roster_row *row, struct span instance,
		   struct span metric)
{
	return row->n_instance == instance.n && row->n_metric == metric.n &&
	       !memcmp(row->name, instance.s, instance.n) &&
	       !memcmp(row->name + instance.n, metric.s, metric.n);
}

void roster_begin(struct roster *r)
{
	r->at = 0;
	r->reading++;
}

static struct roster_row *look_up(struct roster *r, struct span instance,
				  struct span metric)
{
	struct roster_row *row;
	char name[2 * MAX_NAME];
	uint32_t n = put_name(name, instance, metric);

	HASH_FIND(hh, r->by_name, name, n, row);
	return row;
}

struct roster_row *roster_find(struct roster *r, struct span instance,
			       struct span metric)
{
	struct roster_row *row = r->at < r->n ? r->rows[r->at] : NULL;

	if (!row || !is_row(row, instance, metric))
		row = look_up(r, instance, metric);
	if (!row)
		return NULL;
	r->at = row->idx + 1;
	row->seen = r->reading;
	return row;
}

struct roster_row *roster_add(struct roster *r, struct span instance,
			      struct span metric)
{
	char name[2 * MAX_NAME];
	uint32_t n = put_name(name, instance, metric);
	struct roster_row *row = pw_zalloc(sizeof(*row) + n);

	memcpy(row->name, name, n);
	row->n_metric = metric.n < MAX_NAME ? metric.n : MAX_NAME;
	row->n_instance = n - row->n_metric;
	row->key = r->next_key++;
	row->seen = r->reading;
	row->idx = r->n;
	HASH_ADD_KEYPTR(hh, r->by_name, row->name, n, row);
	if (r->n == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 16;
		r->rows = pw_realloc(r->rows,
				     r->cap * sizeof(struct roster_row *));
	}
	r->rows[r->n++] = row;
	return row;
}

void roster_end(struct roster *r,
		void (*gone)(void *ctx, const struct roster_row *row),
		void *ctx)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		struct roster_row *row = r->rows[i];

		if (row->seen == r->reading) {
			row->idx = n;
			r->rows[n++] = row;
			continue;
		}
		gone(ctx, row);
		HASH_DELETE(hh, r->by_name, row);
		free(row->ids);
		free(row);
	}
	r->n = n;
}

void roster_release(struct roster *r)
{
	HASH_CLEAR(hh, r->by_name);
	for (uint32_t i = 0; i < r->n; i++) {
		free(r->rows[i]->ids);
		free(r->rows[i]);
	}
	free(r->rows);
	memset(r, 0, sizeof(*r));
}
