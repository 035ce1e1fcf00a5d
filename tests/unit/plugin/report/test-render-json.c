// SPDX-License-Identifier: GPL-2.0-only
/* The JSON renderer: all of a small report compared, hostile names, and
 * every pair of bytes as a name. */
#include "rendered.h"

#include <math.h>
#include <string.h>

static void a_report_is_objects_by_key(void **state)
{
	struct pw_report *r = pw_report_new("hunt", "A is slow");
	struct pw_node *root = pw_report_root(r), *s;

	(void)state;
	pw_fact_str(root, "suspect", "Suspect", "wasmtime@13.0.0");
	pw_fact_interval(root, "gap", "Gap", 4.5, 4.4, NAN, PW_UNIT_RATIO);
	pw_fact_bool(root, "sure", "Sure", false);
	pw_fact_str(root, "unknown", "Unknown", NULL);
	s = pw_section_item(root, "findings", "First");
	pw_fact_int(s, "off", "Offset", 500, PW_UNIT_HEX);
	pw_note(root, "note", "n");
	s = pw_section_item(root, "findings", "Second");
	pw_fact_int(s, "addr", "Address", -1, PW_UNIT_HEX);
	pw_section(root, "hollow", NULL);
	pw_section_array(root, "empty");
	expect(as_json(r),
	       "{\n"
	       "  \"report\": \"hunt\",\n"
	       "  \"format\": 1,\n"
	       "  \"title\": \"A is slow\",\n"
	       "  \"units\": {\"gap\":\"ratio\"},\n"
	       "  \"suspect\": \"wasmtime@13.0.0\",\n"
	       "  \"gap\": {\"value\":4.5,\"lo\":4.4,\"hi\":null},\n"
	       "  \"sure\": false,\n"
	       "  \"unknown\": null,\n"
	       "  \"findings\": [\n"
	       "    {\n"
	       "      \"title\": \"First\",\n"
	       "      \"off\": 500\n"
	       "    },\n"
	       "    {\n"
	       "      \"title\": \"Second\",\n"
	       "      \"addr\": \"0xffffffffffffffff\"\n"
	       "    }\n"
	       "  ],\n"
	       "  \"note\": \"n\",\n"
	       "  \"hollow\": {},\n"
	       "  \"empty\": []\n"
	       "}\n");
}

static void a_table_is_an_array_of_rows(void **state)
{
	struct pw_report *r = pw_report_new("r", NULL);
	struct pw_node *t = pw_table(pw_report_root(r), "t", "Mutants");
	int name, time;

	(void)state;
	name = pw_column(t, "name", "Name", PW_UNIT_NONE, PW_COL_JSON_ONLY);
	time = pw_column(t, "time", "Time", PW_UNIT_NS, PW_COL_RIGHT);
	pw_row(t);
	pw_cell_str(t, name, "x\"\\\n\033\xc3\xa9\xff");
	pw_cell_num(t, time, 0.1);
	pw_row(t);
	pw_cell_num(t, time, INFINITY);
	pw_row(t);
	pw_cell_int(t, time, INT64_MIN);
	expect(as_json(r),
	       "{\n"
	       "  \"report\": \"r\",\n"
	       "  \"format\": 1,\n"
	       "  \"t\": {\n"
	       "    \"title\": \"Mutants\",\n"
	       "    \"units\": {\"time\":\"ns\"},\n"
	       "    \"rows\": [\n"
	       "      {\"name\":\"x\\\"\\\\\\n\\u001B\\u00E9\\\\xff\",\"time\":0.1},\n"
	       "      {\"name\":null,\"time\":null},\n"
	       "      {\"name\":null,\"time\":-9223372036854775808}\n"
	       "    ]\n"
	       "  }\n"
	       "}\n");
}

static void a_chart_says_which_column_plays_which_role(void **state)
{
	struct pw_report *r = pw_report_new("r", NULL);
	struct pw_node *t = pw_table(pw_report_root(r), "t", NULL), *chart;
	int at, n;

	(void)state;
	at = pw_column(t, "at", "At", PW_UNIT_NS, PW_COL_RIGHT);
	n = pw_column(t, "n", "Number", PW_UNIT_COUNT, PW_COL_RIGHT);
	pw_table_only_drawn(t);
	chart = pw_chart(t, PW_CHART_LINES, "Over time",
			 PW_CHART_TIME | PW_CHART_LOG_Y);
	pw_chart_role(chart, PW_ROLE_X, at);
	pw_chart_role(chart, PW_ROLE_Y, n);
	chart = pw_chart(t, PW_CHART_HEAT, NULL, 0);
	pw_chart_role(chart, PW_ROLE_VALUE2, n);
	expect(as_json(r),
	       "{\n"
	       "  \"report\": \"r\",\n"
	       "  \"format\": 1,\n"
	       "  \"t\": {\n"
	       "    \"units\": {\"at\":\"ns\",\"n\":\"count\"},\n"
	       "    \"charts\": [{\"kind\":\"lines\",\"title\":\"Over time\",\"x\":\"at\",\"y\":\"n\",\"log_y\":true,\"time\":true},{\"kind\":\"heat\",\"value2\":\"n\"}],\n"
	       "    \"rows\": []\n"
	       "  }\n"
	       "}\n");
}

static void a_listing_is_an_array_of_lines(void **state)
{
	const struct pw_line left = { "0x1", "cvt", "@0x2 f64.convert", 0.5 };
	const struct pw_line right = { NULL, "mov", NULL, -1 };
	struct pw_report *r = pw_report_new("r", NULL);
	struct pw_node *l;

	(void)state;
	l = pw_listing(pw_report_root(r), "code", NULL, "slow", "fast");
	pw_listing_add(l, PW_MARK_GUILTY, &left, NULL);
	pw_listing_add(l, PW_MARK_RIGHT, NULL, &right);
	pw_listing_add(l, PW_MARK_GAP, NULL, NULL);
	expect(as_json(r),
	       "{\n"
	       "  \"report\": \"r\",\n"
	       "  \"format\": 1,\n"
	       "  \"code\": {\n"
	       "    \"left_title\": \"slow\",\n"
	       "    \"right_title\": \"fast\",\n"
	       "    \"units\": {\"share\":\"fraction\"},\n"
	       "    \"lines\": [\n"
	       "      {\"mark\":\"guilty\",\"left\":{\"addr\":\"0x1\",\"text\":\"cvt\",\"note\":\"@0x2 f64.convert\",\"share\":0.5},\"right\":null},\n"
	       "      {\"mark\":\"right\",\"left\":null,\"right\":{\"addr\":null,\"text\":\"mov\",\"note\":null,\"share\":null}},\n"
	       "      {\"mark\":\"gap\",\"left\":null,\"right\":null}\n"
	       "    ]\n"
	       "  }\n"
	       "}\n");
}

/* Every two-byte name, so every broken and every short UTF-8. */
static void any_bytes_give_one_line_of_ascii(void **state)
{
	struct pw_report *r = pw_report_new("r", NULL);
	struct pw_node *t = pw_table(pw_report_root(r), "t", NULL);
	size_t n_rows = 0;
	char *text, *line, *save;

	(void)state;
	pw_column(t, "name", "Name", PW_UNIT_NONE, 0);
	for (int a = 1; a < 256; a++) {
		for (int b = 1; b < 256; b++) {
			char name[] = { a, b, 0 };

			pw_row(t);
			pw_cell_str(t, 0, name);
		}
	}
	text = as_json(r);
	for (const char *s = text; *s; s++)
		assert_true(*s == '\n' || (*s >= ' ' && *s <= 0x7f));
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		n_rows += !strncmp(line, "      {\"name\":\"", 15);
	assert_int_equal(n_rows, 255 * 255);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_is_objects_by_key),
		cmocka_unit_test(a_table_is_an_array_of_rows),
		cmocka_unit_test(a_chart_says_which_column_plays_which_role),
		cmocka_unit_test(a_listing_is_an_array_of_lines),
		cmocka_unit_test(any_bytes_give_one_line_of_ascii),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
