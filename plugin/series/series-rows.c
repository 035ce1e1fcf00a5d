// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows of a table by their keys, with their last values.
 */
#include "series-impl.h"

#include <stdlib.h>

struct row *rows_find(const struct rows *r, uint64_t key)
{
	struct row *row;

	HASH_FIND(hh, r->all, &key, sizeof(key), row);
	return row;
}

struct row *rows_get(struct rows *r, uint64_t key)
{
	struct row *row = rows_find(r, key);

	if (row)
		return row;
	row = pw_zalloc(sizeof(*row) + r->n_columns * sizeof(*row->values));
	row->key = key;
	HASH_ADD(hh, r->all, key, sizeof(key), row);
	return row;
}

void rows_drop(struct rows *r, struct row *row)
{
	HASH_DELETE(hh, r->all, row);
	free(row);
}

void rows_release(struct rows *r)
{
	struct row *row, *next;

	HASH_ITER (hh, r->all, row, next)
		rows_drop(r, row);
}
