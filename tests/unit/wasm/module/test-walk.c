// SPDX-License-Identifier: GPL-2.0-only
/*
 * The walker tells each instruction's operands, results, depth and the start
 * of its expression. A walk is compared as text, one instruction a line:
 *   idx depth text : operands -> results @first instruction of expression
 * with `!` before unreachable ones and @- where no expression is known.
 */
#include "module-bytes.h"

static void add_types(struct pw_buf *out, const uint32_t *types, uint32_t n)
{
	char name[PW_TYPE_NAME_SIZE];

	for (uint32_t i = 0; i < n; i++)
		pw_buf_printf(out, " %s",
			      types[i] ? pw_type_name(types[i], name) : "?");
}

static void add_line(const struct pw_module *m, const struct pw_insn *in,
		     struct pw_buf *out)
{
	pw_buf_printf(out, "%s%u %u ", in->unreachable ? "!" : "", in->idx,
		      in->depth);
	pw_insn_print(m, in, out);
	pw_buf_printf(out, " :");
	add_types(out, in->operands, in->n_operands);
	pw_buf_printf(out, " ->");
	add_types(out, in->results, in->n_results);
	if (in->expr_off == PW_NO_OFF)
		pw_buf_printf(out, " @-\n");
	else
		pw_buf_printf(out, " @%u\n", in->expr_idx);
}

/* The offset of every instruction follows from those before it, and that of
 * an expression is the offset of the instruction it names. */
static void check_offsets(const struct pw_insn *in, uint64_t *offs)
{
	offs[in->idx] = in->off;
	offs[in->idx + 1] = in->off + in->size;
	if (in->expr_off != PW_NO_OFF)
		assert_int_equal(in->expr_off, offs[in->expr_idx]);
}

static void walks_as(const char *params, const char *results,
		     const uint8_t *body, size_t n, const char *expected)
{
	struct pw_buf b = { 0 }, out = { 0 };
	struct pw_module *m;
	struct pw_walk *w;
	struct pw_insn insn;
	struct pw_err err = { 0 };
	uint64_t offs[100] = { 0 };
	int rc;

	build_module(&b, params, results, body, n);
	m = decode_ok(&b);
	w = pw_walk_new(m);
	assert_int_equal(pw_walk_start(w, 0, &err), 0);
	offs[0] = pw_module_func(m, 0)->code_off;
	while ((rc = pw_walk_next(w, &insn, &err)) > 0) {
		assert_int_equal(insn.off, offs[insn.idx]);
		check_offsets(&insn, offs);
		add_line(m, &insn, &out);
	}
	if (rc < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(pw_walk_next(w, &insn, &err), 0);
	assert_string_equal(pw_buf_str(&out), expected);
	assert_int_equal(pw_module_check_bodies(m, &err), 0);
	pw_walk_free(w);
	pw_module_free(m);
	pw_buf_release(&b);
	pw_buf_release(&out);
}

static void an_expression_begins_at_its_first_operand(void **state)
{
	(void)state;
	walks_as("ii", "i",
		 BYTES(0, 0x20, 0, 0x20, 1, 0x41, 3, 0x6c, 0x01, 0x6a, 0x0b),
		 "0 0 local.get 0 : -> i32 @0\n"
		 "1 0 local.get 1 : -> i32 @1\n"
		 "2 0 i32.const 3 : -> i32 @2\n"
		 "3 0 i32.mul : i32 i32 -> i32 @1\n"
		 "4 0 nop : -> @4\n"
		 "5 0 i32.add : i32 i32 -> i32 @0\n"
		 "6 0 end : i32 -> i32 @-\n");
}

static void a_store_has_operands_and_no_results(void **state)
{
	(void)state;
	walks_as("i", "",
		 BYTES(0, 0x20, 0, 0x20, 0, 0x28, 2, 4, 0x36, 1, 0x90, 1, 0x0b),
		 "0 0 local.get 0 : -> i32 @0\n"
		 "1 0 local.get 0 : -> i32 @1\n"
		 "2 0 i32.load offset=4 : i32 -> i32 @1\n"
		 "3 0 i32.store offset=144 align=2 : i32 i32 -> @0\n"
		 "4 0 end : -> @-\n");
}

static void a_block_is_an_expression_too(void **state)
{
	(void)state;
	walks_as("i", "i",
		 BYTES(0, 0x20, 0, 0x04, 0x7f, 0x41, 1, 0x05, 0x41, 2, 0x0b,
		       0x41, 5, 0x6a, 0x0b),
		 "0 0 local.get 0 : -> i32 @0\n"
		 "1 0 if (result i32) : i32 -> @0\n"
		 "2 1 i32.const 1 : -> i32 @2\n"
		 "3 0 else : i32 -> @-\n"
		 "4 1 i32.const 2 : -> i32 @4\n"
		 "5 0 end : i32 -> i32 @0\n"
		 "6 0 i32.const 5 : -> i32 @6\n"
		 "7 0 i32.add : i32 i32 -> i32 @0\n"
		 "8 0 end : i32 -> i32 @-\n");
}

static void a_blocks_parameter_has_no_expression(void **state)
{
	(void)state;
	walks_as("i", "i",
		 BYTES(0, 0x20, 0, 0x03, 2, 0x41, 1, 0x0b, 0x6a, 0x0b),
		 "0 0 local.get 0 : -> i32 @0\n"
		 "1 0 loop (type 2) : i32 -> i32 @0\n"
		 "2 1 i32.const 1 : -> i32 @2\n"
		 "3 0 end : i32 i32 -> i32 i32 @0\n"
		 "4 0 i32.add : i32 i32 -> i32 @0\n"
		 "5 0 end : i32 -> i32 @-\n");
	walks_as("i", "ii",
		 BYTES(0, 0x20, 0, 0x02, 2, 0x45, 0x41, 1, 0x0b, 0x0b),
		 "0 0 local.get 0 : -> i32 @0\n"
		 "1 0 block (type 2) : i32 -> i32 @0\n"
		 "2 1 i32.eqz : i32 -> i32 @-\n"
		 "3 1 i32.const 1 : -> i32 @3\n"
		 "4 0 end : i32 i32 -> i32 i32 @0\n"
		 "5 0 end : i32 i32 -> i32 i32 @-\n");
}

static void only_the_first_of_two_results_has_an_expression(void **state)
{
	(void)state;
	walks_as("", "f", BYTES(0, 0x41, 1, 0x42, 2, 0x10, 1, 0xb6, 0x92, 0x0b),
		 "0 0 i32.const 1 : -> i32 @0\n"
		 "1 0 i64.const 2 : -> i64 @1\n"
		 "2 0 call 1 : i32 i64 -> f32 f64 @0\n"
		 "3 0 f32.demote_f64 : f64 -> f32 @-\n"
		 "4 0 f32.add : f32 f32 -> f32 @0\n"
		 "5 0 end : f32 -> f32 @-\n");
}

static void unreachable_code_has_operands_of_any_type(void **state)
{
	(void)state;
	walks_as("", "i", BYTES(0, 0x00, 0x6a, 0x41, 1, 0x1b, 0x0f, 0x1a, 0x0b),
		 "0 0 unreachable : -> @0\n"
		 "!1 0 i32.add : ? ? -> i32 @-\n"
		 "!2 0 i32.const 1 : -> i32 @2\n"
		 "!3 0 select : ? i32 i32 -> i32 @-\n"
		 "!4 0 return : i32 -> @-\n"
		 "!5 0 drop : ? -> @-\n"
		 "!6 0 end : ? -> i32 @-\n");
}

static void a_branch_pops_what_its_label_takes(void **state)
{
	(void)state;
	walks_as("i", "i",
		 BYTES(0, 0x02, 0x7f, 0x41, 1, 0x20, 0, 0x0d, 0, 0x20, 0, 0x0e,
		       2, 0, 1, 0, 0x0b, 0x0b),
		 "0 0 block (result i32) : -> @0\n"
		 "1 1 i32.const 1 : -> i32 @1\n"
		 "2 1 local.get 0 : -> i32 @2\n"
		 "3 1 br_if 0 : i32 i32 -> i32 @1\n"
		 "4 1 local.get 0 : -> i32 @4\n"
		 "5 1 br_table 0 1 0 : i32 i32 -> @1\n"
		 "!6 0 end : ? -> i32 @0\n"
		 "7 0 end : i32 -> i32 @-\n");
}

static void calls_locals_and_globals_have_types(void **state)
{
	(void)state;
	walks_as("i", "F",
		 BYTES(1, 1, 0x7c, 0x23, 0, 0x22, 0, 0x24, 0, 0x20, 0, 0x23, 1,
		       0x20, 0, 0x11, 1, 0, 0x22, 1, 0x1a, 0x1a, 0x20, 1, 0x0b),
		 "0 0 global.get 0 : -> i32 @0\n"
		 "1 0 local.tee 0 : i32 -> i32 @0\n"
		 "2 0 global.set 0 : i32 -> @0\n"
		 "3 0 local.get 0 : -> i32 @3\n"
		 "4 0 global.get 1 : -> i64 @4\n"
		 "5 0 local.get 0 : -> i32 @5\n"
		 "6 0 call_indirect (type 1) : i32 i64 i32 -> f32 f64 @3\n"
		 "7 0 local.tee 1 : f64 -> f64 @-\n"
		 "8 0 drop : f64 -> @-\n"
		 "9 0 drop : f32 -> @3\n"
		 "10 0 local.get 1 : -> f64 @10\n"
		 "11 0 end : f64 -> f64 @-\n");
}

static void vectors_are_walked(void **state)
{
	(void)state;
	walks_as("i", "i",
		 BYTES(0, 0x20, 0, 0xfd, 0, 4, 0, 0x20, 0, 0xfd, 17, 0xfd, 0xae,
		       1, 0xfd, 27, 3, 0x0b),
		 "0 0 local.get 0 : -> i32 @0\n"
		 "1 0 v128.load : i32 -> v128 @0\n"
		 "2 0 local.get 0 : -> i32 @2\n"
		 "3 0 i32x4.splat : i32 -> v128 @2\n"
		 "4 0 i32x4.add : v128 v128 -> v128 @0\n"
		 "5 0 i32x4.extract_lane 3 : v128 -> i32 @0\n"
		 "6 0 end : i32 -> i32 @-\n");
}

static void one_walker_walks_many_functions(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_module *m;
	struct pw_walk *w;
	struct pw_insn insn;
	struct pw_err err = { 0 };

	(void)state;
	build_module(&b, "i", "i", BYTES(0, 0x20, 0, 0x0b));
	m = decode_ok(&b);
	w = pw_walk_new(m);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(pw_walk_start(w, i & 1, &err), 0);
		assert_int_equal(pw_walk_next(w, &insn, &err), 1);
		assert_int_equal(insn.idx, 0);
		assert_int_equal(insn.op,
				 i & 1 ? PW_OP_unreachable : PW_OP_local_get);
	}
	assert_int_equal(pw_walk_start(w, 2, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "function 2 has no body"));
	pw_walk_free(w);
	pw_walk_free(NULL);
	pw_module_free(m);
	pw_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_expression_begins_at_its_first_operand),
		cmocka_unit_test(a_store_has_operands_and_no_results),
		cmocka_unit_test(a_block_is_an_expression_too),
		cmocka_unit_test(a_blocks_parameter_has_no_expression),
		cmocka_unit_test(
			only_the_first_of_two_results_has_an_expression),
		cmocka_unit_test(unreachable_code_has_operands_of_any_type),
		cmocka_unit_test(a_branch_pops_what_its_label_takes),
		cmocka_unit_test(calls_locals_and_globals_have_types),
		cmocka_unit_test(vectors_are_walked),
		cmocka_unit_test(one_walker_walks_many_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
