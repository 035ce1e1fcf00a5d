// SPDX-License-Identifier: GPL-2.0-only
/* Which code was where, when: from jitdumps and processes that come and go. */
#include "jitdump-writer.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

/* One dump and the map that has it. */
struct fixture {
	struct jitdump_writer w;
	struct pw_jitmap *m;
	struct pw_jit_counts n;
};

static void begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->m = pw_jitmap_new();
	w_header(&f->w, 62, 1, 0);
}

static void add(struct fixture *f, const struct pw_jit_source *s)
{
	assert_int_equal(pw_jitmap_add_dump_bytes(f->m, f->w.b.data, f->w.b.len,
						  s, &f->n, NULL),
			 0);
}

static void end(struct fixture *f)
{
	pw_jitmap_free(f->m);
	pw_buf_release(&f->w.b);
}

/* Names are compared: "" is none, a name with a ? behind it is early. */
static void assert_at(struct pw_jitmap *m, uint32_t pid, uint64_t addr,
		      uint64_t time, const char *want)
{
	struct pw_jit_hit hit;
	char found[64] = "";

	if (pw_jitmap_find(m, pid, addr, time, &hit))
		snprintf(found, sizeof(found), "%s%s", hit.code->name,
			 hit.is_early ? "?" : "");
	assert_string_equal(found, want);
	assert_true(hit.from_ns <= time);
	assert_true(hit.to_ns > time || time == UINT64_MAX);
}

/* --- time ------------------------------------------------------------------------ */

static void code_is_found_from_its_first_to_its_last_byte(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	w_load(&f.w, 10, 1, 0x1000, 16, 1, "a");
	w_load(&f.w, 11, 1, 0x1010, 16, 2, "b");
	add(&f, NULL);
	assert_at(f.m, 1, 0xfff, 20, "");
	assert_at(f.m, 1, 0x1000, 20, "a");
	assert_at(f.m, 1, 0x100f, 20, "a");
	assert_at(f.m, 1, 0x1010, 20, "b");
	assert_at(f.m, 1, 0x101f, UINT64_MAX, "b");
	assert_at(f.m, 1, 0x1020, 20, "");
	assert_at(f.m, 1, UINT64_MAX, 20, "");
	assert_at(f.m, 2, 0x1000, 20, "");
	end(&f);
}

static void memory_that_is_used_again_has_its_code_of_the_time(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	w_load(&f.w, 10, 1, 0x1000, 64, 1, "old");
	w_load(&f.w, 20, 1, 0x1010, 16, 2, "new");
	w_load(&f.w, 30, 1, 0x0ff0, 64, 3, "newest");
	add(&f, NULL);
	assert_at(f.m, 1, 0x1018, 10, "old");
	assert_at(f.m, 1, 0x1018, 19, "old");
	assert_at(f.m, 1, 0x1018, 20, "new");
	assert_at(f.m, 1, 0x1008, 25, "old");
	assert_at(f.m, 1, 0x1020, 25, "old");
	assert_at(f.m, 1, 0x1018, 30, "newest");
	assert_at(f.m, 1, 0x1038, 30, "old");
	end(&f);
}

static void of_two_of_one_time_the_later_record_wins(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	w_load(&f.w, 10, 1, 0x1000, 16, 1, "short");
	w_load(&f.w, 10, 1, 0x1000, 16, 2, "long");
	w_load(&f.w, 9, 1, 0x1000, 16, 3, "backward");
	add(&f, NULL);
	assert_at(f.m, 1, 0x1000, 10, "long");
	assert_at(f.m, 1, 0x1000, 9, "backward");
	assert_int_equal(f.n.backward, 1);
	end(&f);
}

static void code_told_of_late_is_found_and_marked(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	w_load(&f.w, 10, 1, 0x1000, 16, 1, "a");
	add(&f, NULL);
	assert_at(f.m, 1, 0x1000, 9, "a?");
	assert_at(f.m, 1, 0x1000, 0, "a?");
	end(&f);
}

static void what_is_added_later_is_found(void **state)
{
	struct jitdump_writer w = { 0 };
	struct fixture f;

	(void)state;
	begin(&f);
	w_load(&f.w, 10, 1, 0x1000, 16, 1, "a");
	add(&f, NULL);
	assert_at(f.m, 1, 0x1000, 30, "a");
	w_header(&w, 62, 1, 0);
	w_load(&w, 20, 1, 0x1000, 16, 1, "b");
	assert_int_equal(pw_jitmap_add_dump_bytes(f.m, w.b.data, w.b.len, NULL,
						  NULL, NULL),
			 0);
	assert_at(f.m, 1, 0x1000, 30, "b");
	assert_at(f.m, 1, 0x1000, 19, "a");
	end(&f);
	pw_buf_release(&w.b);
}

static void places_that_cannot_be_are_counted(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	w_load(&f.w, 1, 1, 0x1000, 0, 1, "nothing");
	w_load(&f.w, 2, 1, 0x1000, 0, 2, "endless");
	w_patch32(&f.w, f.w.record + 40, UINT32_MAX);
	w_patch32(&f.w, f.w.record + 44, UINT32_MAX);
	add(&f, NULL);
	assert_int_equal(f.n.unusable, 2);
	assert_at(f.m, 1, 0x1000, 9, "");
	end(&f);
}

static void code_known_by_other_means_is_found(void **state)
{
	char name[] = "lacking";
	struct pw_jit_code like = { .name = name,
				    .addr = 0x1000,
				    .size_bytes = 16,
				    .from_ns = 15,
				    .pid = 1 };
	struct fixture f;

	(void)state;
	begin(&f);
	w_load(&f.w, 10, 1, 0x1010, 16, 1, "a");
	add(&f, NULL);
	assert_non_null(pw_jitmap_add_code(f.m, &like));
	name[0] = 'x';
	assert_at(f.m, 1, 0x100f, 15, "lacking");
	assert_at(f.m, 1, 0x1010, 15, "a");
	like.addr = UINT64_MAX;
	assert_null(pw_jitmap_add_code(f.m, &like));
	like.size_bytes = 0;
	assert_null(pw_jitmap_add_code(f.m, &like));
	assert_int_equal(pw_jitmap_n_codes(f.m), 2);
	end(&f);
}

/* --- moves ------------------------------------------------------------------------ */

static void moved_code_is_at_its_new_place_only(void **state)
{
	static const struct debug_entry line = { 0x1000, 7, "a.c" };
	const struct pw_jit_code *c;
	struct pw_jit_line found;
	struct pw_jit_hit hit;
	struct fixture f;

	(void)state;
	begin(&f);
	w_debug(&f.w, 9, 0x1000, &line, 1);
	w_load(&f.w, 10, 1, 0x1000, 16, 5, "a");
	w_move(&f.w, 20, 1, 0x1000, 0x1008, 16, 5);
	w_move(&f.w, 30, 1, 0x1008, 0x9000, 16, 5);
	add(&f, NULL);
	assert_at(f.m, 1, 0x1008, 15, "a");
	assert_at(f.m, 1, 0x1000, 20, "");
	assert_at(f.m, 1, 0x1008, 20, "a");
	assert_at(f.m, 1, 0x1017, 29, "a");
	assert_at(f.m, 1, 0x1008, 30, "");
	assert_true(pw_jitmap_find(f.m, 1, 0x900f, 30, &hit));
	c = hit.code;
	assert_int_equal(c->addr, 0x9000);
	assert_int_equal(c->from_ns, 30);
	assert_int_equal(c->bytes[15], 5);
	assert_ptr_equal(c->moved_from->moved_from, pw_jitmap_code(f.m, 0));
	assert_true(pw_jit_code_line(c, 3, &found));
	assert_int_equal(found.line, 7);
	assert_int_equal(f.n.unclaimed, 0);
	end(&f);
}

static void the_newest_code_of_an_address_moves(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	w_load(&f.w, 10, 1, 0x1000, 16, 1, "a");
	w_load(&f.w, 11, 1, 0x1000, 16, 2, "b");
	w_move(&f.w, 12, 1, 0x1000, 0x2000, 16, 2);
	w_load(&f.w, 13, 1, 0x1000, 16, 3, "c");
	w_move(&f.w, 14, 1, 0x1000, 0x3000, 16, 3);
	add(&f, NULL);
	assert_at(f.m, 1, 0x2000, 20, "b");
	assert_at(f.m, 1, 0x3000, 20, "c");
	assert_at(f.m, 1, 0x1000, 20, "");
	end(&f);
}

static void a_move_of_what_was_never_loaded_is_counted(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	w_move(&f.w, 12, 1, 0x1000, 0x2000, 16, 2);
	w_load(&f.w, 13, 1, 0x1000, 16, 2, "a");
	w_move(&f.w, 14, 1, 0x1000, 0x2000, 16, 2);
	w_move(&f.w, 15, 1, 0x1000, 0x3000, 16, 2);
	add(&f, NULL);
	assert_int_equal(f.n.unclaimed, 2);
	assert_at(f.m, 1, 0x2000, 20, "a");
	assert_at(f.m, 1, 0x3000, 20, "");
	end(&f);
}

static void a_move_that_grows_has_no_bytes(void **state)
{
	struct pw_jit_hit hit;
	struct fixture f;

	(void)state;
	begin(&f);
	w_load(&f.w, 10, 1, 0x1000, 16, 1, "a");
	w_move(&f.w, 12, 1, 0x1000, 0x2000, 17, 1);
	add(&f, NULL);
	assert_true(pw_jitmap_find(f.m, 1, 0x2010, 20, &hit));
	assert_null(hit.code->bytes);
	end(&f);
}

/* --- debug and unwinding records -------------------------------------------------- */

static void assert_line(const struct pw_jitmap *m, uint32_t idx, uint64_t off,
			uint32_t want)
{
	struct pw_jit_line line = { 0 };
	bool found = pw_jit_code_line(pw_jitmap_code(m, idx), off, &line);

	assert_int_equal(found ? line.line : 0, want);
}

static void lines_belong_to_the_next_code_at_their_address(void **state)
{
	static const struct debug_entry a = { 0x1000, 1, "f" };
	static const struct debug_entry b = { 0x2000, 2, "f" };
	struct fixture f;

	(void)state;
	begin(&f);
	w_load(&f.w, 1, 1, 0x1000, 16, 1, "before");
	w_debug(&f.w, 2, 0x1000, &a, 1);
	w_debug(&f.w, 3, 0x2000, &b, 1); /* of another thread */
	w_load(&f.w, 4, 1, 0x2000, 16, 2, "b");
	w_load(&f.w, 5, 1, 0x1000, 16, 3, "a");
	w_load(&f.w, 6, 1, 0x1000, 16, 4, "after");
	add(&f, NULL);
	assert_line(f.m, 0, 0, 0);
	assert_line(f.m, 1, 15, 2);
	assert_line(f.m, 2, 0, 1);
	assert_line(f.m, 3, 0, 0);
	assert_int_equal(f.n.unclaimed, 0);
	end(&f);
}

static void lines_without_code_are_counted(void **state)
{
	static const struct debug_entry a = { 0x1000, 1, "f" };
	struct fixture f;

	(void)state;
	begin(&f);
	w_debug(&f.w, 1, 0x1000, &a, 1);
	w_debug(&f.w, 2, 0x1000, &a, 1);
	w_debug(&f.w, 3, 0x2000, &a, 1);
	w_load(&f.w, 4, 1, 0x1000, 16, 1, "a");
	add(&f, NULL);
	assert_int_equal(f.n.unclaimed, 2);
	end(&f);
}

static void lines_that_count_from_an_elf_header_are_mended(void **state)
{
	static const struct debug_entry a[] = { { 0x1040, 1, "f" },
						{ 0x1048, 2, "f" } };
	static const struct debug_entry b[] = { { 0x2044, 3, "f" } };
	struct fixture f;

	(void)state;
	begin(&f);
	w_debug(&f.w, 1, 0x1000, a, 2);
	w_load(&f.w, 2, 1, 0x1000, 16, 1, "a");
	w_debug(&f.w, 3, 0x2000, b, 1);
	w_load(&f.w, 4, 1, 0x2000, 16, 2, "b");
	add(&f, NULL);
	assert_line(f.m, 0, 0, 1);
	assert_line(f.m, 0, 7, 1);
	assert_line(f.m, 0, 8, 2);
	assert_line(f.m, 1, 3, 0);
	assert_line(f.m, 1, 4, 3);
	end(&f);
}

static void lines_that_do_not_are_left_alone(void **state)
{
	static const struct debug_entry a[] = { { 0x1000, 1, "f" },
						{ 0x1048, 2, "f" } };
	struct fixture f;

	(void)state;
	begin(&f);
	w_debug(&f.w, 1, 0x1000, a, 2);
	w_load(&f.w, 2, 1, 0x1000, 80, 1, "a");
	add(&f, NULL);
	assert_line(f.m, 0, 8, 1);
	assert_line(f.m, 0, 0x48, 2);
	end(&f);
}

static void lines_that_leave_their_code_are_dropped(void **state)
{
	static const struct debug_entry a[] = { { 0x1040, 1, "f" },
						{ 0x1051, 2, "f" } };
	static const struct debug_entry b[] = { { 0x1040, 3, "f" },
						{ 0x1050, 4, "f" } };
	struct fixture f;

	(void)state;
	begin(&f);
	w_debug(&f.w, 1, 0x1000, a, 2);
	w_load(&f.w, 2, 1, 0x1000, 16, 1, "a");
	w_debug(&f.w, 3, 0x1000, b, 2);
	w_load(&f.w, 4, 1, 0x1000, 16, 2, "b");
	w_debug(&f.w, 5, 0x1000, b, 2);
	f.w.b.data[f.w.record + 48] = 0; /* a zero too many in the name */
	w_load(&f.w, 6, 1, 0x1000, 16, 3, "c");
	add(&f, NULL);
	assert_int_equal(f.n.stray_lines, 2);
	assert_line(f.m, 0, 0, 0);
	assert_line(f.m, 1, 0, 3);
	assert_line(f.m, 1, 15, 3);
	assert_line(f.m, 2, 0, 0);
	end(&f);
}

static void unwinding_belongs_to_the_next_code(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	w_unwind(&f.w, 1, 4, 12);
	w_load(&f.w, 2, 1, 0x1000, 16, 1, "a");
	w_load(&f.w, 3, 1, 0x2000, 16, 2, "b");
	add(&f, NULL);
	assert_int_equal(pw_jitmap_code(f.m, 0)->unwind_size, 12);
	assert_int_equal(pw_jitmap_code(f.m, 0)->unwind[0], 0x55);
	assert_null(pw_jitmap_code(f.m, 1)->unwind);
	end(&f);
}

/* --- clocks and processes ---------------------------------------------------------- */

static void counter_times_become_nanoseconds(void **state)
{
	struct pw_jit_source s = { .time_shift = 2,
				   .time_mult = 6,
				   .time_zero = 100 };
	struct fixture f;

	(void)state;
	begin(&f);
	w_patch32(&f.w, 32, PW_JITDUMP_ARCH_TIME);
	w_load(&f.w, 9, 1, 0x1000, 16, 1, "a");
	add(&f, &s);
	/* 100 + 9 / 4 * 6 + (9 % 4 * 6) / 4 */
	assert_true(pw_jitmap_code(f.m, 0)->from_ns == 113);
	assert_int_equal(f.n.header_fault.code, 0);
	add(&f, NULL);
	assert_true(pw_jitmap_code(f.m, 1)->from_ns == 0);
	assert_int_equal(f.n.header_fault.code, ENOTSUP);
	end(&f);
}

static void the_caller_may_know_the_process_better(void **state)
{
	struct pw_jit_source s = { .pid = 4711 };
	struct fixture f;

	(void)state;
	begin(&f);
	w_load(&f.w, 10, 1, 0x1000, 16, 1, "a"); /* 1: in its namespace */
	add(&f, &s);
	assert_at(f.m, 1, 0x1000, 20, "");
	assert_at(f.m, 4711, 0x1000, 20, "a");
	end(&f);
}

static void a_child_has_its_parents_code_of_then(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	w_load(&f.w, 10, 1, 0x1000, 16, 1, "a");
	w_load(&f.w, 30, 1, 0x1000, 16, 2, "b");
	w_load(&f.w, 30, 1, 0x2000, 16, 3, "late");
	w_load(&f.w, 40, 2, 0x1008, 8, 4, "own");
	add(&f, NULL);
	pw_jitmap_fork(f.m, 1, 2, 20);
	pw_jitmap_fork(f.m, 2, 3, 50);
	assert_at(f.m, 2, 0x1000, 35, "a");
	assert_at(f.m, 1, 0x1000, 35, "b");
	assert_at(f.m, 2, 0x2000, 35, "");
	assert_at(f.m, 2, 0x1008, 39, "a");
	assert_at(f.m, 2, 0x1008, 40, "own");
	assert_at(f.m, 3, 0x1000, 60, "a");
	assert_at(f.m, 3, 0x1008, 60, "own");
	assert_at(f.m, 3, 0x1000, 45, "");
	end(&f);
}

static void a_new_program_has_no_old_code(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	w_load(&f.w, 10, 1, 0x1000, 16, 1, "a");
	w_load(&f.w, 30, 2, 0x1000, 16, 2, "b");
	add(&f, NULL);
	pw_jitmap_fork(f.m, 1, 2, 20);
	pw_jitmap_exec(f.m, 2, 21);
	assert_at(f.m, 2, 0x1000, 20, "a");
	assert_at(f.m, 2, 0x1008, 21, "b?");
	assert_at(f.m, 2, 0x1008, 30, "b");
	pw_jitmap_exec(f.m, 1, 40);
	assert_at(f.m, 1, 0x1008, 40, "");
	end(&f);
}

static void generations_without_end_are_no_trouble(void **state)
{
	struct fixture f;
	uint32_t i;

	(void)state;
	begin(&f);
	add(&f, NULL);
	pw_jitmap_fork(f.m, 1, 1, 1);
	pw_jitmap_fork(f.m, 1, 2, 1);
	pw_jitmap_fork(f.m, 2, 1, 1);
	for (i = 2; i < 100; i++)
		pw_jitmap_fork(f.m, i, i + 1, i);
	assert_at(f.m, 1, 0x1000, 9, "");
	assert_at(f.m, 100, 0x1000, 200, "");
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_is_found_from_its_first_to_its_last_byte),
		cmocka_unit_test(
			memory_that_is_used_again_has_its_code_of_the_time),
		cmocka_unit_test(of_two_of_one_time_the_later_record_wins),
		cmocka_unit_test(code_told_of_late_is_found_and_marked),
		cmocka_unit_test(what_is_added_later_is_found),
		cmocka_unit_test(places_that_cannot_be_are_counted),
		cmocka_unit_test(code_known_by_other_means_is_found),
		cmocka_unit_test(moved_code_is_at_its_new_place_only),
		cmocka_unit_test(the_newest_code_of_an_address_moves),
		cmocka_unit_test(a_move_of_what_was_never_loaded_is_counted),
		cmocka_unit_test(a_move_that_grows_has_no_bytes),
		cmocka_unit_test(
			lines_belong_to_the_next_code_at_their_address),
		cmocka_unit_test(lines_without_code_are_counted),
		cmocka_unit_test(
			lines_that_count_from_an_elf_header_are_mended),
		cmocka_unit_test(lines_that_do_not_are_left_alone),
		cmocka_unit_test(lines_that_leave_their_code_are_dropped),
		cmocka_unit_test(unwinding_belongs_to_the_next_code),
		cmocka_unit_test(counter_times_become_nanoseconds),
		cmocka_unit_test(the_caller_may_know_the_process_better),
		cmocka_unit_test(a_child_has_its_parents_code_of_then),
		cmocka_unit_test(a_new_program_has_no_old_code),
		cmocka_unit_test(generations_without_end_are_no_trouble),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
