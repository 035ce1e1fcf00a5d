// SPDX-License-Identifier: GPL-2.0-only
/* Which name is meant by one that is not there. */
#include <perfwasm/base.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const char *const names[] = { "report", "record", "replay", "hunt" };

static const char *near(const char *word)
{
	return pw_nearest(word, names, 4);
}

static void a_letter_more_less_or_swapped_is_the_same_name(void **state)
{
	(void)state;
	assert_string_equal(near("reportt"), "report");
	assert_string_equal(near("ecord"), "record");
	assert_string_equal(near("hnut"), "hunt");
}

static void another_word_is_like_none(void **state)
{
	(void)state;
	assert_null(near("sweep"));
	assert_null(near(""));
	assert_null(pw_nearest("report", names, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_letter_more_less_or_swapped_is_the_same_name),
		cmocka_unit_test(another_word_is_like_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
