// SPDX-License-Identifier: GPL-2.0-only
/* What becomes of times between events: who gets them, and as what. */
#include "sched-fixture.h"

#define RUNNABLE 0
#define SLEEPS   1
#define BLOCKED  2
#define DEAD     0x10
#define PREEMPT  0x100

/*
 *   CPU 0   idle 1000 | t5 1100-1400 sleeps | idle | t5 1900-2000 blocked | idle
 *   woken                                      1850
 */
static void a_time_goes_to_the_state_it_was_spent_in(void **state)
{
	struct fixture f;
	const struct pw_sched_task *t;

	(void)state;
	begin(&f);
	wake(&f, AT_WAKING, 1000, 0, 5);
	sw(&f, 1100, 0, RUNNABLE, 5);
	sw(&f, 1400, 0, SLEEPS, 0);
	wake(&f, AT_WAKING, 1850, 0, 5);
	sw(&f, 1900, 0, RUNNABLE, 5);
	sw(&f, 2000, 0, BLOCKED, 0);
	wake(&f, AT_WAKING, 2300, 0, 5);
	pw_sched_end(f.s, NULL);
	t = task(&f, 5);
	assert_string_equal(t->comm, "t5");
	assert_int_equal(t->run_ns, 400);
	assert_int_equal(t->edge_ns, 0);
	assert_int_equal(t->off_ns[PW_OFF_SLEEPING], 450);
	assert_int_equal(t->off_ns[PW_OFF_BLOCKED], 300);
	assert_int_equal(t->off_ns[PW_OFF_WAKING], 150);
	assert_int_equal(t->off_ns[PW_OFF_PREEMPTED], 0);
	assert_int_equal(t->n_in, 2);
	assert_int_equal(t->n_left, 2);
	assert_int_equal(t->n_woken, 3);
	assert_int_equal(t->latency.n, 2);
	assert_int_equal(t->latency.max, 100);
	assert_int_equal(t->max_delay_ns, 100);
	assert_int_equal(t->max_delay_at_ns, 1100);
	assert_int_equal(t->sleep.n, 2);
	assert_int_equal(t->run.max, 300);
	assert_int_equal(pw_sched_cpu(f.s, 0)->busy_ns, 400);
	assert_int_equal(pw_sched_cpu(f.s, 0)->idle_ns, 900);
	end(&f);
}

static void preempted_is_not_asleep(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	sw(&f, 1000, 0, RUNNABLE, 5);
	sw(&f, 1100, 0, PREEMPT, 6);
	/* it is to run already: no wake-up */
	wake(&f, AT_WAKING, 1150, 0, 5);
	sw(&f, 1300, 0, SLEEPS, 5);
	sw(&f, 1400, 0, RUNNABLE, 6);
	pw_sched_end(f.s, NULL);
	assert_int_equal(task(&f, 5)->off_ns[PW_OFF_PREEMPTED], 200);
	assert_int_equal(task(&f, 5)->off_ns[PW_OFF_WAKING], 0);
	assert_int_equal(task(&f, 5)->n_preempted, 2);
	assert_int_equal(task(&f, 5)->n_woken, 0);
	assert_int_equal(task(&f, 5)->preempted.sum, 200);
	assert_int_equal(pair(&f, PW_SCHED_PREEMPTED, 5, 6)->n, 2);
	assert_int_equal(pair(&f, PW_SCHED_PREEMPTED, 5, 6)->ns, 200);
	assert_int_equal(pair(&f, PW_SCHED_FOLLOWED, 5, 6)->n, 2);
	assert_int_equal(pair(&f, PW_SCHED_FOLLOWED, 6, 5)->n, 1);
	end(&f);
}

static void who_wakes_is_who_runs_there(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	sw(&f, 1000, 0, RUNNABLE, 5);
	sw(&f, 1000, 1, RUNNABLE, 6);
	sw(&f, 1200, 1, SLEEPS, 0);
	wake(&f, AT_WAKING, 1500, 0, 6);
	/* the second event of the same wake-up, on the other CPU */
	wake(&f, AT_WAKEUP, 1510, 1, 6);
	sw(&f, 1600, 1, RUNNABLE, 6);
	pw_sched_end(f.s, NULL);
	assert_int_equal(pair(&f, PW_SCHED_WOKE, 6, 5)->n, 1);
	assert_int_equal(pair(&f, PW_SCHED_WOKE, 6, 5)->ns, 300);
	assert_null(pair(&f, PW_SCHED_WOKE, 6, 0));
	assert_int_equal(task(&f, 6)->latency.sum, 100);
	end(&f);
}

static void a_wake_up_in_an_interrupt_is_nobodys(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	sw(&f, 1000, 0, RUNNABLE, 5);
	sw(&f, 1100, 0, SLEEPS, 6);
	memset(f.raw, 0, sizeof(f.raw));
	put32(&f, 24, 5);
	f.raw[2] = 0x08; /* TRACE_FLAG_HARDIRQ */
	feed(&f, AT_WAKING, 1200, 0);
	pw_sched_end(f.s, NULL);
	assert_null(pair(&f, PW_SCHED_WOKE, 5, 6));
	assert_int_equal(pair(&f, PW_SCHED_WOKE, 5, PW_NO_PID)->n, 1);
	end(&f);
}

static void without_waking_events_wakeups_count(void **state)
{
	struct fixture f;

	(void)state;
	begin_with(&f, NULL);
	set_format(&f, AT_WAKEUP, wake_format);
	sw(&f, 1000, 0, RUNNABLE, 5);
	sw(&f, 1100, 0, SLEEPS, 0);
	wake(&f, AT_WAKEUP, 1500, 0, 5);
	sw(&f, 1600, 0, RUNNABLE, 5);
	pw_sched_end(f.s, NULL);
	assert_int_equal(task(&f, 5)->latency.sum, 100);
	end(&f);
}

/* It runs when the capture begins and when it ends. */
static void edges_are_counted_and_told_apart(void **state)
{
	struct fixture f;
	const struct pw_sched_task *t;

	(void)state;
	begin(&f);
	f.on[0] = 5;
	wake(&f, AT_WAKING, 1000, 0, 9);
	sw(&f, 1200, 0, SLEEPS, 6);
	wake(&f, AT_WAKING, 1700, 0, 5);
	pw_sched_end(f.s, NULL);
	t = task(&f, 5);
	assert_int_equal(t->run_ns, 200);
	assert_int_equal(t->edge_ns, 200);
	assert_int_equal(t->run.n, 0);
	assert_int_equal(t->off_ns[PW_OFF_SLEEPING], 500);
	t = task(&f, 6);
	assert_int_equal(t->run_ns, 500);
	assert_int_equal(t->edge_ns, 500);
	end(&f);
}

static void a_missing_switch_gives_its_time_to_nobody(void **state)
{
	struct fixture f;
	struct pw_event lost = { .type = PW_REC_LOST, .cpu = 0 };

	(void)state;
	begin(&f);
	sw(&f, 1000, 0, RUNNABLE, 5);
	wake(&f, AT_WAKING, 1050, 0, 9);
	lost.time_ns = 1500;
	lost.lost.lost = 7;
	pw_sched_event(f.s, NULL, &lost);
	f.on[0] = 6; /* how it came there is lost */
	sw(&f, 2000, 0, SLEEPS, 5);
	sw(&f, 2100, 0, SLEEPS, 0);
	pw_sched_end(f.s, NULL);
	assert_int_equal(task(&f, 5)->run_ns, 100);
	assert_int_equal(task(&f, 6)->run_ns, 0);
	assert_int_equal(pw_sched_cpu(f.s, 0)->unknown_ns, 1000);
	assert_int_equal(pw_sched_cpu(f.s, 0)->lost, 7);
	assert_int_equal(pw_sched_cpu(f.s, 0)->lost_ns, 450);
	end(&f);
}

/* The report has who only left: no event tells that it came. */
static void who_was_only_seen_leaving_is_told(void **state)
{
	const struct pw_sched_report_opts opts = { 0 };
	struct pw_report *r = pw_report_new("sched", NULL);
	struct fixture f;
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	begin(&f);
	sw(&f, 1000, 0, RUNNABLE, 5);
	f.on[0] = 4711; /* how it came there is missing */
	sw(&f, 2000, 0, SLEEPS, 5);
	pw_sched_end(f.s, NULL);
	pw_sched_report(f.s, &opts, r);
	assert_int_equal(pw_render_json(r, to), 0);
	fclose(to);
	assert_non_null(strstr(text, "\"tid\":4711,\"pid\":"));
	free(text);
	pw_report_free(r);
	end(&f);
}

struct sums {
	const char *key;
	double value, of_blocks;
	int n_blocks;
};

static void take_sum(void *ctx, const struct pw_figure *f)
{
	struct sums *s = ctx;

	if (f->n_names || strcmp(f->key, s->key) != 0)
		return;
	s->value = f->value;
	s->n_blocks = f->n_blocks;
	for (int i = 0; i < f->n_blocks; i++)
		s->of_blocks += f->blocks[i];
}

/* What is counted of the whole machine is counted by time, too. */
static void blocks_of_the_whole_add_up(void **state)
{
	static const char *const keys[] = { "switches", "woken", "migrations",
					    "waiting_time" };
	const struct pw_sched_report_opts opts = { 0 };
	struct pw_report *r = pw_report_new("sched", NULL);
	struct fixture f;

	(void)state;
	begin(&f);
	for (uint64_t i = 0; i < 400; i++) {
		uint32_t cpu = i / 100 % 2;

		wake(&f, AT_WAKING, 1000 + i * 1000000, cpu, 5);
		sw(&f, 300000 + i * 1000000, cpu, PREEMPT, 5);
		sw(&f, 800000 + i * 1000000, cpu, SLEEPS, 0);
	}
	pw_sched_end(f.s, NULL);
	pw_sched_report(f.s, &opts, r);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		struct sums s = { .key = keys[i] };

		pw_report_figures(r, take_sum, &s);
		assert_true(s.value > 0);
		assert_true(s.n_blocks >= 16);
		assert_float_equal(s.of_blocks, s.value, 0.5);
	}
	pw_report_free(r);
	end(&f);
}

static void times_with_losses_in_them_are_told(void **state)
{
	struct fixture f;
	struct pw_event lost = { .type = PW_REC_LOST, .cpu = 0 };

	(void)state;
	begin(&f);
	sw(&f, 1000, 0, RUNNABLE, 5);
	sw(&f, 1000, 1, RUNNABLE, 6);
	lost.time_ns = 1500;
	lost.lost.lost = 1;
	pw_sched_event(f.s, NULL, &lost);
	sw(&f, 1600, 0, SLEEPS, 0);
	sw(&f, 1600, 1, SLEEPS, 0);
	pw_sched_end(f.s, NULL);
	assert_int_equal(task(&f, 5)->touched_ns, 600);
	assert_int_equal(task(&f, 6)->touched_ns, 0);
	end(&f);
}

static void migrations_are_seen_without_their_event(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	sw(&f, 1000, 0, RUNNABLE, 5);
	sw(&f, 1100, 0, RUNNABLE, 0);
	sw(&f, 1200, 1, RUNNABLE, 5);
	sw(&f, 1300, 1, RUNNABLE, 0);
	sw(&f, 1400, 1, RUNNABLE, 5);
	pw_sched_end(f.s, NULL);
	assert_int_equal(task(&f, 5)->n_migrations, 1);
	end(&f);
}

static void a_number_is_used_again_by_another_task(void **state)
{
	struct fixture f;
	uint32_t n = 0;

	(void)state;
	begin(&f);
	sw(&f, 1000, 0, RUNNABLE, 5);
	sw(&f, 1100, 0, DEAD, 0);
	sw(&f, 1500, 0, RUNNABLE, 5);
	sw(&f, 1700, 0, SLEEPS, 0);
	pw_sched_end(f.s, NULL);
	for (uint32_t i = 0; i < pw_sched_n_tasks(f.s); i++) {
		const struct pw_sched_task *t = pw_sched_task(f.s, i);

		if (t->tid == 5) {
			n++;
			assert_int_equal(t->off_ns[PW_OFF_OTHER], 0);
		}
	}
	assert_int_equal(n, 2);
	end(&f);
}

/* The last switch of a thread: the kernel knows its tid no longer. */
static void the_end_of_a_task_is_seen(void **state)
{
	struct pw_event ev = { .type = PW_REC_SAMPLE,
			       .time_ns = 1500,
			       .pid = PW_NO_PID,
			       .tid = PW_NO_PID };
	struct fixture f;

	(void)state;
	begin(&f);
	sw(&f, 1000, 0, RUNNABLE, 5);
	sw(&f, 1200, 0, RUNNABLE, 5); /* lays out raw data */
	f.raw[32] = DEAD;
	f.raw[33] = 0;
	put32(&f, 56, 0);
	ev.attr = &f.attrs[AT_SWITCH];
	ev.sample.raw = f.raw;
	ev.sample.raw_size = sizeof(f.raw);
	pw_sched_event(f.s, NULL, &ev);
	f.on[0] = 0;
	sw(&f, 9000, 0, RUNNABLE, 6);
	pw_sched_end(f.s, NULL);
	assert_int_equal(task(&f, 5)->run_ns, 500);
	assert_int_equal(task(&f, 5)->off_ns[PW_OFF_OTHER], 0);
	assert_int_equal(pw_sched_cpu(f.s, 0)->unknown_ns, 0);
	end(&f);
}

static void what_no_kernel_writes_does_no_harm(void **state)
{
	struct fixture f;
	struct pw_event ev = { .type = PW_REC_SAMPLE, .time_ns = 1500 };

	(void)state;
	begin(&f);
	sw(&f, 1000, 0, RUNNABLE, 5);
	ev.attr = &f.attrs[AT_SWITCH];
	ev.tid = ev.pid = 5;
	ev.cpu = 1u << 31;
	ev.sample.raw = f.raw;
	ev.sample.raw_size = sizeof(f.raw);
	pw_sched_event(f.s, NULL, &ev); /* no such CPU */
	ev.cpu = 0;
	ev.sample.raw_size = 3;
	pw_sched_event(f.s, NULL, &ev); /* cut */
	ev.sample.raw = NULL;
	ev.sample.raw_size = 0;
	pw_sched_event(f.s, NULL, &ev);
	f.on[0] = 5;
	sw(&f, 1600, 0, UINT64_MAX, UINT32_MAX);    /* no such task */
	sw(&f, 100, 0, RUNNABLE, 5);                /* time runs back */
	sw(&f, UINT64_MAX - 1, 0, 'R', 0x7fffffff); /* and away */
	sw(&f, 1, 0, 'D', 5);
	pw_sched_end(f.s, NULL);
	end(&f);
}

static void a_window_cuts_times_and_counts_what_is_in_it(void **state)
{
	const struct pw_sched_opts o = { .from_ns = 200, .to_ns = 600 };
	struct fixture f;

	(void)state;
	begin_with(&f, &o);
	set_format(&f, AT_WAKING, wake_format);
	sw(&f, 1000, 0, RUNNABLE, 5);
	sw(&f, 1300, 0, SLEEPS, 0); /* 100 of 300 are within */
	wake(&f, AT_WAKING, 1400, 0, 5);
	sw(&f, 1500, 0, RUNNABLE, 5);
	sw(&f, 2000, 0, SLEEPS, 0); /* 100 of 500 */
	pw_sched_end(f.s, NULL);
	assert_int_equal(task(&f, 5)->run_ns, 200);
	assert_int_equal(task(&f, 5)->n_in, 1);
	assert_int_equal(task(&f, 5)->off_ns[PW_OFF_SLEEPING], 100);
	assert_int_equal(task(&f, 5)->run.n, 1);
	end(&f);
}

static void only_wanted_cpus_count(void **state)
{
	const struct pw_sched_opts o = { .cpus = "1,3-4" };
	struct fixture f;

	(void)state;
	begin_with(&f, &o);
	sw(&f, 1000, 0, RUNNABLE, 5);
	sw(&f, 1100, 0, RUNNABLE, 0);
	sw(&f, 1200, 1, RUNNABLE, 5);
	sw(&f, 1400, 1, RUNNABLE, 0);
	pw_sched_end(f.s, NULL);
	assert_int_equal(task(&f, 5)->run_ns, 200);
	assert_int_equal(task(&f, 5)->n_in, 1);
	end(&f);
}

static void switch_records_tell_of_times_off_the_cpu(void **state)
{
	struct pw_event ev = { .type = PW_REC_SWITCH_CPU_WIDE,
			       .pid = 5,
			       .tid = 5,
			       .time_ns = 1000 };
	struct pw_err err;
	struct fixture f;

	(void)state;
	memset(&f, 0, sizeof(f));
	f.s = pw_sched_new(NULL, &err);
	pw_sched_event(f.s, NULL, &ev);
	ev.time_ns = 1300;
	ev.swtch.is_out = ev.swtch.is_preempt = true;
	pw_sched_event(f.s, NULL, &ev);
	ev.time_ns = 1500;
	ev.swtch.is_out = false;
	pw_sched_event(f.s, NULL, &ev);
	pw_sched_end(f.s, NULL);
	assert_int_equal(task(&f, 5)->run_ns, 300);
	assert_int_equal(task(&f, 5)->off_ns[PW_OFF_PREEMPTED], 200);
	end(&f);
}

static void record(struct fixture *f, uint64_t time, uint32_t tid, bool is_out)
{
	struct pw_event ev = {
		.type = PW_REC_SWITCH, .pid = tid, .tid = tid, .time_ns = time
	};

	ev.swtch.is_out = is_out;
	pw_sched_event(f->s, NULL, &ev);
}

/*
 *   CPU 0   5: 1000-1300 | others | 5: 1700-1900 | others
 * sched_switch is seen when 5 leaves, a record when it leaves and comes.
 */
static void of_single_tasks_others_are_not_known(void **state)
{
	const struct pw_sched_task *t;
	struct fixture f;

	(void)state;
	begin(&f);
	record(&f, 1000, 5, false);
	f.on[0] = 5;
	sw(&f, 1300, 0, PREEMPT, 6);
	record(&f, 1301, 5, true);
	record(&f, 1700, 5, false);
	f.on[0] = 5;
	sw(&f, 1900, 0, SLEEPS, 7);
	record(&f, 1901, 5, true);
	pw_sched_end(f.s, NULL);
	t = task(&f, 5);
	assert_int_equal(t->run_ns, 500);
	assert_int_equal(t->off_ns[PW_OFF_PREEMPTED], 400);
	assert_int_equal(t->n_in, 2);
	assert_int_equal(t->n_preempted, 1);
	assert_int_equal(t->n_left, 1);
	assert_int_equal(task(&f, 6)->run_ns, 0);
	assert_int_equal(task(&f, 6)->n_in, 0);
	assert_int_equal(pw_sched_cpu(f.s, 0)->busy_ns, 500);
	assert_non_null(pair(&f, PW_SCHED_PREEMPTED, 5, 6));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_time_goes_to_the_state_it_was_spent_in),
		cmocka_unit_test(preempted_is_not_asleep),
		cmocka_unit_test(who_wakes_is_who_runs_there),
		cmocka_unit_test(a_wake_up_in_an_interrupt_is_nobodys),
		cmocka_unit_test(without_waking_events_wakeups_count),
		cmocka_unit_test(edges_are_counted_and_told_apart),
		cmocka_unit_test(a_missing_switch_gives_its_time_to_nobody),
		cmocka_unit_test(who_was_only_seen_leaving_is_told),
		cmocka_unit_test(blocks_of_the_whole_add_up),
		cmocka_unit_test(times_with_losses_in_them_are_told),
		cmocka_unit_test(migrations_are_seen_without_their_event),
		cmocka_unit_test(a_number_is_used_again_by_another_task),
		cmocka_unit_test(the_end_of_a_task_is_seen),
		cmocka_unit_test(what_no_kernel_writes_does_no_harm),
		cmocka_unit_test(a_window_cuts_times_and_counts_what_is_in_it),
		cmocka_unit_test(only_wanted_cpus_count),
		cmocka_unit_test(switch_records_tell_of_times_off_the_cpu),
		cmocka_unit_test(of_single_tasks_others_are_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
