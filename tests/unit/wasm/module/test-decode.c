// SPDX-License-Identifier: GPL-2.0-only
/* What is no module, and what a module must not say, is refused with its
 * offset and a sentence; what it may say is found again. */
#include "module-bytes.h"

static void refused(const struct pw_buf *b, int code, uint64_t off,
		    const char *sentence)
{
	struct pw_err err = { 0 };
	struct pw_module *m = pw_module_decode(b->data, b->len, &err);

	if (m)
		fail_msg("accepted, but expected: %s", sentence);
	if (!strstr(err.msg, sentence))
		fail_msg("\"%s\" does not say \"%s\"", err.msg, sentence);
	assert_int_equal(err.code, code);
	assert_int_equal(err.off, off);
	assert_null(pw_module_decode(b->data, b->len, NULL));
}

static void refused_bytes(const uint8_t *bytes, size_t n, int code,
			  uint64_t off, const char *sentence)
{
	/* A copy of exact size, so that a sanitizer sees reads behind it. */
	struct pw_buf b = { malloc(n ? n : 1), n, n };

	memcpy(b.data, bytes, n);
	refused(&b, code, off, sentence);
	free(b.data);
}

static void what_is_no_module_is_called_what_it_is(void **state)
{
	(void)state;
	refused_bytes(BYTES('(', 'm', 'o', 'd', 'u', 'l', 'e'), EINVAL, 0,
		      "text");
	refused_bytes(BYTES(0x7f, 'E', 'L', 'F', 2, 1, 1, 0), EINVAL, 0,
		      "does not begin with \\0asm");
	refused_bytes(BYTES(0, 'a', 's'), EINVAL, 3, "ends after 3 bytes");
	refused_bytes((const uint8_t *)"", 0, EINVAL, 0, "ends after 0 bytes");
	refused_bytes(BYTES(0, 'a', 's', 'm', 2, 0, 0, 0), EINVAL, 4,
		      "binary version 2");
	refused_bytes(BYTES(0, 'a', 's', 'm', 0x0d, 0, 1, 0), ENOTSUP, 4,
		      "component");
}

static void sections_have_an_order(void **state)
{
	struct pw_buf b = { 0 };

	(void)state;
	add_header(&b);
	add_section(&b, 3, BYTES(0));
	add_section(&b, 1, BYTES(0));
	refused(&b, EINVAL, 11, "type section is out of order");
	b.len = 11;
	add_section(&b, 3, BYTES(0));
	refused(&b, EINVAL, 11, "there twice");
	b.len = 11;
	add_section(&b, 14, BYTES(0));
	refused(&b, EINVAL, 11, "section id 14");
	pw_buf_release(&b);
}

static void a_section_holds_what_its_size_says(void **state)
{
	struct pw_buf b = { 0 };

	(void)state;
	add_header(&b);
	add_section(&b, 1, BYTES(0, 0));
	refused(&b, EINVAL, 11, "1 bytes are left at the end");
	b.len = 8;
	pw_buf_add(&b, BYTES(1, 9, 0));
	refused(&b, EINVAL, 10, "");
	pw_buf_release(&b);
}

static void a_huge_count_allocates_nothing(void **state)
{
	static const uint8_t ids[] = { 1, 2, 3, 4, 5, 6, 7, 9, 11, 13 };
	struct pw_buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(ids); i++) {
		b.len = 0;
		add_header(&b);
		add_section(&b, ids[i],
			    BYTES(0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0));
		refused(&b, EINVAL, 10, "4294967295 entries");
	}
	pw_buf_release(&b);
}

static void too_many_locals_are_refused(void **state)
{
	struct pw_buf b = { 0 };

	(void)state;
	build_module(&b, "", "", BYTES(1, 0xd0, 0x86, 3, 0x7f, 0x0b));
	pw_module_free(decode_ok(&b)); /* 50,000 */
	b.len = 0;
	build_module(&b, "i", "", BYTES(1, 0xd0, 0x86, 3, 0x7f, 0x0b));
	refused(&b, EINVAL, b.len - 9, "50001 locals");
	b.len = 0;
	build_module(&b, "", "",
		     BYTES(2, 1, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xf, 0x7f,
			   0x0b));
	refused(&b, EINVAL, b.len - 11, "4294967296 locals");
	pw_buf_release(&b);
}

static void exports_have_distinct_names(void **state)
{
	struct pw_buf b = { 0 };

	(void)state;
	add_header(&b);
	add_section(&b, 5, BYTES(1, 0, 1));
	add_section(&b, 7, BYTES(3, 1, 'a', 2, 0, 1, 'b', 2, 0, 1, 'a', 2, 0));
	refused(&b, EINVAL, 25, "two exports named \"a\"");
	pw_buf_release(&b);
}

static void indexes_must_name_something(void **state)
{
	struct pw_buf b = { 0 };

	(void)state;
	add_header(&b);
	add_section(&b, 1, BYTES(1, 0x60, 0, 1, 0x63, 7)); /* (ref null 7) */
	refused(&b, EINVAL, 15, "type index 7");
	b.len = 8;
	add_section(&b, 3, BYTES(1, 0));
	refused(&b, EINVAL, 11, "type 0 does not exist");
	b.len = 8;
	add_section(&b, 7, BYTES(1, 1, 'm', 2, 0));
	refused(&b, EINVAL, 14, "does not exist");
	b.len = 8;
	add_section(&b, 8, BYTES(0));
	refused(&b, EINVAL, 10, "start function 0 does not exist");
	b.len = 8;
	add_section(&b, 9, BYTES(1, 0, 0x41, 0, 0x0b, 0));
	refused(&b, EINVAL, 12, "table 0 does not exist");
	b.len = 8;
	add_section(&b, 11, BYTES(1, 0, 0x41, 0, 0x0b, 0));
	refused(&b, EINVAL, 11, "memory 0 does not exist");
	pw_buf_release(&b);
}

static void limits_are_checked(void **state)
{
	struct pw_buf b = { 0 };

	(void)state;
	add_header(&b);
	add_section(&b, 5, BYTES(1, 1, 2, 1));
	refused(&b, EINVAL, 11, "minimum is above the maximum");
	b.len = 8;
	add_section(&b, 5, BYTES(1, 2, 1));
	refused(&b, EINVAL, 11, "shared memory needs a maximum");
	b.len = 8;
	add_section(&b, 5, BYTES(1, 0, 0x81, 0x80, 4));
	refused(&b, EINVAL, 11, "larger than its address type");
	b.len = 8;
	add_section(&b, 5, BYTES(1, 4, 0x81, 0x80, 4)); /* 64-bit */
	pw_module_free(decode_ok(&b));
	b.len = 8;
	add_section(&b, 5, BYTES(1, 16, 1));
	refused(&b, EINVAL, 11, "limits flags 0x10");
	pw_buf_release(&b);
}

static void constant_expressions_are_constant(void **state)
{
	struct pw_buf b = { 0 };

	(void)state;
	add_header(&b);
	add_section(&b, 6,
		    BYTES(2, 0x7f, 1, 0x41, 1, 0x0b, /* mutable i32 */
			  0x7f, 0, 0x23, 0, 0x0b));
	refused(&b, EINVAL, 18, "global 0 is mutable");
	b.len = 8;
	add_section(&b, 6, BYTES(1, 0x7f, 0, 0x42, 1, 0x0b));
	refused(&b, EINVAL, 15, "expects an operand of type i32, found i64");
	b.len = 8;
	add_section(&b, 6, BYTES(1, 0x7f, 0, 0x41, 1, 0x45, 0x0b));
	refused(&b, EINVAL, 15, "i32.eqz is not allowed in a constant");
	b.len = 8;
	add_section(&b, 6, BYTES(1, 0x7f, 0, 0x41, 1, 0x41, 2, 0x6a, 0x0b));
	pw_module_free(decode_ok(&b)); /* extended constants: i32.add */
	b.len = 8;
	add_section(&b, 6, BYTES(1, 0x7f, 0, 0x41, 1));
	refused(&b, EINVAL, 15, "without `end`");
	pw_buf_release(&b);
}

static void names_must_be_utf8(void **state)
{
	static const char *const bad[] = {
		"\x80",
		"\xc0\x80",
		"\xc3",
		"\xe0\x9f\xbf",
		"\xed\xa0\x80",
		"\xf0\x8f\xbf\xbf",
		"\xf4\x90\x80\x80",
		"\xf8\x88\x80\x80\x80",
		"\xff",
	};
	struct pw_buf b = { 0 }, s = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		b.len = s.len = 0;
		add_header(&b);
		pw_buf_add_uleb(&s, strlen(bad[i]));
		pw_buf_add(&s, bad[i], strlen(bad[i]));
		add_section(&b, 0, s.data, s.len);
		refused(&b, EINVAL, 10, "UTF-8");
	}
	b.len = 8;
	add_section(&b, 0, BYTES(4, 0xf0, 0x9f, 0x90, 0x91)); /* U+1F411 */
	pw_module_free(decode_ok(&b));
	pw_buf_release(&b);
	pw_buf_release(&s);
}

static void data_count_and_data_agree(void **state)
{
	struct pw_buf b = { 0 };

	(void)state;
	add_header(&b);
	add_section(&b, 12, BYTES(1));
	refused(&b, EINVAL, 11, "there is no data section");
	add_section(&b, 11, BYTES(2, 1, 0, 1, 0));
	refused(&b, EINVAL, 13, "the data count section says 1");
	b.len = 11;
	add_section(&b, 11, BYTES(1, 1, 0));
	pw_module_free(decode_ok(&b));
	pw_buf_release(&b);
}

static void what_a_module_has_is_found_again(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_module *m;
	uint32_t idx = 99, n;
	uint32_t *locals;

	(void)state;
	build_module(&b, "iI", "f", BYTES(2, 2, 0x7c, 1, 0x7b, 0x00, 0x0b));
	m = decode_ok(&b);
	assert_int_equal(pw_module_n(m, PW_EXT_FUNC), 2);
	assert_int_equal(pw_module_n(m, PW_EXT_GLOBAL), 2);
	assert_int_equal(pw_module_n_sections(m), 7);
	assert_int_equal(pw_module_global(m, 1)->type, PW_I64);
	assert_false(pw_module_global(m, 1)->mutable_);
	assert_int_equal(pw_module_global(m, 1)->init_size, 3);
	assert_null(pw_module_global(m, 2));
	assert_int_equal(pw_module_memory(m, 0)->min, 1);
	assert_int_equal(pw_module_functype(m, 1)->n_results, 2);
	assert_null(pw_module_functype(m, 3));
	assert_int_equal(pw_module_export_find(m, "f")->idx, 0);
	assert_null(pw_module_export_find(m, "g"));
	assert_false(pw_module_has_start(m, NULL));
	locals = pw_module_locals(m, 0, &n, NULL);
	assert_int_equal(n, 5);
	assert_int_equal(locals[0], PW_I32);
	assert_int_equal(locals[3], PW_F64);
	assert_int_equal(locals[4], PW_V128);
	free(locals);
	assert_true(pw_module_func_at(m, b.len - 1, &idx));
	assert_int_equal(idx, 1);
	assert_true(pw_module_func_at(m, pw_module_func(m, 0)->body_off, &idx));
	assert_int_equal(idx, 0);
	assert_false(pw_module_func_at(m, b.len, &idx));
	assert_false(pw_module_func_at(m, 9, &idx));
	pw_module_free(m);
	pw_module_free(NULL);
	pw_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_module_is_called_what_it_is),
		cmocka_unit_test(sections_have_an_order),
		cmocka_unit_test(a_section_holds_what_its_size_says),
		cmocka_unit_test(a_huge_count_allocates_nothing),
		cmocka_unit_test(too_many_locals_are_refused),
		cmocka_unit_test(exports_have_distinct_names),
		cmocka_unit_test(indexes_must_name_something),
		cmocka_unit_test(limits_are_checked),
		cmocka_unit_test(constant_expressions_are_constant),
		cmocka_unit_test(names_must_be_utf8),
		cmocka_unit_test(data_count_and_data_agree),
		cmocka_unit_test(what_a_module_has_is_found_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
