// SPDX-License-Identifier: GPL-2.0-only
/*
 * The export and the start section: what a module gives out and where it
 * begins.
 */
#include <stdlib.h>
#include "module-impl.h"

static int compare_exports(const void *a, const void *b)
{
	const struct pw_name *x = &(*(const struct pw_export *const *)a)->name;
	const struct pw_name *y = &(*(const struct pw_export *const *)b)->name;
	int order = memcmp(x->s, y->s, x->len < y->len ? x->len : y->len);

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

static int check_distinct(struct pw_module *m, struct pw_cursor *c)
{
	const struct pw_export **sorted;
	int rc = 0;

	sorted = pw_alloc(m->n_exports * sizeof(*sorted) + 1);
	for (uint32_t i = 0; i < m->n_exports; i++)
		sorted[i] = &m->exports[i];
	qsort(sorted, m->n_exports, sizeof(*sorted), compare_exports);
	for (uint32_t i = 1; i < m->n_exports && !rc; i++) {
		const struct pw_name *name = &sorted[i]->name;

		if (compare_exports(&sorted[i - 1], &sorted[i]))
			continue;
		c->p = (const uint8_t *)name->s;
		rc = pw_cursor_fail(c, EINVAL, "two exports named \"%.*s\"",
				    name->len > 60 ? 60 : (int)name->len,
				    name->s);
	}
	free(sorted);
	return rc;
}

int read_export_section(struct pw_module *m, struct pw_cursor *c)
{
	uint32_t n = read_count(c, 3);

	m->exports = pw_alloc(n * sizeof(*m->exports) + 1);
	for (uint32_t i = 0; i < n; i++) {
		struct pw_export *e = &m->exports[i];
		const uint8_t *at;
		uint8_t kind;

		if (!read_name(c, &e->name))
			return -1;
		at = c->p;
		kind = pw_cursor_u8(c);
		e->idx = pw_cursor_uleb32(c);
		if (c->failed)
			return -1;
		if (kind > PW_EXT_TAG)
			return read_fail_at(c, at, "export kind %u, not 0 to 4",
					    kind);
		e->kind = kind;
		if (e->idx >= m->n[kind])
			return read_fail_at(
				c, at + 1,
				"an export of index %u, which does not exist",
				e->idx);
		if (kind == PW_EXT_FUNC)
			m->func_declared[e->idx] = true;
		m->n_exports++;
	}
	return check_distinct(m, c);
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
