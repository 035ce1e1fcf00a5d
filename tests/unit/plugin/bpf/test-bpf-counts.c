// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program in the kernel counts what two threads do to each other: they
 * know how often they slept. Skipped where BPF is not allowed.
 */
#include <perfwasm/bpf.h>

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <cmocka.h>

#include "../../../../plugin/bpf/sched-maps.h"

enum { ROUNDS = 2000 };

static void buckets_are_those_of_the_histograms(void **state)
{
	(void)state;
	for (int i = 0; i < 64; i++)
		for (int d = -2; d <= 2; d++) {
			uint64_t v = (1ULL << i) + (uint64_t)d;
			uint64_t w = v + (1ULL << i) * 9 / 16;

			assert_int_equal(bucket_of(v), pw_bucket_of(v));
			assert_int_equal(bucket_of(w), pw_bucket_of(w));
		}
}

/* --- the load ------------------------------------------------------------------- */

struct pipes {
	int there[2], back[2];
};

static void *answer(void *arg)
{
	struct pipes *p = arg;
	char c;

	prctl(PR_SET_NAME, "pw-answers");
	while (read(p->there[0], &c, 1) == 1 && write(p->back[1], &c, 1) == 1)
		continue;
	return NULL;
}

static void ask(struct pipes *p, int rounds)
{
	char c = 0;

	while (rounds--) {
		assert_int_equal(write(p->there[1], &c, 1), 1);
		assert_int_equal(read(p->back[0], &c, 1), 1);
	}
}

static void play(int rounds)
{
	struct pipes p;
	pthread_t thread;

	assert_int_equal(pipe(p.there), 0);
	assert_int_equal(pipe(p.back), 0);
	assert_int_equal(pthread_create(&thread, NULL, answer, &p), 0);
	ask(&p, rounds);
	close(p.there[1]);
	pthread_join(thread, NULL);
	close(p.there[0]);
	close(p.back[0]);
	close(p.back[1]);
}

/* --- what was counted ---------------------------------------------------------------- */

struct seen {
	uint64_t task[PW_BPF_N_TASK]; /* of the thread that answers */
	uint64_t hist[N_TASK_HISTS];
	uint64_t runs_on_cpus, ns_on_cpus, woken, taken, followed, key, no_slot;
	bool has_ended;
};

static void look(struct seen *seen, const struct pw_series_item *it)
{
	const uint64_t *v = it->values;

	if (it->kind == PW_SERIES_TEXT && it->table == PW_BPF_TASK &&
	    !strcmp(it->text, "pw-answers"))
		*seen = (struct seen){ .key = it->key }; /* the last of them */
	if (it->kind != PW_SERIES_DROP)
		return;
	if (it->table == PW_BPF_TASK && it->key == seen->key) {
		memcpy(seen->task, v, sizeof(seen->task));
		seen->has_ended = true;
	}
	if (it->table == PW_BPF_HIST && v[PW_BPF_HIST_TASK] == seen->key)
		for (int i = 0; i < PW_BUCKET_SUB; i++)
			seen->hist[v[PW_BPF_HIST_KIND]] += v[PW_BPF_HIST_0 + i];
	if (it->table == PW_BPF_PLACE && v[PW_BPF_PLACE_TASK] == seen->key)
		for (int i = 0; i < BLOCK_CPUS; i++) {
			seen->ns_on_cpus += v[PW_BPF_PLACE_NS0 + 2 * i];
			seen->runs_on_cpus += v[PW_BPF_PLACE_N0 + 2 * i];
		}
	if (it->table == PW_BPF_PAIR && v[PW_BPF_PAIR_A] == seen->key) {
		seen->woken += v[PW_BPF_PAIR_WOKE];
		seen->taken += v[PW_BPF_PAIR_TOOK];
		seen->followed += v[PW_BPF_PAIR_FOLLOWED];
	}
}

static void read_back(const char *path, struct seen *seen)
{
	struct pw_series *s = pw_series_open(path, NULL);
	struct pw_series_item it;

	assert_non_null(s);
	while (pw_series_next(s, &it, NULL) > 0) {
		look(seen, &it);
		if (it.kind == PW_SERIES_ROW && it.table == PW_BPF_TOTAL)
			seen->no_slot = it.values[PW_BPF_TOTAL_NO_SLOT];
	}
	assert_false(pw_series_was_cut(s));
	pw_series_close(s);
}

static void count(const struct pw_bpf_opts *opts, struct seen *seen)
{
	char dir[] = "/tmp/pw-bpf-XXXXXX", *path;
	const struct pw_series_table *tables;
	struct pw_err err = { .msg = "" };
	struct pw_series_out *out;
	struct pw_bpf *b = pw_bpf_open(opts, &err);
	uint32_t n;

	if (!b) {
		assert_true(err.msg[0]);
		print_message("%s\n", err.msg);
		skip();
	}
	assert_non_null(mkdtemp(dir));
	path = pw_asprintf("%s/series", dir);
	tables = pw_bpf_tables(&n);
	out = pw_series_create(path, tables, n, NULL);
	if (opts->is_filtered)
		assert_int_equal(pw_bpf_add_process(b, (uint32_t)getpid(),
						    &err),
				 0);
	play(ROUNDS / 2);
	assert_int_equal(pw_bpf_read(b, out, false, NULL), 0);
	play(ROUNDS);
	assert_int_equal(pw_bpf_read(b, out, true, NULL), 0);
	assert_int_equal(pw_series_finish(out, NULL), 0);
	pw_bpf_close(b);
	read_back(path, seen);
	unlink(path);
	rmdir(dir);
	free(path);
}

static void a_thread_s_figures_are_what_it_did(void **state)
{
	const struct pw_bpf_opts opts = { .is_filtered = true };
	struct seen seen = { 0 };
	const uint64_t *t = seen.task;
	uint64_t states, left;

	(void)state;
	count(&opts, &seen);
	assert_true(seen.has_ended);
	assert_int_equal(t[PW_BPF_TASK_PID], getpid());
	/* it slept once a round, but when the question was there already: on a
	 * busy machine most are */
	assert_in_range(t[PW_BPF_TASK_SLEEP_N], 1, ROUNDS + 8);
	assert_int_equal(t[PW_BPF_TASK_SLEEP_N], seen.hist[HIST_SLEEP]);
	assert_int_equal(t[PW_BPF_TASK_SLEEP_N], seen.woken);
	assert_int_equal(t[PW_BPF_TASK_WAKE_N], seen.hist[HIST_WAKE]);
	assert_int_equal(t[PW_BPF_TASK_PREEMPTED_N], seen.hist[HIST_PREEMPTED]);
	assert_int_equal(t[PW_BPF_TASK_PREEMPTED_N], seen.taken);
	assert_int_equal(t[PW_BPF_TASK_RUN_N], seen.hist[HIST_RUN]);
	assert_int_equal(t[PW_BPF_TASK_RUN_N], seen.runs_on_cpus);
	/* each time it left it had run; some hosts hide that it came */
	left = t[PW_BPF_TASK_VOLUNTARY] + t[PW_BPF_TASK_INVOLUNTARY];
	assert_int_equal(left, seen.followed);
	assert_in_range(left, t[PW_BPF_TASK_RUN_N],
			t[PW_BPF_TASK_RUN_N] + ROUNDS / 50);
	assert_int_equal(t[PW_BPF_TASK_ON_CPU], seen.ns_on_cpus);
	assert_int_equal(t[PW_BPF_TASK_ON_CPU], t[PW_BPF_TASK_RUN_SUM]);
	/* its states fill its life, but for the moment before its first one */
	states = t[PW_BPF_TASK_ON_CPU] + t[PW_BPF_TASK_WAKING] +
		 t[PW_BPF_TASK_PREEMPTED] + t[PW_BPF_TASK_SLEEPS] +
		 t[PW_BPF_TASK_BLOCKED] + t[PW_BPF_TASK_OTHER];
	assert_in_range(states, 1, t[PW_BPF_TASK_ENDED] - t[PW_BPF_TASK_FIRST]);
	assert_true(states * 10 >
		    (t[PW_BPF_TASK_ENDED] - t[PW_BPF_TASK_FIRST]) * 9);
	assert_int_equal(seen.no_slot, 0);
}

static void what_finds_no_place_is_counted(void **state)
{
	const struct pw_bpf_opts opts = { .max_tasks = 1, .max_blocks = 1 };
	struct seen seen = { 0 };

	(void)state;
	count(&opts, &seen);
	assert_true(seen.no_slot > 0);
}

/* The rows of tasks in a readout, by number; whether it tells of earlier. */
struct piece {
	uint32_t n_readouts, n_facts, n_first, n_named;
	uint64_t on_cpu; /* of this process, in the first one */
};

static void read_piece(const char *path, struct piece *p)
{
	struct pw_series *s = pw_series_open(path, NULL);
	struct pw_series_item it;

	memset(p, 0, sizeof(*p));
	assert_non_null(s);
	while (pw_series_next(s, &it, NULL) > 0) {
		bool first = p->n_readouts == 1;

		p->n_readouts += it.kind == PW_SERIES_READOUT;
		p->n_facts += it.kind == PW_SERIES_FACT &&
			      !strcmp(it.name, PW_BPF_FACT_COUNTED);
		if (!first || it.table != PW_BPF_TASK)
			continue;
		p->n_named += it.kind == PW_SERIES_TEXT;
		p->n_first += it.kind == PW_SERIES_ROW;
		if (it.kind == PW_SERIES_ROW &&
		    it.values[PW_BPF_TASK_TID] == (uint64_t)getpid())
			p->on_cpu = it.values[PW_BPF_TASK_ON_CPU];
	}
	pw_series_close(s);
}

static void a_new_file_holds_all_of_the_one_before(void **state)
{
	const struct pw_bpf_opts opts = { .is_filtered = true };
	char dir[] = "/tmp/pw-bpf-XXXXXX", *a, *b, *all;
	struct pw_err err = { .msg = "" };
	struct pw_bpf *kernel = pw_bpf_open(&opts, &err);
	const struct pw_series_table *tables;
	struct pw_series_out *out;
	struct piece first, second, joined;
	uint32_t n;

	(void)state;
	if (!kernel) {
		print_message("%s\n", err.msg);
		skip();
	}
	assert_non_null(mkdtemp(dir));
	a = pw_asprintf("%s/1", dir);
	b = pw_asprintf("%s/2", dir);
	all = pw_asprintf("%s/all", dir);
	tables = pw_bpf_tables(&n);
	out = pw_series_create(a, tables, n, NULL);
	assert_int_equal(pw_bpf_add_process(kernel, (uint32_t)getpid(), &err),
			 0);
	play(ROUNDS / 4);
	assert_int_equal(pw_bpf_read(kernel, out, false, NULL), 0);
	assert_int_equal(pw_bpf_rotate(kernel, out, "/proc/none/2", &err),
			 -ENOENT);
	assert_int_equal(pw_bpf_rotate(kernel, out, b, NULL), 0);
	assert_int_equal(pw_bpf_read(kernel, out, false, NULL), 0);
	assert_int_equal(pw_bpf_read(kernel, out, false, NULL), 0);
	pw_series_finish(out, NULL);
	pw_bpf_close(kernel);

	read_piece(a, &first);
	read_piece(b, &second);
	assert_int_equal(first.n_readouts, 1);
	assert_int_equal(first.n_facts, 0);
	assert_int_equal(second.n_readouts, 2);
	assert_int_equal(second.n_facts, 1);
	assert_true(first.on_cpu > 0);
	assert_true(second.on_cpu >= first.on_cpu);
	assert_true(second.n_first > 0);
	assert_int_equal(second.n_named, second.n_first);
	assert_int_equal(pw_series_join(all, (const char *[]){ a, b }, 2, NULL),
			 0);
	read_piece(all, &joined);
	assert_int_equal(joined.n_readouts, 3);
	pw_remove_tree(dir, NULL);
	free(a);
	free(b);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_are_those_of_the_histograms),
		cmocka_unit_test(a_thread_s_figures_are_what_it_did),
		cmocka_unit_test(what_finds_no_place_is_counted),
		cmocka_unit_test(a_new_file_holds_all_of_the_one_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
