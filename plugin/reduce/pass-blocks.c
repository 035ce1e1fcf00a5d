// SPDX-License-Identifier: GPL-2.0-only
/*
 * Blocks and loops that nothing jumps to lose their frame; jumps over it
 * count one label less.
 */
#include "passes.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS_MAX 8

struct jump {
	uint64_t off;
	uint32_t size, label, op_size;
};

struct frame {
	uint64_t off;    /* of its header */
	uint32_t size;   /* of its header */
	uint64_t end;    /* of its end instruction */
	bool fixed;      /* is a target, or no block or loop */
	uint32_t parent; /* frame, or UINT32_MAX */
	struct jump *over;
	uint32_t n_over;
};

struct frames {
	struct frame *v;
	uint32_t n, cap;
	uint32_t top; /* the innermost open one, or UINT32_MAX */
};

static void open_frame(struct frames *s, const struct pw_insn *in)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 32;
		s->v = pw_realloc(s->v, s->cap * sizeof(*s->v));
	}
	s->v[s->n] = (struct frame){
		.off = in->off,
		.size = in->size,
		.fixed = in->op != PW_OP_block && in->op != PW_OP_loop,
		.parent = s->top,
	};
	s->top = s->n++;
}

static void jumps_over(struct frame *f, const struct pw_insn *in)
{
	f->over = pw_realloc(f->over, (f->n_over + 1) * sizeof(*f->over));
	f->over[f->n_over++] = (struct jump){
		.off = in->off,
		.size = in->size,
		.label = in->index,
		.op_size = 1,
	};
}

static void take_jump(struct frames *s, const struct pw_insn *in)
{
	uint32_t f = s->top;

	for (uint32_t l = 0; f != UINT32_MAX; l++, f = s->v[f].parent) {
		if (l == in->index) {
			s->v[f].fixed = true;
			return;
		}
		jumps_over(&s->v[f], in);
	}
}

/* Labels that are not read here: every open frame may be a target. */
static void fix_all(struct frames *s)
{
	for (uint32_t f = s->top; f != UINT32_MAX; f = s->v[f].parent)
		s->v[f].fixed = true;
}

static void take_insn(struct frames *s, const struct pw_insn *in)
{
	switch (in->op) {
	case PW_OP_block:
	case PW_OP_loop:
	case PW_OP_if:
		open_frame(s, in);
		break;
	case PW_OP_try:
	case PW_OP_try_table:
		open_frame(s, in);
		fix_all(s);
		break;
	case PW_OP_delegate:
	case PW_OP_end:
		if (s->top == UINT32_MAX)
			break;
		s->v[s->top].end = in->off;
		s->top = s->v[s->top].parent;
		break;
	case PW_OP_br:
	case PW_OP_br_if:
		take_jump(s, in);
		break;
	default:
		if (pw_op_info(in->op)->imm == PW_IMM_LABEL ||
		    pw_op_info(in->op)->imm == PW_IMM_LABELS ||
		    pw_op_info(in->op)->imm == PW_IMM_BR_CAST)
			fix_all(s);
		break;
	}
}

/* Only the outermost: two frames in each other change the same jumps. */
static bool has_free_parent(const struct frames *s, const struct frame *f)
{
	for (uint32_t p = f->parent; p != UINT32_MAX; p = s->v[p].parent)
		if (!s->v[p].fixed)
			return true;
	return false;
}

static void offer(const struct reduce *r, struct items *it,
		  const struct frame *f)
{
	const uint8_t *bytes = r->bytes.data;
	struct pw_buf b = { 0 };

	items_begin(it, hot_share(&r->here, f->off, f->end));
	items_edit(it, f->off, f->size, NULL, 0);
	for (uint32_t i = 0; i < f->n_over; i++) {
		const struct jump *j = &f->over[i];

		b.len = 0;
		pw_buf_add(&b, bytes + j->off, j->op_size);
		pw_buf_add_uleb(&b, j->label - 1);
		items_edit(it, j->off, j->size, b.data, (uint32_t)b.len);
	}
	items_edit(it, f->end, 1, NULL, 0);
	pw_buf_release(&b);
}

static int gather_func(const struct reduce *r, struct pw_walk *w, uint32_t idx,
		       struct items *it, struct pw_err *err)
{
	struct frames s = { .top = UINT32_MAX };
	struct pw_insn in;
	int ret = pw_walk_start(w, idx, err);

	while (!ret && (ret = pw_walk_next(w, &in, err)) == 1) {
		ret = 0;
		take_insn(&s, &in);
	}
	for (uint32_t i = 0; i < s.n; i++) {
		if (!ret && !s.v[i].fixed && !has_free_parent(&s, &s.v[i]))
			offer(r, it, &s.v[i]);
		free(s.v[i].over);
	}
	free(s.v);
	return ret;
}

static int one_round(struct reduce *r, uint32_t *gone, struct pw_err *err)
{
	struct pw_walk *w = pw_walk_new(r->m);
	struct items it = { 0 };
	int ret = 0;

	for (uint32_t i = pw_module_n_imported(r->m, PW_EXT_FUNC);
	     i < pw_module_n(r->m, PW_EXT_FUNC) && !ret; i++)
		ret = gather_func(r, w, i, &it, err);
	pw_walk_free(w);
	if (!ret && it.n)
		ret = halve(r, &it, gone, err);
	items_release(&it);
	return ret;
}

int pass_blocks(struct reduce *r, struct pw_err *err)
{
	uint32_t gone = 1;
	int ret = 0;

	for (int i = 0; i < ROUNDS_MAX && gone && !ret; i++) {
		gone = 0;
		ret = one_round(r, &gone, err);
	}
	return ret;
}
