// SPDX-License-Identifier: GPL-2.0-only
/* Names of functions, by runtime, and the indexes behind them. */
#include "elf-writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static int64_t idx_of(const char *name, uint32_t n_imported)
{
	static const uint8_t ret_only[] = { 0xc3 };
	struct elf_recipe r = { .text = ret_only,
				.text_size = 1,
				.syms = { { name, 0, 1, 0 } },
				.n_syms = 1 };
	struct pw_buf b = { 0 };
	struct pw_code *c;
	int64_t idx;

	elf_write(&r, &b);
	c = pw_code_open(b.data, b.len, n_imported, NULL);
	assert_non_null(c);
	idx = pw_code_func(c, 0)->wasm_idx;
	pw_code_close(c);
	pw_buf_release(&b);
	return idx;
}

static void wasmtime_counts_imports(void **state)
{
	(void)state;
	assert_int_equal(idx_of("_wasm_function_12", 3), 12);
	assert_int_equal(idx_of("wasm_function_12", 3), 12);
	assert_int_equal(idx_of("wasm[0]::function[12]", 3), 12);
	assert_int_equal(idx_of("wasm[0]::function[12]::a.cold", 3), 12);
	assert_int_equal(idx_of("wasm[0]::function[0]::", 3), 0);
}

static void trampolines_and_builtins_have_no_index(void **state)
{
	(void)state;
	assert_int_equal(idx_of("wasm[0]::array_to_wasm_trampoline[3]", 0), -1);
	assert_int_equal(idx_of("signatures[0]::wasm_to_array_trampoline", 0),
			 -1);
	assert_int_equal(idx_of("wasm_native_to_wasm_trampoline_3", 0), -1);
	assert_int_equal(idx_of("_trampoline_1", 0), -1);
	assert_int_equal(idx_of("wasmtime_builtin_memory32_grow", 0), -1);
	assert_int_equal(idx_of("", 0), -1);
	assert_int_equal(idx_of("free", 0), -1);
	assert_int_equal(idx_of("f", 0), -1);
}

/* A component holds several modules; this is about one. */
static void another_module_of_a_component_has_no_index(void **state)
{
	(void)state;
	assert_int_equal(idx_of("wasm[1]::function[2]", 0), -1);
}

static void local_numbers_gain_the_imports(void **state)
{
	(void)state;
	assert_int_equal(idx_of("wasmer_function__4", 3), 7);
	assert_int_equal(idx_of("aot_func#4", 3), 7);
	assert_int_equal(idx_of("w2c_f4", 3), 4);
	assert_int_equal(idx_of("f4", 3), 4);
}

static void clones_of_the_c_compiler_are_their_function(void **state)
{
	(void)state;
	assert_int_equal(idx_of("w2c_f4.isra.0", 0), 4);
	assert_int_equal(idx_of("w2c_f4.part.0", 0), 4);
	assert_int_equal(idx_of("w2c_f4.constprop.1.cold", 0), 4);
	assert_int_equal(idx_of("w2c_f4_0", 0), -1);
	assert_int_equal(idx_of("w2c_fib", 0), -1);
}

static void numbers_that_are_none_have_no_index(void **state)
{
	(void)state;
	assert_int_equal(idx_of("wasm[0]::function[4294967296]", 0), -1);
	assert_int_equal(idx_of("f99999999999999999999999999", 0), -1);
	assert_int_equal(idx_of("wasmer_function__4294967295", 1), -1);
	assert_int_equal(idx_of("wasm[0]::function[-1]", 0), -1);
	assert_int_equal(idx_of("wasm[0]::function[1", 0), -1);
	assert_int_equal(idx_of("wasm[0]::function[ 1]", 0), -1);
}

static void the_function_is_found_before_what_was_split_off(void **state)
{
	static const uint8_t text[] = { 0x90, 0x90, 0x90, 0xc3, 0xc3 };
	struct elf_recipe r = { .text = text,
				.text_size = sizeof(text),
				.syms = { { "w2c_f1.cold", 0, 4, 0 },
					  { "w2c_f1", 4, 1, 0 } },
				.n_syms = 2 };
	struct pw_buf b = { 0 };
	struct pw_code *c;

	(void)state;
	elf_write(&r, &b);
	c = pw_code_open(b.data, b.len, 0, NULL);
	assert_string_equal(pw_code_func_find(c, 1)->name, "w2c_f1");
	pw_code_close(c);
	pw_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wasmtime_counts_imports),
		cmocka_unit_test(trampolines_and_builtins_have_no_index),
		cmocka_unit_test(another_module_of_a_component_has_no_index),
		cmocka_unit_test(local_numbers_gain_the_imports),
		cmocka_unit_test(clones_of_the_c_compiler_are_their_function),
		cmocka_unit_test(numbers_that_are_none_have_no_index),
		cmocka_unit_test(
			the_function_is_found_before_what_was_split_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
