// SPDX-License-Identifier: GPL-2.0-only
/* The command line that a user adds: its words and what stands in braces. */
#include "../../../../wasm/host-command/command-line.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void joined(char *const *words, char dst[512])
{
	dst[0] = 0;
	for (; *words; words++) {
		strcat(dst, "[");
		strcat(dst, *words);
		strcat(dst, "]");
	}
}

static void split_is(const char *line, const char *want)
{
	char **words, found[512];

	assert_int_equal(pw_words_split(line, &words, NULL), 0);
	joined(words, found);
	assert_string_equal(found, want);
	pw_strings_free(words);
}

static void words_are_cut_as_a_shell_cuts_them(void **state)
{
	(void)state;
	split_is("a  b\tc", "[a][b][c]");
	split_is("a 'b  c' \"d 'e\"f", "[a][b  c][d 'ef]");
	split_is("a\\ b '' \"\\\"\" 'x\\y'", "[a b][][\"][x\\y]");
	split_is("run $HOME;*", "[run][$HOME;*]");
}

static void an_open_quote_and_an_empty_line_are_refused(void **state)
{
	struct pw_err err;
	char **words;

	(void)state;
	assert_int_equal(pw_words_split("a 'b", &words, &err), -EINVAL);
	assert_int_equal(pw_words_split("  \t ", &words, &err), -EINVAL);
}

static void fill_is(const char *line, const struct pw_host_request *req,
		    const char *want)
{
	static const char *const options[] = { "opt=none", "x=1", NULL };
	char **words, **argv, found[512];

	assert_int_equal(pw_words_split(line, &words, NULL), 0);
	assert_int_equal(words_fill(words, options, req, NULL, &argv, NULL), 0);
	joined(argv, found);
	assert_string_equal(found, want);
	pw_strings_free(argv);
	pw_strings_free(words);
}

static void braces_are_filled_from_the_request(void **state)
{
	const char *args[] = { "1", "{module}", NULL };
	const char *dirs[] = { "/a::/b", NULL };
	const char *env[] = { "K=V", NULL };
	struct pw_host_request req = { .module_path = "m {args}.wasm" };

	(void)state;
	fill_is("r {module}", &req, "[r][m {args}.wasm]");
	fill_is("r --{options} -c {options} {module}", &req,
		"[r][--opt=none][--x=1][-c][opt=none][x=1][m {args}.wasm]");
	fill_is("r {args} {module} {dir}{env} end", &req,
		"[r][m {args}.wasm][end]");
	fill_is("r --invoke={invoke} {module}", &req,
		"[r][--invoke=_start][m {args}.wasm]");
	req.argv = args;
	req.dirs = dirs;
	req.env = env;
	fill_is("r -d={dir} {env} {module}", &req,
		"[r][-d=/a::/b][K=V][m {args}.wasm][1][{module}]");
	fill_is("r --map={guest}:{host} {env} {wasm}", &req,
		"[r][--map=/b:/a][K=V][m {args}.wasm][1][{module}]");
	fill_is("r --dump={jitdump} {dir} {env} {module}", &req,
		"[r][/a::/b][K=V][m {args}.wasm][1][{module}]");
	req.jitdump_dir = "/d";
	fill_is("r --dump={jitdump} {dir} {env} {module}", &req,
		"[r][--dump=/d][/a::/b][K=V][m {args}.wasm][1][{module}]");
	fill_is("r {dir} {env} {args} m", &req,
		"[r][/a::/b][K=V][1][{module}][m]");
}

static int fill_rc(const char *line, const struct pw_host_request *req)
{
	char **words, **argv;
	int rc;

	assert_int_equal(pw_words_split(line, &words, NULL), 0);
	rc = words_fill(words, NULL, req, NULL, &argv, NULL);
	if (!rc)
		pw_strings_free(argv);
	pw_strings_free(words);
	return rc;
}

static void what_the_line_has_no_place_for_is_refused(void **state)
{
	const char *one[] = { "x=y", NULL };
	struct pw_host_request dirs = { .module_path = "m", .dirs = one };
	struct pw_host_request env = { .module_path = "m", .env = one };
	struct pw_host_request invoke = { .module_path = "m", .invoke = "f" };
	struct pw_host_request start = { .module_path = "m",
					 .invoke = "_start" };

	(void)state;
	assert_int_equal(fill_rc("r {module}", &dirs), -ENOTSUP);
	assert_int_equal(fill_rc("r {module}", &env), -ENOTSUP);
	assert_int_equal(fill_rc("r {module}", &invoke), -ENOTSUP);
	assert_int_equal(fill_rc("r {module} {dir}", &dirs), 0);
	assert_int_equal(fill_rc("r {module}", &start), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_cut_as_a_shell_cuts_them),
		cmocka_unit_test(an_open_quote_and_an_empty_line_are_refused),
		cmocka_unit_test(braces_are_filled_from_the_request),
		cmocka_unit_test(what_the_line_has_no_place_for_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
