// SPDX-License-Identifier: GPL-2.0-only
/*
 * push: everything that pushes a value of a type: a few constants that tend
 * to make a difference, every local, some globals. Knows nothing of where it
 * is put.
 */
#include <string.h>

#include "site.h"

bool op_only_pushes(enum pw_op op)
{
	switch (op) {
	case PW_OP_i32_const:
	case PW_OP_i64_const:
	case PW_OP_f32_const:
	case PW_OP_f64_const:
	case PW_OP_v128_const:
	case PW_OP_local_get:
	case PW_OP_global_get:
	case PW_OP_ref_null:
	case PW_OP_ref_func:
		return true;
	default:
		return false;
	}
}

/* --- constants ------------------------------------------------------------ */

/* Distinct values, in the order in which they were added. */
struct values {
	uint64_t v[16];
	unsigned n;
};

static void add_value(struct values *vs, uint64_t v)
{
	for (unsigned i = 0; i < vs->n; i++)
		if (vs->v[i] == v)
			return;
	vs->v[vs->n++] = v;
}

static int64_t wrap(uint64_t v, unsigned bits)
{
	return bits == 32 ? (int32_t)(uint32_t)v : (int64_t)v;
}

/* The greatest power of two that is not above the magnitude. */
static uint64_t floor_power(int64_t v)
{
	uint64_t mag = v < 0 ? -(uint64_t)v : (uint64_t)v;

	return mag ? 1ull << (63 - __builtin_clzll(mag)) : 1;
}

static void integers(struct values *vs, unsigned bits,
		     const struct site_const *old)
{
	uint64_t min = 1ull << (bits - 1);

	add_value(vs, 0);
	add_value(vs, 1);
	add_value(vs, (uint64_t)-1);
	add_value(vs, wrap(min, bits));
	add_value(vs, wrap(min - 1, bits));
	if (!old)
		return;
	add_value(vs, wrap((uint64_t)old->i64 - 1, bits));
	add_value(vs, wrap((uint64_t)old->i64 + 1, bits));
	add_value(vs, wrap(-(uint64_t)old->i64, bits));
	add_value(vs, wrap(floor_power(old->i64), bits));
}

/* 0, 1, -1, 0.5, infinity, and the negative: no NaN, which spreads. */
static void floats(struct values *vs, uint32_t type,
		   const struct site_const *old)
{
	static const uint64_t f32[] = { 0, 0x3f800000, 0xbf800000, 0x3f000000,
					0x7f800000 };
	static const uint64_t f64[] = { 0, 0x3ff0000000000000,
					0xbff0000000000000, 0x3fe0000000000000,
					0x7ff0000000000000 };
	bool is32 = type == PW_F32;

	for (unsigned i = 0; i < 5; i++)
		add_value(vs, is32 ? f32[i] : f64[i]);
	if (old && is32)
		add_value(vs, (uint32_t)old->i64 ^ 0x80000000u);
	else if (old)
		add_value(vs, (uint64_t)old->i64 ^ 1ull << 63);
}

static int push_value(struct site *s, uint32_t type, uint64_t v)
{
	struct pw_mutation *mut = &s->mut;

	switch (type) {
	case PW_I32:
		new_op(mut, PW_OP_i32_const);
		new_sleb(mut, (int64_t)v);
		break;
	case PW_I64:
		new_op(mut, PW_OP_i64_const);
		new_sleb(mut, (int64_t)v);
		break;
	case PW_F32:
		new_op(mut, PW_OP_f32_const);
		for (int i = 0; i < 4; i++)
			new_u8(mut, (uint8_t)(v >> 8 * i));
		break;
	case PW_F64:
		new_op(mut, PW_OP_f64_const);
		for (int i = 0; i < 8; i++)
			new_u8(mut, (uint8_t)(v >> 8 * i));
		break;
	}
	return site_emit(s);
}

static bool is_old(uint32_t type, uint64_t v, const struct site_const *old)
{
	if (!old)
		return false;
	if (type == PW_F32)
		return (uint32_t)v == (uint32_t)old->i64;
	return v == (uint64_t)old->i64;
}

/* A vector is its first `unit` bytes again and again. */
static int push_vectors(struct site *s, const struct site_const *old,
			unsigned n)
{
	static const struct {
		uint8_t unit, b[8];
	} patterns[] = {
		{ 1, { 0 } },                            /* zero */
		{ 4, { 1 } },                            /* i32x4 1 */
		{ 1, { 0xff } },                         /* all ones */
		{ 4, { 0, 0, 0x80, 0x3f } },             /* f32x4 1.0 */
		{ 8, { 0, 0, 0, 0, 0, 0, 0xf0, 0x3f } }, /* f64x2 1.0 */
	};
	uint8_t v[16];
	int rc = 0;

	for (unsigned i = 0; i < n && !rc; i++) {
		for (unsigned j = 0; j < 16; j++)
			v[j] = patterns[i].b[j % patterns[i].unit];
		if (old && !memcmp(v, old->v128, 16))
			continue;
		new_op(&s->mut, PW_OP_v128_const);
		new_bytes(&s->mut, v, 16);
		rc = site_emit(s);
	}
	return rc;
}

int push_consts(struct site *s, uint32_t type, const struct site_const *old)
{
	struct values vs = { .n = 0 };
	int rc = 0;

	if (type == PW_V128)
		return push_vectors(s, old, 5);
	if (type == PW_I32 || type == PW_I64)
		integers(&vs, type == PW_I32 ? 32 : 64, old);
	else if (type == PW_F32 || type == PW_F64)
		floats(&vs, type, old);
	for (unsigned i = 0; i < vs.n && !rc; i++)
		if (!is_old(type, vs.v[i], old))
			rc = push_value(s, type, vs.v[i]);
	return rc;
}

int push_few_consts(struct site *s, uint32_t type)
{
	static const struct {
		uint32_t type;
		uint64_t one;
	} ones[] = { { PW_I32, 1 },
		     { PW_I64, 1 },
		     { PW_F32, 0x3f800000 },
		     { PW_F64, 0x3ff0000000000000 } };

	if (type == PW_V128)
		return push_vectors(s, NULL, 1);
	if (type & PW_REF)
		return push_null(s, type);
	for (unsigned i = 0; i < 4; i++) {
		int rc;

		if (ones[i].type != type)
			continue;
		rc = push_value(s, type, 0);
		return rc ? rc : push_value(s, type, ones[i].one);
	}
	return 0;
}

/* The heap type of ref.null: a byte of one of the abstract types, or the
 * index of a defined one. */
int push_null(struct site *s, uint32_t type)
{
	if (!(type & PW_NULLABLE))
		return 0;
	new_op(&s->mut, PW_OP_ref_null);
	if (type & PW_HEAP_ABSTRACT)
		new_u8(&s->mut, type & 0x7f);
	else
		new_sleb(&s->mut, type & PW_HEAP_MASK);
	return site_emit(s);
}

/* --- variables -------------------------------------------------------------- */

static int push_variables(struct site *s, const struct pool *pool,
			  enum pw_op op, uint32_t type, uint32_t except,
			  uint32_t max)
{
	uint32_t n;
	const uint64_t *key = pool_find(pool, type, &n);
	int rc = 0;

	for (uint32_t i = 0; i < n && max && !rc; i++) {
		if ((uint32_t)key[i] == except)
			continue;
		new_op(&s->mut, op);
		new_uleb(&s->mut, (uint32_t)key[i]);
		rc = site_emit(s);
		max--;
	}
	return rc;
}

int push_locals(struct site *s, uint32_t type, uint32_t except)
{
	return push_variables(s, &s->locals, PW_OP_local_get, type, except,
			      UINT32_MAX);
}

int push_globals(struct site *s, uint32_t type, uint32_t except)
{
	return push_variables(s, &s->globals, PW_OP_global_get, type, except,
			      SITE_GLOBALS);
}
