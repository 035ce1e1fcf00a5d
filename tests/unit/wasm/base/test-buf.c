// SPDX-License-Identifier: GPL-2.0-only
/* Buffers grow and print; errors keep code, offset and sentence; chance is
 * the same for the same seed. */
#include <perfwasm/base.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void a_buffer_grows_and_is_a_string(void **state)
{
	struct pw_buf b = { 0 };

	(void)state;
	assert_string_equal(pw_buf_str(&b), "");
	for (int i = 0; i < 1000; i++)
		pw_buf_printf(&b, "%d,", i);
	assert_int_equal(b.len, 10 * 2 + 90 * 3 + 900 * 4);
	assert_memory_equal(pw_buf_str(&b), "0,1,2,3,", 8);
	assert_string_equal(pw_buf_str(&b) + b.len - 8, "998,999,");
	pw_buf_release(&b);
	assert_null(b.data);
}

static void a_long_line_is_printed_whole(void **state)
{
	char text[5000];
	struct pw_buf b = { 0 };

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	pw_buf_printf(&b, "<%s>", text);
	assert_int_equal(b.len, sizeof(text) + 1);
	assert_int_equal(b.data[b.len - 1], '>');
	pw_buf_release(&b);
}

static void an_error_keeps_offset_and_gains_context(void **state)
{
	struct pw_err err = { 0 };

	(void)state;
	assert_int_equal(pw_err_at(&err, EINVAL, 7, "bad %s", "byte"), -EINVAL);
	pw_err_prefix(&err, "x.%s", "wasm");
	assert_string_equal(err.msg, "x.wasm: bad byte");
	assert_int_equal(err.off, 7);
	assert_int_equal(pw_err_set(NULL, ENOENT, "nobody listens"), -ENOENT);
	assert_int_equal(pw_err_set(&err, ENOENT, "gone"), -ENOENT);
	assert_true(err.off == PW_NO_OFF);
}

static void the_same_seed_gives_the_same_numbers(void **state)
{
	struct pw_rng a, b;
	uint64_t seen[6] = { 0 };

	(void)state;
	pw_rng_init(&a, 42);
	pw_rng_init(&b, 42);
	for (int i = 0; i < 6000; i++) {
		uint64_t x = pw_rng_below(&a, 6);

		assert_true(x < 6);
		assert_true(x == pw_rng_below(&b, 6));
		seen[x]++;
	}
	for (int i = 0; i < 6; i++)
		assert_in_range(seen[i], 850, 1150);
	/* the first output of splitmix64 for seed 0, from its paper's code */
	pw_rng_init(&a, 0);
	assert_true(pw_rng_u64(&a) == UINT64_C(0xe220a8397b1dcdaf));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_buffer_grows_and_is_a_string),
		cmocka_unit_test(a_long_line_is_printed_whole),
		cmocka_unit_test(an_error_keeps_offset_and_gains_context),
		cmocka_unit_test(the_same_seed_gives_the_same_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
