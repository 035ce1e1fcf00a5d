// SPDX-License-Identifier: GPL-2.0-only
/* Bins that double: nothing is lost, and more than half stay in use. */
#include <perfwasm/stats.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define N 16u

static double sum(const double *bins)
{
	double s = 0;

	for (uint32_t i = 0; i < N; i++)
		s += bins[i];
	return s;
}

static void what_is_spread_adds_up_however_often_bins_double(void **state)
{
	struct pw_axis a = { .n_max = N, .shift = 4 };
	double bins[N] = { 0 };
	uint64_t counts[N] = { 0 }, n = 0;

	(void)state;
	for (uint64_t t = 1000; t < 100000; t += 37) {
		unsigned int times = pw_axis_reach(&a, t + 37);

		if (t == 1000)
			assert_int_equal(a.start_ns, 1037);
		pw_bins_fold(bins, N, times);
		pw_counts_fold(counts, N, times);
		pw_bins_spread(bins, &a, t, t + 37, 0.5);
		counts[pw_axis_bin(&a, t)]++;
		n++;
		assert_true(pw_axis_bin(&a, t + 37) < N);
	}
	assert_true(pw_axis_bin(&a, 99999) >= N / 2 - 1);
	assert_true(sum(bins) == (double)(n * 37) / 2);
	for (uint32_t i = 0; i < N; i++)
		n -= counts[i];
	assert_int_equal(n, 0);
}

static void an_interval_is_in_each_bin_by_its_part(void **state)
{
	struct pw_axis a = { .n_max = N, .shift = 4 };
	double bins[N] = { 0 };

	(void)state;
	pw_axis_reach(&a, 100);
	pw_axis_reach(&a, 200);
	assert_int_equal(a.shift, 4);
	assert_int_equal(pw_axis_end_ns(&a, 0), 116);
	pw_bins_spread(bins, &a, 110, 140, 2);
	assert_true(bins[0] == 12 && bins[1] == 32 && bins[2] == 16);
	pw_bins_spread(bins, &a, 140, 140, 2); /* no time */
	assert_true(sum(bins) == 60);
}

static void what_is_outside_is_at_the_edge(void **state)
{
	struct pw_axis a = { .n_max = N, .shift = 4 };

	(void)state;
	pw_axis_reach(&a, 1000);
	assert_int_equal(pw_axis_bin(&a, 3), 0);
	assert_int_equal(pw_axis_bin(&a, 1000000), N - 1);
	pw_axis_reach(&a, 5); /* before the start */
	assert_int_equal(a.start_ns, 1000);
	pw_axis_reach(&a, UINT64_MAX);
	assert_true(pw_axis_bin(&a, UINT64_MAX) < N);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			what_is_spread_adds_up_however_often_bins_double),
		cmocka_unit_test(an_interval_is_in_each_bin_by_its_part),
		cmocka_unit_test(what_is_outside_is_at_the_edge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
