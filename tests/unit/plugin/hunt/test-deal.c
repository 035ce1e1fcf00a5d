// SPDX-License-Identifier: GPL-2.0-only
/* How many groups of mutants a shard runs at most. */
#include "../../../../plugin/hunt/steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static uint32_t budget(uint32_t whole, uint32_t n_shards)
{
	struct pw_hunt_opts o = { .budget = whole,
				  .shard = n_shards ? 1 : 0,
				  .n_shards = n_shards };

	return deal_budget(&o);
}

static void a_whole_hunt_has_all_of_the_budget(void **state)
{
	(void)state;
	assert_int_equal(budget(800, 0), 800);
	assert_int_equal(budget(800, 1), 800);
}

static void all_shards_together_have_no_less(void **state)
{
	(void)state;
	for (uint32_t n = 2; n < 100; n++) {
		assert_true(n * budget(800, n) >= 800);
		assert_true(budget(800, n) < 800);
		/* no shard without any, and none with more than asked for */
		assert_int_equal(budget(1, n), 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_hunt_has_all_of_the_budget),
		cmocka_unit_test(all_shards_together_have_no_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
