// SPDX-License-Identifier: GPL-2.0-only
/* What a reduction compares and counts, without running anything. */
#include "../../../../plugin/reduce/passes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct hot hot_of(struct hot_opcode *ops, uint32_t n)
{
	return (struct hot){ .ops = ops, .n_ops = n };
}

static void time_on_opcodes_that_were_not_hot_is_another_fault(void **state)
{
	struct hot_opcode was[] = { { "vaddsd", 0.6, true },
				    { "mov", 0.3, true },
				    { "idivl", 0.1, false } };
	struct hot_opcode part[] = { { "vaddsd", 1, true } };
	struct hot_opcode other[] = { { "vaddsd", 0.5, true },
				      { "idivl", 0.5, true } };
	struct hot_opcode little[] = { { "mov", 1, true } };
	struct hot a = hot_of(was, 3), b = hot_of(part, 1);
	struct hot c = hot_of(other, 2), d = hot_of(little, 1);

	(void)state;
	assert_true(hot_alike(&a, &a));
	assert_true(hot_alike(&a, &b));
	assert_false(hot_alike(&a, &c));
	assert_true(hot_alike(&a, &d)); /* 0.3 of what was hot is kept */
	was[1].share = 0.1;
	assert_false(hot_alike(&a, &d));
}

static void edits_of_an_item_find_their_bytes(void **state)
{
	struct items it = { 0 };

	(void)state;
	for (uint8_t i = 0; i < 200; i++) {
		items_begin(&it, 0);
		items_edit(&it, i, 1, &i, 1);
	}
	for (uint32_t i = 0; i < 200; i++) {
		const struct pw_edit *e = &it.edits[it.v[i].first_edit];

		assert_int_equal(it.v[i].n_edits, 1);
		assert_int_equal(*items_bytes(&it, e), i);
	}
	items_release(&it);
}

static void the_end_of_a_block_is_reached_as_the_block_is(void **state)
{
	struct reach r = { { 0 } };
	struct pw_insn block = { .op = PW_OP_block, .depth = 1 };
	struct pw_insn end = { .op = PW_OP_end, .depth = 1 };

	(void)state;
	end.unreachable = true; /* as behind a br */
	assert_true(reach_step(&r, &block));
	assert_true(reach_step(&r, &end));
	block.unreachable = true;
	assert_false(reach_step(&r, &block));
	assert_false(reach_step(&r, &end));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			time_on_opcodes_that_were_not_hot_is_another_fault),
		cmocka_unit_test(edits_of_an_item_find_their_bytes),
		cmocka_unit_test(the_end_of_a_block_is_reached_as_the_block_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
