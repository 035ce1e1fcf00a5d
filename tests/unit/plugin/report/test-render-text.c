// SPDX-License-Identifier: GPL-2.0-only
/* The text renderer: headings, facts, notes, tables; all of it compared. */
#include "rendered.h"

#include <errno.h>
#include <locale.h>
#include <math.h>

static void a_report_reads_like_a_page(void **state)
{
	struct pw_report *r = pw_report_new("hunt", "A is slow");
	struct pw_node *root = pw_report_root(r), *s;

	(void)state;
	pw_fact_str(root, "suspect", "Suspect", "wasmtime@13.0.0");
	pw_fact_num(root, "cpu", "CPU time", 803e6, PW_UNIT_NS);
	pw_note(root, "summary", "In the %s.", "loop");
	s = pw_section(root, "place", "Place");
	pw_section_array(s, "none");
	pw_fact_int(s, "off", "Offset", 500, PW_UNIT_HEX);
	s = pw_section(s, "deeper", "Deeper");
	pw_fact_bool(s, "sure", NULL, true);
	expect(as_text(r, 80, false), "A is slow\n"
				      "=========\n"
				      "\n"
				      "Suspect:   wasmtime@13.0.0\n"
				      "CPU time:  803 ms\n"
				      "\n"
				      "In the loop.\n"
				      "\n"
				      "Place\n"
				      "-----\n"
				      "Offset:  0x1f4\n"
				      "\n"
				      "Deeper\n"
				      "  sure:  yes\n");
}

static void numbers_are_shown_with_three_digits_and_their_unit(void **state)
{
	struct pw_report *r = pw_report_new("r", NULL);
	struct pw_node *n = pw_report_root(r);

	(void)state;
	pw_fact_interval(n, "a", "a", 4.543, 4.512, 4.579, PW_UNIT_RATIO);
	pw_fact_int(n, "b", "b", 12595, PW_UNIT_BYTES);
	pw_fact_num(n, "c", "c", 0.931, PW_UNIT_PERCENT);
	pw_fact_int(n, "d", "d", 67000, PW_UNIT_COUNT);
	pw_fact_int(n, "e", "e", -1234567, PW_UNIT_COUNT);
	pw_fact_num(n, "f", "f", 0.0123, PW_UNIT_MS);
	pw_fact_num(n, "g", "g", 999.9e3, PW_UNIT_NS);
	pw_fact_int(n, "h", "h", 7, PW_UNIT_NS);
	pw_fact_num(n, "i", "i", 12.5, PW_UNIT_COUNT);
	pw_fact_num(n, "j", "j", 1.5, PW_UNIT_NONE);
	pw_fact_int(n, "k", "k", -1, PW_UNIT_HEX);
	pw_fact_int(n, "l", "l", INT64_MIN, PW_UNIT_COUNT);
	pw_fact_num(n, "m", "m", 61e9, PW_UNIT_NS);
	expect(as_text(r, 0, false), "a:  4.54x (4.51 to 4.58)\n"
				     "b:  12.3 KiB\n"
				     "c:  93.1 %\n"
				     "d:  67,000\n"
				     "e:  -1,234,567\n"
				     "f:  0.012 ms\n"
				     "g:  1.00 ms\n"
				     "h:  7 ns\n"
				     "i:  12.5\n"
				     "j:  1.50\n"
				     "k:  0xffffffffffffffff\n"
				     "l:  -9,223,372,036,854,775,808\n"
				     "m:  61.0 s\n");
}

static void what_is_unknown_is_a_dash(void **state)
{
	struct pw_report *r = pw_report_new("r", NULL);
	struct pw_node *n = pw_report_root(r);

	(void)state;
	pw_fact_str(n, "a", "a", NULL);
	pw_fact_num(n, "b", "b", NAN, PW_UNIT_NS);
	pw_fact_num(n, "c", "c", -INFINITY, PW_UNIT_RATIO);
	pw_fact_interval(n, "d", "d", 1, NAN, INFINITY, PW_UNIT_RATIO);
	expect(as_text(r, 0, false), "a:  -\n"
				     "b:  -\n"
				     "c:  -inf\n"
				     "d:  1.00x (- to inf)\n");
}

static void hostile_names_do_not_reach_the_terminal(void **state)
{
	struct pw_report *r = pw_report_new("r", "\033]0;title\a");
	struct pw_node *n = pw_report_root(r), *t;

	(void)state;
	pw_fact_str(n, "a", "\r\n", "\033[2J\tx");
	pw_fact_str(n, "b", "C1",
		    "\xc2\x9b"
		    "31m");
	pw_fact_str(n, "c", "no UTF-8", "\xff\xe0\x81\x81\xed\xa0\x80\xe2\x82");
	pw_fact_str(n, "d", "turned", "\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8b");
	pw_fact_str(n, "e", "kept",
		    "\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80\\x1b");
	pw_note(n, "f", "note \033[31m\nforged: line");
	t = pw_table(n, "g", "\177");
	pw_column(t, "h", "head\033", PW_UNIT_NONE, 0);
	pw_row(t);
	pw_cell_str(t, 0, "cell\n\033[0m");
	expect(as_text(r, 80, false),
	       "\\x1b]0;title\\x07\n"
	       "================\n"
	       "\n"
	       "\\x0d\\x0a:  \\x1b[2J\\x09x\n"
	       "C1:        \\xc2\\x9b31m\n"
	       "no UTF-8:  \\xff\\xe0\\x81\\x81\\xed\\xa0\\x80\\xe2\\x82\n"
	       "turned:    \\xe2\\x80\\xae\\xe2\\x81\\xa6\\xe2\\x80\\x8b\n"
	       "kept:      \xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80\\x1b\n"
	       "\n"
	       "note \\x1b[31m\\x0aforged: line\n"
	       "\n"
	       "\\x7f\n"
	       "head\\x1b\n"
	       "cell\\x0a\\x1b[0m\n");
}

static void prose_is_wrapped_at_spaces(void **state)
{
	struct pw_report *r = pw_report_new("r", NULL);

	(void)state;
	pw_note(pw_report_root(r), "n",
		"0123456789 0123456789 0123456789 01234567 0123456789012345678901234567890123456789-too-long  two  spaces");
	expect(as_text(r, 40, false),
	       "0123456789 0123456789 0123456789\n"
	       "01234567\n"
	       "0123456789012345678901234567890123456789-too-long\n"
	       "two  spaces\n");
}

static void wide_characters_keep_columns_aligned(void **state)
{
	struct pw_report *r = pw_report_new("r", "\xe6\xbc\xa2");
	struct pw_node *n = pw_report_root(r), *t;

	(void)state;
	pw_fact_str(n, "a", "\xe6\xbc\xa2", "1");
	pw_fact_str(n, "b", "bbb", "2");
	t = pw_table(n, "t", NULL);
	pw_column(t, "x", "x", PW_UNIT_NONE, 0);
	pw_column(t, "y", "y", PW_UNIT_NONE, 0);
	pw_row(t);
	pw_cell_str(t, 0, "\xe6\xbc\xa2\xe6\xbc\xa2");
	pw_cell_str(t, 1, "1");
	expect(as_text(r, 80, false), "\xe6\xbc\xa2\n"
				      "==\n"
				      "\n"
				      "\xe6\xbc\xa2:   1\n"
				      "bbb:  2\n"
				      "\n"
				      "x     y\n"
				      "\xe6\xbc\xa2\xe6\xbc\xa2  1\n");
}

static struct pw_report *two_rows(void)
{
	struct pw_report *r = pw_report_new("r", NULL);
	struct pw_node *t = pw_table(pw_report_root(r), "t", "Mutants");
	int what, time, code;

	what = pw_column(t, "what", "Mutant", PW_UNIT_NONE, PW_COL_TRUNC);
	code = pw_column(t, "code", "Code", PW_UNIT_HEX, PW_COL_JSON_ONLY);
	time = pw_column(t, "time", "Time", PW_UNIT_NS, PW_COL_RIGHT);
	pw_row(t);
	pw_cell_str(t, what, "f1 i2 deletion f64.convert_i32_s -> local.get 2");
	pw_cell_num(t, time, 177.2e6);
	pw_cell_int(t, code, 1);
	pw_row(t);
	pw_cell_str(t, what, "f1 i3 operator f64.mul -> f64.add");
	pw_cell_num(t, time, 3e3);
	pw_row(t);
	pw_cell_num(t, time, NAN);
	return r;
}

static void a_table_shares_one_scale_in_a_column(void **state)
{
	(void)state;
	expect(as_text(two_rows(), 0, false),
	       "Mutants\n"
	       "Mutant                                              Time\n"
	       "f1 i2 deletion f64.convert_i32_s -> local.get 2   177 ms\n"
	       "f1 i3 operator f64.mul -> f64.add                3.00 us\n"
	       "                                                       -\n");
}

static void a_table_is_cut_to_the_width(void **state)
{
	(void)state;
	expect(as_text(two_rows(), 40, false),
	       "Mutants\n"
	       "Mutant                              Time\n"
	       "f1 i2 deletion f64.convert_i32_   177 ms\n"
	       "f1 i3 operator f64.mul -> f64.a  3.00 us\n"
	       "                                       -\n");
}

static void plain_numbers_of_a_column_have_the_same_decimals(void **state)
{
	struct pw_report *r = pw_report_new("r", NULL);
	struct pw_node *t = pw_table(pw_report_root(r), "t", NULL);

	(void)state;
	for (int i = 0; i < 3; i++)
		pw_column(t, "n", "n", PW_UNIT_NONE, PW_COL_RIGHT);
	for (int i = 0; i < 3; i++) {
		pw_row(t);
		pw_cell_num(t, 0, 100.0 * i);
		pw_cell_num(t, 1, i / 3.0);
		pw_cell_num(t, 2, i ? 1234.5 / i : 1e-7);
	}
	expect(as_text(r, 0, false), "  n      n      n\n"
				     "  0  0.000  1e-07\n"
				     "100  0.333   1234\n"
				     "200  0.667    617\n");
}

static void an_empty_table_says_so(void **state)
{
	struct pw_report *r = pw_report_new("r", NULL);
	struct pw_node *t = pw_table(pw_report_root(r), "t", "Findings");

	(void)state;
	pw_column(t, "a", "A", PW_UNIT_NONE, 0);
	pw_section_array(pw_report_root(r), "none");
	expect(as_text(r, 80, false), "Findings\n(none)\n");
}

static void colours_come_only_when_asked_for(void **state)
{
	struct pw_report *r = pw_report_new("r", "T");

	(void)state;
	pw_fact_str(pw_report_root(r), "a", "a", "1");
	expect(as_text(r, 80, true), "\033[1mT\033[0m\n=\n\na:  1\n");
}

static void a_full_disk_is_an_error(void **state)
{
	struct pw_report *r = pw_report_new("r", "T");
	struct pw_render_opts o = { .width = 80 };
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	if (!full)
		skip();
	assert_int_equal(pw_render_text(r, &o, full), -ENOSPC);
	clearerr(full);
	assert_int_equal(pw_render_json(r, full), -ENOSPC);
	fclose(full);
	pw_report_free(r);
}

static void a_table_that_is_only_drawn_is_left_out(void **state)
{
	struct pw_report *r = pw_report_new("r", "Title");
	struct pw_node *root = pw_report_root(r), *s, *t;

	(void)state;
	/* and so is a section of such tables, and one of such sections */
	s = pw_section(pw_section(root, "s", "Time line"), "u", "By task");
	for (int i = 0; i < 2; i++) {
		t = pw_table(i ? s : root, "t", "Bins");
		pw_column(t, "n", "Number", PW_UNIT_COUNT, PW_COL_RIGHT);
		pw_row(t);
		pw_cell_int(t, 0, 7);
		pw_chart_role(pw_chart(t, PW_CHART_BARS, NULL, 0), PW_ROLE_X,
			      0);
		pw_table_only_drawn(t);
	}
	expect(as_text(r, 80, false), "Title\n=====\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_reads_like_a_page),
		cmocka_unit_test(
			numbers_are_shown_with_three_digits_and_their_unit),
		cmocka_unit_test(what_is_unknown_is_a_dash),
		cmocka_unit_test(hostile_names_do_not_reach_the_terminal),
		cmocka_unit_test(prose_is_wrapped_at_spaces),
		cmocka_unit_test(wide_characters_keep_columns_aligned),
		cmocka_unit_test(a_table_shares_one_scale_in_a_column),
		cmocka_unit_test(a_table_is_cut_to_the_width),
		cmocka_unit_test(
			plain_numbers_of_a_column_have_the_same_decimals),
		cmocka_unit_test(an_empty_table_says_so),
		cmocka_unit_test(colours_come_only_when_asked_for),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(a_table_that_is_only_drawn_is_left_out),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
