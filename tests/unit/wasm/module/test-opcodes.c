// SPDX-License-Identifier: GPL-2.0-only
/* The opcode table: names lead back, codes are distinct, signatures and
 * flags agree with each other. */
#include "module-bytes.h"

static void a_name_leads_to_its_opcode(void **state)
{
	(void)state;
	assert_int_equal(pw_op_find("i32.add"), PW_OP_i32_add);
	assert_int_equal(pw_op_find("i8x16.shuffle"), PW_OP_i8x16_shuffle);
	assert_int_equal(pw_op_find("no.such"), PW_N_OPS);
	for (uint32_t i = 0; i < PW_N_OPS; i++)
		if (i != PW_OP_select_t) /* shares its name with select */
			assert_int_equal(pw_op_find(pw_op_info(i)->name), i);
}

static void an_opcode_is_encoded_with_its_prefix(void **state)
{
	struct pw_buf b = { 0 };

	(void)state;
	pw_op_encode(PW_OP_i32_add, &b);
	pw_op_encode(PW_OP_memory_copy, &b);
	pw_op_encode(PW_OP_i32x4_relaxed_trunc_f32x4_s, &b);
	assert_int_equal(b.len, 6);
	assert_memory_equal(b.data, "\x6a\xfc\x0a\xfd\x81\x02", 6);
	pw_buf_release(&b);
}

static void no_two_opcodes_share_their_bytes(void **state)
{
	static uint16_t seen[5][512];

	(void)state;
	memset(seen, 0, sizeof(seen));
	for (uint32_t i = 0; i < PW_N_OPS; i++) {
		const struct pw_op_info *info = pw_op_info(i);
		int page = info->prefix ? info->prefix - 0xfb + 1 : 0;

		assert_in_range(page, 0, 4);
		assert_in_range(info->code, 0, 511);
		assert_int_equal(seen[page][info->code], 0);
		seen[page][info->code] = 1;
	}
}

static void memory_instructions_say_so(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < PW_N_OPS; i++) {
		const struct pw_op_info *info = pw_op_info(i);
		bool memarg = info->imm == PW_IMM_MEMARG ||
			      info->imm == PW_IMM_MEMARG_LANE;

		if (memarg)
			assert_true(info->flags & (PW_OPF_LOAD | PW_OPF_STORE));
		if (info->flags & PW_OPF_PURE)
			assert_false(info->flags &
				     (PW_OPF_LOAD | PW_OPF_STORE |
				      PW_OPF_CONTROL | PW_OPF_TRAPS));
		assert_true(info->sig[0] == '*' || strchr(info->sig, ':'));
	}
	assert_true(pw_op_info(PW_OP_i32_div_s)->flags & PW_OPF_TRAPS);
	assert_true(pw_op_info(PW_OP_f64_div)->flags & PW_OPF_PURE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_leads_to_its_opcode),
		cmocka_unit_test(an_opcode_is_encoded_with_its_prefix),
		cmocka_unit_test(no_two_opcodes_share_their_bytes),
		cmocka_unit_test(memory_instructions_say_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
