// SPDX-License-Identifier: GPL-2.0-only
/* Releases: what the index tells, once a day; pins and the cache without it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <unistd.h>
#include <cmocka.h>

#include "registry-fixture.h"

#define TELLS(list)                                            \
	"#!/bin/sh\necho x >>\"$(dirname \"$0\")/../calls\"\n" \
	"echo 'enginepkg (9)'\necho 'Available versions: " list "'\n"

static void assert_releases(bool fetched_only, const char *expected)
{
	struct pw_buf all = { 0 };
	char **v = NULL;

	assert_int_equal(pw_runtime_releases("engine@1.2?opt=none",
					     fetched_only, &v, NULL),
			 0);
	for (size_t i = 0; v[i]; i++)
		pw_buf_printf(&all, "%s ", v[i]);
	assert_string_equal(pw_buf_str(&all), expected);
	pw_buf_release(&all);
	pw_runtime_releases_free(v);
}

static void the_index_is_asked_once_and_its_releases_are_in_order(void **state)
{
	char *calls = below("calls");
	struct pw_file f = { 0 };

	(void)state;
	put_file("bin/python3", TELLS("3.0, 2.0, 1.10, 1.2, 0.9, 3.1b1"));
	assert_releases(false, "1.2 1.10 2.0 3.0 ");
	assert_releases(false, "1.2 1.10 2.0 3.0 ");
	assert_int_equal(pw_file_open(&f, calls, NULL), 0);
	assert_int_equal(f.size, 2); /* one line */
	pw_file_close(&f);
	free(calls);
}

static void without_an_index_pins_and_the_cache_must_do(void **state)
{
	(void)state;
	put_file("bin/python3", "#!/bin/sh\nexit 1\n");
	put_fetched("7.1");
	assert_releases(false, "1.2 1.10 2.0 7.1 ");
}

static void what_was_fetched_needs_no_index(void **state)
{
	(void)state;
	put_file("bin/python3", TELLS("3.0"));
	assert_releases(true, "");
	put_fetched("1.10");
	put_fetched("1.2");
	assert_releases(true, "1.2 1.10 ");
}

static void a_program_has_no_releases(void **state)
{
	struct pw_err err;
	char **v;

	(void)state;
	put_file("prefix/share/perf-wasm/runtimes/tool.conf",
		 "[runtime]\nname = tool\nkind = node\nhost = host-x\n");
	assert_int_equal(pw_runtime_releases("tool", false, &v, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "one version only"));
}

#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(the_index_is_asked_once_and_its_releases_are_in_order),
		T(without_an_index_pins_and_the_cache_must_do),
		T(what_was_fetched_needs_no_index),
		T(a_program_has_no_releases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
