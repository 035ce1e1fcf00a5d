/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The walker's state, shared by its files: walk.c steps, walk-imm.c reads
 * immediates, walk-control.c, walk-type.c and walk-gc.c type what the table
 * can't, walk-fast.c validates whole bodies. It is the algorithm of the core
 * specification's appendix "Validation Algorithm" with, beside each value,
 * the place where the expression that made it begins.
 */
#ifndef WALK_H
#define WALK_H

#include <stdlib.h>
#include "module-impl.h"

#define NO_SRC UINT32_MAX

/* Where a value's expression begins: offset in the body, instruction. */
struct walk_src {
	uint32_t off, idx;
};

struct walk_frame {
	uint16_t op; /* of the block: enum pw_op; try becomes catch ... */
	bool unreachable;
	/* the block type: ft, or at most one result */
	const struct pw_functype *ft;
	uint32_t result;  /* PW_BOTTOM: none */
	uint32_t height;  /* of the value stack below the block */
	uint32_t n_inits; /* locals known to be set when it began */
	struct walk_src src;
};

struct pw_walk {
	const struct pw_module *m;
	struct pw_cursor c; /* the body, or a constant expression */
	uint64_t body_off;
	bool constant, over;
	uint32_t next_idx;

	uint32_t *types; /* the value stack */
	struct walk_src *srcs;
	uint32_t sp, cap;
	struct walk_frame *frames;
	uint32_t n_frames, frames_cap;

	uint32_t *locals;
	uint32_t n_locals, locals_cap;
	/* locals without a default value: set yet? NULL when there are none */
	uint8_t *unset;
	uint32_t *inits; /* those set, in order, to undo at a block's end */
	uint32_t n_inits;

	/* The instruction at hand. */
	struct pw_insn *in;
	uint32_t off;       /* in the body */
	uint32_t *operands; /* top first until the step's end */
	uint32_t n_operands, operands_cap;
	uint32_t n_results;
	struct walk_src low; /* of the deepest operand so far */
	struct walk_src src; /* where this expression begins */
	bool src_known;      /* src was fixed by the handler */
	/* Immediates beyond struct pw_insn's. */
	const struct pw_functype *block_ft;
	uint32_t block_result;
	uint32_t type_from, type_to; /* ref.null, casts */
	uint32_t addr_type;          /* of the memory at hand */
	const uint8_t *list;         /* first byte after the count */
	uint32_t n_list;
	struct pw_err *err;
};

/* A frame's types. A single result lives in the frame itself. */
static inline const uint32_t *frame_results(const struct walk_frame *f,
					    uint32_t *n)
{
	if (f->ft) {
		*n = f->ft->n_results;
		return f->ft->results;
	}
	*n = f->result != PW_BOTTOM;
	return &f->result;
}

static inline const uint32_t *frame_params(const struct walk_frame *f,
					   uint32_t *n)
{
	*n = f->ft ? f->ft->n_params : 0;
	return f->ft ? f->ft->params : NULL;
}

/* What a branch to it must bring: a loop's parameters, else results. */
static inline const uint32_t *frame_label(const struct walk_frame *f,
					  uint32_t *n)
{
	return f->op == PW_OP_loop ? frame_params(f, n) : frame_results(f, n);
}

static inline struct walk_frame *walk_top(struct pw_walk *w)
{
	return &w->frames[w->n_frames - 1];
}

static const struct walk_src walk_no_src = { NO_SRC, NO_SRC };

/* --- walk-stack.c: ints are 0, or -errno with the error recorded --- */
int walk_fail(struct pw_walk *w, int code, const char *fmt, ...)
	PW_PRINTF(3, 4);
/* Pops a value of type `want` (PW_BOTTOM: any); *got its type when asked. */
int walk_pop(struct pw_walk *w, uint32_t want, uint32_t *got);
int walk_pop_ref(struct pw_walk *w, uint32_t *got);
int walk_pop_list(struct pw_walk *w, const uint32_t *types, uint32_t n);
int walk_push(struct pw_walk *w, uint32_t type);
int walk_push_list(struct pw_walk *w, const uint32_t *types, uint32_t n);
/* The rest of the block can't be reached. */
void walk_unreachable(struct pw_walk *w);
int walk_enter(struct pw_walk *w, enum pw_op op);
int walk_leave(struct pw_walk *w, struct walk_frame *left);
void walk_set_local(struct pw_walk *w, uint32_t idx);
/* Room for n more values; -ENOTSUP beyond any sensible depth. */
int walk_reserve(struct pw_walk *w, size_t n);
/* Where the expression that ends with this instruction begins. */
struct walk_src walk_expr_start(const struct pw_walk *w);
struct walk_frame *walk_push_frame(struct pw_walk *w);

/* --- walk.c --- */
/* One instruction into w->in. */
int walk_step(struct pw_walk *w);

/* --- walk-body.c --- */
int walk_start_body(struct pw_walk *w, uint32_t func_idx, struct pw_err *err);
void walk_init(struct pw_walk *w, const struct pw_module *m);
void walk_release(struct pw_walk *w);

/* --- walk-imm.c --- */
int walk_read_imm(struct pw_walk *w, const struct pw_op_info *info);
/* The frame a label names, checked to exist. */
int walk_label(struct pw_walk *w, uint32_t label, struct walk_frame **f);
/* uleb32 with the one-byte case inlined. */
static inline uint32_t walk_u32(struct pw_cursor *c)
{
	if (c->p < c->end && *c->p < 0x80)
		return *c->p++;
	return pw_cursor_uleb32(c);
}

/* --- what "*" in the table stands for --- */
int walk_type_control(struct pw_walk *w); /* walk-control.c */
int walk_type_other(struct pw_walk *w);   /* walk-type.c */
int walk_type_gc(struct pw_walk *w);      /* walk-gc.c */
/* walk-type.c: what a call of any kind calls, its reference popped. */
int walk_callee(struct pw_walk *w, const struct pw_functype **ft);
/* NULL with the error recorded when it is no function type. */
const struct pw_functype *walk_func_type(struct pw_walk *w, uint32_t type_idx);

#endif
