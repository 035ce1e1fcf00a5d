// SPDX-License-Identifier: GPL-2.0-only
/* A table whose rows are different things: each number in its row's unit. */
#include "rendered.h"

#include <math.h>
#include <string.h>

static struct pw_report *sample(void)
{
	struct pw_report *r = pw_report_new("r", NULL);
	struct pw_node *t = pw_table(pw_report_root(r), "t", NULL);
	int name = pw_column(t, "name", "Name", PW_UNIT_NONE, 0);
	int mean = pw_column(t, "mean", "Mean", PW_UNIT_NONE,
			     PW_COL_RIGHT | PW_COL_ROW_UNIT);
	int n = pw_column(t, "n", "n", PW_UNIT_COUNT, PW_COL_RIGHT);
	static const struct {
		const char *name;
		double value;
		enum pw_unit unit;
		bool per_second;
	} rows[] = {
		{ "plain", 3, PW_UNIT_NONE, false },
		{ "bytes", 12595, PW_UNIT_BYTES, true },
		{ "busy", 0.25, PW_UNIT_PERCENT, false },
		{ "faults", 1234, PW_UNIT_COUNT, true },
		{ "rare", 0.5, PW_UNIT_COUNT, true },
		{ "await", 1.5e6, PW_UNIT_NS, false },
		{ "none", NAN, PW_UNIT_COUNT, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		pw_row(t);
		pw_cell_str(t, name, rows[i].name);
		pw_cell_num(t, mean, rows[i].value);
		pw_cell_int(t, n, 1000);
		if (i) /* the first keeps none */
			pw_row_unit(t, rows[i].unit, rows[i].per_second);
	}
	return r;
}

static void each_row_has_its_own_unit_and_scale(void **state)
{
	(void)state;
	expect(as_text(sample(), 0, false), "Name          Mean      n\n"
					    "plain            3  1,000\n"
					    "bytes   12.3 KiB/s  1,000\n"
					    "busy        25.0 %  1,000\n"
					    "faults     1,234/s  1,000\n"
					    "rare         0.5/s  1,000\n"
					    "await      1.50 ms  1,000\n"
					    "none             -  1,000\n");
}

static void json_has_plain_numbers_and_the_unit(void **state)
{
	char *json = as_json(sample());

	(void)state;
	assert_non_null(strstr(json, "\"units\": {\"n\":\"count\"}"));
	assert_non_null(strstr(
		json,
		"{\"name\":\"bytes\",\"mean\":12595.0,\"n\":1000,\"unit\":\"bytes/s\"}"));
	assert_non_null(strstr(
		json,
		"{\"name\":\"plain\",\"mean\":3.0,\"n\":1000,\"unit\":null}"));
	free(json);
}

static void rows_that_are_left_out_are_counted(void **state)
{
	struct pw_report *r = sample();

	(void)state;
	pw_report_text_rows(r, 2, true);
	expect(as_text(r, 0, false), "Name         Mean      n\n"
				     "plain           3  1,000\n"
				     "bytes  12.3 KiB/s  1,000\n"
				     "(and 5 more)\n");
}

static void a_table_may_have_its_own_number_of_rows(void **state)
{
	struct pw_report *r = sample();
	char *text;

	(void)state;
	pw_report_text_rows(r, 2, true);
	pw_table_text_rows(pw_child(pw_report_root(r), "t"), 0);
	text = as_text(r, 0, false);
	assert_non_null(strstr(text, "none             -  1,000\n"));
	assert_null(strstr(text, "more)"));
	free(text);

	r = sample();
	pw_table_text_rows(pw_child(pw_report_root(r), "t"), 1);
	expect(as_text(r, 0, false), "Name   Mean      n\n"
				     "plain     3  1,000\n"
				     "(and 6 more)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_has_its_own_unit_and_scale),
		cmocka_unit_test(rows_that_are_left_out_are_counted),
		cmocka_unit_test(a_table_may_have_its_own_number_of_rows),
		cmocka_unit_test(json_has_plain_numbers_and_the_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
