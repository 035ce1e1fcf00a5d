// SPDX-License-Identifier: GPL-2.0-only
/* The journal keeps whole lines over a kill and drops the cut one. */
#include <perfwasm/base.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char *new_path(void)
{
	char dir[] = "/tmp/pw-journal-XXXXXX";

	assert_non_null(mkdtemp(dir));
	return pw_asprintf("%s/journal", dir);
}

static void remove_path(char *path)
{
	unlink(path);
	*strrchr(path, '/') = 0;
	rmdir(path);
	free(path);
}

static void what_is_added_is_found_when_opened_again(void **state)
{
	char *path = new_path();
	struct pw_journal *j = pw_journal_open(path, NULL);

	(void)state;
	assert_non_null(j);
	assert_null(pw_journal_find(j, "race", "f1 i2 x"));
	assert_int_equal(pw_journal_add(j, "race", "f1 i2 x", NULL, "%d ok", 7),
			 0);
	assert_string_equal(pw_journal_find(j, "race", "f1 i2 x"), "7 ok");
	pw_journal_close(j);
	j = pw_journal_open(path, NULL);
	assert_string_equal(pw_journal_find(j, "race", "f1 i2 x"), "7 ok");
	assert_null(pw_journal_find(j, "judge", "f1 i2 x"));
	pw_journal_close(j);
	remove_path(path);
}

static void a_cut_line_is_dropped_and_the_next_one_is_whole(void **state)
{
	static const char text[] = "code\ta\t1\ncode\tb\t2\ncode\tc\t3 but c";
	char *path = new_path();
	struct pw_file f = { 0 };
	struct pw_journal *j;

	(void)state;
	assert_int_equal(pw_file_write(path, text, strlen(text), NULL), 0);
	j = pw_journal_open(path, NULL);
	assert_string_equal(pw_journal_find(j, "code", "b"), "2");
	assert_null(pw_journal_find(j, "code", "c"));
	pw_journal_add(j, "code", "c", NULL, "3");
	pw_journal_close(j);
	assert_int_equal(pw_file_open(&f, path, NULL), 0);
	assert_int_equal(f.size, strlen("code\ta\t1\n") * 3);
	assert_memory_equal(f.data, "code\ta\t1\ncode\tb\t2\ncode\tc\t3\n",
			    f.size);
	pw_file_close(&f);
	remove_path(path);
}

static void two_hunts_do_not_share_a_journal(void **state)
{
	char *path = new_path();
	struct pw_journal *j = pw_journal_open(path, NULL);
	struct pw_err err = { 0 };

	(void)state;
	assert_null(pw_journal_open(path, &err));
	assert_int_equal(err.code, EBUSY);
	assert_non_null(strstr(err.msg, "--dir"));
	pw_journal_close(j);
	j = pw_journal_open(path, &err);
	assert_non_null(j);
	pw_journal_close(j);
	remove_path(path);
}

static void a_directory_is_of_one_job(void **state)
{
	char *path = new_path(), *dir = pw_strndup(path, strlen(path) - 8);
	char *below = pw_asprintf("%s/a/b", dir);
	struct pw_err err = { 0 };
	struct pw_journal *j;

	(void)state;
	for (int i = 0; i < 2; i++) {
		j = pw_journal_claim(below, "hunt", 7, &err);
		assert_non_null(j);
		pw_journal_close(j);
	}
	/* of another kind, and another of that kind */
	assert_null(pw_journal_claim(below, "reduce", 7, &err));
	assert_int_equal(err.code, EEXIST);
	assert_null(pw_journal_claim(below, "hunt", 8, &err));
	assert_int_equal(err.code, EEXIST);
	assert_non_null(strstr(err.msg, below));
	assert_non_null(strstr(err.msg, "--dir"));
	/* a refused one leaves nothing behind, and it is not locked */
	j = pw_journal_claim(below, "hunt", 7, &err);
	assert_non_null(j);
	pw_journal_close(j);
	assert_int_equal(pw_remove_tree(dir, NULL), 0);
	free(below);
	free(dir);
	free(path);
}

static void lines_that_nobody_claimed_are_not_gone_on_with(void **state)
{
	char *path = new_path(), *dir = pw_strndup(path, strlen(path) - 8);
	struct pw_err err = { 0 };

	(void)state;
	assert_int_equal(pw_file_write(path, "code\ta\t1\n", 9, NULL), 0);
	assert_null(pw_journal_claim(dir, "hunt", 7, &err));
	assert_int_equal(err.code, EEXIST);
	free(dir);
	remove_path(path);
}

static int collect(void *ctx, const char *key, const char *value)
{
	pw_buf_printf(ctx, "%s=%s ", key, value);
	return *key == 'c' ? 7 : 0;
}

static void the_units_of_a_step_come_in_their_order(void **state)
{
	char *path = new_path();
	struct pw_journal *j = pw_journal_open(path, NULL);
	struct pw_buf seen = { 0 };

	(void)state;
	assert_int_equal(pw_journal_add(j, "race", "b", NULL, "1"), 0);
	assert_int_equal(pw_journal_add(j, "races", "x", NULL, "2"), 0);
	assert_int_equal(pw_journal_add(j, "race", "a", NULL, "3"), 0);
	assert_int_equal(pw_journal_each(j, "race", collect, &seen), 0);
	assert_string_equal(pw_buf_str(&seen), "b=1 a=3 ");
	/* and stop where they are told to */
	assert_int_equal(pw_journal_add(j, "race", "c", NULL, "4"), 0);
	assert_int_equal(pw_journal_add(j, "race", "d", NULL, "5"), 0);
	assert_int_equal(pw_journal_each(j, "race", collect, &seen), 7);
	assert_string_equal(pw_buf_str(&seen), "b=1 a=3 b=1 a=3 c=4 ");
	pw_buf_release(&seen);
	pw_journal_close(j);
	remove_path(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_added_is_found_when_opened_again),
		cmocka_unit_test(
			a_cut_line_is_dropped_and_the_next_one_is_whole),
		cmocka_unit_test(two_hunts_do_not_share_a_journal),
		cmocka_unit_test(a_directory_is_of_one_job),
		cmocka_unit_test(
			lines_that_nobody_claimed_are_not_gone_on_with),
		cmocka_unit_test(the_units_of_a_step_come_in_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
