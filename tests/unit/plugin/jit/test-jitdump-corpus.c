// SPDX-License-Identifier: GPL-2.0-only
/*
 * The jitdumps of the corpus: as many records as its README says, faults
 * where they are, and every function found where and when it was loaded.
 */
#include <perfwasm/jit.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char *path_of(const char *name)
{
	const char *corpus = getenv("PERF_WASM_CORPUS");

	return pw_asprintf("%s/jitdump/%s",
			   corpus ? corpus : "../shared/corpus", name);
}

/* A map with one file of the corpus; skips without it. */
static struct pw_jitmap *map_of(const char *name, struct pw_jit_counts *n)
{
	char *path = path_of(name);
	struct pw_jitmap *m = pw_jitmap_new();
	struct pw_err err = { 0 };

	if (pw_jitmap_add_dump(m, path, NULL, n, &err)) {
		pw_jitmap_free(m);
		free(path);
		print_message("%s\n", err.msg);
		skip();
	}
	free(path);
	return m;
}

static void check_every_code(struct pw_jitmap *m)
{
	uint32_t i;

	for (i = 0; i < pw_jitmap_n_codes(m); i++) {
		const struct pw_jit_code *c = pw_jitmap_code(m, i);
		uint64_t last = c->addr + c->size_bytes - 1;
		struct pw_jit_hit hit;

		assert_true(
			pw_jitmap_find(m, c->pid, c->addr, c->from_ns, &hit));
		assert_ptr_equal(hit.code, c);
		assert_true(pw_jitmap_find(m, c->pid, last, c->from_ns, &hit));
		assert_ptr_equal(hit.code, c);
		assert_false(hit.is_early);
		assert_true(hit.from_ns == c->from_ns);
	}
}

static void the_whole_dump_of_julia(void **state)
{
	struct pw_jit_counts n;
	struct pw_jitmap *m = map_of("jit-simple-julia.dump", &n);
	const struct pw_jit_code *c;
	struct pw_jit_line line;

	(void)state;
	assert_int_equal(n.records[PW_JIT_LOAD], 13);
	assert_int_equal(n.records[PW_JIT_DEBUG_INFO], 8);
	assert_int_equal(n.first_fault.code, 0);
	assert_int_equal(n.backward + n.unclaimed + n.tail_bytes, 0);
	check_every_code(m);
	c = pw_jitmap_code(m, 0);
	assert_string_equal(c->name, "julia_include_0");
	assert_int_equal(c->size_bytes, 0x49);
	/* the addresses of its lines count from an ELF header */
	assert_true(pw_jit_code_line(c, 0, &line));
	assert_int_equal(line.line, 474);
	assert_string_equal(line.file, "./client.jl");
	assert_true(pw_jit_code_line(c, 0x1a, &line));
	assert_int_equal(line.line, 474);
	assert_true(pw_jit_code_line(c, 0x1b, &line));
	assert_int_equal(line.line, 476);
	pw_jitmap_free(m);
}

static void the_cut_dump_of_dotnet(void **state)
{
	struct pw_jit_counts n;
	struct pw_jitmap *m = map_of("jit-dotnet-partial.dump", &n);

	(void)state;
	assert_int_equal(n.records[PW_JIT_LOAD], 8424);
	assert_int_equal(n.backward, 2);
	assert_int_equal(n.tail_bytes, 352);
	assert_int_equal(n.first_fault.off, 3312800);
	assert_non_null(strstr(n.first_fault.msg,
			       "a record of 712 bytes expected, found 352"));
	assert_int_equal(n.malformed, 0);
	check_every_code(m);
	pw_jitmap_free(m);
}

static void the_poisoned_dump_of_julia(void **state)
{
	struct pw_jit_counts n;
	struct pw_jitmap *m = map_of("jit-julia-partial.dump", &n);

	(void)state;
	assert_int_equal(pw_jitmap_n_codes(m), 0);
	assert_int_equal(n.header_fault.off, 32);
	assert_int_equal(n.first_fault.off, 40);
	assert_int_equal(n.tail_bytes, 5944);
	assert_non_null(strstr(n.first_fault.msg, "a record of 0 bytes"));
	pw_jitmap_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_dump_of_julia),
		cmocka_unit_test(the_cut_dump_of_dotnet),
		cmocka_unit_test(the_poisoned_dump_of_julia),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
