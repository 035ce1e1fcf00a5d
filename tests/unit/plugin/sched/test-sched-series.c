// SPDX-License-Identifier: GPL-2.0-only
/* Figures that the kernel kept become those of the report. */
#include "sched-fixture.h"

#include <perfwasm/bpf.h>

#include <unistd.h>

static char *new_path(void)
{
	char dir[] = "/tmp/pw-sched-XXXXXX";

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

static void fill_task(uint64_t task[PW_BPF_N_TASK])
{
	task[PW_BPF_TASK_TID] = 77;
	task[PW_BPF_TASK_PID] = 70;
	task[PW_BPF_TASK_FIRST] = 1000100;
	task[PW_BPF_TASK_ON_CPU] = 300000;
	task[PW_BPF_TASK_WAKING] = 50000;
	task[PW_BPF_TASK_BLOCKED] = 20000;
	task[PW_BPF_TASK_VOLUNTARY] = 4;
	task[PW_BPF_TASK_INVOLUNTARY] = 1;
	task[PW_BPF_TASK_WAKEUPS] = 4;
	task[PW_BPF_TASK_RUN_N] = 5;
	task[PW_BPF_TASK_RUN_SUM] = 290000;
	task[PW_BPF_TASK_RUN_MIN] = 100;
	task[PW_BPF_TASK_RUN_MAX] = 90000;
	task[PW_BPF_TASK_WAKE_N] = 4;
	task[PW_BPF_TASK_WAKE_SUM] = 50000;
	task[PW_BPF_TASK_WAKE_MAX] = 33000;
}

/* A task in slot 2 that ran, waited and slept; then its slot is another's. */
static void write_series(const char *path)
{
	const struct pw_series_table *tables;
	struct pw_series_out *out;
	uint64_t task[PW_BPF_N_TASK] = { 0 }, hist[PW_BPF_N_HIST] = { 0 };
	uint64_t place[PW_BPF_N_PLACE] = { 0 }, cpu[PW_BPF_N_CPU] = { 0 };
	uint64_t pair[PW_BPF_N_PAIR] = { 0 };
	uint32_t n;

	tables = pw_bpf_tables(&n);
	out = pw_series_create(path, tables, n, NULL);
	assert_non_null(out);
	pw_series_begin(out, 1000000);
	pw_series_fact(out, "kernel", "6.1");
	pw_series_end(out, NULL);

	pw_series_begin(out, 2000000);
	fill_task(task);
	pw_series_row(out, PW_BPF_TASK, 2, task);
	pw_series_text(out, PW_BPF_TASK, 2, "comm", "worker");
	hist[PW_BPF_HIST_TASK] = 2;
	hist[PW_BPF_HIST_BUCKET] = pw_bucket_of(90000) / 16 * 16;
	hist[PW_BPF_HIST_0 + pw_bucket_of(90000) % 16] = 5;
	pw_series_row(out, PW_BPF_HIST, 9, hist);
	place[PW_BPF_PLACE_TASK] = 2;
	place[PW_BPF_PLACE_CPU] = 4;
	place[PW_BPF_PLACE_NS1] = 300000;
	place[PW_BPF_PLACE_N1] = 5;
	pw_series_row(out, PW_BPF_PLACE, 10, place);
	cpu[PW_BPF_CPU_BUSY] = 310000;
	cpu[PW_BPF_CPU_IDLE] = 690000;
	cpu[PW_BPF_CPU_SWITCHES] = 11;
	pw_series_row(out, PW_BPF_CPU, 5, cpu);
	pair[PW_BPF_PAIR_A] = 2;
	pair[PW_BPF_PAIR_WOKE] = 4;
	pair[PW_BPF_PAIR_WOKE_NS] = 20000;
	pair[PW_BPF_PAIR_FOLLOWED] = 3;
	pw_series_row(out, PW_BPF_PAIR, 1, pair);
	pw_series_drop(out, PW_BPF_TASK, 2);
	pw_series_end(out, NULL);

	pw_series_begin(out, 3000000);
	memset(task, 0, sizeof(task));
	task[PW_BPF_TASK_TID] = 77;
	task[PW_BPF_TASK_ON_CPU] = 7;
	pw_series_row(out, PW_BPF_TASK, 2, task);
	pw_series_end(out, NULL);
	pw_series_finish(out, NULL);
}

static struct pw_sched *read_series(const struct pw_sched_opts *o)
{
	char *path = new_path();
	struct pw_sched *s = pw_sched_new(o, NULL);
	struct pw_series *in;

	write_series(path);
	in = pw_series_open(path, NULL);
	assert_non_null(in);
	assert_int_equal(pw_sched_series(s, in, NULL), 0);
	pw_sched_end(s, NULL);
	pw_series_close(in);
	remove_path(path);
	return s;
}

static const struct pw_sched_task *worker(const struct pw_sched *s)
{
	for (uint32_t i = 0; i < pw_sched_n_tasks(s); i++)
		if (!strcmp(pw_sched_task(s, i)->comm, "worker"))
			return pw_sched_task(s, i);
	return NULL;
}

static void a_task_has_what_was_counted(void **state)
{
	struct pw_sched *s = read_series(NULL);
	const struct pw_sched_task *t = worker(s);

	(void)state;
	assert_non_null(t);
	assert_int_equal(t->tid, 77);
	assert_int_equal(t->pid, 70);
	assert_int_equal(t->run_ns, 300000);
	assert_int_equal(t->edge_ns, 10000);
	assert_int_equal(t->off_ns[PW_OFF_WAKING], 50000);
	assert_int_equal(t->off_ns[PW_OFF_BLOCKED], 20000);
	assert_int_equal(t->n_in, 5);
	assert_int_equal(t->n_left, 4);
	assert_int_equal(t->n_preempted, 1);
	assert_int_equal(t->n_woken, 4);
	assert_int_equal(t->run.n, 5);
	assert_int_equal(t->run.sum, 290000);
	assert_int_equal(t->run.max, 90000);
	assert_int_equal(pw_hist_count(&t->run, pw_bucket_of(90000)), 5);
	assert_int_equal(t->max_delay_ns, 33000);
	assert_int_equal(pw_sched_last_ns(s) - pw_sched_first_ns(s), 2000000);
	pw_sched_free(s);
}

static void cpus_and_pairs_are_filled(void **state)
{
	struct pw_sched *s = read_series(NULL);
	const struct pw_sched_cpu *c = NULL;
	uint64_t woken = 0, followed = 0;

	(void)state;
	for (uint32_t i = 0; i < pw_sched_n_cpus(s); i++)
		if (pw_sched_cpu(s, i)->cpu == 5)
			c = pw_sched_cpu(s, i);
	assert_non_null(c);
	assert_int_equal(c->busy_ns, 310000);
	assert_int_equal(c->idle_ns, 690000);
	assert_int_equal(c->n_switches, 11);
	for (uint32_t i = 0; i < pw_sched_n_pairs(s); i++) {
		const struct pw_sched_pair *p = pw_sched_pair(s, i);

		woken += p->kind == PW_SCHED_WOKE ? p->n : 0;
		followed += p->kind == PW_SCHED_FOLLOWED ? p->n : 0;
	}
	assert_int_equal(woken, 4);
	assert_int_equal(followed, 3);
	pw_sched_free(s);
}

static void a_number_that_is_used_again_is_another_task(void **state)
{
	struct pw_sched *s = read_series(NULL);
	uint64_t n = 0;

	(void)state;
	for (uint32_t i = 0; i < pw_sched_n_tasks(s); i++)
		n += pw_sched_task(s, i)->tid == 77;
	assert_int_equal(n, 2);
	assert_int_equal(worker(s)->run_ns, 300000);
	pw_sched_free(s);
}

static void readouts_outside_of_the_window_do_not_count(void **state)
{
	const struct pw_sched_opts late = { .from_ns = 1000000 };
	struct pw_sched *s = read_series(&late);

	(void)state;
	assert_int_equal(worker(s)->run_ns, 0);
	assert_int_equal(worker(s)->run.n, 0);
	pw_sched_free(s);
}

/* A ring's oldest piece: a task that was busy for long before, of which 7 us
 * are of the time that was kept. */
static void write_ring(const char *path)
{
	const struct pw_series_table *tables;
	struct pw_series_out *out;
	uint64_t task[PW_BPF_N_TASK] = { 0 }, hist[PW_BPF_N_HIST] = { 0 };
	uint64_t total[PW_BPF_N_TOTAL] = { [PW_BPF_TOTAL_MISSED] = 90 };
	uint64_t cpu[PW_BPF_N_CPU] = { [PW_BPF_CPU_BUSY] = 900000 };
	uint32_t n, at = pw_bucket_of(5000);

	tables = pw_bpf_tables(&n);
	out = pw_series_create(path, tables, n, NULL);
	assert_non_null(out);
	pw_series_begin(out, 2000000);
	pw_series_fact(out, PW_BPF_FACT_COUNTED, PW_BPF_FACT_EARLIER);
	fill_task(task);
	pw_series_row(out, PW_BPF_TASK, 2, task);
	pw_series_text(out, PW_BPF_TASK, 2, "comm", "worker");
	hist[PW_BPF_HIST_TASK] = 2;
	hist[PW_BPF_HIST_KIND] = 1;
	hist[PW_BPF_HIST_BUCKET] = at / 16 * 16;
	hist[PW_BPF_HIST_0 + at % 16] = 3;
	pw_series_row(out, PW_BPF_HIST, 9, hist);
	pw_series_row(out, PW_BPF_CPU, 0, cpu);
	pw_series_row(out, PW_BPF_TOTAL, 0, total);
	pw_series_end(out, NULL);

	/* a piece that was joined to it: told, and no beginning */
	pw_series_begin(out, 3000000);
	pw_series_fact(out, PW_BPF_FACT_COUNTED, PW_BPF_FACT_EARLIER);
	task[PW_BPF_TASK_ON_CPU] += 7000;
	task[PW_BPF_TASK_WAKE_N] += 1;
	task[PW_BPF_TASK_WAKE_SUM] += 5000;
	pw_series_row(out, PW_BPF_TASK, 2, task);
	hist[PW_BPF_HIST_0 + at % 16]++;
	pw_series_row(out, PW_BPF_HIST, 9, hist);
	cpu[PW_BPF_CPU_BUSY] += 8000;
	pw_series_row(out, PW_BPF_CPU, 0, cpu);
	total[PW_BPF_TOTAL_MISSED] += 2;
	pw_series_row(out, PW_BPF_TOTAL, 0, total);
	pw_series_end(out, NULL);
	pw_series_finish(out, NULL);
}

static void what_was_counted_before_the_first_readout_is_left_out(void **state)
{
	char *path = new_path();
	struct pw_sched *s = pw_sched_new(NULL, NULL);
	const struct pw_sched_task *t;
	struct pw_series *in;

	(void)state;
	write_ring(path);
	in = pw_series_open(path, NULL);
	assert_int_equal(pw_sched_series(s, in, NULL), 0);
	pw_series_close(in);
	pw_sched_end(s, NULL);
	t = worker(s);
	assert_non_null(t);
	assert_int_equal(t->run_ns, 7000);
	assert_int_equal(t->n_left, 0);
	assert_int_equal(t->first_ns, 2000000);
	assert_int_equal(t->latency.n, 1);
	assert_int_equal(t->latency.sum, 5000);
	/* the longest of all was before; of this one its bucket is known */
	assert_int_equal(pw_bucket_of(t->latency.max), pw_bucket_of(5000));
	assert_int_equal(pw_bucket_of(t->max_delay_ns), pw_bucket_of(5000));
	assert_int_equal(pw_sched_cpu(s, 0)->busy_ns, 8000);
	assert_int_equal(pw_sched_last_ns(s) - pw_sched_first_ns(s), 1000000);
	pw_sched_free(s);
	remove_path(path);
}

/* A perf.data without an event and a feature beside it. */
static void a_capture_that_tells_nothing_takes_nothing_away(void **state)
{
	const uint64_t head[13] = { 0, 104, 144, 104, 0, 104 };
	struct pw_report *r = pw_report_new("sched", "Scheduler");
	struct pw_sched *s = read_series(NULL);
	struct pw_capture *c;
	uint8_t file[104];
	char *text = NULL;
	size_t size;
	FILE *f;

	(void)state;
	memcpy(file, head, sizeof(file));
	memcpy(file, "PERFILE2", 8);
	c = pw_capture_open_bytes(file, sizeof(file), NULL, NULL);
	assert_non_null(c);
	pw_sched_end(s, c);
	pw_sched_report(s, NULL, r);
	f = open_memstream(&text, &size);
	assert_int_equal(pw_render_json(r, f), 0);
	fclose(f);
	assert_non_null(strstr(text, "\"osrelease\""));
	free(text);
	pw_capture_close(c);
	pw_report_free(r);
	pw_sched_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_has_what_was_counted),
		cmocka_unit_test(cpus_and_pairs_are_filled),
		cmocka_unit_test(a_number_that_is_used_again_is_another_task),
		cmocka_unit_test(readouts_outside_of_the_window_do_not_count),
		cmocka_unit_test(
			what_was_counted_before_the_first_readout_is_left_out),
		cmocka_unit_test(
			a_capture_that_tells_nothing_takes_nothing_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
