// SPDX-License-Identifier: GPL-2.0-only
/* What a report of metrics says, and what of it is compared. */
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

static uint32_t figure(struct pw_metrics *m, const char *family,
		       const char *name, const char *instance,
		       enum pw_metric_kind kind, enum pw_unit unit)
{
	return pw_metrics_series(m, family, name, instance, kind, unit);
}

/* 32 s of a machine with a process of a hostile name. */
static struct pw_metrics *sample(void)
{
	struct pw_metrics *m = pw_metrics_new();

	for (int i = 0; i <= 32; i++) {
		pw_metrics_begin(m, "vmstat", START + (uint64_t)i * S);
		pw_metrics_value(m,
				 figure(m, "vmstat", "pgfault", "",
					PW_METRIC_COUNTER, PW_UNIT_COUNT),
				 1000 * i);
		pw_metrics_value(m,
				 figure(m, "vmstat", "oom_kill", "",
					PW_METRIC_COUNTER, PW_UNIT_COUNT),
				 3);
		pw_metrics_value(m,
				 figure(m, "vmstat", "nr_mlock", "",
					PW_METRIC_LEVEL, PW_UNIT_COUNT),
				 17);
		pw_metrics_begin(m, "cpu", START + (uint64_t)i * S);
		pw_metrics_value(m,
				 figure(m, "cpu", "user", "all",
					PW_METRIC_COUNTER, PW_UNIT_NS),
				 1e9 * i);
		pw_metrics_begin(m, "process", START + (uint64_t)i * S);
		pw_metrics_value(m,
				 figure(m, "process", "user", "12 <script>",
					PW_METRIC_COUNTER, PW_UNIT_NS),
				 0.25e9 * i);
		pw_metrics_value(m,
				 figure(m, "process", "system", "12 <script>",
					PW_METRIC_COUNTER, PW_UNIT_NS),
				 0.25e9 * i);
	}
	pw_metrics_source(m, "vmstat", NULL, 33, 330000);
	pw_metrics_source(m, "slab", "permission denied", 0, 0);
	pw_metrics_fact(m, "kernel", "release", "6.1");
	pw_metrics_fact(m, "sysctl", "vm.\"swappiness", "60");
	pw_metrics_end(m);
	return m;
}

static char *text_of(const struct pw_metrics_view *v, bool json)
{
	struct pw_metrics *m = sample();
	struct pw_report *r = pw_report_new("system", NULL);
	struct pw_render_opts opts = { .width = 0 };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_true(pw_metrics_report(m, v, r));
	if (json)
		assert_int_equal(pw_render_json(r, to), 0);
	else
		assert_int_equal(pw_render_text(r, &opts, to), 0);
	fclose(to);
	pw_report_free(r);
	pw_metrics_free(m);
	return text;
}

static void has(const char *text, const char *what)
{
	if (!strstr(text, what))
		fail_msg("expected '%s' in\n%s", what, text);
}

static void a_reader_sees_rates_with_units_and_what_they_are(void **state)
{
	char *text = text_of(NULL, false);

	(void)state;
	has(text, "Time:          32.0 s\n");
	has(text, "Interval:      1.00 s\n");
	has(text, "pgfault  1,000/s");
	has(text, "page faults. Minor and major.");
	has(text, "2 more did not change.");
	has(text, "<script>   12  50.0 %");
	/* 0.5 of 1 s in each */
	has(text, "Of the CPU time of all programs, 50 % is of");
	has(text, "Not readable here: slab (permission denied).");
	has(text, "release");
	free(text);
}

/* With pids left out, and without what stayed 0. */
static void what_the_machine_did_comes_first(void **state)
{
	char *text = text_of(NULL, false), *end;

	(void)state;
	has(text, "At a glance\n");
	has(text, "CPU time of a process  <script>  50.0 %  50.0 %\n");
	end = strstr(text, "CPU time\n---");
	assert_non_null(end);
	*end = 0;
	assert_null(strstr(text, "Swap used"));
	assert_null(strstr(text, "12 <script>"));
	free(text);
}

static void patterns_choose_and_show_zeros(void **state)
{
	static const char *const metrics[] = { "oom*", NULL };
	static const char *const full[] = { "vmstat.oom*", "x.y", NULL };
	static const char *const families[] = { "process", NULL };
	struct pw_metrics_view v = { .metrics = metrics };
	char *text = text_of(&v, false);

	(void)state;
	has(text, "oom_kill   0/s");
	assert_null(strstr(text, "pgfault"));
	free(text);
	v.metrics = full;
	text = text_of(&v, false);
	has(text, "oom_kill   0/s");
	free(text);
	v = (struct pw_metrics_view){ .families = families };
	text = text_of(&v, false);
	has(text, "<script>");
	assert_null(strstr(text, "nr_mlock"));
	free(text);
}

static void nothing_of_that_name_is_told(void **state)
{
	static const char *const metrics[] = { "nothing", NULL };
	struct pw_metrics_view v = { .metrics = metrics };
	struct pw_metrics *m = sample();
	struct pw_report *r = pw_report_new("system", NULL);

	(void)state;
	assert_false(pw_metrics_report(m, &v, r));
	pw_report_free(r);
	pw_metrics_free(m);
}

/* --- charts ------------------------------------------------------------------------ */

/* CPUs that are busy by turns; 200 s. */
static struct pw_metrics *cpus(int n_cpus)
{
	static const char *const names[] = { "user",      "nice",   "system",
					     "idle",      "iowait", "irq",
					     "softirq",   "steal",  "guest",
					     "guest_nice" };
	struct pw_metrics *m = pw_metrics_new();
	char cpu[16];

	for (int i = 0; i <= 200; i++) {
		pw_metrics_begin(m, "cpu", START + (uint64_t)i * S);
		for (int c = 0; c < n_cpus; c++)
			for (int k = 0; k < 10; k++) {
				snprintf(cpu, sizeof(cpu), c ? "cpu%d" : "all",
					 c);
				pw_metrics_value(m,
						 figure(m, "cpu", names[k], cpu,
							PW_METRIC_COUNTER,
							PW_UNIT_NS),
						 k == 0 ? 1e7 * i * (i % 7 + 1)
						 : k == 3 ? 1e9 * i
							  : 0);
			}
	}
	pw_metrics_end(m);
	return m;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

static void charts_have_few_marks_whatever_the_machine(void **state)
{
	struct pw_metrics *m = cpus(250);
	struct pw_report *r = pw_report_new("system", NULL);
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	assert_true(pw_metrics_report(m, NULL, r));
	assert_int_equal(pw_render_json(r, to), 0);
	fclose(to);
	has(text, "\"kind\":\"lines\"");
	has(text, "\"kind\":\"heat\"");
	assert_int_equal(count(text, "\"time\":true"), 3);
	assert_in_range(count(text, "\"line\":"), 500, 3000);
	/* rows of figures are bounded, and that is told */
	assert_int_equal(count(text, "\"metric\":\""), 600 + 9);
	has(text, "--format=json has all");
	free(text);
	pw_report_free(r);
	pw_metrics_free(m);
}

/* --- comparing ----------------------------------------------------------------------- */

struct seen {
	int n, texts;
	double faults, mlock, cpu;
	int n_blocks;
	double least;
	uint64_t span_ns;
};

static bool is_row(const struct pw_figure *f, const char *metric)
{
	for (int i = 0; i < f->n_names; i++)
		if (!strcmp(f->names[i], metric))
			return true;
	return false;
}

static void look(void *ctx, const struct pw_figure *f)
{
	struct seen *s = ctx;

	if (f->amount == PW_AMOUNT_NONE) {
		s->texts++;
		return;
	}
	s->n++;
	s->span_ns = f->time.span_ns;
	if (is_row(f, "pgfault")) {
		assert_int_equal(f->amount, PW_AMOUNT_TOTAL);
		assert_int_equal(f->better, PW_BETTER_LESS);
		assert_true(f->is_lone);
		s->faults = f->value;
		s->n_blocks = f->n_blocks;
		s->least = f->least;
	}
	if (is_row(f, "nr_mlock")) {
		assert_int_equal(f->amount, PW_AMOUNT_STATE);
		s->mlock = f->value;
	}
	if (is_row(f, "cpu")) {
		assert_int_equal(f->amount, PW_AMOUNT_LEVEL);
		assert_int_equal(f->unit, PW_UNIT_PERCENT);
		s->cpu = f->value;
	}
}

static void all_figures_and_facts_can_be_compared(void **state)
{
	static const struct pw_metrics_view whole = { .whole = true };
	struct pw_metrics *m = sample();
	struct pw_report *r = pw_report_new("system", NULL), *back;
	struct seen seen = { 0 }, again = { 0 };
	char *json = text_of(&whole, true);

	(void)state;
	assert_true(pw_metrics_report(m, &whole, r));
	pw_report_figures(r, look, &seen);
	assert_int_equal(seen.n, 6);
	assert_true(fabs(seen.faults - 32000) < 1e-3);
	assert_true(seen.mlock == 17);
	assert_true(fabs(seen.cpu - 0.5) < 1e-9);
	assert_in_range(seen.n_blocks, 16, 64);
	assert_true(seen.least == 200);
	assert_int_equal(seen.span_ns, 32 * S);
	back = pw_report_read_json(json, strlen(json), NULL);
	assert_non_null(back);
	pw_report_figures(back, look, &again);
	assert_int_equal(again.n, seen.n);
	assert_int_equal(again.texts, seen.texts);
	assert_int_equal(again.n_blocks, seen.n_blocks);
	pw_report_free(back);
	pw_report_free(r);
	pw_metrics_free(m);
	free(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_reader_sees_rates_with_units_and_what_they_are),
		cmocka_unit_test(what_the_machine_did_comes_first),
		cmocka_unit_test(patterns_choose_and_show_zeros),
		cmocka_unit_test(nothing_of_that_name_is_told),
		cmocka_unit_test(charts_have_few_marks_whatever_the_machine),
		cmocka_unit_test(all_figures_and_facts_can_be_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
