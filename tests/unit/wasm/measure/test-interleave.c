// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interleaved runs with a host that reports times by a script
 * (fake-host.h), so that nothing depends on how fast this machine is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fake-host.h"

#include <math.h>

#define MS 1000000

struct fixture {
	char box[32];
	struct fake_runtime fake;
	struct pw_contestant c[3];
};

static int setup(void **state)
{
	struct fixture *f = pw_zalloc(sizeof(*f));
	struct pw_session_opts o = { .box_dir = f->box };

	strcpy(f->box, "/tmp/pw-test-inter.XXXXXX");
	if (!mkdtemp(f->box))
		return -1;
	fake_runtime_init(&f->fake, "ready");
	for (int i = 0; i < 3; i++) {
		f->c[i].session = pw_session_open(&f->fake.rt, &o, NULL);
		if (!f->c[i].session)
			return -1;
		f->c[i].req.wall_limit_ns = 60000000000ULL;
	}
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	int ret;

	for (int i = 0; i < 3; i++) {
		pw_session_close(f->c[i].session);
		pw_series_release(&f->c[i].series);
		assert_int_equal(f->c[i].series.n, 0);
	}
	ret = pw_remove_tree(f->box, NULL);
	fake_runtime_release(&f->fake);
	free(f);
	return ret;
}

static void interleave(struct fixture *f, size_t n, size_t min, size_t max,
		       double width)
{
	struct pw_interleave_opts o = { min, max, width, 0, 1 };
	struct pw_err err = { 0 };

	if (pw_interleave(f->c, n, &o, &err))
		fail_msg("%s", err.msg);
}

static void contestants_run_in_turn(void **state)
{
	struct fixture *f = *state;

	/* one session for all: its host counts the requests it gets */
	pw_session_close(f->c[1].session);
	pw_session_close(f->c[2].session);
	f->c[1].session = f->c[2].session = f->c[0].session;
	for (int i = 0; i < 3; i++)
		f->c[i].req.module_path = "/count";
	interleave(f, 3, 3, 3, 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(f->c[i].series.n, 3);
		for (int k = 0; k < 3; k++)
			assert_int_equal(f->c[i].series.cpu_ms[k] * 1e6 + 0.5,
					 3 * k + i + 1);
	}
	f->c[1].session = f->c[2].session = NULL;
}

static void times_are_milliseconds_in_order(void **state)
{
	struct fixture *f = *state;
	const double want[] = { 3.5, 1, 2 };

	f->c[0].req.module_path = "/seq:3500000,1000000,2000000";
	interleave(f, 1, 3, 3, 0);
	assert_int_equal(f->c[0].series.n, 3);
	assert_memory_equal(f->c[0].series.cpu_ms, want, sizeof(want));
	assert_int_equal(f->c[0].series.outcome, PW_OUT_OK);
	assert_int_equal(f->c[0].series.last.cpu_ns, 2 * MS);
}

static void a_trap_is_not_run_again(void **state)
{
	struct fixture *f = *state;

	f->c[0].req.module_path = "/end:trap:0";
	f->c[1].req.module_path = "/end:exit:3";
	f->c[2].req.module_path = "/die";
	interleave(f, 3, 4, 4, 0);
	assert_int_equal(f->c[0].series.n_runs, 1);
	assert_int_equal(f->c[0].series.n, 0);
	assert_int_equal(f->c[0].series.outcome, PW_OUT_TRAP);
	assert_int_equal(f->c[1].series.n, 4);
	assert_int_equal(f->c[1].series.last.exit_code, 3);
	assert_int_equal(f->c[2].series.n_runs, 1);
	assert_int_equal(f->c[2].series.outcome, PW_OUT_CRASH);
}

static void nobody_left_ends_it(void **state)
{
	struct fixture *f = *state;

	f->c[0].req.module_path = "/end:trap:0";
	f->c[1].req.module_path = "/end:refused:0";
	interleave(f, 2, 1000000, 1000000, 0);
	assert_int_equal(f->c[0].series.n_runs, 1);
	assert_int_equal(f->c[1].series.n_runs, 1);
}

static void a_run_that_ends_otherwise_is_not_counted(void **state)
{
	struct fixture *f = *state;

	f->c[0].req.module_path = "/flip:3";
	interleave(f, 1, 5, 5, 0);
	assert_int_equal(f->c[0].series.n_runs, 5);
	assert_int_equal(f->c[0].series.n, 2);
	assert_int_equal(f->c[0].series.outcome, PW_OUT_EXIT);
}

static void a_sure_ratio_stops_early(void **state)
{
	struct fixture *f = *state;

	f->c[0].req.module_path = "/ok:6000000";
	f->c[1].req.module_path = "/ok:2000000";
	interleave(f, 2, 4, 50, 0.01);
	assert_int_equal(f->c[0].series.n, 4);
	assert_int_equal(f->c[1].series.n, 4);
}

static void an_unsure_ratio_goes_on_to_the_end(void **state)
{
	struct fixture *f = *state;

	/* half of the times twice the others: the median stays unsure */
	f->c[0].req.module_path = "/seq:1000,2000,1000,2000,1000,2000,1000,"
				  "2000,1000,2000,1000,2000";
	f->c[1].req.module_path = "/ok:1000";
	interleave(f, 2, 3, 12, 0.05);
	assert_int_equal(f->c[0].series.n, 12);
}

static void an_unsure_ratio_becomes_sure(void **state)
{
	struct fixture *f = *state;

	f->c[0].req.module_path = "/seq:2000,1000,3000,2000,2000,2000,2000,"
				  "2000,2000,2000,2000,2000,2000,2000,2000";
	f->c[1].req.module_path = "/ok:1000";
	interleave(f, 2, 2, 100, 0.05);
	assert_in_range(f->c[0].series.n, 4, 30);
}

static void without_an_opponent_the_ratio_is_not_awaited(void **state)
{
	struct fixture *f = *state;

	f->c[0].req.module_path = "/ok:1000";
	f->c[1].req.module_path = "/end:trap:0";
	interleave(f, 2, 3, 1000000, 0.05);
	assert_int_equal(f->c[0].series.n, 3);
}

static void a_spent_budget_still_buys_one_round(void **state)
{
	struct fixture *f = *state;
	struct pw_interleave_opts o = { 1000000, 1000000, 0, 1, 1 };

	f->c[0].req.module_path = "/ok:1";
	f->c[1].req.module_path = "/ok:1";
	assert_int_equal(pw_interleave(f->c, 2, &o, NULL), 0);
	assert_int_equal(f->c[0].series.n, 1);
	assert_int_equal(f->c[1].series.n, 1);
}

static void a_second_call_adds_to_the_first(void **state)
{
	struct fixture *f = *state;

	f->c[0].req.module_path = "/count";
	interleave(f, 1, 2, 2, 0);
	interleave(f, 1, 3, 3, 0);
	assert_int_equal(f->c[0].series.n, 5);
	assert_int_equal(f->c[0].series.cpu_ms[4] * 1e6 + 0.5, 5);
}

static void the_ratio_is_that_of_the_medians(void **state)
{
	double a[] = { 6, 7, 100 }, b[] = { 2, 1, 3, 2 };
	struct pw_series sa = { .cpu_ms = a, .n = 3 };
	struct pw_series sb = { .cpu_ms = b, .n = 4 }, none = { 0 };
	struct pw_ratio r = pw_series_ratio(&sa, &sb, 1);
	struct pw_interval ci = pw_bootstrap_ratio(a, 3, b, 4, 0.95, 1000, 1);

	(void)state;
	assert_true(r.ratio == 3.5);
	assert_int_equal(r.n_a, 3);
	assert_int_equal(r.n_b, 4);
	assert_memory_equal(&r.ci, &ci, sizeof(ci));
	r = pw_series_ratio(&sa, &none, 1);
	assert_true(isnan(r.ratio) && isnan(r.ci.lo));
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		T(contestants_run_in_turn),
		T(times_are_milliseconds_in_order),
		T(a_trap_is_not_run_again),
		T(nobody_left_ends_it),
		T(a_run_that_ends_otherwise_is_not_counted),
		T(a_sure_ratio_stops_early),
		T(an_unsure_ratio_goes_on_to_the_end),
		T(an_unsure_ratio_becomes_sure),
		T(without_an_opponent_the_ratio_is_not_awaited),
		T(a_spent_budget_still_buys_one_round),
		T(a_second_call_adds_to_the_first),
		cmocka_unit_test(the_ratio_is_that_of_the_medians),
	};

	if (argc == 3 && !strcmp(argv[1], "host"))
		return fake_host_main(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
