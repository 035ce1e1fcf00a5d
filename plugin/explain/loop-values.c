// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which registers of a loop hold the same value, and which instructions give
 * the same result in each turn.
 */
#include "explain-impl.h"

#include <stdlib.h>
#include <string.h>

/* Moves followed and loads looked through. */
#define MAX_DEPTH 6

enum { FROM_OUTSIDE = 1, FROM_CONSTANT, FROM_LOAD, FROM_INSN, FROM_MANY };

static struct value number(uint64_t kind, uint64_t a, uint64_t b, bool varies)
{
	uint64_t key[3] = { kind, a, b };

	return (struct value){ pw_hash(key, sizeof(key), 0) | 1, varies };
}

static struct value value_at(const struct region *r, uint32_t insn,
			     unsigned reg, int depth);

static struct value address_at(const struct region *r, uint32_t insn, int depth)
{
	const struct pw_mem_use *m = &r->s->uses[insn].mem;
	struct value base = { 1, false }, index = { 1, false };

	if (m->base != PW_NO_REG)
		base = value_at(r, insn, m->base, depth);
	if (m->index != PW_NO_REG)
		index = value_at(r, insn, m->index, depth);
	if (!base.number || !index.number || m->constant)
		return (struct value){ 0, true };
	return number(base.number, index.number, m->scale,
		      base.varies || index.varies);
}

/* What the instruction that made a value says of it. */
static struct value value_made(const struct region *r, uint32_t def, int depth)
{
	const struct pw_insn_uses *u = &r->s->uses[def];
	bool move = insn_class(&r->s->side.insns[def]) == CLASS_MOVE;
	struct value at;

	if (!u->reads && !u->mem.size_bytes && !u->unknown &&
	    __builtin_popcountll(u->writes) == 1)
		return number(FROM_CONSTANT, u->has_imm ? (uint64_t)u->imm : 0,
			      0, false);
	if (move && !u->mem.size_bytes && __builtin_popcountll(u->reads) == 1)
		return value_at(r, def, (unsigned)__builtin_ctzll(u->reads),
				depth - 1);
	if (move && u->mem.read && !u->mem.constant) {
		at = address_at(r, def, depth - 1);
		if (at.number)
			return number(FROM_LOAD, at.number,
				      (uint64_t)u->mem.disp << 8 |
					      u->mem.size_bytes,
				      at.varies);
	}
	return number(FROM_INSN, def, 0, !r->invariant[r->at[def]]);
}

static struct value value_at(const struct region *r, uint32_t insn,
			     unsigned reg, int depth)
{
	uint32_t k = r->at[insn];
	uint64_t all = 0;
	uint32_t n = 0, def = NONE;

	if (depth < 0)
		return (struct value){ 0, true };
	for (uint32_t i = r->first[k]; i < r->first[k + 1]; i++) {
		const struct link *l = &r->links[i];

		if (l->var != reg)
			continue;
		def = l->def;
		all = all * 0x9e3779b97f4a7c15 + ((uint64_t)l->def << 1) +
		      l->carried + 1;
		n++;
	}
	if (!n)
		return (struct value){ 0, true };
	if (n > 1)
		return number(FROM_MANY, reg, all, true);
	return def == NONE ? number(FROM_OUTSIDE, reg, 0, false)
			   : value_made(r, def, depth);
}

struct value value_of(const struct region *r, uint32_t insn, unsigned reg)
{
	return value_at(r, insn, reg, MAX_DEPTH);
}

struct value address_of(const struct region *r, uint32_t insn)
{
	return address_at(r, insn, MAX_DEPTH);
}

/* --- what does not change ------------------------------------------------------- */

static struct value base_of(const struct region *r, uint32_t insn)
{
	const struct pw_mem_use *m = &r->s->uses[insn].mem;

	return m->base == PW_NO_REG ? (struct value){ 1, false }
				    : value_of(r, insn, m->base);
}

/* Nothing in the loop stores where a load reads. */
static bool load_stays(const struct region *r, uint32_t insn)
{
	const struct pw_mem_use *m = &r->s->uses[insn].mem;
	uint32_t k = r->at[insn];
	struct value base;

	if (m->constant)
		return true;
	for (uint32_t i = r->first[k]; i < r->first[k + 1]; i++)
		if (r->links[i].var == VAR_MEMORY && r->links[i].def != NONE)
			return false;
	if (on_stack(r->s, insn))
		return true;
	if (r->has_calls)
		return false;
	base = base_of(r, insn);
	for (uint32_t i = 0; i < r->n; i++) {
		struct value at;

		if (!r->s->uses[r->insns[i]].mem.written)
			continue;
		at = base_of(r, r->insns[i]);
		if (!at.number || !base.number || at.number == base.number)
			return false;
	}
	return true;
}

static bool may_stay(const struct region *r, uint32_t insn)
{
	const struct pw_minsn *in = &r->s->side.insns[insn];
	const struct pw_insn_uses *u = &r->s->uses[insn];

	return !in->is_jump && !in->is_call && !u->unknown && !u->mem.written &&
	       (u->writes || u->writes_flags) &&
	       (!u->mem.read || load_stays(r, insn));
}

static bool operands_stay(const struct region *r, uint32_t k)
{
	for (uint32_t i = r->first[k]; i < r->first[k + 1]; i++) {
		const struct link *l = &r->links[i];

		if (l->def == NONE || l->merge || l->var == VAR_MEMORY)
			continue;
		if (l->carried || !r->invariant[r->at[l->def]] ||
		    only_link(r, l->use, l->var) != l)
			return false;
	}
	return true;
}

void find_invariant(struct region *r)
{
	struct pw_loop_study *t = &r->study;
	bool *may = pw_zalloc(r->n + 1), more = true;
	uint32_t k;

	for (k = 0; k < r->n; k++)
		may[k] = may_stay(r, r->insns[k]);
	while (more) {
		more = false;
		for (k = 0; k < r->n; k++)
			if (may[k] && !r->invariant[k] && operands_stay(r, k))
				r->invariant[k] = more = true;
	}
	t->invariant = pw_alloc((r->n + 1) * sizeof(*t->invariant));
	for (k = 0; k < r->n; k++)
		if (r->invariant[k] && r->s->uses[r->insns[k]].writes)
			t->invariant[t->n_invariant++] = r->insns[k];
	free(may);
}
