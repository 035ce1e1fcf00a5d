// SPDX-License-Identifier: GPL-2.0-only
/* Which imported function a finding outside generated code names. */
#include "../../../../plugin/hunt/triage/triage-step.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const char *dearest(struct pw_host_cost *costs, size_t n, bool waits)
{
	struct hunt h = { .waits_only = waits };
	const struct pw_host_cost *c;

	h.triage.costs = costs;
	h.triage.n_costs = n;
	c = triage_dearest(&h);
	return c ? c->name : "none";
}

/* CPU and wall time of all calls, then the oracle's. */
static struct pw_host_cost cpu_says = { "cpu", 9, 50, 60, 10, 10 };
static struct pw_host_cost wall_says = { "wall", 9, 5, 900, 5, 10 };
static struct pw_host_cost unknown = { "unknown", 9, -1, 100, -1, 10 };

static void cpu_time_decides_where_there_is_a_gap_of_it(void **state)
{
	struct pw_host_cost c[] = { wall_says, cpu_says };

	(void)state;
	assert_string_equal(dearest(c, 2, false), "cpu");
	assert_string_equal(dearest(c, 2, true), "wall");
}

static void without_more_cpu_time_wall_time_decides(void **state)
{
	struct pw_host_cost known[] = { wall_says }, none[] = { unknown };

	(void)state;
	assert_string_equal(dearest(known, 1, false), "wall");
	assert_string_equal(dearest(none, 1, false), "unknown");
}

static void what_costs_no_more_is_not_named(void **state)
{
	struct pw_host_cost c[] = { { "same", 9, 5, 10, 5, 10 } };

	(void)state;
	assert_string_equal(dearest(c, 1, false), "none");
	assert_string_equal(dearest(c, 1, true), "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_time_decides_where_there_is_a_gap_of_it),
		cmocka_unit_test(without_more_cpu_time_wall_time_decides),
		cmocka_unit_test(what_costs_no_more_is_not_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
