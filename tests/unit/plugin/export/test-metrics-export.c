// SPDX-License-Identifier: GPL-2.0-only
/* Metrics as others read them: units, escapes, names that clash. */
#include <perfwasm/export.h>

#include <errno.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define S 1000000000ull

static struct pw_metrics *sample(void)
{
	struct pw_metrics *m = pw_metrics_new();
	static const struct {
		const char *family, *name, *instance;
		enum pw_metric_kind kind;
		enum pw_unit unit;
	} figures[] = {
		{ "x", "a.b", "", PW_METRIC_COUNTER, PW_UNIT_NS },
		{ "x", "a:b", "", PW_METRIC_COUNTER, PW_UNIT_NS },
		{ "x", "n_total", "", PW_METRIC_LEVEL, PW_UNIT_COUNT },
		{ "x", "used_bytes", "", PW_METRIC_LEVEL, PW_UNIT_BYTES },
		{ "x", "p", "1 \"a\\b\"\n,c\xff", PW_METRIC_COUNTER,
		  PW_UNIT_COUNT },
	};

	for (int i = 0; i <= 4; i++) {
		pw_metrics_begin(m, "x", (100 + (uint64_t)i) * S);
		for (size_t k = 0; k < sizeof(figures) / sizeof(*figures); k++)
			pw_metrics_value(m,
					 pw_metrics_series(m, figures[k].family,
							   figures[k].name,
							   figures[k].instance,
							   figures[k].kind,
							   figures[k].unit),
					 1e9 * i);
	}
	pw_metrics_fact(m, "cpu", "model", "\"x\"");
	pw_metrics_source(m, "slab", "permission denied", 0, 0);
	pw_metrics_end(m);
	return m;
}

static char *written(enum pw_metrics_export_form form, uint64_t epoch_ns)
{
	struct pw_metrics *m = sample();
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_int_equal(pw_metrics_export(m, form, epoch_ns, to, NULL), 0);
	fclose(to);
	pw_metrics_free(m);
	return text;
}

static void has(const char *text, const char *what)
{
	if (!strstr(text, what))
		fail_msg("expected '%s' in\n%s", what, text);
}

static void openmetrics_has_a_name_for_each_metric(void **state)
{
	char *text = written(PW_METRICS_EXPORT_OPENMETRICS, 0);

	(void)state;
	has(text, "# TYPE perfwasm_x_a_b_seconds counter\n"
		  "# UNIT perfwasm_x_a_b_seconds seconds\n"
		  "# HELP perfwasm_x_a_b_seconds a.b\n");
	has(text, "# TYPE perfwasm_x_a_b_2_seconds counter\n");
	/* a counter would be called so */
	has(text, "# TYPE perfwasm_x_n_total_value gauge\n");
	has(text, "# TYPE perfwasm_x_used_bytes gauge\n"
		  "# UNIT perfwasm_x_used_bytes bytes\n");
	/* 4 s of growth, at the end of them */
	has(text, "perfwasm_x_a_b_seconds_total 4 4.000\n");
	has(text,
	    "perfwasm_x_p_total{of=\"1 \\\"a\\\\b\\\"\\\\x0a,c\\\\xff\"} ");
	assert_string_equal(text + strlen(text) - 6, "# EOF\n");
	free(text);
}

static void times_are_since_1970_when_that_is_known(void **state)
{
	char *text = written(PW_METRICS_EXPORT_OPENMETRICS, 1700000000ull * S);

	(void)state;
	has(text, "perfwasm_x_a_b_seconds_total 4 1700000104.000\n");
	free(text);
}

static void csv_quotes_and_names_the_unit(void **state)
{
	char *text = written(PW_METRICS_EXPORT_CSV, 0);

	(void)state;
	has(text,
	    "time,family,metric,instance,kind,value,unit,title,about\r\n");
	has(text, ",x,a.b,,rate,1,ratio,,\r\n");
	has(text,
	    ",x,p,\"1 \"\"a\\b\"\"\\x0a,c\\xff\",rate,1000000000,count/s,,\r\n");
	free(text);
}

static void json_is_json(void **state)
{
	char *text = written(PW_METRICS_EXPORT_JSON, 0);
	json_t *all = json_loads(text, 0, NULL), *one;

	(void)state;
	assert_non_null(all);
	assert_int_equal(json_array_size(json_object_get(all, "metrics")), 5);
	one = json_array_get(json_object_get(all, "metrics"), 0);
	assert_string_equal(json_string_value(json_object_get(one, "unit")),
			    "ratio");
	assert_true(json_real_value(json_object_get(one, "total")) == 4);
	assert_true(json_real_value(json_object_get(one, "mean")) == 1);
	one = json_object_get(json_object_get(all, "facts"), "cpu");
	assert_string_equal(json_string_value(json_object_get(one, "model")),
			    "\"x\"");
	assert_true(json_is_null(
		json_object_get(json_object_get(all, "span"), "start")));
	json_decref(all);
	free(text);
}

static void without_metrics_there_is_nothing_to_write(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	struct pw_err err;

	(void)state;
	pw_metrics_end(m);
	assert_int_equal(pw_metrics_export(m, PW_METRICS_EXPORT_CSV, 0, stdout,
					   &err),
			 -ENODATA);
	pw_metrics_free(m);
	assert_null(pw_metrics_export_name(PW_N_METRICS_EXPORTS));
	assert_string_equal(pw_metrics_export_name(0), "csv");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(openmetrics_has_a_name_for_each_metric),
		cmocka_unit_test(times_are_since_1970_when_that_is_known),
		cmocka_unit_test(csv_quotes_and_names_the_unit),
		cmocka_unit_test(json_is_json),
		cmocka_unit_test(without_metrics_there_is_nothing_to_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
