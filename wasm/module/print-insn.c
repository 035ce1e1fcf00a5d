// SPDX-License-Identifier: GPL-2.0-only
/*
 * One instruction as a line of the text format. Indexes stay numbers, as
 * the binary has them; floats are printed in hexadecimal, so that the text
 * reads back as the same bits.
 */
#include "walk.h"

static void print_float(struct pw_buf *out, uint64_t bits, int width)
{
	int mant_bits = width == 32 ? 23 : 52;
	uint64_t mant_mask = (1ull << mant_bits) - 1;
	uint64_t mant = bits & mant_mask;
	uint64_t quiet = 1ull << (mant_bits - 1);
	uint32_t exp_max = width == 32 ? 0xff : 0x7ff;
	const char *sign = bits >> (width - 1) & 1 ? "-" : "";
	double v;

	if ((bits >> mant_bits & exp_max) == exp_max) {
		if (!mant)
			pw_buf_printf(out, " %sinf", sign);
		else if (mant == quiet)
			pw_buf_printf(out, " %snan", sign);
		else
			pw_buf_printf(out, " %snan:0x%llx", sign,
				      (unsigned long long)mant);
		return;
	}
	if (width == 32) {
		uint32_t b = bits;
		float f;

		memcpy(&f, &b, 4);
		v = f;
	} else {
		memcpy(&v, &bits, 8);
	}
	pw_buf_printf(out, " %a", v);
}

static void print_memarg(const struct pw_insn *in, struct pw_buf *out)
{
	if (in->index2)
		pw_buf_printf(out, " %u", in->index2);
	if (in->offset)
		pw_buf_printf(out, " offset=%llu",
			      (unsigned long long)in->offset);
	if (in->align != pw_op_info(in->op)->size_log2)
		pw_buf_printf(out, " align=%llu", 1ull << in->align);
}

static void print_type(struct pw_buf *out, const char *what, uint32_t type)
{
	char name[PW_TYPE_NAME_SIZE];

	pw_buf_printf(out, " (%s %s)", what, pw_type_name(type, name));
}

static void imm_cursor(const struct pw_module *m, const struct pw_insn *in,
		       struct pw_cursor *c)
{
	const uint8_t *end = m->bytes + in->off + in->size;

	pw_cursor_init(c, in->imm, end - in->imm, 0, NULL);
}

static void print_block_type(const struct pw_module *m, struct pw_cursor *c,
			     struct pw_buf *out)
{
	if (*c->p == 0x40)
		c->p++;
	else if ((*c->p & 0xc0) == 0x40)
		print_type(out, "result", read_value_type(m, c, m->n_types));
	else
		pw_buf_printf(out, " (type %lld)",
			      (long long)pw_cursor_sleb33(c));
}

static void print_labels(const struct pw_module *m, const struct pw_insn *in,
			 struct pw_buf *out)
{
	struct pw_cursor c;

	imm_cursor(m, in, &c);
	for (uint32_t n = pw_cursor_uleb32(&c) + 1; n-- && !c.failed;)
		pw_buf_printf(out, " %u", pw_cursor_uleb32(&c));
}

static void print_try_table(const struct pw_module *m, const struct pw_insn *in,
			    struct pw_buf *out)
{
	static const char *const names[] = { "catch", "catch_ref", "catch_all",
					     "catch_all_ref" };
	struct pw_cursor c;

	imm_cursor(m, in, &c);
	print_block_type(m, &c, out);
	for (uint32_t n = pw_cursor_uleb32(&c); n-- && !c.failed;) {
		uint8_t kind = pw_cursor_u8(&c) & 3;

		pw_buf_printf(out, " (%s", names[kind]);
		if (kind < 2)
			pw_buf_printf(out, " %u", pw_cursor_uleb32(&c));
		pw_buf_printf(out, " %u)", pw_cursor_uleb32(&c));
	}
}

static void print_heap(const struct pw_module *m, const struct pw_insn *in,
		       struct pw_buf *out)
{
	struct pw_cursor c;
	char name[PW_TYPE_NAME_SIZE];
	uint32_t heap;
	bool null =
		in->op == PW_OP_ref_test_null || in->op == PW_OP_ref_cast_null;

	imm_cursor(m, in, &c);
	heap = read_heap_type(m, &c, m->n_types);
	if (in->op != PW_OP_ref_null) {
		pw_buf_printf(out, " %s",
			      pw_type_name(type_ref(null, heap), name));
		return;
	}
	pw_type_name(type_ref(false, heap), name); /* "(ref HEAP)" */
	name[strlen(name) - 1] = 0;
	pw_buf_printf(out, " %s", name + strlen("(ref "));
}

static void print_cast(const struct pw_module *m, const struct pw_insn *in,
		       struct pw_buf *out)
{
	struct pw_cursor c;
	char name[PW_TYPE_NAME_SIZE];
	uint8_t flags;

	imm_cursor(m, in, &c);
	flags = pw_cursor_u8(&c);
	pw_buf_printf(out, " %u", pw_cursor_uleb32(&c));
	for (int i = 0; i < 2; i++) {
		uint32_t heap = read_heap_type(m, &c, m->n_types);

		pw_buf_printf(out, " %s",
			      pw_type_name(type_ref(flags >> i & 1, heap),
					   name));
	}
}

static void print_select(const struct pw_module *m, const struct pw_insn *in,
			 struct pw_buf *out)
{
	struct pw_cursor c;

	imm_cursor(m, in, &c);
	pw_cursor_uleb32(&c);
	print_type(out, "result", read_value_type(m, &c, m->n_types));
}

static void print_bytes(const struct pw_insn *in, struct pw_buf *out)
{
	if (in->op == PW_OP_v128_const)
		pw_buf_printf(out, " i8x16");
	for (int i = 0; i < 16; i++)
		pw_buf_printf(out,
			      in->op == PW_OP_v128_const ? " 0x%02x" : " %u",
			      in->imm[i]);
}

static void print_indexes(const struct pw_insn *in, struct pw_buf *out)
{
	enum pw_imm_kind imm = pw_op_info(in->op)->imm;
	bool two = imm == PW_IMM_TABLE2 || imm == PW_IMM_MEMORY2;

	if (imm == PW_IMM_CALL_INDIRECT) {
		if (in->index2)
			pw_buf_printf(out, " %u", in->index2);
		pw_buf_printf(out, " (type %u)", in->index);
		return;
	}
	if (imm == PW_IMM_TABLE_INIT || imm == PW_IMM_MEMORY_INIT) {
		if (in->index2)
			pw_buf_printf(out, " %u", in->index2);
		pw_buf_printf(out, " %u", in->index);
		return;
	}
	if (two && !in->index && !in->index2)
		return;
	pw_buf_printf(out, " %u", in->index);
	if (two || (imm >= PW_IMM_TYPE_FIELD && imm <= PW_IMM_TYPE2))
		pw_buf_printf(out, " %u", in->index2);
}

/* Immediates that struct pw_insn does not hold, read again from the bytes. */
static void print_read(const struct pw_module *m, const struct pw_insn *in,
		       struct pw_buf *out)
{
	struct pw_cursor c;

	switch (pw_op_info(in->op)->imm) {
	case PW_IMM_BLOCK:
		imm_cursor(m, in, &c);
		print_block_type(m, &c, out);
		return;
	case PW_IMM_LABELS:
		print_labels(m, in, out);
		return;
	case PW_IMM_TRY_TABLE:
		print_try_table(m, in, out);
		return;
	case PW_IMM_SELECT_T:
		print_select(m, in, out);
		return;
	case PW_IMM_HEAPTYPE:
		print_heap(m, in, out);
		return;
	case PW_IMM_BR_CAST:
		print_cast(m, in, out);
		return;
	default: /* PW_IMM_SHUFFLE, PW_IMM_V128 */
		print_bytes(in, out);
	}
}

static void print_imm(const struct pw_module *m, const struct pw_insn *in,
		      struct pw_buf *out)
{
	switch (pw_op_info(in->op)->imm) {
	case PW_IMM_NONE:
	case PW_IMM_FENCE:
		return;
	case PW_IMM_BLOCK:
	case PW_IMM_LABELS:
	case PW_IMM_TRY_TABLE:
	case PW_IMM_SELECT_T:
	case PW_IMM_HEAPTYPE:
	case PW_IMM_BR_CAST:
	case PW_IMM_SHUFFLE:
	case PW_IMM_V128:
		print_read(m, in, out);
		return;
	case PW_IMM_MEMARG:
		print_memarg(in, out);
		return;
	case PW_IMM_MEMARG_LANE:
		print_memarg(in, out);
		pw_buf_printf(out, " %u", in->index);
		return;
	case PW_IMM_I32:
	case PW_IMM_I64:
		pw_buf_printf(out, " %lld", (long long)in->i64);
		return;
	case PW_IMM_F32:
		print_float(out, in->i64, 32);
		return;
	case PW_IMM_F64:
		print_float(out, in->i64, 64);
		return;
	case PW_IMM_MEMORY:
		if (in->index)
			pw_buf_printf(out, " %u", in->index);
		return;
	default:
		print_indexes(in, out);
	}
}

void pw_insn_print(const struct pw_module *m, const struct pw_insn *in,
		   struct pw_buf *out)
{
	const char *name = pw_op_info(in->op)->name;

	/* "ref.test null" says null in its type */
	pw_buf_add(out, name, strcspn(name, " "));
	print_imm(m, in, out);
}
