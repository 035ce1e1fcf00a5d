// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types of the instructions whose table line says "*", but for garbage
 * collection: calls, variables, tables and references. Each pops its
 * operands and pushes its results as its rule in the core specification,
 * 3.4 "Instructions", says. Blocks and branches are in walk-control.c.
 */
#include "walk.h"

/* --- calls --- */

const struct pw_functype *walk_func_type(struct pw_walk *w, uint32_t type_idx)
{
	const struct mod_type *t = &w->m->types[type_idx];

	if (t->kind == COMP_FUNC)
		return &t->func;
	walk_fail(w, EINVAL, "type %u is not a function type", type_idx);
	return NULL;
}

static int callee_of_table(struct pw_walk *w, const struct pw_functype **ft)
{
	const struct mod_table *t = &w->m->tables[w->in->index2];

	if (!type_matches(w->m, t->type, type_ref(true, HEAP_FUNC)))
		return walk_fail(w, EINVAL, "table %u does not hold functions",
				 w->in->index2);
	*ft = walk_func_type(w, w->in->index);
	if (!*ft)
		return -EINVAL;
	return walk_pop(w, t->is64 ? PW_I64 : PW_I32, NULL);
}

static int callee_of_ref(struct pw_walk *w, const struct pw_functype **ft)
{
	uint32_t canon = w->m->types[w->in->index].canon;

	*ft = walk_func_type(w, w->in->index);
	if (!*ft)
		return -EINVAL;
	return walk_pop(w, type_ref(true, canon), NULL);
}

/* What a call instruction calls; a table index or reference is popped. */
int walk_callee(struct pw_walk *w, const struct pw_functype **ft)
{
	const struct pw_module *m = w->m;

	switch (w->in->op) {
	case PW_OP_call:
	case PW_OP_return_call:
		*ft = &m->types[m->funcs[w->in->index].type_idx].func;
		return 0;
	case PW_OP_call_indirect:
	case PW_OP_return_call_indirect:
		return callee_of_table(w, ft);
	default:
		return callee_of_ref(w, ft);
	}
}

static int type_call(struct pw_walk *w)
{
	const struct pw_functype *ft;

	return walk_callee(w, &ft) ?:
	       walk_pop_list(w, ft->params, ft->n_params) ?:
	       walk_push_list(w, ft->results, ft->n_results);
}

/* --- parametric and variables --- */

static int type_select(struct pw_walk *w)
{
	uint32_t a, b;

	if (walk_pop(w, PW_I32, NULL) < 0 || walk_pop(w, PW_BOTTOM, &b) < 0 ||
	    walk_pop(w, PW_BOTTOM, &a) < 0)
		return -EINVAL;
	if (type_is_ref(a) || type_is_ref(b))
		return walk_fail(
			w, EINVAL,
			"select without a type takes numbers and vectors only");
	if (a != b && a != PW_BOTTOM && b != PW_BOTTOM) {
		char x[PW_TYPE_NAME_SIZE], y[PW_TYPE_NAME_SIZE];

		return walk_fail(w, EINVAL, "select between %s and %s",
				 pw_type_name(a, x), pw_type_name(b, y));
	}
	return walk_push(w, a != PW_BOTTOM ? a : b);
}

static int type_select_t(struct pw_walk *w)
{
	uint32_t t = w->block_result;

	return walk_pop(w, PW_I32, NULL) ?: walk_pop(w, t, NULL) ?:
	       walk_pop(w, t, NULL) ?: walk_push(w, t);
}

static int type_local(struct pw_walk *w)
{
	uint32_t idx = w->in->index;
	uint32_t t = w->locals[idx];

	if (w->in->op == PW_OP_local_get) {
		if (w->unset && w->unset[idx])
			return walk_fail(w, EINVAL,
					 "local %u is read before it is set",
					 idx);
		return walk_push(w, t);
	}
	if (walk_pop(w, t, NULL) < 0)
		return -EINVAL;
	walk_set_local(w, idx);
	return w->in->op == PW_OP_local_tee ? walk_push(w, t) : 0;
}

static int type_global(struct pw_walk *w)
{
	const struct pw_global *g = &w->m->globals[w->in->index];

	if (w->in->op == PW_OP_global_set) {
		if (!g->mutable_)
			return walk_fail(w, EINVAL, "global %u is immutable",
					 w->in->index);
		return walk_pop(w, g->type, NULL);
	}
	if (w->constant && g->mutable_)
		return walk_fail(
			w, EINVAL,
			"global %u is mutable, a constant expression can't read it",
			w->in->index);
	return walk_push(w, g->type);
}

/* --- tables and memories --- */

static uint32_t table_addr(const struct mod_table *t)
{
	return t->is64 ? PW_I64 : PW_I32;
}

static int type_table(struct pw_walk *w)
{
	const struct mod_table *t = &w->m->tables[w->in->index];
	uint32_t addr = table_addr(t);

	switch (w->in->op) {
	case PW_OP_table_get:
		return walk_pop(w, addr, NULL) ?: walk_push(w, t->type);
	case PW_OP_table_set:
		return walk_pop(w, t->type, NULL) ?: walk_pop(w, addr, NULL);
	case PW_OP_table_size:
		return walk_push(w, addr);
	case PW_OP_table_grow:
		return walk_pop(w, addr, NULL) ?: walk_pop(w, t->type, NULL) ?:
		       walk_push(w, addr);
	default: /* table.fill */
		return walk_pop(w, addr, NULL) ?: walk_pop(w, t->type, NULL) ?:
		       walk_pop(w, addr, NULL);
	}
}

static int type_table_init(struct pw_walk *w)
{
	const struct mod_table *t = &w->m->tables[w->in->index2];

	if (!type_matches(w->m, w->m->elems[w->in->index].type, t->type))
		return walk_fail(
			w, EINVAL,
			"element segment %u does not fit table %u's type",
			w->in->index, w->in->index2);
	return walk_pop(w, PW_I32, NULL) ?: walk_pop(w, PW_I32, NULL) ?:
	       walk_pop(w, table_addr(t), NULL);
}

/* Length, source and destination: the length fits the smaller of the two. */
static int pop_copy(struct pw_walk *w, bool dst64, bool src64)
{
	return walk_pop(w, dst64 && src64 ? PW_I64 : PW_I32, NULL) ?:
	       walk_pop(w, src64 ? PW_I64 : PW_I32, NULL) ?:
	       walk_pop(w, dst64 ? PW_I64 : PW_I32, NULL);
}

static int type_table_copy(struct pw_walk *w)
{
	const struct mod_table *dst = &w->m->tables[w->in->index];
	const struct mod_table *src = &w->m->tables[w->in->index2];

	if (!type_matches(w->m, src->type, dst->type))
		return walk_fail(
			w, EINVAL,
			"table %u's elements do not fit table %u's type",
			w->in->index2, w->in->index);
	return pop_copy(w, dst->is64, src->is64);
}

static int type_memory_copy(struct pw_walk *w)
{
	return pop_copy(w, w->m->memories[w->in->index].is64,
			w->m->memories[w->in->index2].is64);
}

/* --- references --- */

static int type_ref_func(struct pw_walk *w)
{
	const struct pw_module *m = w->m;
	uint32_t type_idx = m->funcs[w->in->index].type_idx;

	if (!w->constant && !m->func_declared[w->in->index])
		return walk_fail(
			w, EINVAL,
			"ref.func names function %u, which no export, global or element segment declares",
			w->in->index);
	return walk_push(w, type_ref(false, m->types[type_idx].canon));
}

static int type_ref_eq(struct pw_walk *w)
{
	uint32_t eq = type_ref(true, HEAP_EQ);

	return walk_pop(w, eq, NULL) ?: walk_pop(w, eq, NULL) ?:
	       walk_push(w, PW_I32);
}

int walk_type_other(struct pw_walk *w)
{
	uint32_t t;

	switch (w->in->op) {
	case PW_OP_call:
	case PW_OP_call_indirect:
	case PW_OP_call_ref:
		return type_call(w);
	case PW_OP_drop:
		return walk_pop(w, PW_BOTTOM, NULL);
	case PW_OP_select:
		return type_select(w);
	case PW_OP_select_t:
		return type_select_t(w);
	case PW_OP_local_get:
	case PW_OP_local_set:
	case PW_OP_local_tee:
		return type_local(w);
	case PW_OP_global_get:
	case PW_OP_global_set:
		return type_global(w);
	case PW_OP_table_init:
		return type_table_init(w);
	case PW_OP_table_copy:
		return type_table_copy(w);
	case PW_OP_memory_copy:
		return type_memory_copy(w);
	case PW_OP_ref_null:
		return walk_push(w, w->type_to | PW_NULLABLE);
	case PW_OP_ref_is_null:
		return walk_pop_ref(w, &t) ?: walk_push(w, PW_I32);
	case PW_OP_ref_func:
		return type_ref_func(w);
	case PW_OP_ref_eq:
		return type_ref_eq(w);
	case PW_OP_ref_as_non_null:
		return walk_pop_ref(w, &t) ?: walk_push(w, t & ~PW_NULLABLE);
	default:
		return type_table(w);
	}
}
