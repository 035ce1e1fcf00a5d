// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines that name no mutation, and what is said about them.
 */
#include "mutate-fixture.h"

/* local.get 0; i32.const 7; i32.mul; return; nop */
static void open_it(struct fixture *fx)
{
	FIXTURE(fx, "i:i", "", 0x20, 0, 0x41, 7, 0x6c, 0x0f, 0x45, 0x1a);
}

static void expect_error(const char *line, const char *said)
{
	struct fixture fx;
	struct pw_mutation mut;
	struct pw_err err = { 0 };

	open_it(&fx);
	assert_int_equal(pw_mutation_parse(fx.m, line, &mut, &err), -EINVAL);
	assert_int_equal(err.code, EINVAL);
	if (!strstr(err.msg, said))
		fail_msg("`%s` is refused with: %s", line, err.msg);
	/* and without a place for the sentence */
	assert_int_equal(pw_mutation_parse(fx.m, line, &mut, NULL), -EINVAL);
	fixture_close(&fx);
}

static void a_line_of_another_shape_is_answered_by_an_example(void **st)
{
	static const char *const lines[] = {
		"",
		"f1",
		"f1 i2",
		"f1 i2 operator",
		"f1 i2 operator i32.mul",
		"f1 i2 operator i32.mul ->",
		"f1 i2 operator i32.mul -> ",
		"f1 i2 -> i32.add",
		"1 2 operator i32.mul -> i32.add",
		"f i2 operator i32.mul -> i32.add",
		"f1 i-2 operator i32.mul -> i32.add",
		"f99999999999 i2 operator i32.mul -> i32.add",
		"f1i2 operator i32.mul -> i32.add",
	};
	char *longest = pw_zalloc(5000);

	(void)st;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		expect_error(lines[i], "expected a line like `f12 i345");
	memset(longest, 'f', 4999);
	expect_error(longest, "expected a line like `f12 i345");
	free(longest);
}

static void an_unknown_kind_is_answered_by_the_kinds(void **st)
{
	(void)st;
	expect_error(
		"f1 i2 operators i32.mul -> i32.add",
		"expected operand, operator or deletion, found `operators`");
}

static void a_function_that_is_not_there_is_named(void **st)
{
	(void)st;
	expect_error("f2 i2 operator i32.mul -> i32.add",
		     "the module has 2 functions, there is no f2");
	expect_error("f0 i2 operator i32.mul -> i32.add", "f0 is imported");
}

static void an_instruction_that_is_not_there_is_named(void **st)
{
	(void)st;
	expect_error("f1 i7 operator i32.mul -> i32.add",
		     "function 1 has 7 instructions, there is no i7");
}

static void another_instruction_at_the_place_is_told(void **st)
{
	(void)st;
	expect_error("f1 i1 operator i32.mul -> i32.add",
		     "f1 i1 is `i32.const 7`, the line says `i32.mul`");
	expect_error("f1 i1 operand i32.const 8 -> i32.const 0",
		     "f1 i1 is `i32.const 7`, the line says `i32.const 8`");
}

static void a_change_that_is_not_offered_is_told(void **st)
{
	(void)st;
	expect_error(
		"f1 i2 operator i32.mul -> i64.add",
		"f1 i2 `i32.mul` has no operator mutation to `i64.add`; it has 24 others");
	expect_error("f1 i2 operand i32.mul -> i32.add",
		     "no operand mutation to `i32.add`; it has 0 others");
	expect_error("f1 i4 operator i32.eqz -> i32.clz",
		     "unreachable code has no mutations");
}

static void blanks_do_not_matter(void **st)
{
	struct fixture fx;
	struct pw_mutation mut;
	struct pw_buf out = { 0 };
	struct pw_err err = { 0 };

	(void)st;
	open_it(&fx);
	assert_int_equal(pw_mutation_parse(fx.m,
					   "  f1\ti1  operand i32.const   7 "
					   "->  i32.const 0 \r\n",
					   &mut, &err),
			 0);
	pw_mutation_print(fx.m, &mut, &out);
	assert_string_equal(pw_buf_str(&out),
			    "f1 i1 operand i32.const 7 -> i32.const 0");
	pw_buf_release(&out);
	fixture_close(&fx);
}

static void every_kind_has_its_name(void **st)
{
	(void)st;
	assert_string_equal(pw_mutation_kind_name(PW_MUT_OPERAND), "operand");
	for (unsigned kind = 0; kind < PW_N_MUTATION_KINDS; kind++)
		assert_int_equal(pw_mutation_kind_find(
					 pw_mutation_kind_name(kind)),
				 kind);
	assert_int_equal(pw_mutation_kind_find("deletions"),
			 PW_N_MUTATION_KINDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_line_of_another_shape_is_answered_by_an_example),
		cmocka_unit_test(an_unknown_kind_is_answered_by_the_kinds),
		cmocka_unit_test(a_function_that_is_not_there_is_named),
		cmocka_unit_test(an_instruction_that_is_not_there_is_named),
		cmocka_unit_test(another_instruction_at_the_place_is_told),
		cmocka_unit_test(a_change_that_is_not_offered_is_told),
		cmocka_unit_test(blanks_do_not_matter),
		cmocka_unit_test(every_kind_has_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
