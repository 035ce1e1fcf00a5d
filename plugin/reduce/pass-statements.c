// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statements go: what takes its operands, leaves nothing on the stack and
 * ends with an instruction without results. The outermost blocks first, since
 * a statement there may be a whole loop.
 */
#include "passes.h"

#include <stdlib.h>

#define NEST_MAX 40

struct statement {
	uint64_t from, to;
};

struct gathering {
	struct reduce *r;
	struct items *it;
	struct statement *v; /* of the function at hand, in order */
	size_t n, cap;
	uint32_t level, deepest;
};

/* Statements that stand inside the operands of a later one go with it. */
static void add(struct gathering *g, uint64_t from, uint64_t to)
{
	while (g->n && g->v[g->n - 1].from >= from)
		g->n--;
	if (g->n == g->cap) {
		g->cap = g->cap ? 2 * g->cap : 64;
		g->v = pw_realloc(g->v, g->cap * sizeof(*g->v));
	}
	g->v[g->n++] = (struct statement){ from, to };
}

static bool ends_a_statement(const struct pw_insn *in, bool reached)
{
	switch (in->op) {
	case PW_OP_block:
	case PW_OP_loop:
	case PW_OP_if:
	case PW_OP_else:
	case PW_OP_try:
	case PW_OP_try_table:
	case PW_OP_catch:
	case PW_OP_catch_all:
		return false;
	default:
		return !in->n_results && reached && in->expr_off != PW_NO_OFF;
	}
}

static int gather_func(struct gathering *g, struct pw_walk *w, uint32_t idx,
		       struct pw_err *err)
{
	const struct pw_func *f = pw_module_func(g->r->m, idx);
	uint64_t end = f->body_off + f->body_size;
	struct reach reach = { 0 };
	struct pw_insn in;
	int ret = pw_walk_start(w, idx, err);

	g->n = 0;
	while (!ret && (ret = pw_walk_next(w, &in, err)) == 1) {
		bool reached = reach_step(&reach, &in);

		ret = 0;
		if (in.depth > g->deepest)
			g->deepest = in.depth;
		if (in.depth == g->level && in.off + in.size < end &&
		    ends_a_statement(&in, reached))
			add(g, in.expr_off, in.off + in.size);
	}
	for (size_t i = 0; i < g->n && !ret; i++) {
		const struct statement *s = &g->v[i];

		items_begin(g->it, hot_share(&g->r->here, s->from, s->to));
		items_edit(g->it, s->from, (uint32_t)(s->to - s->from), NULL,
			   0);
	}
	return ret;
}

static int gather(struct gathering *g, struct pw_err *err)
{
	const struct pw_module *m = g->r->m;
	struct pw_walk *w = pw_walk_new(m);
	int ret = 0;

	for (uint32_t i = pw_module_n_imported(m, PW_EXT_FUNC);
	     i < pw_module_n(m, PW_EXT_FUNC) && !ret; i++)
		ret = gather_func(g, w, i, err);
	pw_walk_free(w);
	return ret;
}

/* --- what is never reached -------------------------------------------------------- */

/* Does `in` end the part of the block that is `depth` deep? */
static bool closes(const struct pw_insn *in, uint32_t depth, uint64_t func_end)
{
	switch (in->op) {
	case PW_OP_end:
	case PW_OP_else:
	case PW_OP_catch:
	case PW_OP_catch_all:
	case PW_OP_delegate:
		return depth ? in->depth == depth - 1
			     : in->off + in->size == func_end;
	default:
		return false;
	}
}

/* From the first instruction that is not reached to the block's end. */
static int gather_dead(const struct pw_module *m, struct items *it,
		       struct pw_walk *w, uint32_t idx, struct pw_err *err)
{
	const struct pw_func *f = pw_module_func(m, idx);
	uint64_t from = 0, end = f->body_off + f->body_size;
	uint32_t depth = 0;
	struct pw_insn in;
	int ret = pw_walk_start(w, idx, err);

	while (!ret && (ret = pw_walk_next(w, &in, err)) == 1) {
		ret = 0;
		if (from && closes(&in, depth, end)) {
			items_begin(it, 0);
			items_edit(it, from, (uint32_t)(in.off - from), NULL,
				   0);
			from = 0;
		} else if (!from && in.unreachable &&
			   !closes(&in, in.depth + 1, end) &&
			   !closes(&in, 0, end)) {
			from = in.off;
			depth = in.depth;
		}
	}
	return ret;
}

static int drop_dead(struct reduce *r, struct pw_err *err)
{
	struct pw_walk *w = pw_walk_new(r->m);
	struct items it = { 0 };
	uint32_t gone = 0;
	int ret = 0;

	for (uint32_t i = pw_module_n_imported(r->m, PW_EXT_FUNC);
	     i < pw_module_n(r->m, PW_EXT_FUNC) && !ret; i++)
		ret = gather_dead(r->m, &it, w, i, err);
	pw_walk_free(w);
	if (!ret && it.n)
		ret = halve(r, &it, &gone, err);
	items_release(&it);
	return ret;
}

int pass_statements(struct reduce *r, struct pw_err *err)
{
	uint32_t deepest = 0, gone = 0;
	int ret = drop_dead(r, err);

	for (uint32_t level = 0; level <= deepest && level < NEST_MAX && !ret;
	     level++) {
		struct items it = { 0 };
		struct gathering g = { .r = r, .it = &it, .level = level };

		ret = gather(&g, err);
		deepest = g.deepest;
		if (!ret && it.n)
			ret = halve(r, &it, &gone, err);
		free(g.v);
		items_release(&it);
	}
	return ret;
}
