// SPDX-License-Identifier: GPL-2.0-only
/* Archives: what goes in comes out, and limits hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include <perfwasm/archive.h>

struct seen {
	char names[200];
	size_t bytes;
};

static int wanted(void *ctx, const struct pw_archive_entry *e,
		  struct pw_err *err)
{
	(void)ctx;
	(void)err;
	assert_true(e->is_file);
	return strcmp(e->path, "d/skipped") != 0;
}

static int note_file(void *ctx, const char *path, struct pw_buf *bytes,
		     struct pw_err *err)
{
	struct seen *s = ctx;

	(void)err;
	strcat(s->names, path);
	strcat(s->names, " ");
	s->bytes += bytes->len;
	return 0;
}

static void make_archive(enum pw_archive_filter filter, struct pw_buf *to)
{
	static const char many[5000];
	struct pw_archive_out *a = pw_archive_new(filter);
	struct pw_err err = { 0 };

	pw_archive_add(a, "d/one", "text", 4);
	pw_archive_add(a, "d/skipped", "text", 4);
	pw_archive_add(a, "d/none", NULL, 0);
	pw_archive_add(a, "d/many", many, sizeof(many));
	if (pw_archive_finish(a, to, &err))
		fail_msg("%s", err.msg);
}

static int read_archive(const struct pw_buf *b, uint64_t file_max,
			uint32_t entries_max, struct seen *s,
			struct pw_err *err)
{
	struct pw_archive_reader r = {
		.file_max = file_max,
		.total_max = 5004,
		.entries_max = entries_max,
		.entry = wanted,
		.file = note_file,
		.ctx = s,
	};

	return pw_archive_read(b->data, b->len, &r, err);
}

static void what_went_in_comes_out(void **state)
{
	static const enum pw_archive_filter filters[] = { PW_ARCHIVE_ZSTD,
							  PW_ARCHIVE_GZIP };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct pw_buf b = { 0 };
		struct pw_err err = { 0 };
		struct seen s = { 0 };

		make_archive(filters[i], &b);
		if (read_archive(&b, 5000, 4, &s, &err))
			fail_msg("%s", err.msg);
		assert_string_equal(s.names, "d/one d/none d/many ");
		assert_int_equal(s.bytes, 5004);
		pw_buf_release(&b);
	}
}

static void limits_hold(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_err err = { 0 };
	struct seen s = { 0 };

	(void)state;
	make_archive(PW_ARCHIVE_GZIP, &b);
	assert_int_equal(read_archive(&b, 4999, 4, &s, &err), -E2BIG);
	assert_non_null(strstr(err.msg, "d/many is larger"));
	assert_int_equal(read_archive(&b, 5000, 3, &s, &err), -E2BIG);
	assert_non_null(strstr(err.msg, "more than 3 files"));
	pw_buf_release(&b);
}

static int note_large(void *ctx, const char *path, struct pw_err *err)
{
	struct seen *s = ctx;

	(void)err;
	strcat(s->names, "LARGE ");
	strcat(s->names, path);
	return 0;
}

static void a_large_file_may_be_passed_over(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_err err = { 0 };
	struct seen s = { 0 };
	struct pw_archive_reader r = {
		.file_max = 4999,
		.total_max = 6000,
		.entries_max = 4,
		.entry = wanted,
		.file = note_file,
		.large = note_large,
		.ctx = &s,
	};

	(void)state;
	make_archive(PW_ARCHIVE_GZIP, &b);
	assert_int_equal(pw_archive_read(b.data, b.len, &r, &err), 0);
	assert_string_equal(s.names, "d/one d/none LARGE d/many");
	/* but not beyond what all may have together */
	r.total_max = 4000;
	assert_int_equal(pw_archive_read(b.data, b.len, &r, &err), -E2BIG);
	pw_buf_release(&b);
}

static void what_is_cut_off_or_no_archive_is_told(void **state)
{
	struct pw_buf b = { 0 }, no = { 0 };
	struct pw_err err = { 0 };
	struct seen s = { 0 };

	(void)state;
	make_archive(PW_ARCHIVE_ZSTD, &b);
	b.len /= 2;
	assert_int_equal(read_archive(&b, 5000, 4, &s, &err), -EBADMSG);
	pw_buf_printf(&no, "a text, no archive");
	assert_int_equal(read_archive(&no, 5000, 4, &s, &err), -EBADMSG);
	assert_true(err.msg[0]);
	pw_buf_release(&b);
	pw_buf_release(&no);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_went_in_comes_out),
		cmocka_unit_test(limits_hold),
		cmocka_unit_test(a_large_file_may_be_passed_over),
		cmocka_unit_test(what_is_cut_off_or_no_archive_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
