// SPDX-License-Identifier: GPL-2.0-only
/* Series that follow each other become one, as if it had never been cut. */
#include <perfwasm/series.h>

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const struct pw_series_column columns[] = { { "run", "ns+" },
						   { "level", "bytes" } };
static const struct pw_series_table tables[] = { { "task", columns, 2 },
						 { "cpu", columns, 1 } };

struct place {
	char dir[32];
	char *a, *b, *to;
};

static void place_init(struct place *p)
{
	strcpy(p->dir, "/tmp/pw-join-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	p->a = pw_asprintf("%s/a", p->dir);
	p->b = pw_asprintf("%s/b", p->dir);
	p->to = pw_asprintf("%s/to", p->dir);
}

static void place_release(struct place *p)
{
	assert_int_equal(pw_remove_tree(p->dir, NULL), 0);
	free(p->a);
	free(p->b);
	free(p->to);
}

static struct pw_series_out *create(const char *path)
{
	struct pw_series_out *s = pw_series_create(path, tables, 2, NULL);

	assert_non_null(s);
	return s;
}

static void row(struct pw_series_out *s, uint64_t key, uint64_t run,
		uint64_t level)
{
	uint64_t values[] = { run, level };

	pw_series_row(s, 0, key, values);
}

static void name(struct pw_series_out *s, uint64_t key, const char *text)
{
	pw_series_text(s, 0, key, "instance", text);
}

static void end(struct pw_series_out *s)
{
	assert_int_equal(pw_series_end(s, NULL), 0);
}

/* Tasks 1, 2, 3 and 4; then 1 goes on, 2 has ended, 3 has become all zero, and
 * 5 is new. */
static void write_two(const struct place *p)
{
	struct pw_series_out *s = create(p->a);

	pw_series_begin(s, 100);
	for (uint64_t key = 1; key < 5; key++) {
		row(s, key, 10 * key, 7);
		name(s, key, "old");
	}
	end(s);
	pw_series_begin(s, 200);
	row(s, 1, 15, 8);
	pw_series_drop(s, 0, 4);
	end(s);
	assert_int_equal(pw_series_finish(s, NULL), 0);

	s = create(p->b);
	pw_series_begin(s, 300);
	row(s, 1, 20, 8);
	name(s, 1, "old");
	row(s, 3, 0, 0);
	name(s, 3, "old");
	row(s, 5, 1, 1);
	name(s, 5, "new");
	end(s);
	pw_series_begin(s, 400);
	row(s, 5, 2, 1);
	end(s);
	assert_int_equal(pw_series_finish(s, NULL), 0);
}

/* "TIME:KIND key run/change level;" of all items. */
static char *print(const char *path, bool *cut)
{
	struct pw_series *s = pw_series_open(path, NULL);
	struct pw_series_item it;
	struct pw_buf out = { 0 };
	char *text;
	int ret;

	assert_non_null(s);
	while ((ret = pw_series_next(s, &it, NULL)) > 0) {
		if (it.kind == PW_SERIES_READOUT)
			pw_buf_printf(&out, "%d:", (int)it.time_ns);
		else if (it.kind == PW_SERIES_ROW)
			pw_buf_printf(&out, " %d=%d/%d,%d", (int)it.key,
				      (int)it.values[0], (int)it.changes[0],
				      (int)it.values[1]);
		else if (it.kind == PW_SERIES_TEXT)
			pw_buf_printf(&out, " %d'%s'", (int)it.key, it.text);
		else if (it.kind == PW_SERIES_DROP)
			pw_buf_printf(&out, " -%d", (int)it.key);
	}
	assert_int_equal(ret, 0);
	if (cut)
		*cut = pw_series_was_cut(s);
	pw_series_close(s);
	text = pw_strdup(pw_buf_str(&out));
	pw_buf_release(&out);
	return text;
}

static void rows_go_on_end_and_begin_at_a_seam(void **state)
{
	struct place p;
	char *text;
	bool cut;

	(void)state;
	place_init(&p);
	write_two(&p);
	assert_int_equal(pw_series_join(p.to, (const char *[]){ p.a, p.b }, 2,
					NULL),
			 0);
	text = print(p.to, &cut);
	assert_string_equal(text, "100: 1=10/10,7 1'old' 2=20/20,7 2'old'"
				  " 3=30/30,7 3'old' 4=40/40,7 4'old'"
				  "200: 1=15/5,8 -4"
				  "300: 1=20/5,8 1'old' 3'old' 5=1/1,1 5'new'"
				  " -2 3=0/-30,0"
				  "400: 5=2/1,1");
	assert_false(cut);
	free(text);
	place_release(&p);
}

/* Of a row that is all zero nothing but its name is written. */
static void a_row_of_zeros_ends(void **state)
{
	struct pw_series_out *s;
	struct place p;
	char *text;

	(void)state;
	place_init(&p);
	s = create(p.a);
	pw_series_begin(s, 100);
	for (uint64_t key = 1; key < 4; key++) {
		name(s, key, "idle");
		row(s, key, 0, 0);
	}
	end(s);
	pw_series_begin(s, 200);
	pw_series_drop(s, 0, 1);
	end(s);
	assert_int_equal(pw_series_finish(s, NULL), 0);
	s = create(p.b);
	pw_series_begin(s, 300);
	name(s, 2, "idle");
	row(s, 2, 0, 0);
	end(s);
	assert_int_equal(pw_series_finish(s, NULL), 0);
	assert_int_equal(pw_series_join(p.to, (const char *[]){ p.a, p.b }, 2,
					NULL),
			 0);
	text = print(p.to, NULL);
	assert_string_equal(text, "100: 1'idle' 2'idle' 3'idle'"
				  "200: -1"
				  "300: 2'idle' -3");
	free(text);
	place_release(&p);
}

static void a_file_that_was_cut_gives_what_is_whole(void **state)
{
	struct place p;
	struct pw_file f;
	char *text;

	(void)state;
	place_init(&p);
	write_two(&p);
	assert_int_equal(pw_file_open(&f, p.b, NULL), 0);
	assert_int_equal(truncate(p.b, (off_t)f.size - 12), 0);
	pw_file_close(&f);
	assert_int_equal(pw_series_join(p.to, (const char *[]){ p.a, p.b }, 2,
					NULL),
			 0);
	text = print(p.to, NULL);
	assert_non_null(strstr(text, "300: 1=20"));
	assert_null(strstr(text, "400:"));
	free(text);
	place_release(&p);
}

/* A part of a series would be taken for all of it. */
static void assert_files(const struct place *p, int expected)
{
	DIR *dir = opendir(p->dir);
	const struct dirent *e;
	int n = 0;

	assert_non_null(dir);
	while ((e = readdir(dir)))
		n += *e->d_name != '.';
	closedir(dir);
	assert_int_equal(n, expected);
}

static void other_tables_and_no_readout_are_refused(void **state)
{
	struct pw_err err = { .msg = "" };
	struct pw_series_out *s;
	struct place p;

	(void)state;
	place_init(&p);
	write_two(&p);
	s = pw_series_create(p.b, tables, 1, NULL);
	pw_series_begin(s, 300);
	end(s);
	assert_int_equal(pw_series_finish(s, NULL), 0);
	assert_int_equal(pw_series_join(p.to, (const char *[]){ p.a, p.b }, 2,
					&err),
			 -EINVAL);
	assert_non_null(strstr(err.msg, "other tables"));
	assert_files(&p, 2);

	s = create(p.a);
	assert_int_equal(pw_series_finish(s, NULL), 0);
	assert_int_equal(pw_series_join(p.to, (const char *[]){ p.a }, 1, &err),
			 -ENODATA);
	assert_int_equal(pw_series_join(p.to, (const char *[]){ "/none" }, 1,
					&err),
			 -EINVAL);
	assert_files(&p, 2);
	place_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_go_on_end_and_begin_at_a_seam),
		cmocka_unit_test(a_row_of_zeros_ends),
		cmocka_unit_test(a_file_that_was_cut_gives_what_is_whole),
		cmocka_unit_test(other_tables_and_no_readout_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
