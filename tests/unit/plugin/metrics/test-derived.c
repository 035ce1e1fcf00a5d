// SPDX-License-Identifier: GPL-2.0-only
/* Figures that are made of others, at each reading. */
#include <perfwasm/metrics.h>
#include <perfwasm/stats.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define S     1000000000ull
#define START (1000 * S)

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-6 * fmax(fabs(a), fabs(b)) + 1e-9;
}

static uint32_t figure(struct pw_metrics *m, const char *family,
		       const char *name, const char *instance,
		       enum pw_unit unit)
{
	return pw_metrics_series(m, family, name, instance, PW_METRIC_COUNTER,
				 unit);
}

static const char *const cpu_names[] = { "user",      "nice",   "system",
					 "idle",      "iowait", "irq",
					 "softirq",   "steal",  "guest",
					 "guest_nice" };

/* user grows by `user` ns, idle by the rest of a second. */
static void cpu_reading(struct pw_metrics *m, const char *cpu, int second,
			double user, double idle)
{
	for (int i = 0; i < 10; i++)
		pw_metrics_value(m,
				 figure(m, "cpu", cpu_names[i], cpu,
					PW_UNIT_NS),
				 i == 0   ? user
				 : i == 3 ? idle
					  : 0);
	(void)second;
}

static void busy_is_all_but_idle_and_iowait(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	const struct pw_metric *p;
	double user = 0, idle = 0;

	(void)state;
	for (int i = 0; i <= 4; i++) {
		pw_metrics_begin(m, "cpu", START + (uint64_t)i * S);
		cpu_reading(m, "cpu0", i, user, idle);
		user += i < 2 ? 0.25e9 : 0.75e9;
		idle += i < 2 ? 0.75e9 : 0.25e9;
	}
	pw_metrics_end(m);
	p = pw_metrics_find(m, "cpu", "busy", "cpu0");
	assert_non_null(p);
	assert_true(p->is_derived && p->unit == PW_UNIT_PERCENT);
	assert_true(near(p->mean, 0.5));
	assert_true(near(p->min, 0.25) && near(p->max, 0.75));
	assert_int_equal(p->span_ns, 4 * S);
	/* what is made comes before what it is made of */
	assert_string_equal(pw_metrics_get(m, 0)->name, "busy");
	pw_metrics_free(m);
}

static void without_a_divisor_there_is_no_value(void **state)
{
	static const double reads[] = { 0, 10, 10, 10, 30 };
	static const double ms[] = { 0, 20, 20, 20, 100 };
	struct pw_metrics *m = pw_metrics_new();
	const struct pw_metric *p;

	(void)state;
	for (int i = 0; i < 5; i++) {
		pw_metrics_begin(m, "disk", START + (uint64_t)i * S);
		/* delta-coded: what did not change is not told */
		if (i && reads[i] == reads[i - 1])
			continue;
		pw_metrics_value(m,
				 figure(m, "disk", "reads", "sda",
					PW_UNIT_COUNT),
				 reads[i]);
		pw_metrics_value(m,
				 figure(m, "disk", "read_time", "sda",
					PW_UNIT_NS),
				 ms[i] * 1e6);
	}
	pw_metrics_end(m);
	p = pw_metrics_find(m, "disk", "read_await", "sda");
	assert_non_null(p);
	assert_true(near(p->min, 2e6) && near(p->max, 4e6));
	assert_true(near(p->mean, 3e6)); /* of two seconds, not of four */
	assert_int_equal(p->span_ns, 2 * S);
	/* its inputs are not all there */
	assert_null(pw_metrics_find(m, "disk", "await", "sda"));
	pw_metrics_free(m);
}

static void a_rate_that_stops_is_seen(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	const struct pw_metric *p;

	(void)state;
	for (int i = 0; i <= 10; i++) {
		pw_metrics_begin(m, "process", START + (uint64_t)i * S);
		for (int k = 0; k < 2 && i < 6; k++)
			pw_metrics_value(m,
					 figure(m, "process",
						k ? "user" : "system", "7 x",
						PW_UNIT_NS),
					 0.2e9 * i);
	}
	pw_metrics_end(m);
	p = pw_metrics_find(m, "process", "cpu", "7 x");
	assert_true(near(p->mean, 0.2));
	assert_true(near(p->max, 0.4) && near(p->min, 0));
	assert_int_equal(p->span_ns, 10 * S);
	pw_metrics_free(m);
}

static void what_is_gone_has_no_derived_figure(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	uint32_t user = figure(m, "process", "user", "7 x", PW_UNIT_NS);
	uint32_t system = figure(m, "process", "system", "7 x", PW_UNIT_NS);

	(void)state;
	for (int i = 0; i <= 10; i++) {
		pw_metrics_begin(m, "process", START + (uint64_t)i * S);
		if (i < 5) {
			pw_metrics_value(m, user, 0.1e9 * i);
			pw_metrics_value(m, system, 0);
		}
		if (i == 5) {
			pw_metrics_gone(m, user);
			pw_metrics_gone(m, system);
		}
	}
	pw_metrics_end(m);
	assert_true(
		near(pw_metrics_find(m, "process", "cpu", "7 x")->mean, 0.1));
	assert_int_equal(pw_metrics_find(m, "process", "cpu", "7 x")->span_ns,
			 4 * S);
	pw_metrics_free(m);
}

static void levels_that_stay_are_inputs_too(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	uint32_t total = pw_metrics_series(m, "meminfo", "MemTotal", "",
					   PW_METRIC_LEVEL, PW_UNIT_BYTES);
	uint32_t avail = pw_metrics_series(m, "meminfo", "MemAvailable", "",
					   PW_METRIC_LEVEL, PW_UNIT_BYTES);

	(void)state;
	for (int i = 0; i <= 4; i++) {
		pw_metrics_begin(m, "meminfo", START + (uint64_t)i * S);
		if (!i)
			pw_metrics_value(m, total, 1000);
		pw_metrics_value(m, avail, 900 - 100 * i);
	}
	pw_metrics_end(m);
	assert_true(near(pw_metrics_find(m, "meminfo", "used_share", "")->last,
			 0.5));
	assert_true(near(pw_metrics_find(m, "meminfo", "used", "")->max, 500));
	pw_metrics_free(m);
}

static void one_that_never_had_a_value_is_not_there(void **state)
{
	struct pw_metrics *m = pw_metrics_new();

	(void)state;
	for (int i = 0; i <= 4; i++) {
		pw_metrics_begin(m, "disk", START + (uint64_t)i * S);
		pw_metrics_value(m,
				 figure(m, "disk", "reads", "sda",
					PW_UNIT_COUNT),
				 7);
		pw_metrics_value(m,
				 figure(m, "disk", "read_time", "sda",
					PW_UNIT_NS),
				 7);
	}
	pw_metrics_end(m);
	assert_int_equal(pw_metrics_count(m), 2);
	pw_metrics_free(m);
}

struct row {
	const char *family, *name, *formula;
};

static const struct row rows[] = {
#define PW_DERIVED(f, n, k, u, b, m, text, t, a) { #f, #n, text },
#include "../../../../plugin/metrics/derived.def"
#undef PW_DERIVED
};

static void every_formula_is_one(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct pw_err err = { 0 };
		struct pw_formula *f = pw_formula_new(rows[i].formula, &err);

		if (!f)
			fail_msg("%s.%s: %s", rows[i].family, rows[i].name,
				 err.msg);
		assert_in_range(pw_formula_n_names(f), 1, 16);
		pw_formula_free(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(busy_is_all_but_idle_and_iowait),
		cmocka_unit_test(without_a_divisor_there_is_no_value),
		cmocka_unit_test(a_rate_that_stops_is_seen),
		cmocka_unit_test(what_is_gone_has_no_derived_figure),
		cmocka_unit_test(levels_that_stay_are_inputs_too),
		cmocka_unit_test(one_that_never_had_a_value_is_not_there),
		cmocka_unit_test(every_formula_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
