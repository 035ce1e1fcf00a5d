// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time off the CPU from sched_switch and sched_wakeup, and from SWITCH
 * records. Raw data as the formats below say:
 *   switch  0 prev_pid  4 pad  8 prev_state  16 next_pid
 *   wakeup  0 pid
 */
#include "profile-fixture.h"

static const char switch_format[] =
	"name: sched_switch\n"
	"ID: 1\n"
	"format:\n"
	"\tfield:pid_t prev_pid;\toffset:0;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield:pid_t next_pid;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\n"
	"print fmt: \"\"\n";
static const char wakeup_format[] =
	"name: sched_wakeup\n"
	"ID: 2\n"
	"format:\n"
	"\tfield:pid_t pid;\toffset:0;\tsize:4;\tsigned:1;\n"
	"\n"
	"print fmt: \"\"\n";

struct sched {
	struct fixture f;
	uint32_t sw, wake, off;
};

static void sched_begin(struct sched *s, const struct pw_profile_opts *o)
{
	struct pw_err err;

	begin_with(&s->f, o);
	s->sw = pw_profile_add_event(s->f.p, "sched:sched_switch");
	s->wake = pw_profile_add_event(s->f.p, "sched:sched_wakeup");
	assert_int_equal(pw_profile_set_format(s->f.p, s->sw, switch_format,
					       strlen(switch_format), &err),
			 0);
	assert_int_equal(pw_profile_set_format(s->f.p, s->wake, wakeup_format,
					       strlen(wakeup_format), &err),
			 0);
}

static void switch_to(struct sched *s, uint64_t time, uint32_t prev,
		      uint64_t state, uint32_t next, uint64_t user_ip)
{
	uint64_t chain[] = { (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000000,
			     (uint64_t)PERF_CONTEXT_USER, user_ip };
	struct pw_push p = sample(&s->f, prev, time, 0xffffffff81000000);
	struct {
		uint32_t prev, pad;
		uint64_t state;
		uint32_t next, pad2;
	} raw = { prev, 0, state, next, 0 };

	p.event = s->sw;
	p.cpumode = PERF_RECORD_MISC_KERNEL;
	p.raw = (const uint8_t *)&raw;
	p.raw_size = sizeof(raw);
	if (user_ip) {
		p.callchain = chain;
		p.n_callchain = 4;
	}
	pw_profile_push(s->f.p, &p);
}

static void wake_up(struct sched *s, uint64_t time, uint32_t by, uint32_t pid)
{
	struct pw_push p = sample(&s->f, by, time, 0xffffffff81000000);

	p.event = s->wake;
	p.cpumode = PERF_RECORD_MISC_KERNEL;
	p.raw = (const uint8_t *)&pid;
	p.raw_size = sizeof(pid);
	pw_profile_push(s->f.p, &p);
}

static struct pw_task task(const struct fixture *f, uint32_t tid)
{
	struct pw_task t;
	uint32_t i;

	for (i = 0; i < pw_profile_n_tasks(f->p); i++) {
		pw_profile_task(f->p, i, &t);
		if (t.tid == tid)
			return t;
	}
	fail();
	return t;
}

#define RUNNING   0
#define SLEEPING  1
#define DISK      2
#define PREEMPTED 0x100

static void sleep_and_the_wait_for_a_cpu_are_told_apart(void **state)
{
	struct pw_function x;
	struct pw_waker w;
	struct pw_task t;
	struct sched s;

	(void)state;
	sched_begin(&s, NULL);
	switch_to(&s, 1000, 7, SLEEPING, 8, 0x7010);
	wake_up(&s, 1600, 8, 7);
	switch_to(&s, 1700, 8, PREEMPTED, 7, 0);
	pw_profile_end(s.f.p, NULL);
	t = task(&s.f, 7);
	assert_int_equal(t.off[PW_OFF_SLEEPING].period, 600);
	assert_int_equal(t.off[PW_OFF_WAKING].period, 100);
	assert_int_equal(t.off[PW_OFF_PREEMPTED].samples, 0);
	x = function(&s.f, "add");
	assert_non_null(x.sym);
	assert_int_equal(x.off[PW_OFF_SLEEPING].period, 600);
	assert_int_equal(x.off[PW_OFF_WAKING].period, 100);
	assert_int_equal(pw_profile_n_wakers(s.f.p), 1);
	pw_profile_waker(s.f.p, 0, &w);
	assert_int_equal(w.tid, 7);
	assert_int_equal(w.waker_tid, 8);
	assert_string_equal(w.waker_comm, "other");
	assert_int_equal(w.wait_ns, 600);
	end(&s.f);
}

static void reasons_are_those_of_the_state(void **state)
{
	struct pw_task t;
	struct sched s;

	(void)state;
	sched_begin(&s, NULL);
	switch_to(&s, 1000, 7, PREEMPTED, 8, 0);
	switch_to(&s, 1010, 8, RUNNING, 7, 0);
	switch_to(&s, 1020, 7, DISK, 8, 0);
	switch_to(&s, 1050, 8, RUNNING, 7, 0);
	switch_to(&s, 1060, 7, 4, 8, 0); /* stopped */
	switch_to(&s, 1065, 8, RUNNING, 7, 0);
	t = task(&s.f, 7);
	assert_int_equal(t.off[PW_OFF_PREEMPTED].period, 10);
	assert_int_equal(t.off[PW_OFF_BLOCKED].period, 30);
	assert_int_equal(t.off[PW_OFF_OTHER].period, 5);
	t = task(&s.f, 8);
	assert_int_equal(t.off[PW_OFF_PREEMPTED].period, 20);
	assert_int_equal(t.off[PW_OFF_PREEMPTED].samples, 2);
	end(&s.f);
}

static void a_wake_up_of_one_that_runs_or_was_preempted_is_no_wait(void **state)
{
	struct sched s;

	(void)state;
	sched_begin(&s, NULL);
	wake_up(&s, 900, 8, 7);
	switch_to(&s, 1000, 7, PREEMPTED, 8, 0);
	wake_up(&s, 1100, 8, 7);
	switch_to(&s, 1200, 8, RUNNING, 7, 0);
	assert_int_equal(pw_profile_n_wakers(s.f.p), 0);
	assert_int_equal(task(&s.f, 7).off[PW_OFF_PREEMPTED].period, 200);
	end(&s.f);
}

static void an_ended_task_is_not_off_for_ever(void **state)
{
	struct sched s;

	(void)state;
	sched_begin(&s, NULL);
	switch_to(&s, 1000, 7, 0x20, 8, 0);
	switch_to(&s, 5000, 8, SLEEPING, 0, 0);
	switch_to(&s, 9000, 0, RUNNING, 8, 0);
	pw_profile_end(s.f.p, NULL);
	assert_int_equal(task(&s.f, 8).off[PW_OFF_SLEEPING].period, 4000);
	assert_int_equal(pw_profile_event_info(s.f.p, pw_profile_off_cpu(s.f.p))
				 ->total.period,
			 4000);
	end(&s.f);
}

static void what_is_off_at_the_end_counts_until_then(void **state)
{
	struct sched s;

	(void)state;
	sched_begin(&s, NULL);
	switch_to(&s, 1000, 7, SLEEPING, 8, 0);
	push(&s.f, 8, 1500, 0x1000);
	pw_profile_end(s.f.p, NULL);
	assert_int_equal(task(&s.f, 7).off[PW_OFF_SLEEPING].period, 500);
	end(&s.f);
}

static void only_the_wanted_time_of_the_wanted_task_counts(void **state)
{
	const char *app[] = { "app", NULL };
	struct pw_profile_opts o = { .tasks = app,
				     .from_ns = 1100,
				     .to_ns = 1300 };
	struct sched s;

	(void)state;
	sched_begin(&s, &o);
	switch_to(&s, 1000, 7, SLEEPING, 8, 0);
	switch_to(&s, 2000, 8, SLEEPING, 7, 0);
	switch_to(&s, 2100, 7, SLEEPING, 8, 0);
	pw_profile_end(s.f.p, NULL);
	assert_int_equal(task(&s.f, 7).off[PW_OFF_SLEEPING].period, 200);
	assert_int_equal(pw_profile_event_info(s.f.p, pw_profile_off_cpu(s.f.p))
				 ->total.period,
			 200);
	end(&s.f);
}

struct told {
	struct pw_profile_sample last;
	uint32_t n;
};

static void remember(void *ctx, const struct pw_profile_sample *s)
{
	struct told *t = ctx;

	t->last = *s;
	t->n++;
}

static void time_lines_are_told_where_and_how_long(void **state)
{
	struct told told = { .n = 0 };
	struct pw_profile_opts o = { .on_sample = remember, .ctx = &told };
	struct sched s;

	(void)state;
	sched_begin(&s, &o);
	push(&s.f, 7, 900, 0x7010);
	assert_int_equal(told.n, 1);
	assert_int_equal(told.last.time_ns, 900);
	assert_int_equal(told.last.off, 0x10);
	switch_to(&s, 1000, 7, DISK, 8, 0x7010);
	assert_int_equal(told.n, 1);
	switch_to(&s, 1250, 8, RUNNING, 7, 0);
	assert_int_equal(told.n, 2);
	assert_int_equal(told.last.event, pw_profile_off_cpu(s.f.p));
	assert_int_equal(told.last.tid, 7);
	assert_int_equal(told.last.time_ns, 1000);
	assert_int_equal(told.last.period, 250);
	assert_int_equal(told.last.reason, PW_OFF_BLOCKED);
	end(&s.f);
}

static void records_of_switches_tell_preempted_or_not(void **state)
{
	struct pw_event ev = { .type = PW_REC_SWITCH, .pid = 7, .tid = 7 };
	struct pw_task t;
	struct fixture f;

	(void)state;
	begin(&f);
	ev.swtch.is_out = true;
	ev.swtch.is_preempt = true;
	ev.time_ns = 100;
	pw_profile_event(f.p, NULL, &ev);
	ev.swtch.is_out = false;
	ev.time_ns = 150;
	pw_profile_event(f.p, NULL, &ev);
	ev.swtch.is_out = true;
	ev.swtch.is_preempt = false;
	ev.time_ns = 200;
	pw_profile_event(f.p, NULL, &ev);
	ev.swtch.is_out = false;
	ev.time_ns = 220;
	pw_profile_event(f.p, NULL, &ev);
	t = task(&f, 7);
	assert_int_equal(t.off[PW_OFF_PREEMPTED].period, 50);
	assert_int_equal(t.off[PW_OFF_OTHER].period, 20);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sleep_and_the_wait_for_a_cpu_are_told_apart),
		cmocka_unit_test(reasons_are_those_of_the_state),
		cmocka_unit_test(
			a_wake_up_of_one_that_runs_or_was_preempted_is_no_wait),
		cmocka_unit_test(an_ended_task_is_not_off_for_ever),
		cmocka_unit_test(what_is_off_at_the_end_counts_until_then),
		cmocka_unit_test(
			only_the_wanted_time_of_the_wanted_task_counts),
		cmocka_unit_test(time_lines_are_told_where_and_how_long),
		cmocka_unit_test(records_of_switches_tell_preempted_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
