// SPDX-License-Identifier: GPL-2.0-only
/*
 * Times off the CPU that the kernel added up: they come to the functions of
 * their stacks, as far as the capture has gone, and go to nobody by mistake.
 */
#include "profile-fixture.h"

#include <perfwasm/bpf.h>

enum { SLOT = 5, STACK = 3, PREEMPTED = 3, SLEEPS = 4 };

struct kept {
	struct fixture f;
	struct pw_series_out *out;
	char *path;
};

static void kept_begin(struct kept *k)
{
	const struct pw_series_table *tables;
	uint32_t n;

	begin(&k->f);
	k->path = pw_asprintf("%s/sched.series", k->f.dir);
	tables = pw_bpf_tables(&n);
	k->out = pw_series_create(k->path, tables, n, NULL);
	assert_non_null(k->out);
}

static void kept_end(struct kept *k)
{
	free(k->path);
	end(&k->f);
}

static void put_task(struct kept *k, uint32_t tid)
{
	const uint64_t row[PW_BPF_N_TASK] = {
		[PW_BPF_TASK_TID] = tid, [PW_BPF_TASK_PID] = tid
	};

	pw_series_row(k->out, PW_BPF_TASK, SLOT, row);
	pw_series_text(k->out, PW_BPF_TASK, SLOT, "comm", "app");
}

static void put_wait(struct kept *k, uint64_t state, uint64_t n, uint64_t off,
		     uint64_t woken)
{
	/* in "mul", called by "add" */
	const uint64_t frames[PW_BPF_N_STACK] = { 0x8004, 0x7004 };
	const uint64_t row[PW_BPF_N_WAIT] = {
		SLOT, STACK, state, n, off, woken
	};

	pw_series_row(k->out, PW_BPF_STACK, STACK, frames);
	pw_series_row(k->out, PW_BPF_WAIT, state, row);
}

static void wait_of(const struct pw_profile *p, const char *name,
		    struct pw_function *found)
{
	uint32_t n = pw_profile_n_functions((struct pw_profile *)p);

	for (uint32_t i = 0; i < n; i++) {
		pw_profile_function((struct pw_profile *)p, i, found);
		if (strstr(found->sym->name, name))
			return;
	}
	memset(found, 0, sizeof(*found));
}

static void waits_are_those_of_the_function(void **state)
{
	struct pw_function mul, add;
	struct pw_waits *w;
	struct kept k;

	(void)state;
	kept_begin(&k);
	pw_series_begin(k.out, 1000);
	put_task(&k, 7);
	put_wait(&k, PREEMPTED, 2, 500, 0);
	pw_series_end(k.out, NULL);
	pw_series_begin(k.out, 2000);
	put_wait(&k, PREEMPTED, 3, 800, 0);
	put_wait(&k, SLEEPS, 1, 90, 10);
	pw_series_end(k.out, NULL);
	pw_series_finish(k.out, NULL);

	w = pw_profile_waits_open(k.path, NULL);
	assert_non_null(w);
	assert_int_equal(pw_profile_waits(w, k.f.p, UINT64_MAX, NULL), 0);
	pw_profile_waits_close(w);
	pw_profile_end(k.f.p, NULL);
	wait_of(k.f.p, "mul", &mul);
	assert_int_equal(mul.off[PW_OFF_PREEMPTED].samples, 3);
	assert_int_equal(mul.off[PW_OFF_PREEMPTED].period, 800);
	assert_int_equal(mul.off[PW_OFF_SLEEPING].period, 90);
	assert_int_equal(mul.off[PW_OFF_WAKING].period, 10);
	wait_of(k.f.p, "add", &add);
	assert_int_equal(add.off[PW_OFF_PREEMPTED].samples, 0);
	kept_end(&k);
}

static void they_are_given_as_far_as_the_capture_is(void **state)
{
	const struct pw_profile_event_info *off;
	struct pw_waits *w;
	struct kept k;

	(void)state;
	kept_begin(&k);
	for (uint64_t i = 1; i <= 3; i++) {
		pw_series_begin(k.out, i * 1000);
		put_task(&k, 7);
		put_wait(&k, PREEMPTED, i, i * 100, 0);
		pw_series_end(k.out, NULL);
	}
	pw_series_finish(k.out, NULL);
	w = pw_profile_waits_open(k.path, NULL);
	assert_int_equal(pw_profile_waits(w, k.f.p, 999, NULL), 0);
	assert_int_equal(pw_profile_off_cpu(k.f.p), UINT32_MAX);
	assert_int_equal(pw_profile_waits(w, k.f.p, 2500, NULL), 0);
	off = pw_profile_event_info(k.f.p, pw_profile_off_cpu(k.f.p));
	assert_int_equal(off->total.period, 200);
	assert_int_equal(pw_profile_waits(w, k.f.p, UINT64_MAX, NULL), 0);
	assert_int_equal(off->total.period, 300);
	pw_profile_waits_close(w);
	kept_end(&k);
}

/* Of a ring: it had waited for long when the first piece began. */
static void what_was_waited_before_is_left_out(void **state)
{
	const struct pw_profile_event_info *off;
	struct pw_waits *w;
	struct kept k;

	(void)state;
	kept_begin(&k);
	for (uint64_t i = 1; i <= 3; i++) {
		pw_series_begin(k.out, i * 1000);
		if (i != 2) /* a piece begins */
			pw_series_fact(k.out, PW_BPF_FACT_COUNTED,
				       PW_BPF_FACT_EARLIER);
		put_task(&k, 7);
		put_wait(&k, PREEMPTED, 10 * i, 1000 * i, 0);
		pw_series_end(k.out, NULL);
	}
	pw_series_finish(k.out, NULL);
	w = pw_profile_waits_open(k.path, NULL);
	assert_int_equal(pw_profile_waits(w, k.f.p, UINT64_MAX, NULL), 0);
	off = pw_profile_event_info(k.f.p, pw_profile_off_cpu(k.f.p));
	assert_int_equal(off->total.period, 2000);
	pw_profile_waits_close(w);
	kept_end(&k);
}

static void a_task_that_is_over_is_not_the_next_of_its_number(void **state)
{
	struct pw_task t;
	struct pw_waits *w;
	struct kept k;
	uint64_t of_8 = 0;

	(void)state;
	kept_begin(&k);
	pw_series_begin(k.out, 1000);
	put_task(&k, 7);
	put_wait(&k, PREEMPTED, 1, 100, 0);
	pw_series_drop(k.out, PW_BPF_WAIT, PREEMPTED);
	pw_series_drop(k.out, PW_BPF_TASK, SLOT);
	pw_series_end(k.out, NULL);
	pw_series_begin(k.out, 2000);
	put_task(&k, 8);
	put_wait(&k, PREEMPTED, 1, 40, 0);
	pw_series_end(k.out, NULL);
	pw_series_finish(k.out, NULL);
	w = pw_profile_waits_open(k.path, NULL);
	assert_int_equal(pw_profile_waits(w, k.f.p, UINT64_MAX, NULL), 0);
	pw_profile_waits_close(w);
	pw_profile_end(k.f.p, NULL);
	for (uint32_t i = 0; i < pw_profile_n_tasks(k.f.p); i++) {
		pw_profile_task(k.f.p, i, &t);
		if (t.tid == 8)
			of_8 += t.off[PW_OFF_PREEMPTED].period;
	}
	assert_int_equal(of_8, 40);
	kept_end(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_are_those_of_the_function),
		cmocka_unit_test(they_are_given_as_far_as_the_capture_is),
		cmocka_unit_test(what_was_waited_before_is_left_out),
		cmocka_unit_test(
			a_task_that_is_over_is_not_the_next_of_its_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
