// SPDX-License-Identifier: GPL-2.0-only
/* Tests of folded call chains, and of what every form does alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "sampled.h"

#include <errno.h>

static bool has_line(const char *text, const char *line)
{
	const char *at = strstr(text, line);

	return at && (at == text || at[-1] == '\n') && at[strlen(line)] == '\n';
}

static void a_chain_is_a_line_from_the_task_inwards(void **state)
{
	size_t size;
	char *text = written_as(PW_EXPORT_FOLDED, &size);

	(void)state;
	assert_non_null(text);
	assert_true(has_line(text, "main;outer:1;inner 2"));
	assert_true(has_line(text, "helper;outer:1;inner 1"));
	free(text);
}

static void names_hold_no_separator_and_no_control_characters(void **state)
{
	size_t size;
	char *text = written_as(PW_EXPORT_FOLDED, &size);

	(void)state;
	assert_true(has_line(text, "main;quo\"te\\ \\xff\\x01 1"));
	free(text);
}

static void another_event_and_its_periods_can_be_asked_for(void **state)
{
	struct pw_exporter_opts o = { .by_period = true };
	struct sampled s;
	size_t size;
	char *text;

	(void)state;
	sampled_init(&s, PW_EXPORT_FOLDED);
	o.event = s.cycles;
	text = written(&s, &o, &size);
	assert_true(has_line(text, "main;outer:1;inner 200"));
	free(text);
	o.event = s.misses;
	text = written(&s, &o, &size);
	assert_non_null(strstr(text, " 1\n"));
	assert_null(strstr(text, "inner"));
	free(text);
	sampled_release(&s);
}

static void without_samples_there_is_nothing_to_write(void **state)
{
	(void)state;
	for (int form = 0; form < PW_N_EXPORTS; form++) {
		struct pw_space *space = pw_space_new(
			&(struct pw_space_opts){ .no_local = true });
		struct pw_profile_opts o = { 0 };
		struct pw_exporter *x = pw_exporter_new(form, &o);
		struct pw_profile *p = pw_profile_new(space, &o);
		FILE *to = fopen("/dev/null", "w");
		struct pw_err err;

		pw_profile_end(p, NULL);
		assert_int_equal(pw_exporter_write(x, p, NULL, to, &err),
				 -ENODATA);
		fclose(to);
		pw_profile_free(p);
		pw_space_free(space);
		pw_exporter_free(x);
	}
}

static void a_full_disk_is_told(void **state)
{
	FILE *to = fopen("/dev/full", "w");
	struct sampled s;
	struct pw_err err;

	(void)state;
	assert_non_null(to);
	sampled_init(&s, PW_EXPORT_FOLDED);
	assert_int_equal(pw_exporter_write(s.x, s.profile, NULL, to, &err),
			 -EIO);
	sampled_release(&s);
	fclose(to);
}

static void every_form_has_a_name_and_a_help(void **state)
{
	(void)state;
	for (int form = 0; form < PW_N_EXPORTS; form++) {
		assert_non_null(pw_export_form_name(form));
		assert_true(strlen(pw_export_form_help(form)) > 5);
	}
	assert_null(pw_export_form_name(PW_N_EXPORTS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_is_a_line_from_the_task_inwards),
		cmocka_unit_test(
			names_hold_no_separator_and_no_control_characters),
		cmocka_unit_test(
			another_event_and_its_periods_can_be_asked_for),
		cmocka_unit_test(without_samples_there_is_nothing_to_write),
		cmocka_unit_test(a_full_disk_is_told),
		cmocka_unit_test(every_form_has_a_name_and_a_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
