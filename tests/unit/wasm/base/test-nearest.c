// SPDX-License-Identifier: GPL-2.0-only
/* Which name is meant by one that is not there. */
#include <perfwasm/base.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const names[] = { "report", "record", "replay", "hunt" };

static void expect(const char *word, const char *tail)
{
	char *s = pw_did_you_mean('\'', word, names, 4);

	assert_string_equal(s, tail);
	free(s);
}

static void a_letter_more_less_or_swapped_is_the_same_name(void **state)
{
	(void)state;
	expect("reportt", "; did you mean 'report'?");
	expect("ecord", "; did you mean 'record'?");
	expect("hnut", "; did you mean 'hunt'?");
}

static void another_word_is_like_none(void **state)
{
	(void)state;
	expect("sweep", "");
	expect("", "");
}

static void a_word_that_is_there_is_not_misspelt(void **state)
{
	(void)state;
	expect("report", "");
}

static void of_no_names_none_is_meant(void **state)
{
	char *s = pw_did_you_mean('"', "report", names, 0);

	(void)state;
	assert_string_equal(s, "");
	free(s);
}

static void the_quotes_are_those_of_the_sentence(void **state)
{
	char *s = pw_did_you_mean('"', "hnut", names, 4);

	(void)state;
	assert_string_equal(s, "; did you mean \"hunt\"?");
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_letter_more_less_or_swapped_is_the_same_name),
		cmocka_unit_test(another_word_is_like_none),
		cmocka_unit_test(a_word_that_is_there_is_not_misspelt),
		cmocka_unit_test(of_no_names_none_is_meant),
		cmocka_unit_test(the_quotes_are_those_of_the_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
