// SPDX-License-Identifier: GPL-2.0-only
/* perf's command line as a report has it. */
#include <perfwasm/capture.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static void expect(const char *const *argv, const char *wanted)
{
	struct pw_capture_facts f = { .argv = argv };
	char *got;

	while (argv[f.n_argv])
		f.n_argv++;
	got = pw_capture_command(&f);
	if (wanted)
		assert_string_equal(got, wanted);
	else
		assert_null(got);
	free(got);
}

static void where_it_was_written_is_left_out(void **state)
{
	static const char *const two[] = { "perf",        "record", "-o",
					   "a/perf.data", "-a",     NULL };
	static const char *const one[] = { "perf", "record", "--output=x", "-a",
					   NULL };
	static const char *const pipe[] = { "perf", "record", "--output", "-",
					    "--",   "ls",     NULL };

	(void)state;
	expect(two, "perf record -a");
	expect(one, "perf record -a");
	expect(pipe, "perf record -- ls");
}

static void what_was_recorded_keeps_its_own(void **state)
{
	static const char *const behind[] = { "perf", "record", "--", "cc",
					      "-o",   "x.data", NULL };
	static const char *const second[] = { "perf",   "record", "-o",
					      "p.data", "cc",     "-o",
					      "x.data", NULL };
	static const char *const other[] = { "perf", "record", "cc",
					     "-o",   "x.o",    NULL };
	static const char *const last[] = { "perf", "record", "-o", NULL };
	static const char *const none[] = { NULL };

	(void)state;
	expect(behind, "perf record -- cc -o x.data");
	expect(second, "perf record cc -o x.data");
	expect(other, "perf record cc -o x.o");
	expect(last, "perf record -o");
	expect(none, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_it_was_written_is_left_out),
		cmocka_unit_test(what_was_recorded_keeps_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
