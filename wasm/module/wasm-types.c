// SPDX-License-Identifier: GPL-2.0-only
/*
 * Value types: their names, how they are read, and which matches which (core
 * specification 3.0, 3.3 "Matching"). Type indexes are canonical here. How
 * the type section makes them so is in rec-types.c.
 */
#include "module-impl.h"

uint32_t *arena_words(struct pw_module *m, size_t n)
{
	struct arena_chunk *c = m->arena;
	uint32_t *words;

	if (!c || c->cap - c->used < n) {
		size_t cap = n > 1000 ? n : 1000;

		c = pw_alloc(sizeof(*c) + cap * sizeof(c->words[0]));
		c->next = m->arena;
		c->used = 0;
		c->cap = cap;
		m->arena = c;
	}
	words = c->words + c->used;
	c->used += n;
	return words;
}

/* --- names --- */

static const char *byte_name(uint32_t byte)
{
	switch (byte) {
	case PW_I32:
		return "i32";
	case PW_I64:
		return "i64";
	case PW_F32:
		return "f32";
	case PW_F64:
		return "f64";
	case PW_V128:
		return "v128";
	case PW_I8:
		return "i8";
	case PW_I16:
		return "i16";
	case 0x74:
		return "noexn";
	case 0x73:
		return "nofunc";
	case 0x72:
		return "noextern";
	case 0x71:
		return "none";
	case 0x70:
		return "func";
	case 0x6f:
		return "extern";
	case 0x6e:
		return "any";
	case 0x6d:
		return "eq";
	case 0x6c:
		return "i31";
	case 0x6b:
		return "struct";
	case 0x6a:
		return "array";
	case 0x69:
		return "exn";
	}
	return "bottom";
}

/* "nullref" and so on: the text format's short forms of (ref null HEAP). */
static void short_ref_name(uint32_t heap, char *dst)
{
	const char *name = byte_name(heap & 0xff);

	if (heap == HEAP_NONE)
		strcpy(dst, "nullref");
	else if (heap == HEAP_NOFUNC || heap == HEAP_NOEXTERN ||
		 heap == HEAP_NOEXN)
		snprintf(dst, PW_TYPE_NAME_SIZE, "null%sref", name + 2);
	else
		snprintf(dst, PW_TYPE_NAME_SIZE, "%sref", name);
}

const char *pw_type_name(uint32_t type, char dst[PW_TYPE_NAME_SIZE])
{
	uint32_t heap = heap_of(type);
	const char *null = type & PW_NULLABLE ? "null " : "";

	if (!type_is_ref(type))
		snprintf(dst, PW_TYPE_NAME_SIZE, "%s", byte_name(type));
	else if (!(heap & PW_HEAP_ABSTRACT))
		snprintf(dst, PW_TYPE_NAME_SIZE, "(ref %s%u)", null, heap);
	else if (type & PW_NULLABLE && heap != HEAP_BOT)
		short_ref_name(heap, dst);
	else
		snprintf(dst, PW_TYPE_NAME_SIZE, "(ref %s%s)", null,
			 byte_name(heap & 0xff));
	return dst;
}

/* --- matching --- */

static bool abstract_matches(uint32_t sub, uint32_t super)
{
	switch (super) {
	case HEAP_ANY:
		return sub == HEAP_EQ || sub == HEAP_I31 ||
		       sub == HEAP_STRUCT || sub == HEAP_ARRAY ||
		       sub == HEAP_NONE;
	case HEAP_EQ:
		return sub == HEAP_I31 || sub == HEAP_STRUCT ||
		       sub == HEAP_ARRAY || sub == HEAP_NONE;
	case HEAP_I31:
	case HEAP_STRUCT:
	case HEAP_ARRAY:
		return sub == HEAP_NONE;
	case HEAP_FUNC:
		return sub == HEAP_NOFUNC;
	case HEAP_EXTERN:
		return sub == HEAP_NOEXTERN;
	case HEAP_EXN:
		return sub == HEAP_NOEXN;
	}
	return false;
}

static uint32_t heap_of_kind(enum comp_kind kind)
{
	switch (kind) {
	case COMP_FUNC:
		return HEAP_FUNC;
	case COMP_STRUCT:
		return HEAP_STRUCT;
	case COMP_ARRAY:
		break;
	}
	return HEAP_ARRAY;
}

static bool concrete_matches(const struct pw_module *m, uint32_t sub,
			     uint32_t super)
{
	uint32_t up = heap_of_kind(m->types[sub].kind);

	if (super & PW_HEAP_ABSTRACT)
		return up == super || abstract_matches(up, super);
	while (sub != super && sub != NO_IDX)
		sub = m->types[sub].super;
	return sub == super;
}

bool heap_matches(const struct pw_module *m, uint32_t sub, uint32_t super)
{
	if (sub == super || sub == HEAP_BOT)
		return true;
	if (!(sub & PW_HEAP_ABSTRACT))
		return concrete_matches(m, sub, super);
	if (super & PW_HEAP_ABSTRACT)
		return abstract_matches(sub, super);
	if (m->types[super].kind == COMP_FUNC)
		return sub == HEAP_NOFUNC;
	return sub == HEAP_NONE;
}

bool type_matches_slow(const struct pw_module *m, uint32_t sub, uint32_t super)
{
	if (sub == PW_BOTTOM || sub == super)
		return true;
	if (!type_is_ref(sub) || !type_is_ref(super))
		return false;
	if (sub & PW_NULLABLE && !(super & PW_NULLABLE))
		return false;
	return heap_matches(m, heap_of(sub), heap_of(super));
}

/* --- reading --- */

static bool byte_is_heap(uint8_t b)
{
	return b >= 0x69 && b <= 0x74;
}

/* The proposal that a type's byte belongs to, or NULL. */
static const char *proposal_of(uint8_t byte)
{
	switch (byte) {
	case 0x62:
		return "exact references (custom descriptors)";
	case 0x65:
		return "shared references (shared-everything threads)";
	case 0x68:
	case 0x75:
		return "continuations (stack switching)";
	}
	return NULL;
}

static uint32_t unknown_type(struct pw_cursor *c, const uint8_t *at,
			     const char *what)
{
	const char *proposal = proposal_of(*at);

	c->p = at;
	if (proposal)
		pw_cursor_fail(c, ENOTSUP,
			       "type byte 0x%02x: %s are not supported", *at,
			       proposal);
	else
		pw_cursor_fail(c, EINVAL, "expected a %s, found byte 0x%02x",
			       what, *at);
	return PW_BOTTOM;
}

uint32_t read_heap_type(const struct pw_module *m, struct pw_cursor *c,
			uint32_t n_types)
{
	const uint8_t *at = c->p;
	int64_t v = pw_cursor_sleb33(c);

	if (c->failed)
		return PW_BOTTOM;
	if (v < 0) {
		uint8_t b = v & 0x7f;

		if (v >= -64 && byte_is_heap(b))
			return PW_HEAP_ABSTRACT | b;
		return unknown_type(c, at, "heap type");
	}
	if (v >= n_types) {
		c->p = at;
		pw_cursor_fail(c, EINVAL,
			       "type index %lld, but there are %u types here",
			       (long long)v, n_types);
		return PW_BOTTOM;
	}
	return m->types[v].canon;
}

uint32_t read_ref_type(const struct pw_module *m, struct pw_cursor *c,
		       uint32_t n_types)
{
	const uint8_t *at = c->p;
	uint8_t b = pw_cursor_u8(c);

	if (c->failed)
		return PW_BOTTOM;
	if (byte_is_heap(b))
		return type_ref(true, PW_HEAP_ABSTRACT | b);
	if (b == 0x63 || b == 0x64) {
		uint32_t heap = read_heap_type(m, c, n_types);

		return c->failed ? PW_BOTTOM : type_ref(b == 0x63, heap);
	}
	return unknown_type(c, at, "reference type");
}

uint32_t read_value_type(const struct pw_module *m, struct pw_cursor *c,
			 uint32_t n_types)
{
	const uint8_t *at = c->p;
	uint32_t type;

	if (at < c->end && *at >= PW_V128 && *at <= PW_I32) {
		c->p++;
		return *at;
	}
	if (at < c->end && !byte_is_heap(*at) && *at != 0x63 && *at != 0x64)
		return unknown_type(c, at, "value type");
	type = read_ref_type(m, c, n_types);
	return type;
}
