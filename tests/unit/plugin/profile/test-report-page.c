// SPDX-License-Identifier: GPL-2.0-only
/* What only the page has of a profile: bins of time that grow wider, the
 * flame graph cut to what can be drawn, listings that text leaves out. */
#include "profile-fixture.h"

#include "../../../../plugin/profile/time-bins.h"

#include <jansson.h>

static json_t *report(struct fixture *f, const struct pw_profile_report_opts *o)
{
	struct pw_report *r = pw_report_new("report", NULL);
	struct pw_err err;
	json_t *json;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(pw_profile_report(f->p, o, r, &err), 0);
	assert_int_equal(pw_render_json(r, out), 0);
	fclose(out);
	pw_report_free(r);
	json = json_loads(text, 0, NULL);
	assert_non_null(json);
	free(text);
	return json;
}

static json_t *rows_of(json_t *report, const char *table)
{
	return json_object_get(json_object_get(report, table), "rows");
}

static int64_t number(json_t *row, const char *key)
{
	return json_integer_value(json_object_get(row, key));
}

static const char *word(json_t *row, const char *key)
{
	return json_string_value(json_object_get(row, key));
}

static void bins_grow_wider_and_lose_nothing(void **state)
{
	struct time_bins *b = pw_zalloc(sizeof(*b));
	uint64_t sum = 0, off = 0;
	uint32_t i;

	(void)state;
	for (i = 0; i < 1000; i++)
		bins_sample(b, i % 3, PW_PLACE_WASM, 5000000 + i * 1000000ull,
			    1);
	assert_int_equal(bins_width_ns(b), 4u << 20);
	assert_int_equal(b->axis.start_ns, 5000000);
	assert_int_equal(b->n, 239);
	bins_off(b, PW_OFF_SLEEPING, 0, 5000000); /* before all */
	bins_off(b, PW_OFF_SLEEPING, 6000000, 16000001);
	assert_int_equal(b->off_ns[PW_OFF_SLEEPING][0], (4u << 20) - 1000000);
	assert_int_equal(b->off_ns[PW_OFF_SLEEPING][1], 4u << 20);
	assert_int_equal(b->off_ns[PW_OFF_SLEEPING][2], 11000001 - (8u << 20));
	bins_off(b, PW_OFF_BLOCKED, 1000000000, 5000000000);
	assert_int_equal(bins_width_ns(b), 32u << 20);
	for (i = 0; i < b->n; i++) {
		sum += b->all.kinds[PW_PLACE_WASM][i];
		off += b->off_ns[PW_OFF_BLOCKED][i];
	}
	assert_int_equal(sum, 1000);
	assert_int_equal(off, 4000000000u);
	bins_free(b);
}

static void tasks_beyond_the_bound_are_in_the_whole(void **state)
{
	struct time_bins *b = pw_zalloc(sizeof(*b));
	uint32_t i, kept = 0;

	(void)state;
	for (i = 0; i < BINS_TASKS + 50; i++)
		bins_sample(b, i, PW_PLACE_KERNEL, 7, 2);
	for (i = 0; i < b->n_tasks; i++)
		kept += b->tasks[i] != NULL;
	assert_int_equal(kept, BINS_TASKS);
	assert_int_equal(b->all.kinds[PW_PLACE_KERNEL][0],
			 2 * (BINS_TASKS + 50));
	bins_free(b);
}

static void the_time_line_has_a_line_for_each_kind(void **state)
{
	const struct pw_profile_opts po = { .time_line = true };
	const struct pw_profile_report_opts o = { .page = true };
	struct fixture f;
	json_t *r, *rows;

	(void)state;
	begin_with(&f, &po);
	push(&f, 7, 10, 0x7004);
	push(&f, 7, 10000010, 0x7000);
	push(&f, 7, 10000020, 0x7000);
	push(&f, 8, 10000020, 0x1000);
	r = report(&f, &o);
	rows = rows_of(r, "time_line");
	assert_int_equal(json_array_size(rows), 20); /* 10 bins, 2 kinds */
	assert_int_equal(number(json_array_get(rows, 0), "samples"), 1);
	assert_int_equal(number(json_array_get(rows, 1), "samples"), 0);
	assert_int_equal(number(json_array_get(rows, 9), "samples"), 2);
	assert_int_equal(number(json_array_get(rows, 9), "time"), 9 << 20);
	assert_string_equal(word(json_array_get(rows, 9), "kind"), "wasm");
	rows = rows_of(r, "task_line");
	assert_int_equal(json_array_size(rows), 3);
	assert_string_equal(word(json_array_get(rows, 2), "task"), "other 8");
	assert_null(json_object_get(r, "off_line"));
	json_decref(r);
	end(&f);
}

/* n callees of "add", the i-th with i + 1 samples. */
static void push_callees(struct fixture *f, uint32_t n)
{
	uint32_t i, k;

	for (i = 0; i < n; i++) {
		char comm[16];
		struct pw_push s = sample(f, 7, 10 + i, 0x7004);

		snprintf(comm, sizeof(comm), "t%u", i);
		s.tid = 100 + i;
		s.comm = comm;
		for (k = 0; k <= i % 5; k++)
			pw_profile_push(f->p, &s);
	}
}

static void the_flame_graph_is_cut_and_keeps_the_sum(void **state)
{
	const struct pw_profile_report_opts o = { .page = true };
	struct fixture f;
	json_t *r, *rows, *row;
	int64_t sum = 0;
	size_t i, n_others = 0;

	(void)state;
	begin(&f);
	push_callees(&f, 4000); /* 8,000 nodes */
	r = report(&f, &o);
	rows = rows_of(r, "flame");
	assert_in_range(json_array_size(rows), 100, 3000 + 1);
	assert_string_equal(word(json_array_get(rows, 0), "frame"), "all");
	assert_int_equal(number(json_array_get(rows, 0), "parent"), -1);
	json_array_foreach (rows, i, row) {
		sum += number(row, "self");
		n_others += !strcmp(word(row, "frame"), "[others]");
		assert_true(number(row, "parent") < (int64_t)i);
	}
	assert_int_equal(sum, 4000 * 3 * 100);
	assert_int_equal(n_others, 1);
	json_decref(r);
	end(&f);
}

static void text_has_no_more_than_without_a_page(void **state)
{
	const struct pw_profile_report_opts o = { .max_rows = 2, .page = true };
	struct pw_render_opts t = { .width = 200 };
	struct pw_report *r = pw_report_new("report", NULL);
	struct fixture f;
	struct pw_err err;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	begin(&f);
	push(&f, 7, 10, 0x7004);
	push(&f, 7, 10, 0x7004);
	push(&f, 7, 11, 0x8004);
	push(&f, 7, 11, 0x8004);
	push(&f, 7, 12, 0x9004);
	assert_int_equal(pw_profile_report(f.p, &o, r, &err), 0);
	assert_int_equal(pw_render_text(r, &t, out), 0);
	fclose(out);
	assert_non_null(strstr(text, "40.0 %        2  add"));
	assert_non_null(strstr(text, "40.0 %        2  mul"));
	assert_null(strstr(text, "a.js")); /* the third row */
	assert_null(strstr(text, "Hot code"));
	assert_null(strstr(text, "machine code |"));
	assert_null(strstr(text, "Call chains"));
	free(text);
	pw_report_free(r);
	end(&f);
}

static void the_page_lists_the_hottest_functions(void **state)
{
	const struct pw_profile_report_opts o = { .page = true };
	struct fixture f;
	json_t *r, *all;

	(void)state;
	begin(&f);
	push(&f, 7, 10, 0x8004);
	push(&f, 7, 11, 0x8004);
	push(&f, 7, 12, 0x7004);
	push(&f, 8, 13, 0x1000); /* no code of it is known */
	r = report(&f, &o);
	all = json_object_get(r, "annotate");
	assert_int_equal(json_array_size(all), 2);
	assert_string_equal(word(json_array_get(all, 0), "function"), "mul");
	assert_string_equal(word(json_array_get(all, 1), "function"), "add");
	json_decref(r);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bins_grow_wider_and_lose_nothing),
		cmocka_unit_test(tasks_beyond_the_bound_are_in_the_whole),
		cmocka_unit_test(the_time_line_has_a_line_for_each_kind),
		cmocka_unit_test(the_flame_graph_is_cut_and_keeps_the_sum),
		cmocka_unit_test(text_has_no_more_than_without_a_page),
		cmocka_unit_test(the_page_lists_the_hottest_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
