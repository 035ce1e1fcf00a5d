// SPDX-License-Identifier: GPL-2.0-only
/* A folder of perf record --switch-output: each file is a piece of time. */
#include "perfdata-writer.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define SAMPLE_BYTES 24u

static const struct perfdata_attr clock_attr = {
	.type = PERF_TYPE_SOFTWARE,
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME,
	.flags = PERFDATA_ID_ALL,
	.ids = { 11, 12 },
	.n_ids = 2,
};

/* A sample is known by its ip. */
static void add_sample(struct perfdata *p, uint64_t ip, uint64_t time_ns)
{
	perfdata_begin(p, PW_REC_SAMPLE, 2);
	perfdata_u64(p, ip);
	perfdata_u64(p, time_ns);
	perfdata_end(p);
}

static void finish(struct perfdata *p, const char *folder, const char *name)
{
	char *path = pw_asprintf("%s/%s", folder, name);
	struct pw_buf file = { 0 };

	perfdata_finish(p, &file);
	assert_int_equal(pw_file_write(path, file.data, file.len, NULL), 0);
	pw_buf_release(&file);
	free(path);
}

/* Samples called a, b, ... at these times, as one round. */
static void write_piece(const char *folder, const char *name,
			const struct perfdata_attr *attr, uint64_t ip,
			const uint64_t *times_ns)
{
	struct perfdata p = { 0 };

	perfdata_attr(&p, attr);
	for (; *times_ns; times_ns++)
		add_sample(&p, ip++, *times_ns);
	perfdata_round(&p);
	finish(&p, folder, name);
}

/* What perf leaves of the piece that it was writing: a hole for the header. */
static void make_hole(const char *folder, const char *name, uint32_t keep_bytes)
{
	static const uint8_t zeros[104];
	char *path = pw_asprintf("%s/%s", folder, name);
	FILE *f = fopen(path, "r+");
	uint8_t head[104];
	uint64_t left;

	assert_int_equal(fread(head, 1, sizeof(head), f), sizeof(head));
	left = perfdata_get(head + 40, false);
	rewind(f);
	fwrite(zeros, 1, sizeof(zeros), f);
	for (left -= sizeof(zeros); left; left--)
		putc(0, f);
	assert_int_equal(fclose(f), 0);
	if (keep_bytes)
		assert_int_equal(truncate(path, (off_t)(perfdata_get(head + 40,
								     false) +
							keep_bytes)),
				 0);
	free(path);
}

static int in_folder(void **state)
{
	*state = pw_strdup("/tmp/perf-wasm-test-XXXXXX");
	return mkdtemp(*state) ? 0 : -1;
}

static int folder_away(void **state)
{
	int ret = pw_remove_tree(*state, NULL);

	free(*state);
	return ret;
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

/* The samples as they come; all of them must be read. */
static void assert_samples(const char *folder, const struct pw_capture_opts *o,
			   const char *expected)
{
	struct pw_capture *c = open_it(folder, o);
	struct pw_err err = { .msg = "" };
	struct pw_buf seen = { 0 };
	struct pw_event ev;
	int ret;

	while ((ret = pw_capture_next(c, &ev, &err)) > 0)
		if (ev.type == PW_REC_SAMPLE)
			pw_buf_add_u8(&seen, (uint8_t)ev.sample.ip);
	if (ret)
		fail_msg("%s", err.msg);
	assert_string_equal(pw_buf_str(&seen), expected);
	assert_int_equal(pw_capture_counts(c)->out_of_order, 0);
	pw_capture_close(c);
	pw_buf_release(&seen);
}

static void pieces_follow_each_other_by_number(void **state)
{
	write_piece(*state, "perf.data.10", &clock_attr, 'e',
		    (uint64_t[]){ 50, 60, 0 });
	write_piece(*state, "perf.data.9", &clock_attr, 'a',
		    (uint64_t[]){ 10, 20, 0 });
	write_piece(*state, "perf.data.x", &clock_attr, 'x',
		    (uint64_t[]){ 10, 0 });
	assert_true(pw_capture_has_pieces(*state));
	assert_samples(*state, NULL, "abef");
	assert_samples(*state, &(struct pw_capture_opts){ .file_order = true },
		       "abef");
}

/* A CPU whose buffer is read first has its last samples in the next piece. */
static void what_crosses_the_border_comes_in_time(void **state)
{
	write_piece(*state, "perf.data.1", &clock_attr, 'a',
		    (uint64_t[]){ 10, 40, 0 });
	write_piece(*state, "perf.data.2", &clock_attr, 'p',
		    (uint64_t[]){ 30, 35, 50, 0 });
	write_piece(*state, "perf.data.3", &clock_attr, 'x',
		    (uint64_t[]){ 45, 60, 0 });
	assert_samples(*state, NULL, "apqbxry");
}

static void a_piece_that_was_not_finished_is_the_last(void **state)
{
	struct pw_capture *c;
	struct pw_event ev;

	write_piece(*state, "perf.data.1", &clock_attr, 'a',
		    (uint64_t[]){ 10, 20, 0 });
	write_piece(*state, "perf.data", &clock_attr, 'p',
		    (uint64_t[]){ 30, 40, 50, 0 });
	make_hole(*state, "perf.data", 2 * SAMPLE_BYTES + 7);
	assert_samples(*state, NULL, "abpq");
	c = open_it(*state, NULL);
	assert_false(pw_capture_facts(c)->is_killed);
	while (pw_capture_next(c, &ev, NULL) > 0)
		;
	assert_true(pw_capture_facts(c)->is_killed);
	assert_int_equal(pw_capture_counts(c)->tail_bytes, 7);
	pw_capture_close(c);
}

/* perf has made the file, and no more. */
static void a_piece_may_be_empty(void **state)
{
	char *path = pw_asprintf("%s/perf.data", (char *)*state);

	write_piece(*state, "perf.data.1", &clock_attr, 'a',
		    (uint64_t[]){ 10, 20, 0 });
	assert_int_equal(pw_file_write(path, "", 0, NULL), 0);
	assert_samples(*state, NULL, "ab");
	free(path);
}

static void assert_refused(const char *folder, const char *file)
{
	struct pw_capture *c = open_it(folder, NULL);
	struct pw_err err = { .msg = "" };
	struct pw_event ev;
	int ret;

	while ((ret = pw_capture_next(c, &ev, &err)) > 0)
		;
	assert_int_equal(ret, -EINVAL);
	assert_non_null(strstr(err.msg, file));
	assert_non_null(strstr(err.msg, "another recording"));
	assert_int_equal(pw_capture_counts(c)->records[PW_REC_SAMPLE], 2);
	pw_capture_close(c);
}

static void a_piece_of_another_recording_is_refused(void **state)
{
	struct perfdata_attr other = clock_attr;

	write_piece(*state, "perf.data.1", &clock_attr, 'a',
		    (uint64_t[]){ 10, 20, 0 });
	other.ids[1] = 13;
	write_piece(*state, "perf.data.2", &other, 'p', (uint64_t[]){ 30, 0 });
	assert_refused(*state, "perf.data.2");
	other.n_ids = 1;
	write_piece(*state, "perf.data.2", &other, 'p', (uint64_t[]){ 30, 0 });
	assert_refused(*state, "perf.data.2");
}

static void a_file_that_threads_wrote_goes_first(void **state)
{
	write_piece(*state, "data", &clock_attr, 'd', (uint64_t[]){ 5, 0 });
	write_piece(*state, "perf.data.1", &clock_attr, 'a',
		    (uint64_t[]){ 10, 20, 0 });
	assert_samples(*state, NULL, "d");
}

/* Each piece tells of its own samples alone. */
static void what_a_piece_tells_of_its_time_is_not_of_all(void **state)
{
	struct perfdata p = { 0 };
	struct pw_buf times = { 0 };
	struct pw_capture *c;

	perfdata_attr(&p, &clock_attr);
	add_sample(&p, 'a', 10);
	add_sample(&p, 'b', 20);
	perfdata_add(&times, 10, 8, false);
	perfdata_add(&times, 20, 8, false);
	perfdata_feature(&p, 21, &times);
	pw_buf_release(&times);
	finish(&p, *state, "perf.data.1");
	write_piece(*state, "perf.data.2", &clock_attr, 'p',
		    (uint64_t[]){ 30, 40, 0 });
	c = open_it(*state, NULL);
	assert_int_equal(pw_capture_facts(c)->last_sample_ns, 0);
	pw_capture_close(c);
	assert_samples(*state, NULL, "abpq");
}

/* A file with a hole may say that it begins behind that. */
static void a_piece_without_end_before_its_data_is_refused(void **state)
{
	char *path = pw_asprintf("%s/perf.data.1", (char *)*state);
	const uint64_t off = 1ull << 40;
	struct pw_capture *c;
	struct pw_err err;
	FILE *f;

	write_piece(*state, "perf.data.1", &clock_attr, 'a',
		    (uint64_t[]){ 10, 20, 0 });
	f = fopen(path, "r+");
	assert_int_equal(fseek(f, 40, SEEK_SET), 0);
	assert_int_equal(fwrite(&off, sizeof(off), 1, f), 1);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(truncate(path, (off_t)(off + 4096)), 0);
	c = pw_capture_open(*state, NULL, &err);
	assert_null(c);
	assert_int_equal(err.code, EINVAL);
	assert_int_equal(err.off, 40);
	free(path);
}

int main(void)
{
#define PIECES_TEST(f) \
	cmocka_unit_test_setup_teardown(f, in_folder, folder_away)
	const struct CMUnitTest tests[] = {
		PIECES_TEST(pieces_follow_each_other_by_number),
		PIECES_TEST(what_crosses_the_border_comes_in_time),
		PIECES_TEST(a_piece_that_was_not_finished_is_the_last),
		PIECES_TEST(a_piece_may_be_empty),
		PIECES_TEST(a_piece_of_another_recording_is_refused),
		PIECES_TEST(a_file_that_threads_wrote_goes_first),
		PIECES_TEST(what_a_piece_tells_of_its_time_is_not_of_all),
		PIECES_TEST(a_piece_without_end_before_its_data_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
