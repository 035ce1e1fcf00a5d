// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the forms that are JSON, by their text: what tables hold and that
 * strings are safe. Whole files are read by other programs in
 * tests/real/test-export.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "sampled.h"

/* Brackets match, and strings end. */
static bool is_balanced(const char *s)
{
	char open[64];
	int depth = 0;

	for (; *s; s++) {
		if (*s == '"') {
			for (s++; *s && *s != '"'; s++) {
				if ((unsigned char)*s < 0x20)
					return false;
				if (*s == '\\' && !*++s)
					return false;
			}
			if (!*s)
				return false;
		} else if (*s == '{' || *s == '[') {
			if (depth == 64)
				return false;
			open[depth++] = *s;
		} else if (*s == '}' || *s == ']') {
			if (!depth || open[--depth] != (*s == '}' ? '{' : '['))
				return false;
		}
	}
	return !depth;
}

static void strings_are_quoted_and_brackets_match(void **state)
{
	static const enum pw_export_form forms[] = { PW_EXPORT_SPEEDSCOPE,
						     PW_EXPORT_FIREFOX };

	(void)state;
	for (int i = 0; i < 2; i++) {
		size_t size;
		char *text = written_as(forms[i], &size);

		assert_non_null(text);
		assert_true(is_balanced(text));
		assert_non_null(
			strstr(text, "\"quo\\\"te\\\\ \\\\xff\\\\x01\""));
		assert_null(strstr(text, ",]"));
		assert_null(strstr(text, ",}"));
		free(text);
	}
}

static void speedscope_has_a_profile_for_each_event(void **state)
{
	size_t size;
	char *text = written_as(PW_EXPORT_SPEEDSCOPE, &size);

	(void)state;
	assert_non_null(strstr(text, "\"name\":\"cycles\",\"unit\":\"none\""));
	assert_non_null(strstr(text, "\"name\":\"cache-misses\""));
	assert_non_null(strstr(text, "\"endValue\":4}"));
	assert_non_null(strstr(text, "\"activeProfileIndex\":0"));
	free(text);
}

static void firefox_has_a_thread_for_each_task_and_times_from_0(void **state)
{
	size_t size;
	char *text = written_as(PW_EXPORT_FIREFOX, &size);

	(void)state;
	assert_non_null(strstr(text, "\"name\":\"main\""));
	assert_non_null(strstr(text, "\"name\":\"helper\""));
	assert_non_null(strstr(text, "\"time\":[0.000000,1.000000,2.000000]"));
	assert_non_null(strstr(text, "\"time\":[1.500000]"));
	free(text);
}

static void firefox_times_begin_when_the_capture_did(void **state)
{
	struct pw_exporter_opts o = { .event = UINT32_MAX,
				      .epoch_ns = 1700000000000000000 };
	struct sampled s;
	size_t size;
	char *text;

	(void)state;
	sampled_init(&s, PW_EXPORT_FIREFOX);
	text = written(&s, &o, &size);
	assert_non_null(strstr(text, "\"startTime\":1700000000001.000000,"));
	free(text);
	sampled_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_are_quoted_and_brackets_match),
		cmocka_unit_test(speedscope_has_a_profile_for_each_event),
		cmocka_unit_test(
			firefox_has_a_thread_for_each_task_and_times_from_0),
		cmocka_unit_test(firefox_times_begin_when_the_capture_did),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
