// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sections that fill what the others declare: elements, code, data. A
 * body is located and its locals are read over; its instructions are the
 * walker's business.
 */
#include "module-impl.h"

static int bad_index(struct pw_cursor *c, const uint8_t *at, const char *what,
		     uint32_t idx)
{
	return read_fail_at(c, at, "%s %u does not exist", what, idx);
}

/* --- elements --- */

static int read_elem_funcs(struct pw_module *m, struct pw_cursor *c)
{
	uint32_t n = read_count(c, 1);

	for (uint32_t i = 0; i < n && !c->failed; i++) {
		const uint8_t *at = c->p;
		uint32_t idx = pw_cursor_uleb32(c);

		if (c->failed || idx >= m->n[PW_EXT_FUNC])
			return bad_index(c, at, "function", idx);
		m->func_declared[idx] = true;
	}
	return c->failed ? -1 : 0;
}

static int read_elem_exprs(struct pw_module *m, struct pw_cursor *c,
			   uint32_t type)
{
	uint32_t n = read_count(c, 2);

	for (uint32_t i = 0; i < n; i++)
		if (check_const_expr(m, c, type) < 0)
			return -1;
	return c->failed ? -1 : 0;
}

/* The table and offset of an active segment. */
static int read_elem_place(struct pw_module *m, struct pw_cursor *c,
			   uint32_t flags, const struct mod_table **table)
{
	const uint8_t *at = c->p;
	uint32_t idx = flags & 2 ? pw_cursor_uleb32(c) : 0;

	if (c->failed || idx >= m->n[PW_EXT_TABLE])
		return bad_index(c, at, "table", idx);
	*table = &m->tables[idx];
	return check_const_expr(m, c, (*table)->is64 ? PW_I64 : PW_I32);
}

/* Flags: 1 not active, 2 an explicit table or declarative, 4 expressions. */
static int read_elem(struct pw_module *m, struct pw_cursor *c)
{
	const uint8_t *at = c->p;
	uint32_t flags = pw_cursor_uleb32(c), type;
	const struct mod_table *table = NULL;

	if (flags > 7)
		return pw_cursor_fail(c, EINVAL,
				      "element segment flags %u, not 0 to 7",
				      flags);
	if (!(flags & 1) && read_elem_place(m, c, flags, &table) < 0)
		return -1;
	type = type_ref(flags & 4, HEAP_FUNC);
	if (flags & 3 && flags & 4) {
		type = read_ref_type(m, c, m->n_types);
	} else if (flags & 3) {
		uint8_t kind = pw_cursor_u8(c);

		if (kind)
			return pw_cursor_fail(c, EINVAL,
					      "element kind 0x%02x, not 0",
					      kind);
	}
	if (c->failed)
		return -1;
	if (table && !type_matches(m, type, table->type)) {
		return read_fail_at(
			c, at,
			"an element segment does not fit its table's type");
	}
	m->elems[m->n_elems++].type = type;
	return flags & 4 ? read_elem_exprs(m, c, type) : read_elem_funcs(m, c);
}

int read_elem_section(struct pw_module *m, struct pw_cursor *c)
{
	uint32_t n = read_count(c, 2);

	m->elems = pw_alloc(n * sizeof(*m->elems) + 1);
	for (uint32_t i = 0; i < n && !c->failed; i++)
		read_elem(m, c);
	return c->failed ? -1 : 0;
}

/* --- code --- */

static int skip_locals(struct pw_module *m, struct pw_cursor *c,
		       uint32_t n_params)
{
	uint32_t groups = read_count(c, 2);
	uint64_t total = n_params;

	for (uint32_t i = 0; i < groups && !c->failed; i++) {
		const uint8_t *at = c->p;

		total += pw_cursor_uleb32(c);
		if (total > MAX_LOCALS) {
			return read_fail_at(
				c, at,
				"%llu locals, more than the %d that engines allow",
				(unsigned long long)total, MAX_LOCALS);
		}
		read_value_type(m, c, m->n_types);
	}
	return c->failed ? -1 : 0;
}

static int read_body(struct pw_module *m, struct pw_cursor *c,
		     struct pw_func *f)
{
	uint32_t n_params = m->types[f->type_idx].func.n_params;
	struct pw_cursor body;
	const uint8_t *bytes;

	f->size_off = pw_cursor_off(c);
	f->body_size = pw_cursor_uleb32(c);
	f->body_off = pw_cursor_off(c);
	bytes = c->failed ? NULL : pw_cursor_bytes(c, f->body_size);
	if (!bytes)
		return -1;
	pw_cursor_init(&body, bytes, f->body_size, f->body_off, c->err);
	if (skip_locals(m, &body, n_params) < 0) {
		c->failed = true;
		return -1;
	}
	f->code_off = pw_cursor_off(&body);
	return 0;
}

int read_code_section(struct pw_module *m, struct pw_cursor *c)
{
	const uint8_t *at = c->p;
	uint32_t n = read_count(c, 3);
	uint32_t imported = m->n_imported[PW_EXT_FUNC];

	if (c->failed)
		return -1;
	if (n != m->n[PW_EXT_FUNC] - imported) {
		return read_fail_at(
			c, at,
			"%u bodies, but the function section declares %u", n,
			m->n[PW_EXT_FUNC] - imported);
	}
	for (uint32_t i = 0; i < n; i++)
		if (read_body(m, c, &m->funcs[imported + i]) < 0)
			return -1;
	m->n_code = n;
	return 0;
}

/* --- data --- */

int read_data_count_section(struct pw_module *m, struct pw_cursor *c)
{
	m->data_count = pw_cursor_uleb32(c);
	m->has_data_count = true;
	return c->failed ? -1 : 0;
}

static int read_data(struct pw_module *m, struct pw_cursor *c)
{
	const uint8_t *at = c->p;
	uint32_t flags = pw_cursor_uleb32(c), idx = 0;

	if (flags > 2) {
		return read_fail_at(c, at, "data segment flags %u, not 0 to 2",
				    flags);
	}
	if (flags != 1) {
		if (flags == 2)
			idx = pw_cursor_uleb32(c);
		if (c->failed || idx >= m->n[PW_EXT_MEMORY])
			return bad_index(c, at, "memory", idx);
		if (check_const_expr(m, c,
				     m->memories[idx].is64 ? PW_I64 : PW_I32) <
		    0)
			return -1;
	}
	pw_cursor_bytes(c, pw_cursor_uleb32(c));
	return c->failed ? -1 : 0;
}

int read_data_section(struct pw_module *m, struct pw_cursor *c)
{
	const uint8_t *at = c->p;
	uint32_t n = read_count(c, 2);

	if (c->failed)
		return -1;
	if (m->has_data_count && n != m->data_count) {
		return read_fail_at(
			c, at,
			"%u data segments, but the data count section says %u",
			n, m->data_count);
	}
	m->n_data = n;
	for (uint32_t i = 0; i < n && !c->failed; i++)
		read_data(m, c);
	return c->failed ? -1 : 0;
}
