// SPDX-License-Identifier: GPL-2.0-only
/* Events of a recording, made by hand, to sums. */
#include "../../../../plugin/triage/triage-impl.h"

#include "triage-fixture.h"

#include <linux/perf_event.h>

#define GUEST    100u
#define OTHER    200u /* the host's own process */
#define WORKER   101u
#define NR_WRITE 1u
#define NR_FUTEX 202u

struct fixture {
	struct reading r;
	struct pw_triage t;
	struct pw_attr clock, enter, exit;
	uint64_t raw;
};

static int begin(void **state)
{
	struct fixture *f = pw_zalloc(sizeof(*f));
	struct pw_space_opts o = { .dir = "/nonexistent", .no_local = true };

	f->clock =
		(struct pw_attr){ .name = "cpu-clock", .sample_period = 1000 };
	f->enter.name = "raw_syscalls:sys_enter";
	f->exit.name = "raw_syscalls:sys_exit";
	f->r.space = pw_space_new(&o);
	f->r.enter = &f->enter;
	f->r.exit = &f->exit;
	f->r.enter_nr.size = f->r.exit_nr.size = 8;
	f->t.n_runs = 1;
	*state = f;
	return 0;
}

static int end(void **state)
{
	struct fixture *f = *state;

	reading_release(&f->r);
	pw_triage_release(&f->t);
	free(f);
	return 0;
}

static void add_window(struct fixture *f, uint64_t from, uint64_t to)
{
	size_t n = f->r.n_windows++;

	f->r.windows =
		pw_realloc(f->r.windows, (n + 1) * sizeof(*f->r.windows));
	f->r.windows[n] = (struct window){ from, to };
}

static struct pw_event event(uint16_t type, uint64_t time, uint32_t pid,
			     uint32_t tid)
{
	return (struct pw_event){
		.type = type, .time_ns = time, .pid = pid, .tid = tid
	};
}

static void clock(struct fixture *f, uint64_t time, uint32_t pid, uint32_t tid,
		  bool in_kernel)
{
	struct pw_event ev = event(PW_REC_SAMPLE, time, pid, tid);

	ev.attr = &f->clock;
	ev.misc = in_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	ev.sample.ip = 0x1234;
	reading_event(&f->r, &ev);
}

static void system_call(struct fixture *f, uint64_t time, uint32_t pid,
			uint32_t tid, uint64_t nr, bool is_enter)
{
	struct pw_event ev = event(PW_REC_SAMPLE, time, pid, tid);

	ev.attr = is_enter ? &f->enter : &f->exit;
	f->raw = nr;
	ev.sample.raw = (const uint8_t *)&f->raw;
	ev.sample.raw_size = sizeof(f->raw);
	reading_event(&f->r, &ev);
}

static void change(struct fixture *f, uint64_t time, uint32_t pid, uint32_t tid,
		   bool is_out, bool is_preempt)
{
	struct pw_event ev = event(PW_REC_SWITCH, time, pid, tid);

	ev.swtch.is_out = is_out;
	ev.swtch.is_preempt = is_preempt;
	reading_event(&f->r, &ev);
}

static void sum_up(struct fixture *f)
{
	reading_end(&f->r);
	reading_sum_up(&f->r, &f->t);
}

static const struct pw_triage_call *find(const struct fixture *f,
					 const char *name)
{
	for (size_t i = 0; i < f->t.n_calls; i++)
		if (!strcmp(f->t.calls[i].name, name))
			return &f->t.calls[i];
	fail_msg("no %s was counted", name);
	return NULL;
}

static void only_the_call_counts(void **state)
{
	struct fixture *f = *state;

	add_window(f, 1000, 2000);
	clock(f, 900, GUEST, GUEST, false);
	system_call(f, 950, GUEST, GUEST, NR_WRITE, true);
	system_call(f, 960, GUEST, GUEST, NR_WRITE, false);
	clock(f, 1000, GUEST, GUEST, false);
	clock(f, 1500, GUEST, GUEST, true);
	system_call(f, 1600, GUEST, GUEST, NR_WRITE, true);
	clock(f, 1700, GUEST, GUEST, true);
	system_call(f, 1800, GUEST, GUEST, NR_WRITE, false);
	clock(f, 2000, GUEST, GUEST, false);
	sum_up(f);
	assert_int_equal(f->t.n_samples, 3);
	assert_int_equal(f->t.spent_ns[PW_SPENT_KERNEL], 2000);
	assert_int_equal(f->t.spent_ns[PW_SPENT_OTHER], 1000);
	assert_int_equal(find(f, "write")->n, 1);
	assert_int_equal(find(f, "write")->ns, 1000);
}

static void threads_of_the_guest_s_process_belong_to_it(void **state)
{
	struct fixture *f = *state;

	add_window(f, 0, 1000);
	clock(f, 1, GUEST, GUEST, false);
	clock(f, 2, GUEST, WORKER, true);
	clock(f, 3, GUEST, GUEST, false);
	system_call(f, 4, GUEST, WORKER, NR_FUTEX, true);
	/* what watches the guest is not the guest */
	system_call(f, 5, OTHER, OTHER, NR_WRITE, true);
	clock(f, 6, OTHER, OTHER, true);
	sum_up(f);
	assert_int_equal(f->t.n_samples, 3);
	assert_int_equal(f->t.n_threads, 2);
	assert_int_equal(f->t.n_calls, 1);
	assert_int_equal(find(f, "futex")->n, 1);
}

static void sleep_is_told_by_its_system_call(void **state)
{
	struct fixture *f = *state;

	add_window(f, 100, 1000);
	clock(f, 110, GUEST, GUEST, false);
	system_call(f, 200, GUEST, GUEST, NR_FUTEX, true);
	change(f, 210, GUEST, GUEST, true, false);
	change(f, 510, GUEST, GUEST, false, false);
	system_call(f, 520, GUEST, GUEST, NR_FUTEX, false);
	/* others ran: that is no waiting */
	change(f, 600, GUEST, GUEST, true, true);
	change(f, 650, GUEST, GUEST, false, false);
	/* a page that had to be fetched */
	change(f, 700, GUEST, GUEST, true, false);
	change(f, 720, GUEST, GUEST, false, false);
	/* a worker that has nothing to do holds nobody up */
	system_call(f, 730, GUEST, WORKER, NR_FUTEX, true);
	change(f, 740, GUEST, WORKER, true, false);
	change(f, 940, GUEST, WORKER, false, false);
	/* still asleep when the call ends */
	system_call(f, 950, GUEST, GUEST, NR_FUTEX, true);
	change(f, 960, GUEST, GUEST, true, false);
	change(f, 1500, GUEST, GUEST, false, false);
	sum_up(f);
	assert_int_equal(f->t.spent_ns[PW_SPENT_WAITING], 300 + 20 + 40);
	assert_int_equal(f->t.ready_ns, 50);
	assert_int_equal(find(f, "futex")->n, 3);
	assert_int_equal(find(f, "futex")->n_waits, 2);
	assert_int_equal(find(f, "futex")->wait_ns, 340);
	assert_int_equal(find(f, "(no system call)")->wait_ns, 20);
}

static void runs_in_processes_of_their_own_are_averaged(void **state)
{
	struct fixture *f = *state;

	f->t.n_runs = 2;
	add_window(f, 0, 100);
	add_window(f, 200, 300);
	for (uint32_t i = 0; i < 2; i++) {
		uint64_t t = 200 * i;

		clock(f, t + 10, GUEST + i, GUEST + i, false);
		clock(f, t + 20, GUEST + i, GUEST + i, true);
		system_call(f, t + 30, GUEST + i, GUEST + i, NR_WRITE, true);
		change(f, t + 40, GUEST + i, GUEST + i, true, false);
		change(f, t + 60, GUEST + i, GUEST + i, false, false);
	}
	sum_up(f);
	assert_int_equal(f->t.n_samples, 4);
	assert_int_equal(f->t.spent_ns[PW_SPENT_KERNEL], 1000);
	assert_int_equal(f->t.spent_ns[PW_SPENT_WAITING], 20);
	assert_int_equal(find(f, "write")->n, 1);
	assert_int_equal(f->t.n_threads, 1);
}

static void a_cut_recording_is_told(void **state)
{
	struct fixture *f = *state;

	add_window(f, 0, 1000);
	clock(f, 10, GUEST, GUEST, false);
	sum_up(f);
	assert_non_null(f->t.remark);
	assert_non_null(strstr(f->t.remark, "full"));
}

static void without_events_there_is_nothing(void **state)
{
	struct fixture *f = *state;

	add_window(f, 0, 1000);
	sum_up(f);
	assert_int_equal(f->t.n_samples, 0);
	assert_int_equal(f->t.n_calls, 0);
	assert_false(f->t.has_calls);
}

#undef T
#define T(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(only_the_call_counts),
		T(threads_of_the_guest_s_process_belong_to_it),
		T(sleep_is_told_by_its_system_call),
		T(runs_in_processes_of_their_own_are_averaged),
		T(a_cut_recording_is_told),
		T(without_events_there_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
