// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts by machine instruction: an offset in a piece of code. Bounded; what
 * does not fit is counted as such.
 */
#include "profile-impl.h"

static uint64_t hit_hash(const struct pw_profile *p, uint32_t i)
{
	return mix(p->hits[i].off, p->hits[i].piece);
}

static uint32_t hit_get(struct pw_profile *p, uint32_t piece, uint64_t off)
{
	uint32_t *slot;

	index_grow(&p->by_hit, hit_hash, p);
	slot = index_first(&p->by_hit, mix(off, piece));
	for (; *slot; slot = index_next(&p->by_hit, slot)) {
		const struct hit *h = &p->hits[*slot - 1];

		if (h->off == off && h->piece == piece)
			return *slot - 1;
	}
	if (p->n_hits == p->opts.max_insns)
		return UINT32_MAX;
	if (p->n_hits == p->cap_hits) {
		p->cap_hits = p->cap_hits ? 2 * p->cap_hits : 1024;
		p->hits = pw_realloc(p->hits, p->cap_hits * sizeof(*p->hits));
	}
	p->hits[p->n_hits] = (struct hit){ off, piece };
	*slot = ++p->n_hits;
	p->by_hit.n++;
	return p->n_hits - 1;
}

void hit_count(struct pw_profile *p, struct event *e,
	       const struct pw_piece *piece, uint64_t off, struct pw_count n)
{
	uint32_t i = hit_get(p, piece->id, off);

	if (i == UINT32_MAX)
		p->cut_hits += n.samples;
	else
		count_add(count_at(&e->hits, i), n.samples, n.period);
}

uint32_t pw_profile_n_hits(const struct pw_profile *p)
{
	return p->n_hits;
}

void pw_profile_hit(const struct pw_profile *p, uint32_t i, struct pw_hit *h)
{
	uint32_t e;

	h->piece = pw_space_piece(p->space, p->hits[i].piece);
	h->off = p->hits[i].off;
	for (e = 0; e < p->n_events; e++)
		p->scratch[e] = count_get(&p->events[e]->hits, i);
	h->events = p->scratch;
}
