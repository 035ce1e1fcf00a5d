// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that are broken, cut or were never finished: what is still given, and
 * what is said, with its place.
 */
#include "capture-of.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define FIRST (104 + 152) /* the first record of a file with one attr */

static const struct perfdata_attr attr = { .sample_type = PERF_SAMPLE_IP |
							  PERF_SAMPLE_TIME,
					   .flags = PERFDATA_ID_ALL };

static void add_sample(struct perfdata *p, uint64_t time_ns)
{
	perfdata_begin(p, PW_REC_SAMPLE, 0);
	perfdata_u64(p, time_ns);
	perfdata_u64(p, time_ns);
	perfdata_end(p);
}

static void assert_refused(const struct pw_buf *file, uint64_t off,
			   const char *part)
{
	struct pw_err err = { 0 };

	assert_null(pw_capture_open_bytes(file->data, file->len, NULL, &err));
	if (!strstr(err.msg, part))
		fail_msg("%s", err.msg);
	assert_true(err.off == off);
	assert_true(err.code > 0);
}

static void what_is_no_capture_is_refused(void **state)
{
	struct pw_buf file = { 0 };

	(void)state;
	assert_refused(&file, 0, "it ends after 0 bytes");
	pw_buf_add(&file,
		   "\x7f"
		   "ELF\2\1\1\0................",
		   24);
	assert_refused(&file, 0, "expected PERFILE2");
	file.len = 0;
	pw_buf_add(&file, "PERFILE2", 8);
	pw_buf_add_u64(&file, 20);
	assert_refused(&file, 8, "the header says that it has 20 bytes");
	file.len = 0;
	pw_buf_add(&file, "PERFILE2", 8);
	pw_buf_add_u64(&file, 104);
	assert_refused(&file, 0, "the file ends within them");
	pw_buf_release(&file);
}

/* Puts a number into the header of a file with one attr and one sample. */
static void assert_header_refused(size_t at, uint64_t v, uint64_t off,
				  const char *part)
{
	struct perfdata p = { 0 };
	struct pw_buf file = { 0 };

	perfdata_attr(&p, &attr);
	add_sample(&p, 1);
	perfdata_finish(&p, &file);
	memcpy(file.data + at, &v, sizeof(v));
	assert_refused(&file, off, part);
	pw_buf_release(&file);
}

static void a_header_that_lies_is_refused(void **state)
{
	(void)state;
	assert_header_refused(16, 0, 16, "an event attribute has 0 bytes");
	assert_header_refused(16, 79, 16, "an event attribute has 79 bytes");
	assert_header_refused(16, 1 << 20, 16, "has 1048576 bytes");
	assert_header_refused(32, 1 << 20, 24, "the event attributes have");
	assert_header_refused(24, 1 << 20, 1 << 20, "ends within them");
	assert_header_refused(24, UINT64_MAX - 8, UINT64_MAX - 8,
			      "ends within them");
	assert_header_refused(40, 1 << 20, 40, "the data begin at byte");
	/* the ids of the attr */
	assert_header_refused(104 + 144, 1 << 20, 104, "the ids of an event");
}

static void a_record_of_no_size_ends_the_reading(void **state)
{
	struct perfdata p = { 0 };
	struct opened o;
	int i;

	(void)state;
	perfdata_attr(&p, &attr);
	add_sample(&p, 2);
	add_sample(&p, 1);
	perfdata_begin(&p, PW_REC_SAMPLE, 0);
	add_sample(&p, 3);
	open_made(&o, &p);
	/* what came before it is given, in order */
	assert_int_equal(next_of(&o, PW_REC_SAMPLE)->time_ns, 1);
	assert_int_equal(next_of(&o, PW_REC_SAMPLE)->time_ns, 2);
	for (i = 0; i < 2; i++) {
		memset(&o.err, 0, sizeof(o.err));
		assert_int_equal(pw_capture_next(o.c, &o.ev, &o.err), -EINVAL);
		assert_int_equal(o.err.off, FIRST + 48);
		assert_non_null(strstr(o.err.msg, "type 9"));
		assert_non_null(strstr(o.err.msg, "0 bytes"));
	}
	pw_capture_close(o.c);
	pw_buf_release(&o.file);
}

static void a_killed_recorder_leaves_its_records(void **state)
{
	struct perfdata p = { .is_killed = true };
	struct opened o;

	(void)state;
	perfdata_attr(&p, &attr);
	add_sample(&p, 1);
	add_sample(&p, 2);
	perfdata_begin(&p, PW_REC_SAMPLE, 0);
	perfdata_u64(&p, 3);
	perfdata_size(&p, 24);
	open_made(&o, &p);
	assert_true(pw_capture_facts(o.c)->is_killed);
	next_of(&o, PW_REC_SAMPLE);
	next_of(&o, PW_REC_SAMPLE);
	assert_int_equal(pw_capture_next(o.c, &o.ev, &o.err), 0);
	assert_int_equal(pw_capture_counts(o.c)->tail_bytes, 16);
	assert_int_equal(pw_capture_counts(o.c)->tail_off, FIRST + 48);
	close_made(&o);
}

static void zeros_at_the_end_of_a_killed_recorder_are_no_fault(void **state)
{
	struct perfdata p = { .is_killed = true };
	struct opened o;
	int i;

	(void)state;
	perfdata_attr(&p, &attr);
	add_sample(&p, 1);
	for (i = 0; i < 100; i++)
		perfdata_u64(&p, 0);
	open_made(&o, &p);
	next_of(&o, PW_REC_SAMPLE);
	assert_int_equal(pw_capture_next(o.c, &o.ev, &o.err), 0);
	assert_int_equal(pw_capture_counts(o.c)->tail_bytes, 800);
	close_made(&o);
}

static void a_file_cut_short_is_read_to_its_end(void **state)
{
	static const uint64_t missing[] = { 8, 1000 };
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct perfdata p = { .data_size_off_by = missing[i] };
		struct opened o;

		perfdata_attr(&p, &attr);
		add_sample(&p, 1);
		perfdata_u32(&p, 9);
		open_made(&o, &p);
		assert_true(pw_capture_facts(o.c)->is_cut);
		assert_false(pw_capture_facts(o.c)->is_killed);
		next_of(&o, PW_REC_SAMPLE);
		assert_int_equal(pw_capture_next(o.c, &o.ev, &o.err), 0);
		assert_int_equal(pw_capture_counts(o.c)->tail_bytes, 4);
		close_made(&o);
	}
}

/* Whatever is cut off, the whole records in front are given. */
static void every_cut_leaves_what_is_whole(void **state)
{
	struct perfdata p = { 0 };
	struct pw_buf file = { 0 };
	size_t len;

	(void)state;
	perfdata_attr(&p, &attr);
	add_sample(&p, 1);
	add_sample(&p, 2);
	perfdata_finish(&p, &file);
	for (len = 0; len <= file.len; len++) {
		struct pw_err err = { 0 };
		struct pw_capture *c =
			pw_capture_open_bytes(file.data, len, NULL, &err);
		struct pw_event ev;
		size_t n = 0;

		if (!c) {
			assert_true(len < FIRST && err.code > 0);
			continue;
		}
		while (pw_capture_next(c, &ev, &err) > 0)
			n++;
		assert_int_equal(n, (len - FIRST) / 24);
		assert_int_equal(pw_capture_counts(c)->tail_bytes,
				 (len - FIRST) % 24);
		pw_capture_close(c);
	}
	pw_buf_release(&file);
}

static void a_missing_feature_is_no_fault_of_the_records(void **state)
{
	struct pw_buf content = { 0 };
	struct perfdata p = { 0 };
	struct opened o;

	(void)state;
	perfdata_attr(&p, &attr);
	add_sample(&p, 1);
	pw_buf_add_u32(&content, 100); /* a text of 100 bytes that has 4 */
	pw_buf_add_u32(&content, 0);
	perfdata_feature(&p, 3, &content);
	open_made(&o, &p);
	assert_int_equal(pw_capture_counts(o.c)->features_unread, 1);
	assert_int_equal(pw_capture_counts(o.c)->first_unread.off,
			 FIRST + 24 + 16);
	assert_non_null(
		strstr(pw_capture_counts(o.c)->first_unread.msg, "hostname"));
	next_of(&o, PW_REC_SAMPLE);
	close_made(&o);
	pw_buf_release(&content);
}

static void a_name_is_said_with_its_fault(void **state)
{
	struct pw_err err = { 0 };

	(void)state;
	assert_null(pw_capture_open("/nonexistent/perf.data", NULL, &err));
	assert_int_equal(err.code, ENOENT);
	assert_non_null(strstr(err.msg, "/nonexistent/perf.data"));
	assert_null(pw_capture_open("/", NULL, &err));
	assert_int_equal(err.code, EISDIR);
	pw_capture_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_capture_is_refused),
		cmocka_unit_test(a_header_that_lies_is_refused),
		cmocka_unit_test(a_record_of_no_size_ends_the_reading),
		cmocka_unit_test(a_killed_recorder_leaves_its_records),
		cmocka_unit_test(
			zeros_at_the_end_of_a_killed_recorder_are_no_fault),
		cmocka_unit_test(a_file_cut_short_is_read_to_its_end),
		cmocka_unit_test(every_cut_leaves_what_is_whole),
		cmocka_unit_test(a_missing_feature_is_no_fault_of_the_records),
		cmocka_unit_test(a_name_is_said_with_its_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
