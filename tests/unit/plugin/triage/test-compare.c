// SPDX-License-Identifier: GPL-2.0-only
/* Where an excess is, from splits made by hand. */
#include "triage-fixture.h"

#include <math.h>

static struct pw_triage_gap gap_of(struct pair *p, bool has_imports)
{
	struct pw_triage_gap g;

	pw_triage_compare(&p->suspect, &p->oracle, has_imports, &g);
	return g;
}

static void assert_near(double a, double b)
{
	assert_true(fabs(a - b) < 1e-6 * fabs(b) + 1e-9);
}

static void an_excess_in_generated_code_is_seen(void **state)
{
	struct pair *p = *state;
	struct pw_triage_gap g;

	spend(&p->s, PW_SPENT_CODE, 800);
	spend(&p->s, PW_SPENT_KERNEL, 10);
	spend(&p->o, PW_SPENT_CODE, 200);
	g = gap_of(p, true);
	assert_int_equal(g.where, PW_EXCESS_CODE);
	assert_near(g.total_ns, 610. * MS);
	assert_near(g.outside_ns, 10. * MS);
	assert_near(g.cpu_ratio, 4.05);
}

static void calls_into_the_host_are_seen(void **state)
{
	struct pair *p = *state;

	spend(&p->s, PW_SPENT_KERNEL, 500);
	spend(&p->s, PW_SPENT_HOST, 100);
	spend(&p->s, PW_SPENT_WAITING, 300);
	call(&p->s, "futex", 1000, 450);
	spend(&p->o, PW_SPENT_KERNEL, 50);
	assert_int_equal(gap_of(p, true).where, PW_EXCESS_HOST);
	/* who imports nothing calls no function of the host */
	assert_int_equal(gap_of(p, false).where, PW_EXCESS_BUILTIN);
}

static void waiting_alone_is_an_excess(void **state)
{
	struct pair *p = *state;
	struct pw_triage_gap g;

	spend(&p->s, PW_SPENT_CODE, 100);
	spend(&p->o, PW_SPENT_CODE, 100);
	spend(&p->s, PW_SPENT_WAITING, 300);
	g = gap_of(p, true);
	assert_int_equal(g.where, PW_EXCESS_HOST);
	assert_near(g.cpu_ratio, 1);
	assert_near(g.wall_ratio, 4);
}

static void memory_calls_are_the_work_of_an_instruction(void **state)
{
	struct pair *p = *state;

	spend(&p->s, PW_SPENT_KERNEL, 500);
	call(&p->s, "mprotect", 1000, 450);
	call(&p->s, "write", 10, 20);
	spend(&p->o, PW_SPENT_CODE, 10);
	assert_int_equal(gap_of(p, true).where, PW_EXCESS_BUILTIN);
	/* not counted: they may be anything */
	p->s.has_calls = false;
	assert_int_equal(gap_of(p, true).where, PW_EXCESS_HOST);
}

static void builtins_are_the_work_of_an_instruction(void **state)
{
	struct pair *p = *state;

	spend(&p->s, PW_SPENT_BUILTIN, 700);
	spend(&p->s, PW_SPENT_RUNTIME, 300);
	spend(&p->o, PW_SPENT_CODE, 100);
	assert_int_equal(gap_of(p, true).where, PW_EXCESS_BUILTIN);
}

static void a_runtime_that_tells_no_names_leaves_the_road_open(void **state)
{
	struct pair *p = *state;

	spend(&p->s, PW_SPENT_RUNTIME, 1000);
	spend(&p->o, PW_SPENT_RUNTIME, 100);
	assert_int_equal(gap_of(p, true).where, PW_EXCESS_UNKNOWN);
}

static void some_of_both_is_mixed(void **state)
{
	struct pair *p = *state;

	spend(&p->s, PW_SPENT_CODE, 300);
	spend(&p->s, PW_SPENT_KERNEL, 300);
	spend(&p->o, PW_SPENT_CODE, 100);
	assert_int_equal(gap_of(p, true).where, PW_EXCESS_MIXED);
}

static void no_excess_is_none(void **state)
{
	struct pair *p = *state;

	spend(&p->s, PW_SPENT_CODE, 300);
	spend(&p->o, PW_SPENT_CODE, 299);
	spend(&p->o, PW_SPENT_KERNEL, 299);
	assert_int_equal(gap_of(p, true).where, PW_EXCESS_NONE);
}

/* What one runtime does in its own code, another does in generated code. */
static void kinds_make_up_for_each_other(void **state)
{
	struct pair *p = *state;
	struct pw_triage_gap g;

	spend(&p->s, PW_SPENT_RUNTIME, 100);
	spend(&p->s, PW_SPENT_CODE, 900);
	spend(&p->o, PW_SPENT_KERNEL, 100);
	spend(&p->o, PW_SPENT_CODE, 100);
	g = gap_of(p, true);
	assert_int_equal(g.where, PW_EXCESS_CODE);
	assert_near(g.outside_ns, 0);
}

static void recording_s_cost_is_taken_off(void **state)
{
	struct pair *p = *state;
	struct pw_triage_gap g;

	/* recorded twice as slow as it is */
	spend(&p->s, PW_SPENT_CODE, 200);
	spend(&p->s, PW_SPENT_KERNEL, 600);
	p->suspect.cpu_ns = 400. * MS;
	p->oracle.cpu_ns = 100. * MS;
	p->oracle.t = NULL;
	g = gap_of(p, true);
	assert_near(g.excess_ns[PW_SPENT_KERNEL], 300. * MS);
	assert_near(g.excess_ns[PW_SPENT_CODE], 0);
	assert_near(g.cpu_ratio, 4);
	assert_int_equal(g.where, PW_EXCESS_HOST);
}

static void an_oracle_without_time_divides_nothing(void **state)
{
	struct pair *p = *state;
	struct pw_triage_gap g;

	spend(&p->s, PW_SPENT_CODE, 200);
	g = gap_of(p, true);
	assert_int_equal(g.where, PW_EXCESS_CODE);
	assert_near(g.cpu_ratio, 0);
}

static void calls_of_other_runs_are_scaled(void **state)
{
	struct pair *p = *state;

	/* half as much in the kernel when nobody counts */
	spend(&p->s, PW_SPENT_KERNEL, 100);
	spend(&p->s, PW_SPENT_WAITING, 30);
	spend(&p->o, PW_SPENT_KERNEL, 200);
	spend(&p->o, PW_SPENT_WAITING, 300);
	call(&p->o, "futex", 1000, 150);
	p->o.calls[0].wait_ns = 300 * MS;
	pw_triage_take_calls(&p->s, &p->o);
	assert_true(p->s.has_calls);
	assert_int_equal(p->s.n_calls, 1);
	assert_int_equal(p->s.calls[0].n, 1000);
	assert_int_equal(p->s.calls[0].ns, 75 * MS);
	assert_int_equal(p->s.calls[0].wait_ns, 30 * MS);
}

static void what_was_not_counted_is_remarked_once(void **state)
{
	struct pair *p = *state;

	spend(&p->s, PW_SPENT_KERNEL, 100);
	p->s.remark = pw_strdup("2 events were lost");
	p->o.remark = pw_strdup("not counted");
	pw_triage_take_calls(&p->s, &p->o);
	pw_triage_take_calls(&p->s, &p->o);
	assert_false(p->s.has_calls);
	assert_string_equal(p->s.remark, "2 events were lost; not counted");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(an_excess_in_generated_code_is_seen),
		T(calls_into_the_host_are_seen),
		T(waiting_alone_is_an_excess),
		T(memory_calls_are_the_work_of_an_instruction),
		T(builtins_are_the_work_of_an_instruction),
		T(a_runtime_that_tells_no_names_leaves_the_road_open),
		T(some_of_both_is_mixed),
		T(no_excess_is_none),
		T(kinds_make_up_for_each_other),
		T(recording_s_cost_is_taken_off),
		T(an_oracle_without_time_divides_nothing),
		T(calls_of_other_runs_are_scaled),
		T(what_was_not_counted_is_remarked_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
