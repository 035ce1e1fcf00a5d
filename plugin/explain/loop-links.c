// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the instructions of a loop take from each other: for each register
 * that one reads, the instructions that may have written it, this turn or
 * the one before, found backward along the flow of control.
 */
#include "explain-impl.h"

#include <stdlib.h>
#include <string.h>

static void add_link(struct region *r, const struct link *like, uint32_t def,
		     uint32_t use, bool carried)
{
	struct link *l;

	if (r->n_links == r->cap_links) {
		r->cap_links = r->cap_links ? 2 * r->cap_links : 64;
		r->links =
			pw_realloc(r->links, r->cap_links * sizeof(*r->links));
	}
	l = &r->links[r->n_links++];
	*l = *like;
	l->def = def;
	l->use = use;
	l->carried = carried;
}

/* A place of the walk: a loop's instruction, this turn (0) or the one before. */
struct walk {
	struct region *r;
	uint8_t *seen; /* bit per turn */
	uint32_t *stack;
	uint32_t n;
};

static void push(struct walk *w, uint32_t k, unsigned turn)
{
	if (w->seen[k] & 1u << turn)
		return;
	w->seen[k] |= (uint8_t)(1u << turn);
	w->stack[w->n++] = k << 1 | turn;
}

/* Goes on to what runs before the k-th instruction; true when that may be
 * what runs before the loop. */
static bool back(struct walk *w, uint32_t k, unsigned turn)
{
	const struct subject *s = w->r->s;
	uint32_t insn = w->r->insns[k], e;
	bool outside = insn == w->r->head && !turn;

	if (insn == w->r->head && turn)
		return false;
	turn += insn == w->r->head;
	for (e = s->prev[insn]; e < s->prev[insn + 1]; e++)
		if (region_has(w->r, s->from[e]))
			push(w, w->r->at[s->from[e]], turn);
		else
			outside = true;
	return outside;
}

/* The stack pointer counts as one that stays: calls and pushes put it back. */
static bool is_stack_pointer(const struct region *r, unsigned var)
{
	return var ==
	       (strcmp(pw_code_arch(r->s->side.code), "x86-64") ? 31 : 4);
}

struct wanted {
	unsigned var;
};

static bool writes(const struct region *r, uint32_t def, const void *ctx)
{
	const struct pw_insn_uses *u = &r->s->uses[def];
	unsigned var = ((const struct wanted *)ctx)->var;

	if (is_stack_pointer(r, var))
		return false;
	return var == VAR_FLAGS ? u->writes_flags : u->writes >> var & 1;
}

void region_link(struct region *r, uint32_t k, const struct link *like,
		 is_def_fn is_def, const void *ctx)
{
	struct walk w = { .r = r };
	bool outside;

	w.seen = pw_zalloc(r->n + 1);
	w.stack = pw_alloc((2 * r->n + 2) * sizeof(*w.stack));
	outside = back(&w, k, 0);
	while (w.n) {
		uint32_t at = w.stack[--w.n], def = r->insns[at >> 1];

		if (is_def(r, def, ctx))
			add_link(r, like, def, r->insns[k], at & 1);
		else
			outside |= back(&w, at >> 1, at & 1);
	}
	if (outside)
		add_link(r, like, NONE, r->insns[k], false);
	free(w.seen);
	free(w.stack);
}

static void register_links(struct region *r, uint32_t k)
{
	const struct pw_insn_uses *u = &r->s->uses[r->insns[k]];

	for (unsigned var = 0; var <= VAR_FLAGS; var++) {
		struct link like = { .var = (uint8_t)var };
		struct wanted want = { var };

		if (var == VAR_FLAGS ? !u->reads_flags : !(u->reads >> var & 1))
			continue;
		like.merge = var < PW_N_REGS && u->merges >> var & 1;
		region_link(r, k, &like, writes, &want);
	}
}

static int by_use(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	if (x->use != y->use)
		return x->use < y->use ? -1 : 1;
	if (x->var != y->var)
		return x->var < y->var ? -1 : 1;
	return (x->def > y->def) - (x->def < y->def);
}

void region_sort_links(struct region *r)
{
	uint32_t i = 0;

	if (r->n_links)
		qsort(r->links, r->n_links, sizeof(*r->links), by_use);
	for (uint32_t k = 0; k <= r->n; k++) {
		r->first[k] = i;
		while (k < r->n && i < r->n_links &&
		       r->links[i].use == r->insns[k])
			i++;
	}
}

const struct link *only_link(const struct region *r, uint32_t insn,
			     unsigned var)
{
	const struct link *found = NULL;
	uint32_t k = r->at[insn];

	for (uint32_t i = r->first[k]; i < r->first[k + 1]; i++) {
		if (r->links[i].var != var)
			continue;
		if (found)
			return NULL;
		found = &r->links[i];
	}
	return found;
}

static bool is_inside(const struct subject *s, uint32_t loop, uint32_t insn)
{
	uint32_t l = pw_code_loop_of(s->loops, s->n_loops, insn);

	while (l != NONE && l != loop)
		l = s->loops[l].parent;
	return l == loop;
}

struct region *region_new(const struct subject *s, uint32_t loop)
{
	struct region *r = pw_zalloc(sizeof(*r));
	uint32_t n = s->loops[loop].n_insns, i;

	r->s = s;
	r->loop = loop;
	r->head = s->loops[loop].head;
	r->insns = pw_alloc((n + 1) * sizeof(*r->insns));
	r->at = pw_alloc((s->side.n + 1) * sizeof(*r->at));
	r->first = pw_zalloc((n + 2) * sizeof(*r->first));
	r->invariant = pw_zalloc(n + 1);
	for (i = 0; i < s->side.n; i++) {
		r->at[i] = is_inside(s, loop, i) ? r->n : NONE;
		if (r->at[i] == NONE)
			continue;
		r->insns[r->n++] = i;
		r->share += s->side.share ? s->side.share[i] : 0;
		r->has_calls |= s->side.insns[i].is_call;
	}
	for (i = 0; i < r->n; i++)
		register_links(r, i);
	region_sort_links(r);
	memory_links(r);
	region_sort_links(r);
	find_invariant(r);
	find_slots(r);
	find_chains(r);
	return r;
}

void region_free(struct region *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->study.n_chains; i++)
		free(r->study.chains[i].insns);
	free(r->study.chains);
	free(r->study.slots);
	free(r->study.invariant);
	free(r->insns);
	free(r->at);
	free(r->first);
	free(r->links);
	free(r->invariant);
	free(r);
}
