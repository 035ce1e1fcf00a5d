// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types of blocks, branches, returns and exceptions (core specification,
 * 3.4.7 "Control Instructions"; try, catch, delegate and rethrow after the
 * legacy exception handling proposal).
 */
#include "walk.h"

/* --- blocks --- */

static int open_block(struct pw_walk *w)
{
	if (w->block_ft &&
	    walk_pop_list(w, w->block_ft->params, w->block_ft->n_params) < 0)
		return -EINVAL;
	return walk_enter(w, w->in->op);
}

static void fix_src(struct pw_walk *w, struct walk_src src)
{
	w->src = src;
	w->src_known = true;
}

/* Closes the arm at hand and opens the next of the same block. */
static int next_arm(struct pw_walk *w, bool with_params)
{
	struct walk_frame left;
	const struct pw_functype *ft;
	uint32_t n;

	if (walk_leave(w, &left) < 0)
		return -EINVAL;
	ft = left.ft;
	fix_src(w, (struct walk_src){ NO_SRC, NO_SRC });
	w->in->depth--;
	w->block_ft = NULL;
	if (walk_enter(w, w->in->op) < 0)
		return -ENOTSUP;
	walk_top(w)->ft = ft;
	walk_top(w)->result = left.result;
	walk_top(w)->src = left.src;
	if (!with_params)
		return 0;
	n = ft ? ft->n_params : 0;
	return n ? walk_push_list(w, ft->params, n) : 0;
}

static int type_else(struct pw_walk *w)
{
	if (walk_top(w)->op != PW_OP_if)
		return walk_fail(w, EINVAL, "else without if");
	return next_arm(w, true);
}

static int type_catch(struct pw_walk *w)
{
	const struct pw_functype *ft;

	if (walk_top(w)->op != PW_OP_try && walk_top(w)->op != PW_OP_catch)
		return walk_fail(w, EINVAL, "%s without try",
				 pw_op_info(w->in->op)->name);
	if (next_arm(w, false) < 0)
		return -EINVAL;
	if (w->in->op == PW_OP_catch_all)
		return 0;
	ft = &w->m->types[w->m->tags[w->in->index]].func;
	return walk_push_list(w, ft->params, ft->n_params);
}

static int check_one_armed_if(struct pw_walk *w, const struct walk_frame *f)
{
	uint32_t n_params, n_results;
	const uint32_t *params = frame_params(f, &n_params);
	const uint32_t *results = frame_results(f, &n_results);
	bool same = n_params == n_results;

	for (uint32_t i = 0; same && i < n_params; i++)
		same = type_matches(w->m, params[i], results[i]);
	if (same)
		return 0;
	return walk_fail(
		w, EINVAL,
		"if without else must have the same parameters and results");
}

static int close_block(struct pw_walk *w)
{
	struct walk_frame left;
	const uint32_t *results;
	uint32_t n;

	if (walk_leave(w, &left) < 0)
		return -EINVAL;
	w->in->depth = w->n_frames;
	if (w->n_frames)
		w->in->depth--;
	fix_src(w, left.src);
	results = frame_results(&left, &n);
	return walk_push_list(w, results, n);
}

static int type_end(struct pw_walk *w)
{
	struct walk_frame *f = walk_top(w);

	if (f->op == PW_OP_if && check_one_armed_if(w, f) < 0)
		return -EINVAL;
	if (close_block(w) < 0)
		return -EINVAL;
	if (w->n_frames)
		return 0;
	w->over = true;
	if (!w->constant && w->c.p != w->c.end)
		return walk_fail(w, EINVAL,
				 "%zu bytes follow the function's last end",
				 pw_cursor_left(&w->c));
	return 0;
}

static int type_delegate(struct pw_walk *w)
{
	struct walk_frame *to;

	if (walk_top(w)->op != PW_OP_try)
		return walk_fail(w, EINVAL, "delegate without try");
	if (w->in->index + 1 >= w->n_frames)
		return walk_fail(w, EINVAL, "label %u does not exist",
				 w->in->index);
	return walk_label(w, w->in->index, &to) ?: close_block(w);
}

/* --- branches --- */

static int pop_label(struct pw_walk *w, const struct walk_frame *f)
{
	uint32_t n;
	const uint32_t *types = frame_label(f, &n);

	return walk_pop_list(w, types, n);
}

static int push_label(struct pw_walk *w, const struct walk_frame *f)
{
	uint32_t n;
	const uint32_t *types = frame_label(f, &n);

	return walk_push_list(w, types, n);
}

static int type_br(struct pw_walk *w)
{
	struct walk_frame *f;

	if (walk_label(w, w->in->index, &f) < 0 || pop_label(w, f) < 0)
		return -EINVAL;
	walk_unreachable(w);
	return 0;
}

static int type_br_if(struct pw_walk *w)
{
	struct walk_frame *f;

	return walk_label(w, w->in->index, &f) ?: walk_pop(w, PW_I32, NULL) ?:
	       pop_label(w, f) ?: push_label(w, f);
}

/* Would the values on top do for this label? Nothing is popped. */
static int check_label(struct pw_walk *w, const struct walk_frame *f,
		       uint32_t arity)
{
	uint32_t n, left = w->sp - walk_top(w)->height;
	const uint32_t *types = frame_label(f, &n);
	char a[PW_TYPE_NAME_SIZE], b[PW_TYPE_NAME_SIZE];

	if (n != arity)
		return walk_fail(
			w, EINVAL,
			"br_table's labels take %u and %u values, not the same number",
			n, arity);
	for (uint32_t i = 0; i < n && i < left; i++) {
		uint32_t found = w->types[w->sp - 1 - i];
		uint32_t want = types[n - 1 - i];

		if (!type_matches(w->m, found, want))
			return walk_fail(w, EINVAL,
					 "br_table expects %s, found %s",
					 pw_type_name(want, a),
					 pw_type_name(found, b));
	}
	return 0;
}

static int type_br_table(struct pw_walk *w)
{
	struct pw_cursor labels;
	struct walk_frame *last, *f;
	uint32_t arity;

	if (walk_pop(w, PW_I32, NULL) < 0 ||
	    walk_label(w, w->in->index, &last) < 0)
		return -EINVAL;
	frame_label(last, &arity);
	pw_cursor_init(&labels, w->list, w->c.p - w->list, 0, NULL);
	for (uint32_t i = 0; i < w->n_list; i++)
		if (walk_label(w, walk_u32(&labels), &f) < 0 ||
		    check_label(w, f, arity) < 0)
			return -EINVAL;
	if (pop_label(w, last) < 0)
		return -EINVAL;
	walk_unreachable(w);
	return 0;
}

static int type_return(struct pw_walk *w)
{
	uint32_t n;
	const uint32_t *results = frame_results(&w->frames[0], &n);

	if (walk_pop_list(w, results, n) < 0)
		return -EINVAL;
	walk_unreachable(w);
	return 0;
}

static int type_return_call(struct pw_walk *w)
{
	const struct pw_functype *ft;
	uint32_t n;
	const uint32_t *results = frame_results(&w->frames[0], &n);
	bool same;

	if (walk_callee(w, &ft) < 0)
		return -EINVAL;
	same = n == ft->n_results;
	for (uint32_t i = 0; same && i < n; i++)
		same = type_matches(w->m, ft->results[i], results[i]);
	if (!same)
		return walk_fail(
			w, EINVAL,
			"%s needs a callee with this function's results",
			pw_op_info(w->in->op)->name);
	if (walk_pop_list(w, ft->params, ft->n_params) < 0)
		return -EINVAL;
	walk_unreachable(w);
	return 0;
}

/* --- branches on references --- */

static int type_br_on_null(struct pw_walk *w)
{
	struct walk_frame *f;
	uint32_t ref;

	return walk_label(w, w->in->index, &f) ?: walk_pop_ref(w, &ref) ?:
	       pop_label(w, f) ?: push_label(w, f) ?:
	       walk_push(w, ref & ~PW_NULLABLE);
}

/* The label takes what is below, and `taken` on top of it. */
static int branch_with(struct pw_walk *w, const struct walk_frame *f,
		       uint32_t taken)
{
	uint32_t n;
	const uint32_t *types = frame_label(f, &n);

	if (!n || !type_matches(w->m, taken, types[n - 1])) {
		char a[PW_TYPE_NAME_SIZE];

		return walk_fail(w, EINVAL,
				 "label %u does not take %s as its last value",
				 w->in->index, pw_type_name(taken, a));
	}
	return walk_pop_list(w, types, n - 1)
		       ?: walk_push_list(w, types, n - 1);
}

static int type_br_on_non_null(struct pw_walk *w)
{
	struct walk_frame *f;
	uint32_t ref;

	if (walk_label(w, w->in->index, &f) < 0 || walk_pop_ref(w, &ref) < 0)
		return -EINVAL;
	return branch_with(w, f, ref & ~PW_NULLABLE);
}

static int type_br_on_cast(struct pw_walk *w)
{
	uint32_t from = w->type_from, to = w->type_to, rest;
	bool on_fail = w->in->op == PW_OP_br_on_cast_fail;
	struct walk_frame *f;

	if (!type_matches(w->m, to, from)) {
		char a[PW_TYPE_NAME_SIZE], b[PW_TYPE_NAME_SIZE];

		return walk_fail(w, EINVAL, "%s is not a subtype of %s",
				 pw_type_name(to, a), pw_type_name(from, b));
	}
	/* Null goes with the cast when that takes null. */
	rest = to & PW_NULLABLE ? from & ~PW_NULLABLE : from;
	return walk_label(w, w->in->index, &f) ?: walk_pop(w, from, NULL) ?:
	       branch_with(w, f, on_fail ? rest : to) ?:
	       walk_push(w, on_fail ? to : rest);
}

/* --- exceptions --- */

static int type_throw(struct pw_walk *w)
{
	const struct pw_functype *ft;

	ft = &w->m->types[w->m->tags[w->in->index]].func;
	if (walk_pop_list(w, ft->params, ft->n_params) < 0)
		return -EINVAL;
	walk_unreachable(w);
	return 0;
}

static int type_throw_ref(struct pw_walk *w)
{
	if (walk_pop(w, type_ref(true, HEAP_EXN), NULL) < 0)
		return -EINVAL;
	walk_unreachable(w);
	return 0;
}

static int type_rethrow(struct pw_walk *w)
{
	struct walk_frame *f;

	if (walk_label(w, w->in->index, &f) < 0)
		return -EINVAL;
	if (f->op != PW_OP_catch && f->op != PW_OP_catch_all)
		return walk_fail(w, EINVAL, "rethrow's label %u is no catch",
				 w->in->index);
	walk_unreachable(w);
	return 0;
}

/* One catch clause: the tag's parameters, and an exnref for the _ref kinds,
 * go to a label outside the block. */
static int check_clause(struct pw_walk *w, struct pw_cursor *c)
{
	static const struct pw_functype none;
	const struct pw_functype *ft = &none;
	uint8_t kind = pw_cursor_u8(c);
	uint32_t exn = kind & 1, tag = kind < 2 ? walk_u32(c) : 0, n;
	const uint32_t *types;
	struct walk_frame *f;
	bool fits;

	if (kind < 2 && tag >= w->m->n[PW_EXT_TAG])
		return walk_fail(w, EINVAL, "tag %u does not exist", tag);
	if (kind < 2)
		ft = &w->m->types[w->m->tags[tag]].func;
	if (walk_label(w, walk_u32(c), &f) < 0)
		return -EINVAL;
	types = frame_label(f, &n);
	fits = n == ft->n_params + exn;
	for (uint32_t i = 0; fits && i < ft->n_params; i++)
		fits = type_matches(w->m, ft->params[i], types[i]);
	if (fits && exn)
		fits = type_matches(w->m, type_ref(false, HEAP_EXN),
				    types[n - 1]);
	if (fits)
		return 0;
	return walk_fail(w, EINVAL,
			 "a catch's label does not take the tag's values");
}

static int type_try_table(struct pw_walk *w)
{
	struct pw_cursor c;

	pw_cursor_init(&c, w->list, w->c.p - w->list, 0, NULL);
	for (uint32_t i = 0; i < w->n_list; i++)
		if (check_clause(w, &c) < 0)
			return -EINVAL;
	return open_block(w);
}

int walk_type_control(struct pw_walk *w)
{
	switch (w->in->op) {
	case PW_OP_unreachable:
		walk_unreachable(w);
		return 0;
	case PW_OP_if:
		return walk_pop(w, PW_I32, NULL) ?: open_block(w);
	case PW_OP_else:
		return type_else(w);
	case PW_OP_catch:
	case PW_OP_catch_all:
		return type_catch(w);
	case PW_OP_delegate:
		return type_delegate(w);
	case PW_OP_end:
		return type_end(w);
	case PW_OP_br:
		return type_br(w);
	case PW_OP_br_if:
		return type_br_if(w);
	case PW_OP_br_table:
		return type_br_table(w);
	case PW_OP_return:
		return type_return(w);
	case PW_OP_return_call:
	case PW_OP_return_call_indirect:
	case PW_OP_return_call_ref:
		return type_return_call(w);
	case PW_OP_br_on_null:
		return type_br_on_null(w);
	case PW_OP_br_on_non_null:
		return type_br_on_non_null(w);
	case PW_OP_br_on_cast:
	case PW_OP_br_on_cast_fail:
		return type_br_on_cast(w);
	case PW_OP_throw:
		return type_throw(w);
	case PW_OP_throw_ref:
		return type_throw_ref(w);
	case PW_OP_rethrow:
		return type_rethrow(w);
	case PW_OP_try_table:
		return type_try_table(w);
	default: /* block, loop, try */
		return open_block(w);
	}
}
