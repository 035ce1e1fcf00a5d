// SPDX-License-Identifier: GPL-2.0-only
/* The names of runtimes and the order of their versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../../../wasm/runtime/spec.h"

#include <stdlib.h>
#include <string.h>

static void a_spec_comes_back_as_it_was(void **state)
{
	static const char *const specs[] = {
		"wasmtime",
		"wasmtime@13.0.0",
		"wasmtime@newest?opt=none",
		"v8?flags=--a,--b&opt=none",
		"my_own-1.x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct spec s;
		char *text;

		assert_int_equal(spec_parse(&s, specs[i], NULL), 0);
		text = spec_print(&s);
		assert_string_equal(text, specs[i]);
		free(text);
		spec_release(&s);
	}
}

static void a_spec_falls_into_its_parts(void **state)
{
	struct spec s;

	(void)state;
	assert_int_equal(spec_parse(&s, "a@1.2?x=1&y=a=b", NULL), 0);
	assert_string_equal(s.name, "a");
	assert_string_equal(s.version, "1.2");
	assert_string_equal(s.opts[0], "x=1");
	assert_string_equal(s.opts[1], "y=a=b");
	assert_null(s.opts[2]);
	spec_release(&s);
	assert_int_equal(spec_parse(&s, "a", NULL), 0);
	assert_null(s.version);
	assert_null(s.opts[0]);
	spec_release(&s);
}

static void what_could_leave_its_folder_is_refused(void **state)
{
	static const char *const specs[] = {
		"",       "@1",       "a@",    "../x", "a/b", ".x",
		"a@../1", "-a",       "a b",   "a?",   "a?x", "a?=1",
		"a?x=1&", "a?x=\x1b", "a@1@2", "a\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct pw_err err = { .code = 0 };
		struct spec s;

		assert_true(spec_parse(&s, specs[i], &err) < 0);
		assert_true(err.code > 0 && err.msg[0]);
		assert_null(s.name);
	}
}

static void a_spec_without_end_is_refused(void **state)
{
	char text[4000];
	struct spec s;

	(void)state;
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = 0;
	assert_true(spec_parse(&s, text, NULL) < 0);
}

static void versions_are_compared_by_number(void **state)
{
	static const char *const rising[] = { "",       "0.40.0", "8.0.0",
					      "8.0.1",  "13.0.0", "13.0.0rc1",
					      "13.0.2", "50.0.1", "50.1" };

	(void)state;
	for (size_t i = 0; i < sizeof(rising) / sizeof(rising[0]); i++) {
		for (size_t k = 0; k < sizeof(rising) / sizeof(rising[0]);
		     k++) {
			int rc = version_compare(rising[i], rising[k]);

			assert_int_equal(rc > 0, i > k);
			assert_int_equal(rc < 0, i < k);
		}
	}
	assert_int_equal(version_compare("1.01", "1.1"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_spec_comes_back_as_it_was),
		cmocka_unit_test(a_spec_falls_into_its_parts),
		cmocka_unit_test(what_could_leave_its_folder_is_refused),
		cmocka_unit_test(a_spec_without_end_is_refused),
		cmocka_unit_test(versions_are_compared_by_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
