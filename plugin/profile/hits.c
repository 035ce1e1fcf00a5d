// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts by machine instruction: an offset in a piece of code. Bounded; what
 * does not fit is counted as such.
 */
#include "profile-impl.h"

#define HIT_BLOCK 16u

/*
 * The hits of HIT_BLOCK bytes of code: who comes along in the order of addresses
 * seldom has to look for more than the block before.
 */
struct hit_block {
	uint64_t nr; /* offset / HIT_BLOCK */
	uint32_t piece;
	uint32_t hits[HIT_BLOCK]; /* number + 1; 0: none */
};

static uint64_t block_hash(const struct pw_profile *p, uint32_t i)
{
	return mix(p->hit_blocks[i].nr, p->hit_blocks[i].piece);
}

/* NULL: there may be no more hits. */
static struct hit_block *block_get(struct pw_profile *p, uint32_t piece,
				   uint64_t nr)
{
	struct hit_block *b =
		p->last_block ? p->hit_blocks + p->last_block - 1 : NULL;
	uint32_t *slot, n = p->by_hit.n;

	if (b && b->nr == nr && b->piece == piece)
		return b;
	index_grow(&p->by_hit, block_hash, p);
	slot = index_first(&p->by_hit, mix(nr, piece));
	for (; *slot; slot = index_next(&p->by_hit, slot)) {
		b = &p->hit_blocks[*slot - 1];
		if (b->nr != nr || b->piece != piece)
			continue;
		p->last_block = *slot;
		return b;
	}
	if (p->n_hits == p->opts.max_insns)
		return NULL;
	if (!(n & (n - 1)))
		p->hit_blocks =
			pw_realloc(p->hit_blocks, (n ? 2 * n : 1) * sizeof(*b));
	b = &p->hit_blocks[n];
	*b = (struct hit_block){ .nr = nr, .piece = piece };
	*slot = p->last_block = ++p->by_hit.n;
	return b;
}

static uint32_t hit_get(struct pw_profile *p, uint32_t piece, uint64_t off)
{
	struct hit_block *b = block_get(p, piece, off / HIT_BLOCK);
	uint32_t *hit = b ? &b->hits[off % HIT_BLOCK] : NULL;

	if (!hit)
		return UINT32_MAX;
	if (*hit)
		return *hit - 1;
	if (p->n_hits == p->opts.max_insns)
		return UINT32_MAX;
	if (p->n_hits == p->cap_hits) {
		p->cap_hits = p->cap_hits ? 2 * p->cap_hits : 1024;
		p->hits = pw_realloc(p->hits, p->cap_hits * sizeof(*p->hits));
	}
	p->hits[p->n_hits] = (struct hit){ off, piece };
	*hit = ++p->n_hits;
	return *hit - 1;
}

uint32_t hit_count(struct pw_profile *p, struct event *e,
		   const struct pw_piece *piece, uint64_t off,
		   struct pw_count n)
{
	uint32_t i = hit_get(p, piece->id, off);

	if (i == UINT32_MAX)
		p->cut_hits += n.samples;
	else
		count_add(count_at(&e->hits, i), n.samples, n.period);
	return i;
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
