// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads what follows an opcode, by kind, and checks that indexes name
 * something. Types on the stack are not looked at here.
 */
#include "walk.h"

static int index_in(struct pw_walk *w, uint32_t idx, uint32_t n,
		    const char *what)
{
	if (w->c.failed)
		return -EINVAL;
	if (idx < n)
		return 0;
	return walk_fail(w, EINVAL, "%s %u does not exist, there %s %u", what,
			 idx, n == 1 ? "is" : "are", n);
}

int walk_label(struct pw_walk *w, uint32_t label, struct walk_frame **f)
{
	if (index_in(w, label, w->n_frames, "label") < 0)
		return -EINVAL;
	*f = &w->frames[w->n_frames - 1 - label];
	return 0;
}

static int index_of(struct pw_walk *w, uint32_t idx, enum pw_extern kind)
{
	static const char *const what[] = { "function", "table", "memory",
					    "global", "tag" };

	return index_in(w, idx, w->m->n[kind], what[kind]);
}

static int index_mem(struct pw_walk *w, uint32_t idx)
{
	if (index_of(w, idx, PW_EXT_MEMORY) < 0)
		return -EINVAL;
	w->addr_type = w->m->memories[idx].is64 ? PW_I64 : PW_I32;
	return 0;
}

static int index_type(struct pw_walk *w, uint32_t idx)
{
	return index_in(w, idx, w->m->n_types, "type");
}

static int index_data(struct pw_walk *w, uint32_t idx)
{
	if (w->c.failed)
		return -EINVAL;
	if (!w->m->has_data_count)
		return walk_fail(
			w, EINVAL,
			"an instruction that names a data segment needs a data count section");
	return index_in(w, idx, w->m->data_count, "data segment");
}

static int index_elem(struct pw_walk *w, uint32_t idx)
{
	return index_in(w, idx, w->m->n_elems, "element segment");
}

static int done(struct pw_walk *w)
{
	return w->c.failed ? -EINVAL : 0;
}

/* --- types --- */

static int read_block_type(struct pw_walk *w)
{
	struct pw_cursor *c = &w->c;
	uint8_t b = c->p < c->end ? *c->p : 0;
	int64_t idx;

	w->block_ft = NULL;
	w->block_result = PW_BOTTOM;
	if (b == 0x40) {
		c->p++;
		return 0;
	}
	if ((b & 0xc0) == 0x40) { /* a negative number: no type index */
		w->block_result = read_value_type(w->m, c, w->m->n_types);
		return done(w);
	}
	idx = pw_cursor_sleb33(c);
	if (c->failed)
		return -EINVAL;
	if (idx < 0)
		return walk_fail(w, EINVAL, "a block's type is %lld",
				 (long long)idx);
	if (index_type(w, idx) < 0)
		return -EINVAL;
	w->in->index = idx;
	if (w->m->types[idx].kind != COMP_FUNC)
		return walk_fail(w, EINVAL,
				 "a block's type %u is not a function type",
				 (uint32_t)idx);
	w->block_ft = &w->m->types[idx].func;
	return 0;
}

static int read_select_types(struct pw_walk *w)
{
	uint32_t n = walk_u32(&w->c);

	if (w->c.failed)
		return -EINVAL;
	if (n != 1)
		return walk_fail(w, EINVAL, "select with %u types, not one", n);
	w->block_result = read_value_type(w->m, &w->c, w->m->n_types);
	return done(w);
}

static int read_cast(struct pw_walk *w)
{
	struct pw_cursor *c = &w->c;
	uint8_t flags = pw_cursor_u8(c);

	if (flags > 3)
		return walk_fail(w, EINVAL, "cast flags 0x%02x, not 0 to 3",
				 flags);
	w->in->index = walk_u32(c);
	w->type_from =
		type_ref(flags & 1, read_heap_type(w->m, c, w->m->n_types));
	w->type_to =
		type_ref(flags & 2, read_heap_type(w->m, c, w->m->n_types));
	return done(w);
}

/* --- lists --- */

static int read_labels(struct pw_walk *w)
{
	struct pw_cursor *c = &w->c;
	uint32_t n = walk_u32(c);

	if (!c->failed && n >= pw_cursor_left(c))
		pw_cursor_fail(c, EINVAL, "%u labels, but only %zu bytes left",
			       n, pw_cursor_left(c));
	w->list = c->p;
	w->n_list = n;
	w->in->index2 = n;
	for (uint32_t i = 0; i <= n && !c->failed; i++)
		w->in->index = walk_u32(c);
	return done(w);
}

static int read_try_table(struct pw_walk *w)
{
	struct pw_cursor *c = &w->c;
	uint32_t n;

	if (read_block_type(w) < 0)
		return -EINVAL;
	n = walk_u32(c);
	w->list = c->p;
	w->n_list = n;
	w->in->index2 = n;
	for (uint32_t i = 0; i < n && !c->failed; i++) {
		uint8_t kind = pw_cursor_u8(c);

		if (kind > 3)
			return walk_fail(w, EINVAL, "catch kind %u, not 0 to 3",
					 kind);
		if (kind < 2)
			walk_u32(c);
		walk_u32(c);
	}
	return done(w);
}

/* --- memory --- */

static int check_align(struct pw_walk *w, const struct pw_op_info *info)
{
	uint32_t align = w->in->align;

	if (align > info->size_log2)
		return walk_fail(
			w, EINVAL,
			"alignment 2^%u is larger than the %u bytes that %s accesses",
			align, 1u << info->size_log2, info->name);
	if (info->flags & PW_OPF_ATOMIC && align != info->size_log2)
		return walk_fail(
			w, EINVAL,
			"alignment 2^%u, but %s needs exactly %u bytes", align,
			info->name, 1u << info->size_log2);
	return 0;
}

static int read_memarg(struct pw_walk *w, const struct pw_op_info *info)
{
	struct pw_cursor *c = &w->c;
	struct pw_insn *in = w->in;
	uint32_t flags = walk_u32(c);

	if (flags > 0x7f)
		return walk_fail(w, EINVAL, "memory access flags 0x%x", flags);
	in->align = flags & 0x3f;
	if (flags & 0x40)
		in->index2 = walk_u32(c);
	in->offset =
		c->p < c->end && *c->p < 0x80 ? *c->p++ : pw_cursor_uleb64(c);
	if (index_mem(w, in->index2) < 0 || check_align(w, info) < 0)
		return -EINVAL;
	if (w->addr_type == PW_I32 && in->offset > UINT32_MAX)
		return walk_fail(
			w, EINVAL,
			"offset %llu is out of range for a 32-bit memory",
			(unsigned long long)in->offset);
	return 0;
}

static int read_lane(struct pw_walk *w, const struct pw_op_info *info)
{
	w->in->index = pw_cursor_u8(&w->c);
	return index_in(w, w->in->index, 16u >> info->size_log2, "lane");
}

static int read_shuffle(struct pw_walk *w)
{
	const uint8_t *lanes = pw_cursor_bytes(&w->c, 16);

	for (int i = 0; lanes && i < 16; i++)
		if (index_in(w, lanes[i], 32, "lane") < 0)
			return -EINVAL;
	return done(w);
}

static int read_fence(struct pw_walk *w)
{
	uint8_t order = pw_cursor_u8(&w->c);

	if (order)
		return walk_fail(w, EINVAL, "atomic.fence of order %u, not 0",
				 order);
	return done(w);
}

/* --- pairs --- */

static int read_pair(struct pw_walk *w)
{
	w->in->index = walk_u32(&w->c);
	w->in->index2 = walk_u32(&w->c);
	return done(w);
}

static int read_pair_of(struct pw_walk *w, enum pw_imm_kind imm)
{
	struct pw_insn *in = w->in;

	if (read_pair(w) < 0)
		return -EINVAL;
	switch (imm) {
	case PW_IMM_CALL_INDIRECT:
		return index_type(w, in->index)
			       ?: index_of(w, in->index2, PW_EXT_TABLE);
	case PW_IMM_TABLE2:
		return index_of(w, in->index, PW_EXT_TABLE)
			       ?: index_of(w, in->index2, PW_EXT_TABLE);
	case PW_IMM_TABLE_INIT:
		return index_elem(w, in->index)
			       ?: index_of(w, in->index2, PW_EXT_TABLE);
	case PW_IMM_MEMORY2:
		return index_mem(w, in->index) ?: index_mem(w, in->index2);
	case PW_IMM_MEMORY_INIT:
		return index_data(w, in->index) ?: index_mem(w, in->index2);
	case PW_IMM_TYPE_DATA:
		return index_type(w, in->index) ?: index_data(w, in->index2);
	case PW_IMM_TYPE_ELEM:
		return index_type(w, in->index) ?: index_elem(w, in->index2);
	case PW_IMM_TYPE2:
		return index_type(w, in->index) ?: index_type(w, in->index2);
	default: /* PW_IMM_TYPE_FIELD, PW_IMM_TYPE_N */
		return index_type(w, in->index);
	}
}

static int read_index(struct pw_walk *w, enum pw_imm_kind imm)
{
	uint32_t idx = w->in->index = walk_u32(&w->c);

	switch (imm) {
	case PW_IMM_LABEL:
		return done(w); /* checked where it is used */
	case PW_IMM_LOCAL:
		return index_in(w, idx, w->n_locals, "local");
	case PW_IMM_FUNC:
		return index_of(w, idx, PW_EXT_FUNC);
	case PW_IMM_GLOBAL:
		return index_of(w, idx, PW_EXT_GLOBAL);
	case PW_IMM_TABLE:
		return index_of(w, idx, PW_EXT_TABLE);
	case PW_IMM_TAG:
		return index_of(w, idx, PW_EXT_TAG);
	case PW_IMM_MEMORY:
		return index_mem(w, idx);
	case PW_IMM_TYPE:
		return index_type(w, idx);
	case PW_IMM_ELEM:
		return index_elem(w, idx);
	default: /* PW_IMM_DATA */
		return index_data(w, idx);
	}
}

static int read_float(struct pw_walk *w, uint32_t size)
{
	const uint8_t *p = pw_cursor_bytes(&w->c, size);
	uint64_t bits = 0;

	for (uint32_t i = 0; p && i < size; i++)
		bits |= (uint64_t)p[i] << (8 * i);
	w->in->i64 = bits;
	return done(w);
}

int walk_read_imm(struct pw_walk *w, const struct pw_op_info *info)
{
	struct pw_cursor *c = &w->c;

	switch (info->imm) {
	case PW_IMM_NONE:
		return 0;
	case PW_IMM_BLOCK:
		return read_block_type(w);
	case PW_IMM_LABELS:
		return read_labels(w);
	case PW_IMM_TRY_TABLE:
		return read_try_table(w);
	case PW_IMM_SELECT_T:
		return read_select_types(w);
	case PW_IMM_HEAPTYPE:
		w->type_to =
			type_ref(false, read_heap_type(w->m, c, w->m->n_types));
		return done(w);
	case PW_IMM_BR_CAST:
		return read_cast(w);
	case PW_IMM_MEMARG:
		return read_memarg(w, info);
	case PW_IMM_MEMARG_LANE:
		return read_memarg(w, info) ?: read_lane(w, info);
	case PW_IMM_LANE:
		return read_lane(w, info);
	case PW_IMM_SHUFFLE:
		return read_shuffle(w);
	case PW_IMM_V128:
		pw_cursor_bytes(c, 16);
		return done(w);
	case PW_IMM_I32:
		w->in->i64 = pw_cursor_sleb32(c);
		return done(w);
	case PW_IMM_I64:
		w->in->i64 = pw_cursor_sleb64(c);
		return done(w);
	case PW_IMM_F32:
		return read_float(w, 4);
	case PW_IMM_F64:
		return read_float(w, 8);
	case PW_IMM_FENCE:
		return read_fence(w);
	case PW_IMM_CALL_INDIRECT:
	case PW_IMM_TABLE2:
	case PW_IMM_TABLE_INIT:
	case PW_IMM_MEMORY2:
	case PW_IMM_MEMORY_INIT:
	case PW_IMM_TYPE_FIELD:
	case PW_IMM_TYPE_N:
	case PW_IMM_TYPE_DATA:
	case PW_IMM_TYPE_ELEM:
	case PW_IMM_TYPE2:
		return read_pair_of(w, info->imm);
	default:
		return read_index(w, info->imm);
	}
}
