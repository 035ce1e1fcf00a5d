// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arrays of counts that grow, and the hash table that every part of the room
 * finds its numbers with. Knows nothing of what they count.
 */
#include <stdlib.h>
#include <string.h>

#include "profile-impl.h"

static void counts_grow(struct counts *c, uint32_t i)
{
	uint32_t n = c->n ? c->n : 256;

	while (n <= i)
		n *= 2;
	c->at = pw_realloc(c->at, n * sizeof(*c->at));
	memset(c->at + c->n, 0, (n - c->n) * sizeof(*c->at));
	c->n = n;
}

struct pw_count *count_at(struct counts *c, uint32_t i)
{
	if (i >= c->n)
		counts_grow(c, i);
	return &c->at[i];
}

struct pw_count count_get(const struct counts *c, uint32_t i)
{
	return i < c->n ? c->at[i] : (struct pw_count){ 0, 0 };
}

uint32_t *index_first(struct index *x, uint64_t hash)
{
	return &x->slots[hash & (x->cap - 1)];
}

uint32_t *index_next(struct index *x, uint32_t *slot)
{
	return ++slot == x->slots + x->cap ? x->slots : slot;
}

void index_grow(struct index *x,
		uint64_t (*hash_of)(const struct pw_profile *, uint32_t),
		const struct pw_profile *p)
{
	uint32_t *old = x->slots, cap = x->cap, i;

	if (x->n + 1 <= cap / 2)
		return;
	x->cap = cap ? 2 * cap : 1024;
	x->slots = pw_zalloc(x->cap * sizeof(*x->slots));
	for (i = 0; i < cap; i++) {
		uint32_t *slot;

		if (!old[i])
			continue;
		slot = index_first(x, hash_of(p, old[i] - 1));
		while (*slot)
			slot = index_next(x, slot);
		*slot = old[i];
	}
	free(old);
}
