// SPDX-License-Identifier: GPL-2.0-only
/* False output dependences: chains that only a merge closes. */
#include "explain-impl.h"

/* Shorter than that no loop waits for it. */
#define WORTH_CYCLES 3

static void tell(struct match *m, const struct region *r,
		 const struct pw_loop_chain *c)
{
	const struct pw_loop_study *t = &r->study;
	char merging[64], merged[64];

	insn_words(m->s, c->merging, merging, sizeof(merging));
	if (c->merging == c->merged)
		match_say(
			m, PW_PATTERN_false_dependence,
			"%s keeps a part of %s, so each turn waits for the one before it.",
			merging,
			pw_code_reg_name(m->s->side.code, c->merge_reg));
	else
		match_say(m, PW_PATTERN_false_dependence,
			  "%s keeps a part of %s, which %s wrote before.",
			  merging,
			  pw_code_reg_name(m->s->side.code, c->merge_reg),
			  insn_words(m->s, c->merged, merged, sizeof(merged)));
	if (c->cycles > t->true_cycles)
		match_say(
			m, PW_PATTERN_false_dependence,
			"That makes a chain of %u instructions, about %.0f cycles, from turn to turn; without it the longest takes about %.0f.",
			c->n, c->cycles, t->true_cycles);
}

void match_dependence(struct match *m, const struct region *r)
{
	for (uint32_t i = 0; i < r->study.n_chains; i++) {
		const struct pw_loop_chain *c = &r->study.chains[i];

		if (!c->merges || c->cycles < WORTH_CYCLES)
			continue;
		if (match_insn(m, PW_PATTERN_false_dependence, c->merging))
			tell(m, r, c);
	}
}
