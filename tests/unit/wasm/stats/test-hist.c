// SPDX-License-Identifier: GPL-2.0-only
/* Histograms: where values go, and what is still known of them there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include <perfwasm/base.h>
#include <perfwasm/stats.h>

static void buckets_follow_each_other_without_a_gap(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < PW_N_BUCKETS; i++) {
		uint64_t low = pw_bucket_low(i), end = pw_bucket_low(i + 1);

		assert_true(end > low);
		assert_int_equal(pw_bucket_of(low), i);
		assert_int_equal(pw_bucket_of(end - 1), i);
		assert_true(end - low == 1 || (end - low) * 16 <= low);
	}
	assert_int_equal(pw_bucket_low(PW_N_BUCKETS), 1ull << 44);
	assert_int_equal(pw_bucket_of(1ull << 44), PW_N_BUCKETS - 1);
	assert_int_equal(pw_bucket_of(UINT64_MAX), PW_N_BUCKETS - 1);
}

static void nothing_has_no_quantile(void **state)
{
	struct pw_hist h = { 0 };

	(void)state;
	assert_true(isnan(pw_hist_quantile(&h, 0.5)));
	assert_true(isnan(pw_hist_mean(&h)));
	assert_int_equal(pw_hist_count(&h, 3), 0);
	pw_hist_release(&h);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

#define N 5000

static void quantiles_are_within_a_32nd(void **state)
{
	static const double q[] = { 0, 0.01, 0.5, 0.95, 0.99, 0.999, 1 };
	uint64_t *v = pw_alloc(N * sizeof(*v)), sum = 0;
	struct pw_hist h = { 0 };
	struct pw_rng rng;

	(void)state;
	pw_rng_init(&rng, 5);
	for (int i = 0; i < N; i++) {
		/* as many of each size */
		v[i] = pw_rng_below(&rng, 1ull << (1 + i % 43));
		sum += v[i];
		pw_hist_add(&h, v[i]);
	}
	qsort(v, N, sizeof(*v), compare);
	for (size_t i = 0; i < sizeof(q) / sizeof(*q); i++) {
		double rank = fmax(ceil(q[i] * N), 1);
		double want = (double)v[(size_t)rank - 1];
		double have = pw_hist_quantile(&h, q[i]);

		assert_true(fabs(have - want) <= want / 32);
	}
	assert_int_equal(h.min, v[0]);
	assert_int_equal(h.max, v[N - 1]);
	assert_int_equal(h.sum, sum);
	assert_true(pw_hist_mean(&h) == (double)sum / N);
	pw_hist_release(&h);
	free(v);
}

static void parts_merge_to_the_whole(void **state)
{
	static uint64_t flat[PW_N_BUCKETS];
	struct pw_hist all = { 0 }, a = { 0 }, b = { 0 }, from = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 300; i++) {
		pw_hist_add(&all, i * i * i);
		pw_hist_add(i % 3 ? &a : &b, i * i * i);
		flat[pw_bucket_of(i * i * i)]++;
	}
	pw_hist_merge(&a, &b);
	pw_hist_add_counts(&from, flat, all.sum, all.min, all.max);
	for (unsigned int i = 0; i < PW_N_BUCKETS; i++) {
		assert_int_equal(pw_hist_count(&a, i), flat[i]);
		assert_int_equal(pw_hist_count(&from, i), flat[i]);
	}
	assert_int_equal(a.n, 300);
	assert_int_equal(a.sum, all.sum);
	assert_int_equal(a.max, all.max);
	assert_int_equal(from.n, 300);
	assert_int_equal(from.min, 0);
	pw_hist_release(&all);
	pw_hist_release(&a);
	pw_hist_release(&b);
	pw_hist_release(&from);
}

static void few_sizes_take_little_room(void **state)
{
	struct pw_hist h = { 0 };

	(void)state;
	for (int i = 0; i < 100; i++)
		pw_hist_add(&h, 1000000 + (uint64_t)i);
	assert_int_equal(h.room, PW_BUCKET_SUB);
	pw_hist_add(&h, 4000000);
	assert_int_equal(h.room, 3 * PW_BUCKET_SUB);
	assert_int_equal(pw_hist_count(&h, pw_bucket_of(1000000)), 100);
	pw_hist_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_follow_each_other_without_a_gap),
		cmocka_unit_test(nothing_has_no_quantile),
		cmocka_unit_test(quantiles_are_within_a_32nd),
		cmocka_unit_test(parts_merge_to_the_whole),
		cmocka_unit_test(few_sizes_take_little_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
