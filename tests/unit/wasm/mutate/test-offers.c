// SPDX-License-Identifier: GPL-2.0-only
/*
 * What operand and operator mutations are offered, and what is not.
 */
#include "mutate-fixture.h"

static void a_constant_becomes_telling_constants_locals_and_globals(void **st)
{
	static const char *const news[] = {
		"i32.const 0",           "i32.const 1",          "i32.const -1",
		"i32.const -2147483648", "i32.const 2147483647", "i32.const 5",
		"i32.const 7",           "i32.const -6",         "i32.const 4",
		"local.get 0",           "local.get 2",          "global.get 0",
		"global.get 1"
	};
	struct fixture fx;

	(void)st;
	FIXTURE(&fx, "iF:", "i", 0x41, 6, 0x1a);
	for (size_t i = 0; i < sizeof(news) / sizeof(*news); i++) {
		char *line =
			pw_asprintf("f1 i0 operand i32.const 6 -> %s", news[i]);

		if (!has_line(&fx, line))
			fail_msg("missing: %s in\n%s", line,
				 pw_buf_str(&fx.lines));
		free(line);
	}
	assert_int_equal(fx.n, sizeof(news) / sizeof(*news));
	fixture_close(&fx);
}

static void a_constant_is_never_offered_its_own_value(void **st)
{
	struct fixture fx;

	(void)st;
	/* i32.const 0 in two bytes more than it needs */
	FIXTURE(&fx, ":", "", 0x41, 0x80, 0x80, 0x00, 0x1a);
	assert_int_equal(count_lines(&fx, "f1 i0 operand i32.const 0 -> "),
			 fx.n);
	assert_false(has_line(&fx, "f1 i0 operand i32.const 0 -> i32.const 0"));
	assert_true(has_line(&fx, "f1 i0 operand i32.const 0 -> i32.const 1"));
	fixture_close(&fx);
}

static void a_local_becomes_every_other_local_of_its_type(void **st)
{
	struct fixture fx;

	(void)st;
	FIXTURE(&fx, "FiF:", "FF", 0x20, 2, 0x1a);
	assert_true(has_line(&fx, "f1 i0 operand local.get 2 -> local.get 0"));
	assert_true(has_line(&fx, "f1 i0 operand local.get 2 -> local.get 3"));
	assert_true(has_line(&fx, "f1 i0 operand local.get 2 -> local.get 4"));
	assert_true(has_line(&fx, "f1 i0 operand local.get 2 -> global.get 2"));
	assert_int_equal(count_lines(&fx,
				     "f1 i0 operand local.get 2 -> local.get"),
			 3);
	assert_int_equal(count_lines(&fx,
				     "f1 i0 operand local.get 2 -> f64.const"),
			 5);
	assert_int_equal(fx.n, 3 + 5 + 1);
	fixture_close(&fx);
}

static void a_global_becomes_another_global(void **st)
{
	struct fixture fx;

	(void)st;
	FIXTURE(&fx, ":", "", 0x23, 1, 0x1a);
	assert_true(
		has_line(&fx, "f1 i0 operand global.get 1 -> global.get 0"));
	assert_int_equal(
		count_lines(&fx, "f1 i0 operand global.get 1 -> global.get"),
		1);
	fixture_close(&fx);
}

static void a_load_changes_its_opcode_or_its_offset(void **st)
{
	struct fixture fx;

	(void)st;
	/* local.get 0; i32.load align=4 offset=16; drop */
	FIXTURE(&fx, "i:", "", 0x20, 0, 0x28, 2, 16, 0x1a);
	assert_true(has_line(
		&fx,
		"f1 i1 operand i32.load offset=16 -> i32.load8_u offset=16"));
	assert_true(has_line(
		&fx, "f1 i1 operand i32.load offset=16 -> i32.load offset=12"));
	assert_true(has_line(
		&fx, "f1 i1 operand i32.load offset=16 -> i32.load offset=20"));
	assert_true(
		has_line(&fx, "f1 i1 operand i32.load offset=16 -> i32.load"));
	assert_int_equal(count_lines(&fx, "f1 i1 operand"), 4 + 3);
	fixture_close(&fx);
}

static void an_operator_keeps_its_operand_and_result_types(void **st)
{
	struct fixture fx;

	(void)st;
	/* f64.lt: the five other comparisons of f64 and nothing else */
	FIXTURE(&fx, "FF:i", "", 0x20, 0, 0x20, 1, 0x63);
	assert_true(has_line(&fx, "f1 i2 operator f64.lt -> f64.ge"));
	assert_int_equal(count_lines(&fx, "f1 i2 operator f64.lt -> f64."), 5);
	assert_int_equal(count_lines(&fx, "f1 i2 operator"), 5);
	fixture_close(&fx);
}

static void an_integer_operator_becomes_arithmetic_or_comparison(void **st)
{
	struct fixture fx;

	(void)st;
	/* i32.mul: 14 other operators, 10 comparisons */
	FIXTURE(&fx, "ii:i", "", 0x20, 0, 0x20, 1, 0x6c);
	assert_true(has_line(&fx, "f1 i2 operator i32.mul -> i32.div_u"));
	assert_true(has_line(&fx, "f1 i2 operator i32.mul -> i32.lt_s"));
	assert_int_equal(count_lines(&fx, "f1 i2 operator"), 24);
	fixture_close(&fx);
}

static void a_narrower_store_gets_the_alignment_that_it_may_have(void **st)
{
	struct fixture fx;

	(void)st;
	/* i64.store align=8 offset=3 of a parameter */
	FIXTURE(&fx, "iI:", "", 0x20, 0, 0x20, 1, 0x37, 3, 3);
	assert_true(has_line(
		&fx,
		"f1 i2 operator i64.store offset=3 -> i64.store8 offset=3"));
	assert_true(has_line(
		&fx,
		"f1 i2 operator i64.store offset=3 -> i64.store32 offset=3"));
	assert_int_equal(count_lines(&fx, "f1 i2 operator"), 3);
	fixture_close(&fx);
}

static void a_wider_load_keeps_the_alignment_it_had(void **st)
{
	struct fixture fx;

	(void)st;
	FIXTURE(&fx, "i:", "", 0x20, 0, 0x2d, 0, 0, 0x1a);
	assert_true(
		has_line(&fx, "f1 i1 operand i32.load8_u -> i32.load align=1"));
	fixture_close(&fx);
}

static void a_lane_never_exceeds_the_new_vector(void **st)
{
	struct fixture fx;

	(void)st;
	/* local.get 0; i8x16.extract_lane_s 5; drop */
	FIXTURE(&fx, "V:", "", 0x20, 0, 0xfd, 21, 5, 0x1a);
	assert_true(has_line(
		&fx,
		"f1 i1 operator i8x16.extract_lane_s 5 -> i16x8.extract_lane_u 5"));
	assert_true(has_line(
		&fx, "f1 i1 operator i8x16.extract_lane_s 5 -> v128.any_true"));
	assert_int_equal(
		count_lines(
			&fx,
			"f1 i1 operator i8x16.extract_lane_s 5 -> i32x4.extract_lane"),
		0);
	fixture_close(&fx);
}

static void a_newer_proposal_is_not_brought_in(void **st)
{
	struct fixture fx;

	(void)st;
	/* f32x4.min has relaxed relatives; f32x4.relaxed_min all of them */
	FIXTURE(&fx, "VV:V", "", 0x20, 0, 0x20, 1, 0xfd, 0xe8, 1);
	assert_true(has_line(&fx, "f1 i2 operator f32x4.min -> f32x4.max"));
	assert_false(
		has_line(&fx, "f1 i2 operator f32x4.min -> f32x4.relaxed_max"));
	fixture_close(&fx);
	FIXTURE(&fx, "VV:V", "", 0x20, 0, 0x20, 1, 0xfd, 0x8d, 2);
	assert_true(has_line(
		&fx, "f1 i2 operator f32x4.relaxed_min -> f32x4.relaxed_max"));
	fixture_close(&fx);
}

static void control_flow_is_left_alone(void **st)
{
	struct fixture fx;

	(void)st;
	/* block; local.get 0; br_if 0; end */
	FIXTURE(&fx, "i:", "", 0x02, 0x40, 0x20, 0, 0x0d, 0, 0x0b);
	assert_int_equal(count_lines(&fx, "f1 i1 operand"), fx.n);
	fixture_close(&fx);
}

static void unreachable_code_has_no_mutations(void **st)
{
	struct fixture fx;

	(void)st;
	/* return; i32.const 1; i32.eqz; drop */
	FIXTURE(&fx, ":", "", 0x0f, 0x41, 1, 0x45, 0x1a);
	assert_int_equal(fx.n, 0);
	fixture_close(&fx);
}

static void a_block_that_is_never_entered_has_no_mutations(void **st)
{
	struct fixture fx;

	(void)st;
	/* block; br 0; i32.const 0; if; i32.const 1; drop; else; i32.const 1;
	 * drop; end; end; i32.const 2; drop */
	FIXTURE(&fx, ":", "", 0x02, 0x40, 0x0c, 0, 0x41, 0, 0x04, 0x40, 0x41, 1,
		0x1a, 0x05, 0x41, 1, 0x1a, 0x0b, 0x0b, 0x41, 2, 0x1a);
	assert_true(fx.n > 0);
	assert_int_equal(count_lines(&fx, "f1 i11 operand"), fx.n);
	fixture_close(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_constant_becomes_telling_constants_locals_and_globals),
		cmocka_unit_test(a_constant_is_never_offered_its_own_value),
		cmocka_unit_test(a_local_becomes_every_other_local_of_its_type),
		cmocka_unit_test(a_global_becomes_another_global),
		cmocka_unit_test(a_load_changes_its_opcode_or_its_offset),
		cmocka_unit_test(
			an_operator_keeps_its_operand_and_result_types),
		cmocka_unit_test(
			an_integer_operator_becomes_arithmetic_or_comparison),
		cmocka_unit_test(
			a_narrower_store_gets_the_alignment_that_it_may_have),
		cmocka_unit_test(a_wider_load_keeps_the_alignment_it_had),
		cmocka_unit_test(a_lane_never_exceeds_the_new_vector),
		cmocka_unit_test(a_newer_proposal_is_not_brought_in),
		cmocka_unit_test(control_flow_is_left_alone),
		cmocka_unit_test(unreachable_code_has_no_mutations),
		cmocka_unit_test(
			a_block_that_is_never_entered_has_no_mutations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
