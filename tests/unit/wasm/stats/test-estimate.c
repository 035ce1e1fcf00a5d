// SPDX-License-Identifier: GPL-2.0-only
/* Means with errors: against values found another way, and against what they promise of
 * series that are drawn again and again. */
#include <perfwasm/base.h>
#include <perfwasm/stats.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void expect(double got, double wanted)
{
	assert_true(fabs(got - wanted) <= 1e-6 * fmax(1, fabs(wanted)));
}

static double unit(struct pw_rng *rng)
{
	return (double)pw_rng_below(rng, 1u << 30) / (1u << 30);
}

/* Close to normal: twelve uniforms. */
static double normal(struct pw_rng *rng)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += unit(rng);
	return sum;
}

/* p and the interval by numerical integration of Student's density. */
static void welch_is_as_by_hand(void **state)
{
	static const double a[] = { 5, 7, 9 }, b[] = { 1, 2, 6 };
	struct pw_estimate d =
		pw_estimate_sum(pw_mean_estimate(a, 3),
				pw_estimate_scale(pw_mean_estimate(b, 3), -1));
	struct pw_interval ci = pw_estimate_interval(d, 0.95);

	(void)state;
	expect(d.value, 4);
	expect(d.se, sqrt(4. / 3 + 7. / 3));
	expect(d.df, 121. / 9 / ((16 + 49) / 18.));
	expect(pw_estimate_p(d, 0), 0.1101160731);
	expect(ci.lo, -1.4761327300);
	expect(ci.hi, 8 - -1.4761327300);
}

static void within_the_margin_nothing_is_improbable(void **state)
{
	struct pw_estimate e = { 3, 1, 10 };

	(void)state;
	expect(pw_estimate_p(e, 3), 1);
	expect(pw_estimate_p(e, 1),
	       pw_estimate_p((struct pw_estimate){ -2, 1, 10 }, 0));
	assert_true(
		isnan(pw_estimate_p((struct pw_estimate){ 3, NAN, NAN }, 0)));
	expect(pw_estimate_p((struct pw_estimate){ 3, 0, INFINITY }, 1), 0);
	expect(pw_estimate_p((struct pw_estimate){ 1, 0, INFINITY }, 1), 1);
}

static void a_rate_is_of_the_weights(void **state)
{
	static const double x[] = { 2, 4, NAN, 2, 4, 1 };
	static const double w[] = { 1, 2, 9, 1, 2, .5 };
	struct pw_estimate e = pw_block_estimate(x, w, 6);

	(void)state;
	expect(e.value, 2);
	expect(e.se, 0);
	assert_true(isnan(pw_block_estimate(x, w, 2).se));
	assert_true(isnan(pw_block_estimate(x, w, 0).value));
}

/* One burst could as well not have been: that it was says nothing. */
static void a_single_burst_is_no_rate(void **state)
{
	double x[32] = { [5] = 1000 };
	struct pw_estimate e = pw_block_estimate(x, NULL, 32);

	(void)state;
	assert_true(pw_estimate_p(e, 0) > 0.2);
}

/* Ten blocks of one phase, then ten of another: the phases are no flicker. */
static void phases_do_not_flicker(void **state)
{
	double x[20], y[20];
	struct pw_rng rng;

	(void)state;
	pw_rng_init(&rng, 1);
	for (int i = 0; i < 20; i++) {
		x[i] = i < 10 ? 0 : 100;
		y[i] = 10 + normal(&rng);
	}
	assert_true(pw_block_flicker(x, NULL, 20).se <
		    pw_block_estimate(x, NULL, 20).se / 3);
	assert_true(pw_block_flicker(y, NULL, 20).se > 0.1);
	assert_true(isnan(pw_block_flicker(x, NULL, 3).se));
}

/* Of 2,000 series that share one mean, drawn by an AR(1) process, how many
 * have it outside of their interval. */
static double misses(double memory, size_t n, double level, uint64_t seed)
{
	struct pw_rng rng;
	double x[64], last = 0;
	int missed = 0;

	pw_rng_init(&rng, seed);
	for (int round = 0; round < 2000; round++) {
		struct pw_interval ci;

		for (size_t i = 0; i < n; i++)
			x[i] = 10 + (last = memory * last + normal(&rng));
		ci = pw_estimate_interval(pw_block_estimate(x, NULL, n), level);
		missed += ci.lo > 10 || ci.hi < 10;
	}
	return missed / 2000.;
}

static void intervals_hold_what_they_promise(void **state)
{
	(void)state;
	assert_true(misses(0, 48, 0.95, 1) < 0.06);
	assert_true(misses(0, 48, 0.95, 1) > 0.005);
	assert_true(misses(0, 48, 0.999, 2) < 0.003);
	assert_true(misses(0.5, 64, 0.95, 3) < 0.08);
	assert_true(misses(0.8, 64, 0.95, 4) < 0.14);
}

/* Of 7 that are known the third is the last below 0.05 i/7. */
static void false_discoveries_are_bounded(void **state)
{
	static const double p[] = { 0.01, NAN,  0.5,   0.02,
				    0.03, 0.04, 0.051, 0.001 };
	static const double none[] = { 0.03, 0.9, NAN };
	static const double zero[] = { 0, 0.9 };

	(void)state;
	expect(pw_fdr_threshold(p, 8, 0.05), 0.02);
	expect(pw_fdr_threshold(none, 3, 0.05), 0);
	assert_true(pw_fdr_threshold(zero, 2, 0.05) > 0);
	expect(pw_fdr_threshold(NULL, 0, 0.05), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(welch_is_as_by_hand),
		cmocka_unit_test(within_the_margin_nothing_is_improbable),
		cmocka_unit_test(a_rate_is_of_the_weights),
		cmocka_unit_test(a_single_burst_is_no_rate),
		cmocka_unit_test(phases_do_not_flicker),
		cmocka_unit_test(intervals_hold_what_they_promise),
		cmocka_unit_test(false_discoveries_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
