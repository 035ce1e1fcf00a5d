// SPDX-License-Identifier: GPL-2.0-only
/* What a user says of a guest, as a box and as an identity. */
#include <perfwasm/measure.h>

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

struct fixture {
	char top[PATH_MAX]; /* holds what is shown, an input, and the box */
	char *shown, *input, *dir;
	struct pw_guest_box box;
};

static int setup(void **state)
{
	struct fixture *f = pw_zalloc(sizeof(*f));
	char name[] = "/tmp/pw-test-guest.XXXXXX";

	if (!mkdtemp(name) || !realpath(name, f->top))
		return -1;
	f->shown = pw_asprintf("%s/shown", f->top);
	f->input = pw_asprintf("%s/input", f->top);
	f->dir = pw_asprintf("%s/box", f->top);
	*state = f;
	return pw_mkdirs(f->shown, NULL) ||
	       pw_file_write(f->input, "in", 2, NULL);
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	int ret;

	pw_guest_box_release(&f->box);
	ret = pw_remove_tree(f->top, NULL);
	free(f->shown);
	free(f->input);
	free(f->dir);
	free(f);
	return ret;
}

static void a_request_has_all_that_was_said(void **state)
{
	struct fixture *f = *state;
	char *said = pw_asprintf("%s/../shown::data", f->shown);
	const char *dirs[] = { said, NULL }, *argv[] = { "x", NULL };
	struct pw_guest g = { .invoke = "run",
			      .argv = argv,
			      .dirs = dirs,
			      .stdin_path = f->input,
			      .wall_limit_ns = 3,
			      .memory_limit_bytes = 4 };
	char *mount = pw_asprintf("%s::data", f->shown);
	struct pw_host_request req;

	assert_int_equal(pw_guest_box_open(&f->box, &g, f->dir, NULL), 0);
	pw_guest_request(&f->box, "/m.wasm", &req);
	assert_string_equal(req.module_path, "/m.wasm");
	assert_string_equal(req.invoke, "run");
	assert_ptr_equal(req.argv, argv);
	assert_string_equal(req.dirs[0], mount);
	assert_null(req.dirs[1]);
	/* only the box is seen, so it is a copy there */
	assert_memory_equal(req.stdin_path, f->dir, strlen(f->dir));
	assert_int_equal(access(req.stdin_path, R_OK), 0);
	assert_int_equal(req.wall_limit_ns, 3);
	assert_int_equal(req.memory_limit_bytes, 4);
	free(mount);
	free(said);
}

static void only_what_may_be_written_is_writable(void **state)
{
	struct fixture *f = *state;
	const char *own[] = { f->top, NULL }, *dirs[] = { f->shown, NULL };
	struct pw_guest g = { .read_only_dirs = own,
			      .dirs = dirs,
			      .dirs_writable = true };
	struct pw_host_request req;

	assert_int_equal(pw_guest_box_open(&f->box, &g, f->dir, NULL), 0);
	pw_guest_box_see(&f->box, "/usr", false);
	assert_string_equal(f->box.seen[0], f->top);
	assert_string_equal(f->box.seen[1], "/usr");
	assert_null(f->box.seen[2]);
	assert_string_equal(f->box.writable[0], f->shown);
	assert_null(f->box.writable[1]);
	/* the guest finds its own first */
	pw_guest_request(&f->box, "/m.wasm", &req);
	assert_memory_equal(req.dirs[0], f->top, strlen(f->top));
	assert_memory_equal(req.dirs[1], f->shown, strlen(f->shown));
	assert_null(req.dirs[2]);
}

static void what_is_not_there_is_refused(void **state)
{
	struct fixture *f = *state;
	const char *none[] = { "/none/such", NULL };
	struct pw_guest mount = { .dirs = none };
	struct pw_guest input = { .stdin_path = "/none/such" };
	struct pw_err err = { 0 };

	assert_int_equal(pw_guest_box_open(&f->box, &mount, f->dir, &err),
			 -ENOENT);
	assert_non_null(strstr(err.msg, "/none/such"));
	pw_guest_box_release(&f->box);
	assert_int_equal(pw_guest_box_open(&f->box, &input, f->dir, &err),
			 -ENOENT);
}

static void the_box_goes_with_all_that_lies_in_it(void **state)
{
	struct fixture *f = *state;
	struct pw_guest g = { 0 };
	char *path;

	assert_int_equal(pw_guest_box_open(&f->box, &g, f->dir, NULL), 0);
	path = pw_guest_box_bring(&f->box, f->input, "copy", NULL);
	assert_int_equal(access(path, R_OK), 0);
	free(path);
	pw_guest_box_release(&f->box);
	assert_int_equal(access(f->dir, F_OK), -1);
}

/* Words may not slip from one list into the next. */
static void whatever_differs_changes_the_identity(void **state)
{
	static const char *const ab[] = { "a", "b", NULL };
	static const char *const a[] = { "a", NULL }, *const b[] = { "b",
								     NULL };
	static const char *const none[] = { NULL };
	const struct pw_guest g[] = {
		{ 0 },
		{ .invoke = "" },
		{ .invoke = "a" },
		{ .argv = a },
		{ .argv = ab },
		{ .env = a },
		{ .argv = a, .env = b },
		{ .dirs = a },
		{ .dirs = a, .dirs_writable = true },
		{ .read_only_dirs = a },
		{ .stdin_path = "a" },
		{ .memory_limit_bytes = 1 },
	};
	const size_t n = sizeof(g) / sizeof(*g);
	struct pw_guest empty = { .argv = none, .wall_limit_ns = 9 };

	(void)state;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(pw_guest_hash(&g[i], 1),
					     pw_guest_hash(&g[k], 1));
	assert_int_equal(pw_guest_hash(&g[0], 1), pw_guest_hash(&empty, 1));
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_request_has_all_that_was_said),
		T(only_what_may_be_written_is_writable),
		T(what_is_not_there_is_refused),
		T(the_box_goes_with_all_that_lies_in_it),
		cmocka_unit_test(whatever_differs_changes_the_identity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
