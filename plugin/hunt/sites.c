// SPDX-License-Identifier: GPL-2.0-only
/*
 * A step of a hunt, sites: mutations in the order of their promise. A place
 * promises what its innermost loop holds of the samples; what stands outside
 * every loop but in a hot function feeds the loops and comes after them.
 * At one place the kinds take turns, so that a budget cuts each place's tail
 * and not the last places.
 */
#include "steps.h"

#include <stdlib.h>
#include <string.h>

/* What a place outside all loops promises, as a part of its function's. */
#define OUTSIDE_LOOPS 0.3
/* How fast the later mutations of one place lose promise. */
#define TURN_COST 0.25
/* No further function when so many candidates are collected, in budgets. */
#define COLLECT 8
/* And no further one in a function. */
#define COLLECT_MAX 400000
/* In a loop of more instructions a place promises less the fewer samples are
 * near it, down to a half: a budget would else be spent at its beginning. */
#define LARGE 300
#define NEAR  4 /* instructions to either side */

struct place {
	uint64_t off;
	double promise;
	uint32_t turns[4]; /* mutations seen, by class */
};

struct func_share {
	uint32_t idx;
	double share;
};

struct collect {
	struct hunt *h;
	struct place *places; /* of the present function, by instruction */
	size_t n_places;
};

static int by_share(const void *a, const void *b)
{
	const struct func_share *x = a, *y = b;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return (x->idx > y->idx) - (x->idx < y->idx);
}

static struct func_share *hot_functions(const struct hunt *h, size_t *n)
{
	uint32_t first = pw_module_n_imported(h->module, PW_EXT_FUNC);
	uint32_t total = pw_module_n(h->module, PW_EXT_FUNC);
	struct func_share *f = pw_zalloc((total + 1) * sizeof(*f));
	uint32_t idx;

	*n = total - first;
	for (size_t i = 0; i < *n; i++)
		f[i].idx = first + (uint32_t)i;
	for (size_t i = 0; i < h->samples.n; i++)
		if (pw_module_func_at(h->module, h->samples.wasm_off[i],
				      &idx) &&
		    idx >= first)
			f[idx - first].share += h->samples.share[i];
	if (*n)
		qsort(f, *n, sizeof(*f), by_share);
	return f;
}

uint32_t *hunt_functions_by_share(const struct hunt *h, uint32_t *n)
{
	size_t n_funcs;
	struct func_share *f = hot_functions(h, &n_funcs);
	uint32_t *idx = pw_zalloc((n_funcs + 1) * sizeof(*idx));

	for (size_t i = 0; i < n_funcs; i++)
		idx[i] = f[i].idx;
	*n = (uint32_t)n_funcs;
	free(f);
	return idx;
}

/* The share of samples on wasm offsets in [lo, hi). */
static double share_between(const struct hunt *h, uint64_t lo, uint64_t hi)
{
	double sum = 0;

	for (size_t i = 0; i < h->samples.n; i++)
		if (h->samples.wasm_off[i] >= lo && h->samples.wasm_off[i] < hi)
			sum += h->samples.share[i];
	return sum;
}

/* A loop on the walk's stack of blocks. */
struct open_block {
	bool is_loop;
	uint32_t first;
	uint64_t off;
};

struct blocks {
	struct open_block *v;
	size_t n, cap;
};

static void block_push(struct blocks *b, const struct pw_insn *in)
{
	if (b->n == b->cap) {
		b->cap = b->cap ? 2 * b->cap : 32;
		b->v = pw_realloc(b->v, b->cap * sizeof(*b->v));
	}
	b->v[b->n++] =
		(struct open_block){ in->op == PW_OP_loop, in->idx, in->off };
}

static double share_near(const struct collect *c, uint32_t i, uint32_t first,
			 uint32_t last)
{
	uint32_t lo = i - first > NEAR ? i - NEAR : first;
	uint32_t hi = last - i > NEAR ? i + NEAR : last;

	return share_between(c->h, c->places[lo].off, c->places[hi].off + 1);
}

/* Gives what is not marked yet among first..last its promise. */
static void mark(struct collect *c, uint32_t first, uint32_t last,
		 double promise)
{
	bool large = last - first >= LARGE;
	double *near = pw_zalloc((last - first + 1) * sizeof(*near)), most = 0;

	for (uint32_t i = first; i <= last && large; i++) {
		if (c->places[i].promise < 0)
			near[i - first] = share_near(c, i, first, last);
		if (near[i - first] > most)
			most = near[i - first];
	}
	for (uint32_t i = first; i <= last; i++)
		if (c->places[i].promise < 0)
			c->places[i].promise =
				most > 0 ? promise * (0.5 + near[i - first] /
								    most / 2)
					 : promise;
	free(near);
}

/* A loop is over: its inner loops, already marked, keep their own mark. */
static void mark_loop(struct collect *c, const struct open_block *b,
		      const struct pw_insn *end)
{
	mark(c, b->first, end->idx,
	     share_between(c->h, b->off, end->off + end->size));
}

static bool opens_block(enum pw_op op)
{
	return op == PW_OP_block || op == PW_OP_loop || op == PW_OP_if ||
	       op == PW_OP_try || op == PW_OP_try_table;
}

static void place_grow(struct collect *c, uint32_t idx)
{
	if (idx < c->n_places)
		return;
	c->n_places = (size_t)idx * 2 + 64;
	c->places = pw_realloc(c->places, c->n_places * sizeof(*c->places));
}

/* The promise of every instruction of a function. */
static int look_at(struct collect *c, struct pw_walk *w,
		   const struct func_share *f, struct pw_err *err)
{
	struct blocks open = { 0 };
	struct pw_insn in;
	uint32_t n = 0;
	int ret = pw_walk_start(w, f->idx, err);

	while (!ret && (ret = pw_walk_next(w, &in, err)) == 1) {
		ret = 0;
		place_grow(c, in.idx);
		n = in.idx + 1;
		c->places[in.idx] =
			(struct place){ .off = in.off, .promise = -1 };
		if (opens_block(in.op))
			block_push(&open, &in);
		if ((in.op == PW_OP_end || in.op == PW_OP_delegate) && open.n &&
		    open.v[--open.n].is_loop)
			mark_loop(c, &open.v[open.n], &in);
	}
	if (n)
		mark(c, 0, n - 1, f->share * OUTSIDE_LOOPS);
	free(open.v);
	return ret;
}

/* A local in place of a deleted operator keeps the work; a constant often lets
 * an oracle hoist it away. */
static unsigned class_of(const struct pw_mutation *mut)
{
	if (mut->kind != PW_MUT_DELETION)
		return mut->kind == PW_MUT_OPERATOR ? 2 : 3;
	return mut->new_op == PW_OP_local_get ? 0 : 1;
}

static int collect_one(void *ctx, const struct pw_mutation *mut)
{
	struct collect *c = ctx;
	struct hunt *h = c->h;
	struct place *p = &c->places[mut->insn_idx];
	struct candidate *cand;

	if (h->n_candidates == h->cap_candidates) {
		h->cap_candidates =
			h->cap_candidates ? 2 * h->cap_candidates : 1024;
		h->candidates =
			pw_realloc(h->candidates,
				   h->cap_candidates * sizeof(*h->candidates));
	}
	cand = &h->candidates[h->n_candidates++];
	*cand = (struct candidate){ .mut = *mut };
	cand->promise =
		p->promise / (1 + TURN_COST * p->turns[class_of(mut)]++);
	return h->n_candidates >= COLLECT_MAX;
}

static int by_candidate_promise(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	const struct pw_mutation *m = &x->mut, *n = &y->mut;

	if (x->promise != y->promise)
		return x->promise < y->promise ? 1 : -1;
	if (m->func_idx != n->func_idx)
		return m->func_idx < n->func_idx ? -1 : 1;
	if (m->insn_idx != n->insn_idx)
		return m->insn_idx < n->insn_idx ? -1 : 1;
	if (m->kind != n->kind)
		return m->kind < n->kind ? -1 : 1;
	if (m->new_size != n->new_size)
		return m->new_size < n->new_size ? -1 : 1;
	return memcmp(m->new_bytes, n->new_bytes, m->new_size);
}

int hunt_sites(struct hunt *h, struct pw_err *err)
{
	struct collect c = { .h = h };
	struct pw_walk *w = pw_walk_new(h->module);
	size_t n;
	struct func_share *f = hot_functions(h, &n);
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++) {
		struct pw_mutate_filter only = { .funcs = &f[i].idx,
						 .n_funcs = 1 };

		if (h->n_candidates >= h->o->budget && f[i].share <= 0)
			break;
		if (h->n_candidates >= (size_t)h->o->budget * COLLECT)
			break;
		ret = look_at(&c, w, &f[i], err);
		if (!ret)
			ret = pw_mutate_each(h->module, &only, collect_one, &c,
					     err);
	}
	if (h->n_candidates)
		qsort(h->candidates, h->n_candidates, sizeof(*h->candidates),
		      by_candidate_promise);
	free(c.places);
	free(f);
	pw_walk_free(w);
	return ret > 0 ? 0 : ret;
}
