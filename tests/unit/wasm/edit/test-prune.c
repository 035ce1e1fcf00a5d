// SPDX-License-Identifier: GPL-2.0-only
/* A pruned module has what its exports need, with new numbers, and is valid;
 * data segments can be cut. */
#include <perfwasm/edit.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define FILE_NAME "tests/data/edit/prune.wasm"

struct fixture {
	struct pw_file file;
	struct pw_module *m;
	struct pw_buf out;
	struct pw_module *result;
};

static struct pw_module *open_checked(const uint8_t *bytes, size_t size)
{
	struct pw_err err = { 0 };
	struct pw_module *m = pw_module_decode(bytes, size, &err);

	if (!m || pw_module_check_bodies(m, &err))
		fail_msg("at 0x%llx: %s", (unsigned long long)err.off, err.msg);
	return m;
}

static void fixture_init(struct fixture *f, const char *path)
{
	memset(f, 0, sizeof(*f));
	assert_int_equal(pw_file_open(&f->file, path, NULL), 0);
	f->m = open_checked(f->file.data, f->file.size);
}

static void fixture_release(struct fixture *f)
{
	pw_module_free(f->result);
	pw_module_free(f->m);
	pw_buf_release(&f->out);
	pw_file_close(&f->file);
}

static void prune(struct fixture *f, const char *const *exports)
{
	struct pw_err err = { 0 };

	if (pw_edit_prune(f->m, exports, &f->out, &err))
		fail_msg("%s", err.msg);
	f->result = open_checked(f->out.data, f->out.len);
}

static void what_an_export_needs_stays_and_the_rest_goes(void **state)
{
	static const char *const run[] = { "run", NULL };
	struct fixture f;
	char name[32];

	(void)state;
	fixture_init(&f, FILE_NAME);
	prune(&f, run);
	assert_int_equal(pw_module_n(f.result, PW_EXT_FUNC), 3);
	assert_int_equal(pw_module_n_imports(f.result), 2);
	assert_int_equal(pw_module_n(f.result, PW_EXT_GLOBAL), 2);
	assert_int_equal(pw_module_n(f.result, PW_EXT_MEMORY), 1);
	assert_int_equal(pw_module_n_exports(f.result), 1);
	assert_null(pw_module_functype(f.result, 3));
	assert_non_null(pw_module_functype(f.result, 2));
	assert_string_equal(pw_module_func_name(f.result, 1, name,
						sizeof(name)),
			    "run");
	assert_string_equal(pw_module_func_name(f.result, 2, name,
						sizeof(name)),
			    "listed");
	fixture_release(&f);
}

static void without_wanted_exports_nothing_is_left(void **state)
{
	static const char *const none[] = { NULL };
	struct fixture f;

	(void)state;
	fixture_init(&f, FILE_NAME);
	prune(&f, none);
	assert_int_equal(f.out.len, 8);
	fixture_release(&f);
}

static void only_segments_that_hold_something_stay(void **state)
{
	static const char *const run[] = { "run", NULL };
	struct pw_data_seg *segs;
	struct fixture f;
	uint32_t n;

	(void)state;
	fixture_init(&f, FILE_NAME);
	assert_int_equal(pw_edit_data_list(f.m, &segs, &n, NULL), 0);
	assert_int_equal(n, 3);
	free(segs);
	prune(&f, run);
	assert_int_equal(pw_edit_data_list(f.result, &segs, &n, NULL), 0);
	assert_int_equal(n, 1);
	assert_true(segs[0].active);
	assert_memory_equal(f.out.data + segs[0].bytes_off, "kept", 4);
	free(segs);
	fixture_release(&f);
}

static void modules_of_all_proposals_stay_valid(void **state)
{
	static const char *const names[] = { "control", "exceptions",
					     "memories", "vectors" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path =
			pw_asprintf("tests/data/modules/%s.wasm", names[i]);
		const char **exports;
		struct fixture f;
		char *copies[64];
		uint32_t n;

		fixture_init(&f, path);
		n = pw_module_n_exports(f.m);
		assert_true(n < 64);
		exports = pw_zalloc((n + 1) * sizeof(*exports));
		for (uint32_t k = 0; k < n; k++) {
			const struct pw_export *e = pw_module_export(f.m, k);

			exports[k] = copies[k] =
				pw_strndup(e->name.s, e->name.len);
		}
		prune(&f, exports);
		assert_int_equal(pw_module_n_exports(f.result), n);
		while (n)
			free(copies[--n]);
		free(exports);
		free(path);
		fixture_release(&f);
	}
}

static void what_is_not_known_is_refused(void **state)
{
	static const char *const none[] = { NULL };
	struct fixture f;

	(void)state;
	fixture_init(&f, "tests/data/modules/structures.wasm");
	assert_int_equal(pw_edit_prune(f.m, none, &f.out, NULL), -ENOTSUP);
	fixture_release(&f);
}

static void a_cut_segment_puts_its_bytes_where_they_were(void **state)
{
	struct pw_data_seg *segs;
	struct fixture f;
	uint32_t n;

	(void)state;
	fixture_init(&f, FILE_NAME);
	assert_int_equal(pw_edit_data(f.m, 0, 1, 3, &f.out, NULL), 0);
	f.result = open_checked(f.out.data, f.out.len);
	assert_int_equal(pw_edit_data_list(f.result, &segs, &n, NULL), 0);
	assert_int_equal(segs[0].n_bytes, 2);
	assert_memory_equal(f.out.data + segs[0].bytes_off, "ep", 2);
	/* i32.const 17, end, size */
	assert_memory_equal(f.out.data + segs[0].bytes_off - 4,
			    "\x41\x11\x0b\x02", 4);
	assert_int_equal(pw_edit_data(f.m, 0, 3, 5, &f.out, NULL), -EINVAL);
	free(segs);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_an_export_needs_stays_and_the_rest_goes),
		cmocka_unit_test(without_wanted_exports_nothing_is_left),
		cmocka_unit_test(only_segments_that_hold_something_stay),
		cmocka_unit_test(modules_of_all_proposals_stay_valid),
		cmocka_unit_test(what_is_not_known_is_refused),
		cmocka_unit_test(a_cut_segment_puts_its_bytes_where_they_were),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
