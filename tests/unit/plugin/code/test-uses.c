// SPDX-License-Identifier: GPL-2.0-only
/*
 * What instructions read and write: the bytes of one, and the same in words:
 * "reads > writes", what is only merged in brackets, "flags", and the operand
 * in memory as "r8[rsp+8]" (read, 8 bytes) or "w8[...]".
 */
#include <perfwasm/code.h>

#include <elf.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct row {
	const char *bytes; /* hexadecimal */
	const char *want;
};

static void words_of_set(const struct pw_code *c, struct pw_buf *b,
			 uint64_t set, uint64_t merges)
{
	const char *sep = "";

	for (unsigned r = 0; r < PW_N_REGS; r++) {
		if (!(set >> r & 1))
			continue;
		pw_buf_printf(b, merges >> r & 1 ? "%s(%s)" : "%s%s", sep,
			      pw_code_reg_name(c, r));
		sep = " ";
	}
}

static void words_of_memory(const struct pw_code *c, struct pw_buf *b,
			    const struct pw_mem_use *m)
{
	if (!m->size_bytes)
		return;
	pw_buf_printf(b, ", %s%s%u[", m->read ? "r" : "", m->written ? "w" : "",
		      m->size_bytes);
	if (m->constant)
		pw_buf_printf(b, "constant");
	else
		pw_buf_printf(b, "%s", pw_code_reg_name(c, m->base));
	if (m->index != PW_NO_REG)
		pw_buf_printf(b, "+%s*%u", pw_code_reg_name(c, m->index),
			      m->scale);
	if (m->disp)
		pw_buf_printf(b, "%+" PRId64, m->disp);
	pw_buf_printf(b, "]%s", m->stack ? " stack" : "");
}

static void words(const struct pw_code *c, const struct pw_insn_uses *u,
		  struct pw_buf *b)
{
	words_of_set(c, b, u->reads, u->merges);
	pw_buf_printf(b, u->reads_flags ? " flags > " : " > ");
	words_of_set(c, b, u->writes, 0);
	pw_buf_printf(b, u->writes_flags ? " flags" : "");
	words_of_memory(c, b, &u->mem);
}

static size_t from_hex(const char *hex, uint8_t *to)
{
	size_t n = 0;

	for (; *hex; hex += 2) {
		char two[3] = { hex[0], hex[1], 0 };

		to[n++] = (uint8_t)strtoul(two, NULL, 16);
	}
	return n;
}

static void check_row(uint32_t machine, const struct row *row)
{
	uint8_t bytes[64];
	size_t size = from_hex(row->bytes, bytes);
	struct pw_code *c =
		pw_code_open_raw(machine, "f", bytes, size, false, NULL);
	struct pw_insn_uses *uses = NULL;
	struct pw_minsn *insns = NULL;
	struct pw_buf got = { 0 };
	uint32_t n = 0;

	assert_non_null(c);
	assert_int_equal(pw_code_disasm(c, pw_code_func(c, 0), &insns, &n,
					NULL),
			 0);
	assert_int_equal(n, 1);
	assert_int_equal(pw_code_uses(c, insns, n, &uses, NULL), 0);
	words(c, &uses[0], &got);
	if (strcmp(pw_buf_str(&got), row->want))
		fail_msg("%s %s: \"%s\", not \"%s\"", insns[0].opcode,
			 insns[0].operands, pw_buf_str(&got), row->want);
	pw_buf_release(&got);
	free(uses);
	free(insns);
	pw_code_close(c);
}

static void check(uint32_t machine, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check_row(machine, &rows[i]);
}
#define CHECK(machine, rows) \
	check(machine, rows, sizeof(rows) / sizeof(*(rows)))

static void x86_registers_are_families(void **state)
{
	static const struct row rows[] = {
		{ "89c8", "rcx > rax" },
		{ "29ca", "rcx rdx > rdx flags" },
		{ "f7f1", "rax rcx rdx > rax rdx flags" },
		{ "0f45c8", "rax rcx flags > rcx" },
		{ "c4e2e9b9d9", "xmm1 xmm2 xmm3 > xmm3" },
		{ "49b82532c11692000000", " > r8" },
	};

	(void)state;
	CHECK(EM_X86_64, rows);
}

static void x86_memory_operands_are_told(void **state)
{
	static const struct row rows[] = {
		{ "f20f10542408", "rsp > xmm2, r8[rsp+8] stack" },
		{ "c5fb114c2410", "rsp xmm1 > , w8[rsp+16] stack" },
		{ "c5fe6f1cc8", "rax rcx > xmm3, r32[rax+rcx*8]" },
		{ "c4e2fbf60f", "rdx rdi > rax rcx, r8[rdi]" },
		{ "488d540808", "rax rcx > rdx" },
		{ "f00fb10f", "rax rcx rdi > rax flags, rw4[rdi]" },
		{ "53", "rbx rsp > rsp, w8[rsp-8] stack" },
		{ "415c", "rsp > rsp r12, r8[rsp] stack" },
	};

	(void)state;
	CHECK(EM_X86_64, rows);
}

static void what_only_merges_is_told(void **state)
{
	static const struct row rows[] = {
		{ "b007", "(rax) > rax" },
		{ "0f94c1", "(rcx) flags > rcx" },
		{ "f20f2ac8", "rax (xmm1) > xmm1" },
		{ "c4c15b2ad0", "r8 (xmm4) > xmm2" },
		{ "c5c25afd", "xmm5 (xmm7) > xmm7" },
		{ "f20f51d1", "xmm1 (xmm2) > xmm2" },
		{ "f20f10d1", "xmm1 (xmm2) > xmm2" },
		/* its own source: nothing false about it */
		{ "c5f351c9", "xmm1 > xmm1" },
	};

	(void)state;
	CHECK(EM_X86_64, rows);
}

static void what_clears_reads_nothing(void **state)
{
	static const struct row rows[] = {
		{ "0f57e4", " > xmm4" },
		{ "c5d957f4", " > xmm6" },
		{ "31d2", " > rdx flags" },
	};

	(void)state;
	CHECK(EM_X86_64, rows);
}

static void aarch64_is_mended(void **state)
{
	static const struct row rows[] = {
		{ "e003012a", "x1 > x0" },
		{ "a2018052", " > x2" },
		{ "a300a0f2", "x3 > x3" },
		{ "00106e1e", " > v0" },
		{ "0100621e", "x0 > v1" },
		{ "e00740f9", "sp > x0, r8[sp+8] stack" },
		{ "e00701a9", "x0 x1 sp > , w16[sp+16] stack" },
		{ "a80f1ffc", "x29 v8 > x29, w8[x29-16] stack" },
		{ "1f1000f1", "x0 >  flags" },
		{ "02000054", " flags > " },
		{ "2008c21a", "x1 x2 > x0" },
		{ "20482238", "x0 x1 x2 > , w1[x1+x2*1]" },
		{ "4000005c", " > v0, r8[constant+8]" },
		{ "200c421f", "v1 v2 v3 > v0" },
	};

	(void)state;
	CHECK(EM_AARCH64, rows);
}

static void calls_write_what_a_callee_may(void **state)
{
	static const uint8_t x86[] = { 0xe8, 0xfb, 0xff, 0xff, 0xff };
	struct pw_code *c =
		pw_code_open_raw(EM_X86_64, "f", x86, sizeof(x86), false, NULL);
	struct pw_insn_uses *uses = NULL;
	struct pw_minsn *insns = NULL;
	uint32_t n = 0;

	(void)state;
	pw_code_disasm(c, pw_code_func(c, 0), &insns, &n, NULL);
	assert_int_equal(pw_code_uses(c, insns, n, &uses, NULL), 0);
	/* rax, xmm15; not rbx, r12 */
	assert_true(uses[0].writes & 1);
	assert_true(uses[0].writes >> (PW_REG_VEC + 15) & 1);
	assert_false(uses[0].writes >> 3 & 1);
	assert_false(uses[0].writes >> 12 & 1);
	assert_true(uses[0].reads >> 7 & 1);
	free(uses);
	free(insns);
	pw_code_close(c);
}

/* What a constant relative to the instruction pointer holds. */
static void a_constant_has_its_value(void **state)
{
	/* mulsd 0x8(%rip), %xmm0; ret; padding; 7.5 */
	static const uint8_t x86[] = { 0xf2, 0x0f, 0x59, 0x05, 0x08, 0,
				       0,    0,    0xc3, 0xcc, 0xcc, 0xcc,
				       0xcc, 0xcc, 0xcc, 0xcc, 0,    0,
				       0,    0,    0,    0,    0x1e, 0x40 };
	struct pw_code *c =
		pw_code_open_raw(EM_X86_64, "f", x86, sizeof(x86), true, NULL);
	struct pw_insn_uses *uses = NULL;
	struct pw_minsn *insns = NULL;
	uint32_t n = 0;

	(void)state;
	pw_code_disasm(c, pw_code_func(c, 0), &insns, &n, NULL);
	assert_int_equal(pw_code_uses(c, insns, n, &uses, NULL), 0);
	assert_true(uses[0].mem.constant);
	assert_int_equal(uses[0].mem.disp, 16);
	assert_true(uses[0].mem.has_value);
	assert_true(uses[0].mem.value == UINT64_C(0x401e000000000000));
	free(uses);
	free(insns);
	pw_code_close(c);
}

static void what_is_no_instruction_is_unknown(void **state)
{
	static const uint8_t bad[] = { 0x06 };
	struct pw_code *c =
		pw_code_open_raw(EM_X86_64, "f", bad, sizeof(bad), false, NULL);
	struct pw_insn_uses *uses = NULL;
	struct pw_minsn *insns = NULL;
	uint32_t n = 0;

	(void)state;
	pw_code_disasm(c, pw_code_func(c, 0), &insns, &n, NULL);
	assert_int_equal(n, 1);
	assert_int_equal(pw_code_uses(c, insns, n, &uses, NULL), 0);
	assert_true(uses[0].unknown);
	assert_int_equal(uses[0].reads | uses[0].writes, 0);
	free(uses);
	free(insns);
	pw_code_close(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_registers_are_families),
		cmocka_unit_test(x86_memory_operands_are_told),
		cmocka_unit_test(what_only_merges_is_told),
		cmocka_unit_test(what_clears_reads_nothing),
		cmocka_unit_test(aarch64_is_mended),
		cmocka_unit_test(calls_write_what_a_callee_may),
		cmocka_unit_test(a_constant_has_its_value),
		cmocka_unit_test(what_is_no_instruction_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
