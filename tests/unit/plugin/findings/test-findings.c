// SPDX-License-Identifier: GPL-2.0-only
/* What is told of findings, by hand: values, times, instances, and silence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <perfwasm/findings.h>

#define SECOND UINT64_C(1000000000)

/* A figure whose value grows by rate[t] in the t-th second. */
static void counter(struct pw_metrics *m, const char *family, const char *name,
		    const char *instance, enum pw_unit unit, double rate)
{
	pw_metrics_value(m,
			 pw_metrics_series(m, family, name, instance,
					   PW_METRIC_COUNTER, unit),
			 rate);
}

static char *text_of(struct pw_metrics *m, struct pw_findings_found *found)
{
	struct pw_report *r = pw_report_new("system", NULL);
	struct pw_render_opts o = { .width = 0 };
	struct pw_findings_found f;
	char *text = NULL;
	size_t n;
	FILE *to = open_memstream(&text, &n);

	pw_metrics_end(m);
	f = pw_findings(m, r);
	if (found)
		*found = f;
	assert_int_equal(pw_render_text(r, &o, to), 0);
	fclose(to);
	pw_report_free(r);
	pw_metrics_free(m);
	return text;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text);
}

static void has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' in:\n%s", part, text);
}

/* 100 requests a second that take `ms` each, from second to second. */
static struct pw_metrics *disk(double ms, int from, int to)
{
	struct pw_metrics *m = pw_metrics_new();
	double requests = 0, time = 0;

	for (int t = 0; t <= 10; t++) {
		pw_metrics_begin(m, "disk", (uint64_t)t * SECOND);
		counter(m, "disk", "reads", "sda", PW_UNIT_COUNT, requests);
		counter(m, "disk", "read_time", "sda", PW_UNIT_NS, time);
		if (t >= from && t < to) {
			requests += 100;
			time += 100 * ms * 1e6;
		}
	}
	return m;
}

static void a_quotient_of_time_and_events_is_a_time(void **state)
{
	struct pw_findings_found found;
	char *text = text_of(disk(50, 0, 10), &found);

	(void)state;
	has(text, "a disk answers slowly");
	has(text, "disk.read_time ");
	has(text, "sda");
	has(text, "50.0 ms");
	has(text, "over 20.0 ms");
	has(text, "all the time");
	has(text, "Look at: its queue");
	assert_int_equal(found.n[PW_SEVERITY_NOTABLE], 1);
	free(text);
}

static void it_is_told_when_it_was_so(void **state)
{
	char *text = text_of(disk(50, 4, 7), NULL);

	(void)state;
	/* without requests there is no time of one: all that is known is so */
	has(text, "all the time");
	free(text);
}

static void a_part_of_the_time_is_told_with_its_ends(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	double faults = 0;
	char *text;

	(void)state;
	for (int t = 0; t <= 10; t++) {
		pw_metrics_begin(m, "vmstat", (uint64_t)t * SECOND);
		counter(m, "vmstat", "pgmajfault", "", PW_UNIT_COUNT, faults);
		faults += t >= 4 && t < 7 ? 10000 : 0;
	}
	text = text_of(m, NULL);
	has(text, "serious");
	has(text, "3,000/s");
	has(text, "0 % of the time, 3.");
	free(text);
}

static void what_was_not_read_says_nothing(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	struct pw_findings_found found;
	char *text;

	(void)state;
	pw_metrics_source(m, "vmstat", "permission denied", 0, 0);
	text = text_of(m, &found);
	has(text, "No rule found anything");
	assert_int_equal(found.n_unasked, found.n_rules);
	free(text);
}

static void a_level_without_its_whole_is_not_judged(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	struct pw_findings_found found;
	char *text;

	(void)state;
	for (int t = 0; t <= 2; t++) {
		pw_metrics_begin(m, "meminfo", (uint64_t)t * SECOND);
		pw_metrics_value(m,
				 pw_metrics_series(m, "meminfo", "MemAvailable",
						   "", PW_METRIC_LEVEL,
						   PW_UNIT_BYTES),
				 1);
	}
	text = text_of(m, &found);
	has(text, "No rule found anything");
	assert_int_equal(found.n_unasked, found.n_rules);
	free(text);
}

static struct pw_metrics *faulting_processes(int n)
{
	struct pw_metrics *m = pw_metrics_new();

	for (int t = 0; t <= 10; t++) {
		pw_metrics_begin(m, "process", (uint64_t)t * SECOND);
		for (int i = 1; i <= n; i++) {
			char name[32];

			snprintf(name, sizeof(name), "%d proc%d", 100 + i, i);
			counter(m, "process", "major_faults", name,
				PW_UNIT_COUNT, 200.0 * i * t);
		}
	}
	return m;
}

static void the_worst_three_instances_are_told(void **state)
{
	struct pw_findings_found found;
	char *text = text_of(faulting_processes(6), &found);

	(void)state;
	has(text, "106 proc6, and 3 more");
	has(text, "104 proc4");
	has_not(text, "103 proc3");
	assert_int_equal(found.n[PW_SEVERITY_NOTABLE], 3);
	free(text);
}

static void the_recorder_itself_is_no_finding(void **state)
{
	struct pw_metrics *m = faulting_processes(1);
	char *text;

	(void)state;
	pw_metrics_fact(m, "recorder", "pid", "7 101 9");
	text = text_of(m, NULL);
	has(text, "No rule found anything");
	free(text);

	m = faulting_processes(1);
	pw_metrics_fact(m, "recorder", "pid", "10");
	text = text_of(m, NULL);
	has(text, "101 proc1");
	free(text);
}

static struct pw_metrics *packets_of_cpus(int n, double first)
{
	struct pw_metrics *m = pw_metrics_new();

	for (int t = 0; t <= 10; t++) {
		pw_metrics_begin(m, "softirqs", (uint64_t)t * SECOND);
		for (int i = 0; i < n; i++) {
			char name[16];

			snprintf(name, sizeof(name), "cpu%d", i);
			counter(m, "softirqs", "NET_RX", name, PW_UNIT_COUNT,
				t * (i == 2 ? first : 300));
		}
	}
	return m;
}

static void the_cpu_that_has_most_is_named(void **state)
{
	char *text = text_of(packets_of_cpus(4, 9100), NULL);

	(void)state;
	has(text, "one CPU receives the packets");
	has(text, "cpu2");
	has(text, "91.0 %");
	has(text, "over 80.0 %");
	free(text);
}

static void of_two_cpus_one_has_most_by_chance(void **state)
{
	char *text = text_of(packets_of_cpus(3, 9100), NULL);

	(void)state;
	has_not(text, "one CPU receives");
	free(text);
}

static void the_weightiest_stands_first(void **state)
{
	struct pw_metrics *m = disk(50, 0, 10);
	char *text;

	(void)state;
	for (int t = 0; t <= 10; t++) {
		pw_metrics_begin(m, "vmstat", (uint64_t)t * SECOND);
		counter(m, "vmstat", "oom_kill", "", PW_UNIT_COUNT, t > 5);
	}
	text = text_of(m, NULL);
	assert_true(strstr(text, "killed for want") <
		    strstr(text, "answers slowly"));
	has(text, "0 % of the time, 4.");
	free(text);
}

static void a_config_that_was_not_readable_is_not_unset(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	char *text;

	(void)state;
	pw_metrics_source(m, "config", "no such file", 0, 0);
	text = text_of(m, NULL);
	has_not(text, "huge pages");
	free(text);

	m = pw_metrics_new();
	pw_metrics_fact(m, "config", "CONFIG_SMP", "y");
	text = text_of(m, NULL);
	has(text, "the kernel knows no transparent huge pages");
	has(text, "config/CONFIG_TRANSPARENT_HUGEPAGE");
	free(text);
}

static void a_changed_figure_has_advice(void **state)
{
	struct pw_advice a = pw_findings_advice("cpu", "system");

	(void)state;
	has(a.meaning, "system calls");
	a = pw_findings_advice("interrupts", "24 eth0");
	has(a.meaning, "A device");
	/* from the rule that the figure is in */
	a = pw_findings_advice("softnet", "dropped");
	has(a.next, "netdev_max_backlog");
	a = pw_findings_advice("nobody", "knows");
	assert_null(a.meaning);
	assert_null(a.next);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quotient_of_time_and_events_is_a_time),
		cmocka_unit_test(it_is_told_when_it_was_so),
		cmocka_unit_test(a_part_of_the_time_is_told_with_its_ends),
		cmocka_unit_test(what_was_not_read_says_nothing),
		cmocka_unit_test(a_level_without_its_whole_is_not_judged),
		cmocka_unit_test(the_worst_three_instances_are_told),
		cmocka_unit_test(the_recorder_itself_is_no_finding),
		cmocka_unit_test(the_cpu_that_has_most_is_named),
		cmocka_unit_test(of_two_cpus_one_has_most_by_chance),
		cmocka_unit_test(the_weightiest_stands_first),
		cmocka_unit_test(a_config_that_was_not_readable_is_not_unset),
		cmocka_unit_test(a_changed_figure_has_advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
