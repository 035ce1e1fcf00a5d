// SPDX-License-Identifier: GPL-2.0-only
/* Lists of strings end with NULL, however long they are. */
#include <perfwasm/base.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void what_is_added_comes_last_and_the_end_behind_it(void **state)
{
	char **list = NULL;

	(void)state;
	pw_strings_add(&list, pw_strdup("a"));
	assert_string_equal(list[0], "a");
	assert_null(list[1]);
	pw_strings_add(&list, pw_strdup(""));
	assert_string_equal(list[0], "a");
	assert_string_equal(list[1], "");
	assert_null(list[2]);
	pw_strings_free(list);
	pw_strings_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			what_is_added_comes_last_and_the_end_behind_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
