// SPDX-License-Identifier: GPL-2.0-only
/* Instructions print as lines of the text format. */
#include "module-bytes.h"

/* The lines of a body in unreachable code, so that no operands are needed;
 * the leading unreachable and the last end are left out. */
static void prints_as(const uint8_t *code, size_t n, const char *expected)
{
	struct pw_buf body = { 0 }, b = { 0 }, out = { 0 };
	struct pw_module *m;
	struct pw_walk *w;
	struct pw_insn insn;
	struct pw_err err = { 0 };
	int rc;

	pw_buf_add(&body, BYTES(1, 1, 0x7f, 0x00));
	pw_buf_add(&body, code, n);
	pw_buf_add(&body, BYTES(0x00, 0x0b));
	build_module(&b, "", "", body.data, body.len);
	m = decode_ok(&b);
	w = pw_walk_new(m);
	pw_walk_start(w, 0, NULL);
	pw_walk_next(w, &insn, NULL);
	while ((rc = pw_walk_next(w, &insn, &err)) > 0) {
		pw_insn_print(m, &insn, &out);
		pw_buf_add_u8(&out, '\n');
	}
	if (rc < 0)
		fail_msg("%s", err.msg);
	assert_true(out.len > strlen("unreachable\nend\n"));
	out.len -= strlen("unreachable\nend\n");
	assert_string_equal(pw_buf_str(&out), expected);
	pw_walk_free(w);
	pw_module_free(m);
	pw_buf_release(&body);
	pw_buf_release(&b);
	pw_buf_release(&out);
}

static void constants_read_back_as_the_same_bits(void **state)
{
	(void)state;
	prints_as(BYTES(0x41, 0x7f), "i32.const -1\n");
	prints_as(BYTES(0x42, 0x80, 0x7f), "i64.const -128\n");
	prints_as(BYTES(0x44, 0, 0, 0, 0, 0, 0, 0x40, 0x3e),
		  "f64.const 0x1p-27\n");
	prints_as(BYTES(0x43, 0, 0, 0xc0, 0xbf), "f32.const -0x1.8p+0\n");
	prints_as(BYTES(0x43, 0, 0, 0x80, 0x7f), "f32.const inf\n");
	prints_as(BYTES(0x43, 0, 0, 0x80, 0xff), "f32.const -inf\n");
	prints_as(BYTES(0x43, 0, 0, 0xc0, 0x7f), "f32.const nan\n");
	prints_as(BYTES(0x43, 1, 0, 0xa0, 0xff), "f32.const -nan:0x200001\n");
	prints_as(BYTES(0x43, 0, 0, 0, 0x80), "f32.const -0x0p+0\n");
	prints_as(BYTES(0xfd, 12, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
			14, 255),
		  "v128.const i8x16 0x00 0x01 0x02 0x03 0x04 0x05 0x06 0x07 "
		  "0x08 0x09 0x0a 0x0b 0x0c 0x0d 0x0e 0xff\n");
}

static void memory_accesses_leave_out_what_is_usual(void **state)
{
	(void)state;
	prints_as(BYTES(0x28, 2, 0), "i32.load\n");
	prints_as(BYTES(0x28, 2, 16), "i32.load offset=16\n");
	prints_as(BYTES(0x37, 0, 0x80, 1), "i64.store offset=128 align=1\n");
	prints_as(BYTES(0xfd, 84, 0, 0, 7), "v128.load8_lane 7\n");
	prints_as(BYTES(0xfe, 0x1e, 2, 4), "i32.atomic.rmw.add offset=4\n");
	prints_as(BYTES(0x3f, 0), "memory.size\n");
	prints_as(BYTES(0xfc, 10, 0, 0), "memory.copy\n");
	prints_as(BYTES(0xfc, 11, 0), "memory.fill\n");
}

static void indexes_stay_numbers(void **state)
{
	(void)state;
	prints_as(BYTES(0x10, 1, 0x20, 0, 0x24, 0, 0xd2, 0),
		  "call 1\nlocal.get 0\nglobal.set 0\nref.func 0\n");
	prints_as(BYTES(0x11, 1, 0), "call_indirect (type 1)\n");
	prints_as(BYTES(0x0e, 2, 0, 0, 0, 0x00),
		  "br_table 0 0 0\nunreachable\n");
	prints_as(BYTES(0x25, 0), "table.get 0\n");
}

static void types_of_blocks_and_references_are_shown(void **state)
{
	(void)state;
	prints_as(BYTES(0x02, 0x40, 0x0b), "block\nend\n");
	prints_as(BYTES(0x03, 0x7c, 0x00, 0x0b),
		  "loop (result f64)\nunreachable\nend\n");
	prints_as(BYTES(0x02, 2, 0x00, 0x0b),
		  "block (type 2)\nunreachable\nend\n");
	prints_as(BYTES(0x1c, 1, 0x70), "select (result funcref)\n");
	prints_as(BYTES(0x1b), "select\n");
	prints_as(BYTES(0xd0, 0x70), "ref.null func\n");
	prints_as(BYTES(0xd0, 1), "ref.null 1\n");
	prints_as(BYTES(0xfb, 21, 0x6c), "ref.test i31ref\n");
	prints_as(BYTES(0xfb, 22, 1), "ref.cast (ref 1)\n");
	prints_as(
		BYTES(0x02, 0x6e, 0x00, 0xfb, 24, 3, 0, 0x6e, 0x6c, 0x0b),
		"block (result anyref)\nunreachable\nbr_on_cast 0 anyref i31ref\nend\n");
	prints_as(BYTES(0x02, 0x69, 0x1f, 0x7f, 1, 3, 0, 0x00, 0x0b, 0x1a, 0x00,
			0x0b),
		  "block (result exnref)\n"
		  "try_table (result i32) (catch_all_ref 0)\n"
		  "unreachable\nend\ndrop\nunreachable\nend\n");
}

static void lanes_are_shown(void **state)
{
	(void)state;
	prints_as(BYTES(0xfd, 13, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
			14, 31),
		  "i8x16.shuffle 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 31\n");
	prints_as(BYTES(0xfd, 21, 15), "i8x16.extract_lane_s 15\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants_read_back_as_the_same_bits),
		cmocka_unit_test(memory_accesses_leave_out_what_is_usual),
		cmocka_unit_test(indexes_stay_numbers),
		cmocka_unit_test(types_of_blocks_and_references_are_shown),
		cmocka_unit_test(lanes_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
