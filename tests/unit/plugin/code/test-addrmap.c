// SPDX-License-Identifier: GPL-2.0-only
/* Both forms of the address map, built by hand, whole and broken. */
#include "elf-writer.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define NONE UINT32_MAX

static uint8_t text[64];

/* A code image of two functions, [0, 32) and [32, 64), with this map. */
static struct pw_code *with_map(struct pw_buf *elf, const struct pw_buf *map)
{
	struct elf_recipe r = { .text = text,
				.text_size = sizeof(text),
				.syms = { { "wasm[0]::function[0]", 0, 32, 0 },
					  { "wasm[0]::function[1]", 32, 32,
					    0 } },
				.n_syms = 2,
				.map = map->data,
				.map_size = map->len };
	struct pw_code *c;

	elf_write(&r, elf);
	c = pw_code_open(elf->data, elf->len, 0, NULL);
	assert_non_null(c);
	return c;
}

static void add_flat(struct pw_buf *map, const uint32_t (*e)[2], uint32_t n)
{
	uint32_t i;

	pw_buf_add_u32(map, n);
	for (i = 0; i < n; i++)
		pw_buf_add_u32(map, e[i][0]);
	for (i = 0; i < n; i++)
		pw_buf_add_u32(map, e[i][1]);
}

static void an_entry_holds_until_the_next_one(void **state)
{
	static const uint32_t e[][2] = {
		{ 0, NONE }, { 4, 0x30 }, { 9, NONE }, { 12, 0x36 }
	};
	struct pw_buf map = { 0 }, elf = { 0 };
	struct pw_code *c;

	(void)state;
	add_flat(&map, e, 4);
	c = with_map(&elf, &map);
	assert_true(pw_code_has_map(c));
	assert_true(pw_code_wasm_off(c, 0) == PW_NO_OFF);
	assert_int_equal(pw_code_wasm_off(c, 4), 0x30);
	assert_int_equal(pw_code_wasm_off(c, 8), 0x30);
	assert_true(pw_code_wasm_off(c, 9) == PW_NO_OFF);
	assert_int_equal(pw_code_wasm_off(c, 31), 0x36);
	pw_code_close(c);
	pw_buf_release(&map);
	pw_buf_release(&elf);
}

static void an_entry_ends_with_its_function(void **state)
{
	static const uint32_t e[][2] = { { 0, 0x30 }, { 40, 0x50 } };
	struct pw_buf map = { 0 }, elf = { 0 };
	struct pw_code *c;

	(void)state;
	add_flat(&map, e, 2);
	c = with_map(&elf, &map);
	assert_true(pw_code_wasm_off(c, 32) == PW_NO_OFF);
	assert_int_equal(pw_code_wasm_off(c, 63), 0x50);
	assert_true(pw_code_wasm_off(c, 64) == PW_NO_OFF);
	pw_code_close(c);
	pw_buf_release(&map);
	pw_buf_release(&elf);
}

/* Two blocks; the second begins anew with an absolute wasm offset. */
static void add_blocks(struct pw_buf *map)
{
	struct pw_buf b[2] = { { 0 } };

	pw_buf_add_uleb(&b[0], 0 << 1 | 1); /* 0: none */
	pw_buf_add_uleb(&b[0], 4 << 1);     /* 4: 0x130 */
	pw_buf_add_uleb(&b[0], 0x130);
	pw_buf_add_uleb(&b[0], 5 << 1); /* 9: 0x12a */
	pw_buf_add_sleb(&b[0], -6);
	pw_buf_add_uleb(&b[1], 0 << 1); /* 40: 0x150 */
	pw_buf_add_uleb(&b[1], 0x150);
	pw_buf_add_uleb(&b[1], 1 << 1 | 1); /* 41: none */
	pw_buf_add_uleb(&b[1], 1 << 1);     /* 42: 0x151 */
	pw_buf_add_sleb(&b[1], 1);
	pw_buf_add_u32(map, 6);
	pw_buf_add_u32(map, 2);
	pw_buf_add_u32(map, 0);
	pw_buf_add_u32(map, 0);
	pw_buf_add_u32(map, 40);
	pw_buf_add_u32(map, (uint32_t)b[0].len);
	pw_buf_add(map, b[0].data, b[0].len);
	pw_buf_add(map, b[1].data, b[1].len);
	pw_buf_release(&b[0]);
	pw_buf_release(&b[1]);
}

static void the_form_in_blocks_says_the_same(void **state)
{
	struct pw_buf map = { 0 }, elf = { 0 };
	struct pw_code *c;

	(void)state;
	add_blocks(&map);
	c = with_map(&elf, &map);
	assert_null(pw_code_map_fault(c));
	assert_true(pw_code_wasm_off(c, 3) == PW_NO_OFF);
	assert_int_equal(pw_code_wasm_off(c, 4), 0x130);
	assert_int_equal(pw_code_wasm_off(c, 9), 0x12a);
	assert_int_equal(pw_code_wasm_off(c, 40), 0x150);
	assert_true(pw_code_wasm_off(c, 41) == PW_NO_OFF);
	assert_int_equal(pw_code_wasm_off(c, 42), 0x151);
	pw_code_close(c);
	pw_buf_release(&map);
	pw_buf_release(&elf);
}

/* The image opens all the same, without a map, and says why. */
static void assert_fault(const struct pw_buf *map, const char *part)
{
	struct pw_buf elf = { 0 };
	struct pw_code *c = with_map(&elf, map);

	assert_false(pw_code_has_map(c));
	assert_non_null(pw_code_map_fault(c));
	if (!strstr(pw_code_map_fault(c), part))
		fail_msg("%s", pw_code_map_fault(c));
	assert_true(pw_code_wasm_off(c, 4) == PW_NO_OFF);
	pw_code_close(c);
	pw_buf_release(&elf);
}

static void text_offsets_must_rise(void **state)
{
	static const uint32_t e[][2] = { { 8, 0x30 }, { 4, 0x34 } };
	struct pw_buf map = { 0 };

	(void)state;
	add_flat(&map, e, 2);
	assert_fault(&map, "rising");
	pw_buf_release(&map);
}

static void text_offsets_must_lie_in_the_text(void **state)
{
	static const uint32_t e[][2] = { { 8, 0x30 }, { 65, 0x34 } };
	struct pw_buf map = { 0 };

	(void)state;
	add_flat(&map, e, 2);
	assert_fault(&map, "behind the text's end");
	pw_buf_release(&map);
}

static void more_entries_than_bytes_are_refused(void **state)
{
	struct pw_buf map = { 0 };

	(void)state;
	pw_buf_add_u32(&map, UINT32_MAX);
	pw_buf_add_u32(&map, 0);
	assert_fault(&map, "do not fit");
	pw_buf_release(&map);
}

static void blocks_must_hold_what_is_promised(void **state)
{
	struct pw_buf map = { 0 };

	(void)state;
	add_blocks(&map);
	map.data[0] = 5;
	assert_fault(&map, "more entries than the 5");
	map.data[0] = 7;
	assert_fault(&map, "6 entries, expected 7");
	pw_buf_release(&map);
}

static void blocks_must_lie_in_the_section(void **state)
{
	struct pw_buf map = { 0 };

	(void)state;
	add_blocks(&map);
	map.data[20] = 200; /* where the second block is */
	assert_fault(&map, "block 0 does not lie");
	map.data[20] = 0;
	map.data[7] = 0x7f; /* number of blocks */
	assert_fault(&map, "");
	pw_buf_release(&map);
}

static void a_map_may_be_cut_anywhere(void **state)
{
	struct pw_buf map = { 0 };
	size_t n, whole;

	(void)state;
	add_blocks(&map);
	whole = map.len;
	for (n = 0; n < whole; n++) {
		map.len = n;
		assert_fault(&map, "");
	}
	map.len = whole;
	pw_buf_release(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_entry_holds_until_the_next_one),
		cmocka_unit_test(an_entry_ends_with_its_function),
		cmocka_unit_test(the_form_in_blocks_says_the_same),
		cmocka_unit_test(text_offsets_must_rise),
		cmocka_unit_test(text_offsets_must_lie_in_the_text),
		cmocka_unit_test(more_entries_than_bytes_are_refused),
		cmocka_unit_test(blocks_must_hold_what_is_promised),
		cmocka_unit_test(blocks_must_lie_in_the_section),
		cmocka_unit_test(a_map_may_be_cut_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
