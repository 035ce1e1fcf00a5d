// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts of made-up machines through a series to figures: groups, turns, CPUs
 * that come and go, and what cannot be counted.
 */
#include "pmu-machine.h"

#include <perfwasm/metrics.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define SKYLAKE "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
#define ICELAKE "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 106\n"
#define ZEN4    "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n"

/* One core, its capture, and what becomes of it. */
struct machine {
	char *root, *path;
	struct fake kernel;
	struct pw_pmu *pmu;
	struct pw_series_out *out;
	struct pw_metrics *metrics;
	uint64_t now_ns;
};

/* A third of an instruction a ns on cpu0, twice that on the others. */
static double rate(uint32_t type, uint64_t config, int cpu)
{
	double busy = cpu ? 2 : 1;

	if (type == PERF_TYPE_SOFTWARE)
		return config == PERF_COUNT_SW_CPU_CLOCK ? 1 : 1e-6 * busy;
	if (type == 9) /* msr: tsc, aperf, mperf */
		return config == 0 ? 2.0 : config == 1 ? 1.5 : 1.0;
	switch (config) {
	case 0xc0: /* instructions */
		return busy / 3;
	case 0x3c: /* cycles of Intel and of AMD */
	case 0x76:
		return busy / 2;
	case 0xc3: /* misses of branches */
	case 0xc5:
		return busy / 300;
	case 0xc2:
	case 0xc4:
		return 0; /* no branches: a share of nothing */
	default:
		return busy / 100;
	}
}

static void machine_start(struct machine *m, const char *cpuinfo,
			  void (*pmu)(const char *), uint32_t counters,
			  const char *online)
{
	*m = (struct machine){ .root = machine_root(), .now_ns = 1000000000 };
	m->path = pw_asprintf("%s/capture.series", m->root);
	machine_file(m->root, "proc/cpuinfo", cpuinfo);
	machine_cpus(m->root, online);
	if (pmu)
		pmu(m->root);
	fake_init(&m->kernel, counters, rate);
}

static struct pw_pmu *machine_open(struct machine *m, const char *config,
				   struct pw_err *err)
{
	m->pmu = pw_pmu_open(&(struct pw_pmu_opts){ m->root, config,
						    &m->kernel.ops },
			     err);
	return m->pmu;
}

/* A reading, and time passes. */
static bool tick(struct machine *m)
{
	const struct pw_series_table *tables;
	uint32_t n;
	bool whole;

	tables = pw_pmu_tables(m->pmu, &n);
	if (!m->out)
		m->out = pw_series_create(m->path, tables, n, NULL);
	assert_non_null(m->out);
	pw_series_begin(m->out, m->now_ns);
	whole = pw_pmu_read(m->pmu, m->out, 0);
	assert_int_equal(pw_series_end(m->out, NULL), 0);
	m->now_ns += 1000000000;
	fake_pass(&m->kernel, 1e9);
	return whole;
}

static void read_items(struct machine *m, struct pw_series *s)
{
	struct pw_pmu_reader *r = pw_pmu_reader_new(m->metrics);
	struct pw_series_item item;
	uint64_t last = 0;

	while (pw_series_next(s, &item, NULL) == 1) {
		if (item.kind == PW_SERIES_READOUT && last)
			pw_pmu_reader_end(r, last);
		last = item.time_ns;
		pw_pmu_reader_item(r, s, &item);
	}
	pw_pmu_reader_end(r, last);
	pw_pmu_reader_sum_up(r);
	pw_pmu_reader_free(r);
}

/* Ends the capture and reads it. */
static void finish(struct machine *m)
{
	struct pw_series *s;

	assert_int_equal(pw_series_finish(m->out, NULL), 0);
	m->out = NULL;
	m->metrics = pw_metrics_new();
	s = pw_series_open(m->path, NULL);
	assert_non_null(s);
	read_items(m, s);
	pw_series_close(s);
	pw_metrics_end(m->metrics);
}

static void machine_end(struct machine *m)
{
	pw_pmu_close(m->pmu);
	assert_int_equal(m->kernel.n_open, 0);
	pw_metrics_free(m->metrics);
	pw_remove_tree(m->root, NULL);
	free(m->root);
	free(m->path);
}

static const struct pw_metric *figure(const struct machine *m, const char *name,
				      const char *instance)
{
	return pw_metrics_find(m->metrics, "pmu", name, instance);
}

static void assert_figure(const struct machine *m, const char *name,
			  const char *instance, double want)
{
	const struct pw_metric *f = figure(m, name, instance);

	if (!f)
		fail_msg("%s %s is not there", name, instance);
	if (fabs(f->mean - want) > 1e-6 * fabs(want))
		fail_msg("%s %s is %g, not %g", name, instance, f->mean, want);
}

static const char *missing(const struct pw_pmu *p, const char *name)
{
	for (uint32_t i = 0; i < pw_pmu_n_figures(p); i++)
		if (!strcmp(pw_pmu_figure(p, i).name, name))
			return pw_pmu_figure(p, i).missing;
	return "no such figure";
}

static void assert_has(const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		fail_msg("\"%s\" does not hold \"%s\"", text ? text : "", part);
}

/* --- tests ----------------------------------------------------------------------------- */

static void figures_of_each_cpu_and_of_all_come_back(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, ZEN4, machine_amd, 6, "0-3\n");
	machine_msr(m.root);
	assert_non_null(machine_open(&m, NULL, NULL));
	assert_has(pw_pmu_state(m.pmu), "AMD Zen 4");
	for (int i = 0; i < 5; i++)
		assert_true(tick(&m));
	finish(&m);
	assert_figure(&m, "ipc", "cpu0", 2.0 / 3);
	assert_figure(&m, "ipc", "all", 2.0 / 3);
	assert_figure(&m, "branch-mpki", "cpu3", 10);
	/* scaled to the time in which others counted: half a GHz and a whole */
	assert_figure(&m, "cycles-ghz", "cpu0", 0.5);
	assert_figure(&m, "cycles-ghz", "cpu1", 1);
	assert_figure(&m, "cycles-ghz", "all", 3.5 / 4);
	assert_figure(&m, "freq-ratio", "cpu2", 1.5);
	assert_figure(&m, "freq-ghz", "all", 3);
	assert_figure(&m, "unhalted", "all", 0.5);
	/* width is the family's: 6 slots a cycle */
	assert_figure(&m, "frontend-bound", "cpu0", 0.01 / 3);
	/* no branches at all */
	assert_null(figure(&m, "branch-miss-rate", "cpu0"));
	machine_end(&m);
}

static void what_was_counted_in_turns_is_scaled_and_told(void **state)
{
	struct machine m;
	const char *fact;
	uint32_t n;

	(void)state;
	machine_start(&m, ZEN4, machine_amd, 6, "0\n");
	assert_non_null(machine_open(&m, NULL, NULL));
	assert_true(pw_pmu_has_counters(m.pmu));
	pw_pmu_tables(m.pmu, &n);
	for (int i = 0; i < 3; i++)
		tick(&m);
	finish(&m);
	/* one of the tables is software's, one the third cache's */
	assert_true(n >= 5);
	assert_figure(&m, "counted-1", "all", 1.0 / (n - 2));
	fact = pw_metrics_find_fact(m.metrics, "pmu_whole", "ipc");
	assert_has(fact, "0.6667, counted 20 % of the time (group 1)");
	fact = pw_metrics_find_fact(m.metrics, "pmu", "ipc");
	assert_string_equal(fact, "instructions / cycles");
	machine_end(&m);
}

static void groups_hold_no_more_than_there_are_counters(void **state)
{
	static const uint32_t counters[] = { 8, 6, 4, 3, 2 };
	const struct pw_series_table *t;
	uint32_t n;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct machine m;

		machine_start(&m, SKYLAKE, machine_intel, counters[i], "0-1\n");
		assert_non_null(machine_open(&m, NULL, NULL));
		t = pw_pmu_tables(m.pmu, &n);
		assert_string_equal(t[0].name, "pmu.software");
		assert_true(n > 2 && n <= 24);
		/* fixed ones beside them */
		for (uint32_t k = 1; k < n; k++)
			assert_true(t[k].n <= 2 + counters[i] + 5);
		assert_null(missing(m.pmu, "ipc"));
		assert_null(missing(m.pmu, "backend-bound"));
		for (int k = 0; k < 3; k++)
			tick(&m);
		finish(&m);
		assert_figure(&m, "l2-mpki", "cpu1", 30);
		/* frontend, issued, recovery of one thread: 0.01 a ns each */
		assert_figure(&m, "backend-bound", "cpu0",
			      1 - (0.02 + 4 * 0.01) / (4 * 0.01));
		machine_end(&m);
	}
}

static void the_watchdog_has_a_counter_of_its_own(void **state)
{
	const struct pw_series_table *t;
	struct machine m;
	uint32_t n;

	(void)state;
	machine_start(&m, ZEN4, machine_amd, 6, "0\n");
	machine_file(m.root, "proc/sys/kernel/nmi_watchdog", "1\n");
	assert_non_null(machine_open(&m, NULL, NULL));
	t = pw_pmu_tables(m.pmu, &n);
	for (uint32_t i = 1; i < n; i++)
		assert_true(t[i].n <= 2 + 5);
	machine_end(&m);
}

static void slots_lead_their_group(void **state)
{
	const struct pw_series_table *t;
	struct machine m;
	uint32_t n, found = 0;

	(void)state;
	machine_start(&m, ICELAKE, machine_intel, 8, "0\n");
	assert_non_null(machine_open(&m, NULL, NULL));
	t = pw_pmu_tables(m.pmu, &n);
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t k = 2; k < t[i].n; k++)
			if (!strcmp(t[i].columns[k].name, "slots")) {
				assert_int_equal(k, 2);
				found++;
			}
	assert_int_equal(found, 1);
	assert_null(missing(m.pmu, "retiring"));
	machine_end(&m);
}

static void a_machine_without_pmu_counts_software(void **state)
{
	const struct pw_metric *f;
	struct machine m;
	uint32_t n;

	(void)state;
	machine_start(&m, ICELAKE, NULL, 0, "0-1\n");
	assert_non_null(machine_open(&m, NULL, NULL));
	assert_has(pw_pmu_state(m.pmu), "no hardware counters here");
	assert_has(pw_pmu_state(m.pmu), "in their place");
	assert_false(pw_pmu_has_counters(m.pmu));
	assert_string_equal(pw_pmu_tables(m.pmu, &n)->name, "pmu.software");
	assert_int_equal(n, 1);
	for (int i = 0; i < 4; i++)
		assert_true(tick(&m));
	finish(&m);
	f = pw_metrics_find(m.metrics, "software", "context_switches", "cpu1");
	assert_non_null(f);
	assert_true(fabs(f->mean - 2000) < 1);
	machine_end(&m);
}

static void what_is_not_permitted_is_told(void **state)
{
	struct machine m;
	uint32_t n;

	(void)state;
	machine_start(&m, ZEN4, machine_amd, 6, "0\n");
	m.kernel.refuse = -EACCES;
	assert_non_null(machine_open(&m, NULL, NULL));
	assert_has(pw_pmu_state(m.pmu), "kernel.perf_event_paranoid");
	assert_has(missing(m.pmu, "ipc"), "not permitted");
	pw_pmu_tables(m.pmu, &n);
	assert_int_equal(n, 0);
	machine_end(&m);
}

static void an_event_that_is_not_there_takes_its_figures_along(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, ZEN4, machine_amd, 6, "0\n");
	m.kernel.unknown = 0xc3;
	assert_non_null(machine_open(&m, NULL, NULL));
	assert_has(missing(m.pmu, "branch-mpki"), "event branch_misses");
	assert_null(missing(m.pmu, "ipc"));
	machine_end(&m);
}

static void too_few_open_files_are_told(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, ZEN4, machine_amd, 6, "0-7\n");
	m.kernel.max_open = 80;
	assert_non_null(machine_open(&m, NULL, NULL));
	assert_has(pw_pmu_state(m.pmu), "ulimit -n");
	machine_end(&m);
}

static void a_cpu_that_goes_is_dropped_and_comes_back(void **state)
{
	const struct pw_metric *f;
	struct machine m;

	(void)state;
	machine_start(&m, ZEN4, machine_amd, 6, "0-1\n");
	assert_non_null(machine_open(&m, NULL, NULL));
	for (int i = 0; i < 3; i++)
		tick(&m);
	machine_cpus(m.root, "0\n");
	m.kernel.is_offline[1] = true;
	for (int i = 0; i < 3; i++)
		assert_true(tick(&m));
	machine_cpus(m.root, "0-1\n");
	m.kernel.is_offline[1] = false;
	for (int i = 0; i < 3; i++)
		assert_true(tick(&m));
	finish(&m);
	f = figure(&m, "ipc", "cpu1");
	assert_non_null(f);
	/* two intervals before, two after; the clock ran on meanwhile */
	assert_int_equal(f->n, 4);
	assert_figure(&m, "ipc", "cpu1", 2.0 / 3);
	assert_figure(&m, "cycles-ghz", "cpu1", 1);
	machine_end(&m);
}

/* The kernel takes events off a CPU that goes, and does not put them back. */
static void a_cpu_that_stopped_counting_is_opened_anew(void **state)
{
	struct machine m;
	int opened;

	(void)state;
	machine_start(&m, ZEN4, machine_amd, 6, "0-1\n");
	assert_non_null(machine_open(&m, NULL, NULL));
	tick(&m);
	tick(&m);
	for (int i = 0; i < m.kernel.n; i++)
		if (m.kernel.events[i].cpu == 1)
			m.kernel.events[i].is_enabled = false;
	tick(&m);
	opened = m.kernel.n;
	assert_false(tick(&m));
	assert_true(m.kernel.n > opened);
	assert_true(tick(&m));
	assert_true(tick(&m));
	finish(&m);
	assert_figure(&m, "cycles-ghz", "cpu1", 1);
	machine_end(&m);
}

static void a_count_that_began_anew_has_no_growth_then(void **state)
{
	const struct pw_metric *f;
	struct machine m;

	(void)state;
	machine_start(&m, ZEN4, machine_amd, 6, "0\n");
	assert_non_null(machine_open(&m, NULL, NULL));
	for (int i = 0; i < 3; i++)
		tick(&m);
	for (int i = 0; i < m.kernel.n; i++)
		m.kernel.events[i].count /= 8;
	for (int i = 0; i < 3; i++)
		tick(&m);
	finish(&m);
	f = figure(&m, "ipc", "cpu0");
	assert_int_equal(f->n, 4);
	assert_figure(&m, "ipc", "cpu0", 2.0 / 3);
	assert_true(f->max < 0.67);
	machine_end(&m);
}

/* A virtual machine may know a PMU's name and count nothing by it. */
static void a_pmu_that_counts_nothing_is_none(void **state)
{
	struct machine m;
	uint32_t n;

	(void)state;
	machine_start(&m, ZEN4, machine_amd, 6, "0\n");
	m.kernel.no_cores = true;
	assert_non_null(machine_open(&m, NULL, NULL));
	assert_has(pw_pmu_state(m.pmu), "no hardware counters here (event ");
	pw_pmu_tables(m.pmu, &n);
	assert_int_equal(n, 2); /* software and the third caches */
	machine_end(&m);
}

static void a_second_file_tells_all_anew(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, ZEN4, machine_amd, 6, "0\n");
	assert_non_null(machine_open(&m, NULL, NULL));
	tick(&m);
	tick(&m);
	assert_int_equal(pw_series_finish(m.out, NULL), 0);
	m.out = NULL;
	pw_pmu_again(m.pmu);
	for (int i = 0; i < 3; i++)
		tick(&m);
	finish(&m);
	assert_figure(&m, "ipc", "cpu0", 2.0 / 3);
	machine_end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_of_each_cpu_and_of_all_come_back),
		cmocka_unit_test(what_was_counted_in_turns_is_scaled_and_told),
		cmocka_unit_test(groups_hold_no_more_than_there_are_counters),
		cmocka_unit_test(the_watchdog_has_a_counter_of_its_own),
		cmocka_unit_test(slots_lead_their_group),
		cmocka_unit_test(a_machine_without_pmu_counts_software),
		cmocka_unit_test(what_is_not_permitted_is_told),
		cmocka_unit_test(
			an_event_that_is_not_there_takes_its_figures_along),
		cmocka_unit_test(too_few_open_files_are_told),
		cmocka_unit_test(a_cpu_that_goes_is_dropped_and_comes_back),
		cmocka_unit_test(a_cpu_that_stopped_counting_is_opened_anew),
		cmocka_unit_test(a_count_that_began_anew_has_no_growth_then),
		cmocka_unit_test(a_pmu_that_counts_nothing_is_none),
		cmocka_unit_test(a_second_file_tells_all_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
