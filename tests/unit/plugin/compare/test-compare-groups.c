// SPDX-License-Identifier: GPL-2.0-only
/* Which differences stand together, and what of a machine's metrics is one: of
 * made-up captures with a profile, the scheduler's figures and metrics. */
#include <perfwasm/compare.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define N_BLOCKS 30
#define SECOND   1000000000ull

/* --- made-up captures of 30 seconds ------------------------------------------- */

struct row {
	const char *where, *metric, *instance;
	struct pw_cell_how how;
	/* of the sides; of a level as it is. And its course: 1 and 2 go up and
	 * down in turn */
	double per_second[3];
};

#define CPU                                                      \
	{                                                        \
		PW_UNIT_NS, PW_AMOUNT_TOTAL, PW_BETTER_LESS, 1e7 \
	}
#define EVENTS                                                     \
	{                                                          \
		PW_UNIT_COUNT, PW_AMOUNT_TOTAL, PW_BETTER_LESS, 50 \
	}
#define STATE                                                        \
	{                                                            \
		PW_UNIT_BYTES, PW_AMOUNT_STATE, PW_BETTER_LESS, 4096 \
	}

/* Some variation from block to block, none in sum. */
static double wave(int i, int course)
{
	static const double v[] = { 0.97, 1.01, 1.02, 0.98, 1.02 };

	return v[i % 5] + (course ? 0.3 * ((i / 2 + course) % 2 ? 1 : -1) : 0);
}

/* Functions and what they consist of. */
static void add_code(struct pw_node *root, const struct row *rows, int n,
		     int side)
{
	struct pw_node *t = pw_table(root, "hot_wasm", "Code");

	pw_column(t, "function", "Function", PW_UNIT_NONE, PW_COL_KEY);
	pw_column(t, "opcode", "Opcode", PW_UNIT_NONE, PW_COL_KEY);
	pw_column(t, "count", "in its body", PW_UNIT_COUNT, 0);
	pw_column_compared(t, 2, PW_AMOUNT_EXACT, PW_BETTER_NEITHER);
	for (int i = 0; i < n; i++) {
		if (strcmp(rows[i].where, "hot_wasm") != 0 ||
		    rows[i].per_second[side] == 0)
			continue;
		pw_row(t);
		pw_cell_str(t, 0, rows[i].instance);
		pw_cell_str(t, 1, rows[i].metric);
		pw_cell_num(t, 2, rows[i].per_second[side]);
	}
}

static void add_cell(struct pw_node *t, int col, double x, bool is_total,
		     int course)
{
	double blocks[N_BLOCKS], sum = 0;

	for (int i = 0; i < N_BLOCKS; i++) {
		blocks[i] = x * wave(i, course);
		sum += blocks[i];
	}
	pw_cell_num(t, col, is_total ? sum : x);
	pw_cell_blocks(t, col, blocks, N_BLOCKS);
}

static struct pw_node *metric_table(struct pw_node *root, const char *key)
{
	struct pw_node *t = pw_table(root, key, key);

	pw_column(t, "metric", "Metric", PW_UNIT_NONE, PW_COL_KEY);
	pw_column(t, "instance", "Of", PW_UNIT_NONE, PW_COL_KEY);
	pw_column(t, "value", "Value", PW_UNIT_NONE, 0);
	pw_column_compared(t, 2, PW_AMOUNT_TOTAL, PW_BETTER_NEITHER);
	return t;
}

static struct pw_report *system_of(const struct row *rows, int n, int side)
{
	struct pw_report *r = pw_report_new("system", NULL);
	struct pw_node *root = pw_report_root(r), *t;

	pw_report_time(r, N_BLOCKS * SECOND, SECOND);
	pw_report_start(r, 5 * SECOND);
	for (int i = 0; i < n; i++) {
		if (strcmp(rows[i].where, "tasks") == 0 ||
		    strcmp(rows[i].where, "functions") == 0 ||
		    strcmp(rows[i].where, "hot_wasm") == 0)
			continue;
		t = pw_child(root, rows[i].where);
		if (!t)
			t = metric_table(root, rows[i].where);
		pw_row(t);
		pw_cell_str(t, 0, rows[i].metric);
		pw_cell_str(t, 1, rows[i].instance);
		add_cell(t, 2, rows[i].per_second[side],
			 rows[i].how.amount == PW_AMOUNT_TOTAL,
			 (int)rows[i].per_second[2]);
		pw_cell_compared(t, 2, rows[i].how);
	}
	return r;
}

/* Tables of the profile, whose columns have one unit. */
static void add_profile(struct pw_node *root, const struct row *rows, int n,
			int side, const char *where, const char *name)
{
	struct pw_node *t = pw_table(root, where, where);

	pw_column(t, name, name, PW_UNIT_NONE, PW_COL_KEY);
	pw_column(t, "period", "on CPU", PW_UNIT_NS, 0);
	pw_column_compared(t, 1, PW_AMOUNT_TOTAL, PW_BETTER_LESS);
	for (int i = 0; i < n; i++) {
		if (strcmp(rows[i].where, where) != 0 ||
		    rows[i].per_second[side] == 0)
			continue;
		pw_row(t);
		pw_cell_str(t, 0, rows[i].instance);
		add_cell(t, 1, rows[i].per_second[side], true,
			 (int)rows[i].per_second[2]);
	}
}

static struct pw_report *made(const struct row *rows, int n, int side)
{
	struct pw_report *r = pw_report_new("report", NULL);
	struct pw_node *root = pw_report_root(r);

	pw_report_time(r, N_BLOCKS * SECOND, SECOND);
	pw_report_start(r, 6 * SECOND);
	add_profile(root, rows, n, side, "tasks", "task");
	add_profile(root, rows, n, side, "functions", "function");
	add_code(root, rows, n, side);
	pw_report_append(root, "system", "System", system_of(rows, n, side));
	return r;
}

struct result {
	uint32_t n;
	char *json, *text;
};

static char *rendered(const struct pw_report *r, bool is_json)
{
	const struct pw_render_opts o = { .width = 0 };
	char *s;
	size_t size;
	FILE *f = open_memstream(&s, &size);

	if (is_json)
		pw_render_json(r, f);
	else
		pw_render_text(r, &o, f);
	fclose(f);
	return s;
}

#define MOST_RUNS 4u

static struct result compare(const struct row *rows, int n, uint32_t n_runs)
{
	struct pw_report *runs[2][MOST_RUNS];
	struct pw_compare_side sides[2] = { { .label = "old" },
					    { .label = "new" } };
	struct pw_report *to = pw_report_new("compare", NULL);
	struct result r;
	struct pw_err err;

	for (int s = 0; s < 2; s++) {
		for (uint32_t i = 0; i < n_runs; i++)
			runs[s][i] = made(rows, n, s);
		sides[s].runs = (const struct pw_report *const *)runs[s];
		sides[s].n_runs = n_runs;
	}
	assert_int_equal(pw_compare(sides, 2, NULL, to, &r.n, &err), 0);
	r.json = rendered(to, true);
	r.text = rendered(to, false);
	pw_report_free(to);
	for (uint32_t i = 0; i < 2 * n_runs; i++)
		pw_report_free(runs[i / n_runs][i % n_runs]);
	return r;
}

static void release(struct result *r)
{
	free(r->json);
	free(r->text);
}

static void expect_sentence(const struct result *r, const char *part)
{
	if (!strstr(r->json, part))
		fail_msg("'%s' is not in:\n%s", part, r->text);
}

#define N(rows) ((int)(sizeof(rows) / sizeof(*rows)))

/* --- tests -------------------------------------------------------------------------- */

static void a_new_task_leads_what_follows_from_it(void **state)
{
	static const struct row rows[] = {
		{ "cpu", "user", "", CPU, { 3e8, 13e8 } },
		{ "cpu", "idle", "", CPU, { 17e8, 7e8 } },
		{ "vmstat", "pgfault", "", EVENTS, { 100, 101 } },
		{ "process", "run", "77 thrash", CPU, { 0, 9.9e8 } },
		{ "tasks", "", "thrash", CPU, { 0, 9.98e8 } },
		{ "tasks", "", "shell", CPU, { 1e8, 1e8 } },
		{ "functions", "", "thrash_loop", CPU, { 0, 9.9e8 } },
		{ "functions", "", "main", CPU, { 1e8, 1e8 } },
	};
	struct result r = compare(rows, N(rows), 1);

	(void)state;
	expect_sentence(
		&r,
		"1. thrash (task, only in new): on CPU +99.8 % of a CPU, worse; with it ");
	expect_sentence(&r, "cpu.user +100.0 % of a CPU");
	expect_sentence(&r, "cpu.idle -100.0 % of a CPU");
	expect_sentence(&r, "thrash_loop: on CPU +99.0 % of a CPU");
	assert_null(strstr(r.json, "\"group_2\""));
	release(&r);
}

static void a_tasks_function_does_not_explain_another_task(void **state)
{
	static const struct row rows[] = {
		{ "tasks", "", "thrash", CPU, { 0, 9.98e8 } },
		{ "tasks", "", "busy", CPU, { 1e7, 1e9 } },
		{ "functions", "", "thrash_loop", CPU, { 0, 9.9e8 } },
		{ "functions", "", "main", CPU, { 1e8, 1e8 } },
	};
	struct result r = compare(rows, N(rows), 1);

	(void)state;
	expect_sentence(&r, "thrash (task, only in new)");
	expect_sentence(&r, "busy (task): on CPU");
	release(&r);
}

/* The task was there before, so its function is the cause. */
static void of_a_task_that_stays_the_function_leads(void **state)
{
	static const struct row rows[] = {
		{ "cpu", "user", "", CPU, { 3e8, 8e8 } },
		{ "tasks", "", "app", CPU, { 2e8, 7e8 } },
		{ "functions", "", "app_sort", CPU, { 1e8, 6e8 } },
		{ "functions", "", "app_read", CPU, { 1e8, 1e8 } },
	};
	struct result r = compare(rows, N(rows), 1);

	(void)state;
	expect_sentence(
		&r,
		"1. app_sort (function): on CPU +50.0 % of a CPU, worse; with it ");
	expect_sentence(&r, "app: on CPU");
	expect_sentence(&r, "cpu.user");
	assert_null(strstr(r.json, "\"group_2\""));
	release(&r);
}

/* However the samples lie, what the code has more of is exact; of a function
 * that is only on one side nothing is known. */
static void other_code_leads_what_it_makes_slower(void **state)
{
	static const struct row rows[] = {
		{ "functions", "", "heavy", CPU, { 3e8, 6e8 } },
		{ "functions", "", "light", CPU, { 3e8, 3e8 } },
		{ "hot_wasm", "f64.mul", "heavy", EVENTS, { 1, 0 } },
		{ "hot_wasm", "f64.div", "heavy", EVENTS, { 0, 1 } },
		{ "hot_wasm", "f64.add", "heavy", EVENTS, { 2, 2 } },
		{ "hot_wasm", "f64.add", "new_one", EVENTS, { 0, 2 } },
	};
	struct result r = compare(rows, N(rows), 1);

	(void)state;
	assert_int_equal(r.n, 3);
	expect_sentence(
		&r,
		"1. heavy, f64.div (Wasm code, only in new): in its body +1, changed; with it heavy, f64.mul: in its body -1, heavy: on CPU +30.0 % of a CPU");
	assert_null(strstr(r.json, "\"group_2\""));
	release(&r);
}

static void a_slower_timer_leads_switches_and_interrupts(void **state)
{
	static const struct row rows[] = {
		{ "kernel", "switches", "", EVENTS, { 4000, 3000 } },
		{ "interrupts", "LOC", "", EVENTS, { 1500, 1000 } },
		{ "softirqs", "TIMER", "cpu0", EVENTS, { 1500, 100 } },
		{ "process_sched",
		  "slices",
		  "9 ticker",
		  EVENTS,
		  { 1000, 500 } },
		{ "process_sched", "slices", "8 other", EVENTS, { 800, 800 } },
	};
	struct result r = compare(rows, N(rows), 1);

	(void)state;
	expect_sentence(&r,
			"1. ticker (process): slices -500/s, better; with it ");
	expect_sentence(&r, "kernel.switches -1,000/s");
	expect_sentence(&r, "interrupts.LOC -500/s");
	assert_null(strstr(r.json, "\"group_2\""));
	release(&r);
}

/* Of two tasks that could be it, the one that goes up and down with it is. */
static void a_metric_follows_the_task_with_its_course(void **state)
{
	struct row rows[] = {
		{ "cpu", "user", "", CPU, { 3e8, 9e8, 2 } },
		{ "tasks", "", "one", CPU, { 0, 6e8, 1 } },
		{ "tasks", "", "two", CPU, { 0, 5.5e8, 2 } },
		{ "tasks", "", "shell", CPU, { 1e8, 1e8 } },
	};
	struct result r = compare(rows, N(rows), 1);

	(void)state;
	expect_sentence(
		&r,
		"two (task, only in new): on CPU +53.9 % of a CPU, worse; with it cpu.user");
	release(&r);
	rows[0].per_second[2] = 1;
	r = compare(rows, N(rows), 1);
	expect_sentence(
		&r,
		"one (task, only in new): on CPU +61.2 % of a CPU, worse; with it cpu.user");
	release(&r);
}

/* What cannot have made a quarter of it is not its cause. */
static void a_small_cause_does_not_explain_a_large_effect(void **state)
{
	static const struct row rows[] = {
		{ "cpu", "user", "", CPU, { 3e8, 13e8 } },
		{ "tasks", "", "tiny", CPU, { 0, 0.9e8 } },
		{ "tasks", "", "shell", CPU, { 1e8, 1e8 } },
	};
	struct result r = compare(rows, N(rows), 1);

	(void)state;
	assert_int_equal(r.n, 2);
	expect_sentence(&r, "tiny (task, only in new)");
	expect_sentence(&r, "\"group_2\"");
	release(&r);
}

static void processes_are_matched_by_name_not_number(void **state)
{
	struct row a[] = {
		{ "process", "run", "77 app", CPU, { 5e8, 0 } },
		{ "process", "run", "99 app", CPU, { 0, 5e8 } },
		{ "process", "user", "99 app", CPU, { 0, 5e8 } },
		{ "tasks", "", "kworker/0:1-events", CPU, { 3e8, 0 } },
		{ "tasks", "", "kworker/u8:3", CPU, { 0, 3e8 } },
	};
	struct result r = compare(a, N(a), 1);

	(void)state;
	assert_int_equal(r.n, 0);
	release(&r);
}

static void what_matters_little_is_no_difference(void **state)
{
	struct row a[] = { { "kernel", "forks", "", EVENTS, { 1, 49 } } };
	struct result r = compare(a, N(a), 1);

	(void)state;
	assert_int_equal(r.n, 0);
	release(&r);
	a[0].per_second[1] = 200;
	r = compare(a, N(a), 1);
	assert_int_equal(r.n, 1);
	release(&r);
}

static void a_state_is_judged_by_repeated_runs_only(void **state)
{
	struct row a[] = { { "meminfo", "used", "", STATE, { 1e9, 2e9 } } };
	struct result r = compare(a, N(a), 1);

	(void)state;
	assert_int_equal(r.n, 0);
	assert_non_null(strstr(r.json, "not judged"));
	release(&r);
	r = compare(a, N(a), 3);
	assert_int_equal(r.n, 1);
	release(&r);
}

/* How many figures differ when this one does, of so many runs. */
static uint32_t n_found(struct row row, uint32_t n_runs)
{
	struct result r = compare(&row, 1, n_runs);

	release(&r);
	return r.n;
}

static void of_one_cpu_a_single_run_tells_nothing(void **state)
{
	struct row all = { "softirqs", "TIMER", "", EVENTS, { 900, 100 } };
	struct row one = { "softirqs", "TIMER", "cpu0", EVENTS, { 900, 100 } };
	struct row irq = { "interrupts", "7", "x cpu12", EVENTS, { 900, 100 } };
	struct row pmu = { "pmu", "cycles", "cpu0", EVENTS, { 900, 100 } };

	(void)state;
	assert_int_equal(n_found(all, 1), 1);
	assert_int_equal(n_found(one, 1), 0);
	assert_int_equal(n_found(irq, 1), 0);
	assert_int_equal(n_found(one, 3), 1);
	assert_int_equal(n_found(pmu, 1), 1);
}

static void ticks_of_a_single_run_tell_nothing(void **state)
{
	struct row run = { "process", "run", "7 x", CPU, { 1e8, 9e8 } };
	struct row user = { "process", "user", "7 x", CPU, { 1e8, 9e8 } };

	(void)state;
	assert_int_equal(n_found(run, 1), 1);
	assert_int_equal(n_found(user, 1), 0);
	assert_int_equal(n_found(user, 3), 1);
}

static void who_records_is_no_difference(void **state)
{
	struct row a[] = {
		{ "process", "run", "7 perf-wasm", CPU, { 0, 5e8 } },
		{ "recorder", "cpu", "", CPU, { 0, 5e8 } },
		{ "tasks", "", "perf", CPU, { 1e8, 6e8 } },
		{ "tasks", "", "swapper", CPU, { 1e8, 6e8 } },
		{ "functions", "", "pv_native_safe_halt", CPU, { 1e8, 6e8 } },
	};
	struct result r = compare(a, N(a), 1);

	(void)state;
	assert_int_equal(r.n, 0);
	release(&r);
}

/* Parts that began at different times are drawn on one axis. */
static void the_largest_are_drawn_over_time(void **state)
{
	struct row a[] = { { "cpu", "user", "", CPU, { 1e8, 5e8 } },
			   { "tasks", "", "x", CPU, { 1e8, 5e8 } } };
	struct result r = compare(a, N(a), 1);
	const char *lines = strstr(r.json, "\"over_time\"");

	(void)state;
	assert_non_null(lines);
	assert_non_null(strstr(lines, "\"title\": \"x: on CPU, of a CPU\""));
	assert_non_null(strstr(
		lines,
		"{\"time\":1000000000,\"value\":0.097,\"side\":\"old\"}"));
	assert_non_null(
		strstr(lines, "{\"time\":0,\"value\":0.097,\"side\":\"old\"}"));
	release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_task_leads_what_follows_from_it),
		cmocka_unit_test(
			a_tasks_function_does_not_explain_another_task),
		cmocka_unit_test(of_a_task_that_stays_the_function_leads),
		cmocka_unit_test(other_code_leads_what_it_makes_slower),
		cmocka_unit_test(a_slower_timer_leads_switches_and_interrupts),
		cmocka_unit_test(a_metric_follows_the_task_with_its_course),
		cmocka_unit_test(a_small_cause_does_not_explain_a_large_effect),
		cmocka_unit_test(processes_are_matched_by_name_not_number),
		cmocka_unit_test(what_matters_little_is_no_difference),
		cmocka_unit_test(a_state_is_judged_by_repeated_runs_only),
		cmocka_unit_test(of_one_cpu_a_single_run_tells_nothing),
		cmocka_unit_test(ticks_of_a_single_run_tell_nothing),
		cmocka_unit_test(who_records_is_no_difference),
		cmocka_unit_test(the_largest_are_drawn_over_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
