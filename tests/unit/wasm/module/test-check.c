// SPDX-License-Identifier: GPL-2.0-only
/* Bodies that do not type are refused, at the instruction and with what was
 * expected; the fast check of whole bodies and the walker say the same. */
#include "module-bytes.h"

/* The fast check leaves a module's last bytes to the walker: with a section
 * behind the code it does all it can. */
static void build(struct pw_buf *b, const char *params, const char *results,
		  const uint8_t *body, size_t n, bool padded)
{
	static const uint8_t pad[100] = { 3, 'p', 'a', 'd' };

	b->len = 0;
	build_module(b, params, results, body, n);
	if (padded)
		add_section(b, 0, pad, sizeof(pad));
}

/* at: offset of the fault within the body. */
static void refused_module(const struct pw_buf *b, uint32_t at,
			   const char *sentence)
{
	struct pw_err fast = { 0 }, slow = { 0 };
	struct pw_module *m = decode_ok(b);
	int rc;

	if (!pw_module_check_bodies(m, &fast))
		fail_msg("accepted, but expected: %s", sentence);
	rc = walk_all(m, &slow);
	assert_int_not_equal(rc, 0);
	assert_int_equal(rc, -slow.code);
	if (!strstr(slow.msg, sentence))
		fail_msg("\"%s\" does not say \"%s\"", slow.msg, sentence);
	assert_non_null(strstr(fast.msg, slow.msg));
	assert_int_equal(fast.off, slow.off);
	assert_int_equal(fast.off, pw_module_func(m, 0)->body_off + at);
	assert_int_equal(pw_module_check_bodies(m, NULL), -fast.code);
	pw_module_free(m);
}

static void refused(const char *params, const char *results,
		    const uint8_t *body, size_t n, uint32_t at,
		    const char *sentence)
{
	struct pw_buf b = { 0 };

	for (int padded = 0; padded < 2; padded++) {
		build(&b, params, results, body, n, padded);
		refused_module(&b, at, sentence);
	}
	pw_buf_release(&b);
}

static void accepted(const char *params, const char *results,
		     const uint8_t *body, size_t n)
{
	struct pw_buf b = { 0 };
	struct pw_err err = { 0 };
	struct pw_module *m;

	for (int padded = 0; padded < 2; padded++) {
		build(&b, params, results, body, n, padded);
		m = decode_ok(&b);
		if (pw_module_check_bodies(m, &err) || walk_all(m, &err))
			fail_msg("refused: %s", err.msg);
		pw_module_free(m);
	}
	pw_buf_release(&b);
}

static void operands_must_have_their_types(void **state)
{
	(void)state;
	refused("iI", "i", BYTES(0, 0x20, 0, 0x20, 1, 0x6a, 0x0b), 5,
		"i32.add expects an operand of type i32, found i64");
	refused("i", "i", BYTES(0, 0x20, 0, 0x6a, 0x0b), 3,
		"i32.add expects an operand of type i32, but the block has none left");
	refused("", "i", BYTES(0, 0x43, 0, 0, 0, 0, 0x0b), 6, "found f32");
	refused("", "", BYTES(0, 0x41, 0, 0x0b), 3,
		"1 values more than the block's results");
	refused("I", "", BYTES(0, 0x20, 0, 0x24, 1, 0x0b), 3,
		"global 1 is immutable");
	refused("iI", "", BYTES(0, 0x20, 0, 0x20, 1, 0x20, 0, 0x1b, 0x1a, 0x0b),
		7, "select between i32 and i64");
}

static void a_block_sees_only_its_own_values(void **state)
{
	(void)state;
	refused("i", "i", BYTES(0, 0x20, 0, 0x02, 0x40, 0x45, 0x0b, 0x0b), 5,
		"i32.eqz expects an operand of type i32, but the block has none left");
	refused("i", "",
		BYTES(0, 0x20, 0, 0x04, 0x7f, 0x41, 1, 0x0b, 0x1a, 0x0b), 7,
		"if without else");
	refused("", "", BYTES(0, 0x05, 0x0b), 1, "else without if");
	refused("", "", BYTES(0, 0x0c, 1, 0x0b), 1, "label 1 does not exist");
	refused("i", "",
		BYTES(0, 0x02, 0x7f, 0x41, 0, 0x20, 0, 0x0e, 1, 0, 1, 0x0b,
		      0x1a, 0x0b),
		7, "br_table's labels take 1 and 0 values");
}

static void indexes_must_exist(void **state)
{
	(void)state;
	refused("i", "", BYTES(1, 1, 0x7f, 0x20, 2, 0x1a, 0x0b), 3,
		"local 2 does not exist, there are 2");
	refused("", "", BYTES(0, 0x10, 2, 0x0b), 1,
		"function 2 does not exist");
	refused("", "", BYTES(0, 0x23, 2, 0x1a, 0x0b), 1,
		"global 2 does not exist");
	refused("i", "", BYTES(0, 0x20, 0, 0x11, 3, 0, 0x0b), 3,
		"type 3 does not exist");
	refused("i", "", BYTES(0, 0x20, 0, 0x28, 0x42, 1, 0, 0x1a, 0x0b), 3,
		"memory 1 does not exist, there is 1");
	refused("", "", BYTES(0, 0xfc, 9, 0, 0x0b), 1, "data count section");
	refused("", "", BYTES(0, 0xd2, 1, 0x1a, 0x0b), 1,
		"no export, global or element segment declares");
	accepted("", "", BYTES(0, 0xd2, 0, 0x1a, 0x0b)); /* exported */
}

static void immediates_are_checked(void **state)
{
	(void)state;
	refused("i", "", BYTES(0, 0x20, 0, 0x28, 3, 0, 0x1a, 0x0b), 3,
		"alignment 2^3 is larger than the 4 bytes");
	refused("i", "",
		BYTES(0, 0x20, 0, 0x28, 0, 0x80, 0x80, 0x80, 0x80, 0x10, 0x1a,
		      0x0b),
		3, "out of range for a 32-bit memory");
	refused("", "", BYTES(0, 0x02, 0x7a, 0x0b), 2, "value type");
	refused("", "", BYTES(0, 0xff, 0x0b), 1, "unknown opcode 0xff");
	refused("", "", BYTES(0, 0xfc, 0x1f, 0x0b), 1,
		"unknown opcode 0xfc 31");
	refused("", "",
		BYTES(0, 0x41, 0x80, 0x80, 0x80, 0x80, 0x10, 0x1a, 0x0b), 2,
		"");
}

static void a_body_ends_with_its_last_end(void **state)
{
	(void)state;
	refused("", "", BYTES(0, 0x01), 2, "without `end`");
	refused("", "", BYTES(0, 0x02, 0x40, 0x0b), 4, "without `end`");
	refused("", "", BYTES(0, 0x0b, 0x01), 1, "1 bytes follow");
	refused("", "", BYTES(0, 0x41), 2, "");
}

static void unreachable_code_is_still_typed(void **state)
{
	(void)state;
	accepted("", "i", BYTES(0, 0x00, 0x0b));
	accepted("", "i", BYTES(0, 0x00, 0x6a, 0x0b));
	accepted("", "i", BYTES(0, 0x00, 0x41, 1, 0x6a, 0x0b));
	refused("", "i", BYTES(0, 0x00, 0x42, 1, 0x6a, 0x0b), 4,
		"i32.add expects an operand of type i32, found i64");
	refused("", "", BYTES(0, 0x00, 0x41, 1, 0x0b), 4, "1 values more");
	accepted("", "i", BYTES(0, 0x02, 0x7f, 0x41, 1, 0x0c, 0, 0x0b, 0x0b));
	refused("", "i",
		BYTES(0, 0x02, 0x7f, 0x41, 1, 0x0c, 0, 0x42, 1, 0x0b, 0x0b), 9,
		"found i64");
	accepted("", "", BYTES(0, 0x0f, 0x0b));
	accepted("i", "", BYTES(0, 0x03, 0x40, 0x20, 0, 0x0d, 0, 0x0b, 0x0b));
}

/* The fast check reads ahead and works in bulk only inside a long body. */
static void a_fault_deep_in_a_long_body_is_found(void **state)
{
	struct pw_buf b = { 0 };

	(void)state;
	pw_buf_add_u8(&b, 0);
	for (int i = 0; i < 200; i++)
		pw_buf_add(&b, BYTES(0x20, 0, 0x41, 0x80, 1, 0x6a, 0x1a));
	pw_buf_add(&b, BYTES(0x20, 0, 0x20, 1, 0x6a, 0x1a));
	for (int i = 0; i < 200; i++)
		pw_buf_add(&b, BYTES(0x20, 0, 0x1a));
	pw_buf_add_u8(&b, 0x0b);
	refused("iI", "", b.data, b.len, 1 + 7 * 200 + 4, "found i64");
	b.data[1 + 7 * 200 + 3] = 0;
	accepted("iI", "", b.data, b.len);
	pw_buf_release(&b);
}

static void the_stack_is_bounded(void **state)
{
	char letters[1001];
	struct pw_buf b = { 0 }, body = { 0 };
	struct pw_err err = { 0 };
	struct pw_module *m;

	(void)state;
	memset(letters, 'i', 1000);
	letters[1000] = 0;
	pw_buf_add_u8(&body, 0);
	for (int i = 0; i < 200; i++)
		pw_buf_add(&body, BYTES(0x10, 0)); /* 1,000 more values each */
	pw_buf_add(&body, BYTES(0x00, 0x0b));
	build_module(&b, "", letters, body.data, body.len);
	m = decode_ok(&b);
	assert_int_equal(pw_module_check_bodies(m, &err), -ENOTSUP);
	assert_non_null(strstr(err.msg, "operands at once"));
	pw_module_free(m);
	pw_buf_release(&b);
	pw_buf_release(&body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands_must_have_their_types),
		cmocka_unit_test(a_block_sees_only_its_own_values),
		cmocka_unit_test(indexes_must_exist),
		cmocka_unit_test(immediates_are_checked),
		cmocka_unit_test(a_body_ends_with_its_last_end),
		cmocka_unit_test(unreachable_code_is_still_typed),
		cmocka_unit_test(a_fault_deep_in_a_long_body_is_found),
		cmocka_unit_test(the_stack_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
