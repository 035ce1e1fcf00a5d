// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows of a table by their keys, with their last values.
 */
#include "series-impl.h"

#include <stdlib.h>

/* Rows mostly come in the order in which they first came: the one behind the
 * last is looked at before any is looked up. */
struct row *key_row_find(struct rows *r, uint64_t key)
{
	struct row *row = r->last ? r->last->hh.next : NULL;

	if (!row || row->key != key)
		HASH_FIND(hh, r->all, &key, sizeof(key), row);
	if (row)
		r->last = row;
	return row;
}

struct row *key_row_get(struct rows *r, uint64_t key)
{
	struct row *row = key_row_find(r, key);

	if (row)
		return row;
	row = pw_zalloc(sizeof(*row) + r->n_columns * sizeof(*row->values));
	row->key = key;
	HASH_ADD(hh, r->all, key, sizeof(key), row);
	r->last = row;
	return row;
}

void key_row_drop(struct rows *r, struct row *row)
{
	if (r->last == row)
		r->last = row->hh.prev;
	HASH_DELETE(hh, r->all, row);
	free(row);
}

void key_rows_release(struct rows *r)
{
	struct row *row, *next;

	HASH_ITER (hh, r->all, row, next)
		key_row_drop(r, row);
}
