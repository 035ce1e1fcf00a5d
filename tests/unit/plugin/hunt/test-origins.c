// SPDX-License-Identifier: GPL-2.0-only
/* What a hunt found out about the origin of hot code, read from its journal. */
#include "../../../../plugin/hunt/steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static void an_origin_is_found_by_its_address(void **state)
{
	struct hunt h = { 0 };

	(void)state;
	hunt_origins_parse(&h, " 10:5f 1c:61");
	assert_int_equal(h.origins.n, 2);
	assert_int_equal(hunt_origin(&h, 0x10), 0x5f);
	assert_int_equal(hunt_origin(&h, 0x1c), 0x61);
	assert_true(hunt_origin(&h, 0x11) == PW_NO_OFF);
	free(h.origins.v);
}

static void what_is_no_origin_ends_the_list(void **state)
{
	struct hunt h = { 0 };

	(void)state;
	hunt_origins_parse(&h, "");
	assert_int_equal(h.origins.n, 0);
	hunt_origins_parse(&h, " 10:5f 1c x");
	assert_int_equal(h.origins.n, 1);
	free(h.origins.v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_origin_is_found_by_its_address),
		cmocka_unit_test(what_is_no_origin_ends_the_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
