// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of the PMU in recordings of APerf: the three forms that it gave them,
 * written after its source, as no machine here has counters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "aperf-fixture.h"

static struct pw_metrics *read_counters(const char *config, const char *first,
					const char *second)
{
	struct files f = files_new();
	struct pw_buf b = { 0 }, other = two_stats();

	add_record(&b, 7, 10, first);
	add_record(&b, 7, 11, second);
	add_file(&f, "r/cpu_utilization.bin", &other);
	add_file(&f, "r/perf_stat.bin", &b);
	if (config)
		add_string(&f, "r/pmu_config.json", config);
	return must_read(&f);
}

static const char config[] =
	"{\"events\": {}, \"metrics\": {\"ipc\": \"Instructions / Cycles\"}}";

/* Cycles before instructions: the alphabet's order. CPU 1 was counted in half
 * of the time, which a quotient of one group does not see. */
static void groups_are_counted_by_the_alphabet(void **state)
{
	struct pw_metrics *m =
		read_counters(config, "0;ipc;100;50;1;1\n1;ipc;100;150;1;1\n",
			      "0;ipc;100;70;2;2\n1;ipc;50;100;2;1.5\n");

	(void)state;
	near(figure(m, "pmu", "ipc", "cpu0")->last, 0.7);
	near(figure(m, "pmu", "ipc", "cpu1")->last, 2);
	near(figure(m, "pmu", "ipc", "all")->last, 270 / 200.0);
	pw_metrics_free(m);
}

static void events_alone_are_scaled_each(void **state)
{
	struct pw_metrics *m =
		read_counters(config,
			      "0;Cycles;100;1;1\n0;Instructions;50;1;1\n",
			      "0;Cycles;100;2;1.5\n0;Instructions;50;2;2\n"
			      "1;Cycles;300;2;2\n1;Instructions;150;2;2\n");

	(void)state;
	near(figure(m, "pmu", "ipc", "cpu0")->last, 0.25);
	near(figure(m, "pmu", "ipc", "cpu1")->last, 0.5);
	near(figure(m, "pmu", "ipc", "all")->last, 200 / 500.0);
	pw_metrics_free(m);
}

static void the_first_form_has_sums_and_a_scale(void **state)
{
	struct pw_metrics *m =
		read_counters(NULL,
			      "0 l3-mpki;1 2;100;1000\n1 l3-mpki;1;100;1000\n",
			      "0 l3-mpki;3 3;200;1000\n1 l3-mpki;0;100;1000\n");

	(void)state;
	near(figure(m, "pmu", "l3-mpki", "cpu0")->last, 30);
	near(figure(m, "pmu", "l3-mpki", "all")->last, 20);
	pw_metrics_free(m);
}

static void nothing_counted_is_nothing_told(void **state)
{
	struct pw_metrics *m = read_counters(
		config, "0;ipc;0;0;1;0\n",
		"0;ipc;0;5;2;1\n9999999;ipc;1;1;1;1\nipc\n0;ipc;1;1\n");

	(void)state;
	assert_null(pw_metrics_find(m, "pmu", "ipc", "cpu0"));
	pw_metrics_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_are_counted_by_the_alphabet),
		cmocka_unit_test(events_alone_are_scaled_each),
		cmocka_unit_test(the_first_form_has_sums_and_a_scale),
		cmocka_unit_test(nothing_counted_is_nothing_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
