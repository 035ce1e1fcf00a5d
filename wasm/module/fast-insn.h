/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fast check's handlers of blocks, branches and calls, and the choice of
 * the handler, all inlined into the loop of walk-fast.c. Contract as in
 * fast-values.h.
 */
#ifndef FAST_INSN_H
#define FAST_INSN_H

#include "fast-values.h"

/* --- blocks --- */

INLINE void set_floor(struct fast *f, const struct pw_walk *w)
{
	f->floor = w->types + w->frames[w->n_frames - 1].height;
}

/* Blocks of no parameters and at most one number as a result. */
INLINE bool fast_block(struct fast *f, struct pw_walk *w,
		       const struct fast_op *op)
{
	uint8_t type = *f->p;
	struct walk_frame *fr;

	if (type != 0x40 && (type < PW_V128 || type > PW_I32))
		return false;
	if (w->n_frames == w->frames_cap)
		return false;
	f->p++;
	fr = &w->frames[w->n_frames++];
	fr->op = op->op;
	fr->unreachable = false;
	fr->ft = NULL;
	fr->result = type == 0x40 ? (uint32_t)PW_BOTTOM : type;
	fr->height = f->sp - w->types;
	fr->n_inits = w->n_inits;
	f->floor = f->sp;
	return true;
}

INLINE bool fast_if(struct fast *f, struct pw_walk *w, const struct fast_op *op)
{
	if (!top_is(f, PW_I32))
		return false;
	f->sp--;
	if (fast_block(f, w, op))
		return true;
	f->sp++;
	return false;
}

/* Is what is left on the stack what the block returns? */
INLINE bool block_ends(const struct fast *f, const struct pw_walk *w,
		       const struct walk_frame *fr)
{
	uint32_t left = f->sp - f->floor;

	if (fr->ft || w->n_inits != fr->n_inits)
		return false;
	if (fr->unreachable && !left)
		return true;
	if (fr->result == PW_BOTTOM)
		return !left;
	return left == 1 && f->sp[-1] == fr->result;
}

INLINE bool fast_else(struct fast *f, struct pw_walk *w)
{
	struct walk_frame *fr = walk_top(w);

	if (fr->op != PW_OP_if || !block_ends(f, w, fr))
		return false;
	fr->op = PW_OP_else;
	fr->unreachable = false;
	f->sp = f->floor;
	return true;
}

INLINE bool fast_end(struct fast *f, struct pw_walk *w)
{
	struct walk_frame *fr = walk_top(w);

	if (w->n_frames == 1 || !block_ends(f, w, fr))
		return false;
	if (fr->op == PW_OP_if && fr->result != PW_BOTTOM)
		return false;
	f->sp = f->floor;
	if (fr->result != PW_BOTTOM)
		*f->sp++ = fr->result;
	w->n_frames--;
	set_floor(f, w);
	return true;
}

/* --- branches --- */

/* A label of none or one type is that type; NO_IDX for all others. */
INLINE uint32_t label_type(const struct walk_frame *fr)
{
	if (!fr->ft)
		return fr->op == PW_OP_loop ? (uint32_t)PW_BOTTOM : fr->result;
	if (fr->op == PW_OP_loop || fr->ft->n_results > 1)
		return NO_IDX;
	return fr->ft->n_results ? fr->ft->results[0] : (uint32_t)PW_BOTTOM;
}

INLINE bool takes(const struct fast *f, uint32_t type)
{
	return type == PW_BOTTOM || (type != NO_IDX && top_is(f, type));
}

INLINE bool stop(struct fast *f, struct pw_walk *w)
{
	walk_top(w)->unreachable = true;
	f->sp = f->floor;
	return true;
}

INLINE bool fast_br(struct fast *f, struct pw_walk *w)
{
	uint32_t label;

	if (!read_idx(f, &label) || label >= w->n_frames)
		return false;
	if (!takes(f, label_type(&w->frames[w->n_frames - 1 - label])))
		return false;
	return stop(f, w);
}

INLINE bool fast_br_if(struct fast *f, struct pw_walk *w)
{
	uint32_t label;

	if (!read_idx(f, &label) || label >= w->n_frames || !top_is(f, PW_I32))
		return false;
	f->sp--;
	if (takes(f, label_type(&w->frames[w->n_frames - 1 - label])))
		return true;
	f->sp++;
	return false;
}

INLINE bool fast_return(struct fast *f, struct pw_walk *w)
{
	if (!takes(f, label_type(&w->frames[0])))
		return false;
	return stop(f, w);
}

/* All labels of one byte and of one type. */
static const uint8_t *fast_labels(const struct pw_walk *w, const uint8_t *p,
				  const uint8_t *safe, uint32_t *type)
{
	uint32_t n, n_frames = w->n_frames;
	struct fast f = { .p = p };

	if (!read_idx(&f, &n) || n >= (size_t)(safe - f.p))
		return NULL;
	p = f.p;
	*type = NO_IDX;
	for (uint32_t i = 0; i <= n; i++) {
		uint32_t label = *p++, t;

		if (label >= n_frames || label >= 0x80)
			return NULL;
		t = label_type(&w->frames[n_frames - 1 - label]);
		if (i && t != *type)
			return NULL;
		*type = t;
	}
	return p;
}

INLINE bool fast_br_table(struct fast *f, struct pw_walk *w,
			  const uint8_t *safe)
{
	uint32_t type;
	const uint8_t *p;

	if (!top_is(f, PW_I32))
		return false;
	p = fast_labels(w, f->p, safe, &type);
	if (!p)
		return false;
	f->sp--;
	if (!takes(f, type)) {
		f->sp++;
		return false;
	}
	f->p = p;
	return stop(f, w);
}

/* --- calls --- */

INLINE bool call(struct fast *f, const struct pw_functype *ft)
{
	uint32_t n = ft->n_params;
	uint32_t *args = f->sp - n;

	if (!has(f, n) || ft->n_results > 1)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (args[i] != ft->params[i])
			return false;
	f->sp = args;
	if (ft->n_results)
		*f->sp++ = ft->results[0];
	return true;
}

INLINE bool fast_call(struct fast *f, const struct pw_module *m)
{
	uint32_t idx;

	if (!read_idx(f, &idx) || idx >= m->n[PW_EXT_FUNC])
		return false;
	return call(f, &m->types[m->funcs[idx].type_idx].func);
}

/* Table 0 of plain function references with 32-bit indexes. */
INLINE bool fast_call_indirect(struct fast *f, const struct pw_module *m)
{
	uint32_t idx;

	if (!read_idx(f, &idx) || idx >= m->n_types || *f->p ||
	    !m->n[PW_EXT_TABLE] || m->types[idx].kind != COMP_FUNC)
		return false;
	if (m->tables[0].is64 ||
	    m->tables[0].type != type_ref(true, HEAP_FUNC) ||
	    !top_is(f, PW_I32))
		return false;
	f->p++;
	f->sp--;
	if (call(f, &m->types[idx].func))
		return true;
	f->sp++;
	return false;
}

/* --- all of them --- */

INLINE bool fast_insn(struct fast *f, struct pw_walk *w,
		      const struct fast_op *op, const uint8_t *safe)
{
	switch ((enum fast_class)op->class) {
	case FAST_UNARY:
		return fast_unary(f, op);
	case FAST_BINARY:
		return fast_binary(f, op);
	case FAST_NOP:
		return true;
	case FAST_LEB:
		return fast_leb(f, op);
	case FAST_SKIP:
		return fast_skip(f, op);
	case FAST_LOAD:
		return fast_load(f, op);
	case FAST_STORE:
		return fast_store(f, op);
	case FAST_LOCAL_GET:
		return fast_local(f, w, FAST_LOCAL_GET);
	case FAST_LOCAL_SET:
		return fast_local(f, w, FAST_LOCAL_SET);
	case FAST_LOCAL_TEE:
		return fast_local(f, w, FAST_LOCAL_TEE);
	case FAST_GLOBAL_GET:
		return fast_global(f, w->m, FAST_GLOBAL_GET);
	case FAST_GLOBAL_SET:
		return fast_global(f, w->m, FAST_GLOBAL_SET);
	case FAST_DROP:
		return fast_drop(f);
	case FAST_SELECT:
		return fast_select(f);
	case FAST_BLOCK:
		return fast_block(f, w, op);
	case FAST_IF:
		return fast_if(f, w, op);
	case FAST_ELSE:
		return fast_else(f, w);
	case FAST_END:
		return fast_end(f, w);
	case FAST_BR:
		return fast_br(f, w);
	case FAST_BR_IF:
		return fast_br_if(f, w);
	case FAST_BR_TABLE:
		return fast_br_table(f, w, safe);
	case FAST_RETURN:
		return fast_return(f, w);
	case FAST_UNREACHABLE:
		return stop(f, w);
	case FAST_CALL:
		return fast_call(f, w->m);
	case FAST_CALL_INDIRECT:
		return fast_call_indirect(f, w->m);
	case FAST_PREFIX_FD:
	case FAST_NONE:
		break;
	}
	return false;
}

#endif
