// SPDX-License-Identifier: GPL-2.0-only
/* Integer divisions: those whose result nobody reads, and those by constants. */
#include "explain-impl.h"

#include <inttypes.h>
#include <string.h>

enum { RAX = 0, RDX = 2 };

static bool is_x86(const struct match *m)
{
	return !strcmp(pw_code_arch(m->s->side.code), "x86-64");
}

static bool is_dead(const struct match *m, uint32_t insn)
{
	uint64_t writes = m->s->uses[insn].writes;

	for (unsigned reg = 0; reg < PW_REG_VEC; reg++)
		if (writes >> reg & 1 && live_after(m->s, insn, reg))
			return false;
	return true;
}

/* The register of the divisor, or PW_NO_REG. */
static unsigned divisor_of(const struct match *m, uint32_t insn)
{
	const struct pw_insn_uses *u = &m->s->uses[insn];
	uint64_t size, reads = u->reads & ~(REG_BIT(RAX) | REG_BIT(RDX));
	const uint8_t *p = pw_code_text(m->s->side.code, &size) +
			   m->s->side.insns[insn].text_off;

	if (!is_x86(m)) /* Rm, in bits 16 to 20 */
		return p[2] & 31u;
	return u->mem.size_bytes || !reads ? PW_NO_REG
					   : (unsigned)__builtin_ctzll(reads);
}

static bool constant_divisor(const struct match *m, uint32_t insn,
			     uint64_t *value)
{
	const struct pw_mem_use *mem = &m->s->uses[insn].mem;
	unsigned reg = divisor_of(m, insn);

	*value = mem->value;
	if (mem->constant && mem->has_value)
		return *value;
	return reg < PW_REG_VEC && constant_of(m->s, insn, reg, value) &&
	       *value;
}

static void tell_dead(struct match *m, uint32_t insn)
{
	char text[64];
	uint64_t by;

	if (!match_insn(m, PW_PATTERN_dead_division, insn))
		return;
	insn_words(m->s, insn, text, sizeof(text));
	match_say(
		m, PW_PATTERN_dead_division,
		"Nothing reads the quotient or remainder of %s before they are written again.",
		text);
	if (constant_divisor(m, insn, &by))
		match_say(m, PW_PATTERN_dead_division,
			  "Its divisor is %" PRIu64 ": it cannot trap.", by);
}

void match_division(struct match *m, const struct region *r)
{
	for (uint32_t k = 0; k < r->n; k++) {
		uint32_t insn = r->insns[k];
		uint64_t by;
		char text[64];

		if (insn_class(&m->s->side.insns[insn]) != CLASS_DIV)
			continue;
		if (is_dead(m, insn)) {
			tell_dead(m, insn);
			continue;
		}
		if (!constant_divisor(m, insn, &by) ||
		    !match_insn(m, PW_PATTERN_constant_division, insn))
			continue;
		match_say(m, PW_PATTERN_constant_division,
			  "The divisor of %s is %" PRIu64 " in each turn.",
			  insn_words(m->s, insn, text, sizeof(text)), by);
	}
}
