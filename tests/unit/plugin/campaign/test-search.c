// SPDX-License-Identifier: GPL-2.0-only
/* The search over releases, on tables of ratios that the test makes up. */
#include "../../../../plugin/campaign/search.h"

#include <perfwasm/base.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define N_MAX 64

struct table {
	double ratio[N_MAX]; /* what a run would give; 0: it fails */
	size_t n, tried;
	double noise; /* half the width of intervals, a share */
	struct step *steps;
	size_t n_steps;
};

static void run(struct table *t, size_t grid)
{
	struct probe probe[N_MAX] = { 0 };
	struct search s = {
		.probe = probe, .n = t->n, .grid = grid, .min_change = 1.2
	};
	size_t i;

	t->tried = 0;
	while ((i = search_next(&s)) != SEARCH_DONE) {
		double r = t->ratio[i];

		assert_true(i < t->n);
		assert_false(probe[i].done);
		probe[i] = (struct probe){ .done = true,
					   .failed = r == 0,
					   .ratio = r,
					   .lo = r * (1 - t->noise),
					   .hi = r * (1 + t->noise) };
		t->tried++;
	}
	t->n_steps = search_steps(&s, &t->steps);
}

/* n releases, the ratio `a` from `lo` up to but without `hi`, else b. */
static void fill(struct table *t, size_t n, size_t lo, size_t hi, double a,
		 double b)
{
	memset(t, 0, sizeof(*t));
	t->n = n;
	t->noise = 0.01;
	for (size_t i = 0; i < n; i++)
		t->ratio[i] = i >= lo && i < hi ? a : b;
}

static void assert_step(const struct table *t, size_t i, size_t after,
			bool slower)
{
	assert_true(i < t->n_steps);
	assert_int_equal(t->steps[i].after, after);
	assert_int_equal(t->steps[i].factor > 1, slower);
}

static void a_change_is_found_wherever_it_is(void **state)
{
	struct table t;

	(void)state;
	for (size_t n = 2; n < N_MAX; n++) {
		for (size_t at = 1; at < n; at++) {
			fill(&t, n, 0, at, 4, 1);
			run(&t, 7);
			assert_int_equal(t.n_steps, 1);
			assert_step(&t, 0, at, false);
			assert_true(t.tried <= 7 + 4);
			free(t.steps);
		}
	}
}

static void what_was_brought_in_and_removed_is_two_changes(void **state)
{
	struct table t;

	(void)state;
	fill(&t, 52, 11, 23, 3, 1);
	run(&t, 7);
	assert_int_equal(t.n_steps, 2);
	assert_step(&t, 0, 11, true);
	assert_step(&t, 1, 23, false);
	free(t.steps);
}

static void two_changes_between_points_of_the_grid_are_both_found(void **state)
{
	struct table t;

	(void)state;
	fill(&t, 40, 0, 15, 1, 4);
	t.ratio[15] = t.ratio[16] = 2;
	run(&t, 2);
	assert_int_equal(t.n_steps, 2);
	assert_step(&t, 0, 15, true);
	assert_step(&t, 1, 17, true);
	free(t.steps);
}

static void noise_is_no_change(void **state)
{
	struct table t;

	(void)state;
	fill(&t, 30, 0, 15, 1.3, 1);
	t.noise = 0.2; /* the intervals overlap */
	run(&t, 7);
	assert_int_equal(t.n_steps, 0);
	assert_int_equal(t.tried, 7);
	free(t.steps);
	fill(&t, 30, 0, 15, 1.1, 1); /* certain, but small */
	run(&t, 7);
	assert_int_equal(t.n_steps, 0);
	free(t.steps);
}

static void releases_that_fail_are_passed_over(void **state)
{
	struct table t;

	(void)state;
	fill(&t, 30, 0, 14, 5, 1);
	t.ratio[0] = t.ratio[10] = t.ratio[13] = t.ratio[14] = t.ratio[29] = 0;
	run(&t, 4);
	assert_int_equal(t.n_steps, 1);
	assert_int_equal(t.steps[0].before, 12);
	assert_int_equal(t.steps[0].after, 15);
	free(t.steps);
	fill(&t, 5, 0, 5, 0, 0); /* none runs */
	run(&t, 3);
	assert_int_equal(t.n_steps, 0);
	assert_int_equal(t.tried, 5);
	free(t.steps);
}

static void a_creep_is_put_where_most_of_it_happens(void **state)
{
	struct table t;

	(void)state;
	fill(&t, 9, 0, 9, 1, 1);
	for (size_t i = 0; i < 9; i++)
		t.ratio[i] = 1 + 0.02 * i + (i >= 6 ? 0.1 : 0);
	run(&t, 2);
	assert_int_equal(t.n_steps, 1);
	assert_step(&t, 0, 6, true);
	free(t.steps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_is_found_wherever_it_is),
		cmocka_unit_test(
			what_was_brought_in_and_removed_is_two_changes),
		cmocka_unit_test(
			two_changes_between_points_of_the_grid_are_both_found),
		cmocka_unit_test(noise_is_no_change),
		cmocka_unit_test(releases_that_fail_are_passed_over),
		cmocka_unit_test(a_creep_is_put_where_most_of_it_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
