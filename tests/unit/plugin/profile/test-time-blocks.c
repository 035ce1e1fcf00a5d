// SPDX-License-Identifier: GPL-2.0-only
/* Counts by block of time: nothing is lost when blocks widen or the table is
 * full. */
#include "../../../../plugin/profile/profile-impl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static double sum(const struct time_blocks *b, enum block_kind kind,
		  uint32_t id, double *samples)
{
	double ns[BLOCKS_MAX] = { 0 }, n[BLOCKS_MAX] = { 0 }, all = 0;

	blocks_get(b, kind, 1, id, ns, n);
	*samples = 0;
	for (int i = 0; i < blocks_n(b); i++) {
		all += ns[i];
		*samples += n[i];
	}
	return all;
}

static void blocks_widen_and_keep_all(void **state)
{
	struct time_blocks b = { 0 };
	double samples;

	(void)state;
	for (uint64_t t = 0; t < 1000; t++)
		blocks_add(&b, BLOCK_TASK, 1, 7, 5000 + t * t * 1000000,
			   (struct pw_count){ 1, 3 });
	assert_true(sum(&b, BLOCK_TASK, 7, &samples) == 3000);
	assert_true(samples == 1000);
	assert_true(sum(&b, BLOCK_TASK, 8, &samples) == 0);
	assert_int_equal(blocks_span_ns(&b), 998001000000);
	assert_in_range(blocks_n(&b), BLOCKS_MAX / 2, BLOCKS_MAX);
	assert_true(blocks_width_ns(&b) * (uint64_t)blocks_n(&b) >=
		    blocks_span_ns(&b));
	blocks_release(&b);
}

static void a_time_is_in_each_block_that_it_touches(void **state)
{
	struct time_blocks b = { 0 };
	double ns[BLOCKS_MAX] = { 0 }, n[BLOCKS_MAX] = { 0 };

	(void)state;
	blocks_reach(&b, 0);
	blocks_reach(&b, 8ull << 20);
	blocks_add_span(&b, BLOCK_OFF_TASK, 1, 2, 3ull << 19, 11ull << 19);
	blocks_get(&b, BLOCK_OFF_TASK, 1, 2, ns, n);
	assert_int_equal(blocks_n(&b), 8);
	assert_true(ns[0] == 0 && ns[1] == 1 << 19 && ns[2] == 1 << 20);
	assert_true(ns[4] == 1 << 20 && ns[5] == 1 << 19 && ns[6] == 0);
	assert_true(n[1] == 0 && n[5] == 1);
	blocks_release(&b);
}

/* Instructions go first, so that tasks and functions keep theirs. */
static void a_full_table_forgets_instructions(void **state)
{
	struct time_blocks b = { 0 };
	double samples;

	(void)state;
	for (uint32_t i = 0; i < 1500000; i++) {
		blocks_add(&b, BLOCK_HIT, 1, i, i * 1000ull,
			   (struct pw_count){ 1, 1 });
		blocks_add(&b, BLOCK_SYMBOL, 1, i % 1000, i * 1000ull,
			   (struct pw_count){ 1, 1 });
	}
	assert_true(b.lacks_hits && !b.is_full);
	assert_true(sum(&b, BLOCK_HIT, 0, &samples) == 0);
	assert_true(sum(&b, BLOCK_SYMBOL, 0, &samples) == 1500);
	for (uint32_t i = 0; i < 1500000; i++)
		blocks_add(&b, BLOCK_SYMBOL, 1, i, i * 1000ull,
			   (struct pw_count){ 1, 1 });
	assert_true(b.is_full);
	assert_int_equal(blocks_n(&b), 0);
	assert_int_equal(blocks_width_ns(&b), 0);
	blocks_release(&b);
}

static void what_has_no_time_has_no_blocks(void **state)
{
	struct time_blocks b = { 0 };

	(void)state;
	blocks_add(&b, BLOCK_TASK, 1, 1, 10, (struct pw_count){ 1, 1 });
	blocks_add(&b, BLOCK_TASK, 1, 1, PW_NO_TIME, (struct pw_count){ 1, 1 });
	assert_int_equal(blocks_n(&b), 0);
	blocks_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_widen_and_keep_all),
		cmocka_unit_test(a_time_is_in_each_block_that_it_touches),
		cmocka_unit_test(a_full_table_forgets_instructions),
		cmocka_unit_test(what_has_no_time_has_no_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
