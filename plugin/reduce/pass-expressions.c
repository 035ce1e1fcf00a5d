// SPDX-License-Identifier: GPL-2.0-only
/*
 * Expressions go: what leaves one number becomes a constant, or the first or
 * last of its operands. The outermost first.
 */
#include "passes.h"

#include <stdlib.h>
#include <string.h>

#define NEST_MAX 24

struct expression {
	uint64_t from, to;
	uint64_t last; /* where its last instruction begins */
	uint32_t type;
	uint32_t nest; /* expressions around it */
	bool leaf;     /* a constant or a local */
};

struct expressions {
	struct expression *v;
	size_t n, cap;
};

enum variant { TO_ZERO, TO_FIRST, TO_LAST, TO_ONE, N_VARIANTS };

static bool is_number(uint32_t type)
{
	return type >= PW_V128 && type <= PW_I32;
}

static bool is_leaf(enum pw_op op)
{
	return op == PW_OP_i32_const || op == PW_OP_i64_const ||
	       op == PW_OP_f32_const || op == PW_OP_f64_const ||
	       op == PW_OP_v128_const || op == PW_OP_local_get;
}

static void add(struct expressions *x, const struct pw_insn *in, bool reached)
{
	if (in->n_results != 1 || !reached || in->expr_off == PW_NO_OFF ||
	    !is_number(in->results[0]) || in->op == PW_OP_block ||
	    in->op == PW_OP_loop || in->op == PW_OP_if || in->op == PW_OP_else)
		return;
	if (x->n == x->cap) {
		x->cap = x->cap ? 2 * x->cap : 128;
		x->v = pw_realloc(x->v, x->cap * sizeof(*x->v));
	}
	x->v[x->n++] = (struct expression){
		.from = in->expr_off,
		.to = in->off + in->size,
		.last = in->off,
		.type = in->results[0],
		.leaf = is_leaf(in->op),
	};
}

/* Outer ones before those in them. */
static int by_place(const void *a, const void *b)
{
	const struct expression *x = a, *y = b;

	if (x->from != y->from)
		return (x->from > y->from) - (x->from < y->from);
	return (x->to < y->to) - (x->to > y->to);
}

/* How many of the expressions before it hold each one. */
static void find_nests(struct expressions *x)
{
	uint64_t around[NEST_MAX + 1];
	uint32_t n = 0;

	if (x->n)
		qsort(x->v, x->n, sizeof(*x->v), by_place);
	for (size_t i = 0; i < x->n; i++) {
		while (n && around[n - 1] <= x->v[i].from)
			n--;
		x->v[i].nest = n;
		if (n < NEST_MAX)
			around[n++] = x->v[i].to;
	}
}

static int read_func(struct pw_walk *w, uint32_t idx, struct expressions *x,
		     struct pw_err *err)
{
	struct reach reach = { 0 };
	struct pw_insn in;
	int ret = pw_walk_start(w, idx, err);

	x->n = 0;
	while (!ret && (ret = pw_walk_next(w, &in, err)) == 1) {
		ret = 0;
		add(x, &in, reach_step(&reach, &in));
	}
	find_nests(x);
	return ret;
}

/* --- what takes its place ------------------------------------------------------- */

static void constant(uint32_t type, bool one, struct pw_buf *b)
{
	static const uint8_t f32[] = { 0, 0, 0x80, 0x3f };
	static const uint8_t f64[] = { 0, 0, 0, 0, 0, 0, 0xf0, 0x3f };
	static const uint8_t zeros[16];

	switch (type) {
	case PW_I32:
	case PW_I64:
		pw_buf_add_u8(b, type == PW_I32 ? 0x41 : 0x42);
		pw_buf_add_u8(b, one);
		break;
	case PW_F32:
		pw_buf_add_u8(b, 0x43);
		pw_buf_add(b, one ? f32 : zeros, 4);
		break;
	case PW_F64:
		pw_buf_add_u8(b, 0x44);
		pw_buf_add(b, one ? f64 : zeros, 8);
		break;
	default:
		pw_buf_add(b, "\xfd\x0c", 2);
		pw_buf_add(b, zeros, 16);
		break;
	}
}

/* An operand of the same type that begins, or ends, where the operands do. */
static const struct expression *operand(const struct expressions *x, size_t i,
					bool first)
{
	const struct expression *e = &x->v[i];

	for (size_t k = i + 1; k < x->n && x->v[k].from < e->to; k++) {
		const struct expression *o = &x->v[k];

		if (o->type != e->type || o->nest != e->nest + 1 ||
		    o->to > e->last)
			continue;
		if (first ? o->from == e->from : o->to == e->last)
			return o;
	}
	return NULL;
}

static void offer(const struct reduce *r, struct items *it,
		  const struct expressions *x, size_t i, enum variant variant)
{
	const struct expression *e = &x->v[i], *o;
	double share = hot_share(&r->here, e->from, e->to);
	struct pw_buf b = { 0 };

	if (variant == TO_ZERO || variant == TO_ONE) {
		constant(e->type, variant == TO_ONE, &b);
		items_begin(it, share);
		items_edit(it, e->from, (uint32_t)(e->to - e->from), b.data,
			   (uint32_t)b.len);
		pw_buf_release(&b);
		return;
	}
	o = operand(x, i, variant == TO_FIRST);
	if (!o)
		return;
	items_begin(it, share);
	if (o->from > e->from)
		items_edit(it, e->from, (uint32_t)(o->from - e->from), NULL, 0);
	items_edit(it, o->to, (uint32_t)(e->to - o->to), NULL, 0);
}

static int gather(struct reduce *r, uint32_t nest, enum variant variant,
		  struct items *it, uint32_t *deepest, struct pw_err *err)
{
	const struct pw_module *m = r->m;
	struct pw_walk *w = pw_walk_new(m);
	struct expressions x = { 0 };
	int ret = 0;

	for (uint32_t f = pw_module_n_imported(m, PW_EXT_FUNC);
	     f < pw_module_n(m, PW_EXT_FUNC) && !ret; f++) {
		ret = read_func(w, f, &x, err);
		for (size_t i = 0; i < x.n && !ret; i++) {
			if (x.v[i].nest > *deepest)
				*deepest = x.v[i].nest;
			if (x.v[i].nest == nest && !x.v[i].leaf)
				offer(r, it, &x, i, variant);
		}
	}
	free(x.v);
	pw_walk_free(w);
	return ret;
}

int pass_expressions(struct reduce *r, struct pw_err *err)
{
	uint32_t deepest = 0, gone = 0;
	int ret = 0;

	for (uint32_t nest = 0; nest <= deepest && nest < NEST_MAX && !ret;
	     nest++)
		for (int v = TO_ZERO; v < N_VARIANTS && !ret; v++) {
			struct items it = { 0 };

			ret = gather(r, nest, (enum variant)v, &it, &deepest,
				     err);
			if (!ret && it.n)
				ret = halve(r, &it, &gone, err);
			items_release(&it);
		}
	return ret;
}
