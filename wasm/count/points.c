// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the number of executions may change inside a function. Where a jump
 * goes is not looked at: the end of every block counts.
 */
#include "points.h"

#include <stdlib.h>

static void add(struct points *p, uint32_t func, const struct pw_insn *in)
{
	if (p->n == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 256;
		p->v = pw_realloc(p->v, p->cap * sizeof(*p->v));
	}
	p->v[p->n++] = (struct pw_count_point){ in->off, func, in->idx };
}

/* May what follows be executed more or less often than this? The end of a
 * loop is reached by what stands before it only, but which end is a loop's
 * is not known here. */
static bool ends_block(const struct pw_insn *in)
{
	switch (in->op) {
	case PW_OP_loop:
	case PW_OP_if:
	case PW_OP_else:
	case PW_OP_end:
	case PW_OP_catch:
	case PW_OP_catch_all:
	case PW_OP_delegate:
		return true;
	default:
		break;
	}
	switch (pw_op_info(in->op)->imm) {
	case PW_IMM_LABEL: /* br_if, br_on_null ... */
	case PW_IMM_BR_CAST:
		return true;
	default:
		return false;
	}
}

int points_of_func(struct pw_walk *w, uint32_t func, struct points *p,
		   struct pw_err *err)
{
	bool begins = true;
	struct pw_insn in;
	int ret = pw_walk_start(w, func, err);

	while (!ret && (ret = pw_walk_next(w, &in, err)) == 1) {
		ret = 0;
		if (begins && !in.unreachable)
			add(p, func, &in);
		begins = ends_block(&in);
	}
	return ret;
}
