// SPDX-License-Identifier: GPL-2.0-only
/*
 * Placement: the same loop at another address. Lines are of 64 bytes; text
 * begins at a page, so its offsets tell.
 */
#include "explain-impl.h"

#include <string.h>

#define LINE 64

/* Where a loop begins and how many lines it is on. */
struct lines {
	uint64_t begin, end;
	uint32_t n;
};

static struct lines lines_of(const struct region *r)
{
	const struct pw_minsn *insns = r->s->side.insns;
	const struct pw_minsn *last = &insns[r->insns[r->n - 1]];
	struct lines l = { .begin = insns[r->insns[0]].text_off,
			   .end = last->text_off + last->size_bytes };

	l.n = (uint32_t)((l.end - 1) / LINE - l.begin / LINE + 1);
	return l;
}

static bool same_insns(const struct region *a, const struct region *b)
{
	if (a->n != b->n)
		return false;
	for (uint32_t k = 0; k < a->n; k++)
		if (strcmp(a->s->side.insns[a->insns[k]].opcode,
			   b->s->side.insns[b->insns[k]].opcode))
			return false;
	return true;
}

static void compare(struct match *m, const struct region *slow,
		    const struct region *fast)
{
	struct lines a = lines_of(slow), b = lines_of(fast);

	if (!same_insns(slow, fast) || a.begin % LINE == b.begin % LINE)
		return;
	if (a.n <= b.n && !m->in->moves_with_place)
		return;
	for (uint32_t k = 0; k < slow->n; k++)
		match_insn(m, PW_PATTERN_placement, slow->insns[k]);
	match_say(
		m, PW_PATTERN_placement,
		"The loop has the same instructions in both codes; in the slow one it begins at %u of 64 bytes and lies on %u lines, in the fast one at %u and on %u.",
		(unsigned)(a.begin % LINE), a.n, (unsigned)(b.begin % LINE),
		b.n);
}

void match_placement(struct match *m, const struct subject *slow,
		     const struct subject *fast)
{
	if (m->in->moves_with_place)
		match_say(
			m, PW_PATTERN_placement,
			"The time changes with the address of the code alone.");
	for (uint32_t i = 0; i < slow->n_hot; i++)
		for (uint32_t k = 0; k < fast->n_hot; k++)
			compare(m, slow->hot[i], fast->hot[k]);
}
