// SPDX-License-Identifier: GPL-2.0-only
/* The cursor stays inside its bytes and reads LEB128 as the specification
 * wants it. */
#include <perfwasm/base.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct pw_cursor on(const void *data, size_t n, struct pw_err *err)
{
	struct pw_cursor c;

	pw_cursor_init(&c, data, n, 100, err);
	return c;
}

static void numbers_are_little_endian(void **state)
{
	struct pw_cursor c = on("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a"
				"\x0b\x0c\x0d",
				13, NULL);

	(void)state;
	assert_int_equal(pw_cursor_u8(&c), 1);
	assert_int_equal(pw_cursor_u32(&c), 0x05040302);
	assert_true(pw_cursor_u64(&c) == UINT64_C(0x0d0c0b0a09080706));
	assert_int_equal(pw_cursor_left(&c), 0);
	assert_false(c.failed);
}

static void reading_past_the_end_fails_at_its_offset(void **state)
{
	struct pw_err err = { 0 };
	struct pw_cursor c = on("\x01\x02", 2, &err);

	(void)state;
	assert_int_equal(pw_cursor_u8(&c), 1);
	assert_int_equal(pw_cursor_u32(&c), 0);
	assert_true(c.failed);
	assert_int_equal(err.code, EINVAL);
	assert_int_equal(err.off, 101);
	assert_int_equal(pw_cursor_u8(&c), 0);
}

static void the_first_failure_is_kept(void **state)
{
	struct pw_err err = { 0 };
	struct pw_cursor c = on("", 0, &err);

	(void)state;
	assert_int_equal(pw_cursor_fail(&c, EILSEQ, "first"), -EILSEQ);
	pw_cursor_fail(&c, EINVAL, "second");
	assert_string_equal(err.msg, "first");
	assert_int_equal(err.code, EILSEQ);
}

static void huge_lengths_do_not_wrap(void **state)
{
	struct pw_cursor c = on("abc", 3, NULL);

	(void)state;
	assert_null(pw_cursor_bytes(&c, UINT64_MAX));
	assert_true(c.failed);
}

static void unsigned_leb_reads_every_form(void **state)
{
	struct pw_cursor c = on("\x00\x7f\x80\x01\x83\x00"
				"\xff\xff\xff\xff\x0f",
				11, NULL);

	(void)state;
	assert_int_equal(pw_cursor_uleb32(&c), 0);
	assert_int_equal(pw_cursor_uleb32(&c), 127);
	assert_int_equal(pw_cursor_uleb32(&c), 128);
	assert_int_equal(pw_cursor_uleb32(&c), 3); /* padded */
	assert_int_equal(pw_cursor_uleb32(&c), UINT32_MAX);
	assert_false(c.failed);
}

static void signed_leb_extends_the_sign(void **state)
{
	struct pw_cursor c = on("\x7f\x3f\x40\x80\x7f"
				"\x80\x80\x80\x80\x78\x80\x80\x80\x80\x70",
				15, NULL);

	(void)state;
	assert_int_equal(pw_cursor_sleb32(&c), -1);
	assert_int_equal(pw_cursor_sleb32(&c), 63);
	assert_int_equal(pw_cursor_sleb32(&c), -64);
	assert_int_equal(pw_cursor_sleb32(&c), -128);
	assert_int_equal(pw_cursor_sleb32(&c), INT32_MIN);
	assert_true(pw_cursor_sleb33(&c) == -(INT64_C(1) << 32));
	assert_false(c.failed);
}

static void long_and_overflowing_lebs_are_refused(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		bool is_signed;
		const char *why;
	} bad[] = {
		{ "\x80\x80\x80\x80\x80\x00", 6, false,
		  "integer representation too long" },
		{ "\xff\xff\xff\xff\x1f", 5, false, "integer too large" },
		{ "\xff\xff\xff\xff\x4f", 5, true, "integer too large" },
		{ "\x80\x80\x80\x80\x08", 5, true, "integer too large" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct pw_err err = { 0 };
		struct pw_cursor c = on(bad[i].bytes, bad[i].n, &err);

		if (bad[i].is_signed)
			pw_cursor_sleb32(&c);
		else
			pw_cursor_uleb32(&c);
		assert_true(c.failed);
		assert_string_equal(err.msg, bad[i].why);
		assert_int_equal(err.off, 100);
	}
}

static void what_the_buffer_encodes_the_cursor_reads(void **state)
{
	static const int64_t values[] = {
		0,   1,   -1,        63,        64,        -64,      -65,
		127, 128, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX
	};
	struct pw_buf b = { 0 };
	struct pw_cursor c;
	size_t n = sizeof(values) / sizeof(values[0]);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		pw_buf_add_sleb(&b, values[i]);
		pw_buf_add_uleb(&b, (uint64_t)values[i]);
	}
	pw_cursor_init(&c, b.data, b.len, 0, NULL);
	for (size_t i = 0; i < n; i++) {
		assert_true(pw_cursor_sleb64(&c) == values[i]);
		assert_true(pw_cursor_uleb64(&c) == (uint64_t)values[i]);
	}
	assert_int_equal(pw_cursor_left(&c), 0);
	assert_false(c.failed);
	pw_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_little_endian),
		cmocka_unit_test(reading_past_the_end_fails_at_its_offset),
		cmocka_unit_test(the_first_failure_is_kept),
		cmocka_unit_test(huge_lengths_do_not_wrap),
		cmocka_unit_test(unsigned_leb_reads_every_form),
		cmocka_unit_test(signed_leb_extends_the_sign),
		cmocka_unit_test(long_and_overflowing_lebs_are_refused),
		cmocka_unit_test(what_the_buffer_encodes_the_cursor_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
