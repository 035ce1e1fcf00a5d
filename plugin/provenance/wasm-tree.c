// SPDX-License-Identifier: GPL-2.0-only
/*
 * The wasm instructions of a function as trees: which instruction takes each
 * one's result. Follows the stack, not locals. Knows nothing of mutants.
 */
#include <stdlib.h>

#include "trial.h"

/* Who pushed each value, and how deep the stack was at each open block. */
struct stack {
	uint32_t *v;
	uint32_t n, cap;
};

static void push(struct stack *s, uint32_t v)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 64;
		s->v = pw_realloc(s->v, s->cap * sizeof(*s->v));
	}
	s->v[s->n++] = v;
}

static bool opens(enum pw_op op)
{
	return op == PW_OP_block || op == PW_OP_loop || op == PW_OP_if ||
	       op == PW_OP_try || op == PW_OP_try_table;
}

static bool is_leaf(enum pw_op op)
{
	return op == PW_OP_local_get || op == PW_OP_i32_const ||
	       op == PW_OP_i64_const || op == PW_OP_f32_const ||
	       op == PW_OP_f64_const || op == PW_OP_v128_const ||
	       op == PW_OP_ref_null;
}

static void add_site(struct sites *s, const struct pw_insn *insn,
		     struct stack *values)
{
	struct site *to;
	uint32_t i;

	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 256;
		s->v = pw_realloc(s->v, s->cap * sizeof(*s->v));
	}
	to = &s->v[s->n++];
	*to = (struct site){ .off = insn->off,
			     .user = SITE_NONE,
			     .operand = SITE_NONE,
			     .is_leaf = is_leaf(insn->op),
			     .returns = insn->op == PW_OP_return,
			     .is_tee = insn->op == PW_OP_local_tee };
	for (i = 0; i < insn->n_operands && values->n; i++) {
		uint32_t by = values->v[--values->n];

		if (by == SITE_NONE)
			continue;
		to->operand = by;
		if (insn->op != PW_OP_local_set && insn->op != PW_OP_drop &&
		    insn->op != PW_OP_local_tee)
			s->v[by].user = insn->idx;
	}
}

/* Values below an open block's are not its own; whatever unreachable code
 * left is thrown away at the block's end. */
static void add(struct sites *s, const struct pw_insn *insn,
		struct stack *values, struct stack *heights)
{
	bool ends = insn->op == PW_OP_end || insn->op == PW_OP_else;
	uint32_t by = opens(insn->op) || ends ? SITE_NONE : insn->idx;

	add_site(s, insn, values);
	if (ends && heights->n) {
		uint32_t height = heights->v[heights->n - 1];

		while (values->n < height)
			push(values, SITE_NONE);
		values->n = height;
		if (insn->op == PW_OP_end)
			heights->n--;
	}
	if (opens(insn->op))
		push(heights, values->n);
	for (uint32_t i = 0; i < insn->n_results; i++)
		push(values, by);
}

int sites_read(struct sites *s, const struct pw_module *m, uint32_t func_idx,
	       struct pw_err *err)
{
	struct pw_walk *w = pw_walk_new(m);
	struct stack values = { 0 }, heights = { 0 };
	struct pw_insn insn;
	int ret = pw_walk_start(w, func_idx, err);

	while (!ret && (ret = pw_walk_next(w, &insn, err)) > 0) {
		ret = 0;
		add(s, &insn, &values, &heights);
	}
	free(values.v);
	free(heights.v);
	pw_walk_free(w);
	return ret;
}
