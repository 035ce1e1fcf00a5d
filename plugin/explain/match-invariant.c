// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work in a loop that gives the same in each turn, and constants made anew.
 * Says so when the fast code does the same work before its loop.
 */
#include "explain-impl.h"

#define WORTH_CYCLES 3

/* A constant or a copy is no work. */
static bool is_work(const struct match *m, uint32_t insn)
{
	const struct pw_insn_uses *u = &m->s->uses[insn];
	const struct pw_minsn *in = &m->s->side.insns[insn];
	enum insn_class c = insn_class(in);

	if (c == CLASS_MOVE)
		return u->mem.read && !u->mem.constant && !u->mem.stack &&
		       match_accused(m, insn);
	if (c == CLASS_ADDRESS || !u->reads)
		return false;
	return insn_latency(in, u) >= WORTH_CYCLES || match_accused(m, insn);
}

/* The fast code's instruction that does the same elsewhere, or -1. */
static int32_t moved_to(const struct match *m, uint32_t insn)
{
	for (uint32_t i = 0; i < m->in->n_lines; i++)
		if (m->in->lines[i].side == PW_CODE_DIFF_SLOW &&
		    m->in->lines[i].slow_idx == (int32_t)insn)
			return m->in->lines[i].moved_to;
	return -1;
}

static void tell(struct match *m, uint32_t insn)
{
	char text[64];
	int32_t to;

	if (!match_insn(m, PW_PATTERN_invariant_work, insn))
		return;
	insn_words(m->s, insn, text, sizeof(text));
	to = m->of_slow ? moved_to(m, insn) : -1;
	if (to >= 0)
		match_say(
			m, PW_PATTERN_invariant_work,
			"No operand of %s changes in the loop; it is not extra but moved: the fast code has it at 0x%llx.",
			text,
			(unsigned long long)m->in->fast.insns[to].text_off);
	else
		match_say(m, PW_PATTERN_invariant_work,
			  "No operand of %s changes in the loop.", text);
}

void match_invariant(struct match *m, const struct region *r)
{
	for (uint32_t i = 0; i < r->study.n_invariant; i++) {
		uint32_t insn = r->study.invariant[i];

		if (is_work(m, insn) &&
		    !match_has(m, PW_PATTERN_dead_division, insn))
			tell(m, insn);
	}
}
