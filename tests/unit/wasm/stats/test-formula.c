// SPDX-License-Identifier: GPL-2.0-only
/* Formulas: what they need, what they give, what is none. */
#include <perfwasm/stats.h>

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static double eval(const char *text, const double *values)
{
	struct pw_formula *f = pw_formula_new(text, NULL);
	double x;

	assert_non_null(f);
	x = pw_formula_eval(f, values);
	pw_formula_free(f);
	return x;
}

static void names_come_in_the_order_of_use(void **state)
{
	struct pw_formula *f =
		pw_formula_new("1 - (b.x + TcpExt:a) / (b.x * 2)", NULL);
	double values[] = { 4, 2 };

	(void)state;
	assert_int_equal(pw_formula_n_names(f), 2);
	assert_string_equal(pw_formula_name(f, 0), "b.x");
	assert_string_equal(pw_formula_name(f, 1), "TcpExt:a");
	assert_true(pw_formula_eval(f, values) == 0.25);
	values[1] = 12;
	assert_true(pw_formula_eval(f, values) == -1);
	pw_formula_free(f);
}

static void what_is_not_finite_is_unknown(void **state)
{
	(void)state;
	assert_true(isnan(eval("a / b", (double[]){ 1, 0 })));
	assert_true(isnan(eval("a / b", (double[]){ 0, 0 })));
	assert_true(isnan(eval("a > 0 ? 1 : 2", (double[]){ NAN })));
	assert_true(isnan(eval("sqrt(a)", (double[]){ -1 })));
	assert_true(eval("1/0 > 5 ? 1 : 2", NULL) == 1);
}

static void a_choice_takes_one_side(void **state)
{
	(void)state;
	assert_true(eval("a > 0 ? b / a : 7", (double[]){ 0, 3 }) == 7);
	assert_true(eval("a > 0 ? b / a : 7", (double[]){ 2, 3 }) == 1.5);
	assert_true(eval("max(a, b, 4)", (double[]){ 2, 3 }) == 4);
	assert_true(eval("a >= 2 && a != 3", (double[]){ 2 }) == 1);
	assert_true(eval("a && b || 0", (double[]){ 2, 3 }) == 1);
}

static void what_is_no_formula_is_told(void **state)
{
	static const char *const bad[] = {
		"",      "a +",   "(a",  "a b",  "f(a)",      "a ? b",  "3x",
		"a = 4", "\"x\"", "a;b", "a, b", "a >= 2, 3", "a = = 4"
	};
	struct pw_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		err = (struct pw_err){ 0 };
		assert_null(pw_formula_new(bad[i], &err));
		assert_int_equal(err.code, EINVAL);
		assert_true(strlen(err.msg) > 10);
	}
	/* one that fails does not spoil the next */
	assert_true(eval("1 + 1", NULL) == 2);
}

static void a_formula_has_a_length(void **state)
{
	char *deep = malloc(100001), many[2000] = "a0";
	struct pw_err err = { 0 };
	struct pw_formula *f;

	(void)state;
	memset(deep, '(', 100000);
	deep[100000] = 0;
	assert_null(pw_formula_new(deep, &err));
	deep[4000] = 0;
	assert_null(pw_formula_new(deep, &err));
	for (int i = 1; i < 100; i++)
		snprintf(many + strlen(many), 12, "+a%d", i);
	f = pw_formula_new(many, &err);
	assert_null(f);
	assert_non_null(strstr(err.msg, "names"));
	free(deep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_come_in_the_order_of_use),
		cmocka_unit_test(what_is_not_finite_is_unknown),
		cmocka_unit_test(a_choice_takes_one_side),
		cmocka_unit_test(what_is_no_formula_is_told),
		cmocka_unit_test(a_formula_has_a_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
