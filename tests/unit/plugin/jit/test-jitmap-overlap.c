// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code that overlaps: random dumps against a search through all of it, perf
 * maps of any order, and a map of the size of a large capture.
 */
#include "jitdump-writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

/* --- against a search ------------------------------------------------------------ */

static const struct pw_jit_code *slow_find(const struct pw_jitmap *m,
					   uint64_t addr, uint64_t time,
					   uint64_t *from, uint64_t *to)
{
	const struct pw_jit_code *best = NULL;
	uint32_t i;

	*from = 0;
	*to = UINT64_MAX;
	for (i = 0; i < pw_jitmap_n_codes(m); i++) {
		const struct pw_jit_code *c = pw_jitmap_code(m, i);

		if (addr - c->addr >= c->size_bytes)
			continue;
		if (c->from_ns > time && c->from_ns < *to)
			*to = c->from_ns;
		if (c->from_ns <= time && (!best || c->from_ns >= *from)) {
			best = c;
			*from = c->from_ns;
		}
	}
	return best;
}

static void random_dump(struct jitdump_writer *w, struct pw_rng *rng)
{
	uint64_t n = pw_rng_below(rng, 60), i;
	uint64_t range = 1 + pw_rng_below(rng, 300);

	w_header(w, 62, 1, 0);
	for (i = 0; i < n; i++)
		w_load(w, pw_rng_below(rng, 20), 1, pw_rng_below(rng, range),
		       1 + pw_rng_below(rng, 40), i, "f");
}

static void a_lookup_equals_a_search_through_everything(void **state)
{
	struct pw_rng rng;
	int round, k;

	(void)state;
	pw_rng_init(&rng, 7);
	for (round = 0; round < 300; round++) {
		struct pw_jitmap *m = pw_jitmap_new();
		struct jitdump_writer w = { 0 };

		random_dump(&w, &rng);
		assert_int_equal(pw_jitmap_add_dump_bytes(m, w.b.data, w.b.len,
							  NULL, NULL, NULL),
				 0);
		for (k = 0; k < 200; k++) {
			uint64_t addr = pw_rng_below(&rng, 350);
			uint64_t time = pw_rng_below(&rng, 22), from, to;
			const struct pw_jit_code *want =
				slow_find(m, addr, time, &from, &to);
			struct pw_jit_hit hit;

			pw_jitmap_find(m, 1, addr, time, &hit);
			assert_ptr_equal(hit.is_early ? NULL : hit.code, want);
			assert_true(hit.is_early ==
				    (!want && to != UINT64_MAX));
			assert_true(hit.from_ns == from && hit.to_ns == to);
		}
		pw_jitmap_free(m);
		pw_buf_release(&w.b);
	}
}

/* --- perf maps ---------------------------------------------------------------------- */

static void assert_at(struct pw_jitmap *m, uint64_t addr, const char *want)
{
	struct pw_jit_hit hit;

	if (!pw_jitmap_find(m, 1, addr, 5, &hit))
		assert_string_equal("", want);
	else
		assert_string_equal(hit.code->name, want);
}

static struct pw_jitmap *map_of(const char *text, struct pw_jit_counts *n)
{
	struct pw_jitmap *m = pw_jitmap_new();

	pw_jitmap_add_perfmap_bytes(m, text, strlen(text), 1, n);
	return m;
}

static void a_later_line_wins_over_an_earlier_one(void **state)
{
	struct pw_jit_counts n;
	struct pw_jitmap *m = map_of("1000 20 stale\n"
				     "2000 20 other\n"
				     "0x1000 0x20 fresh\n"
				     "2010  8  within\n"
				     "1ff0 18 before\n",
				     &n);

	(void)state;
	assert_int_equal(n.records[PW_JIT_LOAD], 5);
	assert_at(m, 0x1000, "fresh");
	assert_at(m, 0x1fff, "before");
	assert_at(m, 0x2007, "before");
	assert_at(m, 0x2008, "other");
	assert_at(m, 0x2010, "within");
	assert_at(m, 0x2018, "other");
	assert_at(m, 0x2020, "");
	pw_jitmap_free(m);
}

/* What wazero 1.12 wrote, with fewer lines. */
static void trampolines_of_wazero_hide_no_function(void **state)
{
	struct pw_jit_counts n;
	struct pw_jitmap *m =
		map_of("7f2a66c03000 140 memory_grow_trampoline\n"
		       "7f2a66c02000 30 entry_preamble::type=i32_v\n"
		       "7f2a66c01000 39 [0/3]float_sum:::::L0\n"
		       "7f2a66c01039 35 [0/3]float_sum:::::L1\n"
		       "7f2a66c01073 0 [0/3]float_sum:::::L3\n"
		       "7f2a66c01073 6 [0/3]float_sum:::::L2\n"
		       "7f2a66c01080 40 [1/3]int_hash:::::L0\n"
		       "7f2a66c01260 9d [3/3]_start:::::L0\n"
		       "7f2a66bfd000 147 trampoline:wasi.args_get\n"
		       "7f2a66c00fc0 143 trampoline:wasi.fd_sync\n"
		       "7f2a66c01260 147 trampoline:wasi.fd_tell\n",
		       &n);

	(void)state;
	assert_int_equal(n.unusable, 1);
	assert_at(m, 0x7f2a66c01000, "[0/3]float_sum:::::L0");
	assert_at(m, 0x7f2a66c01073, "[0/3]float_sum:::::L2");
	assert_at(m, 0x7f2a66c01090, "[1/3]int_hash:::::L0");
	assert_at(m, 0x7f2a66c01260, "[3/3]_start:::::L0");
	assert_at(m, 0x7f2a66c01300, "trampoline:wasi.fd_tell");
	assert_at(m, 0x7f2a66bfd001, "trampoline:wasi.args_get");
	assert_at(m, 0x7f2a66c02010, "entry_preamble::type=i32_v");
	pw_jitmap_free(m);
}

static void a_jitdump_is_asked_before_a_perf_map(void **state)
{
	struct pw_jit_counts n;
	struct pw_jitmap *m = map_of("1000 20 map\n", &n);
	struct jitdump_writer w = { 0 };
	struct pw_jit_hit hit;

	(void)state;
	w_header(&w, 62, 1, 0);
	w_load(&w, 10, 1, 0x1000, 16, 1, "dump");
	pw_jitmap_add_dump_bytes(m, w.b.data, w.b.len, NULL, NULL, NULL);
	pw_jitmap_exec(m, 1, 2); /* the map is of no time */
	assert_true(pw_jitmap_find(m, 1, 0x1000, 10, &hit));
	assert_string_equal(hit.code->name, "dump");
	assert_true(pw_jitmap_find(m, 1, 0x1000, 9, &hit));
	assert_string_equal(hit.code->name, "map");
	assert_false(hit.is_early);
	assert_int_equal(hit.to_ns, 10);
	assert_true(pw_jitmap_find(m, 1, 0x1010, 10, &hit));
	assert_string_equal(hit.code->name, "map");
	pw_jitmap_free(m);
	pw_buf_release(&w.b);
}

static void a_child_has_the_perf_map_of_its_parent(void **state)
{
	struct pw_jit_counts n;
	struct pw_jitmap *m = map_of("1000 20 map\n", &n);
	struct pw_jit_hit hit;

	(void)state;
	pw_jitmap_fork(m, 1, 2, 5);
	assert_true(pw_jitmap_find(m, 2, 0x1000, 10, &hit));
	pw_jitmap_exec(m, 2, 6);
	assert_false(pw_jitmap_find(m, 2, 0x1000, 10, &hit));
	pw_jitmap_free(m);
}

/* --- size ------------------------------------------------------------------------------ */

/* As many functions as a large application has, a third of them in memory
 * that others left. */
static void a_large_dump_is_searched(void **state)
{
	struct pw_jitmap *m = pw_jitmap_new();
	struct jitdump_writer w = { 0 };
	uint32_t i, n = 34000;
	struct pw_jit_hit hit;

	(void)state;
	w_header(&w, 62, 1, 0);
	for (i = 0; i < n; i++)
		w_load(&w, 1000 + i, 1, 0x7f0000000000 + i % 23000 * 64, 48, i,
		       "function");
	assert_int_equal(pw_jitmap_add_dump_bytes(m, w.b.data, w.b.len, NULL,
						  NULL, NULL),
			 0);
	for (i = 0; i < n; i++) {
		const struct pw_jit_code *c = pw_jitmap_code(m, i);

		assert_true(pw_jitmap_find(m, 1, c->addr + 7, 1000 + i, &hit));
		assert_ptr_equal(hit.code, c);
		pw_jitmap_find(m, 1, c->addr + 7, UINT64_MAX, &hit);
		assert_int_equal(hit.code->code_idx,
				 i + 23000 < n ? i + 23000 : i);
		assert_false(pw_jitmap_find(m, 1, c->addr + 48, 99999, &hit));
	}
	pw_jitmap_free(m);
	pw_buf_release(&w.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lookup_equals_a_search_through_everything),
		cmocka_unit_test(a_later_line_wins_over_an_earlier_one),
		cmocka_unit_test(trampolines_of_wazero_hide_no_function),
		cmocka_unit_test(a_jitdump_is_asked_before_a_perf_map),
		cmocka_unit_test(a_child_has_the_perf_map_of_its_parent),
		cmocka_unit_test(a_large_dump_is_searched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
