// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recordings of APerf: one that it made itself, and such that are written here
 * byte by byte, whole and hostile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "aperf-fixture.h"

#define RUN "tests/data/aperf/run.tar.gz"

/* --- a real one --------------------------------------------------------------------- */

/* The numbers are of the recording's own texts, the first against the last. */
static void what_aperf_recorded_is_read(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	struct pw_err err = { 0 };
	struct pw_metrics_span span;

	(void)state;
	assert_true(pw_aperf_is(RUN));
	if (pw_aperf_read(RUN, m, &err))
		fail_msg("%s", err.msg);
	pw_metrics_end(m);
	near(figure(m, "cpu", "user", "all")->total, 2.79e9);
	near(figure(m, "cpu", "system", "all")->total, 1.57e9);
	near(figure(m, "vmstat", "pgfault", "")->total, 405232);
	near(figure(m, "disk", "writes", "vda")->total, 143);
	near(figure(m, "disk", "write_bytes", "vda")->total, 4845568);
	near(figure(m, "process", "user", "2 sh")->total, 1.2e9);
	near(figure(m, "meminfo", "MemTotal", "")->mean, 24684084 * 1024.0);
	near(figure(m, "ethtool", "rx_kicks", "eth0")->mean + 1, 1);
	span = pw_metrics_get_span(m);
	near((double)(span.to_ns - span.from_ns), 4.14157e9);
	has_state(m, "stat", "read");
	has_state(m, "slab", "read");
	has_state(m, "psi", "APerf does not record it");
	has_state(m, "rdma", "no records");
	has_state(m, "config", "was not found");
	has_state(m, "aperf_stats", "not read: the recorder's own times");
	assert_string_equal(pw_metrics_find_fact(m, "recorder", "pid"), "4");
	assert_string_equal(pw_metrics_find_fact(m, "recorder", "version"),
			    "APerf 1.3.0");
	assert_string_equal(pw_metrics_find_fact(m, "sysctl", "vm/swappiness"),
			    "60");
	assert_null(pw_metrics_find_fact(m, "config",
					 "CONFIG_TRANSPARENT_HUGEPAGE"));
	pw_metrics_free(m);
}

/* --- files --------------------------------------------------------------------------- */

static void a_recording_of_one_file_is_one(void **state)
{
	struct files f = files_new();
	struct pw_buf b = two_stats();
	struct pw_metrics *m;

	(void)state;
	add_file(&f, "r/cpu_utilization.bin", &b);
	m = must_read(&f);
	near(figure(m, "cpu", "user", "cpu0")->mean, 2 / 3.0);
	near(figure(m, "kernel", "switches", "")->mean, 10);
	has_state(m, "vmstat", "not in this recording");
	pw_metrics_free(m);
}

static void names_of_early_versions_are_known(void **state)
{
	struct files f = files_new();
	struct pw_buf b = two_stats(), mem = { 0 };
	struct pw_metrics *m;

	(void)state;
	add_record(&mem, 9, 10, "MemTotal: 100 kB\nMemFree: 50 kB\n");
	add_file(&f, "r/cpu_utilization_2023-05-01_10_00_00.bin", &b);
	add_file(&f, "r/meminfodata.bin", &mem);
	m = must_read(&f);
	has_state(m, "stat", "read");
	has_state(m, "meminfo", "read");
	pw_metrics_free(m);
}

static void a_directory_is_read_like_an_archive(void **state)
{
	char dir[] = "/tmp/test-aperf-XXXXXX";
	struct pw_buf b = two_stats();
	struct pw_metrics *m = pw_metrics_new();
	struct pw_err err = { 0 };
	char *file, *pipe;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_false(pw_aperf_is(dir));
	file = pw_asprintf("%s/cpu_utilization.bin", dir);
	pipe = pw_asprintf("%s/vmstat.bin", dir);
	assert_int_equal(pw_file_write(file, b.data, b.len, &err), 0);
	/* nobody writes to it: it must not be waited for */
	assert_int_equal(mkfifo(pipe, 0600), 0);
	assert_true(pw_aperf_is(dir));
	if (pw_aperf_read(dir, m, &err))
		fail_msg("%s", err.msg);
	pw_metrics_end(m);
	near(figure(m, "cpu", "user", "all")->total, 2e9);
	pw_metrics_free(m);
	pw_buf_release(&b);
	pw_remove_tree(dir, NULL);
	free(file);
	free(pipe);
}

static void another_file_is_none(void **state)
{
	struct files f = files_new();

	(void)state;
	assert_false(pw_aperf_is("Makefile"));
	assert_false(pw_aperf_is("/nowhere"));
	assert_false(pw_aperf_is("tests"));
	add_string(&f, "r/notes.txt", "text");
	refused(&f, "nothing in it is a file of a recording of APerf");
}

static void two_recordings_are_not_one(void **state)
{
	struct files f = files_new();
	struct pw_buf a = two_stats(), b = two_stats();

	(void)state;
	add_file(&f, "a/cpu_utilization.bin", &a);
	add_file(&f, "b/cpu_utilization.bin", &b);
	refused(&f, "more than one recording");
}

static void a_report_is_told_from_a_recording(void **state)
{
	struct files f = files_new();

	(void)state;
	add_string(&f, "aperf_report/index.html", "<html>");
	add_string(&f, "aperf_report/data/archive/run.tar.gz", "x");
	refused(&f, "give data/archive/NAME.tar.gz");
}

static void names_become_no_paths(void **state)
{
	struct files f = files_new();
	struct pw_buf b = two_stats();
	struct pw_metrics *m;

	(void)state;
	add_file(&f, "../../etc/cpu_utilization.bin", &b);
	m = must_read(&f);
	near(figure(m, "cpu", "user", "all")->total, 2e9);
	pw_metrics_free(m);
}

/* --- records ----------------------------------------------------------------------------- */

static struct pw_metrics *read_one(const char *name, struct pw_buf *b)
{
	struct files f = files_new();
	struct pw_buf other = two_stats();

	add_file(&f, "r/cpu_utilization.bin", &other);
	add_file(&f, name, b);
	return must_read(&f);
}

static void what_is_cut_off_is_read_so_far(void **state)
{
	struct pw_buf b = two_stats();
	struct files f = files_new();
	struct pw_metrics *m;

	(void)state;
	b.len -= 10;
	add_file(&f, "r/cpu_utilization.bin", &b);
	m = must_read(&f);
	has_state(m, "stat", "1 records, and then");
	assert_non_null(pw_metrics_find(m, "cpu", "user", "all"));
	pw_metrics_free(m);
}

/* Another version's order of kinds is no matter, but a text is what it is. */
static void a_text_of_another_kind_is_not_read(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_metrics *m;

	(void)state;
	add_record(&b, 1, 10, "MemTotal: 100 kB\n");
	m = read_one("r/vmstat.bin", &b);
	has_state(m, "vmstat", "not of a form that is known");
	has_state(m, "vmstat", "nr_free_pages");
	assert_null(pw_metrics_find(m, "vmstat", "MemTotal:", ""));
	pw_metrics_free(m);
}

static void records_of_two_kinds_end_the_reading(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_metrics *m;

	(void)state;
	add_record(&b, 1, 10, "nr_free_pages 1\n");
	add_record(&b, 2, 11, "nr_free_pages 1\n");
	m = read_one("r/vmstat.bin", &b);
	has_state(m, "vmstat", "1 records, and then records of two kinds");
	pw_metrics_free(m);
}

static void a_record_without_a_date_is_refused(void **state)
{
	static const char *const dates[] = { "2026-11-30T14:13:10.5",
					     "2026-11-30 14:13:10.5Z",
					     "20a6-11-30T14:13:10.5Z", "",
					     "2026-11-30T14:13:10.5+02:00" };

	(void)state;
	for (size_t i = 0; i < sizeof(dates) / sizeof(dates[0]); i++) {
		struct pw_buf b = { 0 };
		struct pw_metrics *m;

		pw_buf_add_u32(&b, 1);
		pw_buf_add_u32(&b, 0);
		add_text(&b, dates[i]);
		add_text(&b, "nr_free_pages 1\n");
		m = read_one("r/vmstat.bin", &b);
		has_state(m, "vmstat", "no date");
		pw_metrics_free(m);
	}
}

static void a_length_beyond_the_file_is_refused(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_metrics *m;

	(void)state;
	add_head(&b, 1, 10);
	pw_buf_add_u64(&b, UINT64_MAX - 3);
	pw_buf_add(&b, "nr_free_pages 1\n", 16);
	m = read_one("r/vmstat.bin", &b);
	has_state(m, "vmstat", "not of a form that is known");
	pw_metrics_free(m);
}

static void a_clock_that_is_set_back_does_no_harm(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_metrics *m;

	(void)state;
	add_record(&b, 1, 20, "nr_free_pages 5\npgfault 100\n");
	add_record(&b, 1, 10, "nr_free_pages 5\npgfault 200\n");
	add_record(&b, 1, 22, "nr_free_pages 5\npgfault 300\n");
	m = read_one("r/vmstat.bin", &b);
	has_state(m, "vmstat", "read");
	assert_true(figure(m, "vmstat", "pgfault", "")->total <= 200);
	pw_metrics_free(m);
}

/* --- texts that are several ------------------------------------------------------------------ */

static void add_processes(struct pw_buf *b, int second, const char *text)
{
	add_head(b, 8, second);
	pw_buf_add_u64(b, 100);
	add_text(b, text);
}

#define BEHIND \
	" S 1 1 1 0 -1 4194560 %d 0 0 0 %d 5 0 0 20 0 1 0 77 2654208 358 1\n"

static void a_process_name_may_break_the_line(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_metrics *m;
	char text[512];

	(void)state;
	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof(text),
			 "12 (a) b\n(c)" BEHIND "13 (sh)" BEHIND, 1, i * 200, 2,
			 i * 300);
		add_processes(&b, 10 + 2 * i, text);
	}
	m = read_one("r/processes.bin", &b);
	near(figure(m, "process", "user", "13 sh")->total, 3e9);
	has_state(m, "process", "read");
	pw_metrics_free(m);
}

static void nodes_are_told_apart(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_metrics *m;

	(void)state;
	add_record(&b, 11, 10,
		   "node0:\nnuma_hit 10\n\nnode1:\nnuma_hit 20\n\n");
	add_record(&b, 11, 12,
		   "node1:\nnuma_hit 70\n\nnode0:\nnuma_hit 12\n\n");
	m = read_one("r/numastat.bin", &b);
	near(figure(m, "numa", "numa_hit", "node0")->total, 2);
	near(figure(m, "numa", "numa_hit", "node1")->total, 50);
	pw_metrics_free(m);
}

static void ports_are_parts_of_an_instance(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_metrics *m;

	(void)state;
	add_record(&b, 18, 10, "efa0/1:\ntx_bytes 10\n");
	add_record(&b, 18, 12, "efa0/1:\ntx_bytes 30\n");
	m = read_one("r/efa_stat.bin", &b);
	near(figure(m, "rdma", "tx_bytes", "efa0 1")->mean, 10);
	pw_metrics_free(m);
}

/* --- facts ------------------------------------------------------------------------------------ */

static void groups_of_the_configuration_hold_groups(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_metrics *m;

	(void)state;
	add_head(&b, 4, 10);
	pw_buf_add_u64(&b, 1);
	add_text(&b, "General setup");
	pw_buf_add_u64(&b, 2);
	pw_buf_add_u32(&b, 1);
	add_text(&b, "Within");
	pw_buf_add_u64(&b, 1);
	pw_buf_add_u32(&b, 0);
	add_text(&b, "CONFIG_SMP");
	add_text(&b, "y");
	pw_buf_add_u32(&b, 0);
	add_text(&b, "CONFIG_KASAN");
	add_text(&b, "not set");
	m = read_one("r/kernel_config.bin", &b);
	has_state(m, "config", "read");
	assert_string_equal(pw_metrics_find_fact(m, "config", "CONFIG_SMP"),
			    "y");
	assert_string_equal(pw_metrics_find_fact(m, "config", "CONFIG_KASAN"),
			    "n");
	pw_metrics_free(m);
}

static void groups_within_groups_have_an_end(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_metrics *m;

	(void)state;
	add_head(&b, 4, 10);
	pw_buf_add_u64(&b, 1);
	add_text(&b, "");
	pw_buf_add_u64(&b, 1);
	for (int i = 0; i < 1000; i++) {
		pw_buf_add_u32(&b, 1);
		add_text(&b, "");
		pw_buf_add_u64(&b, 1);
	}
	m = read_one("r/kernel_config.bin", &b);
	has_state(m, "config", "groups within groups");
	pw_metrics_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_aperf_recorded_is_read),
		cmocka_unit_test(a_recording_of_one_file_is_one),
		cmocka_unit_test(names_of_early_versions_are_known),
		cmocka_unit_test(a_directory_is_read_like_an_archive),
		cmocka_unit_test(another_file_is_none),
		cmocka_unit_test(two_recordings_are_not_one),
		cmocka_unit_test(a_report_is_told_from_a_recording),
		cmocka_unit_test(names_become_no_paths),
		cmocka_unit_test(what_is_cut_off_is_read_so_far),
		cmocka_unit_test(a_text_of_another_kind_is_not_read),
		cmocka_unit_test(records_of_two_kinds_end_the_reading),
		cmocka_unit_test(a_record_without_a_date_is_refused),
		cmocka_unit_test(a_length_beyond_the_file_is_refused),
		cmocka_unit_test(a_clock_that_is_set_back_does_no_harm),
		cmocka_unit_test(a_process_name_may_break_the_line),
		cmocka_unit_test(nodes_are_told_apart),
		cmocka_unit_test(ports_are_parts_of_an_instance),
		cmocka_unit_test(groups_of_the_configuration_hold_groups),
		cmocka_unit_test(groups_within_groups_have_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
