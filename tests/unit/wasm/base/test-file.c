// SPDX-License-Identifier: GPL-2.0-only
/* Files and trees, in a temporary folder that each test makes and removes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <perfwasm/base.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int enter_folder(void **state)
{
	char *dir = pw_strdup("/tmp/pw-test-file.XXXXXX");

	*state = mkdtemp(dir);
	return chdir(dir);
}

static int leave_folder(void **state)
{
	int ret = chdir("/") || pw_remove_tree(*state, NULL);

	free(*state);
	return ret;
}

static size_t n_entries(const char *dir)
{
	DIR *d = opendir(dir);
	size_t n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void assert_holds(const char *path, const char *data, size_t n)
{
	struct pw_file f;

	assert_int_equal(pw_file_open(&f, path, NULL), 0);
	assert_int_equal(f.size, n);
	assert_memory_equal(f.data, data, n);
	pw_file_close(&f);
	assert_null(f.data);
}

static void what_is_written_is_read(void **state)
{
	(void)state;
	assert_int_equal(pw_file_write("a", "x\0y", 3, NULL), 0);
	assert_holds("a", "x\0y", 3);
	assert_int_equal(pw_file_write("a", "shorter", 7, NULL), 0);
	assert_holds("a", "shorter", 7);
	assert_int_equal(n_entries("."), 1);
}

static void an_empty_file_is_not_an_error(void **state)
{
	(void)state;
	assert_int_equal(pw_file_write("a", NULL, 0, NULL), 0);
	assert_holds("a", "", 0);
}

static void a_large_file_is_mapped(void **state)
{
	size_t n = 3 << 20;
	char *data = pw_zalloc(n);
	struct pw_file f;

	(void)state;
	data[n - 1] = 7;
	assert_int_equal(pw_file_write("a", data, n, NULL), 0);
	assert_int_equal(pw_file_open(&f, "a", NULL), 0);
	assert_true(f.mapped);
	assert_int_equal(f.size, n);
	assert_int_equal(f.data[n - 1], 7);
	pw_file_close(&f);
	free(data);
}

static void a_file_whose_size_is_not_told_is_read_whole(void **state)
{
	struct pw_file f;

	(void)state;
	assert_int_equal(pw_file_open(&f, "/proc/self/maps", NULL), 0);
	assert_true(f.size > 100);
	pw_file_close(&f);
}

static void a_failure_names_the_file_and_the_reason(void **state)
{
	struct pw_err err = { 0 };
	struct pw_file f;

	(void)state;
	assert_int_equal(pw_file_open(&f, "none", &err), -ENOENT);
	assert_string_equal(err.msg,
			    "cannot open 'none': No such file or directory");
	pw_file_close(&f);
	assert_int_equal(pw_file_open(&f, ".", &err), -EISDIR);
	assert_int_equal(pw_file_write("none/a", "", 0, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "'none/a'"));
	assert_int_equal(n_entries("."), 0);
}

static void what_never_ends_is_not_read_for_ever(void **state)
{
	struct pw_err err = { 0 };
	struct pw_file f;

	(void)state;
	assert_int_equal(pw_file_open(&f, "/dev/zero", &err), -EFBIG);
	assert_non_null(strstr(err.msg, "without an end"));
	pw_file_close(&f);
}

static void a_failed_write_leaves_the_old_file(void **state)
{
	(void)state;
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(pw_file_write("d", "x", 1, NULL), -EISDIR);
	assert_int_equal(n_entries("."), 1);
}

static void a_link_is_written_through(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(pw_file_write("real", "old", 3, NULL), 0);
	assert_int_equal(symlink("real", "link"), 0);
	assert_int_equal(pw_file_write("link", "new", 3, NULL), 0);
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_holds("real", "new", 3);
}

static void a_device_is_written_to_and_stays(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	int fd = open("pipe", O_RDWR);
	assert_int_equal(pw_file_write("pipe", "x", 1, NULL), 0);
	assert_int_equal(lstat("pipe", &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	close(fd);
	assert_int_equal(pw_file_write("/dev/null", "x", 1, NULL), 0);
}

static void a_new_file_has_the_mode_of_the_umask(void **state)
{
	mode_t old = umask(027);
	struct stat st;

	(void)state;
	assert_int_equal(pw_file_write("a", "", 0, NULL), 0);
	umask(old);
	assert_int_equal(stat("a", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
}

static void directories_are_made_with_their_parents(void **state)
{
	struct pw_err err;
	struct stat st;

	(void)state;
	assert_int_equal(pw_mkdirs("a//b/c/", NULL), 0);
	assert_int_equal(pw_mkdirs("a/b/c", NULL), 0);
	assert_int_equal(stat("a/b/c", &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(pw_mkdirs("/", NULL), 0);
	assert_int_equal(pw_file_write("f", "", 0, NULL), 0);
	assert_int_equal(pw_mkdirs("f/x", &err), -ENOTDIR);
	assert_non_null(strstr(err.msg, "'f'"));
}

static void a_tree_is_removed_but_not_what_it_links_to(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(pw_mkdirs("kept/x", NULL), 0);
	assert_int_equal(pw_mkdirs("t/a/b", NULL), 0);
	assert_int_equal(symlink("../../kept", "t/a/link"), 0);
	assert_int_equal(symlink("nowhere", "t/broken"), 0);
	assert_int_equal(pw_file_write("t/a/b/f", "x", 1, NULL), 0);
	assert_int_equal(pw_remove_tree("t", NULL), 0);
	assert_int_equal(lstat("t", &st), -1);
	assert_int_equal(stat("kept/x", &st), 0);
	assert_int_equal(symlink("kept", "l"), 0);
	assert_int_equal(pw_remove_tree("l/", NULL), 0);
	assert_int_equal(stat("kept/x", &st), 0);
	assert_int_equal(lstat("l", &st), -1);
}

static void removing_nothing_is_no_failure(void **state)
{
	(void)state;
	assert_int_equal(pw_remove_tree("none", NULL), 0);
}

static void a_very_deep_tree_is_removed(void **state)
{
	int fd = open(".", O_RDONLY | O_DIRECTORY), below;
	struct stat st;

	(void)state;
	/* deeper than descriptors, and than a path may be long */
	for (int i = 0; i < 3000; i++) {
		assert_int_equal(mkdirat(fd, "dd", 0700), 0);
		below = openat(fd, "dd", O_RDONLY | O_DIRECTORY);
		assert_true(below >= 0);
		close(fd);
		fd = below;
	}
	close(fd);
	assert_int_equal(pw_remove_tree("dd", NULL), 0);
	assert_int_equal(lstat("dd", &st), -1);
}

static void a_locked_directory_is_opened_and_removed(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(pw_mkdirs("t/a/b", NULL), 0);
	assert_int_equal(chmod("t/a", 0), 0);
	assert_int_equal(chmod("t", 0500), 0);
	assert_int_equal(pw_remove_tree("t", NULL), 0);
	assert_int_equal(lstat("t", &st), -1);
}

#define T(f) cmocka_unit_test_setup_teardown(f, enter_folder, leave_folder)

static void a_peek_is_one_read_and_ends_with_a_zero(void **state)
{
	char text[8];
	int dir;

	(void)state;
	assert_int_equal(mkdir("d", 0755), 0);
	assert_int_equal(pw_file_write("d/x", "0123456789", 10, NULL), 0);
	dir = open("d", O_RDONLY | O_DIRECTORY);
	assert_true(dir >= 0);
	assert_int_equal(pw_file_peek(dir, "x", text, sizeof(text)), 7);
	assert_string_equal(text, "0123456");
	assert_int_equal(pw_file_peek(AT_FDCWD, "d/x", text, 4), 3);
	assert_string_equal(text, "012");
	assert_int_equal(pw_file_peek(dir, "none", text, 4), -ENOENT);
	assert_string_equal(text, "");
	strcpy(text, "old");
	assert_int_equal(pw_file_peek(AT_FDCWD, "d", text, 4), -EISDIR);
	assert_string_equal(text, "");
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(what_is_written_is_read),
		T(an_empty_file_is_not_an_error),
		T(a_large_file_is_mapped),
		T(a_file_whose_size_is_not_told_is_read_whole),
		T(a_failure_names_the_file_and_the_reason),
		T(what_never_ends_is_not_read_for_ever),
		T(a_failed_write_leaves_the_old_file),
		T(a_link_is_written_through),
		T(a_device_is_written_to_and_stays),
		T(a_new_file_has_the_mode_of_the_umask),
		T(directories_are_made_with_their_parents),
		T(a_tree_is_removed_but_not_what_it_links_to),
		T(removing_nothing_is_no_failure),
		T(a_very_deep_tree_is_removed),
		T(a_locked_directory_is_opened_and_removed),
		T(a_peek_is_one_read_and_ends_with_a_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
