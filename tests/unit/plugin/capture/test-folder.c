// SPDX-License-Identifier: GPL-2.0-only
/* A folder of perf record --threads: `data` and files of records alone. */
#include "perfdata-writer.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define SAMPLE_BYTES 24u

static const struct perfdata_attr clock_attr = {
	.type = PERF_TYPE_SOFTWARE,
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME,
	.flags = PERFDATA_ID_ALL
};

/* A sample is known by its ip. */
static void add_sample(struct perfdata *p, uint64_t ip, uint64_t time_ns)
{
	perfdata_begin(p, PW_REC_SAMPLE, 2);
	perfdata_u64(p, ip);
	perfdata_u64(p, time_ns);
	perfdata_end(p);
}

static void write_file(const char *folder, const char *name,
		       const struct pw_buf *b)
{
	char *path = pw_asprintf("%s/%s", folder, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(b->data, 1, b->len, f), b->len);
	fclose(f);
	free(path);
}

/* The header, with a sample of its own when there is a time for it. */
static void write_data(const char *folder, uint64_t time_ns)
{
	struct perfdata p = { 0 };
	struct pw_buf file = { 0 };

	perfdata_attr(&p, &clock_attr);
	if (time_ns)
		add_sample(&p, 'd', time_ns);
	perfdata_finish(&p, &file);
	write_file(folder, "data", &file);
	pw_buf_release(&file);
}

/* n samples, `step` apart. */
static void write_part(const char *folder, const char *name, uint64_t ip,
		       uint64_t first_ns, uint64_t step_ns, uint32_t n)
{
	struct perfdata p = { 0 };

	for (; n; n--, first_ns += step_ns)
		add_sample(&p, ip, first_ns);
	write_file(folder, name, &p.data);
	pw_buf_release(&p.data);
}

static int in_folder(void **state)
{
	*state = pw_strdup("/tmp/perf-wasm-test-XXXXXX");
	return mkdtemp(*state) ? 0 : -1;
}

static int folder_away(void **state)
{
	static const char *const names[] = { "data",    "data.0", "data.1",
					     "data.10", "data.2", "data.x" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *path = pw_asprintf("%s/%s", (char *)*state, names[i]);

		unlink(path);
		free(path);
	}
	rmdir(*state);
	free(*state);
	return 0;
}

static struct pw_capture *open_it(const char *folder,
				  const struct pw_capture_opts *o)
{
	struct pw_err err;
	struct pw_capture *c = pw_capture_open(folder, o, &err);

	if (!c)
		fail_msg("%s", err.msg);
	return c;
}

static void records_of_all_files_come_by_time(void **state)
{
	struct pw_capture *c;
	struct pw_event ev;
	struct pw_buf seen = { 0 };

	write_data(*state, 35);
	write_part(*state, "data.0", 'a', 10, 20, 3);
	write_part(*state, "data.10", 'b', 20, 20, 3);
	write_part(*state, "data.x", 'x', 20, 20, 3);
	c = open_it(*state, NULL);
	while (pw_capture_next(c, &ev, NULL) > 0)
		pw_buf_add_u8(&seen, (uint8_t)ev.sample.ip);
	assert_string_equal(pw_buf_str(&seen), "abadbab");
	pw_capture_close(c);
	pw_buf_release(&seen);
}

static void in_file_order_one_file_follows_the_other(void **state)
{
	struct pw_capture *c;
	struct pw_event ev;
	struct pw_buf seen = { 0 };

	write_data(*state, 35);
	write_part(*state, "data.2", 'a', 10, 20, 2);
	write_part(*state, "data.10", 'b', 5, 20, 2);
	c = open_it(*state, &(struct pw_capture_opts){ .file_order = true });
	while (pw_capture_next(c, &ev, NULL) > 0)
		pw_buf_add_u8(&seen, (uint8_t)ev.sample.ip);
	assert_string_equal(pw_buf_str(&seen), "daabb");
	pw_capture_close(c);
	pw_buf_release(&seen);
}

/* Files of many times what may wait are read in step. */
static void little_waits_though_the_files_are_large(void **state)
{
	const uint32_t n = 200000; /* 16.8 MB in all */
	struct pw_capture_opts o = { .queue_bytes = 4 << 20 };
	uint64_t seen = 0, last = 0;
	struct pw_capture *c;
	struct pw_event ev;

	write_data(*state, 0);
	write_part(*state, "data.0", 'a', 10, 20, n);
	write_part(*state, "data.1", 'b', 15, 40, n / 2);
	write_part(*state, "data.2", 'c', 12, 10, 2 * n);
	c = open_it(*state, &o);
	while (pw_capture_next(c, &ev, NULL) > 0) {
		assert_true(ev.time_ns >= last);
		last = ev.time_ns;
		seen++;
	}
	assert_int_equal(seen, n + n / 2 + 2 * n);
	assert_int_equal(pw_capture_counts(c)->out_of_order, 0);
	pw_capture_close(c);
}

static void a_fault_says_in_which_file_it_is(void **state)
{
	static const uint8_t bad[] = { 9, 0, 0, 0, 0, 0, 3, 0 };
	struct pw_buf b = { 0 };
	struct pw_capture *c;
	struct pw_event ev;
	struct pw_err err = { 0 };
	unsigned int n = 0;
	int ret;

	write_data(*state, 35);
	write_part(*state, "data.0", 'a', 10, 20, 2);
	pw_buf_add(&b, bad, sizeof(bad));
	write_file(*state, "data.1", &b);
	pw_buf_release(&b);
	c = open_it(*state, NULL);
	while ((ret = pw_capture_next(c, &ev, &err)) > 0)
		n++;
	assert_true(ret < 0);
	assert_int_equal(err.off, 0);
	assert_non_null(strstr(err.msg, "/data.1: a record"));
	assert_true(n >= 1);
	pw_capture_close(c);
}

static void what_is_cut_off_is_counted(void **state)
{
	struct perfdata p = { 0 };
	struct pw_capture *c;
	struct pw_event ev;

	write_data(*state, 35);
	add_sample(&p, 'a', 40);
	add_sample(&p, 'a', 50);
	p.data.len -= 5;
	write_file(*state, "data.0", &p.data);
	pw_buf_release(&p.data);
	c = open_it(*state, NULL);
	while (pw_capture_next(c, &ev, NULL) > 0)
		;
	assert_int_equal(pw_capture_counts(c)->records[PW_REC_SAMPLE], 2);
	assert_int_equal(pw_capture_counts(c)->tail_bytes, SAMPLE_BYTES - 5);
	pw_capture_close(c);
}

static void a_folder_of_anything_else_is_refused(void **state)
{
	struct pw_err err = { 0 };

	write_part(*state, "data.0", 'a', 10, 20, 2);
	assert_null(pw_capture_open(*state, NULL, &err));
	assert_int_equal(err.code, EISDIR);
	assert_non_null(strstr(err.msg, "without a file 'data'"));
}

int main(void)
{
#define FOLDER_TEST(f) \
	cmocka_unit_test_setup_teardown(f, in_folder, folder_away)
	const struct CMUnitTest tests[] = {
		FOLDER_TEST(records_of_all_files_come_by_time),
		FOLDER_TEST(in_file_order_one_file_follows_the_other),
		FOLDER_TEST(little_waits_though_the_files_are_large),
		FOLDER_TEST(a_fault_says_in_which_file_it_is),
		FOLDER_TEST(what_is_cut_off_is_counted),
		FOLDER_TEST(a_folder_of_anything_else_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
