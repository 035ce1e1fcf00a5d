// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows of a table by their keys, with their last values.
 */
#include "series-impl.h"

#include <stdlib.h>

struct row *key_row_find(const struct rows *r, uint64_t key)
{
	struct row *row;

	HASH_FIND(hh, r->all, &key, sizeof(key), row);
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
	return row;
}

void key_row_drop(struct rows *r, struct row *row)
{
	HASH_DELETE(hh, r->all, row);
	free(row);
}

void key_rows_release(struct rows *r)
{
	struct row *row, *next;

	HASH_ITER (hh, r->all, row, next)
		key_row_drop(r, row);
}
