// SPDX-License-Identifier: GPL-2.0-only
/* Which constants may bound a hot loop. */
#include "../../../../plugin/hunt/steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void what_is_compared_comes_before_what_is_computed_with(void **state)
{
	(void)state;
	assert_true(scale_promise(0.5, PW_OP_i32_ne) >
		    scale_promise(0.5, PW_OP_local_set));
	assert_true(scale_promise(0.5, PW_OP_local_set) >
		    scale_promise(0.5, PW_OP_call));
	assert_true(scale_promise(0.5, PW_OP_call) >
		    scale_promise(0.5, PW_OP_i64_and));
}

static void a_bound_in_a_cold_caller_comes_before_a_hot_mask(void **state)
{
	(void)state;
	assert_true(scale_promise(0, PW_OP_i32_ne) >
		    scale_promise(0.9, PW_OP_i64_and));
	assert_true(scale_promise(0, PW_OP_local_tee) >
		    scale_promise(0.8, PW_OP_i32_shl));
}

static void of_two_bounds_the_hotter_function_counts(void **state)
{
	(void)state;
	assert_true(scale_promise(0.5, PW_OP_i64_lt_u) >
		    scale_promise(0.3, PW_OP_i64_lt_u));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			what_is_compared_comes_before_what_is_computed_with),
		cmocka_unit_test(
			a_bound_in_a_cold_caller_comes_before_a_hot_mask),
		cmocka_unit_test(of_two_bounds_the_hotter_function_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
