// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who woke whom, who took whose CPU, who ran after whom: counts by pair of tasks
 * in one hash table. A task mostly does the same to the same one as the last
 * time, so that is looked at first.
 */
#include <stdlib.h>

#include "sched-impl.h"

#define PAIRS_MAX 262144u

static uint64_t hash(uint32_t kind, uint32_t a, uint32_t b)
{
	uint64_t x = ((uint64_t)a << 32 | b) + kind;

	x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
	return x ^ x >> 32;
}

static uint32_t *slot_of(struct pw_sched *s, uint32_t kind, uint32_t a,
			 uint32_t b)
{
	uint32_t i = (uint32_t)hash(kind, a, b) & (s->cap_slots - 1);

	for (; s->pair_slots[i]; i = (i + 1) & (s->cap_slots - 1)) {
		const struct pw_sched_pair *p = &s->pairs[s->pair_slots[i] - 1];

		if (p->a == a && p->b == b && p->kind == kind)
			break;
	}
	return &s->pair_slots[i];
}

static void grow(struct pw_sched *s)
{
	s->cap_slots = s->cap_slots ? 2 * s->cap_slots : 256;
	free(s->pair_slots);
	s->pair_slots = pw_zalloc(s->cap_slots * sizeof(*s->pair_slots));
	s->pairs = pw_realloc(s->pairs, s->cap_slots / 2 * sizeof(*s->pairs));
	for (uint32_t i = 0; i < s->n_pairs; i++) {
		const struct pw_sched_pair *p = &s->pairs[i];

		*slot_of(s, p->kind, p->a, p->b) = i + 1;
	}
}

static uint32_t find(struct pw_sched *s, enum pw_sched_pair_kind kind,
		     uint32_t a, uint32_t b)
{
	uint32_t *slot;

	if (s->n_pairs >= s->cap_slots / 2)
		grow(s);
	slot = slot_of(s, kind, a, b);
	if (*slot)
		return *slot;
	if (s->n_pairs == PAIRS_MAX) {
		s->cut_pairs++;
		return 0;
	}
	s->pairs[s->n_pairs] = (struct pw_sched_pair){ kind, a, b, 0, 0 };
	*slot = ++s->n_pairs;
	return *slot;
}

/* Idle tasks are one. */
static uint32_t number(const struct pw_sched *s, const struct task *t)
{
	return t->pub.is_idle ? s->any_idle : t->idx;
}

uint32_t pair_of(struct pw_sched *s, enum pw_sched_pair_kind kind,
		 struct task *a, const struct task *b)
{
	uint32_t x = number(s, a), y = number(s, b);
	uint32_t last = a->last_pair[kind];

	if (last && s->pairs[last - 1].b == y && s->pairs[last - 1].a == x)
		return last;
	last = find(s, kind, x, y);
	if (last)
		a->last_pair[kind] = last;
	return last;
}

uint32_t pw_sched_n_pairs(const struct pw_sched *s)
{
	return s->n_pairs;
}

const struct pw_sched_pair *pw_sched_pair(const struct pw_sched *s, uint32_t i)
{
	return &s->pairs[i];
}
