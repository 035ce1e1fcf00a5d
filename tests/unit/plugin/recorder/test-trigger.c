// SPDX-License-Identifier: GPL-2.0-only
/* A condition says what to watch and when it holds; what is none is refused
 * with what was expected. */
#include <perfwasm/recorder.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void parse(struct pw_trigger *t, const char *text)
{
	struct pw_err err = { .msg = "" };

	if (pw_trigger_parse(t, text, &err))
		fail_msg("%s: %s", text, err.msg);
}

static bool holds_at(const char *text, double value)
{
	struct pw_trigger t;
	bool holds;

	parse(&t, text);
	assert_int_equal(t.n_parts, 1);
	holds = pw_trigger_holds(&t, &value);
	pw_trigger_release(&t);
	return holds;
}

static void units_make_the_limit_what_a_reading_is_in(void **state)
{
	(void)state;
	assert_true(holds_at("psi.some[memory] > 10%", 0.11e9));
	assert_false(holds_at("psi.some[memory] > 10 %", 0.09e9));
	assert_true(holds_at("psi.some[cpu]>100ms", 0.11e9));
	assert_true(holds_at("meminfo.MemAvailable < 500M", 499.0 * 1048576));
	assert_false(holds_at("meminfo.MemAvailable<500M", 501.0 * 1048576));
	assert_true(holds_at("vmstat.pgmajfault > 1000", 1001));
	assert_false(holds_at("kernel.running > 8 ", 8));
}

static void names_and_instances_are_taken_apart(void **state)
{
	struct pw_trigger t;

	(void)state;
	parse(&t, "netstat.TcpExt:TCPTimeouts > 3");
	assert_string_equal(t.family, "netstat");
	assert_string_equal(t.parts[0].metric, "TcpExt:TCPTimeouts");
	assert_string_equal(t.instance, "");
	pw_trigger_release(&t);
	parse(&t, "disk.write_bytes[nvme0n1 p.1] > 100M");
	assert_string_equal(t.parts[0].metric, "write_bytes");
	assert_string_equal(t.instance, "nvme0n1 p.1");
	assert_true(t.limit == 100.0 * 1048576);
	pw_trigger_release(&t);
}

/* user nice system idle iowait irq softirq steal guest guest_nice */
static const double mostly_idle[] = { 2e8, 0, 1e8, 16e8, 1e8, 0, 0, 0, 0, 0 };
static const double mostly_busy[] = { 12e8, 0, 7e8, 1e8, 0, 0, 0, 0, 0, 0 };

/* Half of it is its host's. */
static const double stolen[] = { 4e8, 0, 0, 4e8, 2e8, 0, 0, 10e8, 0, 0 };

static bool cpu_holds(const char *text, const double *values)
{
	struct pw_trigger t;
	bool holds;

	parse(&t, text);
	assert_int_equal(t.n_parts, 10);
	assert_string_equal(t.parts[3].metric, "idle");
	holds = pw_trigger_holds(&t, values);
	pw_trigger_release(&t);
	return holds;
}

static void cpu_time_is_a_share_of_all_cpus(void **state)
{
	static const double nothing[10];

	(void)state;
	assert_true(cpu_holds("cpu.busy > 14%", mostly_idle));
	assert_false(cpu_holds("cpu.busy > 16%", mostly_idle));
	assert_true(cpu_holds("cpu.busy > 90%", mostly_busy));
	assert_true(cpu_holds("cpu.idle[cpu1] < 6%", mostly_busy));
	assert_true(cpu_holds("cpu.user > 59%", mostly_busy));
	assert_false(cpu_holds("cpu.user > 61%", mostly_busy));
	assert_true(cpu_holds("cpu.busy < 21%", stolen));
	assert_true(cpu_holds("cpu.steal > 49%", stolen));
	assert_false(cpu_holds("cpu.idle < 5%", nothing));
}

static void what_is_no_condition_is_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "expected FAMILY.METRIC" },
		{ "cpu > 9%", "expected FAMILY.METRIC" },
		{ ".busy > 9%", "expected FAMILY.METRIC" },
		{ "cpu. > 9%", "expected FAMILY.METRIC" },
		{ "cpu.busy 90%", "expected FAMILY.METRIC" },
		{ "cpu.busy =9%", "expected FAMILY.METRIC" },
		{ "cpu.busy > much", "expected FAMILY.METRIC" },
		{ "cpu.busy > nan%", "expected FAMILY.METRIC" },
		{ "cpu.busy[cpu0", "expected FAMILY.METRIC" },
		{ "cpu.lazy > 9%", "it has user, nice" },
		{ "gpu.busy > 9%", "there are cpu" },
		{ "cpu.busy > 90", "with % or ms" },
		{ "cpu.busy > 90M", "with % or ms" },
		{ "vmstat.pgfault > 9%", "without a unit" },
		{ "vmstat.pgfault > 9 K 3", "without a unit" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pw_err err = { .msg = "" };
		struct pw_trigger t;

		if (pw_trigger_parse(&t, cases[i].text, &err) != -EINVAL ||
		    !strstr(err.msg, cases[i].says))
			fail_msg("'%s': %s", cases[i].text, err.msg);
		pw_trigger_release(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_make_the_limit_what_a_reading_is_in),
		cmocka_unit_test(names_and_instances_are_taken_apart),
		cmocka_unit_test(cpu_time_is_a_share_of_all_cpus),
		cmocka_unit_test(what_is_no_condition_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
