// SPDX-License-Identifier: GPL-2.0-only
/* The words of a finding, from counts made by hand; and its journal line. */
#include "../../../../plugin/triage/sides.h"

#include "triage-fixture.h"

#include <errno.h>

static void expect_calls(struct pair *p, const char *want)
{
	char *s = pw_triage_calls_sentence(&p->suspect, &p->oracle);

	assert_string_equal(s, want);
	free(s);
}

static void calls_are_told_for_each_piece_of_work(void **state)
{
	struct pair *p = *state;

	call(&p->s, "futex", 488000, 900);
	call(&p->s, "pwrite64", 60000, 100);
	call(&p->s, "mprotect", 20, 0);
	call(&p->o, "writev", 60000, 100);
	call(&p->o, "lseek", 60000, 20);
	expect_calls(
		p,
		"In one run slow@1 makes 8.1 futex for each pwrite64 (60000 pwrite64, 488000 futex); fast@2 makes 1.0 lseek for each writev (60000 writev, 60000 lseek), no futex");
}

static void a_lone_call_is_told_alone(void **state)
{
	struct pair *p = *state;

	call(&p->s, "write", 5000, 100);
	expect_calls(
		p,
		"In one run slow@1 makes write and little else (5000 write)");
	p->oracle.t = NULL;
	expect_calls(
		p,
		"In one run slow@1 makes write and little else (5000 write)");
}

static void what_only_starts_a_runtime_is_not_told(void **state)
{
	struct pair *p = *state;

	call(&p->s, "mmap", 100, 1);
	call(&p->s, "clock_gettime", 2, 0);
	expect_calls(p, "");
	p->s.has_calls = false;
	expect_calls(p, "");
}

static void expect_cost(struct pair *p, struct pw_host_cost c, const char *want)
{
	char *s = cost_sentence(&p->suspect, &p->oracle, &c);

	assert_string_equal(s, want);
	free(s);
}

static void a_call_s_cost_is_told(void **state)
{
	struct pair *p = *state;
	struct pw_host_cost c = { .name = "wasi.fd_write",
				  .n = 60000,
				  .cpu_ns = 1.8e9,
				  .oracle_cpu_ns = 120e6 };

	expect_cost(
		p, c,
		"60000 calls of wasi.fd_write cost 30.00 us of CPU time each on slow@1, 2.00 us on fast@2");
	c.oracle_cpu_ns = -1;
	expect_cost(
		p, c,
		"60000 calls of wasi.fd_write cost 30.00 us of CPU time each on slow@1");
	c.n = 0;
	expect_cost(p, c, "");
}

/* --- the line -------------------------------------------------------------------- */

static void a_line_comes_back(void **state)
{
	struct pair *p = *state;
	struct pw_buf a = { 0 }, b = { 0 };
	struct pw_triage t;

	spend(&p->s, PW_SPENT_CODE, 3);
	spend(&p->s, PW_SPENT_WAITING, 4);
	p->s.n_samples = 5;
	p->s.ready_ns = 6;
	p->s.baseline_ns = 13;
	p->s.n_threads = 7;
	call(&p->s, "futex", 8, 9);
	p->s.calls[0].n_waits = 10;
	p->s.calls[0].wait_ns = 11;
	p->s.remark = pw_strdup("lost; 3, 4\t%");
	p->s.symbols = pw_zalloc(sizeof(*p->s.symbols));
	p->s.n_symbols = 1;
	p->s.symbols[0] = (struct pw_triage_symbol){ pw_strdup("a<b, c>;\n"),
						     pw_strdup("lib.so"),
						     PW_SPENT_HOST, 12 };
	pw_triage_print(&p->s, &a);
	assert_null(strpbrk(pw_buf_str(&a), "\t\n "));
	assert_int_equal(pw_triage_parse(&t, pw_buf_str(&a), NULL), 0);
	pw_triage_print(&t, &b);
	assert_string_equal(pw_buf_str(&a), pw_buf_str(&b));
	assert_int_equal(t.baseline_ns, 13);
	assert_string_equal(t.symbols[0].name, "a<b, c>;\n");
	assert_int_equal(t.symbols[0].spent, PW_SPENT_HOST);
	assert_string_equal(t.remark, "lost; 3, 4\t%");
	assert_int_equal(t.spent_ns[PW_SPENT_WAITING], 4 * MS);
	pw_triage_release(&t);
	pw_buf_release(&a);
	pw_buf_release(&b);
}

static void other_lines_are_refused(void **state)
{
	static const char *const bad[] = { "",
					   "t",
					   "t,1",
					   "x,1",
					   "t,1,2,3,4,5,6,1;",
					   "t,1,2,3,4,5,6,1;c,futex,1",
					   "t,1,2,3,4,5,6,1;y,a",
					   "t,1,2,3,4,5,6,1;r",
					   "t,1,2,3,4,5,6,1;k,code" };
	struct pw_triage t;
	struct pw_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(pw_triage_parse(&t, bad[i], &err), -EINVAL);
	/* what a newer release adds is passed over */
	assert_int_equal(pw_triage_parse(&t, "t,1,2,3,4,5,6,1;k,magic,9;q,1",
					 NULL),
			 0);
	pw_triage_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(calls_are_told_for_each_piece_of_work),
		T(a_lone_call_is_told_alone),
		T(a_call_s_cost_is_told),
		T(what_only_starts_a_runtime_is_not_told),
		T(a_line_comes_back),
		T(other_lines_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
