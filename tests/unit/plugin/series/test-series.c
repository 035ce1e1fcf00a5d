// SPDX-License-Identifier: GPL-2.0-only
/* What a series was given comes back, however early the file ends. */
#include <perfwasm/series.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const struct pw_series_column task_columns[] = { { "run", "ns" },
							{ "switches", "" } };
static const struct pw_series_column cpu_columns[] = { { "busy", "ns" } };
static const struct pw_series_table tables[] = {
	{ "task", task_columns, 2 },
	{ "cpu", cpu_columns, 1 },
};

enum { TASK, CPU, N_READOUTS = 5 };

static void write_readout(struct pw_series_out *s, uint64_t i)
{
	uint64_t task[] = { i * 1000, i }, cpu = UINT64_MAX - i;

	pw_series_begin(s, 1000000 + i);
	if (!i)
		pw_series_fact(s, "clock", "monotonic");
	pw_series_row(s, TASK, 7, task);
	pw_series_row(s, CPU, UINT64_MAX, &cpu);
	if (i == 1)
		pw_series_text(s, TASK, 7, "comm", "a\nb\xff");
	if (i == 3)
		pw_series_drop(s, TASK, 7);
	assert_int_equal(pw_series_end(s, NULL), 0);
}

/* The file as it is after each readout, and finished. */
static void make(const char *path, struct pw_file *f, size_t ends[N_READOUTS])
{
	struct pw_series_out *s = pw_series_create(path, tables, 2, NULL);

	assert_non_null(s);
	for (uint64_t i = 0; i < N_READOUTS; i++) {
		write_readout(s, i);
		ends[i] = pw_series_size_bytes(s);
	}
	assert_int_equal(pw_series_finish(s, NULL), 0);
	assert_int_equal(pw_file_open(f, path, NULL), 0);
}

static char *new_path(void)
{
	char dir[] = "/tmp/pw-series-XXXXXX";

	assert_non_null(mkdtemp(dir));
	return pw_asprintf("%s/series", dir);
}

static void remove_path(char *path)
{
	unlink(path);
	*strrchr(path, '/') = 0;
	rmdir(path);
	free(path);
}

static void check_item(const struct pw_series_item *it, uint64_t i)
{
	assert_int_equal(it->time_ns, 1000000 + i);
	if (it->kind == PW_SERIES_TEXT) {
		assert_int_equal(i, 1);
		assert_string_equal(it->name, "comm");
		assert_string_equal(it->text, "a\nb\xff");
	} else if (it->kind == PW_SERIES_DROP) {
		assert_int_equal(i, 3);
		assert_int_equal(it->values[0], 3000);
	} else if (it->kind == PW_SERIES_ROW && it->table == TASK) {
		assert_int_equal(it->key, 7);
		/* after the drop it begins at nothing */
		assert_int_equal(it->values[0], i * 1000);
		assert_int_equal(it->changes[0], i == 4 ? 4000 : 1000);
		assert_int_equal(it->changes[1], i == 4 ? 4 : 1);
	} else if (it->kind == PW_SERIES_ROW) {
		assert_int_equal(it->key, UINT64_MAX);
		assert_int_equal(it->values[0], UINT64_MAX - i);
	}
}

/* How many readouts there are, each whole and right; *cut: it ended early. */
static uint64_t read_all(const void *data, size_t size, bool *cut)
{
	static const unsigned int items_of[N_READOUTS] = { 3, 4, 3, 4, 3 };
	struct pw_series *s = pw_series_open_bytes(data, size, NULL);
	struct pw_err err = { .msg = "" };
	struct pw_series_item it;
	uint64_t n = 0, items = 0;
	int ret;

	assert_non_null(s);
	while ((ret = pw_series_next(s, &it, &err)) > 0) {
		if (it.kind == PW_SERIES_READOUT) {
			if (n)
				assert_int_equal(items, items_of[n - 1]);
			items = 0;
			n++;
		}
		items++;
		check_item(&it, n - 1);
	}
	assert_int_equal(ret, 0);
	if (n)
		assert_int_equal(items, items_of[n - 1]);
	*cut = pw_series_was_cut(s);
	pw_series_close(s);
	return n;
}

static void what_is_written_is_read(void **state)
{
	char *path = new_path();
	struct pw_file f;
	size_t ends[N_READOUTS];
	bool cut;

	(void)state;
	make(path, &f, ends);
	assert_int_equal(read_all(f.data, f.size, &cut), N_READOUTS);
	assert_false(cut);
	pw_file_close(&f);
	remove_path(path);
}

static void a_file_cut_anywhere_gives_its_whole_readouts(void **state)
{
	char *path = new_path();
	struct pw_file f;
	size_t ends[N_READOUTS];
	bool cut;

	(void)state;
	make(path, &f, ends);
	for (size_t size = strlen("perf-wasm series 1\n"); size < f.size;
	     size++) {
		uint64_t want = 0;

		while (want < N_READOUTS && ends[want] <= size)
			want++;
		assert_int_equal(read_all(f.data, size, &cut), want);
		assert_true(cut);
	}
	pw_file_close(&f);
	remove_path(path);
}

static void the_file_tells_its_tables(void **state)
{
	char *path = new_path();
	struct pw_series_item it;
	struct pw_series *s;
	struct pw_file f;
	size_t ends[N_READOUTS];

	(void)state;
	make(path, &f, ends);
	s = pw_series_open(path, NULL);
	assert_int_equal(pw_series_next(s, &it, NULL), 1);
	assert_int_equal(pw_series_n_tables(s), 2);
	assert_int_equal(pw_series_find(s, "cpu"), CPU);
	assert_int_equal(pw_series_find(s, "gpu"), UINT32_MAX);
	assert_int_equal(pw_series_column(pw_series_table(s, TASK), "switches"),
			 1);
	assert_string_equal(pw_series_table(s, TASK)->columns[0].unit, "ns");
	pw_series_close(s);
	pw_file_close(&f);
	remove_path(path);
}

static void what_stays_the_same_takes_no_room(void **state)
{
	char *path = new_path();
	struct pw_series_out *s = pw_series_create(path, tables, 2, NULL);
	uint64_t task[] = { 1, 2 }, before, n;

	(void)state;
	for (n = 0; n < 1000; n++) {
		pw_series_begin(s, n);
		pw_series_row(s, TASK, 1, task);
		pw_series_end(s, NULL);
		before = n ? before : pw_series_size_bytes(s);
	}
	assert_true(pw_series_size_bytes(s) - before < 1000 * 16);
	pw_series_finish(s, NULL);
	remove_path(path);
}

static void another_file_is_refused(void **state)
{
	struct pw_err err = { .msg = "" };

	(void)state;
	assert_null(pw_series_open_bytes("PERFILE2", 8, &err));
	assert_int_equal(err.code, EINVAL);
	assert_null(pw_series_open("/nowhere/series", &err));
	assert_int_equal(err.code, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(a_file_cut_anywhere_gives_its_whole_readouts),
		cmocka_unit_test(the_file_tells_its_tables),
		cmocka_unit_test(what_stays_the_same_takes_no_room),
		cmocka_unit_test(another_file_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
