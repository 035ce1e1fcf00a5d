// SPDX-License-Identifier: GPL-2.0-only
/*
 * menu: which operators may stand in for an operator: same signature, same
 * sort, and understood by whoever understood the old one. All of it comes
 * from opcodes.def.
 */
#include <stdlib.h>
#include <string.h>

#include "site.h"

uint32_t op_access_log2(enum pw_op op)
{
	return pw_op_info(op)->size_log2;
}

uint32_t op_n_lanes(enum pw_op op)
{
	return 16u >> pw_op_info(op)->size_log2;
}

enum sort { SORT_NONE, SORT_COMPUTE, SORT_ACCESS };

#define ACCESS_FLAGS (PW_OPF_LOAD | PW_OPF_STORE | PW_OPF_ATOMIC)

/* Waiting and waking move threads, as jumps move control: left alone. */
static enum sort op_sort(enum pw_op op)
{
	const struct pw_op_info *info = pw_op_info(op);

	if (info->sig[0] == '*' || info->sig[0] == ':' ||
	    info->flags & PW_OPF_CONTROL)
		return SORT_NONE;
	if (op == PW_OP_memory_atomic_notify ||
	    op == PW_OP_memory_atomic_wait32 ||
	    op == PW_OP_memory_atomic_wait64)
		return SORT_NONE;
	if (info->flags & ACCESS_FLAGS)
		return info->imm == PW_IMM_MEMARG ||
				       info->imm == PW_IMM_MEMARG_LANE
			       ? SORT_ACCESS
			       : SORT_NONE;
	return info->flags & (PW_OPF_PURE | PW_OPF_TRAPS) ? SORT_COMPUTE
							  : SORT_NONE;
}

/* The oldest two additions are in every runtime; anything newer is offered
 * only where the module needs it already. */
static bool understood(const struct pw_op_info *old,
		       const struct pw_op_info *new)
{
	return !strcmp(new->proposal, old->proposal) ||
	       !strcmp(new->proposal, "mvp") ||
	       !strcmp(new->proposal, "sign-extension") ||
	       !strcmp(new->proposal, "saturating-float-to-int");
}

/* An immediate may be kept or dropped, but not made up. */
static bool alike(enum pw_op old, enum pw_op new)
{
	const struct pw_op_info *a = pw_op_info(old), *b = pw_op_info(new);
	enum sort sort = op_sort(old);

	if (old == new || sort == SORT_NONE || op_sort(new) != sort ||
	    strcmp(a->sig, b->sig) || !understood(a, b))
		return false;
	if (sort == SORT_ACCESS)
		return a->imm == b->imm &&
		       (a->flags & ACCESS_FLAGS) == (b->flags & ACCESS_FLAGS);
	return b->imm == PW_IMM_NONE || b->imm == a->imm;
}

const struct menu_row *menu_row(struct menu *menu, enum pw_op op)
{
	struct menu_row *row = &menu->of[op];
	uint16_t ops[PW_N_OPS];

	if (row->made)
		return row;
	row->made = true;
	for (unsigned i = 0; i < PW_N_OPS; i++)
		if (alike(op, i))
			ops[row->n++] = i;
	if (row->n) {
		row->ops = pw_alloc(row->n * sizeof(*ops));
		memcpy(row->ops, ops, row->n * sizeof(*ops));
	}
	return row;
}

void menu_release(struct menu *menu)
{
	for (unsigned i = 0; i < PW_N_OPS; i++)
		free(menu->of[i].ops);
	*menu = (struct menu){ 0 };
}
