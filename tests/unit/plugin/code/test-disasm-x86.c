// SPDX-License-Identifier: GPL-2.0-only
/* x86-64: spelling as objdump's, lengths of what capstone does not know,
 * jumps, calls, constants and jump tables. */
#include "insns-of.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

struct spelling {
	const char *bytes;
	size_t size;
	const char *opcode, *operands;
};
#define INSN(bytes, opcode, operands)                       \
	{                                                   \
		bytes, sizeof(bytes) - 1, opcode, operands, \
	}

/* Bytes from an assembler, names from its disassembler. */
static const struct spelling spellings[] = {
	INSN("\x48\x89\xe5", "mov", "%rsp, %rbp"),
	INSN("\xc4\xc1\x5b\x2a\xe0", "vcvtsi2sd", "%r8d, %xmm4, %xmm4"),
	INSN("\xc5\xdb\x2a\x20", "vcvtsi2sdl", "(%rax), %xmm4, %xmm4"),
	INSN("\xf2\x41\x0f\x2a\xc0", "cvtsi2sd", "%r8d, %xmm0"),
	INSN("\xc7\x80\x80\x00\x00\x00\xff\xff\xfe\xff", "movl",
	     "$0xfffeffff, 0x80(%rax)"),
	INSN("\x45\x89\xbb\x80\x00\x00\x00", "mov", "%r15d, 0x80(%r11)"),
	INSN("\xf0\x0f\xb1\x0f", "lock cmpxchg", "%ecx, (%rdi)"),
	INSN("\x66\x48\x0f\x6e\xdf", "movq", "%rdi, %xmm3"),
	INSN("\x66\x0f\x6e\xdf", "movd", "%edi, %xmm3"),
	INSN("\x0f\xb6\xc0", "movzbl", "%al, %eax"),
	INSN("\x48\x63\xc8", "movslq", "%eax, %rcx"),
	INSN("\xd3\x28", "shrl", "%cl, (%rax)"),
	INSN("\xd3\xe8", "shr", "%cl, %eax"),
	INSN("\x88\x08", "mov", "%cl, (%rax)"),
	INSN("\xc6\x00\x01", "movb", "$1, (%rax)"),
	INSN("\x55", "push", "%rbp"),
	INSN("\xff\x30", "push", "(%rax)"),
	INSN("\xff\xd0", "call", "*%rax"),
	INSN("\xf7\xf1", "div", "%ecx"),
	INSN("\x48\xb8\x00\x00\x00\x00\x00\x00\xf0\x3f", "movabs",
	     "$0x3ff0000000000000, %rax"),
	INSN("\xf3\x0f\x7f\x04\x24", "movdqu", "%xmm0, (%rsp)"),
	INSN("\xc4\xe2\x73\xf6\xc9", "mulx", "%ecx, %ecx, %ecx"),
	INSN("\xc5\xf8\x77", "vzeroupper", ""),
	INSN("\x0f\x0b", "ud2", ""),
	INSN("\xc3", "ret", ""),
};

static void opcodes_are_spelled_as_objdump_does(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(spellings) / sizeof(*spellings); i++) {
		const struct spelling *e = &spellings[i];
		struct insns s;

		insns_of(&s, 0, false, e->bytes, e->size);
		assert_int_equal(s.n, 1);
		assert_string_equal(s.insn[0].opcode, e->opcode);
		assert_string_equal(s.insn[0].operands, e->operands);
		assert_int_equal(s.insn[0].size_bytes, e->size);
		insns_close(&s);
	}
}

static void an_unknown_instruction_keeps_its_length(void **state)
{
	/* vpermi2b; vcvtudq2ps 0x10(%rsp); nop; ret */
	static const uint8_t text[] = { 0x62, 0x52, 0x2d, 0x08, 0x75, 0xf4,
					0x62, 0xf1, 0x7f, 0x08, 0x7a, 0x44,
					0x24, 0x01, 0x90, 0xc3 };
	struct insns s;

	(void)state;
	insns_of(&s, 0, false, text, sizeof(text));
	assert_int_equal(s.n, 4);
	assert_string_equal(s.insn[0].opcode, ".byte");
	assert_string_equal(s.insn[0].operands,
			    "0x62, 0x52, 0x2d, 0x08, 0x75, 0xf4");
	assert_int_equal(s.insn[1].size_bytes, 8);
	assert_string_equal(s.insn[2].opcode, "nop");
	insns_close(&s);
}

static void an_instruction_cut_at_the_end_is_bytes(void **state)
{
	static const uint8_t text[] = { 0x90, 0x48, 0xb8, 0x00 };
	struct insns s;
	uint32_t i, size = 0;

	(void)state;
	insns_of(&s, 0, false, text, sizeof(text));
	for (i = 0; i < s.n; i++)
		size += s.insn[i].size_bytes;
	assert_int_equal(size, sizeof(text));
	assert_string_equal(s.insn[1].opcode, ".byte");
	insns_close(&s);
}

static void jumps_know_where_they_go(void **state)
{
	/* 0: je 6; 2: jmp 0; 4: jmp *%rax; 6: call *%rax; 8: ret */
	static const uint8_t text[] = { 0x74, 0x04, 0xeb, 0xfc, 0xff,
					0xe0, 0xff, 0xd0, 0xc3 };
	struct insns s;

	(void)state;
	insns_of(&s, 0, false, text, sizeof(text));
	assert_int_equal(s.n, 5);
	assert_true(s.insn[0].is_jump && s.insn[0].is_cond);
	assert_int_equal(s.insn[0].target, 6);
	assert_string_equal(s.insn[0].operands, "6");
	assert_true(s.insn[1].is_jump && !s.insn[1].is_cond);
	assert_int_equal(s.insn[1].target, 0);
	assert_true(s.insn[2].is_jump && !s.insn[2].is_cond);
	assert_true(s.insn[2].target == PW_NO_OFF);
	assert_true(s.insn[3].is_call && !s.insn[3].is_jump);
	assert_true(!s.insn[4].is_jump && !s.insn[4].is_call);
	insns_close(&s);
}

static void a_call_names_the_function_and_the_place_in_it(void **state)
{
	/* call 12; call 11; ret ... 11: ret; 12: ret */
	static const uint8_t text[] = { 0xe8, 0x08, 0, 0,    0,    0xe8, 0x01,
					0,    0,    0, 0xc3, 0xc3, 0xc3, 0xc3 };
	struct elf_recipe r = { .text = text,
				.text_size = sizeof(text),
				.syms = { { "f0", 0, 11, 0 },
					  { "helper", 11, 3, 0 } },
				.n_syms = 2 };
	struct insns s;

	(void)state;
	insns_open(&s, &r);
	assert_string_equal(s.insn[0].operands, "helper+0x2");
	assert_string_equal(s.insn[1].operands, "helper");
	assert_int_equal(s.insn[1].target, 11);
	insns_close(&s);
}

static void constants_of_a_linked_object_are_told(void **state)
{
	/* mulsd 0x10(%rip), %xmm0; ret: the text is at 0x1000 */
	static const uint8_t text[] = { 0xf2, 0x0f, 0x59, 0x05, 0xf8,
					0x0f, 0,    0,    0xc3 };
	static const uint8_t half[] = { 0, 0, 0, 0, 0, 0, 0xe0, 0x3f };
	struct elf_recipe r = { .text = text,
				.text_size = sizeof(text),
				.text_addr = 0x1000,
				.syms = { { "f0", 0x1000, 9, 0 } },
				.n_syms = 1,
				.rodata = half,
				.rodata_size = sizeof(half),
				.rodata_addr = 0x2000 };
	struct insns s;

	(void)state;
	insns_open(&s, &r);
	assert_int_equal(s.insn[0].text_off, 0);
	assert_string_equal(s.insn[0].opcode, "mulsd");
	assert_string_equal(s.insn[0].note, "0.5");
	insns_close(&s);
}

static void an_unlinked_object_names_what_it_calls(void **state)
{
	/* call X; mov Y(%rip), %eax; ret */
	static const uint8_t text[] = { 0xe8, 0, 0, 0, 0, 0x8b,
					0x05, 0, 0, 0, 0, 0xc3 };
	static const Elf64_Rela rela[] = {
		{ 7, ELF64_R_INFO(3, R_X86_64_PC32), -4 },
		{ 1, ELF64_R_INFO(2, R_X86_64_PLT32), -4 },
	};
	struct elf_recipe r = { .text = text,
				.text_size = sizeof(text),
				.syms = { { "f0", 0, 12, 0 },
					  { "callee", 0, 0, STT_NOTYPE },
					  { "table", 0, 0, STT_NOTYPE } },
				.n_syms = 3,
				.rela = rela,
				.n_rela = 2 };
	struct insns s;

	(void)state;
	insns_open(&s, &r);
	assert_int_equal(s.n, 3);
	assert_string_equal(s.insn[0].operands, "callee");
	assert_true(s.insn[0].target == PW_NO_OFF);
	assert_string_equal(s.insn[1].note, "table");
	insns_close(&s);
}

/* lea T(%rip), %rcx; movslq (%rcx,%rax,4), %rax; add %rax, %rcx; jmp *%rcx;
 * T: .long A-T, B-T; B: ret; A: ud2; then a constant that looks like code */
static const uint8_t switch_text[] = {
	0x48, 0x8d, 0x0d, 0x09, 0,    0,    0, 0x48, 0x63, 0x04, 0x81,
	0x48, 0x03, 0xc8, 0xff, 0xe1, 0x09, 0, 0,    0,    0x08, 0,
	0,    0,    0xc3, 0x0f, 0x0b, 0xe9, 0, 0,    0,    0,
};

static void a_table_behind_its_jump_is_entries(void **state)
{
	struct insns s;

	(void)state;
	insns_of(&s, 0, true, switch_text, sizeof(switch_text));
	assert_int_equal(s.n, 8);
	assert_string_equal(s.insn[4].opcode, ".long");
	assert_int_equal(s.insn[4].target, 25);
	assert_string_equal(s.insn[4].operands, "0x19");
	assert_int_equal(s.insn[5].target, 24);
	assert_string_equal(s.insn[6].opcode, "ret");
	assert_string_equal(s.insn[7].opcode, "ud2");
	insns_close(&s);
}

/* je B; lea T(%rip), %rcx; movslq (%rcx,%rax,4), %rax; add %rax, %rcx;
 * jmp *%rcx; T: .long A-T; B: 9 again, as code; ret; A: ret */
static void a_table_ends_where_a_jump_goes(void **state)
{
	static const uint8_t text[] = { 0x74, 0x14, 0x48, 0x8d, 0x0d, 0x09,
					0,    0,    0,    0x48, 0x63, 0x04,
					0x81, 0x48, 0x03, 0xc8, 0xff, 0xe1,
					0x09, 0,    0,    0,    0x09, 0,
					0,    0,    0xc3, 0xc3, 0,    0 };
	struct insns s;

	(void)state;
	insns_of(&s, 0, true, text, sizeof(text));
	assert_int_equal(s.n, 10);
	assert_string_equal(s.insn[5].opcode, ".long");
	assert_string_equal(s.insn[6].opcode, "or");
	assert_int_equal(s.insn[9].text_off, 27);
	insns_close(&s);
}

/* ret; nop; ret: nothing jumps behind the first, but the map knows. */
static void a_block_that_only_the_map_knows_is_code(void **state)
{
	static const uint8_t text[] = { 0xc3, 0x90, 0xc3 };
	static const uint32_t map[] = { 2, 0, 1, UINT32_MAX, 0x40 };
	struct elf_recipe r = { .text = text,
				.text_size = sizeof(text),
				.syms = { { "wasm[0]::function[0]", 0, 3, 0 } },
				.n_syms = 1,
				.map = (const uint8_t *)map,
				.map_size = sizeof(map) };
	struct insns s;

	(void)state;
	insns_open(&s, &r);
	assert_int_equal(s.n, 3);
	assert_int_equal(s.insn[1].wasm_off, 0x40);
	insns_close(&s);
}

/* mov 0(,%rax,8), %ecx has the same modrm but for the index. */
static void an_address_without_a_base_is_not_relative(void **state)
{
	static const uint8_t text[] = { 0x8b, 0x0c, 0xc5, 0,    0,   0,
					0,    0xc3, 0x90, 0x90, 0x90 };
	struct insns s;

	(void)state;
	insns_of(&s, 0, false, text, sizeof(text));
	assert_int_equal(s.insn[0].size_bytes, 7);
	assert_string_equal(s.insn[0].note, "");
	insns_close(&s);
}

static void objects_of_cc_are_read_to_the_end_of_the_symbol(void **state)
{
	static const uint8_t text[] = { 0xc3, 0x90, 0x90 };
	struct insns s;

	(void)state;
	insns_of(&s, 0, false, text, sizeof(text));
	assert_int_equal(s.n, 3);
	insns_close(&s);
	insns_of(&s, 0, true, text, sizeof(text));
	assert_int_equal(s.n, 1);
	insns_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opcodes_are_spelled_as_objdump_does),
		cmocka_unit_test(an_unknown_instruction_keeps_its_length),
		cmocka_unit_test(an_instruction_cut_at_the_end_is_bytes),
		cmocka_unit_test(jumps_know_where_they_go),
		cmocka_unit_test(a_call_names_the_function_and_the_place_in_it),
		cmocka_unit_test(constants_of_a_linked_object_are_told),
		cmocka_unit_test(an_unlinked_object_names_what_it_calls),
		cmocka_unit_test(a_table_behind_its_jump_is_entries),
		cmocka_unit_test(a_table_ends_where_a_jump_goes),
		cmocka_unit_test(a_block_that_only_the_map_knows_is_code),
		cmocka_unit_test(an_address_without_a_base_is_not_relative),
		cmocka_unit_test(
			objects_of_cc_are_read_to_the_end_of_the_symbol),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
