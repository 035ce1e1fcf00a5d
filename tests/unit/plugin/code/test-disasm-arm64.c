// SPDX-License-Identifier: GPL-2.0-only
/* AArch64: jumps of every form, literals, and tables among the code. Words
 * by the encodings of the Arm Architecture Reference Manual. */
#include "insns-of.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define RET 0xd65f03c0u
#define NOP 0xd503201fu

static void words(struct insns *s, const uint32_t *w, size_t n)
{
	insns_of(s, EM_AARCH64, true, w, n * 4);
	assert_non_null(s->code);
	assert_string_equal(pw_code_arch(s->code), "aarch64");
}

static void every_form_of_jump_knows_where_it_goes(void **state)
{
	static const uint32_t w[] = {
		0x54000100,           /* 0: b.eq 0x20 */
		0xb40000e0,           /* 4: cbz x0, 0x20 */
		0x370800c0,           /* 8: tbnz w0, #1, 0x20 */
		0x94000005,           /* c: bl 0x20 */
		0xd63f0100,           /* 10: blr x8 */
		0x17fffffb,           /* 14: b 0x0 */
		RET,        RET, RET, /* 20 */
	};
	static const bool cond[] = { true, true, true, false, false, false };
	static const bool call[] = { false, false, false, true, true, false };
	static const uint64_t target[] = {
		0x20, 0x20, 0x20, 0x20, PW_NO_OFF, 0
	};
	struct insns s;
	uint32_t i;

	(void)state;
	words(&s, w, sizeof(w) / sizeof(*w));
	for (i = 0; i < 6; i++) {
		assert_int_equal(s.insn[i].is_cond, cond[i]);
		assert_int_equal(s.insn[i].is_call, call[i]);
		assert_int_equal(s.insn[i].is_jump, !call[i]);
		assert_true(s.insn[i].target == target[i]);
	}
	assert_string_equal(s.insn[0].opcode, "b.eq");
	assert_string_equal(s.insn[1].opcode, "cbz");
	insns_close(&s);
}

static void a_literal_between_blocks_is_no_instruction(void **state)
{
	static const uint32_t w[] = {
		0x5c000040,             /* 0: ldr d0, 8 */
		0x14000003,             /* 4: b 0x10 */
		0x00000000, 0x3fe00000, /* 8: 0.5 */
		RET,                    /* 10 */
		0x12345678,             /* behind the code */
	};
	struct insns s;

	(void)state;
	words(&s, w, sizeof(w) / sizeof(*w));
	assert_int_equal(s.n, 3);
	assert_string_equal(s.insn[0].note, "0.5");
	assert_int_equal(s.insn[2].text_off, 0x10);
	assert_string_equal(s.insn[2].opcode, "ret");
	insns_close(&s);
}

static void a_table_behind_br_is_entries(void **state)
{
	static const uint32_t w[] = {
		0x10000080, /* 0: adr x0, 0x10 */
		0xb8a15801, /* 4: ldrsw x1, [x0, w1, uxtw #2] */
		0x8b010000, /* 8: add x0, x0, x1 */
		0xd61f0000, /* c: br x0 */
		0x0000000c, /* 10: 0x1c */
		0x00000008, /* 14: 0x18 */
		RET,        RET,
	};
	struct insns s;

	(void)state;
	words(&s, w, sizeof(w) / sizeof(*w));
	assert_int_equal(s.n, 8);
	assert_string_equal(s.insn[4].opcode, ".long");
	assert_int_equal(s.insn[4].target, 0x1c);
	assert_int_equal(s.insn[5].target, 0x18);
	insns_close(&s);
}

static void adr_reaches_every_byte(void **state)
{
	static const uint32_t w[] = { 0x30000080, /* adr x0, 0x11 */
				      RET,        RET, RET, RET, RET };
	struct elf_recipe r = { .machine = EM_AARCH64,
				.text = (const uint8_t *)w,
				.text_size = sizeof(w),
				.syms = { { "f0", 0, 8, 0 },
					  { "odd", 0x11, 1, 0 } },
				.n_syms = 2 };
	struct insns s;

	(void)state;
	insns_open(&s, &r);
	assert_string_equal(s.insn[0].opcode, "adr");
	assert_string_equal(s.insn[0].note, "odd");
	insns_close(&s);
}

static void a_trap_ends_the_function(void **state)
{
	static const uint32_t w[] = { NOP, 0x0000c11f, NOP };
	struct insns s;

	(void)state;
	words(&s, w, 3);
	assert_int_equal(s.n, 2);
	assert_string_equal(s.insn[1].opcode, "udf");
	assert_string_equal(s.insn[1].operands, "#0xc11f");
	insns_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_of_jump_knows_where_it_goes),
		cmocka_unit_test(a_literal_between_blocks_is_no_instruction),
		cmocka_unit_test(a_table_behind_br_is_entries),
		cmocka_unit_test(adr_reaches_every_byte),
		cmocka_unit_test(a_trap_ends_the_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
