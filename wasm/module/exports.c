// SPDX-License-Identifier: GPL-2.0-only
/*
 * The export and the start section: what a module gives out and where it
 * begins.
 */
#include <stdlib.h>
#include "module-impl.h"

static bool same_name(const struct pw_name *a, const struct pw_name *b)
{
	return a->len == b->len && !memcmp(a->s, b->s, a->len);
}

static int fail_twice(struct pw_cursor *c, const struct pw_name *name)
{
	return read_fail_at(c, (const uint8_t *)name->s,
			    "two exports named \"%.*s\"",
			    name->len > 60 ? 60 : (int)name->len, name->s);
}

/* A hash table of export numbers + 1, at most half full. */
static int check_distinct(struct pw_module *m, struct pw_cursor *c)
{
	size_t slots = 16;
	uint32_t *table;
	int rc = 0;

	while (slots < (size_t)m->n_exports * 2)
		slots *= 2;
	table = pw_zalloc(slots * sizeof(*table));
	for (uint32_t i = 0; i < m->n_exports && !rc; i++) {
		const struct pw_name *name = &m->exports[i].name;
		size_t at = pw_hash(name->s, name->len, 0) & (slots - 1);

		for (; table[at] && !rc; at = (at + 1) & (slots - 1))
			if (same_name(name, &m->exports[table[at] - 1].name))
				rc = fail_twice(c, name);
		table[at] = i + 1;
	}
	free(table);
	return rc;
}

static void note_func(struct pw_module *m, uint32_t func_idx)
{
	m->func_declared[func_idx] = true;
	if (!m->func_exports[func_idx])
		m->func_exports[func_idx] = m->n_exports + 1;
}

static int read_export(struct pw_module *m, struct pw_cursor *c)
{
	struct pw_export *e = &m->exports[m->n_exports];
	const uint8_t *at;
	uint8_t kind;

	if (!read_name(c, &e->name))
		return -1;
	at = c->p;
	kind = pw_cursor_u8(c);
	e->idx = pw_cursor_uleb32(c);
	if (kind > PW_EXT_TAG)
		return read_fail_at(c, at, "export kind %u, not 0 to 4", kind);
	e->kind = kind;
	if (c->failed || e->idx >= m->n[kind])
		return read_fail_at(
			c, at + 1,
			"an export of index %u, which does not exist", e->idx);
	if (kind == PW_EXT_FUNC)
		note_func(m, e->idx);
	m->n_exports++;
	return 0;
}

int read_export_section(struct pw_module *m, struct pw_cursor *c)
{
	uint32_t n = read_count(c, 3);

	m->exports = pw_alloc(n * sizeof(*m->exports) + 1);
	m->func_exports =
		pw_zalloc((m->n[PW_EXT_FUNC] + 1) * sizeof(*m->func_exports));
	for (uint32_t i = 0; i < n; i++)
		if (read_export(m, c) < 0)
			return -1;
	return c->failed ? -1 : check_distinct(m, c);
}

int read_start_section(struct pw_module *m, struct pw_cursor *c)
{
	const uint8_t *at = c->p;
	const struct pw_functype *ft;

	m->start = pw_cursor_uleb32(c);
	if (c->failed)
		return -1;
	if (m->start >= m->n[PW_EXT_FUNC])
		return read_fail_at(c, at, "start function %u does not exist",
				    m->start);
	ft = &m->types[m->funcs[m->start].type_idx].func;
	if (ft->n_params || ft->n_results)
		return read_fail_at(
			c, at, "start function %u has parameters or results",
			m->start);
	m->has_start = true;
	return 0;
}
