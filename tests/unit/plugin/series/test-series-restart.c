// SPDX-License-Identifier: GPL-2.0-only
/* A series that goes on in a new file can be read without the one before. */
#include <perfwasm/series.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <signal.h>
#include <unistd.h>
#include <cmocka.h>

static const struct pw_series_column columns[] = { { "a", "" }, { "b", "" } };
static const struct pw_series_table tables[] = { { "t", columns, 2 } };

struct folder {
	char path[64], one[96], two[96];
};

static void folder_make(struct folder *f)
{
	strcpy(f->path, "/tmp/pw-series-XXXXXX");
	assert_non_null(mkdtemp(f->path));
	snprintf(f->one, sizeof(f->one), "%s/one", f->path);
	snprintf(f->two, sizeof(f->two), "%s/two", f->path);
}

static void folder_remove(struct folder *f)
{
	pw_remove_tree(f->path, NULL);
}

/* The values of row `key` at the end; false: it has none. */
static bool last_values(const char *path, uint64_t key, uint64_t v[2],
			int *readouts)
{
	struct pw_series *s = pw_series_open(path, NULL);
	struct pw_series_item it;
	bool any = false;
	int ret;

	assert_non_null(s);
	*readouts = 0;
	while ((ret = pw_series_next(s, &it, NULL)) > 0) {
		*readouts += it.kind == PW_SERIES_READOUT;
		if (it.kind != PW_SERIES_ROW || it.key != key)
			continue;
		memcpy(v, it.values, 2 * sizeof(*v));
		any = true;
	}
	assert_int_equal(ret, 0);
	assert_false(pw_series_was_cut(s));
	pw_series_close(s);
	return any;
}

static void a_new_file_tells_rows_that_did_not_change(void **state)
{
	struct folder f;
	struct pw_series_out *s;
	uint64_t v[2];
	int n;

	(void)state;
	folder_make(&f);
	s = pw_series_create(f.one, tables, 1, NULL);
	pw_series_begin(s, 100);
	for (uint64_t key = 5; key < 8; key++)
		pw_series_row(s, 0, key, (uint64_t[]){ key * 10, 1 });
	assert_int_equal(pw_series_end(s, NULL), 0);
	assert_int_equal(pw_series_restart(s, f.two, NULL), 0);
	pw_series_begin(s, 200);
	pw_series_row(s, 0, 6, (uint64_t[]){ 61, 1 });
	pw_series_drop(s, 0, 7);
	pw_series_again(s, 0);
	assert_int_equal(pw_series_end(s, NULL), 0);
	pw_series_begin(s, 300);
	pw_series_row(s, 0, 5, (uint64_t[]){ 50, 2 });
	assert_int_equal(pw_series_end(s, NULL), 0);
	assert_int_equal(pw_series_finish(s, NULL), 0);

	assert_true(last_values(f.one, 6, v, &n));
	assert_int_equal(n, 1);
	assert_int_equal(v[0], 60);
	assert_true(last_values(f.two, 5, v, &n));
	assert_int_equal(n, 2);
	assert_int_equal(v[0], 50);
	assert_int_equal(v[1], 2);
	assert_true(last_values(f.two, 6, v, &n));
	assert_int_equal(v[0], 61);
	assert_int_equal(v[1], 1);
	assert_false(last_values(f.two, 7, v, &n));
	folder_remove(&f);
}

static void a_new_file_that_can_not_be_leaves_the_old_one(void **state)
{
	struct folder f;
	struct pw_series_out *s;
	struct pw_err err = { .msg = "" };
	uint64_t v[2];
	int n;

	(void)state;
	folder_make(&f);
	s = pw_series_create(f.one, tables, 1, NULL);
	pw_series_begin(s, 100);
	pw_series_row(s, 0, 5, (uint64_t[]){ 1, 1 });
	assert_int_equal(pw_series_end(s, NULL), 0);
	assert_int_equal(pw_series_restart(s, "/nowhere/at/all", &err),
			 -ENOENT);
	assert_non_null(strstr(err.msg, "/nowhere/at/all"));
	pw_series_begin(s, 200);
	pw_series_row(s, 0, 5, (uint64_t[]){ 2, 1 });
	assert_int_equal(pw_series_end(s, NULL), 0);
	assert_int_equal(pw_series_finish(s, NULL), 0);
	assert_true(last_values(f.one, 5, v, &n));
	assert_int_equal(n, 2);
	assert_int_equal(v[0], 2);
	folder_remove(&f);
}

/* Of a disk that is full: a file may not grow. */
static void a_file_that_can_not_grow_keeps_its_readouts(void **state)
{
	struct rlimit old, small;
	struct folder f;
	struct pw_series_out *s;
	struct pw_err err = { .msg = "" };
	struct pw_series *in;
	struct pw_series_item it;
	struct pw_rng rng;
	uint64_t n = 0, read = 0, key;
	int ret = 0;

	(void)state;
	folder_make(&f);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = 8000;
	pw_rng_init(&rng, 1);
	s = pw_series_create(f.one, tables, 1, NULL);
	setrlimit(RLIMIT_FSIZE, &small);
	for (; !ret && n < 1000; n += !ret) {
		pw_series_begin(s, n);
		for (key = 0; key < 50; key++)
			pw_series_row(s, 0, key,
				      (uint64_t[]){ pw_rng_u64(&rng), n });
		ret = pw_series_end(s, &err);
	}
	assert_int_equal(ret, -EFBIG);
	assert_non_null(strstr(err.msg, f.one));
	setrlimit(RLIMIT_FSIZE, &old);
	/* room again: but what came since would be behind a gap */
	pw_series_begin(s, n);
	assert_int_equal(pw_series_end(s, NULL), -EFBIG);
	pw_series_finish(s, NULL);
	in = pw_series_open(f.one, NULL);
	assert_non_null(in);
	while ((ret = pw_series_next(in, &it, NULL)) > 0)
		read += it.kind == PW_SERIES_READOUT;
	assert_int_equal(ret, 0);
	assert_int_equal(read, n);
	pw_series_close(in);
	folder_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_file_tells_rows_that_did_not_change),
		cmocka_unit_test(a_new_file_that_can_not_be_leaves_the_old_one),
		cmocka_unit_test(a_file_that_can_not_grow_keeps_its_readouts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
