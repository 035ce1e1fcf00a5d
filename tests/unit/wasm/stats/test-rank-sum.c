// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rank-sum test. Exact values come from listing all ways to deal the
 * joined values into two samples (itertools.combinations) and counting those
 * with min(U, nm - U) at most as small; approximate ones from the formula
 * with Python's statistics.NormalDist().cdf.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <perfwasm/stats.h>

#include "near.h"

#define N(x)    (sizeof(x) / sizeof(*(x)))
#define P(a, b) pw_rank_sum_p(a, N(a), b, N(b))

static void separate_samples_have_the_smallest_exact_p(void **state)
{
	const double a[] = { 1, 2, 3 }, b[] = { 4, 5, 6, 7 };

	/* one arrangement of 35 on each side */
	(void)state;
	assert_near(P(a, b), 2.0 / 35, 1e-15);
	assert_near(P(b, a), 2.0 / 35, 1e-15);
}

static void the_middle_of_the_distribution_has_p_one(void **state)
{
	const double a[] = { 1.1, 5.2, 6.3 }, b[] = { 2.4, 3.5, 4.6, 7.7 };

	/* U = 6 of 12; 20 of 35 are as small: 40/35, held at 1 */
	(void)state;
	assert_near(P(a, b), 1, 0);
}

static void small_samples_are_counted_exactly(void **state)
{
	const double a[] = { 10.1, 9.8, 12.5, 11.3, 10.7 };
	const double b[] = { 9.1, 8.7, 10.0, 9.5, 11.0, 8.2 };

	/* U = 26 of 30; 12 of 462 arrangements have at most 4 */
	(void)state;
	assert_near(P(a, b), 24.0 / 462, 1e-15);
	assert_near(P(b, a), 24.0 / 462, 1e-15);
}

static void one_against_many_is_its_rank(void **state)
{
	const double a[] = { 0.5 };
	double b[999];

	/* 1000 places for one value, the outermost on either side */
	(void)state;
	for (int i = 0; i < 999; i++)
		b[i] = i + 1;
	assert_near(pw_rank_sum_p(a, 1, b, 999), 2.0 / 1000, 1e-12);
}

static void ties_use_the_corrected_normal_distribution(void **state)
{
	const double a[] = { 1, 2, 2, 3, 3, 3, 4, 5 };
	const double b[] = { 3, 4, 4, 5, 5, 6, 7, 7, 8 };

	/* U = 7.5, sum(t^3 - t) = 120, variance 105.3529, z = 2.72794 */
	(void)state;
	assert_near(P(a, b), 0.006373133838085909, 1e-12);
	assert_near(P(b, a), 0.006373133838085909, 1e-12);
}

static void large_samples_use_the_normal_distribution(void **state)
{
	double a[20], b[20];

	/* 0 2 .. 38 and 9 11 .. 47: U = 120, z = 2.15048 */
	(void)state;
	for (int i = 0; i < 20; i++) {
		a[i] = 2 * i;
		b[i] = 2 * i + 9;
	}
	assert_near(P(a, b), 0.03151710207456171, 1e-12);
}

static void equal_samples_do_not_differ(void **state)
{
	const double a[] = { 5, 5, 5 }, b[] = { 5, 5, 5, 5 };

	(void)state;
	assert_near(P(a, b), 1, 0);
}

static void nothing_gives_nan(void **state)
{
	const double a[] = { 1, 2 }, bad[] = { 3, NAN };

	(void)state;
	assert_true(isnan(pw_rank_sum_p(a, 0, a, 2)));
	assert_true(isnan(pw_rank_sum_p(a, 2, a, 0)));
	assert_true(isnan(P(a, bad)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(separate_samples_have_the_smallest_exact_p),
		cmocka_unit_test(the_middle_of_the_distribution_has_p_one),
		cmocka_unit_test(small_samples_are_counted_exactly),
		cmocka_unit_test(one_against_many_is_its_rank),
		cmocka_unit_test(ties_use_the_corrected_normal_distribution),
		cmocka_unit_test(large_samples_use_the_normal_distribution),
		cmocka_unit_test(equal_samples_do_not_differ),
		cmocka_unit_test(nothing_gives_nan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
