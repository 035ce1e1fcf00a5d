// SPDX-License-Identifier: GPL-2.0-only
/* What wasm2c is given: no name of the module, every body as it was. */
#include "../../../../wasm/host-wasm2c/w2c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void add(struct pw_buf *b, const char *bytes, size_t n)
{
	pw_buf_add(b, bytes, n);
}

#define ADD(b, s) add(b, s, sizeof(s) - 1)

static void add_section(struct pw_buf *b, uint8_t id, struct pw_buf *body)
{
	pw_buf_add_u8(b, id);
	pw_buf_add_uleb(b, body->len);
	pw_buf_add(b, body->data, body->len);
	body->len = 0;
}

/* (import "a*\/" "f\n" function (i32) -> i32), imports of a table, a memory
 * and a global, a custom section, a function that calls the import, exported
 * as "int x;" and once more, and the memory. */
static struct pw_buf odd_module(void)
{
	struct pw_buf m = { 0 }, s = { 0 };

	ADD(&m, "\0asm\1\0\0\0");
	ADD(&s, "\2\x60\0\0\x60\1\x7f\1\x7f");
	add_section(&m, 1, &s);
	ADD(&s, "\4\3a*/\2f\n\0\1");
	ADD(&s, "\1a\1t\1\x70\1\1\x80\1");
	ADD(&s, "\1a\1m\2\1\1\x80\2");
	ADD(&s, "\1a\1g\3\x7f\1");
	add_section(&m, 2, &s);
	ADD(&s, "\6custom\1\2\3");
	add_section(&m, 0, &s);
	ADD(&s, "\1\1");
	add_section(&m, 3, &s);
	ADD(&s, "\3\6int x;\0\1\5again\0\1\6memory\2\0");
	add_section(&m, 7, &s);
	ADD(&s, "\1\6\0\x20\0\x10\0\x0b");
	add_section(&m, 10, &s);
	pw_buf_release(&s);
	return m;
}

static struct pw_module *plain_of(const struct pw_buf *from,
				  struct pw_buf *plain)
{
	struct pw_err err = { 0 };
	struct pw_module *m = pw_module_decode(from->data, from->len, &err);
	struct pw_module *p;

	if (!m)
		fail_msg("%s", err.msg);
	assert_int_equal(w2c_plain(m, plain, &err), 0);
	pw_module_free(m);
	p = pw_module_decode(plain->data, plain->len, &err);
	if (!p)
		fail_msg("the plain module: %s", err.msg);
	return p;
}

static void name_is(struct pw_name name, const char *want)
{
	assert_int_equal(name.len, strlen(want));
	assert_memory_equal(name.s, want, name.len);
}

static void every_name_is_one_of_ours(void **state)
{
	struct pw_buf from = odd_module(), plain = { 0 };
	struct pw_module *p = plain_of(&from, &plain);
	char name[64];

	(void)state;
	assert_int_equal(pw_module_n_imports(p), 4);
	for (uint32_t i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "i%u", i);
		name_is(pw_module_import(p, i)->module, "h");
		name_is(pw_module_import(p, i)->name, name);
	}
	name_is(pw_module_export(p, 0)->name, "f1e0");
	name_is(pw_module_export(p, 1)->name, "f1e1");
	name_is(pw_module_export(p, 2)->name, "x2");
	assert_string_equal(pw_module_func_name(p, 1, name, sizeof(name)),
			    "f1");
	assert_null(memmem(plain.data, plain.len, "int x", 5));
	assert_null(memmem(plain.data, plain.len, "*/", 2));
	assert_null(memmem(plain.data, plain.len, "custom", 6));
	pw_module_free(p);
	pw_buf_release(&plain);
	pw_buf_release(&from);
}

static void types_and_bodies_stay_as_they_were(void **state)
{
	struct pw_buf from = odd_module(), plain = { 0 };
	struct pw_module *p = plain_of(&from, &plain);
	const struct pw_func *f = pw_module_func(p, 1);

	(void)state;
	assert_int_equal(pw_module_n(p, PW_EXT_TABLE), 1);
	assert_int_equal(pw_module_memory(p, 0)->max, 256);
	assert_true(pw_module_global(p, 0)->mutable_);
	assert_int_equal(pw_module_export(p, 2)->kind, PW_EXT_MEMORY);
	assert_int_equal(f->type_idx, 1);
	assert_int_equal(f->body_size, 6);
	assert_memory_equal(plain.data + f->body_off, "\0\x20\0\x10\0\x0b", 6);
	assert_int_equal(pw_module_check_bodies(p, NULL), 0);
	pw_module_free(p);
	pw_buf_release(&plain);
	pw_buf_release(&from);
}

static void only_prototypes_of_wasm_functions_lose_inlining(void **state)
{
	struct pw_buf out = { 0 };

	(void)state;
	w2c_forbid_inlining("static u32 w2c_f0(T*, u32);\n"
			    "static void w2c_m_f12(T*);\n"
			    "static u32 w2c_f0(T* t, u32 a) {\n"
			    "  x = w2c_f0(t, 1);\n"
			    "static const u8 d[] = {1};\n"
			    "static inline void f(void);",
			    &out);
	assert_string_equal(pw_buf_str(&out),
			    "static u32 NOINLINE w2c_f0(T*, u32);\n"
			    "static void NOINLINE w2c_m_f12(T*);\n"
			    "static u32 w2c_f0(T* t, u32 a) {\n"
			    "  x = w2c_f0(t, 1);\n"
			    "static const u8 d[] = {1};\n"
			    "static inline void f(void);\n");
	pw_buf_release(&out);
}

static void symbols_hold_the_index_in_both_naming_schemes(void **state)
{
	struct pw_buf from = odd_module(), out = { 0 };
	struct pw_module *m = pw_module_decode(from.data, from.len, NULL);

	(void)state;
	w2c_renames(m, "void Z_m_instantiate(T*);", &out);
	assert_non_null(strstr(pw_buf_str(&out),
			       "Z_mZ_f1e0 __asm__(\"w2c_f1.part.e0\")"));
	assert_null(strstr(pw_buf_str(&out), "#define"));
	out.len = 0;
	w2c_renames(m, "void wasm2c_m_instantiate(w2c_m*);", &out);
	assert_non_null(strstr(pw_buf_str(&out),
			       "w2c_m_f1e1 __asm__(\"w2c_f1.part.e1\")"));
	assert_non_null(strstr(pw_buf_str(&out), "#define w2c_m_f1 w2c_f1\n"));
	pw_module_free(m);
	pw_buf_release(&from);
	pw_buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name_is_one_of_ours),
		cmocka_unit_test(types_and_bodies_stay_as_they_were),
		cmocka_unit_test(
			only_prototypes_of_wasm_functions_lose_inlining),
		cmocka_unit_test(symbols_hold_the_index_in_both_naming_schemes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
