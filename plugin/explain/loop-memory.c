// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the loads of a loop take from its stores, by address: the same base
 * and index with overlapping bytes. Stores through other bases are taken not
 * to touch them.
 */
#include "explain-impl.h"

#include <stdlib.h>
#include <string.h>

struct place {
	const struct value *all; /* addresses, by the loop's instruction */
	struct value at;
	const struct pw_mem_use *mem;
};

static bool overlap(const struct pw_mem_use *a, const struct pw_mem_use *b)
{
	return a->disp < b->disp + (int64_t)b->size_bytes &&
	       b->disp < a->disp + (int64_t)a->size_bytes;
}

static bool covers(const struct pw_mem_use *store,
		   const struct pw_mem_use *load)
{
	return store->disp <= load->disp &&
	       store->disp + (int64_t)store->size_bytes >=
		       load->disp + (int64_t)load->size_bytes;
}

static bool stores_there(const struct region *r, uint32_t insn, const void *ctx)
{
	const struct place *p = ctx;
	const struct pw_mem_use *m = &r->s->uses[insn].mem;

	return m->written && m->size_bytes && overlap(m, p->mem) &&
	       p->all[r->at[insn]].number == p->at.number;
}

/* An address that differs from turn to turn is another one in the next. */
static void prune(struct region *r, uint32_t from, const struct place *p)
{
	uint32_t to = from;

	for (uint32_t i = from; i < r->n_links; i++) {
		struct link *l = &r->links[i];

		if (l->def != NONE && l->carried && p->at.varies)
			continue;
		l->block = l->def != NONE &&
			   !covers(&r->s->uses[l->def].mem, p->mem);
		r->links[to++] = *l;
	}
	r->n_links = to;
}

static struct value *addresses(const struct region *r)
{
	struct value *all = pw_zalloc((r->n + 1) * sizeof(*all));

	for (uint32_t k = 0; k < r->n; k++)
		if (r->s->uses[r->insns[k]].mem.size_bytes)
			all[k] = address_of(r, r->insns[k]);
	return all;
}

void memory_links(struct region *r)
{
	const struct link like = { .var = VAR_MEMORY };
	struct value *all = addresses(r);

	for (uint32_t k = 0; k < r->n; k++) {
		const struct pw_mem_use *m = &r->s->uses[r->insns[k]].mem;
		struct place p = { all, all[k], m };
		uint32_t before = r->n_links;

		if (!m->read || !p.at.number ||
		    r->s->side.insns[r->insns[k]].is_call)
			continue;
		region_link(r, k, &like, stores_there, &p);
		prune(r, before, &p);
	}
	free(all);
}

/* --- the stack ------------------------------------------------------------------ */

static bool is_slot(const struct region *r, uint32_t insn)
{
	const char *opcode = r->s->side.insns[insn].opcode;

	return r->s->uses[insn].mem.read && on_stack(r->s, insn) &&
	       strncmp(opcode, "pop", 3) && strncmp(opcode, "push", 4);
}

static void add_slot(struct region *r, uint32_t load, uint32_t store)
{
	const struct pw_insn_uses *u = &r->s->uses[load];
	struct pw_loop_study *t = &r->study;

	t->slots = pw_realloc(t->slots, (t->n_slots + 1) * sizeof(*t->slots));
	t->slots[t->n_slots++] = (struct pw_loop_slot){
		.load = load,
		.store = store,
		.disp = u->mem.disp,
		.size_bytes = u->mem.size_bytes,
		.vector = (u->writes | u->reads) >> PW_REG_VEC,
	};
}

void find_slots(struct region *r)
{
	for (uint32_t k = 0; k < r->n; k++) {
		bool stored = false;

		if (!is_slot(r, r->insns[k]))
			continue;
		for (uint32_t i = r->first[k]; i < r->first[k + 1]; i++) {
			const struct link *l = &r->links[i];

			if (l->var != VAR_MEMORY || l->def == NONE)
				continue;
			add_slot(r, r->insns[k], l->def);
			stored = true;
		}
		if (!stored)
			add_slot(r, r->insns[k], NONE);
	}
}
