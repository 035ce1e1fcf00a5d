// SPDX-License-Identifier: GPL-2.0-only
/*
 * Real artifacts of six Wasmtime releases, one of each form that names and
 * address maps have had, of one module: tests/data/artifacts/mix.wat.
 */
#include <perfwasm/code.h>
#include <perfwasm/module.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define DATA      "tests/data/artifacts/"
#define N_IMPORTS 2

static const char *const releases[] = { "8.0.0",  "9.0.0",  "13.0.0",
					"22.0.0", "46.0.1", "50.0.1" };
#define N_RELEASES (sizeof(releases) / sizeof(*releases))

enum { CHOOSE = 2, POLY, START };

struct art {
	struct pw_file file;
	struct pw_code *code;
	struct pw_minsn *insns; /* of the function opened */
	uint32_t n;
};

static void open_art(struct art *a, const char *release, uint32_t func)
{
	char *path = pw_asprintf(DATA "mix-%s.elf", release);
	const struct pw_code_func *f;

	memset(a, 0, sizeof(*a));
	assert_int_equal(pw_file_open(&a->file, path, NULL), 0);
	a->code = pw_code_open(a->file.data, a->file.size, N_IMPORTS, NULL);
	assert_non_null(a->code);
	f = pw_code_func_find(a->code, func);
	assert_non_null(f);
	assert_int_equal(pw_code_disasm(a->code, f, &a->insns, &a->n, NULL), 0);
	free(path);
}

static void close_art(struct art *a)
{
	free(a->insns);
	pw_code_close(a->code);
	pw_file_close(&a->file);
}

static uint32_t count(const struct art *a, const char *opcode)
{
	uint32_t i, n = 0;

	for (i = 0; i < a->n; i++)
		n += !strcmp(a->insns[i].opcode, opcode);
	return n;
}

static const struct pw_minsn *first(const struct art *a, const char *opcode)
{
	uint32_t i;

	for (i = 0; i < a->n; i++)
		if (!strcmp(a->insns[i].opcode, opcode))
			return &a->insns[i];
	fail_msg("no %s", opcode);
	return NULL;
}

static void every_release_counts_imports_in_its_names(void **state)
{
	size_t r;

	(void)state;
	for (r = 0; r < N_RELEASES; r++) {
		struct art a;
		uint32_t i;

		open_art(&a, releases[r], POLY);
		/* the imported ones have no code, the trampolines no index */
		for (i = 0; i < N_IMPORTS; i++)
			assert_null(pw_code_func_find(a.code, i));
		for (i = N_IMPORTS; i <= START; i++)
			assert_non_null(pw_code_func_find(a.code, i));
		assert_null(pw_code_func_find(a.code, START + 1));
		assert_true(pw_code_n_funcs(a.code) > 3);
		/* only poly has the conversion, so the index is right */
		first(&a, "vcvtsi2sd");
		close_art(&a);
	}
}

static void a_function_is_found_by_any_place_in_it(void **state)
{
	const struct pw_code_func *f;
	struct art a;

	(void)state;
	open_art(&a, "50.0.1", POLY);
	f = pw_code_func_find(a.code, POLY);
	assert_string_equal(f->name, "wasm[0]::function[3]::poly");
	assert_ptr_equal(pw_code_func_at(a.code, f->text_off), f);
	assert_ptr_equal(pw_code_func_at(a.code,
					 f->text_off + f->size_bytes - 1),
			 f);
	assert_ptr_not_equal(pw_code_func_at(a.code,
					     f->text_off + f->size_bytes),
			     f);
	assert_null(pw_code_func_at(a.code, UINT64_MAX));
	close_art(&a);
}

/* The module, walked: which instruction is at a file offset? */
static enum pw_op op_at(const struct pw_module *m, uint32_t func, uint64_t off)
{
	struct pw_walk *w = pw_walk_new(m);
	enum pw_op op = PW_N_OPS;
	struct pw_insn insn;

	assert_int_equal(pw_walk_start(w, func, NULL), 0);
	while (pw_walk_next(w, &insn, NULL) == 1)
		if (insn.off == off)
			op = insn.op;
	pw_walk_free(w);
	return op;
}

static void the_map_leads_to_the_wasm_instruction(void **state)
{
	struct pw_file f;
	struct pw_module *m;
	size_t r;

	(void)state;
	assert_int_equal(pw_file_open(&f, DATA "mix.wasm", NULL), 0);
	m = pw_module_decode(f.data, f.size, NULL);
	assert_non_null(m);
	for (r = 0; r < N_RELEASES; r++) {
		struct art a;
		uint32_t i, mapped = 0;

		open_art(&a, releases[r], POLY);
		assert_true(pw_code_has_map(a.code));
		assert_null(pw_code_map_fault(a.code));
		assert_int_equal(op_at(m, POLY,
				       first(&a, "vcvtsi2sd")->wasm_off),
				 PW_OP_f64_convert_i32_s);
		for (i = 0; i < a.n; i++) {
			if (a.insns[i].wasm_off == PW_NO_OFF)
				continue;
			mapped++;
			/* locals made zero belong to their declaration */
			if (a.insns[i].wasm_off <
			    pw_module_func(m, POLY)->code_off)
				continue;
			assert_int_not_equal(op_at(m, POLY,
						   a.insns[i].wasm_off),
					     PW_N_OPS);
		}
		assert_true(mapped > 5);
		/* the first instruction sets up the frame */
		assert_true(a.insns[0].wasm_off == PW_NO_OFF);
		close_art(&a);
	}
	pw_module_free(m);
	pw_file_close(&f);
}

static void constants_behind_the_code_are_not_instructions(void **state)
{
	size_t r;

	(void)state;
	for (r = 0; r < N_RELEASES; r++) {
		const struct pw_code_func *f;
		struct art a;
		const struct pw_minsn *last;

		open_art(&a, releases[r], POLY);
		f = pw_code_func_find(a.code, POLY);
		last = &a.insns[a.n - 1];
		assert_true(!strcmp(last->opcode, "ret") ||
			    !strcmp(last->opcode, "ud2"));
		/* two constants of 8 bytes at least follow */
		assert_true(last->text_off + last->size_bytes + 16 <=
			    f->text_off + f->size_bytes);
		assert_int_equal(count(&a, ".byte"), 0);
		close_art(&a);
	}
}

static void a_constant_is_told_by_its_value(void **state)
{
	size_t r;

	(void)state;
	for (r = 0; r < N_RELEASES; r++) {
		struct art a;

		open_art(&a, releases[r], POLY);
		assert_string_equal(first(&a, "vmulsd")->note,
				    "7.450580596923828e-09");
		close_art(&a);
	}
}

static void a_jump_table_is_read_and_not_decoded(void **state)
{
	size_t r;

	(void)state;
	for (r = 0; r < N_RELEASES; r++) {
		struct art a;
		uint32_t i, k, found;

		open_art(&a, releases[r], CHOOSE);
		assert_int_equal(count(&a, ".long"), 5);
		assert_int_equal(count(&a, ".byte"), 0);
		/* each entry goes to an instruction */
		for (i = 0; i < a.n; i++) {
			if (strcmp(a.insns[i].opcode, ".long"))
				continue;
			for (found = 0, k = 0; k < a.n; k++)
				found += a.insns[k].text_off ==
					 a.insns[i].target;
			assert_int_equal(found, 1);
		}
		close_art(&a);
	}
}

static void a_direct_call_names_its_callee(void **state)
{
	size_t r;

	(void)state;
	for (r = 0; r < N_RELEASES; r++) {
		const struct pw_code_func *callee;
		const struct pw_minsn *call;
		struct art a;

		open_art(&a, releases[r], START);
		callee = pw_code_func_find(a.code, CHOOSE);
		call = first(&a, "call");
		assert_true(call->is_call);
		assert_string_equal(call->operands, callee->name);
		assert_int_equal(call->target, callee->text_off);
		close_art(&a);
	}
}

static void the_nested_loop_is_found_with_the_division_inside(void **state)
{
	size_t r;

	(void)state;
	for (r = 0; r < N_RELEASES; r++) {
		struct pw_loop *loops;
		struct art a;
		uint32_t n, *depth, div;

		open_art(&a, releases[r], START);
		pw_code_loops(a.insns, a.n, &loops, &n);
		assert_int_equal(n, 2);
		assert_int_equal(loops[0].depth, 1);
		assert_int_equal(loops[1].depth, 2);
		assert_int_equal(loops[1].parent, 0);
		assert_true(loops[0].n_insns > loops[1].n_insns);
		depth = pw_zalloc(a.n * sizeof(*depth));
		pw_code_loop_depths(a.insns, a.n, loops, n, depth);
		div = (uint32_t)(first(&a, "div") - a.insns);
		assert_int_equal(depth[div], 2);
		assert_int_equal(depth[0], 0);
		assert_int_equal(depth[a.n - 1], 0);
		free(depth);
		free(loops);
		close_art(&a);
	}
}

static void hashes_differ_between_functions_and_not_between_runs(void **state)
{
	struct art a, b;
	uint32_t i, k;

	(void)state;
	open_art(&a, "50.0.1", POLY);
	open_art(&b, "50.0.1", POLY);
	assert_true(pw_code_hash(a.code) == pw_code_hash(b.code));
	for (i = CHOOSE; i <= START; i++)
		for (k = CHOOSE; k <= START; k++)
			assert_int_equal(
				pw_code_func_hash(a.code,
						  pw_code_func_find(a.code,
								    i)) ==
					pw_code_func_hash(
						b.code,
						pw_code_func_find(b.code, k)),
				i == k);
	close_art(&a);
	close_art(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_release_counts_imports_in_its_names),
		cmocka_unit_test(a_function_is_found_by_any_place_in_it),
		cmocka_unit_test(the_map_leads_to_the_wasm_instruction),
		cmocka_unit_test(
			constants_behind_the_code_are_not_instructions),
		cmocka_unit_test(a_constant_is_told_by_its_value),
		cmocka_unit_test(a_jump_table_is_read_and_not_decoded),
		cmocka_unit_test(a_direct_call_names_its_callee),
		cmocka_unit_test(
			the_nested_loop_is_found_with_the_division_inside),
		cmocka_unit_test(
			hashes_differ_between_functions_and_not_between_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
