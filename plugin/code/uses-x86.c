// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an x86-64 instruction reads and writes, from capstone's details. Mends
 * what capstone 4 gets wrong or does not tell: that scalar conversions and
 * roots keep the upper half of their destination, that VEX stores write, and
 * that some instructions clear a register whatever was in it.
 */
#include <string.h>

#include "uses.h"

#define FAMILY(n, q, d, w, b)                                                \
	[X86_REG_##q] = n + 1, [X86_REG_##d] = n + 1, [X86_REG_##w] = n + 1, \
	[X86_REG_##b] = n + 1

/* Register family plus one; 0: none. */
static const uint8_t general[X86_REG_ENDING] = {
	FAMILY(0, RAX, EAX, AX, AL),
	FAMILY(1, RCX, ECX, CX, CL),
	FAMILY(2, RDX, EDX, DX, DL),
	FAMILY(3, RBX, EBX, BX, BL),
	FAMILY(4, RSP, ESP, SP, SPL),
	FAMILY(5, RBP, EBP, BP, BPL),
	FAMILY(6, RSI, ESI, SI, SIL),
	FAMILY(7, RDI, EDI, DI, DIL),
	FAMILY(8, R8, R8D, R8W, R8B),
	FAMILY(9, R9, R9D, R9W, R9B),
	FAMILY(10, R10, R10D, R10W, R10B),
	FAMILY(11, R11, R11D, R11W, R11B),
	FAMILY(12, R12, R12D, R12W, R12B),
	FAMILY(13, R13, R13D, R13W, R13B),
	FAMILY(14, R14, R14D, R14W, R14B),
	FAMILY(15, R15, R15D, R15W, R15B),
	[X86_REG_AH] = 1,
	[X86_REG_CH] = 2,
	[X86_REG_DH] = 3,
	[X86_REG_BH] = 4,
};

enum { RSP = 4, RBP = 5 };

static uint8_t family(unsigned reg)
{
	static const unsigned first[] = { X86_REG_XMM0, X86_REG_YMM0,
					  X86_REG_ZMM0 };

	if (reg < X86_REG_ENDING && general[reg])
		return (uint8_t)(general[reg] - 1);
	for (int i = 0; i < 3; i++)
		if (reg >= first[i] && reg < first[i] + 32)
			return (uint8_t)(PW_REG_VEC + reg - first[i]);
	return PW_NO_REG;
}

static uint64_t bit(unsigned reg)
{
	uint8_t f = family(reg);

	return f == PW_NO_REG ? 0 : REG_BIT(f);
}

static bool reg_operand(const cs_x86 *x, int i)
{
	return i < x->op_count && x->operands[i].type == X86_OP_REG;
}

/* Same result whatever the two equal sources hold. */
static bool clears(const cs_insn *in)
{
	static const unsigned ids[] = {
		X86_INS_XOR,      X86_INS_SUB,      X86_INS_PXOR,
		X86_INS_XORPS,    X86_INS_XORPD,    X86_INS_VPXOR,
		X86_INS_VXORPS,   X86_INS_VXORPD,   X86_INS_VPXORD,
		X86_INS_VPXORQ,   X86_INS_PCMPEQB,  X86_INS_PCMPEQW,
		X86_INS_PCMPEQD,  X86_INS_PCMPEQQ,  X86_INS_VPCMPEQB,
		X86_INS_VPCMPEQW, X86_INS_VPCMPEQD, X86_INS_VPCMPEQQ,
		X86_INS_PSUBB,    X86_INS_PSUBD,    X86_INS_PSUBQ,
	};
	const cs_x86 *x = &in->detail->x86;
	int last = x->op_count - 1;

	if (last < 1 || !reg_operand(x, last) || !reg_operand(x, last - 1) ||
	    x->operands[last].reg != x->operands[last - 1].reg)
		return false;
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		if (in->id == ids[i])
			return true;
	return false;
}

/*
 * Scalar instructions of one source that write the lower part of a vector
 * register and keep the rest: of the destination, or with VEX of the operand
 * behind it (Intel SDM, volume 2, on each of them).
 */
static bool is_merging(const char *name, bool *vex)
{
	static const char *const names[] = {
		"cvtsi2sd",   "cvtsi2ss",   "cvtusi2sd", "cvtusi2ss",
		"cvtss2sd",   "cvtsd2ss",   "sqrtsd",    "sqrtss",
		"roundsd",    "roundss",    "rcpss",     "rsqrtss",
		"rndscalesd", "rndscaless", "movsd",     "movss",
		"cvtsi2sdl",  "cvtsi2sdq",  "cvtsi2ssl", "cvtsi2ssq",
	};

	*vex = name[0] == 'v';
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name + *vex, names[i]))
			return true;
	return false;
}

static void add_merges(struct pw_insn_uses *u, const cs_insn *in)
{
	const cs_x86 *x = &in->detail->x86;
	bool vex, move = strstr(in->mnemonic, "mov");
	int i;

	for (i = 0; i < x->op_count; i++)
		if (reg_operand(x, i) && x->operands[i].size < 4 &&
		    (x->operands[i].access & CS_AC_WRITE) &&
		    family(x->operands[i].reg) < PW_REG_VEC) {
			if (!(x->operands[i].access & CS_AC_READ))
				u->merges |= bit(x->operands[i].reg);
			u->reads |= bit(x->operands[i].reg);
		}
	if (!is_merging(in->mnemonic, &vex) || !reg_operand(x, 0) ||
	    family(x->operands[0].reg) < PW_REG_VEC)
		return;
	/* a load by movsd clears the rest */
	if (move && (x->op_count < 2 || !reg_operand(x, 1)))
		return;
	i = vex ? 1 : 0;
	if (!reg_operand(x, i))
		return;
	u->reads |= bit(x->operands[i].reg);
	/* the source is a true one where it is the same register */
	for (int k = i + 1; k < x->op_count; k++)
		if (reg_operand(x, k) &&
		    x->operands[k].reg == x->operands[i].reg)
			return;
	u->merges |= bit(x->operands[i].reg);
}

/* VEX stores, of which capstone says that they read. */
static bool is_vex_store(const cs_insn *in)
{
	static const char *const starts[] = { "vmov",      "vpextr",
					      "vextract",  "vcvtps2ph",
					      "vmaskmov",  "vpmaskmov",
					      "vpcompress" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (!strncmp(in->mnemonic, starts[i], strlen(starts[i])))
			return true;
	return false;
}

static void add_memory(struct pw_insn_uses *u, const cs_insn *in, int i)
{
	const cs_x86_op *o = &in->detail->x86.operands[i];
	struct pw_mem_use *m = &u->mem;

	m->size_bytes = o->size;
	m->base = family(o->mem.base);
	m->index = family(o->mem.index);
	m->scale = (uint8_t)o->mem.scale;
	m->disp = o->mem.disp;
	m->read = o->access & CS_AC_READ;
	m->written = o->access & CS_AC_WRITE;
	m->stack = m->base == RSP || m->base == RBP;
	m->constant = o->mem.base == X86_REG_RIP;
	if (m->constant)
		m->disp += (int64_t)(in->address + in->size);
	if (i == 0 && is_vex_store(in)) {
		m->read = false;
		m->written = true;
	}
	if (in->id == X86_INS_LEA || in->id == X86_INS_NOP)
		m->size_bytes = 0;
	if (!strncmp(in->mnemonic, "lock", 4))
		m->read = m->written = true;
}

/* push and pop move a value too. */
static void add_stack(struct pw_insn_uses *u, const cs_insn *in)
{
	if (u->mem.size_bytes ||
	    (in->id != X86_INS_PUSH && in->id != X86_INS_POP))
		return;
	u->mem.size_bytes = 8;
	u->mem.base = RSP;
	u->mem.stack = true;
	u->mem.disp = in->id == X86_INS_PUSH ? -8 : 0;
	u->mem.written = in->id == X86_INS_PUSH;
	u->mem.read = !u->mem.written;
}

void uses_x86(struct pw_insn_uses *u, csh cs, const cs_insn *in)
{
	const cs_x86 *x = &in->detail->x86;
	cs_regs r, w;
	uint8_t nr = 0, nw = 0;

	if (cs_regs_access(cs, in, r, &nr, w, &nw)) {
		u->unknown = true;
		return;
	}
	for (int i = 0; i < nr; i++) {
		u->reads |= bit(r[i]);
		u->reads_flags |= r[i] == X86_REG_EFLAGS;
	}
	for (int i = 0; i < nw; i++) {
		u->writes |= bit(w[i]);
		u->writes_flags |= w[i] == X86_REG_EFLAGS;
	}
	for (int i = 0; i < x->op_count; i++)
		if (x->operands[i].type == X86_OP_MEM)
			add_memory(u, in, i);
		else if (x->operands[i].type == X86_OP_IMM) {
			u->has_imm = true;
			u->imm = x->operands[i].imm;
		}
	add_stack(u, in);
	if (strstr(in->mnemonic, "cmpxchg")) {
		u->writes |= REG_BIT(0);
		u->writes_flags = true;
	}
	if (clears(in))
		u->reads &= ~bit(x->operands[x->op_count - 1].reg);
	else
		add_merges(u, in);
}

void uses_x86_call(struct pw_insn_uses *u)
{
	/* rdi rsi rdx rcx r8 r9 xmm0-7;
	 * rax rcx rdx rsi rdi r8-r11 xmm0-15 */
	u->reads |= 0x3c6;
	u->reads |= UINT64_C(0xff) << PW_REG_VEC;
	u->writes |= 0xfc7;
	u->writes |= UINT64_C(0xffff) << PW_REG_VEC;
	u->writes_flags = true;
}
