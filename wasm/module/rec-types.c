// SPDX-License-Identifier: GPL-2.0-only
/*
 * The type section: recursive groups, subtypes, and the canonical index of
 * each type. Two groups are equal when they read the same with references
 * inside the group counted from its start and references out of it
 * canonical (core specification 3.0, 4.1.2 "Rolling"). So a group is turned
 * into words, looked up by hash, and an equal earlier group lends its index.
 */
#include <stdlib.h>
#include "module-impl.h"

struct group {
	uint64_t hash;
	uint32_t start, n;
};

struct reader {
	struct pw_module *m;
	struct pw_cursor *c;
	uint32_t cap;
	struct group *table; /* open addressing, a power of two slots */
	uint32_t slots, n_groups;
	struct pw_buf key, other;
	struct pw_buf fields; /* uint32_t of the type being read */
};

/* --- one group as words --- */

#define IN_GROUP (1u << 27) /* a supertype's index counts from the start */

static uint32_t rolled(uint32_t t, uint32_t start, uint32_t n)
{
	uint32_t idx = t & PW_HEAP_MASK & ~FIELD_MUT;

	if (!type_is_ref(t) || t & PW_HEAP_ABSTRACT)
		return t;
	if (idx < start || idx >= start + n)
		return t;
	/* PW_EXACT never comes out of the readers: here it marks "relative" */
	return (t & ~PW_HEAP_MASK) | PW_EXACT | (t & FIELD_MUT) | (idx - start);
}

static void add_types(struct pw_buf *key, const uint32_t *t, uint32_t n,
		      uint32_t start, uint32_t group_n)
{
	pw_buf_add_u32(key, n);
	for (uint32_t i = 0; i < n; i++)
		pw_buf_add_u32(key, rolled(t[i], start, group_n));
}

static void write_group(const struct pw_module *m, struct pw_buf *key,
			uint32_t start, uint32_t n)
{
	key->len = 0;
	for (uint32_t i = start; i < start + n; i++) {
		const struct mod_type *t = &m->types[i];
		uint32_t super = t->super;

		if (super != NO_IDX && super >= start && super < start + n)
			super = (super - start) | IN_GROUP;
		pw_buf_add_u32(key, t->kind | (t->final ? 256 : 0));
		pw_buf_add_u32(key, super);
		if (t->kind == COMP_FUNC) {
			add_types(key, t->func.params, t->func.n_params, start,
				  n);
			add_types(key, t->func.results, t->func.n_results,
				  start, n);
		} else {
			add_types(key, t->fields, t->n_fields, start, n);
		}
	}
}

/* --- the table of groups --- */

static void grow_table(struct reader *r)
{
	uint32_t slots = r->slots ? r->slots * 2 : 64;
	struct group *old = r->table;

	r->table = pw_zalloc(slots * sizeof(*old));
	for (uint32_t i = 0; i < r->slots; i++) {
		uint32_t at = old[i].hash & (slots - 1);

		if (!old[i].n)
			continue;
		while (r->table[at].n)
			at = (at + 1) & (slots - 1);
		r->table[at] = old[i];
	}
	free(old);
	r->slots = slots;
}

/* The start of an earlier group that equals this one, or `start`. */
static uint32_t find_group(struct reader *r, uint32_t start, uint32_t n)
{
	uint64_t hash;
	uint32_t at;

	if (r->n_groups * 2 >= r->slots)
		grow_table(r);
	write_group(r->m, &r->key, start, n);
	hash = pw_hash(r->key.data, r->key.len, 0);
	at = hash & (r->slots - 1);
	for (; r->table[at].n; at = (at + 1) & (r->slots - 1)) {
		struct group *g = &r->table[at];

		if (g->hash != hash || g->n != n)
			continue;
		write_group(r->m, &r->other, g->start, n);
		if (r->other.len == r->key.len &&
		    !memcmp(r->other.data, r->key.data, r->key.len))
			return g->start;
	}
	r->table[at] = (struct group){ hash, start, n };
	r->n_groups++;
	return start;
}

/* Moves references into the group [start, start + n) to the equal one. */
static void move_types(const uint32_t *types, uint32_t n_types, uint32_t start,
		       uint32_t n, uint32_t to)
{
	uint32_t *t = (uint32_t *)types; /* the arena's, ours to change */

	for (uint32_t i = 0; i < n_types; i++) {
		uint32_t idx = t[i] & PW_HEAP_MASK & ~FIELD_MUT;

		if (type_is_ref(t[i]) && !(t[i] & PW_HEAP_ABSTRACT) &&
		    idx >= start && idx < start + n)
			t[i] = t[i] - start + to;
	}
}

static void move_group(struct pw_module *m, uint32_t start, uint32_t n,
		       uint32_t to)
{
	for (uint32_t i = start; i < start + n; i++) {
		struct mod_type *t = &m->types[i];

		t->canon = i - start + to;
		if (t->super != NO_IDX && t->super >= start)
			t->super = t->super - start + to;
		move_types(t->func.params, t->func.n_params, start, n, to);
		move_types(t->func.results, t->func.n_results, start, n, to);
		move_types(t->fields, t->n_fields, start, n, to);
	}
}

/* --- subtypes --- */

static bool field_matches(const struct pw_module *m, uint32_t sub,
			  uint32_t super)
{
	if ((sub ^ super) & FIELD_MUT)
		return false;
	if (sub & FIELD_MUT)
		return sub == super;
	return type_matches(m, sub, super);
}

static bool func_matches(const struct pw_module *m, const struct pw_functype *a,
			 const struct pw_functype *b)
{
	if (a->n_params != b->n_params || a->n_results != b->n_results)
		return false;
	for (uint32_t i = 0; i < a->n_params; i++)
		if (!type_matches(m, b->params[i], a->params[i]))
			return false;
	for (uint32_t i = 0; i < a->n_results; i++)
		if (!type_matches(m, a->results[i], b->results[i]))
			return false;
	return true;
}

static bool comp_matches(const struct pw_module *m, const struct mod_type *a,
			 const struct mod_type *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == COMP_FUNC)
		return func_matches(m, &a->func, &b->func);
	if (a->n_fields < b->n_fields)
		return false;
	for (uint32_t i = 0; i < b->n_fields; i++)
		if (!field_matches(m, a->fields[i], b->fields[i]))
			return false;
	return true;
}

static int check_super(struct reader *r, uint32_t idx)
{
	const struct mod_type *t = &r->m->types[idx];
	const struct mod_type *s;

	if (t->super == NO_IDX)
		return 0;
	s = &r->m->types[t->super];
	if (s->final)
		return pw_cursor_fail(r->c, EINVAL,
				      "type %u extends type %u, which is final",
				      idx, t->super);
	if (!comp_matches(r->m, t, s))
		return pw_cursor_fail(r->c, EINVAL,
				      "type %u does not match its supertype %u",
				      idx, t->super);
	return 0;
}

/* --- reading --- */

/* Within a group its own types may be named, also those still to come. Their
 * canonical index is their own until the group is complete. */
static uint32_t read_storage(struct reader *r, uint32_t n_types)
{
	struct pw_cursor *c = r->c;

	if (c->p < c->end && (*c->p == PW_I8 || *c->p == PW_I16))
		return pw_cursor_u8(c);
	return read_value_type(r->m, c, n_types);
}

static void add_field(struct reader *r, uint32_t type)
{
	pw_buf_add(&r->fields, &type, sizeof(type));
}

static uint32_t *take_fields(struct reader *r, uint32_t n)
{
	uint32_t *words = arena_words(r->m, n);

	if (n)
		memcpy(words, r->fields.data, n * sizeof(*words));
	return words;
}

static const uint32_t *read_types(struct reader *r, uint32_t *n,
				  uint32_t n_types, uint32_t max)
{
	*n = read_count(r->c, 1);
	if (*n > max) {
		pw_cursor_fail(
			r->c, ENOTSUP,
			"%u parameters or results, more than the %u that engines allow",
			*n, max);
		*n = 0;
	}
	r->fields.len = 0;
	for (uint32_t i = 0; i < *n && !r->c->failed; i++)
		add_field(r, read_value_type(r->m, r->c, n_types));
	return r->c->failed ? NULL : take_fields(r, *n);
}

static void read_fields(struct reader *r, struct mod_type *t, uint32_t n_types)
{
	uint32_t n = t->kind == COMP_ARRAY ? 1 : read_count(r->c, 2);

	if (n > MAX_FIELDS) {
		pw_cursor_fail(
			r->c, ENOTSUP,
			"a structure of %u fields, more than the %d that engines allow",
			n, MAX_FIELDS);
		return;
	}
	r->fields.len = 0;
	for (uint32_t i = 0; i < n && !r->c->failed; i++) {
		uint32_t type = read_storage(r, n_types);
		uint8_t mut = pw_cursor_u8(r->c);

		if (mut > 1) {
			r->c->p--;
			pw_cursor_fail(r->c, EINVAL,
				       "a field's mutability is %u, not 0 or 1",
				       mut);
		}
		add_field(r, type | (mut ? FIELD_MUT : 0));
	}
	if (r->c->failed)
		return;
	t->fields = take_fields(r, n);
	t->n_fields = n;
}

/* The proposal that the form of a type belongs to, or NULL. */
static const char *proposal_of(uint8_t form)
{
	switch (form) {
	case 0x4c:
	case 0x4d:
		return "custom descriptors";
	case 0x5d:
		return "continuations (stack switching)";
	case 0x65:
		return "shared types (shared-everything threads)";
	}
	return NULL;
}

static void read_comp(struct reader *r, struct mod_type *t, uint32_t n_types)
{
	uint8_t form = pw_cursor_u8(r->c);

	if (r->c->failed)
		return;
	switch (form) {
	case 0x60:
		t->kind = COMP_FUNC;
		t->func.params =
			read_types(r, &t->func.n_params, n_types, MAX_PARAMS);
		t->func.results =
			read_types(r, &t->func.n_results, n_types, MAX_RESULTS);
		return;
	case 0x5f:
	case 0x5e:
		t->kind = form == 0x5f ? COMP_STRUCT : COMP_ARRAY;
		read_fields(r, t, n_types);
		return;
	}
	r->c->p--;
	if (proposal_of(form))
		pw_cursor_fail(r->c, ENOTSUP,
			       "type form 0x%02x: %s are not supported", form,
			       proposal_of(form));
	else
		pw_cursor_fail(
			r->c, EINVAL,
			"expected a function, structure or array type, found byte 0x%02x",
			form);
}

static void read_subtype(struct reader *r, uint32_t idx, uint32_t n_types)
{
	struct mod_type *t = &r->m->types[idx];
	struct pw_cursor *c = r->c;
	uint8_t form = c->p < c->end ? *c->p : 0;
	uint32_t n_super = 0;

	t->super = NO_IDX;
	t->final = form != 0x50;
	if (form == 0x50 || form == 0x4f) {
		c->p++;
		n_super = pw_cursor_uleb32(c);
	}
	if (n_super > 1)
		pw_cursor_fail(c, EINVAL,
			       "type %u has %u supertypes, not 0 or 1", idx,
			       n_super);
	if (n_super == 1) {
		uint32_t super = pw_cursor_uleb32(c);

		if (!c->failed && super >= idx)
			pw_cursor_fail(
				c, EINVAL,
				"type %u extends type %u, which does not stand before it",
				idx, super);
		if (!c->failed && r->m->types[super].depth == MAX_SUBTYPE_DEPTH)
			pw_cursor_fail(
				c, ENOTSUP,
				"type %u has more than the %d supertypes that engines allow",
				idx, MAX_SUBTYPE_DEPTH);
		if (c->failed)
			return;
		t->super = r->m->types[super].canon;
		t->depth = r->m->types[super].depth + 1;
	}
	if (!c->failed)
		read_comp(r, t, n_types);
}

static int reserve_types(struct reader *r, uint32_t n)
{
	struct pw_module *m = r->m;
	uint64_t need = (uint64_t)m->n_types + n;

	if (need > MAX_TYPES)
		return pw_cursor_fail(
			r->c, ENOTSUP,
			"more than the %d types that engines allow", MAX_TYPES);
	if (need > r->cap) {
		r->cap = need > r->cap * 2ull ? need : r->cap * 2ull;
		m->types = pw_realloc(m->types, r->cap * sizeof(*m->types));
	}
	memset(m->types + m->n_types, 0, n * sizeof(*m->types));
	for (uint32_t i = 0; i < n; i++)
		m->types[m->n_types + i].canon = m->n_types + i;
	return 0;
}

static int read_group(struct reader *r)
{
	struct pw_module *m = r->m;
	uint32_t start = m->n_types, n = 1, to;

	if (r->c->p < r->c->end && *r->c->p == 0x4e) {
		r->c->p++;
		n = read_count(r->c, 2);
	}
	if (r->c->failed || reserve_types(r, n) < 0)
		return -1;
	for (uint32_t i = 0; i < n && !r->c->failed; i++)
		read_subtype(r, start + i, start + n);
	if (r->c->failed)
		return -1;
	to = n ? find_group(r, start, n) : start;
	if (to != start)
		move_group(m, start, n, to);
	m->n_types += n;
	for (uint32_t i = 0; i < n; i++)
		if (check_super(r, start + i) < 0)
			return -1;
	return 0;
}

int read_type_section(struct pw_module *m, struct pw_cursor *c)
{
	struct reader r = { .m = m, .c = c };
	uint32_t n = read_count(c, 2);

	r.cap = n;
	m->types = pw_zalloc((size_t)n * sizeof(*m->types) + 1);
	for (uint32_t i = 0; i < n && !c->failed; i++)
		read_group(&r);
	free(r.table);
	pw_buf_release(&r.key);
	pw_buf_release(&r.other);
	pw_buf_release(&r.fields);
	return c->failed ? -1 : 0;
}
