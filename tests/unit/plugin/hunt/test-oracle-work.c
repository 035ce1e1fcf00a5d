// SPDX-License-Identifier: GPL-2.0-only
/* An oracle's time is believed when it runs the module's work, and not when it
 * starts quickly, deletes the work or does something else. */
#include "../../../../plugin/hunt/steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define N 9

static bool tells(const double *whole, const double *emptied, double suspect_ms)
{
	struct pw_series w = { .cpu_ms = (double *)whole, .n = N };
	struct pw_series e = { .cpu_ms = (double *)emptied,
			       .n = emptied ? N : 0 };

	return hunt_tells_work(&w, &e, suspect_ms);
}

static void a_command_that_only_starts_tells_nothing(void **state)
{
	/* less what starting takes at the least, as hosts of commands tell it */
	static const double with[N] = { 0.9, 0.4, 1.3, 0.6, 0.5,
					0.8, 2.1, 0.4, 0.7 };
	static const double without[N] = { 0.3, 0.5, 0.2, 1.1, 0.2,
					   0.6, 0.4, 0.9, 0.3 };

	(void)state;
	assert_false(tells(with, without, 20));
	assert_false(tells(without, with, 20));
	assert_false(tells(with, with, 20));
}

static void a_fast_oracle_is_told_from_no_work(void **state)
{
	static const double with[N] = { 3.1, 3.0, 3.2, 3.9, 3.0,
					3.1, 5.0, 3.3, 3.1 };
	static const double without[N] = { 0.3, 0.5, 0.2, 1.1, 0.2,
					   0.6, 0.4, 0.9, 0.3 };
	static const double nothing[N] = { 0 };

	(void)state;
	assert_true(tells(with, without, 200));
	assert_true(tells(with, nothing, 200));
	/* what is left of deleted work */
	assert_false(tells(with, nothing, 1000));
	assert_false(tells(nothing, nothing, 1));
}

static void without_an_emptied_copy_the_share_decides(void **state)
{
	static const double with[N] = { 3, 3, 3, 3, 3, 3, 3, 3, 3 };

	(void)state;
	assert_true(tells(with, NULL, 200));
	assert_false(tells(with, NULL, 400));
}

/* (module (import "e" "f" (func (result T)))
 *   (func (export "g") (result T) (local i32) call 0)) */
static struct pw_module *module(uint8_t result)
{
	static uint8_t bytes[] = {
		0,  'a', 's', 'm',  1,   0, 0,    0,       /* type */
		1,  5,   1,   0x60, 0,   1, 0,             /* import */
		2,  7,   1,   1,    'e', 1, 'f',  0,    0, /* function */
		3,  2,   1,   0,                           /* export */
		7,  5,   1,   1,    'g', 0, 1,             /* code */
		10, 8,   1,   6,    1,   1, 0x7f, 0x10, 0, 0x0b,
	};

	bytes[14] = result;
	return pw_module_decode(bytes, sizeof(bytes), NULL);
}

static void an_emptied_copy_returns_at_once(void **state)
{
	static const uint8_t types[] = { PW_I32, PW_I64, PW_F32, PW_F64 };
	static const uint8_t sizes[] = { 2, 2, 5, 9 };

	(void)state;
	for (size_t i = 0; i < sizeof(types); i++) {
		struct pw_module *m = module(types[i]), *copy;
		struct pw_buf out = { 0 };
		const struct pw_func *f;

		assert_non_null(m);
		assert_true(hunt_empty_copy(m, "g", &out));
		copy = pw_module_decode(out.data, out.len, NULL);
		assert_non_null(copy);
		assert_int_equal(pw_module_check_bodies(copy, NULL), 0);
		f = pw_module_func(copy, 1);
		assert_int_equal(f->body_off + f->body_size - f->code_off,
				 sizes[i] + 1);
		pw_module_free(copy);
		pw_buf_release(&out);
		assert_false(hunt_empty_copy(m, "f", &out));
		pw_module_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_that_only_starts_tells_nothing),
		cmocka_unit_test(a_fast_oracle_is_told_from_no_work),
		cmocka_unit_test(without_an_emptied_copy_the_share_decides),
		cmocka_unit_test(an_emptied_copy_returns_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
