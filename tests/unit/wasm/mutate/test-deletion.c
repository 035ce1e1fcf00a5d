// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a deletion takes out and what it leaves, and where none is offered.
 */
#include "mutate-fixture.h"

static void a_deleted_operator_leaves_its_type(void **st)
{
	struct fixture fx;

	(void)st;
	/* local.get 0; f64.convert_i32_s; drop */
	FIXTURE(&fx, "iF:", "F", 0x20, 0, 0xb7, 0x1a);
	assert_true(
		has_line(&fx,
			 "f1 i1 deletion f64.convert_i32_s -> local.get 1"));
	assert_true(
		has_line(&fx,
			 "f1 i1 deletion f64.convert_i32_s -> local.get 2"));
	assert_int_equal(
		count_lines(&fx,
			    "f1 i1 deletion f64.convert_i32_s -> f64.const 0x"),
		2);
	assert_int_equal(count_lines(&fx, "f1 i1 deletion"), 4);
	fixture_close(&fx);
}

static void a_deletion_takes_the_operands_with_it(void **st)
{
	static const uint8_t expected[] = { 0, 0x41, 0, 0x1a, 0x0b };
	struct fixture fx;
	struct pw_mutation mut;
	struct pw_buf out = { 0 };
	struct pw_err err = { 0 };

	(void)st;
	/* local.get 0; i32.const 3; i32.mul; i32.eqz; drop */
	FIXTURE(&fx, "i:", "", 0x20, 0, 0x41, 3, 0x6c, 0x45, 0x1a);
	assert_int_equal(
		pw_mutation_parse(fx.m, "f1 i3 deletion i32.eqz -> i32.const 0",
				  &mut, &err),
		0);
	assert_int_equal(pw_mutation_apply(fx.m, &mut, &out, &err), 0);
	assert_int_equal(out.len, fx.bytes.len - 4);
	assert_memory_equal(out.data + out.len - sizeof(expected), expected,
			    sizeof(expected));
	pw_buf_release(&out);
	fixture_close(&fx);
}

static void a_call_goes_with_its_arguments(void **st)
{
	struct fixture fx;

	(void)st;
	FIXTURE(&fx, "i:i", "", 0x20, 0, 0x10, 0);
	assert_true(has_line(&fx, "f1 i1 deletion call 0 -> i32.const 1"));
	assert_true(has_line(&fx, "f1 i1 deletion call 0 -> local.get 0"));
	fixture_close(&fx);
}

static void a_block_goes_whole_when_its_jumps_stay_inside(void **st)
{
	struct fixture fx;

	(void)st;
	/* block (result i32); i32.const 1; local.get 0; br_if 0; end;
	 * i32.eqz; drop */
	FIXTURE(&fx, "i:", "", 0x02, 0x7f, 0x41, 1, 0x20, 0, 0x0d, 0, 0x0b,
		0x45, 0x1a);
	assert_true(has_line(&fx, "f1 i5 deletion i32.eqz -> i32.const 0"));
	fixture_close(&fx);
}

static void an_expression_with_a_jump_out_stays(void **st)
{
	struct fixture fx;

	(void)st;
	/* block; block (result i32); i32.const 1; local.get 0; br_if 1; end;
	 * i32.eqz; drop; end */
	FIXTURE(&fx, "i:", "", 0x02, 0x40, 0x02, 0x7f, 0x41, 1, 0x20, 0, 0x0d,
		1, 0x0b, 0x45, 0x1a, 0x0b);
	assert_int_equal(count_lines(&fx, "f1 i6 deletion"), 0);
	/* the operand of the jump itself may still change */
	assert_true(count_lines(&fx, "f1 i3 operand") > 0);
	fixture_close(&fx);
}

static void an_expression_with_a_return_stays(void **st)
{
	struct fixture fx;

	(void)st;
	/* local.get 0; if (result i32); return; else; i32.const 1; end;
	 * i32.eqz; drop */
	FIXTURE(&fx, "i:", "", 0x20, 0, 0x04, 0x7f, 0x0f, 0x05, 0x41, 1, 0x0b,
		0x45, 0x1a);
	assert_int_equal(count_lines(&fx, "f1 i6 deletion"), 0);
	fixture_close(&fx);
}

static void a_statement_between_operands_keeps_them(void **st)
{
	struct fixture fx;

	(void)st;
	/* local.get 0; i32.const 1; local.set 0; local.get 0; i32.add; drop */
	FIXTURE(&fx, "i:", "", 0x20, 0, 0x41, 1, 0x21, 0, 0x20, 0, 0x6a, 0x1a);
	assert_int_equal(count_lines(&fx, "f1 i4 deletion"), 0);
	fixture_close(&fx);
}

static void a_block_without_result_between_operands_keeps_them(void **st)
{
	struct fixture fx;

	(void)st;
	/* local.get 0; block; nop; end; i32.eqz; drop */
	FIXTURE(&fx, "i:", "", 0x20, 0, 0x02, 0x40, 0x01, 0x0b, 0x45, 0x1a);
	assert_int_equal(count_lines(&fx, "f1 i4 deletion"), 0);
	fixture_close(&fx);
}

static void statements_inside_an_operand_block_go_with_it(void **st)
{
	struct fixture fx;

	(void)st;
	/* block (result i32); nop; i32.const 1; end; i32.eqz; drop */
	FIXTURE(&fx, "i:", "", 0x02, 0x7f, 0x01, 0x41, 1, 0x0b, 0x45, 0x1a);
	assert_true(has_line(&fx, "f1 i4 deletion i32.eqz -> local.get 0"));
	fixture_close(&fx);
}

static void an_operator_without_result_has_no_deletion(void **st)
{
	struct fixture fx;

	(void)st;
	FIXTURE(&fx, "ii:", "", 0x20, 0, 0x20, 1, 0x36, 2, 0);
	assert_int_equal(count_lines(&fx, "f1 i2 deletion"), 0);
	fixture_close(&fx);
}

static void the_operand_of_a_blocks_parameter_stays(void **st)
{
	/* type 0 i:i; f: local.get 0; loop (type 0); i32.eqz; end; drop */
	static const uint8_t bytes[] = {
		0, 'a',  's', 'm',  1,    0,    0,    0,   1,    10,
		2, 0x60, 1,   0x7f, 1,    0x7f, 0x60, 1,   0x7f, 0,
		3, 2,    1,   1,    10,   12,   1,    10,  0,    0x20,
		0, 0x03, 0,   0x45, 0x0b, 0x1a, 0x01, 0x0b
	};
	struct fixture fx;

	(void)st;
	fixture_load(&fx, bytes, sizeof(bytes));
	assert_int_equal(count_lines(&fx, "f0 i2 deletion"), 0);
	assert_true(count_lines(&fx, "f0 i2 operator") > 0);
	fixture_close(&fx);
}

/* Function 0 is ()->() and exported; two locals of (ref func), no default:
 * ref.func 0; local.tee 0; ref.is_null; drop; local.get 0; drop */
static const uint8_t unset_locals[] = {
	0, 'a',  's',  'm',  1, 0,    0, 0,    1,    4,    1,  0x60, 0,   0,  3,
	2, 1,    0,    7,    5, 1,    1, 'f',  0,    0,    10, 16,   1,   14, 1,
	2, 0x64, 0x70, 0xd2, 0, 0x22, 0, 0xd1, 0x1a, 0x20, 0,  0x1a, 0x0b
};

static void a_local_that_may_be_unset_is_not_offered(void **st)
{
	struct fixture fx;

	(void)st;
	fixture_load(&fx, unset_locals, sizeof(unset_locals));
	assert_int_equal(count_lines(&fx, "f0 i4 operand"), 0);
	fixture_close(&fx);
}

static void the_setting_of_a_local_without_default_stays(void **st)
{
	struct fixture fx;

	(void)st;
	fixture_load(&fx, unset_locals, sizeof(unset_locals));
	assert_int_equal(count_lines(&fx, "f0 i2 deletion"), 0);
	assert_int_equal(count_lines(&fx, "f0 i1 deletion"), 0);
	fixture_close(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_deleted_operator_leaves_its_type),
		cmocka_unit_test(a_deletion_takes_the_operands_with_it),
		cmocka_unit_test(a_call_goes_with_its_arguments),
		cmocka_unit_test(a_block_goes_whole_when_its_jumps_stay_inside),
		cmocka_unit_test(an_expression_with_a_jump_out_stays),
		cmocka_unit_test(an_expression_with_a_return_stays),
		cmocka_unit_test(a_statement_between_operands_keeps_them),
		cmocka_unit_test(
			a_block_without_result_between_operands_keeps_them),
		cmocka_unit_test(statements_inside_an_operand_block_go_with_it),
		cmocka_unit_test(an_operator_without_result_has_no_deletion),
		cmocka_unit_test(the_operand_of_a_blocks_parameter_stays),
		cmocka_unit_test(a_local_that_may_be_unset_is_not_offered),
		cmocka_unit_test(the_setting_of_a_local_without_default_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
