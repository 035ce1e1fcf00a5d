// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bootstrap interval. For {10 12 15} against {4 5 8} all 27 x 27
 * resamples were listed; the ratio of their medians has these cumulative
 * probabilities:
 *   1.25 .067  1.5 .192  1.875 .259  2 .384  2.4 .616  2.5 .683  3 .933
 *   3.75 1
 * so the quantile at any q that is not near a step is one of these values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <perfwasm/stats.h>

#include "near.h"

static const double a[] = { 15, 10, 12 }, b[] = { 5, 8, 4 };

static void assert_interval(double level, double lo, double hi)
{
	struct pw_interval ci = pw_bootstrap_ratio(a, 3, b, 3, level, 20000, 1);

	assert_near(ci.lo, lo, 1e-12);
	assert_near(ci.hi, hi, 1e-12);
}

static void the_interval_has_the_quantiles_of_all_resamples(void **state)
{
	(void)state;
	assert_interval(0.95, 1.25, 3.75); /* .025 .975 */
	assert_interval(0.8, 1.5, 3);      /* .1 .9 */
	assert_interval(0.4, 2, 3);        /* .3 .7: .7 is beyond .683 */
	assert_interval(0, 2.4, 2.4);      /* .5 .5 */
}

static void the_same_seed_gives_the_same_interval(void **state)
{
	double x[9], y[8];
	struct pw_interval p, q;

	(void)state;
	for (int i = 0; i < 9; i++)
		x[i] = 100 + i * i;
	for (int i = 0; i < 8; i++)
		y[i] = 50 + 3 * i;
	p = pw_bootstrap_ratio(x, 9, y, 8, 0.9, 50, 7);
	q = pw_bootstrap_ratio(x, 9, y, 8, 0.9, 50, 7);
	assert_memory_equal(&p, &q, sizeof(p));
	q = pw_bootstrap_ratio(x, 9, y, 8, 0.9, 50, 8);
	assert_memory_not_equal(&p, &q, sizeof(p));
	assert_true(p.lo < pw_median(x, 9) / pw_median(y, 8));
	assert_true(p.hi > pw_median(x, 9) / pw_median(y, 8));
}

static void single_values_have_an_interval_without_width(void **state)
{
	struct pw_interval ci = pw_bootstrap_ratio(a, 1, b, 1, 0.95, 9, 1);

	(void)state;
	assert_near(ci.lo, 3, 0);
	assert_near(ci.hi, 3, 0);
}

static void the_median_of_a_resample_of_two_lies_between_them(void **state)
{
	/* 10 and 14: medians 10, 12, 14 with 1/4, 1/2, 1/4 */
	const double two[] = { 10, 14 }, one[] = { 1 };
	struct pw_interval ci =
		pw_bootstrap_ratio(two, 2, one, 1, 0.2, 9999, 1);

	(void)state;
	assert_near(ci.lo, 12, 1e-12);
	assert_near(ci.hi, 12, 1e-12);
	ci = pw_bootstrap_ratio(two, 2, one, 1, 0.9, 9999, 1);
	assert_near(ci.lo, 10, 1e-12);
	assert_near(ci.hi, 14, 1e-12);
}

static void a_work_free_oracle_gives_an_infinite_ratio(void **state)
{
	const double zero[] = { 0, 0 };
	struct pw_interval ci = pw_bootstrap_ratio(a, 3, zero, 2, 0.95, 9, 1);

	(void)state;
	assert_true(isinf(ci.lo) && isinf(ci.hi));
	ci = pw_bootstrap_ratio(zero, 2, zero, 2, 0.95, 9, 1);
	assert_true(isnan(ci.lo) && isnan(ci.hi));
}

static void nothing_gives_nan(void **state)
{
	struct pw_interval ci = pw_bootstrap_ratio(a, 0, b, 3, 0.95, 9, 1);

	(void)state;
	assert_true(isnan(ci.lo) && isnan(ci.hi));
	ci = pw_bootstrap_ratio(a, 3, b, 3, 0.95, 0, 1);
	assert_true(isnan(ci.lo) && isnan(ci.hi));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_interval_has_the_quantiles_of_all_resamples),
		cmocka_unit_test(the_same_seed_gives_the_same_interval),
		cmocka_unit_test(single_values_have_an_interval_without_width),
		cmocka_unit_test(
			the_median_of_a_resample_of_two_lies_between_them),
		cmocka_unit_test(a_work_free_oracle_gives_an_infinite_ratio),
		cmocka_unit_test(nothing_gives_nan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
