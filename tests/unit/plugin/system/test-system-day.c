// SPDX-License-Identifier: GPL-2.0-only
/*
 * A day of readings every second, by a clock of our own: memory stays what it
 * was after the first hour, and the file grows with time alone, though processes
 * come and go all day.
 */
#include <perfwasm/system.h>

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#ifdef __SANITIZE_ADDRESS__
enum { HOURS = 3, HAS_OWN_HEAP = 0 }; /* freed memory is held back */
#else
enum { HOURS = 24, HAS_OWN_HEAP = 1 };
#endif

enum { PROCESSES = 8, HOUR = 3600 };

struct machine {
	char root[32];
	uint64_t now_ns, tick;
};

static uint64_t machine_now(void *ctx)
{
	return ((struct machine *)ctx)->now_ns;
}

static void put(const struct machine *m, const char *path, const char *fmt, ...)
	PW_PRINTF(3, 4);
static void put(const struct machine *m, const char *path, const char *fmt, ...)
{
	char name[128], text[1024];
	va_list ap;
	int fd, n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(name, sizeof(name), "%s/%s", m->root, path);
	/* in place: the recorder has it open */
	fd = open(name, O_WRONLY | O_CREAT, 0644);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, text, (size_t)n, 0), n);
	assert_int_equal(ftruncate(fd, n), 0);
	close(fd);
}

static void make_dir(const struct machine *m, const char *path)
{
	char name[128];

	snprintf(name, sizeof(name), "%s/%s", m->root, path);
	assert_int_equal(pw_mkdirs(name, NULL), 0);
}

static void remove_dir(const struct machine *m, const char *path)
{
	char name[128];

	snprintf(name, sizeof(name), "%s/%s", m->root, path);
	assert_int_equal(pw_remove_tree(name, NULL), 0);
}

static void put_process(const struct machine *m, uint64_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%d", (int)pid);
	make_dir(m, path);
	snprintf(path, sizeof(path), "proc/%d/stat", (int)pid);
	put(m, path,
	    "%d (name %d) S 1 1 1 0 -1 4194560 %d 0 0 0 %d 5 0 0 20 0 1 0 %d 1000000 200 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
	    (int)pid, (int)pid, (int)m->tick, (int)m->tick, (int)pid);
}

/* Every minute the oldest process ends and another begins. */
static void live(struct machine *m)
{
	uint64_t t = m->tick, first = 100 + t / 60;
	char path[64];

	put(m, "proc/stat",
	    "cpu  %d 0 %d %d 0 0 0 0 0 0\ncpu0 %d 0 %d %d 0 0 0 0 0 0\nctxt %d\nbtime 1\nprocesses %d\nprocs_running 1\nprocs_blocked 0\n",
	    (int)(t * 7), (int)(t * 3), (int)(t * 90), (int)(t * 7),
	    (int)(t * 3), (int)(t * 90), (int)(t * 1000), (int)(first + 8));
	put(m, "proc/vmstat", "nr_free_pages %d\npgfault %d\npgmajfault 3\n",
	    (int)(100000 + t % 977), (int)(t * 211));
	put(m, "proc/meminfo", "MemTotal: 1000000 kB\nMemFree: %d kB\n",
	    (int)(400000 + t % 977));
	put(m, "proc/diskstats",
	    "   8       0 sda %d 0 %d 5 %d 0 %d 7 0 %d 12 0 0 0 0 0 0\n",
	    (int)t, (int)(t * 8), (int)(t * 2), (int)(t * 16), (int)t);
	if (t % 60)
		return;
	if (t) {
		snprintf(path, sizeof(path), "proc/%d", (int)(first - 1));
		remove_dir(m, path);
	}
	for (uint64_t i = t ? PROCESSES - 1 : 0; i < PROCESSES; i++)
		put_process(m, first + i);
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

static struct pw_system *open_at(struct machine *m, const char *path)
{
	const struct pw_system_opts opts = {
		.path = path,
		.interval_ns = 1000000000,
		.root = m->root,
		.now_ns = machine_now,
		.now_ctx = m,
	};
	struct pw_err err = { .msg = "" };
	struct pw_system *s = pw_system_open(&opts, &err);

	if (!s)
		fail_msg("%s", err.msg);
	return s;
}

static void record_hour(struct machine *m, struct pw_system *s)
{
	for (int i = 0; i < HOUR; i++) {
		m->now_ns = pw_system_next_ns(s);
		live(m);
		assert_int_equal(pw_system_tick(s, NULL), 0);
		m->tick++;
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
	struct machine m = { .root = "/tmp/pw-day-XXXXXX", .now_ns = 1 };
	uint64_t size[HOURS + 1];
	long resident[HOURS + 1];
	struct pw_system *s;
	char path[64];

	(void)state;
	assert_non_null(mkdtemp(m.root));
	make_dir(&m, "proc");
	live(&m);
	snprintf(path, sizeof(path), "%s/series", m.root);
	s = open_at(&m, path);
	for (int hour = 1; hour <= HOURS; hour++) {
		record_hour(&m, s);
		resident[hour] = resident_kib();
		size[hour] = pw_system_get_cost(s).size_bytes;
	}
	assert_int_equal(pw_system_get_cost(s).missed, 0);
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
	assert_int_equal(pw_system_close(s, NULL), 0);
	check_file(path);
	assert_int_equal(pw_remove_tree(m.root, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_day_takes_no_more_memory_than_an_hour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
