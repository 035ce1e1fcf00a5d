// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chains from turn to turn: a link into the next turn, and the longest way
 * back from its use to its definition within one. Longest ways are found in
 * the order in which a turn runs.
 */
#include "explain-impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CHAINS 8

struct ways {
	const struct region *r;
	uint32_t *order;        /* k in the order of a turn */
	uint32_t *place;        /* of k in it, NONE: not reached */
	double *far;            /* cycles from the start, < 0: not reached */
	const struct link **by; /* the last link of the way */
	bool merges;            /* links that merge count, too */
};

/* --- the order of a turn ------------------------------------------------------- */

/* Reverse postorder from the head, edges back to it left out. */
static void find_order(struct ways *w)
{
	const struct region *r = w->r;
	const struct subject *s = r->s;
	uint32_t *stack = pw_alloc((r->n + 1) * sizeof(*stack));
	uint32_t *edge = pw_alloc((r->n + 1) * sizeof(*edge));
	bool *seen = pw_zalloc(r->n + 1);
	uint32_t n = 0, at = r->n;

	stack[n] = r->at[r->head];
	seen[stack[n]] = true;
	edge[n++] = s->next[r->head];
	while (n) {
		uint32_t k = stack[n - 1], to;

		if (edge[n - 1] == s->next[r->insns[k] + 1]) {
			w->order[--at] = k;
			n--;
			continue;
		}
		to = r->at[s->to[edge[n - 1]++]];
		if (to == NONE || seen[to])
			continue;
		seen[to] = true;
		stack[n] = to;
		edge[n++] = s->next[r->insns[to]];
	}
	for (uint32_t i = 0; i < r->n; i++)
		w->place[i] = NONE;
	for (uint32_t i = at; i < r->n; i++)
		w->place[w->order[i]] = i;
	for (uint32_t i = 0; i < at; i++)
		w->order[i] = NONE;
	free(stack);
	free(edge);
	free(seen);
}

/* --- the longest way -------------------------------------------------------------- */

/* From the definition to the use's own result. */
static double cost(const struct region *r, const struct link *l)
{
	const struct pw_minsn *in = &r->s->side.insns[l->use];
	const struct pw_insn_uses *u = &r->s->uses[l->use];
	double cycles = insn_latency(in, u);

	if (l->var == VAR_MEMORY)
		return cycles + (l->block ? BLOCK_CYCLES : FORWARD_CYCLES);
	/* one that only computes an address loads nothing */
	if (u->mem.read && insn_class(in) != CLASS_ADDRESS &&
	    (l->var == u->mem.base || l->var == u->mem.index))
		return cycles + LOAD_CYCLES;
	return cycles;
}

/* How long a call takes is not known. */
static bool counts(const struct ways *w, const struct link *l)
{
	const struct pw_minsn *insns = w->r->s->side.insns;

	return l->def != NONE && (w->merges || !l->merge) &&
	       !insns[l->def].is_call && !insns[l->use].is_call &&
	       w->place[w->r->at[l->use]] != NONE &&
	       w->place[w->r->at[l->def]] != NONE;
}

static void walk_from(struct ways *w, const struct link *start)
{
	const struct region *r = w->r;
	uint32_t from = r->at[start->use];

	for (uint32_t k = 0; k < r->n; k++)
		w->far[k] = -1;
	w->far[from] = cost(r, start);
	w->by[from] = NULL;
	for (uint32_t i = w->place[from] + 1; i < r->n; i++) {
		uint32_t k = w->order[i];

		for (uint32_t e = r->first[k]; e < r->first[k + 1]; e++) {
			const struct link *l = &r->links[e];
			double far;

			if (!counts(w, l) || l->carried)
				continue;
			far = w->far[r->at[l->def]];
			if (w->place[r->at[l->def]] >= i || far < 0)
				continue;
			if (far + cost(r, l) > w->far[k]) {
				w->far[k] = far + cost(r, l);
				w->by[k] = l;
			}
		}
	}
}

/* --- chains --------------------------------------------------------------------- */

static void take_link(struct pw_loop_chain *c, const struct link *l)
{
	if (l->merge) {
		c->merges = true;
		c->merging = l->use;
		c->merged = l->def;
		c->merge_reg = l->var;
	}
	if (l->var == VAR_MEMORY) {
		c->memory = true;
		c->store = l->def;
		c->load = l->use;
	}
}

static void build(const struct ways *w, const struct link *start,
		  struct pw_loop_chain *c)
{
	const struct region *r = w->r;
	uint32_t k = r->at[start->def], n = 0;

	memset(c, 0, sizeof(*c));
	c->insns = pw_alloc((r->n + 1) * sizeof(*c->insns));
	c->cycles = w->far[k];
	for (;;) {
		c->insns[n++] = r->insns[k];
		if (!w->by[k])
			break;
		take_link(c, w->by[k]);
		k = r->at[w->by[k]->def];
	}
	take_link(c, start);
	c->n = n;
	for (uint32_t i = 0; i < n / 2; i++) {
		uint32_t swap = c->insns[i];

		c->insns[i] = c->insns[n - 1 - i];
		c->insns[n - 1 - i] = swap;
	}
}

/* Keeps the longest of each last instruction. */
static void keep(struct pw_loop_study *t, struct pw_loop_chain *c)
{
	for (uint32_t i = 0; i < t->n_chains; i++) {
		struct pw_loop_chain *old = &t->chains[i], swap;

		if (old->insns[old->n - 1] != c->insns[c->n - 1])
			continue;
		if (c->cycles > old->cycles) {
			swap = *old;
			*old = *c;
			*c = swap;
		}
		free(c->insns);
		return;
	}
	t->chains =
		pw_realloc(t->chains, (t->n_chains + 1) * sizeof(*t->chains));
	t->chains[t->n_chains++] = *c;
}

static int by_cycles(const void *a, const void *b)
{
	const struct pw_loop_chain *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? 1 : -1;
	return (x->insns[0] > y->insns[0]) - (x->insns[0] < y->insns[0]);
}

/* The longest chain in cycles; with `t`, all of them are kept there. */
static double all_chains(struct ways *w, struct pw_loop_study *t)
{
	const struct region *r = w->r;
	double longest = 0;

	for (uint32_t i = 0; i < r->n_links; i++) {
		const struct link *l = &r->links[i];
		struct pw_loop_chain c;

		if (!l->carried || !counts(w, l))
			continue;
		walk_from(w, l);
		if (w->far[r->at[l->def]] < 0)
			continue;
		longest = fmax(longest, w->far[r->at[l->def]]);
		if (!t)
			continue;
		build(w, l, &c);
		keep(t, &c);
	}
	return longest;
}

void find_chains(struct region *r)
{
	struct pw_loop_study *t = &r->study;
	struct ways w = { .r = r, .merges = true };

	w.order = pw_alloc((r->n + 1) * sizeof(*w.order));
	w.place = pw_alloc((r->n + 1) * sizeof(*w.place));
	w.far = pw_alloc((r->n + 1) * sizeof(*w.far));
	w.by = pw_zalloc((r->n + 1) * sizeof(const struct link *));
	find_order(&w);
	t->cycles = all_chains(&w, t);
	if (t->n_chains)
		qsort(t->chains, t->n_chains, sizeof(*t->chains), by_cycles);
	while (t->n_chains > MAX_CHAINS)
		free(t->chains[--t->n_chains].insns);
	w.merges = false;
	t->true_cycles = all_chains(&w, NULL);
	free(w.order);
	free(w.place);
	free(w.far);
	free(w.by);
}
