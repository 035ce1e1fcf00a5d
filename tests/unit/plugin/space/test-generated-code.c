// SPDX-License-Identifier: GPL-2.0-only
/* Code that runtimes made: from jitdumps and perf maps that are found. */
#include "space-fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

static const uint8_t code[64];

static void write_dump(struct fixture *f, const char *name,
		       const struct pw_buf *b)
{
	write_file(f, name, b->data, b->len);
}

static void a_dump_is_found_by_the_file_that_its_process_maps(void **state)
{
	struct pw_buf b = { 0 };
	struct fixture f;

	(void)state;
	begin(&f);
	dump_begin(&b, 7);
	dump_load(&b, 10, 7, "JS:*hot a.js:1:1", 0x7000, code, 64);
	dump_load(&b, 10, 7, "JS:add-3-turbofan", 0x8000, code, 64);
	dump_load(&b, 10, 7, "Builtin:Call", 0x9000, code, 64);
	dump_load(&b, 10, 7, "JS:wasm-to-js:x-1-turbofan", 0xa000, code, 64);
	write_dump(&f, "jit-7.dump", &b);
	assert_place(&f, 7, 0x7004, "[unknown]", PW_PLACE_UNKNOWN, 0x7004);
	feed_mmap(&f, 7, 0x100000, 0x1000, 0, "/gone/jit-7.dump");
	assert_place(&f, 7, 0x7004, "JS:*hot a.js:1:1", PW_PLACE_SCRIPT, 4);
	assert_place(&f, 7, 0x8008, "add", PW_PLACE_WASM, 8);
	assert_place(&f, 7, 0x9000, "Builtin:Call", PW_PLACE_RUNTIME, 0);
	assert_place(&f, 7, 0xa000, "JS:wasm-to-js:x-1-turbofan",
		     PW_PLACE_TRAMPOLINE, 0);
	assert_place(&f, 7, 0x7040, "[unknown]", PW_PLACE_UNKNOWN, 0x7040);
	assert_true(pw_space_has_jitdump(f.s));
	pw_buf_release(&b);
	end(&f);
}

static void tier_and_index_of_a_function_are_told(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_place p;
	const struct pw_symbol *sym;
	struct fixture f;

	(void)state;
	begin(&f);
	dump_begin(&b, 7);
	dump_load(&b, 10, 7, "JS:add-3-liftoff", 0x7000, code, 64);
	dump_load(&b, 10, 7, "JS:add-3-turbofan", 0x8000, code, 64);
	write_dump(&f, "jit-7.dump", &b);
	feed_mmap(&f, 7, 0x100000, 0x1000, 0, "/x/jit-7.dump");
	sym = find(&f, 7, 0x7000, &p);
	assert_int_equal(sym->tier, PW_TIER_BASELINE);
	assert_int_equal(sym->func_idx, 3);
	assert_int_equal(sym->engine, PW_ENGINE_V8);
	assert_ptr_not_equal(sym, find(&f, 7, 0x8000, &p));
	assert_int_equal(p.piece->sym->tier, PW_TIER_OPTIMIZED);
	assert_non_null(p.piece->jit);
	pw_buf_release(&b);
	end(&f);
}

static void code_is_what_was_loaded_last_at_its_time(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_place p;
	struct fixture f;

	(void)state;
	begin(&f);
	dump_begin(&b, 7);
	dump_load(&b, 100, 7, "JS:*old a.js", 0x7000, code, 64);
	dump_load(&b, 200, 7, "JS:*new a.js", 0x7000, code, 64);
	write_dump(&f, "jit-7.dump", &b);
	feed_mmap(&f, 7, 0x100000, 0x1000, 0, "/x/jit-7.dump");
	pw_space_find(f.s, 7, PERF_RECORD_MISC_USER, 0x7010, 150, &p);
	assert_string_equal(p.piece->sym->name, "JS:*old a.js");
	pw_space_find(f.s, 7, PERF_RECORD_MISC_USER, 0x7010, 250, &p);
	assert_string_equal(p.piece->sym->name, "JS:*new a.js");
	pw_space_find(f.s, 7, PERF_RECORD_MISC_USER, 0x7010, 199, &p);
	assert_string_equal(p.piece->sym->name, "JS:*old a.js");
	/* without a time the last state counts */
	pw_space_find(f.s, 7, PERF_RECORD_MISC_USER, 0x7010, PW_NO_TIME, &p);
	assert_string_equal(p.piece->sym->name, "JS:*new a.js");
	pw_buf_release(&b);
	end(&f);
}

static void anonymous_memory_does_not_hide_code_and_a_file_does(void **state)
{
	struct pw_buf b = { 0 };
	struct fixture f;

	(void)state;
	begin(&f);
	dump_begin(&b, 7);
	dump_load(&b, 10, 7, "JS:*hot a.js", 0x7000, code, 64);
	write_dump(&f, "jit-7.dump", &b);
	feed_mmap(&f, 7, 0x100000, 0x1000, 0, "/x/jit-7.dump");
	feed_mmap(&f, 7, 0x6000, 0x4000, 0, "//anon");
	assert_place(&f, 7, 0x7000, "JS:*hot a.js", PW_PLACE_SCRIPT, 0);
	feed_mmap(&f, 7, 0x6000, 0x4000, 0, "/lib/c.so");
	assert_place(&f, 7, 0x7000, "[unknown]", PW_PLACE_NATIVE, 0x1000);
	pw_buf_release(&b);
	end(&f);
}

/* As at the beginning of each piece of a recording, without a time. */
static void a_map_that_is_told_again_is_as_old_as_before(void **state)
{
	struct pw_event ev = { .type = PW_REC_MMAP2,
			       .misc = PERF_RECORD_MISC_USER };
	struct pw_buf b = { 0 };
	struct fixture f;

	(void)state;
	begin(&f);
	dump_begin(&b, 7);
	dump_load(&b, 10, 7, "JS:*hot a.js", 0x7000, code, 64);
	write_dump(&f, "jit-7.dump", &b);
	feed_mmap(&f, 7, 0x100000, 0x1000, 0, "/x/jit-7.dump");
	feed_mmap(&f, 7, 0x6000, 0x4000, 0, "/lib/c.so");
	ev.mmap = (struct pw_mmap){ .pid = 7,
				    .tid = 7,
				    .addr = 0x6000,
				    .len = 0x4000,
				    .filename = "/lib/c.so",
				    .prot = 5 };
	pw_space_event(f.s, &ev);
	assert_place(&f, 7, 0x7000, "[unknown]", PW_PLACE_NATIVE, 0x1000);
	pw_buf_release(&b);
	end(&f);
}

static void a_child_runs_the_code_of_its_parent(void **state)
{
	struct pw_buf b = { 0 };
	struct fixture f;

	(void)state;
	begin(&f);
	dump_begin(&b, 7);
	dump_load(&b, 10, 7, "JS:*hot a.js", 0x7000, code, 64);
	write_dump(&f, "jit-7.dump", &b);
	feed_mmap(&f, 7, 0x100000, 0x1000, 0, "/x/jit-7.dump");
	feed_fork(&f, 7, 8, 8, 0);
	assert_place(&f, 8, 0x7000, "JS:*hot a.js", PW_PLACE_SCRIPT, 0);
	feed_comm(&f, 8, "other", true);
	assert_place(&f, 8, 0x7000, "[unknown]", PW_PLACE_UNKNOWN, 0x7000);
	pw_buf_release(&b);
	end(&f);
}

/* In a container a process has another number than its recorder sees. */
static void the_process_of_a_dump_is_who_mapped_it(void **state)
{
	struct pw_buf b = { 0 };
	struct fixture f;

	(void)state;
	begin(&f);
	dump_begin(&b, 7);
	dump_load(&b, 10, 7, "JS:*hot a.js", 0x7000, code, 64);
	write_dump(&f, "jit-7.dump", &b);
	feed_mmap(&f, 4007, 0x100000, 0x1000, 0, "/x/jit-7.dump");
	assert_place(&f, 4007, 0x7000, "JS:*hot a.js", PW_PLACE_SCRIPT, 0);
	assert_place(&f, 7, 0x7000, "[unknown]", PW_PLACE_UNKNOWN, 0x7000);
	pw_buf_release(&b);
	end(&f);
}

static void a_dump_that_is_gone_is_told(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	feed_mmap(&f, 7, 0x100000, 0x1000, 0, "/x/jit-7.dump");
	feed_mmap(&f, 7, 0x100000, 0x1000, 0, "/x/jit-7.dump");
	assert_int_equal(pw_space_n_remarks(f.s), 1);
	assert_non_null(strstr(pw_space_remark(f.s, 0), "jit-7.dump"));
	end(&f);
}

/* Hundreds of one kind do not hide the other. */
static void remarks_begin_with_one_of_each_kind(void **state)
{
	struct pw_buf b = { 0 };
	struct fixture f;

	(void)state;
	begin(&f);
	feed_mmap(&f, 8, 0x100000, 0x1000, 0, "/x/jit-8.dump");
	feed_mmap(&f, 9, 0x100000, 0x1000, 0, "/x/jit-9.dump");
	dump_begin(&b, 7);
	dump_load(&b, 10, 7, "JS:*cut a.js", 0x7000, code, 64);
	write_file(&f, "jit-7.dump", b.data, b.len - 3);
	feed_mmap(&f, 7, 0x100000, 0x1000, 0, "/x/jit-7.dump");
	find(&f, 7, 0x7000, &(struct pw_place){ 0 });
	assert_int_equal(pw_space_n_remarks(f.s), 3);
	assert_non_null(strstr(pw_space_remark(f.s, 0), "jit-8.dump"));
	assert_non_null(strstr(pw_space_remark(f.s, 1), "no whole record"));
	assert_non_null(strstr(pw_space_remark(f.s, 2), "jit-9.dump"));
	pw_buf_release(&b);
	end(&f);
}

static void a_cut_dump_is_used_and_told(void **state)
{
	struct pw_buf b = { 0 };
	struct fixture f;

	(void)state;
	begin(&f);
	dump_begin(&b, 7);
	dump_load(&b, 10, 7, "JS:*hot a.js", 0x7000, code, 64);
	dump_load(&b, 11, 7, "JS:*cut a.js", 0x8000, code, 64);
	write_file(&f, "jit-7.dump", b.data, b.len - 3);
	feed_mmap(&f, 7, 0x100000, 0x1000, 0, "/x/jit-7.dump");
	assert_place(&f, 7, 0x7000, "JS:*hot a.js", PW_PLACE_SCRIPT, 0);
	assert_int_equal(pw_space_n_remarks(f.s), 1);
	assert_non_null(strstr(pw_space_remark(f.s, 0), "no whole record"));
	pw_buf_release(&b);
	end(&f);
}

static void a_perf_map_is_looked_for_where_nothing_else_tells(void **state)
{
	static const char map[] = "7000 40 [0/2].sum:::::L1\n"
				  "7040 40 [0/2].sum:::::L2\n"
				  "0x8000 10 Tier1 method\n";
	struct pw_place p, q;
	struct fixture f;

	(void)state;
	begin(&f);
	write_file(&f, "perf-9.map", map, strlen(map));
	feed_mmap(&f, 9, 0x6000, 0x4000, 0, "//anon");
	assert_place(&f, 9, 0x7004, "sum", PW_PLACE_WASM, 4);
	/* a basic block each, and one function */
	find(&f, 9, 0x7044, &p);
	assert_ptr_equal(p.piece->sym, find(&f, 9, 0x7004, &q));
	assert_ptr_not_equal(p.piece, q.piece);
	assert_place(&f, 9, 0x8000, "Tier1 method", PW_PLACE_SCRIPT, 0);
	end(&f);
}

/* The process began 100 s before now, by the wall's clock. */
static void map_written(int seconds_ago, bool is_used)
{
	static const char map[] = "7000 40 [0/2].sum:::::L1\n";
	struct timespec now, times[2];
	struct pw_place p;
	struct pw_capture_facts facts = { .has_clock_data = true };
	struct fixture f;
	char *path;

	begin(&f);
	path = pw_asprintf("%s/perf-9.map", f.dir);
	clock_gettime(CLOCK_REALTIME, &now);
	facts.clock_ns = f.now + 100000000000;
	facts.wall_clock_ns = (uint64_t)now.tv_sec * 1000000000;
	pw_space_facts(f.s, &facts);
	write_file(&f, "perf-9.map", map, strlen(map));
	times[0] = times[1] = (struct timespec){ now.tv_sec - seconds_ago, 0 };
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	feed_comm(&f, 9, "wazero", true);
	feed_mmap(&f, 9, 0x6000, 0x4000, 0, "//anon");
	if (is_used) {
		assert_place(&f, 9, 0x7004, "sum", PW_PLACE_WASM, 4);
		assert_int_equal(pw_space_n_remarks(f.s), 0);
	} else {
		find(&f, 9, 0x7004, &p);
		assert_string_not_equal(p.piece->sym->name, "sum");
		assert_non_null(strstr(pw_space_remark(f.s, 0),
				       "before process 9 began"));
	}
	free(path);
	end(&f);
}

static void a_perf_map_older_than_its_process_is_not_used(void **state)
{
	(void)state;
	map_written(50, true);
	map_written(101, true); /* clocks are not that exact */
	map_written(110, false);
}

static void a_dump_can_be_given_and_counts_once(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_err err;
	struct fixture f;
	char *path;

	(void)state;
	begin(&f);
	dump_begin(&b, 7);
	dump_load(&b, 10, 7, "JS:*hot a.js", 0x7000, code, 64);
	write_dump(&f, "jit-7.dump", &b);
	path = pw_asprintf("%s/jit-7.dump", f.dir);
	assert_int_equal(pw_space_add_jitdump(f.s, path, 0, &err), 0);
	assert_place(&f, 7, 0x7000, "JS:*hot a.js", PW_PLACE_SCRIPT, 0);
	feed_mmap(&f, 7, 0x100000, 0x1000, 0, "/x/jit-7.dump");
	assert_place(&f, 7, 0x7000, "JS:*hot a.js", PW_PLACE_SCRIPT, 0);
	assert_int_equal(pw_space_add_jitdump(f.s, "/no/such", 0, &err),
			 -ENOENT);
	free(path);
	pw_buf_release(&b);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_dump_is_found_by_the_file_that_its_process_maps),
		cmocka_unit_test(tier_and_index_of_a_function_are_told),
		cmocka_unit_test(code_is_what_was_loaded_last_at_its_time),
		cmocka_unit_test(
			anonymous_memory_does_not_hide_code_and_a_file_does),
		cmocka_unit_test(a_map_that_is_told_again_is_as_old_as_before),
		cmocka_unit_test(a_child_runs_the_code_of_its_parent),
		cmocka_unit_test(the_process_of_a_dump_is_who_mapped_it),
		cmocka_unit_test(a_dump_that_is_gone_is_told),
		cmocka_unit_test(remarks_begin_with_one_of_each_kind),
		cmocka_unit_test(a_cut_dump_is_used_and_told),
		cmocka_unit_test(
			a_perf_map_is_looked_for_where_nothing_else_tells),
		cmocka_unit_test(a_perf_map_older_than_its_process_is_not_used),
		cmocka_unit_test(a_dump_can_be_given_and_counts_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
