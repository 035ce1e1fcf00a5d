// SPDX-License-Identifier: GPL-2.0-only
/*
 * mutate-each: walks the functions that the filter leaves and hands every
 * instruction to every kind of mutation. Knows nothing of what a kind does.
 */
#include <errno.h>
#include <stdlib.h>

#include "site.h"

typedef int (*offer_fn)(struct site *s, const struct pw_insn *insn);

static const offer_fn offers[PW_N_MUTATION_KINDS] = {
#define PW_MUTATION(id, name, help) [PW_MUT_##id] = offer_##name,
#include <perfwasm/mutations.def>
#undef PW_MUTATION
};

/* One call of mutate_each(). */
struct round {
	struct site site;
	struct pw_walk *walk;
	const struct pw_mutate_filter *filter;
	uint32_t kinds;
	uint32_t insn_idx;
	uint32_t *types; /* of the present function's locals */
	uint32_t n_types, n_params;
	bool *wanted; /* by function; NULL: all */
	/* Inside a block that is never entered: deeper than this. */
	uint32_t dead_depth;
};

static bool is_defaultable(uint32_t type)
{
	return !(type & PW_REF) || type & PW_NULLABLE;
}

/* Parameters are set by the caller, the others where they have a default. */
static bool is_always_set(const struct round *r, uint32_t local)
{
	return local < r->n_params || is_defaultable(r->types[local]);
}

static bool sets_unset(const struct round *r, const struct pw_insn *insn)
{
	return (insn->op == PW_OP_local_set || insn->op == PW_OP_local_tee) &&
	       insn->index < r->n_types && !is_always_set(r, insn->index);
}

/* The walker types a block in unreachable code as if it were entered. */
static bool is_dead(struct round *r, const struct pw_insn *insn)
{
	if (insn->depth > r->dead_depth)
		return true;
	switch (insn->op) {
	case PW_OP_end: /* their flag is that of the arm before them */
	case PW_OP_else:
	case PW_OP_catch:
	case PW_OP_catch_all:
	case PW_OP_delegate:
		return true;
	default:
		break;
	}
	r->dead_depth = insn->unreachable ? insn->depth : UINT32_MAX;
	return insn->unreachable;
}

static bool insn_wanted(const struct round *r, const struct pw_insn *insn)
{
	const struct pw_mutate_filter *f = r->filter;

	if (r->insn_idx != SITE_NONE && insn->idx != r->insn_idx)
		return false;
	return !f || !f->off_hi ||
	       (insn->off >= f->off_lo && insn->off < f->off_hi);
}

static int offer_insn(struct round *r, const struct pw_insn *insn)
{
	struct pw_mutation *mut = &r->site.mut;
	int rc = 0;

	mut->insn_idx = insn->idx;
	mut->insn_off = insn->off;
	mut->old_op = insn->op;
	for (unsigned kind = 0; kind < PW_N_MUTATION_KINDS && !rc; kind++) {
		if (!(r->kinds & 1u << kind))
			continue;
		mut->kind = kind;
		mut->off = insn->off;
		mut->old_size = insn->size;
		rc = offers[kind](&r->site, insn);
	}
	return rc;
}

static bool past(const struct round *r, const struct pw_insn *insn)
{
	const struct pw_mutate_filter *f = r->filter;

	return (f && f->off_hi && insn->off >= f->off_hi) ||
	       (r->insn_idx != SITE_NONE && insn->idx > r->insn_idx);
}

static int start_func(struct round *r, uint32_t func, struct pw_err *err)
{
	const struct pw_func *f = pw_module_func(r->site.m, func);
	const struct pw_functype *type =
		pw_module_functype(r->site.m, f->type_idx);
	struct pool *locals = &r->site.locals;

	free(r->types);
	r->types = pw_module_locals(r->site.m, func, &r->n_types, err);
	if (!r->types)
		return -EINVAL;
	r->n_params = type ? type->n_params : 0;
	pool_clear(locals);
	for (uint32_t i = 0; i < r->n_types; i++)
		if (is_always_set(r, i))
			pool_add(locals, r->types[i], i);
	pool_sort(locals);
	span_start(&r->site.span);
	r->dead_depth = UINT32_MAX;
	r->site.mut = (struct pw_mutation){ .func_idx = func };
	return pw_walk_start(r->walk, func, err);
}

static int each_in_func(struct round *r, uint32_t func, struct pw_err *err)
{
	struct pw_insn insn;
	int rc = start_func(r, func, err);

	if (rc < 0)
		return rc;
	while ((rc = pw_walk_next(r->walk, &insn, err)) == 1) {
		if (past(r, &insn))
			return 0;
		span_see(&r->site.span, &insn, sets_unset(r, &insn));
		if (is_dead(r, &insn) || !insn_wanted(r, &insn))
			continue;
		rc = offer_insn(r, &insn);
		if (rc)
			return rc;
	}
	return rc;
}

static bool func_wanted(const struct round *r, uint32_t func)
{
	const struct pw_func *f = pw_module_func(r->site.m, func);
	const struct pw_mutate_filter *filter = r->filter;

	if (r->wanted && !r->wanted[func])
		return false;
	return !filter || !filter->off_hi ||
	       (f->body_off < filter->off_hi &&
		f->body_off + f->body_size > filter->off_lo);
}

static int mark_wanted(struct round *r, uint32_t n, struct pw_err *err)
{
	const struct pw_mutate_filter *f = r->filter;

	if (!f || !f->funcs)
		return 0;
	r->wanted = pw_zalloc(n + 1);
	for (uint32_t i = 0; i < f->n_funcs; i++) {
		if (f->funcs[i] >= n)
			return pw_err_set(
				err, EINVAL,
				"the filter names function %u, the module has %u functions",
				f->funcs[i], n);
		r->wanted[f->funcs[i]] = true;
	}
	return 0;
}

static void gather_globals(struct site *s)
{
	uint32_t n = pw_module_n(s->m, PW_EXT_GLOBAL);

	for (uint32_t i = 0; i < n; i++)
		pool_add(&s->globals, pw_module_global(s->m, i)->type, i);
	pool_sort(&s->globals);
}

static void round_free(struct round *r)
{
	if (!r)
		return;
	pw_walk_free(r->walk);
	pool_release(&r->site.locals);
	pool_release(&r->site.globals);
	menu_release(&r->site.menu);
	span_release(&r->site.span);
	free(r->types);
	free(r->wanted);
	free(r);
}

static struct round *round_new(const struct pw_module *m,
			       const struct pw_mutate_filter *filter,
			       uint32_t insn_idx, pw_mutate_cb cb, void *ctx)
{
	struct round *r = pw_zalloc(sizeof(*r));
	size_t size;

	r->site.m = m;
	r->site.bytes = pw_module_bytes(m, &size);
	r->site.cb = cb;
	r->site.ctx = ctx;
	r->filter = filter;
	r->kinds = filter && filter->kinds ? filter->kinds : UINT32_MAX;
	r->insn_idx = insn_idx;
	r->walk = pw_walk_new(m);
	gather_globals(&r->site);
	return r;
}

int mutate_each(const struct pw_module *m,
		const struct pw_mutate_filter *filter, uint32_t insn_idx,
		pw_mutate_cb cb, void *ctx, struct pw_err *err)
{
	uint32_t n = pw_module_n(m, PW_EXT_FUNC);
	struct round *r = round_new(m, filter, insn_idx, cb, ctx);
	int rc = mark_wanted(r, n, err);

	for (uint32_t f = pw_module_n_imported(m, PW_EXT_FUNC); f < n && !rc;
	     f++)
		if (func_wanted(r, f))
			rc = each_in_func(r, f, err);
	round_free(r);
	return rc;
}

int pw_mutate_each(const struct pw_module *m,
		   const struct pw_mutate_filter *filter, pw_mutate_cb cb,
		   void *ctx, struct pw_err *err)
{
	return mutate_each(m, filter, SITE_NONE, cb, ctx, err);
}

int pw_mutation_apply(const struct pw_module *m, const struct pw_mutation *mut,
		      struct pw_buf *out, struct pw_err *err)
{
	return pw_splice_body(m, mut->func_idx, mut->off, mut->old_size,
			      mut->new_bytes, mut->new_size, out, err);
}
