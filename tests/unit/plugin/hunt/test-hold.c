// SPDX-License-Identifier: GPL-2.0-only
/* A finding that is quick at few placements of the code has moved it. */
#include "../../../../plugin/hunt/place/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static bool is_placement(unsigned held, unsigned of)
{
	struct group g = { .n_places = of, .n_held = held };

	return hunt_is_placement(&g);
}

static void one_that_holds_everywhere_is_no_placement(void **state)
{
	(void)state;
	assert_false(is_placement(4, 4));
	assert_false(is_placement(3, 4));
	assert_false(is_placement(2, 3));
}

static void one_that_holds_at_half_of_them_is_placement(void **state)
{
	(void)state;
	assert_true(is_placement(0, 2));
	assert_true(is_placement(1, 2));
	assert_true(is_placement(2, 4));
}

static void without_other_placements_nothing_is_said(void **state)
{
	(void)state;
	assert_false(is_placement(0, 0));
	assert_false(is_placement(0, 1));
	assert_false(is_placement(1, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_that_holds_everywhere_is_no_placement),
		cmocka_unit_test(one_that_holds_at_half_of_them_is_placement),
		cmocka_unit_test(without_other_placements_nothing_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
