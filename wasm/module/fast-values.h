/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fast check's handlers of instructions that only move values: numbers,
 * constants, memory, variables. Each returns true when it has checked and
 * done the instruction, or false with nothing but `p` changed.
 */
#ifndef FAST_VALUES_H
#define FAST_VALUES_H

#include "fast-op.h"
#include "walk.h"

#define INLINE static inline __attribute__((always_inline))

/* The walker's state that changes with every instruction, in registers. */
struct fast {
	const uint8_t *p;
	uint32_t *sp, *floor; /* next free value; the block's first */
};

/* --- LEB128 --- */

/* Bytes of the number at p, or 9 when there are more than 8. */
INLINE uint32_t leb_len(const uint8_t *p)
{
	uint64_t x, stop;

	memcpy(&x, p, 8);
	stop = ~x & 0x8080808080808080ull;
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	stop = __builtin_bswap64(stop);
#endif
	return stop ? __builtin_ctzll(stop) / 8 + 1 : 9;
}

/* An index of at most four bytes; false leaves longer ones to others. */
INLINE bool read_idx(struct fast *f, uint32_t *idx)
{
	const uint8_t *p = f->p;
	uint32_t v = *p++;

	if (v >= 0x80) {
		uint32_t shift = 7;

		v &= 0x7f;
		do {
			v |= (uint32_t)(*p & 0x7f) << shift;
			shift += 7;
		} while (*p++ >= 0x80 && shift < 28);
		if (p[-1] >= 0x80)
			return false;
	}
	f->p = p;
	*idx = v;
	return true;
}

/* --- values --- */

INLINE bool has(const struct fast *f, uint32_t n)
{
	return f->sp - f->floor >= (ptrdiff_t)n;
}

INLINE bool top_is(const struct fast *f, uint32_t type)
{
	return has(f, 1) && f->sp[-1] == type;
}

INLINE bool push(struct fast *f, uint32_t type)
{
	*f->sp++ = type;
	return true;
}

INLINE bool fast_unary(struct fast *f, const struct fast_op *op)
{
	if (!top_is(f, op->a))
		return false;
	f->sp[-1] = op->r;
	return true;
}

INLINE bool fast_binary(struct fast *f, const struct fast_op *op)
{
	if (!has(f, 2) || (f->sp[-2] ^ op->a) | (f->sp[-1] ^ op->b))
		return false;
	f->sp--;
	f->sp[-1] = op->r;
	return true;
}

INLINE bool fast_leb(struct fast *f, const struct fast_op *op)
{
	uint32_t len = leb_len(f->p);

	if (len > op->n)
		return false;
	f->p += len;
	return push(f, op->r);
}

INLINE bool fast_skip(struct fast *f, const struct fast_op *op)
{
	f->p += op->n;
	return push(f, op->r);
}

/* Memory 0 only, offsets of at most four bytes. */
INLINE bool memarg(struct fast *f, const struct fast_op *op)
{
	uint32_t len = leb_len(f->p + 1);

	if (f->p[0] > op->n || len > 4)
		return false;
	f->p += 1 + len;
	return true;
}

INLINE bool fast_load(struct fast *f, const struct fast_op *op)
{
	if (!top_is(f, op->a) || !memarg(f, op))
		return false;
	f->sp[-1] = op->r;
	return true;
}

INLINE bool fast_store(struct fast *f, const struct fast_op *op)
{
	if (!has(f, 2) || (f->sp[-2] ^ op->a) | (f->sp[-1] ^ op->b) ||
	    !memarg(f, op))
		return false;
	f->sp -= 2;
	return true;
}

/* --- variables --- */

INLINE bool fast_local(struct fast *f, const struct pw_walk *w,
		       enum fast_class class)
{
	uint32_t idx, type;

	if (!read_idx(f, &idx) || idx >= w->n_locals || w->unset)
		return false;
	type = w->locals[idx];
	if (class == FAST_LOCAL_GET)
		return push(f, type);
	if (!top_is(f, type))
		return false;
	f->sp -= class == FAST_LOCAL_SET;
	return true;
}

INLINE bool fast_global(struct fast *f, const struct pw_module *m,
			enum fast_class class)
{
	uint32_t idx;

	if (!read_idx(f, &idx) || idx >= m->n[PW_EXT_GLOBAL])
		return false;
	if (class == FAST_GLOBAL_GET)
		return push(f, m->globals[idx].type);
	if (!m->globals[idx].mutable_ || !top_is(f, m->globals[idx].type))
		return false;
	f->sp--;
	return true;
}

INLINE bool fast_drop(struct fast *f)
{
	if (!has(f, 1))
		return false;
	f->sp--;
	return true;
}

INLINE bool fast_select(struct fast *f)
{
	uint32_t type;

	if (!has(f, 3) || f->sp[-1] != PW_I32 || f->sp[-2] != f->sp[-3])
		return false;
	type = f->sp[-2];
	if (type_is_ref(type))
		return false;
	f->sp -= 2;
	return true;
}

#endif
