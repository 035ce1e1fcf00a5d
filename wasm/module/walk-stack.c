// SPDX-License-Identifier: GPL-2.0-only
/*
 * The walker's stacks: value types with the place where each value's
 * expression begins, and open blocks. Popping checks types; a value popped
 * from an empty unreachable block is of any type.
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

/* --- the value stack --- */

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

/* Where the expression that ends with this instruction begins. */
struct walk_src walk_expr_start(const struct pw_walk *w)
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
	struct walk_src src = w->n_results ? walk_no_src : walk_expr_start(w);

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
	struct walk_src src = walk_no_src;

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

/* --- blocks --- */

void walk_unreachable(struct pw_walk *w)
{
	struct walk_frame *f = walk_top(w);

	w->sp = f->height;
	f->unreachable = true;
}

struct walk_frame *walk_push_frame(struct pw_walk *w)
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
	struct walk_frame *f = walk_push_frame(w);
	const uint32_t *params;
	uint32_t n;

	*f = (struct walk_frame){
		.op = op,
		.ft = w->block_ft,
		.result = w->block_result,
		.height = w->sp,
		.n_inits = w->n_inits,
		.src = walk_expr_start(w),
	};
	params = frame_params(f, &n);
	for (uint32_t i = 0; i < n; i++)
		if (push_from(w, params[i], walk_no_src) < 0)
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
