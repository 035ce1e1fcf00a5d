// SPDX-License-Identifier: GPL-2.0-only
/* The hash of a function sees what it does and not where it stands. */
#include "elf-writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/*
 * function[0]: call function[1]; mulsd C(%rip), %xmm0; ret; C
 * function[1]: ret, `gap` bytes behind; then function[2]: ret
 */
struct layout {
	uint32_t lead, gap; /* bytes before [0], between [0] and [1] */
	uint8_t constant;
	int32_t callee; /* 1 or 2 */
};

#define MAIN_SIZE 24

static uint64_t hash_of(const struct layout *l, uint64_t *whole)
{
	static const uint8_t body[MAIN_SIZE] = { 0xe8, 0,    0, 0, 0, 0xf2,
						 0x0f, 0x59, 5, 3, 0, 0,
						 0,    0xc3, 0, 0 };
	uint32_t one = l->lead + MAIN_SIZE + l->gap, two = one + 8;
	struct elf_recipe r = {
		.text_size = two + 1,
		.syms = { { "wasm[0]::function[0]", l->lead, MAIN_SIZE, 0 },
			  { "wasm[0]::function[1]", one, 1, 0 },
			  { "wasm[0]::function[2]", two, 1, 0 } },
		.n_syms = 3,
		.cranelift = true,
	};
	uint8_t *text = pw_zalloc(r.text_size);
	struct pw_buf elf = { 0 };
	struct pw_code *c;
	uint64_t hash;

	memcpy(text + l->lead, body, MAIN_SIZE);
	text[l->lead + 1] =
		(uint8_t)((l->callee == 1 ? one : two) - (l->lead + 5));
	text[l->lead + 16] = l->constant;
	text[one] = text[two] = 0xc3;
	r.text = text;
	elf_write(&r, &elf);
	c = pw_code_open(elf.data, elf.len, 0, NULL);
	assert_non_null(c);
	hash = pw_code_func_hash(c, pw_code_func_find(c, 0));
	if (whole)
		*whole = pw_code_hash(c);
	pw_code_close(c);
	pw_buf_release(&elf);
	free(text);
	return hash;
}

static const struct layout plain = { .gap = 8, .callee = 1 };

static void the_place_of_the_code_does_not_count(void **state)
{
	struct layout moved = plain, apart = plain;
	uint64_t whole[3];

	(void)state;
	moved.lead = 16;
	apart.gap = 40;
	assert_true(hash_of(&plain, &whole[0]) == hash_of(&moved, &whole[1]));
	assert_true(hash_of(&plain, NULL) == hash_of(&apart, &whole[2]));
	assert_true(whole[0] == whole[1] && whole[0] == whole[2]);
}

static void another_callee_counts(void **state)
{
	struct layout other = plain;

	(void)state;
	other.callee = 2;
	assert_true(hash_of(&plain, NULL) != hash_of(&other, NULL));
}

static void another_constant_counts(void **state)
{
	struct layout other = plain;
	uint64_t a, b;

	(void)state;
	other.constant = 1;
	assert_true(hash_of(&plain, &a) != hash_of(&other, &b));
	assert_true(a != b);
}

static uint64_t hash_text(const struct elf_recipe *r)
{
	struct pw_buf elf = { 0 };
	struct pw_code *c;
	uint64_t hash;

	elf_write(r, &elf);
	c = pw_code_open(elf.data, elf.len, 0, NULL);
	assert_non_null(c);
	hash = pw_code_func_hash(c, pw_code_func_find(c, 0));
	pw_code_close(c);
	pw_buf_release(&elf);
	return hash;
}

static void every_instruction_counts(void **state)
{
	static const uint8_t add[] = { 0x01, 0xc8, 0xc3 },
			     sub[] = { 0x29, 0xc8, 0xc3 };
	struct elf_recipe r = { .text = add,
				.text_size = 3,
				.syms = { { "f0", 0, 3, 0 } },
				.n_syms = 1 };
	uint64_t a = hash_text(&r);

	(void)state;
	r.text = sub;
	assert_true(hash_text(&r) != a);
}

/* bl f1; ret; f1: ret, and the same with f1 elsewhere. */
static void on_aarch64_too_a_call_is_its_callee(void **state)
{
	static const uint32_t near[] = { 0x94000002, 0xd65f03c0, 0xd65f03c0,
					 0xd65f03c0 };
	static const uint32_t far[] = { 0x94000003, 0xd65f03c0, 0xd65f03c0,
					0xd65f03c0 };
	struct elf_recipe r = { .machine = EM_AARCH64,
				.text = (const uint8_t *)near,
				.text_size = 16,
				.syms = { { "f0", 0, 8, 0 },
					  { "f1", 8, 4, 0 },
					  { "f2", 12, 4, 0 } },
				.n_syms = 3 };
	uint64_t a = hash_text(&r), b;

	(void)state;
	r.text = (const uint8_t *)far;
	b = hash_text(&r);
	assert_true(a != b);
	r.syms[1].name = "f2";
	r.syms[2].name = "f1";
	assert_true(hash_text(&r) == a);
}

/* mulsd C(%rip), %xmm0; ret: C in .rodata at two places. */
static void constants_elsewhere_count_by_their_value(void **state)
{
	uint8_t text[] = { 0xf2, 0x0f, 0x59, 0x05, 0xf8, 0x0f, 0, 0, 0xc3 };
	uint8_t data[48] = { 1 };
	struct elf_recipe r = { .text = text,
				.text_size = sizeof(text),
				.text_addr = 0x1000,
				.syms = { { "f0", 0x1000, 9, 0 } },
				.n_syms = 1,
				.rodata = data,
				.rodata_size = sizeof(data),
				.rodata_addr = 0x2000 };
	uint64_t a = hash_text(&r);

	(void)state;
	data[0] = 0;
	data[16] = 1;
	text[4] = 0x08;
	text[5] = 0x10;
	assert_true(hash_text(&r) == a);
	data[16] = 2;
	assert_true(hash_text(&r) != a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_place_of_the_code_does_not_count),
		cmocka_unit_test(another_callee_counts),
		cmocka_unit_test(another_constant_counts),
		cmocka_unit_test(every_instruction_counts),
		cmocka_unit_test(on_aarch64_too_a_call_is_its_callee),
		cmocka_unit_test(constants_elsewhere_count_by_their_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
