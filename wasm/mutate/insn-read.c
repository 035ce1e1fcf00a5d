// SPDX-License-Identifier: GPL-2.0-only
/*
 * insn-read: an instruction's immediates from its bytes alone, as the walker
 * fills them in, but without types: enough to print it.
 */
#include <string.h>

#include "site.h"

static void read_memarg(struct pw_insn *insn, struct pw_cursor *c)
{
	insn->align = pw_cursor_uleb32(c);
	if (insn->align & 0x40) {
		insn->align &= ~0x40u;
		insn->index2 = pw_cursor_uleb32(c);
	}
	insn->offset = pw_cursor_uleb64(c);
}

static void read_immediate(struct pw_insn *insn, enum pw_imm_kind kind,
			   struct pw_cursor *c)
{
	switch (kind) {
	case PW_IMM_LABEL:
	case PW_IMM_FUNC:
	case PW_IMM_TYPE:
	case PW_IMM_LOCAL:
	case PW_IMM_GLOBAL:
	case PW_IMM_TABLE:
	case PW_IMM_ELEM:
	case PW_IMM_DATA:
	case PW_IMM_MEMORY:
	case PW_IMM_TAG:
		insn->index = pw_cursor_uleb32(c);
		break;
	case PW_IMM_CALL_INDIRECT:
	case PW_IMM_TABLE2:
	case PW_IMM_TABLE_INIT:
	case PW_IMM_MEMORY2:
	case PW_IMM_MEMORY_INIT:
	case PW_IMM_TYPE_FIELD:
	case PW_IMM_TYPE_N:
	case PW_IMM_TYPE_DATA:
	case PW_IMM_TYPE_ELEM:
	case PW_IMM_TYPE2:
		insn->index = pw_cursor_uleb32(c);
		insn->index2 = pw_cursor_uleb32(c);
		break;
	case PW_IMM_MEMARG:
		read_memarg(insn, c);
		break;
	case PW_IMM_MEMARG_LANE:
		read_memarg(insn, c);
		insn->index = pw_cursor_u8(c);
		break;
	case PW_IMM_LANE:
		insn->index = pw_cursor_u8(c);
		break;
	case PW_IMM_I32:
		insn->i64 = pw_cursor_sleb32(c);
		break;
	case PW_IMM_I64:
		insn->i64 = pw_cursor_sleb64(c);
		break;
	case PW_IMM_F32:
		insn->i64 = pw_cursor_u32(c);
		break;
	case PW_IMM_F64:
		insn->i64 = (int64_t)pw_cursor_u64(c);
		break;
	default: /* printed from insn->imm, as far as it needs */
		c->p = c->end;
	}
}

void insn_read(struct pw_insn *insn, enum pw_op op, const uint8_t *bytes,
	       size_t size)
{
	const struct pw_op_info *info = pw_op_info(op);
	struct pw_cursor c;

	*insn = (struct pw_insn){ .op = op, .expr_off = PW_NO_OFF };
	pw_cursor_init(&c, bytes, size, 0, NULL);
	if (pw_cursor_u8(&c) == info->prefix && info->prefix)
		pw_cursor_uleb32(&c);
	insn->imm = c.p;
	read_immediate(insn, info->imm, &c);
	insn->size = (uint32_t)(c.p - bytes);
}
