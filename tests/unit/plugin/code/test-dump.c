// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jitdumps as images of machine code: of V8 in two releases of node, and one
 * that is made here, byte by byte.
 */
#include <perfwasm/code.h>

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define DATA      "tests/data/artifacts/"
#define N_IMPORTS 2

static const char *const dumps[] = { "mix-v8-18.dump", "mix-v8-26.dump" };
#define N_DUMPS (sizeof(dumps) / sizeof(*dumps))

enum { CHOOSE = 2, POLY, START };

struct art {
	struct pw_file file;
	struct pw_code *code;
	struct pw_minsn *insns;
	uint32_t n;
};

static void open_one(struct art *a, const char *name, uint32_t n_imports,
		     uint32_t func)
{
	char *path = pw_asprintf(DATA "%s", name);
	const struct pw_code_func *f;

	memset(a, 0, sizeof(*a));
	assert_int_equal(pw_file_open(&a->file, path, NULL), 0);
	a->code = pw_code_open(a->file.data, a->file.size, n_imports, NULL);
	assert_non_null(a->code);
	f = pw_code_func_find(a->code, func);
	assert_non_null(f);
	assert_int_equal(pw_code_disasm(a->code, f, &a->insns, &a->n, NULL), 0);
	free(path);
}

static void open_art(struct art *a, const char *name, uint32_t func)
{
	open_one(a, name, N_IMPORTS, func);
}

static void close_art(struct art *a)
{
	free(a->insns);
	pw_code_close(a->code);
	pw_file_close(&a->file);
}

static uint32_t count(const struct art *a, const char *opcode)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->n; i++)
		n += !strcmp(a->insns[i].opcode, opcode);
	return n;
}

static void functions_have_their_index_and_wrappers_are_left_out(void **state)
{
	(void)state;
	for (size_t d = 0; d < N_DUMPS; d++) {
		struct art a;

		open_art(&a, dumps[d], POLY);
		assert_int_equal(pw_code_n_funcs(a.code), 3);
		for (uint32_t i = CHOOSE; i <= START; i++)
			assert_non_null(pw_code_func_find(a.code, i));
		assert_int_equal(count(&a, "vcvtsi2sd") > 0, 1);
		close_art(&a);
	}
}

static void what_follows_the_code_is_not_decoded(void **state)
{
	(void)state;
	for (size_t d = 0; d < N_DUMPS; d++) {
		for (uint32_t i = CHOOSE; i <= START; i++) {
			struct art a;

			open_art(&a, dumps[d], i);
			assert_int_equal(count(&a, ".byte"), 0);
			assert_true(a.insns[a.n - 1].is_jump ||
				    a.insns[a.n - 1].is_call ||
				    !strcmp(a.insns[a.n - 1].opcode, "ud2") ||
				    !strcmp(a.insns[a.n - 1].opcode, "ret"));
			close_art(&a);
		}
	}
}

static void blocks_behind_a_jump_table_of_addresses_are_found(void **state)
{
	struct art a;

	(void)state;
	open_one(&a, "table-v8-26.dump", 0, 0);
	assert_int_equal(count(&a, "rol"), 1);
	assert_int_equal(count(&a, "popcnt"), 1);
	assert_int_equal(count(&a, "lzcnt"), 1);
	assert_int_equal(count(&a, ".byte"), 0);
	close_art(&a);
}

static void another_place_in_memory_is_the_same_code(void **state)
{
	struct art a, b;

	(void)state;
	open_art(&a, "mix-v8-26.dump", POLY);
	open_art(&b, "mix-v8-26-again.dump", POLY);
	assert_true(a.file.size == b.file.size);
	assert_memory_not_equal(a.file.data, b.file.data, a.file.size);
	assert_true(pw_code_hash(a.code) == pw_code_hash(b.code));
	for (uint32_t i = CHOOSE; i <= START; i++)
		assert_int_equal(pw_code_func_find(a.code, i)->text_off,
				 pw_code_func_find(b.code, i)->text_off);
	close_art(&a);
	close_art(&b);
}

/* --- a dump of our own ------------------------------------------------------------ */

static void add_header(struct pw_buf *b)
{
	pw_buf_add_u32(b, 0x4A695444);
	pw_buf_add_u32(b, 1);
	pw_buf_add_u32(b, 40);
	pw_buf_add_u32(b, EM_X86_64);
	pw_buf_add_u64(b, 7ull << 32);
	pw_buf_add_u64(b, 0);
	pw_buf_add_u64(b, 0);
}

static void add_load(struct pw_buf *b, const char *name, uint64_t addr,
		     const void *code, size_t n)
{
	pw_buf_add_u32(b, 0);
	pw_buf_add_u32(b, (uint32_t)(56 + strlen(name) + 1 + n));
	pw_buf_add_u64(b, 1);
	pw_buf_add_u64(b, 7ull << 32 | 7);
	pw_buf_add_u64(b, addr);
	pw_buf_add_u64(b, addr);
	pw_buf_add_u64(b, n);
	pw_buf_add_u64(b, 0);
	pw_buf_add(b, name, strlen(name) + 1);
	pw_buf_add(b, code, n);
}

static void the_last_code_of_the_highest_tier_holds(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_code *c;
	const struct pw_code_func *f;
	uint64_t size;

	(void)state;
	add_header(&b);
	add_load(&b, "JS:f-0-turbofan", 0x10040, "\x90\xc3", 2);
	add_load(&b, "JS:f-0-turbofan", 0x20040, "\x90\x90\xc3", 3);
	add_load(&b, "JS:f-0-liftoff", 0x30040, "\x90\x90\x90\xc3", 4);
	add_load(&b, "JS:~script", 0x40040, "\x90", 1);
	c = pw_code_open(b.data, b.len, 0, NULL);
	assert_non_null(c);
	assert_int_equal(pw_code_n_funcs(c), 1);
	f = pw_code_func_find(c, 0);
	assert_int_equal(f->size_bytes, 3);
	assert_memory_equal(pw_code_text(c, &size) + f->text_off,
			    "\x90\x90\xc3", 3);
	pw_code_close(c);
	pw_buf_release(&b);
}

/* The callee lies before the caller or behind it: the call is the same. */
static uint64_t hash_of_call(uint64_t caller, uint64_t callee,
			     const char **name)
{
	static char operand[104];
	uint8_t code[6] = { 0xe8, 0, 0, 0, 0, 0xc3 };
	int32_t distance = (int32_t)(callee - (caller + 5));
	struct pw_buf b = { 0 };
	struct pw_minsn *insns;
	struct pw_code *c;
	uint64_t hash;
	uint32_t n;

	memcpy(code + 1, &distance, sizeof(distance));
	add_header(&b);
	add_load(&b, "JS:a-0-turbofan", caller, code, sizeof(code));
	add_load(&b, "JS:b-1-turbofan", 0x7000, "\xc3", 1);
	c = pw_code_open(b.data, b.len, 0, NULL);
	assert_non_null(c);
	assert_int_equal(pw_code_disasm(c, pw_code_func(c, 0), &insns, &n,
					NULL),
			 0);
	strcpy(operand, insns[0].operands);
	*name = operand;
	hash = pw_code_hash(c);
	free(insns);
	pw_code_close(c);
	pw_buf_release(&b);
	return hash;
}

static void a_call_is_told_by_whom_it_calls(void **state)
{
	const char *name;
	uint64_t near, far, outside;

	(void)state;
	near = hash_of_call(0x6000, 0x7000, &name);
	assert_string_equal(name, "JS:b-1-turbofan");
	far = hash_of_call(0x90000, 0x7000, &name);
	assert_true(near == far);
	outside = hash_of_call(0x6000, 0x5000, &name);
	assert_string_equal(name, "runtime");
	assert_true(outside != near);
	assert_true(outside == hash_of_call(0x6000, 0x5100, &name));
}

/* vmovsd 0xff8(%rip), %xmm0: 8 bytes, to 0x8000 when it lies at 0x7000. */
static uint64_t hash_of_constant(double value, struct pw_minsn *insn)
{
	static const uint8_t code[] = {
		0xc5, 0xfb, 0x10, 0x05, 0xf8, 0x0f, 0, 0
	};
	struct pw_buf b = { 0 };
	struct pw_minsn *insns;
	struct pw_code *c;
	uint64_t hash;
	uint32_t n;

	add_header(&b);
	add_load(&b, "JS:f-0-turbofan", 0x7000, code, sizeof(code));
	add_load(&b, "JS:~data", 0x8000, &value, sizeof(value));
	c = pw_code_open(b.data, b.len, 0, NULL);
	assert_non_null(c);
	assert_int_equal(pw_code_disasm(c, pw_code_func(c, 0), &insns, &n,
					NULL),
			 0);
	*insn = insns[0];
	hash = pw_code_hash(c);
	free(insns);
	pw_code_close(c);
	pw_buf_release(&b);
	return hash;
}

static void a_constant_in_another_record_belongs_to_the_code(void **state)
{
	struct pw_minsn insn;
	uint64_t hash;

	(void)state;
	hash = hash_of_constant(7.25, &insn);
	assert_string_equal(insn.note, "7.25");
	assert_true(hash == hash_of_constant(7.25, &insn));
	assert_true(hash != hash_of_constant(7.5, &insn));
}

static void a_dump_without_wasm_has_no_functions(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_code *c;

	(void)state;
	add_header(&b);
	add_load(&b, "JS:~script", 0x40040, "\x90", 1);
	c = pw_code_open(b.data, b.len, 0, NULL);
	assert_int_equal(pw_code_n_funcs(c), 0);
	pw_code_close(c);
	pw_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			functions_have_their_index_and_wrappers_are_left_out),
		cmocka_unit_test(what_follows_the_code_is_not_decoded),
		cmocka_unit_test(
			blocks_behind_a_jump_table_of_addresses_are_found),
		cmocka_unit_test(another_place_in_memory_is_the_same_code),
		cmocka_unit_test(the_last_code_of_the_highest_tier_holds),
		cmocka_unit_test(a_call_is_told_by_whom_it_calls),
		cmocka_unit_test(
			a_constant_in_another_record_belongs_to_the_code),
		cmocka_unit_test(a_dump_without_wasm_has_no_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
