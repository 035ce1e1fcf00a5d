// SPDX-License-Identifier: GPL-2.0-only
/* Finding, listing, adding and removing runtimes on a machine made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "registry-fixture.h"

static void assert_refused(const char *spec, const char *part)
{
	struct pw_runtime rt;
	struct pw_err err;

	assert_true(pw_runtime_find(&rt, spec, &err) < 0);
	if (!strstr(err.msg, part))
		fail_msg("'%s' does not say '%s'", err.msg, part);
	assert_null(rt.spec);
}

static void assert_ends(const char *s, const char *end)
{
	assert_true(strlen(s) >= strlen(end));
	assert_string_equal(s + strlen(s) - strlen(end), end);
}

static void a_fetched_release_is_found(void **state)
{
	struct pw_runtime rt;

	(void)state;
	put_fetched("1.2");
	assert_int_equal(pw_runtime_find(&rt, "engine@1.2?opt=none", NULL), 0);
	assert_string_equal(rt.spec, "engine@1.2?opt=none");
	assert_string_equal(rt.name, "engine");
	assert_string_equal(rt.version, "1.2");
	assert_string_equal(rt.kind, "library");
	assert_ends(rt.path, "/engine@1.2/libengine.so");
	assert_ends(rt.host_argv[0], "/libexec/perf-wasm/host-x");
	assert_string_equal(rt.host_argv[1], rt.path);
	assert_string_equal(rt.host_argv[2], "version=1.2");
	assert_string_equal(rt.host_argv[3], "opt=none");
	assert_null(rt.host_argv[4]);
	assert_true(rt.shows_code);
	assert_false(rt.samples);
	assert_true(rt.shows_dirs);
	pw_runtime_release(&rt);
}

static void a_line_shows_directories_that_it_has_a_place_for(void **state)
{
	static const struct {
		const char *spec;
		bool shows;
	} lines[] = {
		{ "command:cat {wasm}", false },
		{ "command:cat {dir} {wasm}", true },
		{ "command:cat --dir={guest}:{host} {wasm}", true },
	};
	struct pw_runtime rt;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(pw_runtime_find(&rt, lines[i].spec, NULL), 0);
		assert_int_equal(rt.shows_dirs, lines[i].shows);
		pw_runtime_release(&rt);
	}
}

static void the_newest_is_the_highest_number(void **state)
{
	struct pw_runtime rt;

	(void)state;
	put_fetched("1.2");
	put_fetched("1.10");
	assert_int_equal(pw_runtime_find(&rt, "engine@newest", NULL), 0);
	assert_string_equal(rt.spec, "engine@1.10");
	pw_runtime_release(&rt);
	assert_int_equal(pw_runtime_find(&rt, "engine", NULL), 0);
	assert_string_equal(rt.version, "1.10");
	pw_runtime_release(&rt);
}

static void what_is_missing_says_what_to_type(void **state)
{
	(void)state;
	assert_refused("engine@1.2", "'perf wasm runtimes add engine@1.2'");
	assert_refused("engine", "'perf wasm runtimes add engine@newest'");
	assert_refused("engine@9.9", "'perf wasm runtimes add engine@9.9'");
	assert_refused("motor", "there are engine;");
}

static void a_release_that_never_was_names_its_neighbours(void **state)
{
	(void)state;
	assert_refused("engine@1.3", "near it there is 1.2 and 1.10");
	assert_refused("engine@1.1", "near it there is 1.2");
}

static void an_unknown_option_is_refused_with_the_known_ones(void **state)
{
	(void)state;
	put_fetched("1.2");
	assert_refused("engine@1.2?speed=1", "it has opt gc");
}

static void an_unfinished_fetch_is_not_a_runtime(void **state)
{
	(void)state;
	put_file("cache/perf-wasm/runtimes/engine@1.2/other", "");
	put_file("cache/perf-wasm/runtimes/.fetch-abc/engine@1.2/libengine.so",
		 "");
	assert_refused("engine", "is not on this machine");
}

static void a_missing_program_is_named(void **state)
{
	(void)state;
	put_file("prefix/share/perf-wasm/runtimes/tool.conf",
		 "[runtime]\nname = tool\nkind = wasm2c\nhost = host-x\n"
		 "needs = nothing no-such-program\n");
	assert_refused("tool", "needs the program no-such-program");
}

static void a_built_in_tool_is_asked_for_its_version(void **state)
{
	struct pw_runtime rt;

	(void)state;
	put_file("bin/tool", "#!/bin/sh\necho tool v1.0.32 of 2024\n");
	put_file("prefix/share/perf-wasm/runtimes/tool.conf",
		 "[runtime]\nname = tool\nkind = wasm2c\nhost = host-x\n"
		 "needs = tool\nversion = tool --version\n");
	assert_int_equal(pw_runtime_find(&rt, "tool", NULL), 0);
	assert_string_equal(rt.version, "1.0.32");
	assert_ends(rt.needs[0], "/bin/tool");
	assert_null(rt.path);
	pw_runtime_release(&rt);
	assert_refused("tool@1.0.32", "leave the @ away");
}

static void a_script_is_started_by_its_interpreter(void **state)
{
	struct pw_runtime rt;

	(void)state;
	put_file("prefix/share/perf-wasm/runtimes/script.conf",
		 "[runtime]\nname = script\nkind = node\nhost = host-x\n"
		 "interpreter = nothing\noptions = opt\n");
	assert_int_equal(pw_runtime_find(&rt, "script?opt=1", NULL), 0);
	assert_ends(rt.host_argv[0], "/bin/nothing");
	assert_ends(rt.host_argv[1], "/host-x");
	assert_string_equal(rt.host_argv[2], "opt=1");
	pw_runtime_release(&rt);
}

static void a_host_that_is_not_installed_is_named(void **state)
{
	(void)state;
	put_file("prefix/share/perf-wasm/runtimes/tool.conf",
		 "[runtime]\nname = tool\nkind = node\nhost = host-none\n");
	assert_refused("tool", "lacks libexec/perf-wasm/host-none");
}

static void a_command_of_the_users_is_added_and_removed(void **state)
{
	const char *line = "nothing run {options} --dir . {module}";
	struct pw_runtime rt;

	(void)state;
	assert_int_equal(pw_runtime_add("mine", "command", line, NULL), 0);
	assert_int_equal(pw_runtime_find(&rt, "mine", NULL), 0);
	assert_ends(rt.host_argv[0], "/host-command");
	assert_string_equal(rt.host_argv[1], line);
	assert_null(rt.host_argv[2]);
	assert_ends(rt.path, "/bin/nothing");
	pw_runtime_release(&rt);
	assert_int_equal(pw_runtime_remove("mine", NULL), 0);
	assert_refused("mine", "there is no runtime mine");
	assert_true(pw_runtime_remove("mine", NULL) < 0);
}

static void a_long_command_survives_its_file(void **state)
{
	char line[1000] = "nothing {module}";
	struct pw_runtime rt;

	(void)state;
	for (int i = 0; i < 60; i++)
		strcat(line, " --flag-of-it=1");
	assert_int_equal(pw_runtime_add("mine", "command", line, NULL), 0);
	assert_int_equal(pw_runtime_find(&rt, "mine", NULL), 0);
	assert_string_equal(rt.host_argv[1], line);
	pw_runtime_release(&rt);
}

static void a_command_is_checked_before_it_is_written(void **state)
{
	static const char *const lines[] = {
		"nothing run",
		"no-such-program {module}",
		"nothing {module}\nx = y",
		"nothing {module} ; rm",
		"nothing  {module}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct pw_err err = { .code = 0 };

		assert_true(pw_runtime_add("mine", "command", lines[i], &err) <
			    0);
		assert_true(err.msg[0]);
		assert_refused("mine", "there is no runtime mine");
	}
}

static void a_library_of_the_users_is_added(void **state)
{
	char image[200] = "\177ELF", *path = below("lib.so");
	struct pw_runtime rt;

	(void)state;
	memcpy(image + 100, "wasmtime_module_new", 19);
	assert_int_equal(pw_file_write(path, image, sizeof(image), NULL), 0);
	assert_int_equal(pw_runtime_add("mine", "library", path, NULL), 0);
	assert_int_equal(pw_runtime_find(&rt, "mine?gc=1", NULL), 0);
	assert_ends(rt.host_argv[0], "/host-wasmtime");
	assert_string_equal(rt.host_argv[1], path);
	assert_string_equal(rt.host_argv[2], "gc=1");
	pw_runtime_release(&rt);
	free(path);
}

static void a_file_that_is_no_library_is_refused(void **state)
{
	char *path = below("lib.so");

	(void)state;
	put_file("lib.so", "text");
	assert_true(pw_runtime_add("mine", "library", path, NULL) < 0);
	assert_true(pw_runtime_add("mine", "library", "/nowhere", NULL) < 0);
	assert_true(pw_runtime_add("engine", "library", path, NULL) < 0);
	assert_true(pw_runtime_add("a@1", "library", path, NULL) < 0);
	assert_true(pw_runtime_add("mine", "magic", path, NULL) < 0);
	free(path);
}

static void the_list_shows_good_and_bad(void **state)
{
	struct pw_runtime_row *rows;
	size_t n;

	(void)state;
	put_fetched("1.10");
	put_fetched("1.2");
	put_file("prefix/share/perf-wasm/runtimes/tool.conf",
		 "[runtime]\nname = tool\nkind = node\nhost = host-none\n");
	put_file("config/perf-wasm/runtimes.d/broken.conf", "nonsense\n");
	assert_int_equal(pw_runtime_list(&rows, &n, NULL), 0);
	assert_int_equal(n, 4);
	assert_string_equal(rows[0].spec, "engine@1.2");
	assert_string_equal(rows[1].spec, "engine@1.10");
	assert_int_equal(rows[1].status, 0);
	assert_ends(rows[1].path, "/libengine.so");
	assert_string_equal(rows[2].spec, "tool");
	assert_true(rows[2].status < 0 && rows[2].why[0]);
	assert_string_equal(rows[3].spec, "broken");
	assert_true(rows[3].status < 0);
	pw_runtime_rows_free(rows, n);
}

static void a_fetched_release_is_removed(void **state)
{
	(void)state;
	put_fetched("1.2");
	assert_int_equal(pw_runtime_remove("engine@1.2", NULL), 0);
	assert_refused("engine@1.2", "is not on this machine");
	assert_true(pw_runtime_remove("engine@1.2", NULL) < 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_fetched_release_is_found),
		cmocka_unit_test(
			a_line_shows_directories_that_it_has_a_place_for),
		T(the_newest_is_the_highest_number),
		T(what_is_missing_says_what_to_type),
		T(a_release_that_never_was_names_its_neighbours),
		T(an_unknown_option_is_refused_with_the_known_ones),
		T(an_unfinished_fetch_is_not_a_runtime),
		T(a_missing_program_is_named),
		T(a_built_in_tool_is_asked_for_its_version),
		T(a_script_is_started_by_its_interpreter),
		T(a_host_that_is_not_installed_is_named),
		T(a_command_of_the_users_is_added_and_removed),
		T(a_long_command_survives_its_file),
		T(a_command_is_checked_before_it_is_written),
		T(a_library_of_the_users_is_added),
		T(a_file_that_is_no_library_is_refused),
		T(the_list_shows_good_and_bad),
		T(a_fetched_release_is_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
