// SPDX-License-Identifier: GPL-2.0-only
/* What processes map and inherit, and what threads are called. */
#include "space-fixture.h"

/* Without the file a place is known no closer than the file. */
static void assert_dso(struct fixture *f, uint32_t pid, uint64_t addr,
		       const char *dso)
{
	struct pw_place p;

	assert_string_equal(find(f, pid, addr, &p)->dso, dso);
}

static void an_address_is_in_the_file_that_is_mapped_there(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	feed_mmap(&f, 1, 0x1000, 0x1000, 0x5000, "/bin/a");
	feed_mmap(&f, 1, 0x3000, 0x1000, 0, "/bin/b");
	assert_place(&f, 1, 0x1010, "[unknown]", PW_PLACE_NATIVE, 0x5010);
	assert_dso(&f, 1, 0x1fff, "/bin/a");
	assert_dso(&f, 1, 0x3000, "/bin/b");
	assert_place(&f, 1, 0x2000, "[unknown]", PW_PLACE_UNKNOWN, 0x2000);
	assert_place(&f, 2, 0x1010, "[unknown]", PW_PLACE_UNKNOWN, 0x1010);
	end(&f);
}

static void a_later_map_takes_the_place_of_what_it_covers(void **state)
{
	struct fixture f;
	struct pw_place p;

	(void)state;
	begin(&f);
	feed_mmap(&f, 1, 0x1000, 0x4000, 0, "/bin/a");
	assert_dso(&f, 1, 0x2000, "/bin/a");
	feed_mmap(&f, 1, 0x2000, 0x1000, 0, "/bin/b");
	assert_dso(&f, 1, 0x1fff, "/bin/a");
	assert_dso(&f, 1, 0x2000, "/bin/b");
	assert_dso(&f, 1, 0x2fff, "/bin/b");
	assert_dso(&f, 1, 0x3000, "/bin/a");
	find(&f, 1, 0x3000, &p);
	assert_int_equal(p.off, 0x2000);
	feed_mmap(&f, 1, 0x0800, 0x4000, 0, "/bin/c");
	assert_dso(&f, 1, 0x2000, "/bin/c");
	assert_dso(&f, 1, 0x47ff, "/bin/c");
	assert_dso(&f, 1, 0x4800, "/bin/a");
	end(&f);
}

static void
a_child_has_the_maps_of_its_parent_until_it_makes_its_own(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	feed_mmap(&f, 1, 0x1000, 0x1000, 0, "/bin/a");
	feed_fork(&f, 1, 2, 2, 0);
	assert_dso(&f, 2, 0x1000, "/bin/a");
	feed_mmap(&f, 2, 0x1000, 0x1000, 0, "/bin/b");
	assert_dso(&f, 2, 0x1000, "/bin/b");
	assert_dso(&f, 1, 0x1000, "/bin/a");
	feed_mmap(&f, 1, 0x1000, 0x1000, 0, "/bin/c");
	assert_dso(&f, 2, 0x1000, "/bin/b");
	end(&f);
}

static void exec_forgets_what_was_mapped(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	feed_mmap(&f, 1, 0x1000, 0x1000, 0, "/bin/a");
	feed_comm(&f, 1, "a", false);
	assert_dso(&f, 1, 0x1000, "/bin/a");
	feed_comm(&f, 1, "b", true);
	assert_dso(&f, 1, 0x1000, "[unknown]");
	end(&f);
}

static void a_process_that_was_found_running_inherits_nothing(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	feed_mmap(&f, 1, 0x1000, 0x1000, 0, "/bin/a");
	feed_fork(&f, 1, 2, 2, PERF_RECORD_MISC_FORK_EXEC);
	assert_dso(&f, 2, 0x1000, "[unknown]");
	end(&f);
}

static void a_number_may_be_used_again_when_its_process_has_ended(void **state)
{
	struct pw_event ev = { .type = PW_REC_EXIT };
	struct fixture f;

	(void)state;
	begin(&f);
	feed_mmap(&f, 2, 0x1000, 0x1000, 0, "/bin/a");
	ev.task.pid = ev.task.tid = 2;
	feed(&f, &ev);
	assert_dso(&f, 2, 0x1000, "/bin/a");
	feed_mmap(&f, 1, 0x5000, 0x1000, 0, "/bin/b");
	feed_fork(&f, 1, 2, 2, 0);
	assert_dso(&f, 2, 0x1000, "[unknown]");
	assert_dso(&f, 2, 0x5000, "/bin/b");
	end(&f);
}

static void many_processes_come_and_go(void **state)
{
	struct fixture f;
	uint32_t i;

	(void)state;
	begin(&f);
	feed_mmap(&f, 1, 0x1000, 0x1000, 0, "/bin/a");
	for (i = 2; i < 20000; i++) {
		struct pw_event ev = { .type = PW_REC_EXIT };

		feed_fork(&f, 1, i, i, 0);
		assert_dso(&f, i, 0x1000, "/bin/a");
		ev.task.pid = ev.task.tid = i;
		feed(&f, &ev);
	}
	assert_dso(&f, 2, 0x1000, "[unknown]"); /* long forgotten */
	assert_dso(&f, 19999, 0x1000, "/bin/a");
	end(&f);
}

static void threads_are_called_as_they_say_else_as_who_made_them(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	assert_string_equal(pw_space_comm(f.s, 1, 1), "?");
	assert_string_equal(pw_space_comm(f.s, 0, 0), "swapper");
	feed_comm(&f, 1, "main", false);
	feed_fork(&f, 1, 1, 5, 0);
	assert_string_equal(pw_space_comm(f.s, 1, 5), "main");
	assert_int_equal(pw_space_pid_of(f.s, 5), 1);
	feed_comm(&f, 5, "worker", false);
	assert_string_equal(pw_space_comm(f.s, 1, 5), "worker");
	assert_string_equal(pw_space_comm(f.s, 1, 1), "main");
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			an_address_is_in_the_file_that_is_mapped_there),
		cmocka_unit_test(a_later_map_takes_the_place_of_what_it_covers),
		cmocka_unit_test(
			a_child_has_the_maps_of_its_parent_until_it_makes_its_own),
		cmocka_unit_test(exec_forgets_what_was_mapped),
		cmocka_unit_test(
			a_process_that_was_found_running_inherits_nothing),
		cmocka_unit_test(
			a_number_may_be_used_again_when_its_process_has_ended),
		cmocka_unit_test(many_processes_come_and_go),
		cmocka_unit_test(
			threads_are_called_as_they_say_else_as_who_made_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
