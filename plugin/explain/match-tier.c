// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code of a baseline compiler: told by the runtime, or seen by what such
 * compilers do, that is keep the variables of a loop on the stack.
 */
#include "explain-impl.h"

#define WORTH_SLOTS 3
#define STACK_SHARE 0.5

/* Distinct stack slots that a loop both stores to and loads from. */
static uint32_t through_stack(const struct region *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->study.n_slots; i++) {
		const struct pw_loop_slot *s = &r->study.slots[i];
		bool again = s->store == NONE;

		for (uint32_t k = 0; k < i && !again; k++)
			again = r->study.slots[k].disp == s->disp &&
				r->study.slots[k].store != NONE;
		n += !again;
	}
	return n;
}

static bool looks_baseline(const struct match *m, const struct region *r)
{
	uint32_t on = 0;

	for (uint32_t k = 0; k < r->n; k++)
		on += on_stack(m->s, r->insns[k]);
	return on >= STACK_SHARE * r->n && through_stack(r) >= WORTH_SLOTS;
}

void match_tier(struct match *m)
{
	if (m->of_slow && m->in->baseline_tier)
		match_say(
			m, PW_PATTERN_missing_tier_up,
			"The hot code was compiled by %s, a baseline compiler.",
			m->in->baseline_tier);
	for (uint32_t i = 0; i < m->s->n_hot && !m->in->optimised; i++) {
		const struct region *r = m->s->hot[i];

		if (!looks_baseline(m, r))
			continue;
		for (uint32_t k = 0; k < r->n; k++)
			if (on_stack(m->s, r->insns[k]))
				match_insn(m, PW_PATTERN_missing_tier_up,
					   r->insns[k]);
		match_say(
			m, PW_PATTERN_missing_tier_up,
			"The loop at 0x%llx keeps %u of its values on the stack, as baseline compilers do.",
			(unsigned long long)m->s->side.insns[r->head].text_off,
			through_stack(r));
	}
}
