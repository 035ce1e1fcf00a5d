// SPDX-License-Identifier: GPL-2.0-only
/*
 * pool: the locals or the globals by their type. Knows types as numbers
 * only: two are the same when their numbers are.
 */
#include <stdlib.h>

#include "site.h"

void pool_release(struct pool *p)
{
	free(p->keys);
	*p = (struct pool){ 0 };
}

void pool_clear(struct pool *p)
{
	p->n = 0;
}

void pool_add(struct pool *p, uint32_t type, uint32_t idx)
{
	if (p->n == p->cap) {
		p->cap = p->cap ? p->cap * 2 : 64;
		p->keys = pw_realloc(p->keys, p->cap * sizeof(*p->keys));
	}
	p->keys[p->n++] = (uint64_t)type << 32 | idx;
}

static int by_key(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void pool_sort(struct pool *p)
{
	if (p->n > 1)
		qsort(p->keys, p->n, sizeof(*p->keys), by_key);
}

static uint32_t lower_bound(const struct pool *p, uint64_t key)
{
	uint32_t lo = 0, hi = p->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (p->keys[mid] < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const uint64_t *pool_find(const struct pool *p, uint32_t type, uint32_t *n)
{
	uint32_t lo = lower_bound(p, (uint64_t)type << 32);

	*n = 0;
	if (!p->n)
		return NULL;
	while (lo + *n < p->n && p->keys[lo + *n] >> 32 == type)
		(*n)++;
	return p->keys + lo;
}
