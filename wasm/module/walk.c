// SPDX-License-Identifier: GPL-2.0-only
/*
 * The walker: one instruction a call, its operands popped and its results
 * pushed on a stack of types, with the place where each value's expression
 * begins. Signatures come from the opcode table; walk-type.c and walk-gc.c
 * do those that depend on more. Constant expressions are walked here too.
 */
#include "walk.h"

/* Room for the operands of any function that is not built to exhaust us. */
#define MAX_STACK(body_size) (65536 + 4 * (uint64_t)(body_size))

int walk_fail(struct pw_walk *w, int code, const char *fmt, ...)
{
	char msg[sizeof(w->err->msg)];
	va_list ap;

	if (!w->c.failed) { /* else the cursor's sentence says more */
		va_start(ap, fmt);
		vsnprintf(msg, sizeof(msg), fmt, ap);
		va_end(ap);
		pw_err_at(w->err, code, w->body_off + w->off, "%s", msg);
	}
	w->c.failed = true;
	return -code;
}

/* --- the value stack ---------------------------------------------------------- */

static int grow_stack(struct pw_walk *w, uint64_t n)
{
	uint64_t need = w->sp + n;

	if (need > MAX_STACK(w->c.end - w->c.base))
		return walk_fail(w, ENOTSUP, "more than %llu operands at once",
				 (unsigned long long)need);
	if (need < w->cap * 2ull)
		need = w->cap * 2ull;
	w->cap = need;
	w->types = pw_realloc(w->types, need * sizeof(*w->types));
	w->srcs = pw_realloc(w->srcs, need * sizeof(*w->srcs));
	return 0;
}

int walk_reserve(struct pw_walk *w, size_t n)
{
	return w->cap - w->sp < n ? grow_stack(w, n) : 0;
}

static int push_from(struct pw_walk *w, uint32_t type, struct walk_src src)
{
	if (w->sp == w->cap && grow_stack(w, 1) < 0)
		return -ENOTSUP;
	w->types[w->sp] = type;
	w->srcs[w->sp++] = src;
	return 0;
}

static const struct walk_src no_src = { NO_SRC, NO_SRC };

/* Where the expression that ends with this instruction begins. */
static struct walk_src expr_start(const struct pw_walk *w)
{
	if (w->src_known)
		return w->src;
	if (w->n_operands)
		return w->low;
	return (struct walk_src){ w->off, w->in->idx };
}

int walk_push(struct pw_walk *w, uint32_t type)
{
	/* A second result has no expression of its own. */
	struct walk_src src = w->n_results ? no_src : expr_start(w);

	w->n_results++;
	return push_from(w, type, src);
}

int walk_push_list(struct pw_walk *w, const uint32_t *types, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (walk_push(w, types[i]) < 0)
			return -ENOTSUP;
	return 0;
}

static void add_operand(struct pw_walk *w, uint32_t type, struct walk_src src)
{
	if (w->n_operands == w->operands_cap) {
		w->operands_cap = w->operands_cap ? w->operands_cap * 2 : 64;
		w->operands =
			pw_realloc(w->operands,
				   w->operands_cap * sizeof(*w->operands));
	}
	w->operands[w->n_operands++] = type;
	w->low = src;
}

static int wrong_type(struct pw_walk *w, uint32_t want, uint32_t found)
{
	char a[PW_TYPE_NAME_SIZE], b[PW_TYPE_NAME_SIZE];

	return walk_fail(w, EINVAL,
			 "%s expects an operand of type %s, found %s",
			 pw_op_info(w->in->op)->name, pw_type_name(want, a),
			 pw_type_name(found, b));
}

int walk_pop(struct pw_walk *w, uint32_t want, uint32_t *got)
{
	struct walk_frame *f = walk_top(w);
	uint32_t type = PW_BOTTOM;
	struct walk_src src = no_src;

	if (w->sp > f->height) {
		type = w->types[--w->sp];
		src = w->srcs[w->sp];
	} else if (!f->unreachable) {
		char name[PW_TYPE_NAME_SIZE];

		return walk_fail(
			w, EINVAL,
			"%s expects an operand%s%s, but the block has none left",
			pw_op_info(w->in->op)->name, want ? " of type " : "",
			want ? pw_type_name(want, name) : "");
	}
	if (want != PW_BOTTOM && !type_matches(w->m, type, want))
		return wrong_type(w, want, type);
	add_operand(w, type, src);
	if (got)
		*got = type;
	return 0;
}

int walk_pop_ref(struct pw_walk *w, uint32_t *got)
{
	if (walk_pop(w, PW_BOTTOM, got) < 0)
		return -EINVAL;
	if (*got == PW_BOTTOM)
		*got = type_ref(false, HEAP_BOT);
	if (!type_is_ref(*got)) {
		char name[PW_TYPE_NAME_SIZE];

		return walk_fail(w, EINVAL, "%s expects a reference, found %s",
				 pw_op_info(w->in->op)->name,
				 pw_type_name(*got, name));
	}
	return 0;
}

int walk_pop_list(struct pw_walk *w, const uint32_t *types, uint32_t n)
{
	while (n--)
		if (walk_pop(w, types[n], NULL) < 0)
			return -EINVAL;
	return 0;
}

/* --- blocks ---------------------------------------------------------------------- */

void walk_unreachable(struct pw_walk *w)
{
	struct walk_frame *f = walk_top(w);

	w->sp = f->height;
	f->unreachable = true;
}

static struct walk_frame *push_frame(struct pw_walk *w)
{
	if (w->n_frames == w->frames_cap) {
		w->frames_cap = w->frames_cap ? w->frames_cap * 2 : 32;
		w->frames = pw_realloc(w->frames,
				       w->frames_cap * sizeof(*w->frames));
	}
	return &w->frames[w->n_frames++];
}

/* Opens a block whose parameters have been popped. */
int walk_enter(struct pw_walk *w, enum pw_op op)
{
	struct walk_frame *f = push_frame(w);
	const uint32_t *params;
	uint32_t n;

	*f = (struct walk_frame){
		.op = op,
		.ft = w->block_ft,
		.result = w->block_result,
		.height = w->sp,
		.n_inits = w->n_inits,
		.src = expr_start(w),
	};
	params = frame_params(f, &n);
	for (uint32_t i = 0; i < n; i++)
		if (push_from(w, params[i], no_src) < 0)
			return -ENOTSUP;
	w->n_results += n;
	return 0;
}

void walk_set_local(struct pw_walk *w, uint32_t idx)
{
	if (!w->unset || !w->unset[idx])
		return;
	w->unset[idx] = false;
	w->inits[w->n_inits++] = idx;
}

/* Closes the block at hand: its results popped, nothing may be left over.
 * *left is the closed frame. */
int walk_leave(struct pw_walk *w, struct walk_frame *left)
{
	const uint32_t *results;
	uint32_t n;

	*left = *walk_top(w);
	results = frame_results(left, &n);
	if (walk_pop_list(w, results, n) < 0)
		return -EINVAL;
	if (w->sp != left->height)
		return walk_fail(
			w, EINVAL,
			"%u values more than the block's results are left at its end",
			w->sp - left->height);
	while (w->n_inits > left->n_inits)
		w->unset[w->inits[--w->n_inits]] = true;
	w->n_frames--;
	return 0;
}

/* --- one instruction --------------------------------------------------------------- */

static uint32_t type_of_letter(const struct pw_walk *w, char letter)
{
	switch (letter) {
	case 'i':
		return PW_I32;
	case 'I':
		return PW_I64;
	case 'f':
		return PW_F32;
	case 'F':
		return PW_F64;
	case 'V':
		return PW_V128;
	}
	return w->addr_type; /* 'a' */
}

/* Pops and pushes what the table's "operands:results" says. */
static int type_by_signature(struct pw_walk *w, const char *sig)
{
	const char *colon = strchr(sig, ':');

	for (const char *s = colon; s > sig;)
		if (walk_pop(w, type_of_letter(w, *--s), NULL) < 0)
			return -EINVAL;
	for (const char *s = colon + 1; *s; s++)
		if (walk_push(w, type_of_letter(w, *s)) < 0)
			return -ENOTSUP;
	return 0;
}

static int unknown_opcode(struct pw_walk *w, uint8_t byte, uint32_t code)
{
	if (byte >= 0xe0 && byte <= 0xe6)
		return walk_fail(
			w, ENOTSUP,
			"opcode 0x%02x: stack switching is not supported",
			byte);
	if (byte == 0xfb && code >= 32 && code <= 39)
		return walk_fail(
			w, ENOTSUP,
			"opcode 0xfb %u: custom descriptors are not supported",
			code);
	if (byte < 0xfb || byte == 0xff)
		return walk_fail(w, EINVAL, "unknown opcode 0x%02x", byte);
	return walk_fail(w, EINVAL, "unknown opcode 0x%02x %u", byte, code);
}

static int read_op(struct pw_walk *w)
{
	struct pw_cursor *c = &w->c;
	uint32_t code = 0;
	uint8_t byte;
	enum pw_op op;

	if (c->p == c->end)
		return walk_fail(w, EINVAL, "the %s ends without `end`",
				 w->constant ? "section" : "body");
	byte = *c->p++;
	op = op_of_byte(byte);
	if (byte >= 0xfb && byte <= 0xfe) {
		code = walk_u32(c);
		if (c->failed)
			return -EINVAL;
		op = op_of_prefixed(byte, code);
	}
	if (op == PW_N_OPS)
		return unknown_opcode(w, byte, code);
	w->in->op = op;
	return 0;
}

static int type_insn(struct pw_walk *w, const struct pw_op_info *info)
{
	if (info->sig[0] != '*')
		return type_by_signature(w, info->sig);
	if (info->flags & PW_OPF_CONTROL)
		return walk_type_control(w);
	if (info->prefix == 0xfb)
		return walk_type_gc(w);
	return walk_type_other(w);
}

static void finish_insn(struct pw_walk *w)
{
	struct pw_insn *in = w->in;
	struct walk_src src = expr_start(w);

	for (uint32_t i = 0, j = w->n_operands; i + 1 < j--; i++) {
		uint32_t t = w->operands[i];

		w->operands[i] = w->operands[j];
		w->operands[j] = t;
	}
	in->operands = w->operands;
	in->n_operands = w->n_operands;
	in->results = w->types + w->sp - w->n_results;
	in->n_results = w->n_results;
	in->expr_off = src.off == NO_SRC ? PW_NO_OFF : w->body_off + src.off;
	in->expr_idx = src.idx;
}

int walk_step(struct pw_walk *w)
{
	struct pw_insn *in = w->in;
	const struct pw_op_info *info;
	const uint8_t *start = w->c.p;
	int rc;

	w->off = start - w->c.base;
	w->n_operands = w->n_results = 0;
	w->src_known = false;
	*in = (struct pw_insn){
		.idx = w->next_idx++,
		.off = w->body_off + w->off,
		.depth = w->n_frames - 1,
		.unreachable = walk_top(w)->unreachable,
	};
	rc = read_op(w);
	if (rc < 0)
		return rc;
	info = pw_op_info(in->op);
	in->imm = w->c.p;
	if (w->constant && !(info->flags & PW_OPF_CONST) && in->op != PW_OP_end)
		return walk_fail(w, EINVAL,
				 "%s is not allowed in a constant expression",
				 info->name);
	rc = walk_read_imm(w, info);
	if (rc < 0)
		return rc;
	in->size = w->c.p - start;
	rc = type_insn(w, info);
	if (rc < 0)
		return rc;
	finish_insn(w);
	return 0;
}

/* --- a body ---------------------------------------------------------------------------- */

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
	*push_frame(w) = (struct walk_frame){
		.op = PW_OP_block,
		.ft = ft,
		.src = no_src,
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

/* --- constant expressions ---------------------------------------------------------------- */

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
	*push_frame(&w) = (struct walk_frame){
		.op = PW_OP_block,
		.result = want,
		.src = no_src,
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
