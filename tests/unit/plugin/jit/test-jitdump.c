// SPDX-License-Identifier: GPL-2.0-only
/* Jitdumps of both byte orders, whole, cut and broken, built by hand. */
#include "jitdump-writer.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#define X86_64 62

static void each_type(struct jitdump_writer *w)
{
	static const struct debug_entry lines[] = { { 0x1040, 7, "a.c" },
						    { 0x1048, 8, "\xff" },
						    { 0x104c, 9, "b.c" } };

	w_header(w, X86_64, 42, 0);
	w_debug(w, 10, 0x1000, lines, 3);
	w_unwind(w, 11, 4, 12);
	w_load(w, 12, 42, 0x1000, 16, 1, "one");
	w_begin(w, 77, 13); /* of a later version */
	w64(w, 99);
	w_end(w);
	w_move(w, 14, 42, 0x1000, 0x2000, 16, 1);
	w_close(w, 15);
}

static void check_load(const struct pw_jit_record *r)
{
	assert_int_equal(r->time, 12);
	assert_int_equal(r->pid, 42);
	assert_int_equal(r->tid, 43);
	assert_int_equal(r->addr, 0x1000);
	assert_int_equal(r->code_size, 16);
	assert_int_equal(r->code_idx, 1);
	assert_string_equal(r->name, "one");
	assert_int_equal(r->code[0], 1);
	assert_int_equal(r->code[15], 1);
}

static void check_debug(const struct pw_jit_record *r)
{
	struct pw_jit_lines l = r->lines;
	struct pw_jit_line line = { 0 };

	assert_int_equal(r->addr, 0x1000);
	assert_int_equal(l.n, 3);
	assert_true(pw_jit_lines_next(&l, &line));
	assert_int_equal(line.code_off, 0x40);
	assert_int_equal(line.line, 7);
	assert_string_equal(line.file, "a.c");
	assert_true(pw_jit_lines_next(&l, &line));
	assert_int_equal(line.line, 8);
	assert_string_equal(line.file, "a.c");
	assert_true(pw_jit_lines_next(&l, &line));
	assert_string_equal(line.file, "b.c");
	assert_false(pw_jit_lines_next(&l, &line));
}

static void check_each_type(bool is_big)
{
	struct jitdump_writer w = { .is_big = is_big };
	struct pw_jit_record r;
	struct pw_jitdump d;

	each_type(&w);
	assert_int_equal(pw_jitdump_open_bytes(&d, w.b.data, w.b.len, X86_64,
					       NULL),
			 0);
	assert_int_equal(d.machine, X86_64);
	assert_int_equal(d.pid, 42);
	assert_true(pw_jitdump_next(&d, &r) && r.type == PW_JIT_DEBUG_INFO);
	assert_int_equal(r.off, 40);
	check_debug(&r);
	assert_true(pw_jitdump_next(&d, &r) && r.type == PW_JIT_UNWINDING_INFO);
	assert_int_equal(r.unwind_size, 12);
	assert_int_equal(r.eh_frame_hdr_size, 4);
	assert_int_equal(r.unwind[11], 0x55);
	assert_true(pw_jitdump_next(&d, &r) && r.type == PW_JIT_LOAD);
	check_load(&r);
	assert_true(pw_jitdump_next(&d, &r) && r.type == 77);
	assert_true(pw_jitdump_next(&d, &r) && r.type == PW_JIT_MOVE);
	assert_int_equal(r.addr, 0x1000);
	assert_int_equal(r.new_addr, 0x2000);
	assert_true(pw_jitdump_next(&d, &r) && r.type == PW_JIT_CLOSE);
	assert_false(pw_jitdump_next(&d, &r));
	assert_int_equal(d.counts.records[PW_JIT_LOAD], 1);
	assert_int_equal(d.counts.unknown, 1);
	assert_int_equal(d.counts.tail_bytes, 0);
	assert_int_equal(d.counts.first_fault.code, 0);
	pw_jitdump_close(&d);
	pw_buf_release(&w.b);
}

static void every_type_is_read(void **state)
{
	(void)state;
	check_each_type(false);
}

static void every_type_is_read_in_the_other_byte_order(void **state)
{
	(void)state;
	check_each_type(true);
}

static void its_name_tells_the_process(void **state)
{
	static const char *const none[] = {
		"jit-.dump",      "jit-12.dump.gz",      "jit-12-.dump",
		"jit-1-2-3.dump", "xjit-12.dump",        "jit-12",
		"jit-x12.dump",   "jit-4294967296.dump", "",
		"jit-12.dump/",
	};
	uint32_t pid = 0;
	size_t i;

	(void)state;
	assert_true(pw_jitdump_is_path("jit-12.dump", &pid));
	assert_int_equal(pid, 12);
	assert_true(pw_jitdump_is_path("/a/jit-9/jit-4294967295.dump", &pid));
	assert_int_equal(pid, UINT32_MAX);
	assert_true(pw_jitdump_is_path("/tmp/jit-9257-9246.dump", &pid));
	assert_int_equal(pid, 9246);
	assert_true(pw_jitdump_is_path("jit-12.dump", NULL));
	for (i = 0; i < sizeof(none) / sizeof(*none); i++)
		if (pw_jitdump_is_path(none[i], &pid))
			fail_msg("%s is taken for a jitdump", none[i]);
}

/* --- headers ------------------------------------------------------------------ */

static void assert_refused(const struct jitdump_writer *w, uint64_t off,
			   const char *part)
{
	struct pw_err err = { 0 };
	struct pw_jitdump d;

	assert_true(pw_jitdump_open_bytes(&d, w->b.data, w->b.len, X86_64,
					  &err) < 0);
	assert_int_equal(err.off, off);
	if (!strstr(err.msg, part))
		fail_msg("'%s' lacks '%s'", err.msg, part);
}

static void a_foreign_header_is_refused_with_its_offset(void **state)
{
	static const struct {
		uint32_t off, value;
		const char *part;
	} wrong[] = {
		{ 0, 0x12345678, "magic" },
		{ 4, 2, "found 2" },
		{ 8, 39, "one of 39" },
		{ 8, 41, "in a file of 40" },
		{ 12, 183, "found code for 183" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct jitdump_writer w = { 0 };

		w_header(&w, X86_64, 1, 0);
		w_patch32(&w, wrong[i].off, wrong[i].value);
		assert_refused(&w, wrong[i].off, wrong[i].part);
		pw_buf_release(&w.b);
	}
}

static void a_file_too_short_for_a_header_is_refused(void **state)
{
	struct jitdump_writer w = { 0 };
	size_t n;

	(void)state;
	w_header(&w, X86_64, 1, 0);
	for (n = 0; n < 40; n++) {
		w.b.len = n;
		assert_refused(&w, n, "40 bytes expected");
	}
	pw_buf_release(&w.b);
}

static void a_longer_header_is_passed_over(void **state)
{
	struct jitdump_writer w = { 0 };
	struct pw_jit_record r;
	struct pw_jitdump d;

	(void)state;
	w_header(&w, X86_64, 1, 0);
	w64(&w, 0);
	w_patch32(&w, 8, 48);
	w_close(&w, 1);
	assert_int_equal(pw_jitdump_open_bytes(&d, w.b.data, w.b.len, 0, NULL),
			 0);
	assert_true(pw_jitdump_next(&d, &r) && r.type == PW_JIT_CLOSE);
	pw_buf_release(&w.b);
}

static void unknown_flags_are_told_and_the_rest_is_read(void **state)
{
	struct jitdump_writer w = { 0 };
	struct pw_jit_record r;
	struct pw_jitdump d;

	(void)state;
	w_header(&w, X86_64, 1, 4);
	w_close(&w, 1);
	assert_int_equal(pw_jitdump_open_bytes(&d, w.b.data, w.b.len, 0, NULL),
			 0);
	assert_int_equal(d.counts.header_fault.off, 32);
	assert_true(pw_jitdump_next(&d, &r));
	pw_buf_release(&w.b);
}

static void a_missing_file_is_an_error(void **state)
{
	struct pw_err err = { 0 };
	struct pw_jitdump d;

	(void)state;
	assert_int_equal(pw_jitdump_open(&d, "/nowhere/jit-1.dump", 0, &err),
			 -ENOENT);
	assert_non_null(strstr(err.msg, "/nowhere/jit-1.dump"));
	pw_jitdump_close(&d);
}

/* --- records ------------------------------------------------------------------- */

/* Reads all; the counts are in *n. */
static uint64_t count(const struct jitdump_writer *w, struct pw_jit_counts *n)
{
	uint8_t *exact = malloc(w->b.len ? w->b.len : 1);
	struct pw_jit_record r;
	struct pw_jitdump d;
	uint64_t n_read = 0;

	assert_non_null(exact);
	memcpy(exact, w->b.data, w->b.len);
	assert_int_equal(pw_jitdump_open_bytes(&d, exact, w->b.len, 0, NULL),
			 0);
	while (pw_jitdump_next(&d, &r))
		n_read++;
	*n = d.counts;
	free(exact);
	return n_read;
}

static void a_dump_may_be_cut_at_every_byte(void **state)
{
	struct jitdump_writer w = { 0 };
	size_t whole, ends[6] = { 40 }, k, n_ends = 1;
	struct pw_jit_record r;
	struct pw_jit_counts n;
	struct pw_jitdump d;

	(void)state;
	each_type(&w);
	whole = w.b.len;
	pw_jitdump_open_bytes(&d, w.b.data, whole, 0, NULL);
	while (pw_jitdump_next(&d, &r) && n_ends < 6)
		ends[n_ends++] = r.off + r.size_bytes;
	assert_int_equal(n_ends, 6);
	for (w.b.len = 40; w.b.len < whole; w.b.len++) {
		for (k = 0; k + 1 < n_ends && ends[k + 1] <= w.b.len;)
			k++;
		assert_int_equal(count(&w, &n), k);
		assert_int_equal(n.tail_bytes, w.b.len - ends[k]);
		if (n.tail_bytes)
			assert_int_equal(n.first_fault.off, ends[k]);
		else
			assert_int_equal(n.first_fault.code, 0);
	}
	w.b.len = whole;
	pw_buf_release(&w.b);
}

static void a_record_of_no_size_ends_the_reading(void **state)
{
	struct jitdump_writer w = { 0 };
	struct pw_jit_counts n;
	size_t at;

	(void)state;
	w_header(&w, X86_64, 1, 0);
	w_close(&w, 1);
	w_close(&w, 2);
	at = w.record;
	w_close(&w, 3);
	w_patch32(&w, at + 4, 0);
	assert_int_equal(count(&w, &n), 1);
	assert_int_equal(n.tail_bytes, 32);
	assert_int_equal(n.first_fault.off, at);
	assert_non_null(strstr(n.first_fault.msg, "a record of 0 bytes"));
	w_patch32(&w, at + 4, 15);
	assert_int_equal(count(&w, &n), 1);
	w_patch32(&w, at + 4, 16);
	assert_int_equal(count(&w, &n), 3);
	pw_buf_release(&w.b);
}

static void content_that_does_not_fit_is_passed_over(void **state)
{
	struct jitdump_writer w = { 0 };
	struct pw_jit_counts n;
	size_t at[4];

	(void)state;
	w_header(&w, X86_64, 1, 0);
	w_load(&w, 1, 1, 0x1000, 16, 1, "bytes");
	at[0] = w.record;
	w_load(&w, 2, 1, 0x2000, 0, 2, "name without end");
	at[1] = w.record;
	w_debug(&w, 3, 0x3000, NULL, 0);
	at[2] = w.record;
	w_unwind(&w, 4, 4, 12);
	at[3] = w.record;
	w_close(&w, 5);
	assert_int_equal(count(&w, &n), 5);
	w_patch32(&w, at[0] + 40, 17); /* more code than there is */
	w.b.data[at[2] - 1] = 'x';     /* the end of the name */
	w_patch32(&w, at[2] + 24, 1);  /* an entry that is not there */
	w_patch32(&w, at[3] + 16, 13); /* more than there is */
	assert_int_equal(count(&w, &n), 1);
	assert_int_equal(n.malformed, 4);
	assert_int_equal(n.first_fault.off, at[0]);
	w_patch32(&w, at[3] + 16, 3); /* less than its header */
	assert_int_equal(count(&w, &n), 1);
	assert_int_equal(n.tail_bytes, 0);
	pw_buf_release(&w.b);
}

static void more_lines_than_have_room_are_passed_over(void **state)
{
	static const struct debug_entry e = { 0x1000, 1, "file" };
	struct jitdump_writer w = { 0 };
	struct pw_jit_counts n;

	(void)state;
	w_header(&w, X86_64, 1, 0);
	w_debug(&w, 1, 0x1000, &e, 1);
	assert_int_equal(count(&w, &n), 1);
	w_patch32(&w, w.record + 24, 2);
	assert_int_equal(count(&w, &n), 0);
	assert_int_equal(n.malformed, 1);
	w_patch32(&w, w.record + 28, UINT32_MAX);
	assert_int_equal(count(&w, &n), 0);
	pw_buf_release(&w.b);
}

static void code_may_come_without_its_bytes(void **state)
{
	struct jitdump_writer w = { 0 };
	struct pw_jit_record r;
	struct pw_jitdump d;

	(void)state;
	w_header(&w, X86_64, 1, 0);
	w_load(&w, 1, 1, 0x1000, 0, 1, "bare");
	w_patch32(&w, w.record + 40, 64);
	pw_jitdump_open_bytes(&d, w.b.data, w.b.len, 0, NULL);
	assert_true(pw_jitdump_next(&d, &r));
	assert_int_equal(r.code_size, 64);
	assert_null(r.code);
	pw_buf_release(&w.b);
}

static void times_that_run_backwards_are_counted(void **state)
{
	struct jitdump_writer w = { 0 };
	struct pw_jit_counts n;

	(void)state;
	w_header(&w, X86_64, 1, 0);
	w_close(&w, 5);
	w_close(&w, 4);
	w_close(&w, 4);
	w_close(&w, 9);
	w_close(&w, 8);
	assert_int_equal(count(&w, &n), 5);
	assert_int_equal(n.backward, 2);
	pw_buf_release(&w.b);
}

static void an_entry_that_does_not_end_ends_the_lines(void **state)
{
	static const struct debug_entry e[] = { { 0x1000, 1, "a.c" },
						{ 0x1004, 2, "long name" } };
	struct jitdump_writer w = { 0 };
	struct pw_jit_line line = { 0 };
	struct pw_jit_record r;
	struct pw_jitdump d;

	(void)state;
	w_header(&w, X86_64, 1, 0);
	w_debug(&w, 1, 0x1000, e, 2);
	w.b.data[w.b.len - 1] = 'x';
	pw_jitdump_open_bytes(&d, w.b.data, w.b.len, 0, NULL);
	assert_true(pw_jitdump_next(&d, &r));
	assert_true(pw_jit_lines_next(&r.lines, &line));
	assert_false(pw_jit_lines_next(&r.lines, &line));
	assert_false(pw_jit_lines_next(&r.lines, &line));
	pw_buf_release(&w.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_is_read),
		cmocka_unit_test(every_type_is_read_in_the_other_byte_order),
		cmocka_unit_test(its_name_tells_the_process),
		cmocka_unit_test(a_foreign_header_is_refused_with_its_offset),
		cmocka_unit_test(a_file_too_short_for_a_header_is_refused),
		cmocka_unit_test(a_longer_header_is_passed_over),
		cmocka_unit_test(unknown_flags_are_told_and_the_rest_is_read),
		cmocka_unit_test(a_missing_file_is_an_error),
		cmocka_unit_test(a_dump_may_be_cut_at_every_byte),
		cmocka_unit_test(a_record_of_no_size_ends_the_reading),
		cmocka_unit_test(content_that_does_not_fit_is_passed_over),
		cmocka_unit_test(more_lines_than_have_room_are_passed_over),
		cmocka_unit_test(code_may_come_without_its_bytes),
		cmocka_unit_test(times_that_run_backwards_are_counted),
		cmocka_unit_test(an_entry_that_does_not_end_ends_the_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
