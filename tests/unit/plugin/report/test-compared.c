// SPDX-License-Identifier: GPL-2.0-only
/* What is compared of a report: read figure by figure, from the model and from
 * its JSON the same. */
#include "rendered.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void add_series(struct pw_buf *b, const double *v, int n)
{
	for (int i = 0; i < n; i++)
		pw_buf_printf(b, "%s%g", i ? " " : "", v[i]);
}

static void tell(void *ctx, const struct pw_figure *f)
{
	struct pw_buf *b = ctx;

	pw_buf_printf(b, "%s", f->where);
	for (int i = 0; i < f->n_names; i++)
		pw_buf_printf(b, " %s:%s=%s", f->name_keys[i],
			      f->name_titles[i], f->names[i]);
	pw_buf_printf(b, " %s:%s %d%d%d", f->key, f->title, f->unit, f->amount,
		      f->better);
	if (f->text)
		pw_buf_printf(b, " '%s'", f->text);
	else
		pw_buf_printf(b, " %g", f->value);
	pw_buf_printf(b, " [");
	add_series(b, f->blocks, f->n_blocks);
	pw_buf_printf(b, "] of %g [", f->whole);
	add_series(b, f->whole_blocks, f->n_whole_blocks);
	pw_buf_printf(b, "]%s", f->is_cut ? " cut" : "");
	if (f->least > 0 || f->is_lone)
		pw_buf_printf(b, " %s%g", f->is_lone ? "lone " : "", f->least);
	if (f->time.start_ns)
		pw_buf_printf(b, " from %" PRIu64, f->time.start_ns);
	pw_buf_printf(b, "\n");
}

static char *figures(const struct pw_report *r)
{
	struct pw_buf b = { 0 };

	pw_report_figures(r, tell, &b);
	pw_buf_str(&b);
	return (char *)b.data;
}

static struct pw_report *sample(void)
{
	static const double blocks[] = { 1, 2, NAN };
	struct pw_report *r = pw_report_new("report", "T");
	struct pw_node *root = pw_report_root(r), *s, *t;
	int name, cpu, n, p99;

	pw_report_time(r, 2500, 1000);
	s = pw_section(root, "capture", "Capture");
	pw_fact_str(s, "kernel", "Kernel", "6.1");
	pw_fact_compared(s, PW_AMOUNT_NONE, PW_BETTER_NEITHER);
	pw_fact_int(s, "span", "Span", 2500, PW_UNIT_NS);
	pw_fact_compared(s, PW_AMOUNT_LEVEL, PW_BETTER_LESS);
	pw_fact_blocks(s, blocks, 2);
	pw_fact_int(s, "pid", "Pid", 7, PW_UNIT_NONE);
	t = pw_table(s, "tasks", "Tasks");
	pw_column(t, "tid", "Tid", PW_UNIT_NONE, 0);
	name = pw_column(t, "task", "Task", PW_UNIT_NONE, PW_COL_KEY);
	n = pw_column(t, "core", "Core", PW_UNIT_NONE, PW_COL_KEY);
	cpu = pw_column(t, "cpu", "CPU", PW_UNIT_NS, 0);
	p99 = pw_column(t, "p99", "p99", PW_UNIT_MS, 0);
	pw_column_compared(t, cpu, PW_AMOUNT_TOTAL, PW_BETTER_LESS);
	pw_column_whole(t, cpu, 12, blocks, 2);
	pw_column_compared(t, p99, PW_AMOUNT_LEVEL, PW_BETTER_MORE);
	pw_table_cut(t);
	pw_row(t);
	pw_cell_str(t, name, "<b>\"");
	pw_cell_int(t, n, -3);
	pw_cell_int(t, cpu, 5);
	pw_cell_blocks(t, cpu, blocks, 3);
	pw_cell_num(t, p99, 0.5);
	pw_row(t);
	pw_cell_int(t, n, 1);
	return r;
}

static const char sample_figures[] =
	"capture kernel:Kernel 000 '6.1' [] of nan []\n"
	"capture span:Span 121 2500 [1 2] of nan []\n"
	"capture.tasks task:Task=<b>\" core:Core=-3 cpu:CPU 111 5 [1 2 nan] of 12 [1 2] cut\n"
	"capture.tasks task:Task=<b>\" core:Core=-3 p99:p99 222 0.5 [] of nan [] cut\n"
	"capture.tasks task:Task= core:Core=1 cpu:CPU 111 0 [] of 12 [1 2] cut\n"
	"capture.tasks task:Task= core:Core=1 p99:p99 222 nan [] of nan [] cut\n";

/* A part of a capture whose rows are different things. */
static struct pw_report *parts(void)
{
	static const double blocks[] = { 3, 4 };
	struct pw_report *all = pw_report_new("report", NULL);
	struct pw_report *r = pw_report_new("system", "S");
	struct pw_node *t = pw_table(pw_report_root(r), "cpu", "CPU");
	int name = pw_column(t, "metric", "Metric", PW_UNIT_NONE, PW_COL_KEY);
	int mean = pw_column(t, "mean", "Mean", PW_UNIT_NONE, 0);

	pw_report_time(r, 10, 5);
	pw_report_start(r, 77);
	pw_column_compared(t, mean, PW_AMOUNT_LEVEL, PW_BETTER_NEITHER);
	pw_row(t);
	pw_cell_str(t, name, "user");
	pw_cell_num(t, mean, 7);
	pw_cell_compared(t, mean,
			 (struct pw_cell_how){ PW_UNIT_NS, PW_AMOUNT_TOTAL,
					       PW_BETTER_LESS, 0.5 });
	pw_cell_blocks(t, mean, blocks, 2);
	pw_row(t);
	pw_cell_str(t, name, "load");
	pw_cell_num(t, mean, 2);
	pw_cell_blocks(t, mean, blocks, 2);
	pw_cell_matters(t, mean, 0.1);
	pw_row(t);
	pw_cell_str(t, name, "free");
	pw_cell_num(t, mean, 1);
	pw_cell_compared(t, mean,
			 (struct pw_cell_how){ PW_UNIT_BYTES, PW_AMOUNT_STATE,
					       PW_BETTER_MORE, 0 });
	pw_report_time(all, 20, 10);
	pw_report_append(pw_report_root(all), "system", "System", r);
	pw_fact_int(pw_report_root(all), "n", "N", 1, PW_UNIT_COUNT);
	pw_fact_compared(pw_report_root(all), PW_AMOUNT_TOTAL, PW_BETTER_LESS);
	return all;
}

static const char parts_figures[] =
	"system.cpu metric:Metric=user mean:Mean 111 7 [3 4] of nan [] lone 0.5 from 77\n"
	"system.cpu metric:Metric=load mean:Mean 020 2 [3 4] of nan [] 0.1 from 77\n"
	"system.cpu metric:Metric=free mean:Mean 332 1 [] of nan [] lone 0 from 77\n"
	" n:N 711 1 [] of nan []\n";

static void cells_of_a_part_have_units_and_times_of_their_own(void **state)
{
	struct pw_report *r = parts();
	char *json;
	struct pw_err err;

	(void)state;
	expect(figures(r), parts_figures);
	json = as_json(r);
	r = pw_report_read_json(json, strlen(json), &err);
	assert_non_null(r);
	expect(figures(r), parts_figures);
	assert_int_equal(pw_report_get_time(r).span_ns, 20);
	pw_report_free(r);
	free(json);
}

static void only_what_is_marked_is_compared(void **state)
{
	struct pw_report *r = sample();

	(void)state;
	expect(figures(r), sample_figures);
	pw_report_free(r);
}

static void json_keeps_all_that_is_compared(void **state)
{
	char *json = as_json(sample());
	struct pw_err err;
	struct pw_report *r = pw_report_read_json(json, strlen(json), &err);

	(void)state;
	assert_non_null(r);
	expect(figures(r), sample_figures);
	assert_string_equal(pw_report_key(r), "report");
	assert_int_equal(pw_report_get_time(r).span_ns, 2500);
	assert_int_equal(pw_report_get_time(r).block_ns, 1000);
	pw_report_free(r);
	free(json);
}

/* A text that is no report, or one in which nothing fits. */
static void any_json_is_read_or_refused(void **state)
{
	static const char *const bad[] = { "", "{", "[]", "{}",
					   "{\"report\":1}" };
	static const char *const odd[] = {
		"{\"report\":\"r\",\"time\":1,\"compared\":[],\"t\":{\"rows\":[1]}}",
		"{\"report\":\"r\",\"t\":{\"rows\":[1,{\"a\":[]}],\"compared\":{\"a\":1,\"b\":{\"blocks\":3}},\"key\":{\"k\":1}}}",
		"{\"report\":\"r\",\"compared\":{\"x\":{}},\"x\":{\"lo\":1}}",
	};
	struct pw_err err;
	struct pw_report *r;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_null(pw_report_read_json(bad[i], strlen(bad[i]), &err));
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		r = pw_report_read_json(odd[i], strlen(odd[i]), &err);
		assert_non_null(r);
		free(figures(r));
		pw_report_free(r);
	}
}

static void a_json_cut_anywhere_is_refused(void **state)
{
	char *json = as_json(sample());
	struct pw_err err;

	(void)state;
	for (size_t n = strlen(json) - 2; n--;)
		assert_null(pw_report_read_json(json, n, &err));
	free(json);
}

static void a_quantity_is_written_as_in_text(void **state)
{
	char s[32];

	(void)state;
	assert_string_equal(pw_quantity(s, sizeof(s), 0.5, PW_UNIT_PERCENT),
			    "50.0 %");
	assert_string_equal(pw_quantity(s, sizeof(s), 67000, PW_UNIT_COUNT),
			    "67,000");
	assert_string_equal(pw_quantity(s, sizeof(s), 1.5e6, PW_UNIT_NS),
			    "1.50 ms");
	assert_string_equal(pw_quantity(s, sizeof(s), NAN, PW_UNIT_NS), "-");
	assert_string_equal(pw_quantity(s, 4, 67000, PW_UNIT_COUNT), "67,");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_is_marked_is_compared),
		cmocka_unit_test(json_keeps_all_that_is_compared),
		cmocka_unit_test(
			cells_of_a_part_have_units_and_times_of_their_own),
		cmocka_unit_test(any_json_is_read_or_refused),
		cmocka_unit_test(a_json_cut_anywhere_is_refused),
		cmocka_unit_test(a_quantity_is_written_as_in_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
