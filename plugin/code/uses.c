// SPDX-License-Identifier: GPL-2.0-only
/*
 * Definitions and uses of a function's instructions. Goes over the
 * instructions that disasm.c found; what one of them reads and writes is the
 * knowledge of uses-x86.c and uses-arm64.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "uses.h"

/* Intel's order of operands whatever the text of the disassembly is. */
static int open_capstone(const struct pw_code *c, csh *cs, struct pw_err *err)
{
	bool x86 = c->arch == CODE_X86_64;
	cs_err e = cs_open(x86 ? CS_ARCH_X86 : CS_ARCH_ARM64,
			   x86 ? CS_MODE_64 : CS_MODE_ARM, cs);

	if (e == CS_ERR_OK)
		e = cs_option(*cs, CS_OPT_DETAIL, CS_OPT_ON);
	return e == CS_ERR_OK ? 0
			      : pw_err_set(err, ENOTSUP, "capstone: %s",
					   cs_strerror(e));
}

/* The constant at an operand relative to the instruction pointer. */
static void constant_value(const struct pw_code *c, struct pw_mem_use *m)
{
	uint32_t n = m->size_bytes < 8 ? m->size_bytes : 8;
	const uint8_t *p =
		m->constant && n
			? code_bytes_at(c, (uint64_t)m->disp, m->size_bytes)
			: NULL;

	m->has_value = p;
	while (p && n--)
		m->value = m->value << 8 | p[n];
}

static void uses_of(const struct pw_code *c, csh cs, cs_insn *in,
		    const struct pw_minsn *m, struct pw_insn_uses *u)
{
	const uint8_t *p = c->text + m->text_off;
	size_t left = m->size_bytes;
	uint64_t addr = m->text_off;

	u->mem.base = u->mem.index = PW_NO_REG;
	if (m->opcode[0] == '.' || !cs_disasm_iter(cs, &p, &left, &addr, in) ||
	    in->size != m->size_bytes) {
		u->unknown = true;
		return;
	}
	if (c->arch == CODE_X86_64)
		uses_x86(u, cs, in);
	else
		uses_arm64(u, cs, in);
	if (m->is_call && c->arch == CODE_X86_64)
		uses_x86_call(u);
	else if (m->is_call)
		uses_arm64_call(u);
	constant_value(c, &u->mem);
}

int pw_code_uses(const struct pw_code *c, const struct pw_minsn *insns,
		 uint32_t n, struct pw_insn_uses **uses, struct pw_err *err)
{
	struct pw_insn_uses *u;
	cs_insn *in;
	csh cs = 0;
	int ret = open_capstone(c, &cs, err);

	if (ret)
		return ret;
	in = cs_malloc(cs);
	if (!in) {
		cs_close(&cs);
		return pw_err_set(err, ENOMEM, "capstone: no memory");
	}
	u = pw_zalloc((n + 1) * sizeof(*u));
	for (uint32_t i = 0; i < n; i++)
		uses_of(c, cs, in, &insns[i], &u[i]);
	cs_free(in, 1);
	cs_close(&cs);
	*uses = u;
	return 0;
}

const char *pw_code_reg_name(const struct pw_code *c, unsigned reg)
{
	static const char x86[PW_N_REGS][8] = {
		"rax",   "rcx",   "rdx",   "rbx",   "rsp",   "rbp",   "rsi",
		"rdi",   "r8",    "r9",    "r10",   "r11",   "r12",   "r13",
		"r14",   "r15",   "",      "",      "",      "",      "",
		"",      "",      "",      "",      "",      "",      "",
		"",      "",      "",      "",      "xmm0",  "xmm1",  "xmm2",
		"xmm3",  "xmm4",  "xmm5",  "xmm6",  "xmm7",  "xmm8",  "xmm9",
		"xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16",
		"xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23",
		"xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30",
		"xmm31"
	};
	static const char arm64[PW_N_REGS][8] = {
		"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",
		"x8",  "x9",  "x10", "x11", "x12", "x13", "x14", "x15",
		"x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23",
		"x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp",
		"v0",  "v1",  "v2",  "v3",  "v4",  "v5",  "v6",  "v7",
		"v8",  "v9",  "v10", "v11", "v12", "v13", "v14", "v15",
		"v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",
		"v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31"
	};

	if (reg >= PW_N_REGS)
		return "";
	return c->arch == CODE_X86_64 ? x86[reg] : arm64[reg];
}
