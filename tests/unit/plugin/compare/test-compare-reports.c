// SPDX-License-Identifier: GPL-2.0-only
/* What differs and what is noise, of reports made by a seeded generator whose
 * truth is known. */
#include <perfwasm/compare.h>

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define N_BLOCKS 50
#define BLOCK_NS 200000000ull

/* --- made-up captures ------------------------------------------------------------ */

struct world {
	struct pw_rng rng;
	int n_tasks;
	double (*rate)(int task); /* of a CPU */
	double noise, memory;     /* of a block; from block to block */
	double run_noise;         /* of a whole run */
	bool is_cut;
};

static double normal(struct pw_rng *rng)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)pw_rng_below(rng, 1u << 30) / (1u << 30);
	return sum;
}

static double falling(int task)
{
	return 1.0 / (1 + task);
}

/* Nanoseconds of a task in each block; gives their sum. */
static double draw(struct world *w, double rate, double *blocks)
{
	double run = 1 + w->run_noise * normal(&w->rng), last = 0, sum = 0;

	for (int b = 0; b < N_BLOCKS; b++) {
		last = w->memory * last + w->noise * normal(&w->rng);
		blocks[b] = fmax(0, rate * run * (1 + last)) * BLOCK_NS;
		sum += blocks[b];
	}
	return sum;
}

static struct pw_report *made(struct world *w)
{
	struct pw_report *r = pw_report_new("report", NULL);
	struct pw_node *t = pw_table(pw_report_root(r), "tasks", "Tasks");
	int name = pw_column(t, "task", "Task", PW_UNIT_NONE, PW_COL_KEY);
	int cpu = pw_column(t, "cpu", "On CPU", PW_UNIT_NS, 0);
	double blocks[N_BLOCKS], value;
	char text[32];

	pw_report_time(r, N_BLOCKS * BLOCK_NS, BLOCK_NS);
	pw_column_compared(t, cpu, PW_AMOUNT_TOTAL, PW_BETTER_LESS);
	if (w->is_cut)
		pw_table_cut(t);
	for (int i = 0; i < w->n_tasks; i++) {
		if (!w->rate(i))
			continue;
		value = draw(w, w->rate(i), blocks);
		snprintf(text, sizeof(text), "task%d", i);
		pw_row(t);
		pw_cell_str(t, name, text);
		pw_cell_num(t, cpu, value);
		pw_cell_blocks(t, cpu, blocks, N_BLOCKS);
	}
	return r;
}

static struct world world(uint64_t seed)
{
	struct world w = {
		.n_tasks = 40, .rate = falling, .noise = 0.2, .memory = 0.5
	};

	pw_rng_init(&w.rng, seed);
	return w;
}

/* --- comparing ---------------------------------------------------------------------- */

struct result {
	uint32_t n;
	int ret;
	char *json;
};

/* n runs on each side; frees the reports. */
static struct result compare(struct pw_report **a, struct pw_report **b,
			     uint32_t n, const struct pw_compare_opts *o)
{
	struct pw_compare_side sides[] = {
		{ "old", (const struct pw_report *const *)a, n },
		{ "new", (const struct pw_report *const *)b, n },
	};
	struct pw_report *to = pw_report_new("compare", NULL);
	struct result r = { 0 };
	struct pw_err err;
	size_t size;
	FILE *f;

	r.ret = pw_compare(sides, 2, o, to, &r.n, &err);
	f = open_memstream(&r.json, &size);
	pw_render_json(to, f);
	fclose(f);
	pw_report_free(to);
	for (uint32_t i = 0; i < n; i++) {
		pw_report_free(a[i]);
		pw_report_free(b[i]);
	}
	return r;
}

static struct result compare_two(struct world *a, struct world *b,
				 const struct pw_compare_opts *o)
{
	struct pw_report *x = made(a), *y = made(b);

	return compare(&x, &y, 1, o);
}

/* The first row of the table of differences. */
static const char *first_of(const struct result *r)
{
	static char line[512];
	const char *at = strstr(r->json, "\"differences\"");

	assert_non_null(at);
	at = strstr(at, "\"what\":\"");
	assert_non_null(at);
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(at, "\n"), at);
	return line;
}

static void expect_first(struct result r, const char *what, const char *verdict)
{
	assert_true(r.n >= 1);
	assert_non_null(strstr(first_of(&r), what));
	assert_non_null(strstr(first_of(&r), verdict));
	free(r.json);
}

static void expect_nothing(struct result r)
{
	assert_int_equal(r.ret, 0);
	assert_int_equal(r.n, 0);
	assert_non_null(strstr(r.json, "\"nothing\": \"Nothing differs"));
	free(r.json);
}

/* Neither this nor that. */
static void expect_unknown(struct result r)
{
	assert_int_equal(r.ret, 0);
	assert_int_equal(r.n, 0);
	assert_non_null(strstr(r.json, "can be told from noise: the runs are"));
	free(r.json);
}

/* --- tests ----------------------------------------------------------------------------- */

/* Pairs of 200 in which anything is called different. */
static int false_pairs(const struct pw_compare_opts *o, double noise,
		       double memory)
{
	int n = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct world a = world(seed), b = world(seed + 1000);
		struct result r;

		a.noise = b.noise = noise;
		a.memory = b.memory = memory;
		r = compare_two(&a, &b, o);
		n += r.n > 0;
		free(r.json);
	}
	return n;
}

static void of_200_pairs_of_the_same_few_differ(void **state)
{
	/* no margin: the statistics alone must hold */
	const struct pw_compare_opts bare = { .level = 0.95 };
	const struct pw_compare_opts plain = { .min_share = -1,
					       .min_change = -1 };

	(void)state;
	assert_true(false_pairs(&bare, 0.2, 0) <= 14);
	assert_true(false_pairs(&bare, 0.2, 0.5) <= 20);
	assert_true(false_pairs(&plain, 0.2, 0.5) <= 3);
	assert_true(false_pairs(&plain, 0.5, 0.7) <= 3);
}

static double one_more(int task)
{
	return task == 17 ? 0.9 : falling(task);
}

static double slowed(int task)
{
	return falling(task) / 2;
}

static double slowed_one_more(int task)
{
	return one_more(task) / 2;
}

static double one_less(int task)
{
	return task == 0 ? 0.5 : falling(task);
}

static double one_gone(int task)
{
	return task == 1 ? 0 : falling(task);
}

static void a_planted_difference_is_first(void **state)
{
	struct world a = world(1), b = world(2);

	(void)state;
	b.rate = one_more;
	expect_first(compare_two(&a, &b, NULL), "task17", "worse");
	a = world(3);
	b = world(4);
	b.rate = one_less;
	expect_first(compare_two(&a, &b, NULL), "task0", "better");
}

static void a_row_on_one_side_is_said(void **state)
{
	struct world a = world(5), b = world(6);
	struct result r;

	(void)state;
	b.rate = one_gone;
	r = compare_two(&a, &b, NULL);
	assert_non_null(strstr(first_of(&r), "only in old"));
	expect_first(r, "task1\"", "better");
	/* but not where rows were left out: it may be there */
	a = world(5);
	b = world(6);
	b.rate = one_gone;
	b.is_cut = true;
	r = compare_two(&a, &b, NULL);
	assert_non_null(strstr(r.json, "not judged"));
	expect_nothing(r);
}

/* Runs that differ from each other by more than within themselves. */
static struct result runs(uint32_t n, double (*rate)(int), uint64_t seed)
{
	struct world w = world(seed);
	struct pw_report *a[8], *b[8];

	w.run_noise = 0.15;
	w.noise = 0.01;
	w.n_tasks = 3;
	for (uint32_t i = 0; i < n; i++) {
		a[i] = made(&w);
		w.rate = rate;
		b[i] = made(&w);
		w.rate = falling;
	}
	return compare(a, b, n, NULL);
}

static double halved(int task)
{
	return task == 0 ? 0.4 : falling(task);
}

static void repeated_runs_tell_how_runs_differ(void **state)
{
	int single = 0, repeated = 0, found = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct result r = runs(1, falling, seed);

		single += r.n > 0;
		assert_non_null(strstr(r.json, "\"few_runs\""));
		free(r.json);
		r = runs(5, falling, seed);
		repeated += r.n > 0;
		assert_null(strstr(r.json, "\"few_runs\""));
		free(r.json);
		r = runs(8, halved, seed);
		found += r.n > 0;
		free(r.json);
	}
	assert_true(single > 20);
	assert_true(repeated <= 2);
	assert_true(found >= 36);
}

/* --- other shapes ------------------------------------------------------------------------- */

/* A level and a total without blocks; and zero, and what is no number. */
static struct pw_report *odd(double level, double total, const char *kind)
{
	struct pw_report *r = pw_report_new(kind, NULL);
	struct pw_node *root = pw_report_root(r);
	struct pw_node *t = pw_table(root, "odd", NULL);
	int name = pw_column(t, "name", "Name", PW_UNIT_NONE, PW_COL_KEY);
	int dir = pw_column(t, "dir", "Dir", PW_UNIT_NONE, PW_COL_KEY);
	int lat = pw_column(t, "p99", "p99", PW_UNIT_MS, 0);
	int n = pw_column(t, "n", "N", PW_UNIT_COUNT, 0);

	pw_column_compared(t, lat, PW_AMOUNT_LEVEL, PW_BETTER_LESS);
	pw_column_compared(t, n, PW_AMOUNT_TOTAL, PW_BETTER_MORE);
	for (int i = 0; i < 2; i++) {
		pw_row(t);
		pw_cell_str(t, name, "<x>");
		pw_cell_str(t, dir, i ? "/b" : "/a");
		pw_cell_num(t, lat, level);
		pw_cell_num(t, n, total);
	}
	pw_fact_str(root, "kernel", "Kernel", kind[0] == 'r' ? "6.1" : "6.2");
	pw_fact_compared(root, PW_AMOUNT_NONE, PW_BETTER_NEITHER);
	pw_fact_num(root, "duration", "Duration", total, PW_UNIT_MS);
	pw_fact_compared(root, PW_AMOUNT_LEVEL, PW_BETTER_LESS);
	return r;
}

static struct result odd_runs(const double (*a)[2], const double (*b)[2],
			      uint32_t n, const struct pw_compare_opts *o)
{
	struct pw_report *x[8], *y[8];

	for (uint32_t i = 0; i < n; i++) {
		x[i] = odd(a[i][0], a[i][1], "r");
		y[i] = odd(b[i][0], b[i][1], "r");
	}
	return compare(x, y, n, o);
}

static void runs_of_other_lengths_may_have_done_the_same(void **state)
{
	static const uint64_t length[] = { 1, 2 };
	static const enum pw_compare_per per[] = { PW_PER_SECOND, PW_PER_RUN };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct world w = world(7);
		struct pw_report *a = made(&w), *b = made(&w);
		const struct pw_compare_opts o = { .per = per[i / 2] };
		struct result r;

		pw_report_time(b, length[!(i % 2)] * N_BLOCKS * BLOCK_NS,
			       BLOCK_NS);
		r = compare(&a, &b, 1, &o);
		assert_int_equal(!!strstr(r.json, "\"times_differ\""), i == 0);
		free(r.json);
	}
}

static void without_blocks_only_runs_tell(void **state)
{
	static const double a[][2] = {
		{ 1, 10 }, { 1.1, 10 }, { 1, 11 }, { 1.05, 10 }, { 1, 10 }
	};
	static const double b[][2] = {
		{ 9, 10 }, { 9.1, 11 }, { 9, 10 }, { 9.3, 11 }, { 9, 10 }
	};
	struct result r = odd_runs(a, b, 1, NULL);

	(void)state;
	assert_non_null(strstr(r.json, "not judged"));
	expect_unknown(r);
	expect_first(odd_runs(a, b, 5, NULL), "<x>", "worse");
	expect_first(odd_runs(b, a, 5, NULL), "<x>", "better");
}

static void zero_and_no_number_do_no_harm(void **state)
{
	static const double a[][2] = { { 0, 0 }, { 0, 0 }, { 0, 0 } };
	static const double b[][2] = { { NAN, 0 }, { INFINITY, 0 }, { 1, -1 } };

	(void)state;
	expect_nothing(odd_runs(a, a, 3, NULL));
	free(odd_runs(a, b, 3, NULL).json);
	free(odd_runs(b, b, 1, NULL).json);
}

static void ignored_keys_are_added_up(void **state)
{
	static const char *const dir[] = { "dir", NULL };
	const struct pw_compare_opts o = { .ignore = dir };
	static const double a[][2] = { { 1, 10 } };
	struct result r = odd_runs(a, a, 1, &o);

	(void)state;
	assert_non_null(strstr(r.json, "\"side_1\":20.0,\"side_2\":20.0"));
	assert_null(strstr(r.json, "\"/a\""));
	free(r.json);
}

/* A run that got half of the CPU does the same in each half. */
static void shares_do_not_mind_who_else_ran(void **state)
{
	const struct pw_compare_opts whole = { .min_share = -1,
					       .min_change = -1,
					       .per = PW_PER_WHOLE };
	struct world a = world(7), b = world(8);
	struct result r;

	(void)state;
	b.rate = slowed;
	r = compare_two(&a, &b, NULL);
	assert_true(r.n > 1);
	free(r.json);
	a = world(7);
	b = world(8);
	b.rate = slowed;
	expect_nothing(compare_two(&a, &b, &whole));
	a = world(7);
	b = world(8);
	b.rate = slowed_one_more;
	expect_first(compare_two(&a, &b, &whole), "task17", "worse");
}

static void other_kinds_are_refused(void **state)
{
	struct pw_report *a = odd(1, 1, "r"), *b = odd(1, 1, "s");
	struct result r = compare(&a, &b, 1, NULL);

	(void)state;
	assert_int_equal(r.ret, -EINVAL);
	free(r.json);
	a = pw_report_new("r", NULL);
	b = pw_report_new("r", NULL);
	r = compare(&a, &b, 1, NULL);
	assert_int_equal(r.ret, -EINVAL);
	free(r.json);
}

/* The third side against the first, too; other machines are told. */
static void sides_are_compared_with_the_first(void **state)
{
	struct world w[3] = { world(1), world(2), world(3) };
	struct pw_report *r[3], *to = pw_report_new("compare", NULL);
	struct pw_compare_side sides[3];
	uint32_t n;
	struct pw_err err;
	char *json;
	size_t size;
	FILE *f;

	(void)state;
	w[2].rate = one_more;
	for (int i = 0; i < 3; i++) {
		r[i] = made(&w[i]);
		pw_fact_str(pw_report_root(r[i]), "host", "Machine",
			    i == 2 ? "b" : "a");
		pw_fact_compared(pw_report_root(r[i]), PW_AMOUNT_NONE,
				 PW_BETTER_NEITHER);
		sides[i] = (struct pw_compare_side){
			i == 0   ? "A"
			: i == 1 ? "B"
				 : "C",
			(const struct pw_report *const *)&r[i], 1
		};
	}
	assert_int_equal(pw_compare(sides, 3, NULL, to, &n, &err), 0);
	assert_int_equal(n, 1);
	f = open_memstream(&json, &size);
	pw_render_json(to, f);
	fclose(f);
	assert_non_null(strstr(json, "\"side\":\"C\""));
	assert_non_null(strstr(json, "{\"what\":\"Machine\",\"side_1\":\"a\","
				     "\"side_2\":\"a\",\"side_3\":\"b\"}"));
	free(json);
	pw_report_free(to);
	for (int i = 0; i < 3; i++)
		pw_report_free(r[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_200_pairs_of_the_same_few_differ),
		cmocka_unit_test(a_planted_difference_is_first),
		cmocka_unit_test(a_row_on_one_side_is_said),
		cmocka_unit_test(repeated_runs_tell_how_runs_differ),
		cmocka_unit_test(runs_of_other_lengths_may_have_done_the_same),
		cmocka_unit_test(without_blocks_only_runs_tell),
		cmocka_unit_test(zero_and_no_number_do_no_harm),
		cmocka_unit_test(ignored_keys_are_added_up),
		cmocka_unit_test(shares_do_not_mind_who_else_ran),
		cmocka_unit_test(other_kinds_are_refused),
		cmocka_unit_test(sides_are_compared_with_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
