// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values that go through memory in a loop: spills, chains of stores and loads,
 * and stores that cannot be handed on.
 */
#include "explain-impl.h"

#include <inttypes.h>
#include <string.h>

/* --- the stack ------------------------------------------------------------------ */

static void tell_slot(struct match *m, const struct pw_loop_slot *slot)
{
	enum pw_pattern p = slot->vector ? PW_PATTERN_spill_vector
					 : PW_PATTERN_spill_integer;
	char load[64], store[64];

	if (!match_insn(m, p, slot->load) &&
	    (slot->store == NONE || match_has(m, p, slot->store)))
		return;
	insn_words(m->s, slot->load, load, sizeof(load));
	if (slot->store == NONE) {
		match_say(
			m, p,
			"%s takes %u bytes from the stack each turn; they were put there before the loop.",
			load, slot->size_bytes);
		return;
	}
	match_insn(m, p, slot->store);
	match_say(
		m, p,
		"A value of %u bytes goes through the stack each turn: %s puts it there, %s takes it back.",
		slot->size_bytes,
		insn_words(m->s, slot->store, store, sizeof(store)), load);
}

/* --- other memory ---------------------------------------------------------------- */

static void tell_chain(struct match *m, const struct pw_loop_chain *c)
{
	char load[64], store[64];

	if (!c->memory || c->merges || on_stack(m->s, c->load) ||
	    !match_insn(m, PW_PATTERN_store_forward, c->load))
		return;
	match_insn(m, PW_PATTERN_store_forward, c->store);
	match_say(
		m, PW_PATTERN_store_forward,
		"%s loads what %s stored in the turn before: a chain of %u instructions, about %.0f cycles, through memory.",
		insn_words(m->s, c->load, load, sizeof(load)),
		insn_words(m->s, c->store, store, sizeof(store)), c->n,
		c->cycles);
}

static void tell_block(struct match *m, const struct link *l)
{
	const struct pw_insn_uses *u = m->s->uses;
	char load[64], store[64];

	if (l->var != VAR_MEMORY || !l->block || l->def == NONE ||
	    !match_insn(m, PW_PATTERN_store_block, l->use))
		return;
	match_insn(m, PW_PATTERN_store_block, l->def);
	match_say(
		m, PW_PATTERN_store_block,
		"%s loads %u bytes of which %s stored only some (%u bytes), so the store cannot be handed on.",
		insn_words(m->s, l->use, load, sizeof(load)),
		u[l->use].mem.size_bytes,
		insn_words(m->s, l->def, store, sizeof(store)),
		u[l->def].mem.size_bytes);
}

void match_memory(struct match *m, const struct region *r)
{
	/* of a baseline compiler's code spills are no cause but the way */
	bool baseline = m->list[PW_PATTERN_missing_tier_up].n_evidence;

	for (uint32_t i = 0; !baseline && i < r->study.n_slots; i++)
		tell_slot(m, &r->study.slots[i]);
	for (uint32_t i = 0; i < r->study.n_chains; i++)
		tell_chain(m, &r->study.chains[i]);
	for (uint32_t i = 0; i < r->n_links; i++)
		tell_block(m, &r->links[i]);
}
