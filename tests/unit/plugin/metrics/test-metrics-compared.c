// SPDX-License-Identifier: GPL-2.0-only
/* What is compared of a capture's metrics: amounts, units, blocks. */
#include <perfwasm/metrics.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define S 1000000000ull

/* 100 s, once a second: a clock of CPU time, a level that stays, one that
 * comes and goes, a counter that stands still, one that is read twice. */
static struct pw_metrics *made(void)
{
	struct pw_metrics *m = pw_metrics_new();
	uint32_t run = pw_metrics_series(m, "process", "run", "7 a",
					 PW_METRIC_COUNTER, PW_UNIT_NS);
	uint32_t still = pw_metrics_series(m, "kernel", "forks", "",
					   PW_METRIC_COUNTER, PW_UNIT_COUNT);
	uint32_t idle = pw_metrics_series(m, "kernel", "softirqs", "",
					  PW_METRIC_COUNTER, PW_UNIT_COUNT);
	uint32_t ready = pw_metrics_series(m, "kernel", "running", "",
					   PW_METRIC_LEVEL, PW_UNIT_COUNT);
	uint32_t free_mem = pw_metrics_series(m, "meminfo", "MemFree", "",
					      PW_METRIC_LEVEL, PW_UNIT_BYTES);

	for (uint64_t i = 0; i <= 100; i++) {
		pw_metrics_begin(m, "process", (1000 + i) * S);
		pw_metrics_value(m, run, (double)(i * S / 4));
		pw_metrics_begin(m, "kernel", (1000 + i) * S);
		pw_metrics_value(m, still, 5);
		pw_metrics_value(m, idle, 5);
		pw_metrics_value(m, ready, (double)(i % 3));
		pw_metrics_begin(m, "meminfo", (1000 + i) * S);
		pw_metrics_value(m, free_mem, 4096);
	}
	pw_metrics_end(m);
	return m;
}

struct seen {
	const char *id;
	struct pw_figure f;
	double sum;
	int n;
};

static void look(void *ctx, const struct pw_figure *f)
{
	struct seen *s = ctx;
	char id[64];

	snprintf(id, sizeof(id), "%s.%s %s", f->where, f->names[0],
		 f->names[1]);
	if (strcmp(id, s->id) != 0)
		return;
	s->n++;
	s->f = *f;
	s->sum = 0;
	for (int i = 0; i < f->n_blocks; i++)
		s->sum += f->blocks[i];
}

static struct seen seen(const char *id)
{
	struct pw_metrics *m = made();
	struct pw_report *r = pw_report_new("system", NULL);
	struct seen s = { .id = id };

	pw_metrics_compared(m, r);
	assert_int_equal(pw_report_get_time(r).span_ns, 100 * S);
	assert_int_equal(pw_report_get_time(r).start_ns, 1000 * S);
	pw_report_figures(r, look, &s);
	pw_report_free(r);
	pw_metrics_free(m);
	return s;
}

static void a_counter_is_a_total_whose_blocks_add_up(void **state)
{
	struct seen s = seen("process.run 7 a");

	(void)state;
	assert_int_equal(s.n, 1);
	assert_int_equal(s.f.amount, PW_AMOUNT_TOTAL);
	assert_int_equal(s.f.unit, PW_UNIT_NS);
	assert_true(s.f.is_lone && s.f.least > 1e6 && s.f.least < 1e9);
	assert_true(s.f.n_blocks >= 16 && s.f.n_blocks <= 64);
	assert_true(fabs(s.sum - 25e9) < 1e6);
	assert_true(fabs(s.f.value - 25e9) < 1e6);
}

static void what_stays_is_a_state_and_what_comes_and_goes_a_level(void **state)
{
	struct seen s = seen("meminfo.MemFree ");

	(void)state;
	assert_int_equal(s.f.amount, PW_AMOUNT_STATE);
	assert_true(s.f.value == 4096);
	s = seen("kernel.running ");
	assert_int_equal(s.f.amount, PW_AMOUNT_LEVEL);
	assert_true(fabs(s.f.value - 1) < 0.1);
}

static void
what_stood_still_is_only_there_to_show_that_it_was_read(void **state)
{
	(void)state;
	assert_int_equal(seen("kernel.forks ").n, 1);
	assert_int_equal(seen("kernel.softirqs ").n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_counter_is_a_total_whose_blocks_add_up),
		cmocka_unit_test(
			what_stays_is_a_state_and_what_comes_and_goes_a_level),
		cmocka_unit_test(
			what_stood_still_is_only_there_to_show_that_it_was_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
