// SPDX-License-Identifier: GPL-2.0-only
/* What a capture's figures are, of readings that are late, missed, restarted. */
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

#define S     1000000000ull
#define START (1000 * S)

static uint32_t counter(struct pw_metrics *m, const char *name)
{
	return pw_metrics_series(m, "test", name, "", PW_METRIC_COUNTER,
				 PW_UNIT_COUNT);
}

static uint32_t level(struct pw_metrics *m, const char *name)
{
	return pw_metrics_series(m, "test", name, "", PW_METRIC_LEVEL,
				 PW_UNIT_BYTES);
}

static void at(struct pw_metrics *m, double seconds)
{
	pw_metrics_begin(m, "test", START + (uint64_t)(seconds * 1e9));
}

static const struct pw_metric *found(const struct pw_metrics *m,
				     const char *name)
{
	const struct pw_metric *p = pw_metrics_find(m, "test", name, "");

	assert_non_null(p);
	return p;
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-6 * fmax(fabs(a), fabs(b)) + 1e-9;
}

static double sum(const struct pw_metrics *m, const struct pw_metric *p)
{
	double s = 0;

	for (uint32_t i = 0; i < pw_metrics_get_span(m).n_bins; i++)
		if (!isnan(p->bins[i]))
			s += p->bins[i];
	return s;
}

static void a_rate_is_over_the_real_time_between_two_readings(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	uint32_t c = counter(m, "c");
	const struct pw_metric *p;

	(void)state;
	at(m, 0);
	pw_metrics_value(m, c, 500);
	at(m, 1);
	pw_metrics_value(m, c, 510); /* 10/s */
	at(m, 3);                    /* late */
	pw_metrics_value(m, c, 530); /* 10/s */
	at(m, 4);
	pw_metrics_value(m, c, 570); /* 40/s */
	pw_metrics_end(m);
	p = found(m, "c");
	assert_true(near(p->total, 70));
	assert_true(near(p->mean, 17.5));
	assert_true(near(p->min, 10) && near(p->max, 40));
	assert_true(near(p->p50, 10) && near(p->p90, 40));
	assert_true(p->per_second && p->unit == PW_UNIT_COUNT);
	assert_int_equal(p->n, 4);
	assert_true(near(sum(m, p), 70));
	pw_metrics_free(m);
}

static void what_is_not_told_kept_its_value(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	uint32_t c = counter(m, "c"), l = level(m, "l");

	(void)state;
	for (int i = 0; i <= 10; i++) {
		at(m, i);
		if (i == 0 || i == 5) {
			pw_metrics_value(m, c, 100 + i);
			pw_metrics_value(m, l, i ? 30 : 10);
		}
	}
	pw_metrics_end(m);
	assert_true(near(found(m, "c")->mean, 0.5));
	assert_true(near(found(m, "c")->max, 5));
	assert_true(near(found(m, "c")->p90, 0));
	/* 4 s of 10, 6 s of 30 */
	assert_true(near(found(m, "l")->mean, 22));
	assert_true(near(found(m, "l")->last, 30));
	assert_int_equal(found(m, "l")->n, 11);
	assert_int_equal(found(m, "l")->span_ns, 10 * S);
	pw_metrics_free(m);
}

static void a_counter_that_restarts_does_not_grow_backwards(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	uint32_t c = counter(m, "c"), back = counter(m, "back");
	static const double values[] = { 1000, 1010, 4, 14 };
	static const double backs[] = { 1000, 1010, 1009, 1020 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		at(m, i);
		pw_metrics_value(m, c, values[i]);
		pw_metrics_value(m, back, backs[i]);
	}
	pw_metrics_end(m);
	assert_true(near(found(m, "c")->total, 24));
	assert_true(near(found(m, "c")->min, 4));
	assert_true(near(found(m, "back")->total, 21));
	assert_true(near(found(m, "back")->min, 0));
	pw_metrics_free(m);
}

static void figures_come_and_go(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	uint32_t c = counter(m, "c"), l, born;

	(void)state;
	for (int i = 0; i <= 8; i++) {
		at(m, i);
		if (i < 4)
			pw_metrics_value(m, c, 10 * i);
		if (i == 4)
			pw_metrics_gone(m, c);
		if (i == 6) {
			c = counter(m, "c");
			pw_metrics_value(m, c, 1000000);
			l = level(m, "l");
			pw_metrics_value(m, l, 7);
			born = counter(m, "born");
			pw_metrics_born(m, born);
			pw_metrics_value(m, born, 50);
		}
		if (i == 7)
			pw_metrics_value(m, c, 1000020);
		if (i == 8)
			pw_metrics_value(m, c, 1000040);
	}
	pw_metrics_end(m);
	assert_true(near(found(m, "c")->total, 70));
	assert_int_equal(found(m, "c")->span_ns, 5 * S);
	assert_true(near(found(m, "c")->mean, 14));
	assert_int_equal(found(m, "c")->n, 7); /* 0 to 3, 6 to 8 */
	assert_true(
		isnan(found(m, "c")->bins[pw_metrics_get_span(m).n_bins / 2]));
	assert_int_equal(found(m, "l")->span_ns, 3 * S);
	assert_true(found(m, "l")->is_constant);
	assert_null(found(m, "l")->bins);
	assert_true(near(found(m, "born")->total, 50));
	assert_true(near(found(m, "born")->max, 50));
	pw_metrics_free(m);
}

static void a_level_of_one_reading_has_its_value(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	uint32_t l = level(m, "l"), c = counter(m, "c");

	(void)state;
	at(m, 0);
	pw_metrics_value(m, l, 42);
	pw_metrics_value(m, c, 42);
	pw_metrics_end(m);
	assert_true(near(found(m, "l")->mean, 42));
	assert_true(near(found(m, "l")->p99, 42));
	assert_true(isnan(found(m, "c")->mean));
	assert_true(found(m, "c")->total == 0);
	assert_int_equal(pw_metrics_get_span(m).n_bins, 0);
	pw_metrics_free(m);
}

static void counters_of_nanoseconds_are_shares_of_time(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	uint32_t c = pw_metrics_series(m, "test", "run", "", PW_METRIC_COUNTER,
				       PW_UNIT_NS);

	(void)state;
	at(m, 0);
	pw_metrics_value(m, c, 0);
	at(m, 4);
	pw_metrics_value(m, c, 3e9);
	pw_metrics_end(m);
	assert_true(near(found(m, "run")->mean, 0.75));
	assert_int_equal(found(m, "run")->unit, PW_UNIT_PERCENT);
	assert_false(found(m, "run")->per_second);
	assert_true(near(found(m, "run")->total, 3e9));
	pw_metrics_free(m);
}

static void a_window_is_a_part_of_the_time(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	uint32_t c = counter(m, "c"), l = level(m, "l");
	struct pw_metrics_span span;

	(void)state;
	/* from the middle of an interval to the middle of another */
	pw_metrics_window(m, 2 * S + S / 2, 6 * S + S / 2);
	for (int i = 0; i <= 10; i++) {
		at(m, i);
		pw_metrics_value(m, c, i < 5 ? 100 * i : 500 * (i - 4));
		pw_metrics_value(m, l, i < 4 ? 8 : 16);
	}
	pw_metrics_end(m);
	span = pw_metrics_get_span(m);
	assert_int_equal(span.from_ns, START + 2 * S + S / 2);
	assert_int_equal(span.to_ns, START + 6 * S + S / 2);
	/* half of 100, 100, 100 (400 to 500), 500, half of 500 */
	assert_true(near(found(m, "c")->total, 50 + 100 + 100 + 500 + 250));
	assert_true(near(sum(m, found(m, "c")), found(m, "c")->total));
	/* 8 for the half second to 3, 16 after it */
	assert_true(near(found(m, "l")->mean, 15));
	assert_int_equal(found(m, "l")->span_ns, 4 * S);
	pw_metrics_free(m);
}

/* 24 hours at one second; bins add up, and there are no more than 128. */
static void a_day_takes_no_more_bins_than_a_minute(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	uint32_t c = counter(m, "c"), l = level(m, "l");
	struct pw_metrics_span span;

	(void)state;
	for (int i = 0; i <= 86400; i++) {
		at(m, i);
		pw_metrics_value(m, c, 1e6 + 3.0 * i);
		pw_metrics_value(m, l, i % 1000 + 1);
	}
	pw_metrics_end(m);
	span = pw_metrics_get_span(m);
	assert_true(span.n_bins > 64 && span.n_bins <= 128);
	assert_true(near(sum(m, found(m, "c")), 3.0 * 86400));
	assert_true(
		near(found(m, "c")->bins[3], 3.0 * (double)span.bin_ns / 1e9));
	assert_true(fabs(found(m, "l")->p50 - 500) < 500.0 / 16);
	assert_true(fabs(found(m, "l")->p99 - 990) < 990.0 / 16);
	pw_metrics_free(m);
}

static void bins_are_not_narrower_than_an_interval(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	uint32_t c = counter(m, "c");

	(void)state;
	for (int i = 0; i <= 30; i++) {
		at(m, i);
		pw_metrics_value(m, c, i);
	}
	pw_metrics_end(m);
	assert_true(pw_metrics_get_span(m).bin_ns >= S);
	assert_int_equal(pw_metrics_get_span(m).n_bins, 28);
	pw_metrics_free(m);
}

static void processes_without_end_do_not_fill_memory(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	const struct pw_metric *gone;
	uint32_t busy, c;
	char name[32];

	(void)state;
	busy = pw_metrics_series(m, "process", "run", "1 busy",
				 PW_METRIC_COUNTER, PW_UNIT_COUNT);
	for (int i = 0; i < 20000; i++) {
		pw_metrics_begin(m, "process", START + (uint64_t)i * S);
		pw_metrics_value(m, busy, 5.0 * i);
		snprintf(name, sizeof(name), "%d short", i);
		c = pw_metrics_series(m, "process", "run", name,
				      PW_METRIC_COUNTER, PW_UNIT_COUNT);
		pw_metrics_born(m, c);
		pw_metrics_value(m, c, 2);
		if (i == 10000)
			pw_metrics_gone(m, busy);
		pw_metrics_gone(m, c);
	}
	pw_metrics_end(m);
	assert_true(pw_metrics_count(m) < 3000);
	assert_true(pw_metrics_get_family(m, 0).n_folded > 17000);
	assert_non_null(pw_metrics_find(m, "process", "run", "1 busy"));
	gone = pw_metrics_find(m, "process", "run", "[gone]");
	assert_non_null(gone);
	assert_true(near(gone->total,
			 2.0 * (double)pw_metrics_get_family(m, 0).n_folded -
				 2 /* the first was there before */));
	assert_true(near(sum(m, gone), gone->total));
	assert_true(gone->mean > 1.5 && gone->mean < 2.1);
	pw_metrics_free(m);
}

static void instances_are_in_natural_order(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	static const char *const names[] = { "cpu10", "cpu2", "all" };
	static const char *const want[] = { "all", "cpu2", "cpu10" };

	(void)state;
	pw_metrics_begin(m, "cpu", START);
	for (int i = 0; i < 3; i++)
		pw_metrics_value(m,
				 pw_metrics_series(m, "cpu", "user", names[i],
						   PW_METRIC_LEVEL,
						   PW_UNIT_COUNT),
				 1);
	pw_metrics_end(m);
	assert_int_equal(pw_metrics_count(m), 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_string_equal(pw_metrics_get(m, i)->instance, want[i]);
	pw_metrics_free(m);
}

static void the_table_knows_kinds_that_a_file_does_not(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	uint32_t s = pw_metrics_series(m, "vmstat", "nr_free_pages", "",
				       PW_METRIC_COUNTER, PW_UNIT_COUNT);

	(void)state;
	pw_metrics_begin(m, "vmstat", START);
	pw_metrics_value(m, s, 9);
	pw_metrics_begin(m, "vmstat", START + S);
	pw_metrics_value(m, s, 7);
	pw_metrics_end(m);
	assert_true(near(pw_metrics_get(m, 0)->mean, 7));
	assert_int_equal(pw_metrics_get(m, 0)->def->kind, PW_METRIC_LEVEL);
	pw_metrics_free(m);
}

static void sources_and_facts_come_back(void **state)
{
	struct pw_metrics *m = pw_metrics_new();

	(void)state;
	pw_metrics_source(m, "stat", NULL, 3, 100);
	pw_metrics_source(m, "slabinfo", "permission denied", 0, 5);
	pw_metrics_source(m, "stat", NULL, 4, 200);
	pw_metrics_fact(m, "cpu", "model name", "old");
	pw_metrics_fact(m, "cpu", "model name", "<b>");
	pw_metrics_fact(m, "kernel", "release", "6.1");
	pw_metrics_end(m);
	assert_int_equal(pw_metrics_n_sources(m), 2);
	assert_int_equal(pw_metrics_get_source(m, 0).cost_ns, 200);
	assert_string_equal(pw_metrics_get_source(m, 1).state,
			    "permission denied");
	assert_int_equal(pw_metrics_n_facts(m), 2);
	assert_string_equal(pw_metrics_get_fact(m, 0).value, "<b>");
	assert_string_equal(pw_metrics_find_fact(m, "kernel", "release"),
			    "6.1");
	assert_null(pw_metrics_find_fact(m, "kernel", "version"));
	pw_metrics_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_rate_is_over_the_real_time_between_two_readings),
		cmocka_unit_test(what_is_not_told_kept_its_value),
		cmocka_unit_test(
			a_counter_that_restarts_does_not_grow_backwards),
		cmocka_unit_test(figures_come_and_go),
		cmocka_unit_test(a_level_of_one_reading_has_its_value),
		cmocka_unit_test(counters_of_nanoseconds_are_shares_of_time),
		cmocka_unit_test(a_window_is_a_part_of_the_time),
		cmocka_unit_test(a_day_takes_no_more_bins_than_a_minute),
		cmocka_unit_test(bins_are_not_narrower_than_an_interval),
		cmocka_unit_test(processes_without_end_do_not_fill_memory),
		cmocka_unit_test(instances_are_in_natural_order),
		cmocka_unit_test(the_table_knows_kinds_that_a_file_does_not),
		cmocka_unit_test(sources_and_facts_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
