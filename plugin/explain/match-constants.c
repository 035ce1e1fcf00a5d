// SPDX-License-Identifier: GPL-2.0-only
/*
 * Constants in a loop: those made anew each turn, and subnormal operands of
 * floating-point arithmetic.
 */
#include "explain-impl.h"

#include <inttypes.h>
#include <string.h>

/* --- made anew ------------------------------------------------------------------- */

/* Not what clears a register, which costs nothing; and not a small one, which
 * costs little, unless it is accused. */
static bool makes_constant(const struct match *m, uint32_t insn)
{
	const struct pw_insn_uses *u = &m->s->uses[insn];

	if (insn_class(&m->s->side.insns[insn]) != CLASS_MOVE || u->reads)
		return false;
	if (u->mem.constant && u->mem.read)
		return true;
	return u->has_imm &&
	       (u->imm != (int32_t)u->imm || match_accused(m, insn));
}

static void rematerialised(struct match *m, const struct region *r)
{
	for (uint32_t i = 0; i < r->study.n_invariant; i++) {
		uint32_t insn = r->study.invariant[i];
		const struct pw_insn_uses *u = &m->s->uses[insn];
		char text[64];

		if (!makes_constant(m, insn) ||
		    !match_insn(m, PW_PATTERN_remat_constant, insn))
			continue;
		insn_words(m->s, insn, text, sizeof(text));
		match_say(m, PW_PATTERN_remat_constant,
			  "%s makes the constant 0x%" PRIx64 " in each turn.",
			  text, u->has_imm ? (uint64_t)u->imm : u->mem.value);
	}
}

/* --- subnormal --------------------------------------------------------------------- */

/* Bytes of a scalar: 8, 4, or 0: not told by the opcode. */
static int scalar_size(const struct pw_minsn *in)
{
	size_t n = strlen(in->opcode);

	if (in->operands[0] == 'd' || in->operands[0] == 's')
		return in->operands[0] == 'd' ? 8 : 4; /* AArch64 */
	if (n < 3 || in->opcode[n - 2] != 's')
		return 0;
	return in->opcode[n - 1] == 'd' ? 8 : in->opcode[n - 1] == 's' ? 4 : 0;
}

static bool is_subnormal(uint64_t bits, int size)
{
	if (size == 8)
		return !(bits >> 52 & 0x7ff) && bits << 12;
	return size == 4 && !(bits >> 23 & 0xff) && (uint32_t)bits << 9;
}

/* A subnormal constant among the operands. */
static bool subnormal_operand(const struct match *m, uint32_t insn,
			      uint64_t *bits)
{
	const struct pw_insn_uses *u = &m->s->uses[insn];
	int size = scalar_size(&m->s->side.insns[insn]);

	if (u->mem.constant && u->mem.has_value &&
	    is_subnormal(u->mem.value, size)) {
		*bits = u->mem.value;
		return true;
	}
	for (unsigned reg = PW_REG_VEC; size && reg < PW_N_REGS; reg++)
		if ((u->reads & ~u->merges) >> reg & 1 &&
		    constant_of(m->s, insn, reg, bits) &&
		    is_subnormal(*bits, size))
			return true;
	return false;
}

static void subnormals(struct match *m, const struct region *r)
{
	for (uint32_t k = 0; k < r->n; k++) {
		uint32_t insn = r->insns[k];
		enum insn_class c = insn_class(&m->s->side.insns[insn]);
		uint64_t bits;
		char text[64];

		if ((c != CLASS_FLOAT && c != CLASS_FDIV) ||
		    !subnormal_operand(m, insn, &bits) ||
		    !match_insn(m, PW_PATTERN_subnormal, insn))
			continue;
		match_say(
			m, PW_PATTERN_subnormal,
			"An operand of %s is the subnormal number with the bits 0x%" PRIx64
			".",
			insn_words(m->s, insn, text, sizeof(text)), bits);
	}
}

void match_constants(struct match *m, const struct region *r)
{
	rematerialised(m, r);
	subnormals(m, r);
}
