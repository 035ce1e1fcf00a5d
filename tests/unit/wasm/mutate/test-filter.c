// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which mutations a filter leaves, and how a walk is ended early.
 */
#include "mutate-fixture.h"

/* Two functions of ours, f0 and f1, both i32.const N; i32.eqz; drop. */
static const uint8_t two_funcs[] = { 0,    'a',  's',  'm',  1,    0, 0, 0,
				     1,    4,    1,    0x60, 0,    0, 3, 3,
				     2,    0,    0,    10,   15,   2, 6, 0,
				     0x41, 1,    0x45, 0x1a, 0x0b, 6, 0, 0x41,
				     2,    0x45, 0x1a, 0x0b };

static void open_two(struct fixture *fx)
{
	fixture_load(fx, two_funcs, sizeof(two_funcs));
}

static void kinds_are_chosen_by_bit(void **st)
{
	struct fixture fx;
	struct pw_mutate_filter f = { .kinds = 1u << PW_MUT_DELETION };
	unsigned all;

	(void)st;
	open_two(&fx);
	all = fx.n;
	fixture_gather(&fx, &f);
	assert_int_equal(fx.n, 4);
	assert_true(has_line(&fx, "f0 i1 deletion i32.eqz -> i32.const 0"));
	f.kinds = 1u << PW_MUT_OPERAND | 1u << PW_MUT_OPERATOR;
	fixture_gather(&fx, &f);
	assert_int_equal(fx.n, all - 4);
	fixture_close(&fx);
}

static void functions_are_chosen_by_index(void **st)
{
	struct fixture fx;
	uint32_t funcs[] = { 1, 1 };
	struct pw_mutate_filter f = { .funcs = funcs, .n_funcs = 2 };
	unsigned all;

	(void)st;
	open_two(&fx);
	all = fx.n;
	fixture_gather(&fx, &f);
	assert_true(fx.n > 0);
	assert_int_equal(count_lines(&fx, "f1 "), fx.n);
	f.n_funcs = 0;
	fixture_gather(&fx, &f);
	assert_int_equal(fx.n, 0);
	funcs[0] = 0;
	f.n_funcs = 2;
	fixture_gather(&fx, &f);
	assert_int_equal(fx.n, all);
	fixture_close(&fx);
}

static void a_function_that_is_not_there_is_refused(void **st)
{
	struct fixture fx;
	uint32_t func = 2;
	struct pw_mutate_filter f = { .funcs = &func, .n_funcs = 1 };
	struct pw_err err = { 0 };

	(void)st;
	open_two(&fx);
	assert_int_equal(pw_mutate_each(fx.m, &f, gather, &fx, &err), -EINVAL);
	assert_string_equal(
		err.msg,
		"the filter names function 2, the module has 2 functions");
	fixture_close(&fx);
}

static void offsets_are_half_open(void **st)
{
	struct fixture fx;
	/* i32.const 1 of f0 is at 24, its i32.eqz at 26 */
	struct pw_mutate_filter f = { .off_lo = 24, .off_hi = 26 };

	(void)st;
	open_two(&fx);
	fixture_gather(&fx, &f);
	assert_true(fx.n > 0);
	assert_int_equal(count_lines(&fx, "f0 i0 "), fx.n);
	f.off_hi = 27;
	f.off_lo = 25;
	fixture_gather(&fx, &f);
	assert_true(fx.n > 0);
	assert_int_equal(count_lines(&fx, "f0 i1 "), fx.n);
	fixture_close(&fx);
}

static int stop_at_third(void *ctx, const struct pw_mutation *mut)
{
	(void)mut;
	return ++*(unsigned *)ctx == 3 ? 77 : 0;
}

static void a_callback_ends_the_walk(void **st)
{
	struct fixture fx;
	unsigned n = 0;

	(void)st;
	open_two(&fx);
	assert_int_equal(pw_mutate_each(fx.m, NULL, stop_at_third, &n, NULL),
			 77);
	assert_int_equal(n, 3);
	fixture_close(&fx);
}

static int check_order(void *ctx, const struct pw_mutation *mut)
{
	struct pw_mutation *last = ctx;

	assert_true(mut->func_idx >= last->func_idx);
	if (mut->func_idx == last->func_idx) {
		assert_true(mut->insn_idx >= last->insn_idx);
		if (mut->insn_idx == last->insn_idx)
			assert_true(mut->kind >= last->kind);
	}
	*last = *mut;
	return 0;
}

static void mutations_come_in_order(void **st)
{
	struct fixture fx;
	struct pw_mutation last = { 0 };

	(void)st;
	open_two(&fx);
	assert_int_equal(pw_mutate_each(fx.m, NULL, check_order, &last, NULL),
			 0);
	assert_int_equal(last.func_idx, 1);
	fixture_close(&fx);
}

static void a_body_that_does_not_validate_is_an_error(void **st)
{
	uint8_t bytes[sizeof(two_funcs)];
	struct pw_err err = { 0 };
	struct pw_module *m;
	unsigned n = 0;

	(void)st;
	memcpy(bytes, two_funcs, sizeof(bytes));
	bytes[sizeof(bytes) - 3] = 0x6a; /* i32.add of one operand */
	m = pw_module_decode(bytes, sizeof(bytes), &err);
	assert_non_null(m);
	assert_int_equal(pw_mutate_each(m, NULL, stop_at_third, &n, &err), 77);
	n = 100;
	assert_int_equal(pw_mutate_each(m, NULL, stop_at_third, &n, &err),
			 -EINVAL);
	assert_int_equal(err.off, sizeof(bytes) - 3);
	pw_module_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_are_chosen_by_bit),
		cmocka_unit_test(functions_are_chosen_by_index),
		cmocka_unit_test(a_function_that_is_not_there_is_refused),
		cmocka_unit_test(offsets_are_half_open),
		cmocka_unit_test(a_callback_ends_the_walk),
		cmocka_unit_test(mutations_come_in_order),
		cmocka_unit_test(a_body_that_does_not_validate_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
