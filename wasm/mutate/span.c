// SPDX-License-Identifier: GPL-2.0-only
/*
 * span: may an expression be taken out as a whole? Not when it holds a jump
 * out of it, a statement between its operands, or the setting of a local that
 * validation wants to be set. Branches are numbered by the block they go
 * to: 0 is the function, n the block at depth n.
 */
#include <stdlib.h>

#include "site.h"

void span_release(struct span *s)
{
	free(s->jumps);
	free(s->last_void);
	*s = (struct span){ 0 };
}

void span_start(struct span *s)
{
	if (!s->cap_depth) {
		s->cap_depth = 16;
		s->last_void = pw_alloc(16 * sizeof(*s->last_void));
	}
	s->last_void[0] = 0;
	s->n_jumps = 0;
	s->last_init = 0;
}

static void enter(struct span *s, uint32_t depth)
{
	if (depth >= s->cap_depth) {
		s->cap_depth = depth * 2;
		s->last_void = pw_realloc(s->last_void,
					  s->cap_depth * sizeof(uint32_t));
	}
	s->last_void[depth] = 0;
}

/* A later jump that reaches as far out makes an earlier one irrelevant. */
static void add_jump(struct span *s, uint32_t idx, uint32_t target)
{
	while (s->n_jumps && s->jumps[s->n_jumps - 1].target >= target)
		s->n_jumps--;
	if (s->n_jumps == s->cap_jumps) {
		s->cap_jumps = s->cap_jumps ? s->cap_jumps * 2 : 64;
		s->jumps =
			pw_realloc(s->jumps, s->cap_jumps * sizeof(*s->jumps));
	}
	s->jumps[s->n_jumps++] = (struct span_jump){ idx, target };
}

/* The jump with the greatest index that leaves blocks deeper than `depth`. */
static bool jump_since(const struct span *s, uint32_t depth, uint32_t idx)
{
	uint32_t lo = 0, hi = s->n_jumps;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (s->jumps[mid].target <= depth)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && s->jumps[lo - 1].idx >= idx;
}

/* Other jumps than br and br_if are rare inside expressions: they count as
 * jumps out of everything. */
static void see_control(struct span *s, const struct pw_insn *insn)
{
	switch (insn->op) {
	case PW_OP_block:
	case PW_OP_loop:
	case PW_OP_if:
		enter(s, insn->depth + 1);
		break;
	case PW_OP_else:
		break;
	case PW_OP_end:
		if (!insn->n_results)
			s->last_void[insn->depth] = insn->idx + 1;
		break;
	case PW_OP_br:
	case PW_OP_br_if:
		add_jump(s, insn->idx,
			 insn->depth - (insn->index < insn->depth
						? insn->index
						: insn->depth));
		break;
	default:
		add_jump(s, insn->idx, 0);
		enter(s, insn->depth + 1);
	}
}

void span_see(struct span *s, const struct pw_insn *insn, bool must_be_set)
{
	if (must_be_set)
		s->last_init = insn->idx + 1;
	if (pw_op_info(insn->op)->flags & PW_OPF_CONTROL)
		see_control(s, insn);
	else if (!insn->n_results)
		s->last_void[insn->depth] = insn->idx + 1;
}

bool span_removable(const struct span *s, const struct pw_insn *insn)
{
	if (insn->expr_off == PW_NO_OFF)
		return false;
	return s->last_void[insn->depth] <= insn->expr_idx &&
	       s->last_init <= insn->expr_idx &&
	       !jump_since(s, insn->depth, insn->expr_idx);
}
