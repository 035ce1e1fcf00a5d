// SPDX-License-Identifier: GPL-2.0-only
/* A function is called by its name section's name, else its export, else its
 * import; whatever bytes that is, printable text comes out. */
#include "module-bytes.h"

/* Functions 0 (imported as "env"."log"), 1 (exported as "run"), 2; names is
 * the name section's content behind its own name. */
static void build_named(struct pw_buf *b, const uint8_t *names, size_t n)
{
	struct pw_buf s = { 0 };

	b->len = 0;
	add_header(b);
	add_section(b, 1, BYTES(1, 0x60, 0, 0));
	add_section(b, 2, BYTES(1, 3, 'e', 'n', 'v', 3, 'l', 'o', 'g', 0, 0));
	add_section(b, 3, BYTES(2, 0, 0));
	add_section(b, 7, BYTES(1, 3, 'r', 'u', 'n', 0, 1));
	add_section(b, 10, BYTES(2, 2, 0, 0x0b, 2, 0, 0x0b));
	pw_buf_add(&s, "\4name", 5);
	pw_buf_add(&s, names, n);
	add_section(b, 0, s.data, s.len);
	pw_buf_release(&s);
}

static void named(const uint8_t *names, size_t n, const char *f0,
		  const char *f1, const char *f2)
{
	const char *expected[] = { f0, f1, f2 };
	struct pw_buf b = { 0 };
	struct pw_module *m;
	char name[100];

	build_named(&b, names, n);
	m = decode_ok(&b);
	for (uint32_t i = 0; i < 3; i++)
		assert_string_equal(pw_module_func_name(m, i, name,
							sizeof(name)),
				    expected[i]);
	assert_string_equal(pw_module_func_name(m, 3, name, 1), "");
	pw_module_free(m);
	pw_buf_release(&b);
}

static void the_name_section_comes_first(void **state)
{
	(void)state;
	named(BYTES(1, 6, 1, 1, 3, 'f', 'o', 'o'), "import env.log", "foo", "");
	named(BYTES(0, 2, 1, 'm', 1, 7, 2, 0, 1, 'a', 2, 1, 'c'), "a", "run",
	      "c");
	/* out of order, as no tool should write it */
	named(BYTES(1, 7, 2, 2, 1, 'c', 0, 1, 'a'), "a", "run", "c");
}

static void a_damaged_name_section_does_no_harm(void **state)
{
	(void)state;
	named(BYTES(1, 0x7f, 1), "import env.log", "run", "");
	named(BYTES(1, 4, 1, 1, 9, 'x'), "import env.log", "run", "");
	named(BYTES(1, 5, 0xff, 0xff, 0xff, 0xff, 0x0f), "import env.log",
	      "run", "");
	named(BYTES(1, 7, 2, 0, 1, 'a', 2, 5, 'c'), "a", "run", "");
	named(BYTES(1, 4, 1, 0x63, 1, 'x'), "import env.log", "run", "");
}

static void names_are_made_printable(void **state)
{
	(void)state;
	named(BYTES(1, 8, 1, 2, 5, 'a', '\n', '"', '\\', 0x7f),
	      "import env.log", "run", "a\\0a\\22\\5c\\7f");
	named(BYTES(1, 8, 1, 2, 5, 0xc3, 0xa9, 0xff, 'x', 0xc3),
	      "import env.log", "run", "\xc3\xa9\\ffx\\c3");
}

static void a_name_is_cut_between_characters(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_module *m;
	char name[8];

	(void)state;
	build_named(&b, BYTES(1, 8, 1, 2, 5, 'a', 0xc3, 0xa9, 'b', 'c'));
	m = decode_ok(&b);
	assert_string_equal(pw_module_func_name(m, 2, name, 3), "a");
	assert_string_equal(pw_module_func_name(m, 2, name, 4), "a\xc3\xa9");
	assert_string_equal(pw_module_func_name(m, 2, name, 6), "a\xc3\xa9"
								"bc");
	pw_module_free(m);
	pw_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_name_section_comes_first),
		cmocka_unit_test(a_damaged_name_section_does_no_harm),
		cmocka_unit_test(names_are_made_printable),
		cmocka_unit_test(a_name_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
