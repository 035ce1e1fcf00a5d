// SPDX-License-Identifier: GPL-2.0-only
/* Processes and threads, which come, sleep, take other names and end. */
#include "machine-tree.h"

#include <errno.h>

struct task {
	int pid;
	const char *name;
	int ticks, faults, threads;
	int run; /* how often it ran: its schedstat changes with it */
	int start;
	char state;
};

static void put_files(const struct tree *t, const char *dir,
		      const struct task *k)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/stat", dir);
	tree_printf(
		t, path,
		"%d (%s) %c 1 1 1 0 -1 4194304 %d 0 2 0 %d 3 0 0 20 0 %d 0 %d 4096000 100 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 5 0 0 0\n",
		k->pid, k->name, k->state ?: 'S', k->faults, k->ticks,
		k->threads ?: 1, k->start ?: 77);
	snprintf(path, sizeof(path), "%s/schedstat", dir);
	tree_printf(t, path, "%d %d %d\n", 1000 * k->run, 10 * k->run, k->run);
	snprintf(path, sizeof(path), "%s/io", dir);
	tree_printf(
		t, path,
		"rchar: 1\nwchar: %d\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: %d\ncancelled_write_bytes: 0\n",
		k->run, 4096 * k->run);
	snprintf(path, sizeof(path), "%s/comm", dir);
	tree_printf(t, path, "%s\n", k->name);
}

static void put(const struct tree *t, struct task k)
{
	char dir[32];

	snprintf(dir, sizeof(dir), "proc/%d", k.pid);
	put_files(t, dir, &k);
}

static void put_thread(const struct tree *t, int pid, struct task k)
{
	char dir[48];

	snprintf(dir, sizeof(dir), "proc/%d/task/%d", pid, k.pid);
	put_files(t, dir, &k);
}

/* Processes are read every two seconds. */
static void two_ticks(struct tree *t)
{
	tree_tick(t);
	tree_tick(t);
}

static void a_process_is_all_that_it_tells(void **state)
{
	struct tree t;

	(void)state;
	tree_make(&t);
	put(&t, (struct task){ 5, "node", .ticks = 10, .faults = 7, .run = 1 });
	tree_open(&t);
	two_ticks(&t);
	put(&t, (struct task){ 5, "node", .ticks = 60, .faults = 9, .run = 4 });
	two_ticks(&t);
	tree_end(&t);
	assert_float_equal(tree_total(&t, "process", "user", "5 node"), 50e7,
			   1);
	assert_float_equal(tree_total(&t, "process", "minor_faults", "5 node"),
			   2, 1e-9);
	assert_float_equal(tree_total(&t, "process_sched", "run", "5 node"),
			   3000, 1e-9);
	assert_float_equal(tree_total(&t, "process_io", "write_bytes",
				      "5 node"),
			   3 * 4096, 1e-9);
	assert_float_equal(tree_find(&t, "tasks", "processes", "")->last, 1,
			   1e-9);
	tree_release(&t);
}

/* That is what makes many processes cheap. */
static void a_process_that_did_not_run_is_not_read(void **state)
{
	struct tree t;

	(void)state;
	tree_make(&t);
	put(&t, (struct task){ 5, "idle", .ticks = 10, .run = 1 });
	put(&t,
	    (struct task){ 6, "many", .ticks = 10, .run = 1, .threads = 2 });
	tree_open(&t);
	two_ticks(&t);
	put(&t, (struct task){ 5, "idle", .ticks = 99, .run = 1 });
	put(&t,
	    (struct task){ 6, "many", .ticks = 99, .run = 1, .threads = 2 });
	two_ticks(&t);
	tree_end(&t);
	assert_float_equal(tree_total(&t, "process", "user", "5 idle"), 0,
			   1e-9);
	/* its schedstat is of its first thread alone */
	assert_float_equal(tree_total(&t, "process", "user", "6 many"), 89e7,
			   1);
	assert_false(tree_has(&t, "process_sched", "run", "6 many"));
	assert_float_equal(tree_find(&t, "tasks", "threads", "")->last, 3,
			   1e-9);
	tree_release(&t);
}

/* Ticks that the CPUs worked, and births. */
static void put_stat(const struct tree *t, int busy, int births)
{
	tree_printf(t, "proc/stat", "cpu %d 2 3 4\nprocesses %d\n", busy,
		    births);
}

static double n_processes(struct tree *t)
{
	tree_end(t);
	return tree_find(t, "tasks", "processes", "")->last;
}

/* The directory of all is read only when the kernel counted a birth, or tells
 * of none. */
static void who_is_new_is_looked_for_after_a_birth(void **state)
{
	static const struct {
		int births; /* 0: it does not tell */
		double found;
	} cases[] = { { 10, 1 }, { 11, 2 }, { 0, 2 } };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct tree t;

		tree_make(&t);
		if (cases[i].births)
			put_stat(&t, 1, 10);
		put(&t, (struct task){ 5, "old", .run = 1 });
		tree_open(&t);
		two_ticks(&t);
		put(&t, (struct task){ 7, "new", .run = 1 });
		if (cases[i].births)
			put_stat(&t, 900, cases[i].births);
		two_ticks(&t);
		assert_float_equal(n_processes(&t), cases[i].found, 1e-9);
		tree_release(&t);
	}
}

/* As one does of another user, where those are hidden, when it becomes ours:
 * nobody was born. */
static void who_comes_into_sight_is_found_within_a_minute(void **state)
{
	struct tree t;

	(void)state;
	for (int seconds = 50; seconds <= 64; seconds += 14) {
		tree_make(&t);
		put_stat(&t, 1, 10);
		put(&t, (struct task){ 5, "old", .run = 1 });
		tree_open(&t);
		two_ticks(&t);
		put(&t, (struct task){ 7, "hidden", .run = 1 });
		for (int i = 2; i < seconds; i++) {
			put_stat(&t, 100 * i, 10);
			tree_tick(&t);
		}
		assert_float_equal(n_processes(&t), seconds < 60 ? 1 : 2, 1e-9);
		tree_release(&t);
	}
}

/* And who can't be read for a moment is looked for again. */
static void who_is_gone_is_missed_without_a_birth(void **state)
{
	struct task back = { 6, "back", .run = 1 };
	struct tree t;

	(void)state;
	for (int again = 0; again < 2; again++) {
		tree_make(&t);
		put_stat(&t, 1, 10);
		put(&t, (struct task){ 5, "old", .run = 1 });
		put(&t, back);
		tree_open(&t);
		two_ticks(&t);
		put_stat(&t, 900, 10);
		/* a kernel would say ESRCH of the open file */
		tree_put(&t, "proc/6/schedstat", "");
		tree_remove(&t, "proc/6");
		two_ticks(&t);
		if (again) {
			put(&t, back);
			put_stat(&t, 1800, 10);
			two_ticks(&t);
		}
		assert_float_equal(n_processes(&t), 1 + again, 1e-9);
		tree_release(&t);
	}
}

/* Twelve ticks, at each of which the CPUs worked for so many ms more; then the
 * last reading, in the midst of an interval. */
static uint64_t reads_while_busy(int ms, int blocked)
{
	struct tree t;
	uint64_t n;

	tree_make(&t);
	put(&t, (struct task){ 5, "node", .run = 1 });
	for (int i = 0; i < 12; i++) {
		tree_printf(&t, "proc/stat",
			    "cpu %d 0 0 0\nprocesses 10\nprocs_blocked %d\n",
			    100 + i * ms / 10, blocked);
		if (!i)
			tree_open(&t);
		tree_tick(&t);
	}
	t.now_ns -= SECOND / 4;
	assert_int_equal(pw_system_last(t.s, NULL), 0);
	tree_end(&t);
	n = tree_source(&t, "process").reads;
	tree_release(&t);
	return n;
}

static void processes_of_an_idle_machine_are_read_less_often(void **state)
{
	(void)state;
	assert_int_equal(reads_while_busy(200, 0), 7);
	assert_int_equal(reads_while_busy(50, 0), 3);
	/* it waits for a disk, and that is of interest */
	assert_int_equal(reads_while_busy(50, 1), 7);
}

static void put_threads(const struct tree *t, int run_a, int run_b)
{
	put_thread(t, 6, (struct task){ 6, "many", .run = run_a });
	if (run_b)
		put_thread(t, 6, (struct task){ 7, "many", .run = run_b });
	else
		tree_remove(t, "proc/6/task/7");
	put(t, (struct task){ 6, "many", .ticks = run_a + run_b, .run = run_a,
			      .threads = 1 + (run_b > 0) });
}

/* A thread is over: what it had was the process's all the same. */
static void threads_of_a_process_count_together(void **state)
{
	struct tree t;

	(void)state;
	tree_make(&t);
	put_threads(&t, 10, 100);
	tree_open(&t);
	two_ticks(&t);
	put_threads(&t, 12, 150);
	two_ticks(&t);
	put_threads(&t, 13, 0);
	two_ticks(&t);
	put_threads(&t, 15, 4);
	two_ticks(&t);
	tree_end(&t);
	assert_float_equal(tree_total(&t, "process_sched", "run", "6 many"),
			   1000 * (2 + 50 + 1 + 2 + 4), 1e-6);
	assert_float_equal(tree_total(&t, "process_sched", "slices", "6 many"),
			   2 + 50 + 1 + 2 + 4, 1e-6);
	tree_release(&t);
}

static void a_process_that_starts_counts_whole(void **state)
{
	struct tree t;

	(void)state;
	tree_make(&t);
	put(&t, (struct task){ 5, "old", .ticks = 1000, .run = 1 });
	tree_open(&t);
	two_ticks(&t);
	put(&t, (struct task){ 8, "new", .ticks = 40, .run = 2 });
	two_ticks(&t);
	tree_remove(&t, "proc/8");
	two_ticks(&t);
	tree_end(&t);
	assert_float_equal(tree_total(&t, "process", "user", "8 new"), 40e7, 1);
	assert_float_equal(tree_total(&t, "process", "user", "5 old"), 0, 1e-9);
	assert_float_equal(tree_find(&t, "tasks", "processes", "")->last, 1,
			   1e-9);
	tree_release(&t);
}

/* A kernel's worker takes another name as a file of a ring begins, and its
 * first one again later. */
static void a_name_that_ends_as_a_file_begins_is_not_in_it(void **state)
{
	static const char *const names[] = { "work-a", "work-b", "work-a",
					     "work-a" };
	struct tree t;
	char ring[64];

	(void)state;
	tree_make(&t);
	snprintf(ring, sizeof(ring), "%s/ring", t.root);
	tree_open(&t);
	for (int i = 0; i < 4; i++) {
		put(&t, (struct task){ 5, names[i], .ticks = 1000 + i,
				       .run = i + 1 });
		if (i == 1)
			assert_int_equal(pw_system_rotate(t.s, ring, NULL), 0);
		two_ticks(&t);
	}
	tree_end(&t);
	assert_int_equal(pw_series_join(t.series, (const char *[]){ ring }, 1,
					NULL),
			 0);
	for (int i = 0; i < 2; i++) {
		tree_read(&t, i ? t.series : ring);
		assert_float_equal(tree_total(&t, "process", "user",
					      "5 work-a"),
				   1e7, 1);
		assert_float_equal(tree_find(&t, "process", "threads",
					     "5 work-a")
					   ->min,
				   1, 1e-9);
	}
	tree_release(&t);
}

/* Another program in the same process (exec), and another process under the
 * same number. */
static void a_number_may_be_anothers(void **state)
{
	struct tree t;

	(void)state;
	tree_make(&t);
	put(&t, (struct task){ 5, "sh", .ticks = 100, .run = 1 });
	put(&t, (struct task){ 6, "a", .ticks = 500, .run = 1 });
	tree_open(&t);
	two_ticks(&t);
	put(&t, (struct task){ 5, "node", .ticks = 103, .run = 2 });
	tree_remove(&t, "proc/6");
	put(&t, (struct task){ 6, "a", .ticks = 2, .run = 9, .start = 99 });
	two_ticks(&t);
	put(&t, (struct task){ 5, "node", .ticks = 113, .run = 3 });
	two_ticks(&t);
	tree_end(&t);
	assert_float_equal(tree_total(&t, "process", "user", "5 node"), 10e7,
			   1);
	assert_in_range((uint64_t)tree_total(&t, "process", "user", "6 a"), 0,
			2e7);
	tree_release(&t);
}

static void hostile_names_stay_names(void **state)
{
	struct tree t;

	(void)state;
	tree_make(&t);
	put(&t, (struct task){ 5, "x) R 1 (\n<b>", .ticks = 1, .run = 1 });
	tree_open(&t);
	two_ticks(&t);
	tree_end(&t);
	assert_float_equal(tree_find(&t, "process", "threads", "5 x) R 1 (?<b>")
				   ->last,
			   1, 1e-9);
	tree_release(&t);
}

static void chosen_threads_are_read_at_every_tick(void **state)
{
	static const char *const tasks[] = { "no*", "9", NULL };
	struct tree t;
	struct pw_system_opts o;
	const struct pw_metric *x;

	(void)state;
	tree_make(&t);
	put(&t, (struct task){ 5, "node", .run = 1 });
	put(&t, (struct task){ 7, "other", .run = 1 });
	put(&t, (struct task){ 9, "by-number", .run = 1 });
	put_thread(&t, 5, (struct task){ 5, "node", .run = 1 });
	put_thread(&t, 5, (struct task){ 6, "worker", .run = 1 });
	put_thread(&t, 7, (struct task){ 7, "other", .run = 1 });
	put_thread(&t, 9, (struct task){ 9, "by-number", .run = 1 });
	o = tree_opts(&t);
	o.tasks = tasks;
	o.interval_ns = SECOND / 10;
	t.s = pw_system_open(&o, NULL);
	assert_non_null(t.s);
	for (int i = 0; i < 20; i++) {
		put_thread(&t, 5,
			   (struct task){ 6, "worker", .run = 1 + i,
					  .ticks = i });
		assert_int_equal(pw_system_tick(t.s, NULL), 0);
		t.now_ns += SECOND / 10;
	}
	tree_end(&t);
	x = tree_find(&t, "thread", "run", "5/6 worker");
	assert_int_equal(x->n, 20);
	assert_float_equal(x->total, 19000, 1e-9);
	assert_true(tree_has(&t, "thread", "wait", "5/5 node"));
	assert_true(tree_has(&t, "thread", "wait", "9/9 by-number"));
	assert_false(tree_has(&t, "thread", "wait", "7/7 other"));
	tree_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_is_all_that_it_tells),
		cmocka_unit_test(a_process_that_did_not_run_is_not_read),
		cmocka_unit_test(who_is_new_is_looked_for_after_a_birth),
		cmocka_unit_test(who_comes_into_sight_is_found_within_a_minute),
		cmocka_unit_test(who_is_gone_is_missed_without_a_birth),
		cmocka_unit_test(
			processes_of_an_idle_machine_are_read_less_often),
		cmocka_unit_test(threads_of_a_process_count_together),
		cmocka_unit_test(a_process_that_starts_counts_whole),
		cmocka_unit_test(
			a_name_that_ends_as_a_file_begins_is_not_in_it),
		cmocka_unit_test(a_number_may_be_anothers),
		cmocka_unit_test(hostile_names_stay_names),
		cmocka_unit_test(chosen_threads_are_read_at_every_tick),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
