// SPDX-License-Identifier: GPL-2.0-only
/* The recorder's clocks, and machines whose parts come and go. */
#include "machine-tree.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

/* --- clocks ----------------------------------------------------------------------- */

static void each_source_has_its_own_clock(void **state)
{
	struct tree t;

	(void)state;
	tree_make(&t);
	tree_put(&t, "proc/vmstat", "pgfault 1\n");
	tree_put(&t, "proc/slabinfo",
		 "a 1 2 8 1 1 : tunables 0 0 0 : slabdata 1 1 0\n");
	tree_put(&t, "proc/net/sockstat", "TCP: inuse 1\n");
	tree_open(&t);
	for (int i = 0; i < 121; i++)
		tree_tick(&t);
	tree_end(&t);
	assert_int_equal(tree_source(&t, "vmstat").reads, 121);
	assert_int_equal(tree_source(&t, "sockets").reads, 121);
	assert_int_equal(tree_source(&t, "slab").reads, 3);
	assert_null(tree_source(&t, "slab").state);
	tree_release(&t);
}

static void a_rate_is_over_the_time_between_two_readings(void **state)
{
	struct tree t;
	const struct pw_metric *x;

	(void)state;
	tree_make(&t);
	tree_put(&t, "proc/vmstat", "pgfault 100\n");
	tree_open(&t);
	tree_tick(&t);
	tree_put(&t, "proc/vmstat", "pgfault 200\n");
	tree_tick(&t);
	/* three ticks and a half are slept through */
	t.now_ns += 3 * SECOND + SECOND / 2;
	tree_put(&t, "proc/vmstat", "pgfault 650\n");
	tree_tick(&t);
	tree_end(&t);
	x = tree_find(&t, "vmstat", "pgfault", "");
	assert_float_equal(x->total, 550, 1e-9);
	assert_float_equal(x->max, 100, 1e-3);
	assert_float_equal(x->mean, 100, 1e-3);
	assert_int_equal(pw_metrics_get_span(t.m).missed, 3);
	tree_release(&t);
}

static void the_clock_is_kept_when_ticks_are_late(void **state)
{
	struct tree t;
	uint64_t next;

	(void)state;
	tree_make(&t);
	tree_put(&t, "proc/vmstat", "pgfault 1\n");
	tree_open(&t);
	tree_tick(&t);
	next = pw_system_next_ns(t.s);
	assert_int_equal(next, t.now_ns);
	t.now_ns += SECOND / 10;
	assert_int_equal(pw_system_tick(t.s, NULL), 0);
	assert_int_equal(pw_system_next_ns(t.s), next + SECOND);
	assert_int_equal(pw_system_get_cost(t.s).missed, 0);
	t.now_ns += 5 * SECOND;
	assert_int_equal(pw_system_tick(t.s, NULL), 0);
	assert_int_equal(pw_system_get_cost(t.s).missed, 4);
	assert_true(pw_system_next_ns(t.s) > t.now_ns);
	tree_release(&t);
}

/* What counts and is read rarely is read at the end; what was read just now is
 * not read again. */
static void the_end_has_a_reading_of_what_counts(void **state)
{
	struct tree t;

	(void)state;
	tree_make(&t);
	tree_put(&t, "proc/vmstat", "pgfault 1\n");
	tree_put(&t, "sys/devices/system/cpu/cpu0/cpuidle/state1/usage", "5\n");
	tree_open(&t);
	tree_tick(&t);
	tree_tick(&t);
	tree_put(&t, "sys/devices/system/cpu/cpu0/cpuidle/state1/usage",
		 "25\n");
	t.now_ns -= SECOND - 1000;
	assert_int_equal(pw_system_last(t.s, NULL), 0);
	tree_end(&t);
	assert_float_equal(tree_total(&t, "idle", "entries", "cpu0 state1"), 20,
			   1e-9);
	assert_int_equal(tree_source(&t, "vmstat").reads, 2);
	tree_release(&t);
}

/* Takes so much of a CPU: at its third reading, or at each. */
struct dear {
	uint64_t ns;
	bool always;
	int reads;
};

static int read_dearly(void *ctx, struct pw_series_out *out, uint32_t first,
		       struct pw_err *err)
{
	struct dear *d = ctx;
	uint64_t from = pw_cpu_ns();

	(void)out;
	(void)first;
	(void)err;
	if (++d->reads == 3 || d->always)
		while (pw_cpu_ns() - from < d->ns)
			;
	return 0;
}

static int reads_of_dear(uint64_t ns, bool always)
{
	struct dear d = { .ns = ns, .always = always };
	struct pw_system_extra extra = { .name = "dear",
					 .read = read_dearly,
					 .ctx = &d };
	struct pw_system_opts o;
	struct tree t;

	tree_make(&t);
	o = tree_opts(&t);
	o.extra = &extra;
	o.n_extra = 1;
	t.s = pw_system_open(&o, NULL);
	assert_non_null(t.s);
	for (int i = 0; i < 30; i++)
		tree_tick(&t);
	tree_release(&t);
	return d.reads;
}

/* A machine that was stopped in the midst of one has only lost that time. */
static void what_takes_long_is_read_less_often_but_not_after_once(void **state)
{
	(void)state;
	assert_in_range(reads_of_dear(SECOND / 16, true), 5, 20);
	assert_int_equal(reads_of_dear(SECOND / 4, false), 30);
}

/* --- parts that come and go ---------------------------------------------------------- */

static void put_cpus(const struct tree *t, int tick, bool all)
{
	tree_printf(t, "proc/stat",
		    "cpu %d 0 0 0\ncpu0 %d 0 0 0\n%scpu2 %d 0 0 0\n", 0,
		    100 + tick, all ? "cpu1 5000 0 0 0\n" : "", 300 + 2 * tick);
}

static void a_cpu_that_is_unplugged_takes_no_other_with_it(void **state)
{
	struct tree t;

	(void)state;
	tree_make(&t);
	tree_open(&t);
	for (int i = 0; i < 30; i++) {
		put_cpus(&t, i, i < 10 || i >= 20);
		tree_tick(&t);
	}
	tree_end(&t);
	assert_float_equal(tree_total(&t, "cpu", "user", "cpu0"), 29 * 1e7, 1);
	assert_float_equal(tree_total(&t, "cpu", "user", "cpu2"), 58 * 1e7, 1);
	assert_float_equal(tree_total(&t, "cpu", "user", "cpu1"), 0, 1e-9);
	tree_release(&t);
}

#define FREQ(n) "sys/devices/system/cpu/cpu" n "/cpufreq/scaling_cur_freq"

/* A file that goes is noticed at once, one that comes within ten seconds. */
static void files_below_sys_come_and_go(void **state)
{
	struct tree t;
	const struct pw_metric *x;

	(void)state;
	tree_make(&t);
	tree_put(&t, FREQ("0"), "1000000\n");
	tree_open(&t);
	for (int i = 0; i < 40; i++) {
		if (i == 5)
			tree_put(&t, FREQ("10"), "3000000\n");
		if (i == 30)
			tree_remove(&t, "sys/devices/system/cpu/cpu10");
		tree_tick(&t);
	}
	tree_end(&t);
	assert_int_equal(tree_find(&t, "frequency", "current", "cpu0")->n, 40);
	x = tree_find(&t, "frequency", "current", "cpu10");
	assert_in_range(x->n, 20, 31);
	assert_float_equal(x->mean, 3e9, 1);
	tree_release(&t);
}

static void put_net(const struct tree *t, uint64_t bytes)
{
	tree_printf(t, "proc/net/dev",
		    "eth0: %llu 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		    (unsigned long long)bytes);
}

static void a_counter_that_restarts_did_not_run_backwards(void **state)
{
	static const uint64_t bytes[] = { 1000000, 1000500, 100, 600 };
	struct tree t;
	const struct pw_metric *x;

	(void)state;
	tree_make(&t);
	tree_open(&t);
	for (int i = 0; i < 4; i++) {
		put_net(&t, bytes[i]);
		tree_tick(&t);
	}
	tree_end(&t);
	x = tree_find(&t, "net", "rx_bytes", "eth0");
	assert_float_equal(x->total, 500 + 100 + 500, 1e-6);
	assert_float_equal(x->max, 500, 1e-3);
	tree_release(&t);
}

static void a_source_that_is_not_there_says_so_and_may_come(void **state)
{
	struct tree t;

	(void)state;
	tree_make(&t);
	tree_put(&t, "proc/vmstat", "pgfault 1\n");
	tree_open(&t);
	for (int i = 0; i < 8; i++)
		tree_tick(&t);
	pw_system_rotate(t.s, "/dev/null", NULL);
	pw_system_rotate(t.s, t.series, NULL);
	tree_tick(&t);
	tree_read(&t, t.series);
	assert_string_equal(tree_source(&t, "psi").state,
			    "No such file or directory");
	assert_int_equal(tree_source(&t, "psi").reads, 0);
	assert_false(tree_has(&t, "psi", "some", "cpu"));
	assert_non_null(strstr(tree_source(&t, "cgroup").state, "version 2"));
	tree_put(&t, "proc/pressure/cpu", "some avg10=0.00 total=5\n");
	for (int i = 0; i < 12; i++)
		tree_tick(&t);
	tree_end(&t);
	assert_null(tree_source(&t, "psi").state);
	assert_in_range(tree_source(&t, "psi").reads, 1, 12);
	assert_true(tree_has(&t, "psi", "some", "cpu"));
	tree_release(&t);
}

static void put_group(const struct tree *t, const char *group, int tick)
{
	char path[96];

	snprintf(path, sizeof(path), "cg%s/cpu.stat", group);
	tree_printf(t, path,
		    "usage_usec %d\nnr_throttled %d\nthrottled_usec 7\n",
		    1000 * tick, tick);
	snprintf(path, sizeof(path), "cg%s/memory.current", group);
	tree_printf(t, path, "%d\n", 4096 * tick);
	snprintf(path, sizeof(path), "cg%s/io.stat", group);
	tree_printf(t, path,
		    "8:0 rbytes=1 wbytes=%d rios=3 wios=4 dbytes=5 dios=6\n",
		    tick);
	snprintf(path, sizeof(path), "cg%s/cpu.pressure", group);
	tree_printf(t, path, "some avg10=0 total=%d\nfull avg10=0 total=0\n",
		    tick);
}

static void groups_are_found_where_they_are_mounted(void **state)
{
	struct tree t;

	(void)state;
	tree_make(&t);
	tree_put(&t, "proc/self/mountinfo",
		 "30 1 0:5 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw\n"
		 "31 1 0:9 / /cg rw shared:9 - cgroup2 cgroup2 rw\n");
	tree_open(&t);
	for (int i = 0; i < 30; i++) {
		put_group(&t, "/a", i);
		if (i >= 5)
			put_group(&t, "/a/b", i);
		tree_tick(&t);
	}
	tree_end(&t);
	assert_float_equal(tree_total(&t, "cgroup", "usage", "/a"), 29e6, 1);
	assert_float_equal(tree_total(&t, "cgroup", "nr_throttled", "/a"), 29,
			   1e-9);
	assert_float_equal(tree_find(&t, "cgroup", "memory", "/a/b")->last,
			   29 * 4096, 1e-9);
	assert_float_equal(tree_find(&t, "cgroup", "write_bytes", "/a 8:0")
				   ->last,
			   29, 1e-9);
	assert_float_equal(tree_total(&t, "cgroup", "cpu_some", "/a"), 29e3, 1);
	/* it came after the first reading: all of it is growth */
	assert_float_equal(tree_total(&t, "cgroup", "nr_throttled", "/a/b"), 29,
			   1e-9);
	tree_release(&t);
}

/* As those of containers are. */
static void long_names_of_groups_stay_apart(void **state)
{
	struct tree t;
	char path[400], name[400], deep[240];

	(void)state;
	tree_make(&t);
	memset(deep, 'x', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = 0;
	tree_put(&t, "proc/self/mountinfo",
		 "31 1 0:9 / /cg rw - cgroup2 cgroup2 rw\n");
	for (int i = 1; i <= 2; i++) {
		snprintf(path, sizeof(path), "cg/%s%d/io.stat", deep, i);
		tree_printf(&t, path, "8:0 rbytes=%d\n", i);
	}
	tree_open(&t);
	tree_tick(&t);
	tree_end(&t);
	for (int i = 1; i <= 2; i++) {
		snprintf(name, sizeof(name), "/%s%d 8:0", deep, i);
		assert_float_equal(tree_find(&t, "cgroup", "read_bytes", name)
					   ->last,
				   i, 1e-9);
	}
	tree_release(&t);
}

/* --- files ------------------------------------------------------------------------------- */

static void the_next_file_can_be_read_alone(void **state)
{
	struct tree t;
	char second[64];

	(void)state;
	tree_make(&t);
	snprintf(second, sizeof(second), "%s/second", t.root);
	tree_put(&t, "proc/slabinfo",
		 "a 1 2 8 1 1 : tunables 0 0 0 : slabdata 1 1 0\n");
	tree_open(&t);
	for (int i = 0; i < 10; i++) {
		put_cpus(&t, i, true);
		if (i == 4)
			assert_int_equal(pw_system_rotate(t.s, second, NULL),
					 0);
		tree_tick(&t);
	}
	tree_end(&t);
	assert_float_equal(tree_total(&t, "cpu", "user", "cpu0"), 3e7, 1);
	tree_read(&t, second);
	assert_float_equal(tree_total(&t, "cpu", "user", "cpu0"), 5e7, 1);
	/* that stayed the same all the time, and was read before this file */
	assert_float_equal(tree_find(&t, "cpu", "user", "cpu1")->last,
			   5000 * 1e7, 1);
	assert_float_equal(tree_find(&t, "slab", "objects", "a")->last, 2,
			   1e-9);
	tree_release(&t);
}

/* As in a ring, whose pieces were made one. */
static void facts_are_of_the_first_piece(void **state)
{
	static const char name[] = "recorder/real time";
	static const struct pw_series_column column = { "value", "count" };
	static const struct pw_series_table table = { "vmstat", &column, 1 };
	struct pw_series_out *out;
	struct tree t;

	(void)state;
	tree_make(&t);
	out = pw_series_create(t.series, &table, 1, NULL);
	assert_non_null(out);
	for (uint64_t i = 0; i < 2; i++) {
		pw_series_begin(out, (i + 1) * SECOND);
		pw_series_fact(out, name, i ? "200.0" : "100.0");
		assert_int_equal(pw_series_end(out, NULL), 0);
	}
	assert_int_equal(pw_series_finish(out, NULL), 0);
	tree_read(&t, t.series);
	assert_string_equal(pw_metrics_find_fact(t.m, "recorder", "real time"),
			    "100.0");
	tree_release(&t);
}

static void a_full_disk_ends_it_with_a_sentence(void **state)
{
	struct rlimit old, small;
	struct tree t;
	struct pw_err err = { .msg = "" };
	uint64_t ticks = 0;
	int ret = 0;

	(void)state;
	tree_make(&t);
	put_cpus(&t, 0, true);
	tree_open(&t);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = 4000;
	setrlimit(RLIMIT_FSIZE, &small);
	for (int i = 0; !ret && i < 1000; i++) {
		put_cpus(&t, i * 77 % 1000, i % 3);
		ret = pw_system_tick(t.s, &err);
		t.now_ns += SECOND;
		ticks += !ret;
	}
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(ret, -EFBIG);
	assert_non_null(strstr(err.msg, "make room"));
	assert_non_null(strstr(err.msg, t.series));
	pw_system_close(t.s, NULL);
	t.s = NULL;
	tree_read(&t, t.series);
	assert_int_equal(tree_source(&t, "stat").reads, ticks);
	tree_release(&t);
}

/* --- options ------------------------------------------------------------------------------ */

static void only_what_was_asked_for_is_read(void **state)
{
	static const char *const only[] = { "vmstat", NULL };
	static const char *const wrong[] = { "vmstats", NULL };
	struct tree t;
	struct pw_system_opts o;
	struct pw_err err = { .msg = "" };

	(void)state;
	tree_make(&t);
	tree_put(&t, "proc/vmstat", "pgfault 1\n");
	put_cpus(&t, 0, true);
	o = tree_opts(&t);
	o.only = wrong;
	assert_null(pw_system_open(&o, &err));
	assert_int_equal(err.code, EINVAL);
	assert_non_null(strstr(err.msg, "vmstats"));
	assert_non_null(strstr(err.msg, "meminfo"));
	o.only = only;
	o.interval_ns = SECOND / 1000;
	assert_null(pw_system_open(&o, &err));
	assert_non_null(strstr(err.msg, "10 ms"));
	o.interval_ns = SECOND;
	t.s = pw_system_open(&o, NULL);
	assert_non_null(t.s);
	tree_tick(&t);
	tree_end(&t);
	assert_true(tree_has(&t, "vmstat", "pgfault", ""));
	assert_false(tree_has(&t, "cpu", "user", "cpu0"));
	assert_int_equal(pw_metrics_n_sources(t.m), 1);
	tree_release(&t);
}

static void a_figure_can_be_watched(void **state)
{
	struct tree t;
	uint32_t level, rate, none;
	double v;

	(void)state;
	tree_make(&t);
	tree_put(&t, "proc/meminfo", "MemFree: 10 kB\n");
	tree_put(&t, "proc/pressure/memory", "some avg10=0 total=1000\n");
	tree_open(&t);
	level = pw_system_watch(t.s, "meminfo", "MemFree", "");
	rate = pw_system_watch(t.s, "psi", "some", "memory");
	none = pw_system_watch(t.s, "psi", "some", "io");
	assert_false(pw_system_watched(t.s, level, &v));
	tree_tick(&t);
	assert_true(pw_system_watched(t.s, level, &v));
	assert_float_equal(v, 10240, 1e-9);
	assert_false(pw_system_watched(t.s, rate, &v));
	tree_put(&t, "proc/pressure/memory", "some avg10=0 total=251000\n");
	tree_tick(&t);
	/* a quarter of a second in each second, in ns */
	assert_true(pw_system_watched(t.s, rate, &v));
	assert_float_equal(v, 0.25e9, 1);
	assert_false(pw_system_watched(t.s, none, &v));
	tree_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_source_has_its_own_clock),
		cmocka_unit_test(a_rate_is_over_the_time_between_two_readings),
		cmocka_unit_test(the_clock_is_kept_when_ticks_are_late),
		cmocka_unit_test(the_end_has_a_reading_of_what_counts),
		cmocka_unit_test(
			what_takes_long_is_read_less_often_but_not_after_once),
		cmocka_unit_test(
			a_cpu_that_is_unplugged_takes_no_other_with_it),
		cmocka_unit_test(files_below_sys_come_and_go),
		cmocka_unit_test(a_counter_that_restarts_did_not_run_backwards),
		cmocka_unit_test(
			a_source_that_is_not_there_says_so_and_may_come),
		cmocka_unit_test(groups_are_found_where_they_are_mounted),
		cmocka_unit_test(long_names_of_groups_stay_apart),
		cmocka_unit_test(the_next_file_can_be_read_alone),
		cmocka_unit_test(facts_are_of_the_first_piece),
		cmocka_unit_test(a_full_disk_ends_it_with_a_sentence),
		cmocka_unit_test(only_what_was_asked_for_is_read),
		cmocka_unit_test(a_figure_can_be_watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
