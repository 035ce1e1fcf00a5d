// SPDX-License-Identifier: GPL-2.0-only
/*
 * offer-operator: an operator becomes another of the same operand and result
 * types: arithmetic, comparisons and conversions among themselves, stores
 * among stores, atomics among atomics. Plain loads are operands.
 */
#include "site.h"

static bool is_plain_load(const struct pw_op_info *info)
{
	return info->flags & PW_OPF_LOAD && !(info->flags & PW_OPF_STORE) &&
	       info->imm == PW_IMM_MEMARG;
}

/* The lane is the last immediate byte; the new operator may have fewer. */
static bool has_lane(const struct site *s, const struct pw_insn *insn,
		     enum pw_op op)
{
	return s->bytes[insn->off + insn->size - 1] < op_n_lanes(op);
}

static int offer_one(struct site *s, const struct pw_insn *insn, enum pw_op op)
{
	switch (pw_op_info(op)->imm) {
	case PW_IMM_MEMARG_LANE:
		if (!has_lane(s, insn, op))
			return 0;
		/* fall through */
	case PW_IMM_MEMARG:
		new_access(s, insn, op, insn->offset);
		break;
	case PW_IMM_LANE:
		if (!has_lane(s, insn, op))
			return 0;
		new_op(&s->mut, op);
		new_u8(&s->mut, s->bytes[insn->off + insn->size - 1]);
		break;
	case PW_IMM_NONE:
		new_op(&s->mut, op);
		break;
	default:
		return 0;
	}
	return site_emit(s);
}

int offer_operator(struct site *s, const struct pw_insn *insn)
{
	const struct menu_row *row;
	int rc = 0;

	if (is_plain_load(pw_op_info(insn->op)))
		return 0;
	row = menu_row(&s->menu, insn->op);
	for (unsigned i = 0; i < row->n && !rc; i++)
		rc = offer_one(s, insn, row->ops[i]);
	return rc;
}
