// SPDX-License-Identifier: GPL-2.0-only
/*
 * What holds of every mutant of a few small modules: it validates, it is new,
 * it differs in one place, and its line names it.
 */
#include <glob.h>

#include "mutate-fixture.h"

struct ctx {
	const struct pw_module *m;
	struct pw_buf mutant, line;
	uint64_t *hashes;
	unsigned n, cap;
};

static uint64_t text_hash(const struct pw_buf *b)
{
	return pw_hash(b->data, b->len, 0);
}

static void add_hash(struct ctx *c, uint64_t hash)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->hashes[i] == hash)
			fail_msg("%s was made before", pw_buf_str(&c->line));
	if (c->n == c->cap) {
		c->cap = c->cap ? c->cap * 2 : 64;
		c->hashes = pw_realloc(c->hashes, c->cap * sizeof(uint64_t));
	}
	c->hashes[c->n++] = hash;
}

static unsigned count_insns(const struct pw_module *m, uint32_t func,
			    uint64_t lo, uint64_t hi)
{
	struct pw_walk *w = pw_walk_new(m);
	struct pw_err err = { 0 };
	struct pw_insn insn;
	unsigned n = 0;

	assert_int_equal(pw_walk_start(w, func, &err), 0);
	while (pw_walk_next(w, &insn, &err) == 1)
		n += insn.off >= lo && insn.off < hi;
	pw_walk_free(w);
	return n;
}

static void check_text(struct ctx *c, const struct pw_mutation *mut)
{
	struct pw_mutation again = { 0 };
	struct pw_err err = { 0 };

	if (pw_mutation_parse(c->m, pw_buf_str(&c->line), &again, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(again.kind, mut->kind);
	assert_int_equal(again.off, mut->off);
	assert_int_equal(again.insn_off, mut->insn_off);
	assert_int_equal(again.old_size, mut->old_size);
	assert_int_equal(again.old_op, mut->old_op);
	assert_int_equal(again.new_op, mut->new_op);
	assert_int_equal(again.new_size, mut->new_size);
	assert_memory_equal(again.new_bytes, mut->new_bytes, mut->new_size);
}

static void check_valid(struct ctx *c, const struct pw_mutation *mut)
{
	struct pw_err err = { 0 };
	struct pw_module *m =
		pw_module_decode(c->mutant.data, c->mutant.len, &err);
	unsigned gone, all;

	if (!m || pw_module_check_bodies(m, &err))
		fail_msg("%s does not validate: %s", pw_buf_str(&c->line),
			 err.msg);
	gone = count_insns(c->m, mut->func_idx, mut->off,
			   mut->off + mut->old_size);
	all = count_insns(c->m, mut->func_idx, 0, UINT64_MAX);
	assert_int_equal(count_insns(m, mut->func_idx, 0, UINT64_MAX),
			 all - gone + 1);
	if (mut->kind != PW_MUT_DELETION)
		assert_int_equal(gone, 1);
	pw_module_free(m);
}

static int check(void *ctx, const struct pw_mutation *mut)
{
	struct ctx *c = ctx;
	struct pw_err err = { 0 };

	c->line.len = c->mutant.len = 0;
	pw_mutation_print(c->m, mut, &c->line);
	assert_int_equal(pw_mutation_apply(c->m, mut, &c->mutant, &err), 0);
	check_valid(c, mut);
	check_text(c, mut);
	add_hash(c, text_hash(&c->mutant));
	return 0;
}

/* How many mutants were checked. */
static unsigned check_all(struct fixture *fx)
{
	unsigned n = fx->n;

	struct ctx c = { .m = fx->m };
	struct pw_err err = { 0 };

	add_hash(&c, text_hash(&fx->bytes));
	assert_int_equal(pw_mutate_each(fx->m, NULL, check, &c, &err), 0);
	assert_int_equal(c.n, fx->n + 1);
	free(c.hashes);
	pw_buf_release(&c.mutant);
	pw_buf_release(&c.line);
	fixture_close(fx);
	return n;
}

static void arithmetic(void **st)
{
	struct fixture fx;

	(void)st;
	/* (0 * 3 + 1) eqz, convert to f64, add a constant, global.set 2 */
	FIXTURE(&fx, "ii:i", "F", 0x20, 0, 0x41, 3, 0x6c, 0x20, 1, 0x6a, 0x22,
		0, 0x45, 0xb7, 0x44, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f, 0xa0, 0x24,
		2, 0x3f, 0);
	assert_true(check_all(&fx) > 10);
}

static void floats_and_conversions(void **st)
{
	struct fixture fx;

	(void)st;
	/* -0.0f; local.get 0; f32.copysign; i64.trunc_f32_s; i64.const min;
	 * i64.rem_s; f32.convert_i64_u */
	FIXTURE(&fx, "f:f", "fI", 0x43, 0, 0, 0, 0x80, 0x20, 0, 0x98, 0xae,
		0x42, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
		0x7f, 0x81, 0xb5);
	assert_true(check_all(&fx) > 10);
}

static void memory_accesses(void **st)
{
	struct fixture fx;

	(void)st;
	/* i64.store32 offset=0xffffffff (i32.load8_s offset=1) (i64.load
	 * offset=0xffffffff) */
	FIXTURE(&fx, "i:", "I", 0x20, 0, 0x2c, 0, 1, 0x20, 0, 0x29, 3, 0xff,
		0xff, 0xff, 0xff, 0x0f, 0x3e, 2, 0xff, 0xff, 0xff, 0xff, 0x0f,
		0x41, 0, 0x20, 0, 0x36, 0, 0);
	assert_true(check_all(&fx) > 10);
}

static void vectors(void **st)
{
	struct fixture fx;

	(void)st;
	/* i8x16.shuffle of (v128.const 0) and (load16_lane 7), then
	 * replace_lane 3, and bitselect with a relaxed_madd */
	FIXTURE(&fx, "iV:V", "V", 0xfd, 0x0c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0x20, 0, 0x20, 1, 0xfd, 0x55, 0, 4, 7, 0xfd,
		0x0d, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		0x43, 0, 0, 0x80, 0x3f, 0xfd, 0x20, 3, 0x20, 1, 0x20, 2, 0xfd,
		0x85, 2);
	assert_true(check_all(&fx) > 10);
}

static void atomics(void **st)
{
	struct fixture fx;

	(void)st;
	/* i32.atomic.rmw8.add_u; i32.atomic.store16; i64.atomic.load; drop;
	 * memory.atomic.notify; drop */
	FIXTURE(&fx, "i:", "", 0x20, 0, 0x20, 0, 0x20, 0, 0xfe, 0x20, 0, 0,
		0xfe, 0x1a, 1, 2, 0x20, 0, 0xfe, 0x11, 3, 8, 0x1a, 0x20, 0,
		0x41, 1, 0xfe, 0, 2, 0, 0x1a);
	assert_true(check_all(&fx) > 10);
}

static void references(void **st)
{
	struct fixture fx;

	(void)st;
	/* ref.null func; ref.is_null; drop; select (result funcref) of two
	 * parameters; drop */
	FIXTURE(&fx, "xxe:", "x", 0xd0, 0x70, 0xd1, 0x1a, 0x20, 0, 0x20, 1,
		0x41, 1, 0x1c, 1, 0x70, 0x1a, 0x20, 2, 0x1a);
	assert_true(check_all(&fx) > 10);
}

static void blocks_and_branches(void **st)
{
	struct fixture fx;

	(void)st;
	/* local.get 0; if (result i32); local.get 0; i32.const 1; i32.sub;
	 * call 0; else; i32.const 9; br 0; end; i32.popcnt */
	FIXTURE(&fx, "i:i", "", 0x20, 0, 0x04, 0x7f, 0x20, 0, 0x41, 1, 0x6b,
		0x10, 0, 0x05, 0x41, 9, 0x0c, 0, 0x0b, 0x69);
	assert_true(check_all(&fx) > 10);
}

/* The seeds of the fuzz target: several memories, 64-bit addresses, typed
 * selects, tables, blocks with parameters, exceptions. */
static void seeds_of_the_fuzz_target(void **st)
{
	unsigned n = 0;
	glob_t g;

	(void)st;
	if (glob("tests/fuzz/corpus/mutate/*.wasm", 0, NULL, &g)) {
		print_message("not started from the repository's root\n");
		skip();
	}
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct pw_file f = { 0 };
		struct fixture fx;

		assert_int_equal(pw_file_open(&f, g.gl_pathv[i], NULL), 0);
		fixture_load(&fx, f.data, f.size);
		pw_file_close(&f);
		n += check_all(&fx);
	}
	assert_true(n > 100);
	globfree(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic),
		cmocka_unit_test(floats_and_conversions),
		cmocka_unit_test(memory_accesses),
		cmocka_unit_test(vectors),
		cmocka_unit_test(atomics),
		cmocka_unit_test(references),
		cmocka_unit_test(blocks_and_branches),
		cmocka_unit_test(seeds_of_the_fuzz_target),
	};

	return cmocka_run_group_tests_name(
		"every mutant is valid, new and named", tests, NULL, NULL);
}
