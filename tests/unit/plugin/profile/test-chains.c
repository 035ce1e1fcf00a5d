// SPDX-License-Identifier: GPL-2.0-only
/* Call chains folded into a tree of functions. */
#include "profile-fixture.h"

#define USER   ((uint64_t)PERF_CONTEXT_USER)
#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)

static void push_chain(struct fixture *f, uint64_t ip, const uint64_t *chain,
		       uint64_t n)
{
	struct pw_push s = sample(f, 7, 10, ip);

	s.callchain = chain;
	s.n_callchain = n;
	pw_profile_push(f->p, &s);
}

/* The chain of a node as "app;f;g". */
static void print_chain(const struct fixture *f, uint32_t node,
			struct pw_buf *out)
{
	struct pw_chain_node n;

	if (node == PW_CHAIN_ROOT)
		return;
	pw_profile_node(f->p, node, &n);
	print_chain(f, n.parent, out);
	pw_buf_printf(out, "%s%s", out->len ? ";" : "",
		      n.comm ? n.comm : n.sym->name);
}

static void assert_chain(const struct fixture *f, const char *want,
			 uint64_t samples)
{
	uint32_t i, n_found = 0;

	for (i = 1; i < pw_profile_n_nodes(f->p); i++) {
		struct pw_count c = pw_profile_node_count(f->p, i, f->cycles);
		struct pw_buf b = { 0 };

		if (!c.samples)
			continue;
		print_chain(f, i, &b);
		if (!strcmp(pw_buf_str(&b), want)) {
			n_found++;
			assert_int_equal(c.samples, samples);
		}
		pw_buf_release(&b);
	}
	assert_int_equal(n_found, samples ? 1 : 0);
}

static void chains_of_the_same_functions_are_one(void **state)
{
	const uint64_t a[] = { USER, 0x7000, 0x8010, 0x9010 };
	const uint64_t b[] = { USER, 0x7004, 0x8020, 0x9010 };
	struct fixture f;

	(void)state;
	begin(&f);
	push_chain(&f, 0x7000, a, 4);
	push_chain(&f, 0x7004, b, 4);
	push_chain(&f, 0x7004, b, 4);
	assert_chain(&f, "app;JS:*js a.js:1:1;mul;add", 3);
	assert_int_equal(self_of(&f, "add"), 3);
	assert_int_equal(self_of(&f, "mul"), 0);
	assert_int_equal(total_of(&f, "mul"), 3);
	assert_int_equal(total_of(&f, "JS:*js a.js:1:1"), 3);
	end(&f);
}

static void recursion_counts_once_in_what_a_function_called(void **state)
{
	const uint64_t a[] = { USER, 0x7000, 0x7010, 0x7010, 0x8010 };
	struct fixture f;

	(void)state;
	begin(&f);
	push_chain(&f, 0x7000, a, 5);
	assert_int_equal(total_of(&f, "add"), 1);
	assert_int_equal(self_of(&f, "add"), 1);
	end(&f);
}

static void a_caller_is_where_the_call_is_not_where_it_returns_to(void **state)
{
	/* the call is the last instruction of mul, whose end is 0x8040 */
	const uint64_t a[] = { USER, 0x7000, 0x8040 };
	struct fixture f;

	(void)state;
	begin(&f);
	push_chain(&f, 0x7000, a, 3);
	assert_chain(&f, "app;mul;add", 1);
	end(&f);
}

static void behind_the_kernel_stands_where_the_user_was(void **state)
{
	const uint64_t a[] = { KERNEL, 0xffffffff81000000, USER, 0x7000,
			       0x8010 };
	struct pw_push s;
	struct fixture f;

	(void)state;
	begin(&f);
	s = sample(&f, 7, 10, 0xffffffff81000000);
	s.cpumode = PERF_RECORD_MISC_KERNEL;
	s.callchain = a;
	s.n_callchain = 5;
	pw_profile_push(f.p, &s);
	/* 0x7000 is no return address: one less would be no code */
	assert_chain(&f, "app;mul;add;[unknown]", 1);
	end(&f);
}

static void
an_address_in_two_chains_is_told_apart_by_what_calls_it(void **state)
{
	const uint64_t a[] = { USER, 0x7000, 0x8010 };
	const uint64_t b[] = { USER, 0x7000, 0x9010 };
	struct fixture f;

	(void)state;
	begin(&f);
	push_chain(&f, 0x7000, a, 3);
	push_chain(&f, 0x7000, b, 3);
	push_chain(&f, 0x7000, a, 3);
	assert_chain(&f, "app;mul;add", 2);
	assert_chain(&f, "app;JS:*js a.js:1:1;add", 1);
	end(&f);
}

static void wasm_only_leaves_out_other_frames(void **state)
{
	const uint64_t a[] = { USER, 0x7000, 0x9010, 0x8010, 0x9010 };
	struct pw_profile_opts o = { .wasm_only = true };
	struct fixture f;

	(void)state;
	begin_with(&f, &o);
	push_chain(&f, 0x7000, a, 5);
	assert_chain(&f, "app;mul;add", 1);
	end(&f);
}

static void chains_are_left_alone_when_nobody_wants_them(void **state)
{
	const uint64_t a[] = { USER, 0x7000, 0x8010 };
	struct pw_profile_opts o = { .no_chains = true };
	struct fixture f;

	(void)state;
	begin_with(&f, &o);
	push_chain(&f, 0x7000, a, 3);
	assert_chain(&f, "app;add", 1);
	end(&f);
}

static void a_full_tree_keeps_every_sample(void **state)
{
	struct pw_profile_opts o = { .max_nodes = 6 };
	uint64_t chain[40] = { USER, 0x7000 };
	struct pw_count sum = { 0, 0 };
	struct fixture f;
	uint32_t i;

	(void)state;
	begin_with(&f, &o);
	for (i = 2; i < 40; i++) {
		chain[i] = i & 1 ? 0x8010 : 0x9010;
		push_chain(&f, 0x7000, chain, i + 1);
	}
	assert_true(pw_profile_n_nodes(f.p) <= 6);
	for (i = 0; i < pw_profile_n_nodes(f.p); i++)
		sum.samples += pw_profile_node_count(f.p, i, f.cycles).samples;
	assert_int_equal(sum.samples, 38);
	end(&f);
}

static void a_task_that_comes_when_the_tree_is_full_has_its_name(void **state)
{
	struct pw_profile_opts o = { .max_nodes = 3 };
	struct pw_chain_node n;
	struct fixture f;
	uint32_t i, n_other = 0;

	(void)state;
	begin_with(&f, &o);
	push(&f, 7, 10, 0x7000);
	push(&f, 8, 11, 0x1000);
	for (i = 1; i < pw_profile_n_nodes(f.p); i++) {
		pw_profile_node(f.p, i, &n);
		if (n.comm && !strcmp(n.comm, "other"))
			n_other +=
				pw_profile_node_count(f.p, i, f.cycles).samples;
	}
	assert_int_equal(n_other, 1);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_of_the_same_functions_are_one),
		cmocka_unit_test(
			recursion_counts_once_in_what_a_function_called),
		cmocka_unit_test(
			a_caller_is_where_the_call_is_not_where_it_returns_to),
		cmocka_unit_test(behind_the_kernel_stands_where_the_user_was),
		cmocka_unit_test(
			an_address_in_two_chains_is_told_apart_by_what_calls_it),
		cmocka_unit_test(wasm_only_leaves_out_other_frames),
		cmocka_unit_test(chains_are_left_alone_when_nobody_wants_them),
		cmocka_unit_test(a_full_tree_keeps_every_sample),
		cmocka_unit_test(
			a_task_that_comes_when_the_tree_is_full_has_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
