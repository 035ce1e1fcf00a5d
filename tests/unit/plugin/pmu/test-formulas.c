// SPDX-License-Identifier: GPL-2.0-only
/*
 * What each family's formulas make of counts: of some that perf stat printed,
 * with its own figures beside them, and of made-up ones that were reckoned by
 * hand from the vendors' definitions.
 */
#include "../../../../plugin/pmu/pmu-impl.h"

#include <perfwasm/stats.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct count {
	const char *name;
	double value;
};

struct expected {
	const char *figure;
	double value, off_by;
};

static double value_of(const struct count *counts, const char *name,
		       const struct family *f)
{
	if (!strcmp(name, "width"))
		return f->width;
	for (; counts->name; counts++)
		if (!strcmp(counts->name, name))
			return counts->value;
	fail_msg("%s is not among the counts", name);
	return NAN;
}

static double evaluate(const char *family, const char *figure,
		       const struct count *counts)
{
	struct plan p = { 0 };
	struct pw_formula *f;
	double values[GROUP_EVENTS + 4], value;

	plan_family(&p, family_find(family));
	if (!plan_find_figure(&p, figure))
		fail_msg("%s has no %s", family, figure);
	f = pw_formula_new(plan_find_figure(&p, figure)->formula, NULL);
	assert_non_null(f);
	for (uint32_t i = 0; i < pw_formula_n_names(f); i++)
		values[i] = value_of(counts, pw_formula_name(f, i), p.family);
	value = pw_formula_eval(f, values);
	pw_formula_free(f);
	plan_release(&p);
	return value;
}

static void compare(const char *family, const struct count *counts,
		    const struct expected *e)
{
	for (; e->figure; e++) {
		double value = evaluate(family, e->figure, counts);

		if (!(fabs(value - e->value) <= e->off_by))
			fail_msg("%s %s: %g, not %g", family, e->figure, value,
				 e->value);
	}
}

/* perf stat of a ray tracer (RTC-C++), in the notes of a public repository: 4.122
 * GHz, 3.36 insn per cycle, 0.59% of all branches, 62.6% retiring, 8.2% bad
 * speculation, 27.0% frontend bound, 2.2% backend bound. Five slots a cycle are
 * Ice Lake's. perf divides by the sum of the four, 0.3 % more than the slots. */
static void a_recorded_run_on_ice_lake(void **state)
{
	static const struct count counts[] = {
		{ "cycles", 29017092620 },
		{ "instructions", 97401205035 },
		{ "branches", 13300398903 },
		{ "branch_misses", 78188392 },
		{ "slots", 144275900080 },
		{ "slots_retiring", 90526054952 },
		{ "slots_bad", 11881544712 },
		{ "slots_frontend", 39039361198 },
		{ "slots_backend", 3206197698 },
		{ "seconds", 29017092620 / 4.122e9 },
		{ NULL, 0 },
	};
	static const struct expected want[] = {
		{ "ipc", 3.36, 0.005 },
		{ "cycles-ghz", 4.122, 0.0005 },
		{ "branch-miss-rate", 0.0059, 0.00005 },
		{ "branch-mpki", 0.803, 0.0005 },
		{ "retiring", 0.626, 0.003 },
		{ "bad-speculation", 0.082, 0.003 },
		{ "frontend-bound", 0.270, 0.003 },
		{ "backend-bound", 0.022, 0.003 },
		{ NULL, 0, 0 },
	};

	(void)state;
	compare("icelake", counts, want);
}

/* perf stat -a of an idle Ice Lake, counted 60.65 % of the time, in a mail to
 * linux-perf-users: 7.1% bad speculation, 49.2% backend bound, 32.0% frontend
 * bound, 11.7% retiring. */
static void a_recorded_idle_machine(void **state)
{
	static const struct count counts[] = {
		{ "slots", 71229087 },         { "slots_bad", 5066320 },
		{ "slots_backend", 35080387 }, { "slots_frontend", 22769750 },
		{ "slots_retiring", 8336760 }, { NULL, 0 },
	};
	static const struct expected want[] = {
		{ "bad-speculation", 0.071, 0.0005 },
		{ "backend-bound", 0.492, 0.0006 },
		{ "frontend-bound", 0.320, 0.0005 },
		{ "retiring", 0.117, 0.0005 },
		{ NULL, 0, 0 },
	};

	(void)state;
	compare("icelake", counts, want);
	compare("goldencove", counts, want);
}

/* --- made up from here on -------------------------------------------------------- */

/* 1000 cycles of two threads on a core: 4000 slots, half of them a thread's. */
static void slots_of_skylake_are_shared_by_threads(void **state)
{
	static const struct count counts[] = {
		{ "core_cycles", 1000 },
		{ "threads", 2 },
		{ "slots_frontend", 400 },
		{ "uops_issued", 900 },
		{ "uops_retired", 800 },
		{ "recovery_cycles", 50 },
		{ NULL, 0 },
	};
	static const struct expected want[] = {
		{ "frontend-bound", 0.2, 1e-9 },
		{ "retiring", 0.4, 1e-9 },
		{ "bad-speculation", (900 - 800 + 100) / 2000.0, 1e-9 },
		{ "backend-bound", 1 - 0.2 - 0.4 - 0.1, 1e-9 },
		{ NULL, 0, 0 },
	};

	(void)state;
	compare("skylake", counts, want);
}

static void slots_of_zen_are_six_and_eight(void **state)
{
	static const struct count counts[] = {
		{ "cycles", 1000 },
		{ "slots_frontend", 600 },
		{ "slots_backend", 1200 },
		{ "slots_smt", 300 },
		{ "ops_dispatched", 3000 },
		{ "ops_retired", 2400 },
		{ "stall_load", 10 },
		{ "stall_any", 40 },
		{ NULL, 0 },
	};
	static const struct expected four[] = {
		{ "frontend-bound", 0.1, 1e-9 },
		{ "backend-bound", 0.2, 1e-9 },
		{ "memory-bound", 0.05, 1e-9 },
		{ "smt-contention", 0.05, 1e-9 },
		{ "bad-speculation", 0.1, 1e-9 },
		{ "retiring", 0.4, 1e-9 },
		/* APerf: counts / cycles * 167 */
		{ "stall-backend-pkc", 200, 0.5 },
		{ NULL, 0, 0 },
	}, five[] = {
		{ "frontend-bound", 0.075, 1e-9 },
		{ "backend-bound", 0.15, 1e-9 },
		{ "retiring", 0.3, 1e-9 },
		/* counts / cycles * 125 */
		{ "stall-backend-pkc", 150, 1e-9 },
		{ NULL, 0, 0 },
	};

	(void)state;
	compare("zen4", counts, four);
	compare("zen5", counts, five);
}

static void slots_of_neoverse_are_of_their_width(void **state)
{
	static const struct count counts[] = {
		{ "cycles", 1000 },
		{ "slots_frontend", 2000 },
		{ "slots_backend", 1000 },
		{ "slots_stalled", 3000 },
		{ "ops_retired", 3 },
		{ "ops_issued", 4 },
		{ NULL, 0 },
	};
	static const struct expected eight[] = {
		{ "frontend-bound", 0.25, 1e-9 },
		{ "backend-bound", 0.125, 1e-9 },
		{ "retiring", 0.75 * 0.625, 1e-9 },
		{ "bad-speculation", 0.25 * 0.625, 1e-9 },
		{ NULL, 0, 0 },
	}, n2[] = {
		/* counts one stalled slot a cycle too many */
		{ "frontend-bound", 0.2, 1e-9 },
		{ "backend-bound", 0.2, 1e-9 },
		{ "retiring", 0.75 * 0.6, 1e-9 },
		{ NULL, 0, 0 },
	};

	(void)state;
	compare("neoverse-v1", counts, eight);
	compare("neoverse-v2", counts, eight);
	compare("neoverse-n2", counts, n2);
}

static void memory_of_other_nodes_is_a_share(void **state)
{
	static const struct count counts[] = {
		{ "dram_local", 30 },
		{ "dram_remote", 10 },
		{ "instructions", 20000 },
		{ NULL, 0 },
	};
	static const struct expected want[] = {
		{ "remote-memory", 0.25, 1e-9 },
		{ "l3-mpki", 2, 1e-9 },
		{ NULL, 0, 0 },
	};

	(void)state;
	compare("zen2", counts, want);
	compare("zen3", counts, want);
}

static void nothing_divided_is_not_known(void **state)
{
	static const struct count counts[] = {
		{ "cycles", 0 },
		{ "instructions", 0 },
		{ "branches", 0 },
		{ "branch_misses", 0 },
		{ "branch_misses_retired", 0 },
		{ NULL, 0 },
	};

	(void)state;
	assert_true(isnan(evaluate("zen4", "ipc", counts)));
	assert_true(isnan(evaluate("zen4", "branch-miss-rate", counts)));
	assert_true(isnan(evaluate("arm", "branch-miss-rate", counts)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recorded_run_on_ice_lake),
		cmocka_unit_test(a_recorded_idle_machine),
		cmocka_unit_test(slots_of_skylake_are_shared_by_threads),
		cmocka_unit_test(slots_of_zen_are_six_and_eight),
		cmocka_unit_test(slots_of_neoverse_are_of_their_width),
		cmocka_unit_test(memory_of_other_nodes_is_a_share),
		cmocka_unit_test(nothing_divided_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
