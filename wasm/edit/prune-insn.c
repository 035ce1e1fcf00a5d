// SPDX-License-Identifier: GPL-2.0-only
/*
 * The indexes in instructions: noted as used, or written with their new
 * numbers.
 */
#include <errno.h>

#include "prune.h"

/* Which spaces the first and the second index of an immediate are in, and in
 * which order struct pw_insn has them; N_SPACES: none. */
static void spaces_of(enum pw_imm_kind kind, enum space *first,
		      enum space *second)
{
	*first = *second = N_SPACES;
	switch (kind) {
	case PW_IMM_FUNC:
		*first = SP_FUNC;
		break;
	case PW_IMM_CALL_INDIRECT:
		*first = SP_TYPE;
		*second = SP_TABLE;
		break;
	case PW_IMM_TYPE:
		*first = SP_TYPE;
		break;
	case PW_IMM_GLOBAL:
		*first = SP_GLOBAL;
		break;
	case PW_IMM_ELEM:
		*first = SP_ELEM;
		break;
	case PW_IMM_DATA:
		*first = SP_DATA;
		break;
	case PW_IMM_TABLE_INIT:
		*first = SP_ELEM;
		*second = SP_TABLE;
		break;
	case PW_IMM_MEMORY_INIT:
		*first = SP_DATA;
		*second = SP_MEMORY;
		break;
	case PW_IMM_TYPE_DATA:
		*first = SP_TYPE;
		*second = SP_DATA;
		break;
	case PW_IMM_TYPE_ELEM:
		*first = SP_TYPE;
		*second = SP_ELEM;
		break;
	default:
		break;
	}
}

uint32_t prune_new_type(const struct prune *p, uint32_t idx)
{
	return p->keep_types ? idx : p->to[SP_TYPE][idx];
}

static void add_index(struct prune *p, enum space space, uint32_t idx,
		      struct pw_buf *out)
{
	if (!out)
		prune_use(p, space, idx);
	else if (space == SP_TYPE)
		pw_buf_add_uleb(out, prune_new_type(p, idx));
	else
		pw_buf_add_uleb(out, p->to[space][idx]);
}

/* What names a whole kind: tables, memories and tags keep their numbers. */
static void use_kind(struct prune *p, const struct pw_insn *in)
{
	switch (pw_op_info(in->op)->imm) {
	case PW_IMM_TABLE:
	case PW_IMM_TABLE2:
		prune_use(p, SP_TABLE, 0);
		break;
	case PW_IMM_MEMORY:
	case PW_IMM_MEMORY2:
	case PW_IMM_MEMARG:
	case PW_IMM_MEMARG_LANE:
		prune_use(p, SP_MEMORY, 0);
		break;
	case PW_IMM_TAG:
	case PW_IMM_TRY_TABLE:
		prune_use(p, SP_TAG, 0);
		break;
	default:
		break;
	}
}

/* A block's type by index: a signed number; other types are one byte. */
static bool has_type_index(const struct pw_insn *in)
{
	struct pw_cursor c;

	if (!(*in->imm & 0x80) && (*in->imm & 0x40))
		return false;
	pw_cursor_init(&c, in->imm, 5, 0, NULL);
	return pw_cursor_sleb33(&c) >= 0;
}

static void block_type(struct prune *p, const struct pw_insn *in,
		       const uint8_t *bytes, struct pw_buf *out)
{
	struct pw_cursor c;
	size_t head = (size_t)(in->imm - bytes);

	if (!has_type_index(in)) {
		if (out)
			pw_buf_add(out, bytes, in->size);
		return;
	}
	if (!out) {
		prune_use(p, SP_TYPE, in->index);
		return;
	}
	pw_cursor_init(&c, in->imm, in->size - head, 0, NULL);
	pw_cursor_sleb33(&c);
	pw_buf_add(out, bytes, head);
	pw_buf_add_sleb(out, prune_new_type(p, in->index));
	pw_buf_add(out, c.p, (size_t)(c.end - c.p));
}

/*
 * Whether an instruction names a type in a way that is not adapted. Each is
 * of a proposal after 2.0, and where they occur types keep their numbers.
 */
static bool names_types(const struct pw_insn *in)
{
	switch (pw_op_info(in->op)->imm) {
	case PW_IMM_HEAPTYPE:
		return !(*in->imm & 0x40) || *in->imm & 0x80;
	case PW_IMM_SELECT_T:
		return in->imm[1] == 0x63 || in->imm[1] == 0x64;
	case PW_IMM_BLOCK:
	case PW_IMM_TRY_TABLE:
		return *in->imm == 0x63 || *in->imm == 0x64;
	case PW_IMM_TYPE_FIELD:
	case PW_IMM_TYPE_N:
	case PW_IMM_TYPE2:
	case PW_IMM_BR_CAST:
		return true;
	default:
		return false;
	}
}

int prune_insn(struct prune *p, const struct pw_insn *in, struct pw_buf *out)
{
	size_t size;
	const uint8_t *bytes = pw_module_bytes(p->m, &size) + in->off;
	enum pw_imm_kind kind = pw_op_info(in->op)->imm;
	enum space first, second;

	if (kind == PW_IMM_BLOCK || kind == PW_IMM_TRY_TABLE) {
		if (!out) {
			use_kind(p, in);
			p->keep_types |= names_types(in);
		}
		block_type(p, in, bytes, out);
		return 0;
	}
	spaces_of(kind, &first, &second);
	if (first == N_SPACES) {
		if (out) {
			pw_buf_add(out, bytes, in->size);
		} else {
			use_kind(p, in);
			p->keep_types |= names_types(in);
		}
		return 0;
	}
	if (out)
		pw_buf_add(out, bytes, (size_t)(in->imm - bytes));
	add_index(p, first, in->index, out);
	if (second != N_SPACES)
		add_index(p, second, in->index2, out);
	return 0;
}

/* --- constant expressions --- */

/* Steps over a constant's immediate; false: no such opcode is known here. */
static bool skip_const(struct pw_cursor *c, uint8_t op)
{
	switch (op) {
	case 0x41: /* i32.const */
		pw_cursor_sleb32(c);
		return true;
	case 0x42: /* i64.const */
		pw_cursor_sleb64(c);
		return true;
	case 0x43: /* f32.const */
		pw_cursor_bytes(c, 4);
		return true;
	case 0x44: /* f64.const */
		pw_cursor_bytes(c, 8);
		return true;
	case 0xd0: /* ref.null of an abstract type */
		return (pw_cursor_u8(c) & 0xc0) == 0x40;
	case 0x6a: /* i32.add, sub, mul, i64.add, sub, mul */
	case 0x6b:
	case 0x6c:
	case 0x7c:
	case 0x7d:
	case 0x7e:
		return true;
	case 0xfd: /* v128.const */
		return pw_cursor_uleb32(c) == 12 && pw_cursor_bytes(c, 16);
	default:
		return false;
	}
}

int prune_expr(struct prune *p, struct pw_cursor *c, struct pw_buf *out)
{
	for (;;) {
		const uint8_t *at = c->p;
		uint64_t off = pw_cursor_off(c);
		uint8_t op = pw_cursor_u8(c);

		if (op == 0x23 || op == 0xd2) { /* global.get, ref.func */
			if (out)
				pw_buf_add_u8(out, op);
			add_index(p, op == 0x23 ? SP_GLOBAL : SP_FUNC,
				  pw_cursor_uleb32(c), out);
			continue;
		}
		if (op != 0x0b && !skip_const(c, op))
			return pw_err_at(p->err, ENOTSUP, off,
					 "a constant expression with opcode "
					 "0x%02x cannot be pruned",
					 op);
		if (out)
			pw_buf_add(out, at, (size_t)(c->p - at));
		if (op == 0x0b || c->failed)
			return c->failed ? -EINVAL : 0;
	}
}
