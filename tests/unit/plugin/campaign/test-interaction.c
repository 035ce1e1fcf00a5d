// SPDX-License-Identifier: GPL-2.0-only
/* Cells that stand out, in tables that the test makes up. */
#include "../../../../plugin/campaign/interaction.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define ROWS 8
#define COLS 3

struct table {
	double ms[ROWS * COLS], excess[ROWS * COLS], col[COLS];
	size_t order[ROWS * COLS];
};

/* Long and short modules on a quick, a middling and a slow runtime. */
static void fill(struct table *t)
{
	static const double runtime[COLS] = { 1, 1.5, 4 };

	for (size_t i = 0; i < ROWS; i++)
		for (size_t j = 0; j < COLS; j++)
			t->ms[i * COLS + j] = pow(3, (double)i) * runtime[j];
}

static size_t rank(struct table *t)
{
	interaction_polish(t->ms, ROWS, COLS, t->excess, t->col);
	return interaction_rank(t->excess, ROWS * COLS, 1.25, t->order);
}

static void rows_and_columns_explain_all_of_a_plain_table(void **state)
{
	struct table t;

	(void)state;
	fill(&t);
	assert_int_equal(rank(&t), 0);
	for (size_t i = 0; i < ROWS * COLS; i++)
		assert_true(fabs(t.excess[i] - 1) < 1e-6);
	assert_true(fabs(t.col[2] / t.col[0] - 4) < 1e-6);
}

static void a_slow_cell_is_first_by_its_own_factor(void **state)
{
	struct table t;

	(void)state;
	fill(&t);
	t.ms[5 * COLS + 1] *= 3;
	t.ms[2 * COLS + 0] *= 2;
	assert_int_equal(rank(&t), 2);
	assert_int_equal(t.order[0], 5 * COLS + 1);
	assert_int_equal(t.order[1], 2 * COLS + 0);
	assert_true(fabs(t.excess[5 * COLS + 1] - 3) < 0.01);
	assert_true(fabs(t.excess[2 * COLS + 0] - 2) < 0.01);
}

static void a_slow_runtime_or_a_long_module_stands_not_out(void **state)
{
	struct table t;

	(void)state;
	fill(&t);
	for (size_t i = 0; i < ROWS; i++)
		t.ms[i * COLS + 2] *= 10;
	for (size_t j = 0; j < COLS; j++)
		t.ms[3 * COLS + j] *= 100;
	assert_int_equal(rank(&t), 0);
}

static void cells_without_a_time_are_left_out(void **state)
{
	struct table t;

	(void)state;
	fill(&t);
	t.ms[0] = t.ms[4 * COLS + 2] = NAN;
	for (size_t j = 0; j < COLS; j++)
		t.ms[6 * COLS + j] = NAN;
	t.ms[7 * COLS + 2] *= 2;
	assert_int_equal(rank(&t), 1);
	assert_int_equal(t.order[0], 7 * COLS + 2);
	assert_true(isnan(t.excess[0]));
	assert_true(isnan(t.excess[6 * COLS]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_and_columns_explain_all_of_a_plain_table),
		cmocka_unit_test(a_slow_cell_is_first_by_its_own_factor),
		cmocka_unit_test(
			a_slow_runtime_or_a_long_module_stands_not_out),
		cmocka_unit_test(cells_without_a_time_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
