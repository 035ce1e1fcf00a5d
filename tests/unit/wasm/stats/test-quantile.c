// SPDX-License-Identifier: GPL-2.0-only
/*
 * One sample. Expected values: Python's statistics.median() and
 * statistics.quantiles(method='inclusive'), which is type 7 of Hyndman and
 * Fan, or by hand where the arithmetic is short.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <perfwasm/stats.h>

#include "near.h"

#define EPS 1e-12

static const double x[] = { 2.5, 9.0, 4.0, 7.5, 1.0, 3.0, 8.0 };

static void extremes_are_found_in_any_place(void **state)
{
	(void)state;
	assert_near(pw_min(x, 7), 1.0, 0);
	assert_near(pw_max(x, 7), 9.0, 0);
	assert_near(pw_min(x, 1), 2.5, 0);
}

static void the_median_of_an_even_number_lies_between_two(void **state)
{
	(void)state;
	assert_near(pw_median(x, 7), 4.0, 0);
	/* of 2.5 9 4 7.5: (4 + 7.5) / 2 */
	assert_near(pw_median(x, 4), 5.75, EPS);
	assert_near(pw_median(x, 1), 2.5, 0);
}

static void quantiles_are_interpolated_as_type_7(void **state)
{
	static const double tenth[] = { 1.9, 2.6, 2.9, 3.4, 4.0,
					6.1, 7.6, 7.9, 8.4 };

	(void)state;
	for (int i = 0; i < 9; i++)
		assert_near(pw_quantile(x, 7, (i + 1) / 10.0), tenth[i], EPS);
	assert_near(pw_quantile(x, 7, 0.25), 2.75, EPS);
	assert_near(pw_quantile(x, 7, 0), 1.0, 0);
	assert_near(pw_quantile(x, 7, 1), 9.0, 0);
	assert_near(pw_quantile(x, 7, 2), 9.0, 0);
}

static void an_infinite_value_stays_out_of_the_middle(void **state)
{
	const double y[] = { INFINITY, 1, 2, INFINITY, 3 };

	(void)state;
	assert_near(pw_median(y, 5), 3, 0);
	assert_true(isinf(pw_quantile(y, 5, 1)));
	assert_true(isinf(pw_quantile(y, 5, 0.8)));
}

static void the_spread_is_that_of_the_middle(void **state)
{
	/* distances from 4: 1.5 5 0 3.5 3 1 4; their median 3 */
	(void)state;
	assert_near(pw_mad(x, 7), 3 * 1.4826, EPS);
	assert_near(pw_mad(x, 1), 0, 0);
}

static void an_outlier_hardly_moves_the_spread(void **state)
{
	const double y[] = { 10, 11, 12, 13, 1e9 };

	/* distances from 12: 2 1 0 1 huge; their median 1 */
	(void)state;
	assert_near(pw_mad(y, 5), 1.4826, EPS);
}

static void nothing_gives_nan(void **state)
{
	(void)state;
	assert_true(isnan(pw_min(x, 0)));
	assert_true(isnan(pw_max(NULL, 0)));
	assert_true(isnan(pw_median(NULL, 0)));
	assert_true(isnan(pw_mad(NULL, 0)));
	assert_true(isnan(pw_quantile(x, 0, 0.5)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extremes_are_found_in_any_place),
		cmocka_unit_test(the_median_of_an_even_number_lies_between_two),
		cmocka_unit_test(quantiles_are_interpolated_as_type_7),
		cmocka_unit_test(an_infinite_value_stays_out_of_the_middle),
		cmocka_unit_test(the_spread_is_that_of_the_middle),
		cmocka_unit_test(an_outlier_hardly_moves_the_spread),
		cmocka_unit_test(nothing_gives_nan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
