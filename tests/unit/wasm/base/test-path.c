// SPDX-License-Identifier: GPL-2.0-only
/* Where things are, with the environment set by each test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <perfwasm/base.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void assert_is(char *got, const char *want)
{
	if (want) {
		assert_non_null(got);
		assert_string_equal(got, want);
	} else {
		assert_null(got);
	}
	free(got);
}

static void the_cache_and_configuration_follow_xdg(void **state)
{
	(void)state;
	setenv("HOME", "/h", 1);
	setenv("XDG_CACHE_HOME", "/c", 1);
	setenv("XDG_CONFIG_HOME", "/f", 1);
	assert_is(pw_cache_dir(), "/c/perf-wasm");
	assert_is(pw_config_dir(), "/f/perf-wasm");
	unsetenv("XDG_CACHE_HOME");
	unsetenv("XDG_CONFIG_HOME");
	assert_is(pw_cache_dir(), "/h/.cache/perf-wasm");
	assert_is(pw_config_dir(), "/h/.config/perf-wasm");
}

static void a_relative_xdg_directory_is_ignored(void **state)
{
	(void)state;
	setenv("HOME", "/", 1);
	setenv("XDG_CACHE_HOME", "c", 1);
	assert_is(pw_cache_dir(), "/.cache/perf-wasm");
}

static void a_missing_home_is_looked_up(void **state)
{
	char *dir;

	(void)state;
	unsetenv("HOME");
	unsetenv("XDG_CACHE_HOME");
	dir = pw_cache_dir();
	assert_int_equal(*dir, '/');
	free(dir);
}

static void the_first_runnable_program_on_path_is_found(void **state)
{
	char dir[] = "/tmp/pw-test-path.XXXXXX", *a, *b, *path, *prog;

	(void)state;
	assert_non_null(mkdtemp(dir));
	a = pw_asprintf("%s/a/tool", dir);
	b = pw_asprintf("%s/b", dir);
	path = pw_asprintf("/nonexistent::%s/a:%s:/usr/bin", dir, b);
	prog = pw_asprintf("%s/tool", b);
	/* a/tool is a directory, b/tool is not yet executable */
	assert_int_equal(pw_mkdirs(a, NULL) | pw_mkdirs(b, NULL), 0);
	assert_int_equal(pw_file_write(prog, "", 0, NULL), 0);
	setenv("PATH", path, 1);
	assert_is(pw_find_program("tool"), NULL);
	assert_int_equal(chmod(prog, 0755), 0);
	assert_is(pw_find_program("tool"), prog);
	assert_is(pw_find_program(prog), prog);
	assert_is(pw_find_program(""), NULL);
	assert_is(pw_find_program("./tool"), NULL);
	assert_int_equal(chdir(b), 0);
	setenv("PATH", ":", 1);
	assert_is(pw_find_program("tool"), NULL);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(pw_remove_tree(dir, NULL), 0);
	free(a);
	free(b);
	free(path);
	free(prog);
}

static void our_files_are_found_below_the_given_prefix(void **state)
{
	char dir[] = "/tmp/pw-test-path.XXXXXX", *want;

	(void)state;
	assert_non_null(mkdtemp(dir));
	want = pw_asprintf("%s/share/perf-wasm/runtimes", dir);
	assert_int_equal(pw_mkdirs(want, NULL), 0);
	setenv("PERF_WASM_PREFIX", dir, 1);
	assert_is(pw_own_path("share/perf-wasm/runtimes"), want);
	unsetenv("PERF_WASM_PREFIX");
	assert_int_equal(pw_remove_tree(dir, NULL), 0);
	free(want);
}

static void our_files_are_found_above_the_program(void **state)
{
	char *exe = realpath("/proc/self/exe", NULL), *slash, *want;

	(void)state;
	unsetenv("PERF_WASM_PREFIX");
	slash = strrchr(exe, '/');
	assert_is(pw_own_path(slash + 1), exe);
	assert_is(pw_own_path("no/such/file/of/ours"), NULL);
	/* a unit test lies four folders below the build folder */
	for (int i = 0; i < 5; i++)
		*strrchr(exe, '/') = 0;
	want = pw_asprintf("%s/tests/unit", exe);
	assert_is(pw_own_path("tests/unit"), want);
	free(want);
	free(exe);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cache_and_configuration_follow_xdg),
		cmocka_unit_test(a_relative_xdg_directory_is_ignored),
		cmocka_unit_test(a_missing_home_is_looked_up),
		cmocka_unit_test(the_first_runnable_program_on_path_is_found),
		cmocka_unit_test(our_files_are_found_below_the_given_prefix),
		cmocka_unit_test(our_files_are_found_above_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
