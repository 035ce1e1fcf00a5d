// SPDX-License-Identifier: GPL-2.0-only
/* The report of a profile and the listing of one function, as text. */
#include "profile-fixture.h"

#include <errno.h>

static char *text_of(struct pw_report *r)
{
	struct pw_render_opts o = { .width = 200 };
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(pw_render_text(r, &o, out), 0);
	fclose(out);
	pw_report_free(r);
	return text;
}

static char *report(struct fixture *f, const struct pw_profile_report_opts *o)
{
	struct pw_report *r = pw_report_new("report", NULL);
	struct pw_err err;

	assert_int_equal(pw_profile_report(f->p, o, r, &err), 0);
	return text_of(r);
}

static void assert_has(const char *text, const char *want)
{
	if (!strstr(text, want))
		fail_msg("no \"%s\" in:\n%s", want, text);
}

static void push_some(struct fixture *f)
{
	push(f, 7, 10, 0x7004);
	push(f, 7, 11, 0x7000);
	push(f, 7, 12, 0x7000);
	push(f, 8, 13, 0x1000);
}

static void shares_are_of_the_main_event(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	begin(&f);
	push_some(&f);
	text = report(&f, NULL);
	assert_has(text, "75.0 %        3  add");
	assert_has(text, "25.0 %        1  [unknown]");
	assert_has(text, "optimized");
	free(text);
	end(&f);
}

static void opcodes_are_of_wasm_code_only(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	begin(&f);
	push_some(&f);
	text = report(&f, NULL);
	assert_has(text, "66.7 %        2  popcnt");
	assert_has(text, "33.3 %        1  nop");
	assert_has(text, "100.0 %        3  (offset not known)");
	assert_has(text, "--provenance");
	free(text);
	end(&f);
}

static void functions_are_summed_up_by_the_keys_that_are_asked(void **state)
{
	struct pw_profile_report_opts o = { .sort = "task,kind" };
	struct fixture f;
	char *text;

	(void)state;
	begin(&f);
	push_some(&f);
	push(&f, 7, 20, 0x8000);
	text = report(&f, &o);
	assert_has(text, "80.0 %        4  app    wasm");
	assert_has(text, "20.0 %        1  other  native");
	free(text);
	end(&f);
}

static void rows_below_a_share_are_left_out(void **state)
{
	struct pw_profile_report_opts o = { .sort = "function",
					    .min_share = 0.5 };
	struct fixture f;
	char *text;

	(void)state;
	begin(&f);
	push_some(&f);
	text = report(&f, &o);
	assert_has(text, "add");
	assert_null(strstr(text, "[unknown]"));
	free(text);
	end(&f);
}

static void a_key_that_is_none_is_refused(void **state)
{
	struct pw_err err = { 0 };

	(void)state;
	assert_int_equal(pw_profile_check_sort("task,function", &err), 0);
	assert_int_equal(pw_profile_check_sort("task,colour", &err), -EINVAL);
	assert_has(err.msg, "colour");
	assert_int_equal(pw_profile_check_sort("", &err), -EINVAL);
}

static void a_profile_of_nothing_has_a_report(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	free(report(&f, NULL));
	end(&f);
}

static void a_function_is_listed_with_its_samples(void **state)
{
	struct pw_report *r = pw_report_new("annotate", NULL);
	struct pw_err err;
	struct fixture f;
	uint32_t idx;
	char *text;

	(void)state;
	begin(&f);
	push_some(&f);
	assert_int_equal(pw_profile_find(f.p, "add", &idx, 1), 1);
	assert_int_equal(pw_profile_annotate(f.p, idx, NULL, r, &err), 0);
	text = text_of(r);
	assert_has(text, "66.7% 0x0  popcnt");
	assert_has(text, "33.3% 0x4  nop");
	assert_has(text, "ret");
	free(text);
	end(&f);
}

static void code_without_bytes_is_said_to_have_none(void **state)
{
	struct pw_report *r = pw_report_new("annotate", NULL);
	struct pw_err err;
	struct fixture f;
	uint32_t idx;

	(void)state;
	begin(&f);
	push_some(&f);
	assert_int_equal(pw_profile_find(f.p, "[unknown]", &idx, 1), 1);
	assert_int_equal(pw_profile_annotate(f.p, idx, NULL, r, &err),
			 -ENODATA);
	assert_has(err.msg, "machine code");
	pw_report_free(r);
	end(&f);
}

static char *headline(struct fixture *f, const char *capture)
{
	struct pw_report *r = pw_report_new("report", NULL);

	pw_profile_headline(f->p, capture, r);
	return text_of(r);
}

static void the_first_lines_say_where_most_of_the_time_went(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	begin(&f);
	push_some(&f);
	text = headline(&f, NULL);
	assert_string_equal(
		text,
		"Where cycles went: wasm 75.0 %, native 25.0 %.\n"
		"\n"
		"Hottest: add (wasm) 75.0 %, [unknown] (native, other) 25.0 %. 'perf wasm annotate add' shows its\n"
		"code.\n");
	free(text);
	text = headline(&f, "dir/a.data");
	assert_has(text, "'perf wasm annotate add dir/a.data'");
	free(text);
	text = headline(&f, "my captures/1");
	assert_has(text, "'perf wasm annotate add CAPTURE'");
	free(text);
	end(&f);
}

static void the_first_line_says_that_there_is_nothing(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	begin(&f);
	text = headline(&f, NULL);
	assert_string_equal(text, "There are no samples in it.\n");
	free(text);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_of_the_main_event),
		cmocka_unit_test(opcodes_are_of_wasm_code_only),
		cmocka_unit_test(
			functions_are_summed_up_by_the_keys_that_are_asked),
		cmocka_unit_test(rows_below_a_share_are_left_out),
		cmocka_unit_test(a_key_that_is_none_is_refused),
		cmocka_unit_test(a_profile_of_nothing_has_a_report),
		cmocka_unit_test(a_function_is_listed_with_its_samples),
		cmocka_unit_test(code_without_bytes_is_said_to_have_none),
		cmocka_unit_test(
			the_first_lines_say_where_most_of_the_time_went),
		cmocka_unit_test(the_first_line_says_that_there_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
