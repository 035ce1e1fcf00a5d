// SPDX-License-Identifier: GPL-2.0-only
/*
 * A day of readings every second, by a clock of our own: memory stays what it
 * was after the first hour, and the file grows with time alone, though processes
 * come and go all day.
 */
#include "machine-tree.h"

#ifdef __SANITIZE_ADDRESS__
enum { HOURS = 3, HAS_OWN_HEAP = 0 }; /* freed memory is held back */
#else
enum { HOURS = 24, HAS_OWN_HEAP = 1 };
#endif

enum { PROCESSES = 8, HOUR = 3600 };

static void put_process(const struct tree *m, uint64_t second, uint64_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%d/stat", (int)pid);
	tree_printf(
		m, path,
		"%d (name %d) S 1 1 1 0 -1 4194560 %d 0 0 0 %d 5 0 0 20 0 1 0 %d 1000000 200 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		(int)pid, (int)pid, (int)second, (int)second, (int)pid);
}

/* Every minute the oldest process ends and another begins. */
static void live(const struct tree *m, uint64_t t)
{
	uint64_t first = 100 + t / 60;
	char path[64];

	tree_printf(
		m, "proc/stat",
		"cpu  %d 0 %d %d 0 0 0 0 0 0\ncpu0 %d 0 %d %d 0 0 0 0 0 0\nctxt %d\nbtime 1\nprocesses %d\nprocs_running 1\nprocs_blocked 0\n",
		(int)(t * 7), (int)(t * 3), (int)(t * 90), (int)(t * 7),
		(int)(t * 3), (int)(t * 90), (int)(t * 1000), (int)(first + 8));
	tree_printf(m, "proc/vmstat",
		    "nr_free_pages %d\npgfault %d\npgmajfault 3\n",
		    (int)(100000 + t % 977), (int)(t * 211));
	tree_printf(m, "proc/meminfo", "MemTotal: 1000000 kB\nMemFree: %d kB\n",
		    (int)(400000 + t % 977));
	tree_printf(
		m, "proc/diskstats",
		"   8       0 sda %d 0 %d 5 %d 0 %d 7 0 %d 12 0 0 0 0 0 0\n",
		(int)t, (int)(t * 8), (int)(t * 2), (int)(t * 16), (int)t);
	if (t % 60)
		return;
	if (t) {
		snprintf(path, sizeof(path), "proc/%d", (int)(first - 1));
		tree_remove(m, path);
	}
	for (uint64_t i = t ? PROCESSES - 1 : 0; i < PROCESSES; i++)
		put_process(m, t, first + i);
}

/* Of our own memory: pages of libraries come when they are needed. */
static long resident_kib(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	long kib = -1;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "RssAnon: %ld", &kib) == 1)
			break;
	fclose(f);
	assert_true(kib > 0);
	return kib;
}

static void record_hour(struct tree *m, uint64_t from)
{
	for (int i = 0; i < HOUR; i++) {
		m->now_ns = pw_system_next_ns(m->s);
		live(m, from + (uint64_t)i);
		assert_int_equal(pw_system_tick(m->s, NULL), 0);
	}
}

static void check_file(const char *path)
{
	struct pw_series *s = pw_series_open(path, NULL);
	struct pw_series_item it;
	uint64_t readouts = 0, drops = 0;
	int ret;

	assert_non_null(s);
	while ((ret = pw_series_next(s, &it, NULL)) > 0) {
		readouts += it.kind == PW_SERIES_READOUT;
		drops += it.kind == PW_SERIES_DROP;
	}
	assert_int_equal(ret, 0);
	assert_true(readouts >= (uint64_t)HOURS * HOUR);
	/* a process a minute, with its row in one table at least */
	assert_true(drops >= (uint64_t)HOURS * 59);
	pw_series_close(s);
}

static void a_day_takes_no_more_memory_than_an_hour(void **state)
{
	uint64_t size[HOURS + 1];
	long resident[HOURS + 1];
	struct tree m;

	(void)state;
	tree_make(&m);
	live(&m, 0);
	tree_open(&m);
	for (int hour = 1; hour <= HOURS; hour++) {
		record_hour(&m, (uint64_t)(hour - 1) * HOUR);
		resident[hour] = resident_kib();
		size[hour] = pw_system_get_cost(m.s).size_bytes;
	}
	assert_int_equal(pw_system_get_cost(m.s).missed, 0);
	if (HAS_OWN_HEAP && resident[HOURS] > resident[1] + 128)
		fail_msg("%ld KiB are resident after an hour, %ld after %d",
			 resident[1], resident[HOURS], HOURS);
	for (int hour = 3; hour <= HOURS; hour++) {
		double first = (double)(size[2] - size[1]);
		double now = (double)(size[hour] - size[hour - 1]);

		if (now > 1.1 * first || now < 0.9 * first)
			fail_msg("hour %d took %.0f bytes, hour 2 %.0f", hour,
				 now, first);
	}
	assert_int_equal(pw_system_close(m.s, NULL), 0);
	m.s = NULL;
	check_file(m.series);
	tree_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_day_takes_no_more_memory_than_an_hour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
