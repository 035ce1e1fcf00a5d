// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an AArch64 instruction reads and writes, from capstone's details.
 * Mends what capstone 4 gets wrong: moves of constants read nothing, compares
 * write flags only, stores do not read memory; and finds the size of a memory
 * operand, which capstone does not tell.
 */
#include <string.h>

#include "uses.h"

enum { FP = 29, SP = 31 };

static uint8_t family(unsigned reg)
{
	static const struct {
		unsigned first, n;
		uint8_t to;
	} ranges[] = {
		{ ARM64_REG_W0, 31, 0 },
		{ ARM64_REG_X0, 29, 0 },
		{ ARM64_REG_B0, 32, PW_REG_VEC },
		{ ARM64_REG_H0, 32, PW_REG_VEC },
		{ ARM64_REG_S0, 32, PW_REG_VEC },
		{ ARM64_REG_D0, 32, PW_REG_VEC },
		{ ARM64_REG_Q0, 32, PW_REG_VEC },
		{ ARM64_REG_V0, 32, PW_REG_VEC },
	};

	switch (reg) {
	case ARM64_REG_FP:
		return FP;
	case ARM64_REG_LR:
		return 30;
	case ARM64_REG_SP:
	case ARM64_REG_WSP:
		return SP;
	}
	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		if (reg >= ranges[i].first &&
		    reg < ranges[i].first + ranges[i].n)
			return (uint8_t)(ranges[i].to + reg - ranges[i].first);
	return PW_NO_REG;
}

static uint64_t bit(unsigned reg)
{
	uint8_t f = family(reg);

	return f == PW_NO_REG ? 0 : REG_BIT(f);
}

static bool starts(const cs_insn *in, const char *with)
{
	return !strncmp(in->mnemonic, with, strlen(with));
}

static uint32_t reg_size(unsigned reg)
{
	if (reg >= ARM64_REG_Q0 && reg < ARM64_REG_Q0 + 32)
		return 16;
	if (reg >= ARM64_REG_V0 && reg < ARM64_REG_V0 + 32)
		return 16;
	if (reg >= ARM64_REG_S0 && reg < ARM64_REG_S0 + 32)
		return 4;
	if (reg >= ARM64_REG_H0 && reg < ARM64_REG_H0 + 32)
		return 2;
	if (reg >= ARM64_REG_B0 && reg < ARM64_REG_B0 + 32)
		return 1;
	if ((reg >= ARM64_REG_W0 && reg < ARM64_REG_W0 + 31) ||
	    reg == ARM64_REG_WZR)
		return 4;
	return 8;
}

static uint32_t access_size(const cs_insn *in)
{
	const cs_arm64_op *o = &in->detail->arm64.operands[0];
	size_t len = strlen(in->mnemonic);
	char last = in->mnemonic[len - 1];
	uint32_t size;

	if (starts(in, "ldrsw") || starts(in, "ldursw"))
		return 4;
	if (last == 'b' && !starts(in, "sub"))
		return 1;
	if (last == 'h')
		return 2;
	size = o->type == ARM64_OP_REG ? reg_size(o->reg) : 8;
	return starts(in, "ldp") || starts(in, "stp") || starts(in, "ldnp") ||
			       starts(in, "stnp")
		       ? 2 * size
		       : size;
}

static void add_memory(struct pw_insn_uses *u, const cs_insn *in,
		       const cs_arm64_op *o)
{
	struct pw_mem_use *m = &u->mem;

	m->base = family(o->mem.base);
	m->index = family(o->mem.index);
	m->scale = (uint8_t)(1 << (o->shift.value & 7));
	m->disp = o->mem.disp;
	m->size_bytes = access_size(in);
	m->written = starts(in, "st");
	m->read = !m->written;
	m->stack = m->base == SP || m->base == FP;
}

/* "ldr d0, 0x40": the operand is a place, given as an immediate. */
static void add_literal(struct pw_insn_uses *u, const cs_insn *in)
{
	if (u->mem.size_bytes || !starts(in, "ldr") || !u->has_imm)
		return;
	u->mem = (struct pw_mem_use){ .size_bytes = access_size(in),
				      .base = PW_NO_REG,
				      .index = PW_NO_REG,
				      .read = true,
				      .constant = true,
				      .disp = u->imm };
	u->has_imm = false;
}

static void mend(struct pw_insn_uses *u, const cs_insn *in)
{
	const cs_arm64 *a = &in->detail->arm64;
	uint64_t first = a->op_count && a->operands[0].type == ARM64_OP_REG
				 ? bit(a->operands[0].reg)
				 : 0;
	bool constant =
		a->op_count == 2 && (a->operands[1].type == ARM64_OP_IMM ||
				     a->operands[1].type == ARM64_OP_FP);

	if (constant && (starts(in, "mov") || starts(in, "fmov")) &&
	    !starts(in, "movk"))
		u->reads &= ~first;
	if (starts(in, "cmp") || starts(in, "cmn") || starts(in, "tst") ||
	    starts(in, "ccmp") || starts(in, "fcmp")) {
		u->reads |= first;
		u->writes = 0;
		u->writes_flags = true;
	}
}

void uses_arm64(struct pw_insn_uses *u, csh cs, const cs_insn *in)
{
	const cs_arm64 *a = &in->detail->arm64;
	cs_regs r, w;
	uint8_t nr = 0, nw = 0;

	if (cs_regs_access(cs, in, r, &nr, w, &nw)) {
		u->unknown = true;
		return;
	}
	for (int i = 0; i < nr; i++) {
		u->reads |= bit(r[i]);
		u->reads_flags |= r[i] == ARM64_REG_NZCV;
	}
	for (int i = 0; i < nw; i++) {
		u->writes |= bit(w[i]);
		u->writes_flags |= w[i] == ARM64_REG_NZCV;
	}
	for (int i = 0; i < a->op_count; i++)
		if (a->operands[i].type == ARM64_OP_MEM) {
			add_memory(u, in, &a->operands[i]);
		} else if (a->operands[i].type == ARM64_OP_IMM) {
			u->has_imm = true;
			u->imm = a->operands[i].imm;
		}
	mend(u, in);
	add_literal(u, in);
}

void uses_arm64_call(struct pw_insn_uses *u)
{
	u->reads |= 0xff | UINT64_C(0xff) << PW_REG_VEC;
	/* x0-x18, x30; v0-v7, v16-v31 */
	u->writes |= 0x4007ffff | UINT64_C(0xffff00ff) << PW_REG_VEC;
	u->writes_flags = true;
}
