// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the walker walks: a function's body, with its locals, or a constant
 * expression; and the walker as other rooms see it.
 */
#include "walk.h"

void walk_init(struct pw_walk *w, const struct pw_module *m)
{
	memset(w, 0, sizeof(*w));
	w->m = m;
}

void walk_release(struct pw_walk *w)
{
	free(w->types);
	free(w->srcs);
	free(w->frames);
	free(w->locals);
	free(w->unset);
	free(w->inits);
	free(w->operands);
	memset(w, 0, sizeof(*w));
}

static void start_at(struct pw_walk *w, const uint8_t *bytes, size_t size,
		     uint64_t off, struct pw_err *err)
{
	pw_cursor_init(&w->c, bytes, size, off, err);
	w->err = err;
	w->body_off = off;
	w->over = false;
	w->next_idx = 0;
	w->sp = w->n_frames = w->n_inits = 0;
	if (!w->cap) {
		w->cap = 64;
		w->types = pw_alloc(w->cap * sizeof(*w->types));
		w->srcs = pw_alloc(w->cap * sizeof(*w->srcs));
	}
}

static void add_locals(struct pw_walk *w, uint32_t type, uint32_t n)
{
	uint32_t need = w->n_locals + n;

	if (need > w->locals_cap) {
		w->locals_cap = need * 2;
		w->locals = pw_realloc(w->locals,
				       w->locals_cap * sizeof(*w->locals));
	}
	while (n--)
		w->locals[w->n_locals++] = type;
}

static int read_locals(struct pw_walk *w)
{
	struct pw_cursor *c = &w->c;
	uint32_t n_groups = walk_u32(c);

	for (uint32_t i = 0; i < n_groups && !c->failed; i++) {
		const uint8_t *at = c->p;
		uint32_t n = walk_u32(c);
		uint32_t type = read_value_type(w->m, c, w->m->n_types);

		if (c->failed)
			break;
		if (n > MAX_LOCALS - w->n_locals) {
			c->p = at;
			return pw_cursor_fail(
				c, EINVAL,
				"%llu locals, more than the %d that engines allow",
				(unsigned long long)w->n_locals + n,
				MAX_LOCALS);
		}
		add_locals(w, type, n);
	}
	return c->failed ? -EINVAL : 0;
}

static void find_unset(struct pw_walk *w, uint32_t n_params)
{
	uint32_t i;

	free(w->unset);
	free(w->inits);
	w->unset = NULL;
	w->inits = NULL;
	for (i = n_params; i < w->n_locals; i++)
		if (!type_defaultable(w->locals[i]))
			break;
	if (i >= w->n_locals)
		return;
	w->unset = pw_zalloc(w->n_locals);
	w->inits = pw_alloc(w->n_locals * sizeof(*w->inits));
	for (; i < w->n_locals; i++)
		w->unset[i] = !type_defaultable(w->locals[i]);
}

int walk_start_body(struct pw_walk *w, uint32_t func_idx, struct pw_err *err)
{
	const struct pw_module *m = w->m;
	const struct pw_func *f = pw_module_func(m, func_idx);
	const struct pw_functype *ft;
	int rc;

	w->over = true; /* until it has begun */
	if (!f || !f->body_off)
		return pw_err_set(err, EINVAL, "function %u has no body",
				  func_idx);
	ft = &m->types[f->type_idx].func;
	w->constant = false;
	w->n_locals = 0;
	start_at(w, m->bytes + f->body_off, f->body_size, f->body_off, err);
	if (ft->n_params)
		add_locals(w, 0, ft->n_params);
	for (uint32_t i = 0; i < ft->n_params; i++)
		w->locals[i] = ft->params[i];
	rc = read_locals(w);
	if (rc < 0)
		return rc;
	find_unset(w, ft->n_params);
	*walk_push_frame(w) = (struct walk_frame){
		.op = PW_OP_block,
		.ft = ft,
		.src = walk_no_src,
	};
	/* A body has no parameters on its stack: they are locals. */
	return 0;
}

uint32_t *pw_module_locals(const struct pw_module *m, uint32_t func_idx,
			   uint32_t *n, struct pw_err *err)
{
	struct pw_walk w;
	uint32_t *locals = NULL;

	walk_init(&w, m);
	if (walk_start_body(&w, func_idx, err) == 0) {
		*n = w.n_locals;
		locals = w.locals ? w.locals : pw_alloc(1);
		w.locals = NULL;
	}
	walk_release(&w);
	return locals;
}

struct pw_walk *pw_walk_new(const struct pw_module *m)
{
	struct pw_walk *w = pw_alloc(sizeof(*w));

	walk_init(w, m);
	return w;
}

int pw_walk_start(struct pw_walk *w, uint32_t func_idx, struct pw_err *err)
{
	return walk_start_body(w, func_idx, err);
}

int pw_walk_next(struct pw_walk *w, struct pw_insn *insn, struct pw_err *err)
{
	int rc;

	if (w->over || !w->n_frames)
		return 0;
	w->in = insn;
	w->err = w->c.err = err;
	rc = walk_step(w);
	if (rc < 0)
		w->over = true;
	if (rc < 0 && err) /* a cursor's failure has its own code */
		rc = -err->code;
	return rc < 0 ? rc : 1;
}

void pw_walk_free(struct pw_walk *w)
{
	if (!w)
		return;
	walk_release(w);
	free(w);
}

/* --- constant expressions --- */

int check_const_expr(struct pw_module *m, struct pw_cursor *c, uint32_t want)
{
	struct pw_insn insn;
	struct pw_walk w;
	int rc = 0;

	if (c->failed)
		return -EINVAL;
	walk_init(&w, m);
	start_at(&w, c->p, pw_cursor_left(c), pw_cursor_off(c), c->err);
	w.constant = true;
	w.in = &insn;
	*walk_push_frame(&w) = (struct walk_frame){
		.op = PW_OP_block,
		.result = want,
		.src = walk_no_src,
	};
	while (!w.over && rc == 0) {
		rc = walk_step(&w);
		if (rc == 0 && insn.op == PW_OP_ref_func)
			m->func_declared[insn.index] = true;
	}
	c->p = w.c.p;
	c->failed = rc < 0;
	walk_release(&w);
	return rc;
}
