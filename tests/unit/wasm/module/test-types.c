// SPDX-License-Identifier: GPL-2.0-only
/* Reference types: their names, which are equal, which match which, and
 * what of garbage collection, exceptions and tail calls types. */
#include "module-bytes.h"

/* types: a whole type section; params and results of the function come from
 * its type 0. The function is exported as "f". */
static void build_with_types(struct pw_buf *b, const uint8_t *types,
			     size_t n_types, const uint8_t *body, size_t n)
{
	struct pw_buf s = { 0 };

	b->len = 0;
	add_header(b);
	add_section(b, 1, types, n_types);
	add_section(b, 3, BYTES(1, 0));
	add_section(b, 7, BYTES(1, 1, 'f', 0, 0));
	pw_buf_add_u8(&s, 1);
	pw_buf_add_uleb(&s, n);
	pw_buf_add(&s, body, n);
	add_section(b, 10, s.data, s.len);
	/* so that the fast check goes to the body's end */
	s.len = 0;
	pw_buf_add(&s, "\3pad", 4);
	pw_buf_reserve(&s, 100);
	memset(s.data + s.len, 0, 100);
	add_section(b, 0, s.data, s.len + 100);
	pw_buf_release(&s);
}

/* expected NULL: accepted; else what the refusal says. */
static void check(const uint8_t *types, size_t n_types, const uint8_t *body,
		  size_t n, const char *expected)
{
	struct pw_buf b = { 0 };
	struct pw_err err = { 0 }, slow = { 0 };
	struct pw_module *m;
	int rc;

	build_with_types(&b, types, n_types, body, n);
	m = pw_module_decode(b.data, b.len, &err);
	rc = m ? pw_module_check_bodies(m, &err) : -err.code;
	if (rc && !expected)
		fail_msg("refused: %s", err.msg);
	if (!rc && expected)
		fail_msg("accepted, but expected: %s", expected);
	if (expected && !strstr(err.msg, expected))
		fail_msg("\"%s\" does not say \"%s\"", err.msg, expected);
	if (m)
		assert_int_equal(walk_all(m, &slow), rc);
	pw_module_free(m);
	pw_buf_release(&b);
}

static void types_have_the_names_of_the_text_format(void **state)
{
	static const struct {
		uint32_t type;
		const char *name;
	} names[] = {
		{ PW_I32, "i32" },
		{ PW_V128, "v128" },
		{ PW_REF | PW_NULLABLE | PW_HEAP_ABSTRACT | 0x70, "funcref" },
		{ PW_REF | PW_NULLABLE | PW_HEAP_ABSTRACT | 0x6c, "i31ref" },
		{ PW_REF | PW_NULLABLE | PW_HEAP_ABSTRACT | 0x71, "nullref" },
		{ PW_REF | PW_NULLABLE | PW_HEAP_ABSTRACT | 0x72,
		  "nullexternref" },
		{ PW_REF | PW_HEAP_ABSTRACT | 0x6f, "(ref extern)" },
		{ PW_REF | PW_NULLABLE | 12, "(ref null 12)" },
		{ PW_REF | 3, "(ref 3)" },
	};
	char name[PW_TYPE_NAME_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(pw_type_name(names[i].type, name),
				    names[i].name);
}

static void equal_structures_are_one_type(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_module *m;
	const struct pw_functype *ft;

	(void)state;
	/* types come before they are used: 0, 1: struct {i32}; 2 the function */
	add_header(&b);
	add_section(&b, 1,
		    BYTES(4, 0x5f, 1, 0x7f, 0, 0x5f, 1, 0x7f, 0, 0x5f, 1, 0x7f,
			  1, 0x60, 2, 0x64, 1, 0x64, 2, 1, 0x64, 0));
	m = decode_ok(&b);
	ft = pw_module_functype(m, 3);
	assert_int_equal(ft->params[0], ft->results[0]);
	assert_int_not_equal(ft->params[1], ft->results[0]);
	pw_module_free(m);
	pw_buf_release(&b);
}

/* A group of its own {0: func [] -> [], 1: struct {ref 1}} twice (1 and 3
 * equal), and once with another field (5). */
static void recursive_groups_are_equal_as_wholes(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_module *m;
	const struct pw_functype *ft;

	(void)state;
	add_header(&b);
	add_section(&b, 1,
		    BYTES(4, 0x4e, 2, 0x60, 0, 0, 0x5f, 1, 0x63, 1, 0, 0x4e, 2,
			  0x60, 0, 0, 0x5f, 1, 0x63, 3, 0, 0x4e, 2, 0x60, 0, 0,
			  0x5f, 1, 0x63, 3, 0, 0x60, 3, 0x64, 1, 0x64, 3, 0x64,
			  5, 0));
	m = decode_ok(&b);
	ft = pw_module_functype(m, 6);
	assert_int_equal(ft->params[0], PW_REF | 1);
	assert_int_equal(ft->params[1], PW_REF | 1);
	assert_int_equal(ft->params[2], PW_REF | 5);
	pw_module_free(m);
	pw_buf_release(&b);
}

/* 0: func [] -> []; 1: open struct {i32}; 2: sub 1 {i32 i64}; 3: array mut
 * i8; 4: func [(ref 2)] -> [(ref 1)] */
#define GC_TYPES                                                             \
	BYTES(5, 0x60, 0, 0, 0x50, 0, 0x5f, 1, 0x7f, 0, 0x50, 1, 1, 0x5f, 2, \
	      0x7f, 0, 0x7e, 1, 0x5e, 0x78, 1, 0x60, 1, 0x64, 2, 1, 0x64, 1)

static void a_subtype_does_where_its_supertype_is_wanted(void **state)
{
	(void)state;
	/* struct.get 1 0 of a struct.new_default 2 */
	check(GC_TYPES, BYTES(0, 0xfb, 1, 2, 0xfb, 2, 1, 0, 0x1a, 0x0b), NULL);
	check(GC_TYPES, BYTES(0, 0xfb, 1, 1, 0xfb, 2, 2, 0, 0x1a, 0x0b),
	      "struct.get expects an operand of type (ref null 2), found (ref 1)");
	check(GC_TYPES, BYTES(0, 0xfb, 1, 2, 0x41, 1, 0xfb, 5, 2, 0, 0x0b),
	      "immutable");
	check(GC_TYPES, BYTES(0, 0xfb, 1, 2, 0x42, 1, 0xfb, 5, 2, 1, 0x0b),
	      NULL);
	check(GC_TYPES, BYTES(0, 0xfb, 1, 2, 0xfb, 2, 2, 2, 0x1a, 0x0b),
	      "has no field 2");
	check(GC_TYPES, BYTES(0, 0xfb, 1, 3, 0x1a, 0x0b),
	      "type 3 is not a structure type");
}

static void packed_arrays_are_read_with_a_sign(void **state)
{
	(void)state;
	check(GC_TYPES,
	      BYTES(0, 0x41, 4, 0xfb, 7, 3, 0x41, 0, 0xfb, 12, 3, 0x1a, 0x0b),
	      NULL);
	check(GC_TYPES,
	      BYTES(0, 0x41, 4, 0xfb, 7, 3, 0x41, 0, 0xfb, 11, 3, 0x1a, 0x0b),
	      "array.get on a field that is packed");
	check(GC_TYPES,
	      BYTES(0, 0x41, 4, 0xfb, 7, 3, 0x41, 0, 0x41, 9, 0xfb, 14, 3,
		    0x0b),
	      NULL);
	check(GC_TYPES, BYTES(0, 0x00, 0xfb, 8, 3, 0x91, 0x4e, 0x1a, 0x0b),
	      "array.new_fixed of 10001 elements");
}

static void a_cast_stays_in_its_hierarchy(void **state)
{
	(void)state;
	/* ref.null any; ref.cast (ref 2); struct.get 1 0 */
	check(GC_TYPES,
	      BYTES(0, 0xd0, 0x6e, 0xfb, 22, 2, 0xfb, 2, 1, 0, 0x1a, 0x0b),
	      NULL);
	check(GC_TYPES, BYTES(0, 0xd0, 0x6f, 0xfb, 22, 2, 0x1a, 0x0b),
	      "ref.cast expects an operand of type anyref, found externref");
	check(GC_TYPES, BYTES(0, 0xd0, 0x70, 0xfb, 20, 4, 0x1a, 0x0b), NULL);
	/* block (result (ref 2)) ref.null eq; br_on_cast 0 eqref (ref 2) */
	check(GC_TYPES,
	      BYTES(0, 0x02, 0x64, 2, 0xd0, 0x6d, 0xfb, 24, 1, 0, 0x6d, 2, 0x00,
		    0x0b, 0x1a, 0x0b),
	      NULL);
	check(GC_TYPES,
	      BYTES(0, 0x02, 0x64, 3, 0xd0, 0x6d, 0xfb, 24, 1, 0, 0x6d, 2, 0x00,
		    0x0b, 0x1a, 0x0b),
	      "label 0 does not take (ref 2)");
}

static void a_local_without_default_is_set_before_it_is_read(void **state)
{
	(void)state;
	/* local (ref 1): set in the function, then read */
	check(GC_TYPES,
	      BYTES(1, 1, 0x64, 1, 0xfb, 1, 1, 0x21, 0, 0x20, 0, 0x1a, 0x0b),
	      NULL);
	check(GC_TYPES, BYTES(1, 1, 0x64, 1, 0x20, 0, 0x1a, 0x0b),
	      "local 0 is read before it is set");
	/* set in a block only: forgotten at its end */
	check(GC_TYPES,
	      BYTES(1, 1, 0x64, 1, 0x02, 0x40, 0xfb, 1, 1, 0x21, 0, 0x20, 0,
		    0x1a, 0x0b, 0x20, 0, 0x1a, 0x0b),
	      "local 0 is read before it is set");
}

static void null_is_no_value_of_a_type_without_it(void **state)
{
	(void)state;
	check(GC_TYPES, BYTES(1, 1, 0x64, 1, 0xd0, 1, 0x21, 0, 0x0b),
	      "local.set expects an operand of type (ref 1), found (ref null 1)");
	check(GC_TYPES, BYTES(1, 1, 0x64, 1, 0xd0, 1, 0xd4, 0x21, 0, 0x0b),
	      NULL);
	check(GC_TYPES, BYTES(1, 1, 0x63, 1, 0xd0, 0x71, 0x21, 0, 0x0b), NULL);
}

static void supertypes_are_checked(void **state)
{
	(void)state;
	check(BYTES(2, 0x60, 0, 0, 0x50, 1, 0, 0x60, 0, 0), BYTES(0, 0x0b),
	      "which is final");
	check(BYTES(2, 0x50, 0, 0x60, 0, 0, 0x50, 1, 0, 0x5f, 0),
	      BYTES(0, 0x0b), "does not match its supertype");
	check(BYTES(1, 0x50, 1, 0, 0x60, 0, 0), BYTES(0, 0x0b),
	      "does not stand before it");
	check(BYTES(1, 0x50, 2, 0, 0, 0x60, 0, 0), BYTES(0, 0x0b),
	      "2 supertypes");
	check(BYTES(1, 0x60, 1, 0x64, 1, 0), BYTES(0, 0x0b), "type index 1");
}

static void what_we_do_not_know_is_said_to_be_unsupported(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_err err = { 0 };

	(void)state;
	build_with_types(&b, BYTES(1, 0x5d, 0), BYTES(0, 0x0b));
	assert_null(pw_module_decode(b.data, b.len, &err));
	assert_int_equal(err.code, ENOTSUP);
	assert_non_null(strstr(err.msg, "stack switching"));
	build_with_types(&b, BYTES(1, 0x60, 1, 0x62, 0, 0), BYTES(0, 0x0b));
	assert_null(pw_module_decode(b.data, b.len, &err));
	assert_int_equal(err.code, ENOTSUP);
	pw_buf_release(&b);
}

static void a_tail_call_returns_what_its_caller_does(void **state)
{
	(void)state;
	/* 0: [] -> [i32]; 1: [] -> [i64]: return_call 0 in 0 */
	check(BYTES(1, 0x60, 0, 1, 0x7f), BYTES(0, 0x12, 0, 0x0b), NULL);
	check(BYTES(2, 0x60, 0, 1, 0x7f, 0x60, 0, 1, 0x7e),
	      BYTES(0, 0xd0, 1, 0x15, 1, 0x0b),
	      "needs a callee with this function's results");
}

/* try (type) ... catch ... end, the legacy form, without tags. */
static void legacy_exceptions_are_walked(void **state)
{
	static const uint8_t type[] = { 1, 0x60, 0, 1, 0x7f };

	(void)state;
	check(type, sizeof(type),
	      BYTES(0, 0x06, 0x7f, 0x41, 1, 0x19, 0x41, 2, 0x0b, 0x0b), NULL);
	check(type, sizeof(type),
	      BYTES(0, 0x06, 0x7f, 0x41, 1, 0x19, 0x09, 0, 0x0b, 0x0b), NULL);
	check(type, sizeof(type), BYTES(0, 0x06, 0x7f, 0x41, 1, 0x18, 0, 0x0b),
	      NULL);
	check(type, sizeof(type), BYTES(0, 0x06, 0x7f, 0x41, 1, 0x18, 1, 0x0b),
	      "label 1 does not exist");
	check(type, sizeof(type),
	      BYTES(0, 0x06, 0x7f, 0x09, 0, 0x19, 0x41, 2, 0x0b, 0x0b),
	      "is no catch");
	check(type, sizeof(type), BYTES(0, 0x41, 1, 0x19, 0x0b),
	      "catch_all without try");
	check(type, sizeof(type),
	      BYTES(0, 0x06, 0x7f, 0x41, 1, 0x19, 0x42, 2, 0x0b, 0x0b),
	      "found i64");
	check(type, sizeof(type),
	      BYTES(0, 0x06, 0x7f, 0x41, 1, 0x07, 0, 0x0b, 0x0b),
	      "tag 0 does not exist");
}

/* block (result exnref) try_table (catch_all_ref 0) end ... end throw_ref */
static void try_tables_are_walked(void **state)
{
	static const uint8_t type[] = { 1, 0x60, 0, 0 };

	(void)state;
	check(type, sizeof(type),
	      BYTES(0, 0x02, 0x69, 0x1f, 0x40, 1, 3, 0, 0x0b, 0x0f, 0x0b, 0x0a,
		    0x0b),
	      NULL);
	check(type, sizeof(type),
	      BYTES(0, 0x02, 0x69, 0x1f, 0x40, 1, 2, 0, 0x0b, 0x0f, 0x0b, 0x0a,
		    0x0b),
	      "does not take the tag's values");
	check(type, sizeof(type), BYTES(0, 0x1f, 0x40, 1, 4, 0, 0x0b, 0x0b),
	      "catch kind 4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_have_the_names_of_the_text_format),
		cmocka_unit_test(equal_structures_are_one_type),
		cmocka_unit_test(recursive_groups_are_equal_as_wholes),
		cmocka_unit_test(a_subtype_does_where_its_supertype_is_wanted),
		cmocka_unit_test(packed_arrays_are_read_with_a_sign),
		cmocka_unit_test(a_cast_stays_in_its_hierarchy),
		cmocka_unit_test(
			a_local_without_default_is_set_before_it_is_read),
		cmocka_unit_test(null_is_no_value_of_a_type_without_it),
		cmocka_unit_test(supertypes_are_checked),
		cmocka_unit_test(what_we_do_not_know_is_said_to_be_unsupported),
		cmocka_unit_test(a_tail_call_returns_what_its_caller_does),
		cmocka_unit_test(legacy_exceptions_are_walked),
		cmocka_unit_test(try_tables_are_walked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
