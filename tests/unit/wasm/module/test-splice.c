// SPDX-License-Identifier: GPL-2.0-only
/* A splice changes its range and the size fields around it, nothing else;
 * exports are added for what a host must see. */
#include "module-bytes.h"

/* Decodes and checks the bodies: 0 or an error. */
static struct pw_module *decode_checked(const struct pw_buf *b)
{
	struct pw_module *m = decode_ok(b);
	struct pw_err err = { 0 };

	if (pw_module_check_bodies(m, &err))
		fail_msg("refused: %s", err.msg);
	return m;
}

static void a_replacement_of_equal_size_changes_its_bytes_only(void **state)
{
	struct pw_buf b = { 0 }, out = { 0 };
	struct pw_module *m;
	uint64_t off;

	(void)state;
	build_module(&b, "ii", "i", BYTES(0, 0x20, 0, 0x20, 1, 0x6a, 0x0b));
	m = decode_ok(&b);
	off = pw_module_func(m, 0)->code_off + 4;
	assert_int_equal(pw_splice_body(m, 0, off, 1, BYTES(0x6c), &out, NULL),
			 0);
	assert_int_equal(out.len, b.len);
	for (size_t i = 0; i < b.len; i++)
		assert_int_equal(out.data[i], i == off ? 0x6c : b.data[i]);
	pw_module_free(decode_checked(&out));
	pw_module_free(m);
	pw_buf_release(&b);
	pw_buf_release(&out);
}

static void a_size_field_grows_when_it_must(void **state)
{
	struct pw_buf b = { 0 }, out = { 0 }, nops = { 0 }, back = { 0 };
	struct pw_module *m, *grown;
	uint64_t off;

	(void)state;
	build_module(&b, "ii", "i", BYTES(0, 0x20, 0, 0x20, 1, 0x6a, 0x0b));
	for (int i = 0; i < 200; i++)
		pw_buf_add_u8(&nops, 0x01);
	m = decode_ok(&b);
	off = pw_module_func(m, 0)->code_off;
	assert_int_equal(pw_splice_body(m, 0, off, 0, nops.data, nops.len, &out,
					NULL),
			 0);
	assert_int_equal(out.len, b.len + 200 + 2); /* two fields of 2 bytes */
	grown = decode_checked(&out);
	assert_int_equal(pw_module_func(grown, 0)->body_size, 207);
	/* And back: the fields keep their two bytes. */
	off = pw_module_func(grown, 0)->code_off;
	assert_int_equal(pw_splice_body(grown, 0, off, 200, NULL, 0, &back,
					NULL),
			 0);
	assert_int_equal(back.len, b.len + 2);
	pw_module_free(decode_checked(&back));
	pw_module_free(grown);
	pw_module_free(m);
	pw_buf_release(&b);
	pw_buf_release(&out);
	pw_buf_release(&back);
	pw_buf_release(&nops);
}

static void a_range_outside_the_body_is_refused(void **state)
{
	struct pw_buf b = { 0 }, out = { 0 };
	struct pw_err err = { 0 };
	struct pw_module *m;
	const struct pw_func *f;

	(void)state;
	build_module(&b, "", "", BYTES(0, 0x01, 0x0b));
	m = decode_ok(&b);
	f = pw_module_func(m, 0);
	assert_int_equal(pw_splice_body(m, 0, f->body_off - 1, 1, BYTES(0),
					&out, &err),
			 -EINVAL);
	assert_int_equal(pw_splice_body(m, 0, f->code_off, 3, BYTES(0), &out,
					&err),
			 -EINVAL);
	assert_non_null(strstr(err.msg, "not in function 0"));
	assert_int_equal(pw_splice_body(m, 2, 0, 0, BYTES(0), &out, &err),
			 -EINVAL);
	assert_int_equal(out.len, 0);
	pw_module_free(m);
	pw_buf_release(&b);
	pw_buf_release(&out);
}

static void a_global_gets_another_value(void **state)
{
	struct pw_buf b = { 0 }, out = { 0 };
	struct pw_err err = { 0 };
	struct pw_module *m;

	(void)state;
	build_module(&b, "", "", BYTES(0, 0x0b));
	m = decode_ok(&b);
	assert_int_equal(pw_splice_global(m, 1,
					  BYTES(0x42, 0x80, 0x80, 1, 0x0b),
					  &out, &err),
			 0);
	assert_int_equal(pw_splice_global(m, 2, BYTES(0), &out, &err), -EINVAL);
	pw_module_free(m);
	m = decode_checked(&out);
	assert_int_equal(pw_module_global(m, 1)->init_size, 5);
	assert_int_equal(pw_module_global(m, 0)->init_size, 3);
	assert_int_equal(out.len, b.len + 2);
	pw_module_free(m);
	pw_buf_release(&b);
	pw_buf_release(&out);
}

static void memories_and_mutable_globals_are_exported(void **state)
{
	struct pw_buf b = { 0 }, out = { 0 }, again = { 0 };
	struct pw_module *m, *seen;

	(void)state;
	build_module(&b, "", "", BYTES(0, 0x0b));
	m = decode_ok(&b);
	assert_int_equal(pw_splice_exports(m, &out, NULL), 0);
	seen = decode_checked(&out);
	assert_int_equal(pw_module_n_exports(seen), 3);
	assert_int_equal(pw_module_export_find(seen, "f")->kind, PW_EXT_FUNC);
	assert_int_equal(pw_module_export_find(seen, "pw:mem 0")->kind,
			 PW_EXT_MEMORY);
	assert_int_equal(pw_module_export_find(seen, "pw:global 0")->idx, 0);
	assert_null(pw_module_export_find(seen, "pw:global 1"));
	assert_int_equal(pw_splice_exports(seen, &again, NULL), 0);
	assert_int_equal(again.len, out.len); /* nothing left to add */
	assert_memory_equal(again.data, out.data, out.len);
	pw_module_free(seen);
	pw_module_free(m);
	pw_buf_release(&b);
	pw_buf_release(&out);
	pw_buf_release(&again);
}

static void add_constant(struct pw_buf *b, uint32_t type)
{
	static const uint8_t zeros[16];

	switch (type) {
	case PW_I32:
		pw_buf_add(b, BYTES(0x41, 0));
		return;
	case PW_I64:
		pw_buf_add(b, BYTES(0x42, 0));
		return;
	case PW_F32:
		pw_buf_add_u8(b, 0x43);
		pw_buf_add(b, zeros, 4);
		return;
	case PW_F64:
		pw_buf_add_u8(b, 0x44);
		pw_buf_add(b, zeros, 8);
		return;
	default: /* PW_V128 */
		pw_buf_add(b, BYTES(0xfd, 12));
		pw_buf_add(b, zeros, 16);
	}
}

/* How many expressions of one number or vector a function has; each was
 * replaced by a constant and still typed. */
static uint32_t replace_expressions(const struct pw_module *m, uint32_t f)
{
	struct pw_walk *w = pw_walk_new(m);
	struct pw_buf out = { 0 }, constant = { 0 };
	struct pw_insn in;
	uint32_t n = 0;

	assert_int_equal(pw_walk_start(w, f, NULL), 0);
	while (pw_walk_next(w, &in, NULL) > 0) {
		if (in.n_results != 1 || in.results[0] & PW_REF ||
		    in.results[0] == PW_BOTTOM || in.expr_off == PW_NO_OFF ||
		    (pw_op_info(in.op)->flags & PW_OPF_CONTROL &&
		     in.op != PW_OP_end))
			continue;
		out.len = constant.len = 0;
		add_constant(&constant, in.results[0]);
		assert_int_equal(pw_splice_body(m, f, in.expr_off,
						in.off + in.size - in.expr_off,
						constant.data, constant.len,
						&out, NULL),
				 0);
		pw_module_free(decode_checked(&out));
		n++;
	}
	pw_walk_free(w);
	pw_buf_release(&out);
	pw_buf_release(&constant);
	return n;
}

static void any_expression_can_become_a_constant(void **state)
{
	static const char *const files[] = { "control", "vectors", "exceptions",
					     "memories", "structures" };
	char path[100];
	uint32_t n = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct pw_file f = { 0 };
		struct pw_module *m;

		snprintf(path, sizeof(path), "tests/data/modules/%s.wasm",
			 files[i]);
		assert_int_equal(pw_file_open(&f, path, NULL), 0);
		m = pw_module_decode(f.data, f.size, NULL);
		for (uint32_t k = pw_module_n_imported(m, PW_EXT_FUNC);
		     k < pw_module_n(m, PW_EXT_FUNC); k++)
			n += replace_expressions(m, k);
		pw_module_free(m);
		pw_file_close(&f);
	}
	print_message("%u expressions\n", n);
	assert_true(n > 100);
}

/* Without an export section one is made, behind what must precede it. */
static void an_export_section_is_made(void **state)
{
	struct pw_buf b = { 0 }, out = { 0 };
	struct pw_module *m;

	(void)state;
	add_header(&b);
	add_section(&b, 0, BYTES(1, 'x'));
	add_section(&b, 5, BYTES(1, 0, 1));
	add_section(&b, 0, BYTES(1, 'y'));
	add_section(&b, 11, BYTES(1, 0, 0x41, 0, 0x0b, 1, 7));
	m = decode_ok(&b);
	assert_int_equal(pw_splice_exports(m, &out, NULL), 0);
	pw_module_free(m);
	m = decode_ok(&out);
	assert_int_equal(pw_module_n_sections(m), 5);
	assert_int_equal(pw_module_section(m, 2)->id, 7);
	assert_non_null(pw_module_export_find(m, "pw:mem 0"));
	pw_module_free(m);
	pw_buf_release(&b);
	pw_buf_release(&out);
}

static void a_name_that_is_taken_is_refused(void **state)
{
	struct pw_buf b = { 0 }, out = { 0 };
	struct pw_err err = { 0 };
	struct pw_module *m;

	(void)state;
	add_header(&b);
	add_section(&b, 4, BYTES(1, 0x70, 0, 1));
	add_section(&b, 5, BYTES(1, 0, 1));
	add_section(&b, 7,
		    BYTES(1, 8, 'p', 'w', ':', 'm', 'e', 'm', ' ', '0', 1, 0));
	m = decode_ok(&b);
	assert_int_equal(pw_splice_exports(m, &out, &err), -EEXIST);
	assert_non_null(strstr(err.msg, "pw:mem 0"));
	pw_module_free(m);
	pw_buf_release(&b);
	pw_buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_replacement_of_equal_size_changes_its_bytes_only),
		cmocka_unit_test(a_size_field_grows_when_it_must),
		cmocka_unit_test(a_range_outside_the_body_is_refused),
		cmocka_unit_test(a_global_gets_another_value),
		cmocka_unit_test(memories_and_mutable_globals_are_exported),
		cmocka_unit_test(any_expression_can_become_a_constant),
		cmocka_unit_test(an_export_section_is_made),
		cmocka_unit_test(a_name_that_is_taken_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
