// SPDX-License-Identifier: GPL-2.0-only
/* What the step hold saw probes placement as a cause. */
#include "../../../../plugin/hunt/explain/explain-step.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* The result, or -1 when there is no probe. */
static int probe(unsigned held, unsigned of)
{
	struct group g = { .n_held = held, .n_places = of };
	struct pw_explain_probe p[1];
	uint32_t n = 0;
	char how[120];

	probe_places(&g, p, &n, how, sizeof(how));
	if (!n)
		return -1;
	assert_int_equal(p[0].pattern, PW_PATTERN_placement);
	return (int)p[0].result;
}

static void quick_everywhere_refutes_placement(void **state)
{
	(void)state;
	assert_int_equal(probe(4, 4), PW_PROBE_REFUTED);
	assert_int_equal(probe(2, 2), PW_PROBE_REFUTED);
}

static void quick_at_few_confirms_it(void **state)
{
	(void)state;
	assert_int_equal(probe(1, 4), PW_PROBE_CONFIRMED);
	assert_int_equal(probe(0, 2), PW_PROBE_CONFIRMED);
}

static void quick_at_most_or_tried_once_says_nothing(void **state)
{
	(void)state;
	assert_int_equal(probe(3, 4), -1);
	assert_int_equal(probe(1, 1), -1);
	assert_int_equal(probe(0, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quick_everywhere_refutes_placement),
		cmocka_unit_test(quick_at_few_confirms_it),
		cmocka_unit_test(quick_at_most_or_tried_once_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
