// SPDX-License-Identifier: GPL-2.0-only
/* Samples counted by event, task, function and instruction; the filters. */
#include "profile-fixture.h"

static void samples_count_for_the_function_they_are_in(void **state)
{
	struct pw_function x;
	struct fixture f;

	(void)state;
	begin(&f);
	push(&f, 7, 10, 0x7000);
	push(&f, 7, 11, 0x7010);
	push(&f, 7, 12, 0x9000);
	push(&f, 8, 13, 0x1000);
	assert_int_equal(self_of(&f, "add"), 2);
	assert_int_equal(self_of(&f, "mul"), 0);
	assert_int_equal(self_of(&f, "JS:*js a.js:1:1"), 1);
	x = function(&f, "add");
	assert_int_equal(x.self[f.cycles].period, 200);
	assert_int_equal(x.total[f.cycles].period, 200);
	assert_int_equal(x.sym->func_idx, 3);
	end(&f);
}

static void events_are_counted_side_by_side(void **state)
{
	struct pw_function x;
	struct pw_push s;
	struct fixture f;
	uint32_t misses;

	(void)state;
	begin(&f);
	misses = pw_profile_add_event(f.p, "cache-misses");
	assert_int_equal(pw_profile_add_event(f.p, "cycles"), f.cycles);
	push(&f, 7, 10, 0x7000);
	s = sample(&f, 7, 11, 0x7000);
	s.event = misses;
	s.period = 5;
	pw_profile_push(f.p, &s);
	pw_profile_push(f.p, &s);
	x = function(&f, "add");
	assert_int_equal(x.self[f.cycles].samples, 1);
	assert_int_equal(x.self[misses].samples, 2);
	assert_int_equal(x.self[misses].period, 10);
	assert_int_equal(pw_profile_event_info(f.p, misses)->total.period, 10);
	assert_int_equal(pw_profile_main_event(f.p), f.cycles);
	end(&f);
}

static void each_task_has_its_share_of_every_kind(void **state)
{
	struct pw_task t;
	struct fixture f;
	uint32_t i, n_found = 0;

	(void)state;
	begin(&f);
	feed_comm(&f, 7, 70, "worker");
	push(&f, 7, 10, 0x7000);
	push(&f, 7, 30, 0x9000);
	push(&f, 70, 20, 0x8000);
	for (i = 0; i < pw_profile_n_tasks(f.p); i++) {
		pw_profile_task(f.p, i, &t);
		if (t.tid == 7) {
			n_found++;
			assert_string_equal(t.comm, "app");
			assert_int_equal(t.events[f.cycles].samples, 2);
			assert_int_equal(t.kinds[PW_PLACE_WASM].samples, 1);
			assert_int_equal(t.kinds[PW_PLACE_SCRIPT].samples, 1);
			assert_int_equal(t.first_ns, 10);
			assert_int_equal(t.last_ns, 30);
		} else if (t.tid == 70) {
			n_found++;
			assert_int_equal(t.pid, 7);
			assert_string_equal(t.comm, "worker");
			assert_int_equal(t.kinds[PW_PLACE_WASM].samples, 1);
		}
	}
	assert_int_equal(n_found, 2);
	end(&f);
}

static void a_task_that_changes_its_name_counts_under_both(void **state)
{
	struct pw_chain_node n;
	struct fixture f;
	uint32_t i, n_app = 0, n_new = 0;

	(void)state;
	begin(&f);
	push(&f, 7, 10, 0x7000);
	feed_comm(&f, 7, 7, "new");
	push(&f, 7, 11, 0x7000);
	for (i = 1; i < pw_profile_n_nodes(f.p); i++) {
		pw_profile_node(f.p, i, &n);
		if (!n.comm)
			continue;
		n_app += !strcmp(n.comm, "app");
		n_new += !strcmp(n.comm, "new");
	}
	assert_int_equal(n_app, 1);
	assert_int_equal(n_new, 1);
	assert_int_equal(self_of(&f, "add"), 2);
	end(&f);
}

static void instructions_are_counted_by_offset(void **state)
{
	struct pw_hit h;
	struct fixture f;
	uint32_t i;

	(void)state;
	begin(&f);
	push(&f, 7, 10, 0x7004);
	push(&f, 7, 11, 0x7004);
	push(&f, 7, 12, 0x7005);
	assert_int_equal(pw_profile_n_hits(f.p), 2);
	for (i = 0; i < 2; i++) {
		pw_profile_hit(f.p, i, &h);
		assert_string_equal(h.piece->sym->name, "add");
		assert_int_equal(h.events[f.cycles].samples,
				 h.off == 4 ? 2 : 1);
	}
	end(&f);
}

static void samples_pushed_together_count_as_if_each_was(void **state)
{
	static const struct pw_alike a[] = { { 0x7000, 1, 10 },
					     { 0x7004, 2, 30 },
					     { 0x7004, 1, 5 },
					     { 0x8010, 4, 40 },
					     { 0xffff0000, 1, 7 } };
	struct fixture one, all;
	struct pw_push s = { .pid = 7, .tid = 7, .time_ns = 9, .cpumode = 2 };
	uint32_t i;

	(void)state;
	begin(&one);
	begin(&all);
	pw_profile_push_alike(all.p, &s, a, 5);
	for (i = 0; i < 5; i++) {
		s.ip = a[i].ip;
		s.n_samples = a[i].n;
		s.period = a[i].period;
		pw_profile_push(one.p, &s);
	}
	pw_profile_end(one.p, NULL);
	pw_profile_end(all.p, NULL);
	assert_memory_equal(&pw_profile_event_info(all.p, 0)->total,
			    &pw_profile_event_info(one.p, 0)->total,
			    sizeof(struct pw_count));
	assert_int_equal(pw_profile_event_info(all.p, 0)->total.samples, 9);
	assert_int_equal(pw_profile_n_hits(all.p), 4);
	assert_int_equal(pw_profile_n_functions(all.p),
			 pw_profile_n_functions(one.p));
	for (i = 0; i < pw_profile_n_hits(all.p); i++) {
		struct pw_hit x, y;

		pw_profile_hit(all.p, i, &x);
		pw_profile_hit(one.p, i, &y);
		assert_int_equal(x.off, y.off);
		assert_string_equal(x.piece->sym->name, y.piece->sym->name);
		assert_memory_equal(x.events, y.events, sizeof(*x.events));
	}
	end(&one);
	end(&all);
}

static void more_instructions_than_the_bound_are_told(void **state)
{
	struct pw_profile_opts o = { .max_insns = 3, .max_nodes = 4 };
	struct pw_report *r;
	struct fixture f;
	uint64_t i;

	(void)state;
	begin_with(&f, &o);
	for (i = 0; i < 10; i++)
		push(&f, 7, 10 + i, 0x7000 + i);
	push(&f, 7, 30, 0x8000);
	assert_int_equal(pw_profile_n_hits(f.p), 3);
	/* counts by function lack nothing */
	assert_int_equal(self_of(&f, "add"), 10);
	assert_true(pw_profile_n_nodes(f.p) <= 4);
	r = pw_report_new("report", NULL);
	assert_int_equal(pw_profile_report(f.p, NULL, r, NULL), 0);
	pw_report_free(r);
	end(&f);
}

/* --- filters --------------------------------------------------------------------- */

static uint64_t kept(struct fixture *f)
{
	return pw_profile_event_info(f->p, f->cycles)->total.samples;
}

static void push_four(struct fixture *f)
{
	push(f, 7, 10, 0x7000);
	push(f, 7, 20, 0x9000);
	push(f, 70, 30, 0x8000);
	push(f, 8, 40, 0x1000);
}

static uint64_t kept_with(struct pw_profile_opts o)
{
	struct fixture f;
	uint64_t n;

	begin_with(&f, &o);
	feed_comm(&f, 7, 70, "worker");
	push_four(&f);
	n = kept(&f);
	assert_int_equal(pw_profile_event_info(f.p, f.cycles)->filtered, 4 - n);
	end(&f);
	return n;
}

static void a_task_is_wanted_by_name_or_number(void **state)
{
	const char *app[] = { "app", NULL }, *pid[] = { "7", NULL };
	const char *two[] = { "70", "other", NULL }, *none[] = { "x", NULL };

	(void)state;
	assert_int_equal(kept_with((struct pw_profile_opts){ .tasks = app }),
			 2);
	assert_int_equal(kept_with((struct pw_profile_opts){ .tasks = pid }),
			 3);
	assert_int_equal(kept_with((struct pw_profile_opts){ .tasks = two }),
			 2);
	assert_int_equal(kept_with((struct pw_profile_opts){ .tasks = none }),
			 0);
}

static void a_time_window_has_its_start_and_not_its_end(void **state)
{
	struct pw_profile_opts o = { .from_ns = 20, .to_ns = 40 };

	(void)state;
	assert_int_equal(kept_with(o), 2);
}

static void wasm_only_keeps_samples_in_wasm_code(void **state)
{
	struct pw_profile_opts o = { .wasm_only = true };

	(void)state;
	assert_int_equal(kept_with(o), 2);
}

static void a_file_is_wanted_by_its_name(void **state)
{
	const char *file[] = { "other", NULL },
		   *path[] = { "/bin/other", NULL };

	(void)state;
	assert_int_equal(kept_with((struct pw_profile_opts){ .modules = file }),
			 1);
	assert_int_equal(kept_with((struct pw_profile_opts){ .modules = path }),
			 1);
}

static void a_function_is_found_by_index_name_and_part(void **state)
{
	struct pw_function x;
	struct fixture f;
	uint32_t idx[4];

	(void)state;
	begin(&f);
	push_four(&f);
	push(&f, 7, 50, 0x8000);
	assert_int_equal(pw_profile_find(f.p, "f4", idx, 4), 1);
	pw_profile_function(f.p, idx[0], &x);
	assert_string_equal(x.sym->name, "mul");
	assert_int_equal(pw_profile_find(f.p, "3", idx, 4), 1);
	assert_int_equal(pw_profile_find(f.p, "add", idx, 4), 1);
	assert_int_equal(pw_profile_find(f.p, "a", idx, 4), 2);
	assert_int_equal(pw_profile_find(f.p, "nothing", idx, 4), 0);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_count_for_the_function_they_are_in),
		cmocka_unit_test(events_are_counted_side_by_side),
		cmocka_unit_test(each_task_has_its_share_of_every_kind),
		cmocka_unit_test(
			a_task_that_changes_its_name_counts_under_both),
		cmocka_unit_test(instructions_are_counted_by_offset),
		cmocka_unit_test(samples_pushed_together_count_as_if_each_was),
		cmocka_unit_test(more_instructions_than_the_bound_are_told),
		cmocka_unit_test(a_task_is_wanted_by_name_or_number),
		cmocka_unit_test(a_time_window_has_its_start_and_not_its_end),
		cmocka_unit_test(wasm_only_keeps_samples_in_wasm_code),
		cmocka_unit_test(a_file_is_wanted_by_its_name),
		cmocka_unit_test(a_function_is_found_by_index_name_and_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
