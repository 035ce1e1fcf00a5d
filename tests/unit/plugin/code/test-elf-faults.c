// SPDX-License-Identifier: GPL-2.0-only
/* Images that are cut, bent or no machine code: refused with a sentence, or
 * read without a step outside. Run under the sanitizers as well. */
#include "elf-writer.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const uint8_t ret_only[] = { 0xc3 };

static struct elf_recipe recipe(void)
{
	return (struct elf_recipe){ .text = ret_only,
				    .text_size = 1,
				    .syms = { { "f0", 0, 1, 0 } },
				    .n_syms = 1 };
}

/* Everything that reads is asked; what it answers does not matter. */
static void read_all(const uint8_t *data, size_t size)
{
	struct pw_err err = { 0 };
	struct pw_code *c = pw_code_open(data, size, 1, &err);
	uint32_t i;

	if (!c) {
		assert_true(err.code > 0);
		assert_true(err.msg[0]);
		return;
	}
	for (i = 0; i < pw_code_n_funcs(c); i++) {
		struct pw_minsn *insns = NULL;
		struct pw_loop *loops;
		uint32_t n, n_loops;

		assert_int_equal(pw_code_disasm(c, pw_code_func(c, i), &insns,
						&n, &err),
				 0);
		pw_code_loops(insns, n, &loops, &n_loops);
		free(loops);
		free(insns);
	}
	pw_code_hash(c);
	pw_code_wasm_off(c, 0);
	pw_code_close(c);
}

/* Reads a copy that ends where its memory does. */
static void read_copy(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	memcpy(copy, data, size);
	read_all(copy, size);
	free(copy);
}

static int refused(const struct elf_recipe *r, char *msg, size_t size)
{
	struct pw_buf b = { 0 };
	struct pw_err err = { 0 };
	struct pw_code *c;

	elf_write(r, &b);
	c = pw_code_open(b.data, b.len, 0, &err);
	assert_null(c);
	snprintf(msg, size, "%s", err.msg);
	pw_buf_release(&b);
	return err.code;
}

static void bytes_that_are_no_elf_are_refused(void **state)
{
	struct pw_err err = { 0 };

	(void)state;
	assert_null(pw_code_open((const uint8_t *)"\0asm\1\0\0\0", 8, 0, &err));
	assert_int_equal(err.code, EINVAL);
	assert_non_null(strstr(err.msg, "expected an ELF image"));
	assert_null(pw_code_open((const uint8_t *)"", 0, 0, NULL));
}

static void other_machines_are_not_supported(void **state)
{
	struct elf_recipe r = recipe();
	char msg[480];

	(void)state;
	r.machine = EM_RISCV;
	assert_int_equal(refused(&r, msg, sizeof(msg)), ENOTSUP);
	assert_non_null(strstr(msg, "243"));
}

static void a_32_bit_image_is_not_supported(void **state)
{
	struct elf_recipe r = recipe();
	struct pw_buf b = { 0 };
	struct pw_err err = { 0 };

	(void)state;
	elf_write(&r, &b);
	b.data[EI_CLASS] = ELFCLASS32;
	assert_null(pw_code_open(b.data, b.len, 0, &err));
	assert_int_equal(err.code, ENOTSUP);
	b.data[EI_CLASS] = ELFCLASS64;
	b.data[EI_DATA] = ELFDATA2MSB;
	assert_null(pw_code_open(b.data, b.len, 0, &err));
	assert_int_equal(err.code, ENOTSUP);
	pw_buf_release(&b);
}

static void a_function_outside_the_text_is_refused(void **state)
{
	struct elf_recipe r = recipe();
	char msg[480];

	(void)state;
	r.syms[0].size = 2;
	assert_int_equal(refused(&r, msg, sizeof(msg)), EINVAL);
	assert_non_null(strstr(msg, "f0"));
	r.syms[0].size = 1;
	r.syms[0].value = UINT64_MAX;
	assert_int_equal(refused(&r, msg, sizeof(msg)), EINVAL);
}

static void functions_that_overlap_are_cut_at_the_next(void **state)
{
	static const uint8_t text[16] = { 0x90, 0x90, 0xc3 };
	struct elf_recipe r = { .text = text,
				.text_size = sizeof(text),
				.syms = { { "f1", 0, 16, 0 },
					  { "f2", 2, 14, 0 },
					  { "other", 2, 14, 0 } },
				.n_syms = 3 };
	struct pw_buf b = { 0 };
	struct pw_code *c;

	(void)state;
	elf_write(&r, &b);
	c = pw_code_open(b.data, b.len, 0, NULL);
	assert_non_null(c);
	assert_int_equal(pw_code_n_funcs(c), 2);
	assert_int_equal(pw_code_func(c, 0)->size_bytes, 2);
	assert_string_equal(pw_code_func(c, 1)->name, "f2");
	assert_null(pw_code_func(c, 2));
	pw_code_close(c);
	pw_buf_release(&b);
}

static void what_is_no_function_of_the_text_is_left_out(void **state)
{
	struct elf_recipe r = recipe();
	struct pw_buf b = { 0 };
	struct pw_code *c;

	(void)state;
	r.syms[r.n_syms++] = (struct elf_sym){ "$x", 0, 0, STT_NOTYPE };
	r.syms[r.n_syms++] = (struct elf_sym){ "data", 0, 1, STT_OBJECT };
	r.syms[r.n_syms++] = (struct elf_sym){ "empty", 0, 0, 0 };
	elf_write(&r, &b);
	c = pw_code_open(b.data, b.len, 0, NULL);
	assert_int_equal(pw_code_n_funcs(c), 1);
	assert_string_equal(pw_code_arch(c), "x86-64");
	pw_code_close(c);
	pw_buf_release(&b);
}

static void an_artifact_may_be_cut_anywhere(void **state)
{
	struct pw_file f;
	size_t n;

	(void)state;
	assert_int_equal(pw_file_open(&f, "tests/data/artifacts/mix-50.0.1.elf",
				      NULL),
			 0);
	for (n = 0; n < f.size; n++)
		read_copy(f.data, n);
	pw_file_close(&f);
}

/* Headers, symbols, map and code, each byte bent in three ways. */
static void an_artifact_may_be_bent_anywhere(void **state)
{
	static const char *const names[] = { "8.0.0", "50.0.1" };
	static const uint8_t bends[] = { 0x80, 0x01, 0xff };
	size_t i, k, n;

	(void)state;
	for (n = 0; n < 2; n++) {
		char *path = pw_asprintf("tests/data/artifacts/mix-%s.elf",
					 names[n]);
		struct pw_file f;
		uint8_t *copy;

		assert_int_equal(pw_file_open(&f, path, NULL), 0);
		copy = malloc(f.size);
		memcpy(copy, f.data, f.size);
		for (i = 0; i < f.size; i++) {
			/* nothing reads runs of zeros and the engine's text */
			if (!f.data[i] && i > 64 && i % 8)
				continue;
			for (k = 0; k < sizeof(bends); k++) {
				copy[i] = f.data[i] ^ bends[k];
				read_all(copy, f.size);
			}
			copy[i] = f.data[i];
		}
		free(copy);
		pw_file_close(&f);
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_that_are_no_elf_are_refused),
		cmocka_unit_test(other_machines_are_not_supported),
		cmocka_unit_test(a_32_bit_image_is_not_supported),
		cmocka_unit_test(a_function_outside_the_text_is_refused),
		cmocka_unit_test(functions_that_overlap_are_cut_at_the_next),
		cmocka_unit_test(what_is_no_function_of_the_text_is_left_out),
		cmocka_unit_test(an_artifact_may_be_cut_anywhere),
		cmocka_unit_test(an_artifact_may_be_bent_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
