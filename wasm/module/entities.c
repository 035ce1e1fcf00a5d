// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sections from import to global: what a module has and brings in.
 * Every index is checked where it is read; counts never make us allocate
 * more than a small multiple of the bytes that are there.
 */
#include "module-impl.h"

uint32_t read_count(struct pw_cursor *c, uint32_t entry_bytes)
{
	const uint8_t *at = c->p;
	uint32_t n = pw_cursor_uleb32(c);

	if (c->failed)
		return 0;
	if ((uint64_t)n * entry_bytes <= pw_cursor_left(c))
		return n;
	c->p = at;
	pw_cursor_fail(c, EINVAL, "%u entries, but only %zu bytes are left", n,
		       (size_t)(c->end - at));
	return 0;
}

bool read_name(struct pw_cursor *c, struct pw_name *name)
{
	const uint8_t *at = c->p;
	uint32_t len = pw_cursor_uleb32(c);
	const uint8_t *s = c->failed ? NULL : pw_cursor_bytes(c, len);

	if (!s)
		return false;
	if (!utf8_valid(s, len)) {
		c->p = at;
		pw_cursor_fail(c, EINVAL, "a name is not valid UTF-8");
		return false;
	}
	*name = (struct pw_name){ (const char *)s, len };
	return true;
}

int read_fail_at(struct pw_cursor *c, const uint8_t *at, const char *fmt, ...)
{
	char msg[sizeof(c->err->msg)];
	va_list ap;

	if (c->failed)
		return -1;
	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	c->p = at;
	return pw_cursor_fail(c, EINVAL, "%s", msg);
}

/* --- limits --- */

struct limits {
	uint64_t min, max; /* max UINT64_MAX: none */
	bool has_max, shared, is64;
	uint8_t page_log2;
};

static int read_limits(struct pw_cursor *c, struct limits *l, bool memory)
{
	const uint8_t *at = c->p;
	uint8_t flags = pw_cursor_u8(c);

	if (flags > (memory ? 15 : 7) || (!memory && flags & 2))
		return read_fail_at(c, at, "limits flags 0x%02x", flags);
	*l = (struct limits){
		.max = UINT64_MAX,
		.has_max = flags & 1,
		.shared = flags & 2,
		.is64 = flags & 4,
		.page_log2 = 16,
	};
	l->min = l->is64 ? pw_cursor_uleb64(c) : pw_cursor_uleb32(c);
	if (l->has_max)
		l->max = l->is64 ? pw_cursor_uleb64(c) : pw_cursor_uleb32(c);
	if (!c->failed && l->has_max && l->min > l->max)
		return read_fail_at(
			c, at, "limits whose minimum is above the maximum");
	if (flags & 8) {
		const uint8_t *page = c->p;
		uint32_t log2 = pw_cursor_uleb32(c);

		if (log2 != 0 && log2 != 16)
			return read_fail_at(
				c, page,
				"a page size of 2^%u bytes, only 1 and 65536 are allowed",
				log2);
		l->page_log2 = log2;
	}
	return c->failed ? -1 : 0;
}

/* --- one entity of each kind --- */

static int read_func(struct pw_module *m, struct pw_cursor *c)
{
	const uint8_t *at = c->p;
	uint32_t type_idx = pw_cursor_uleb32(c);

	if (c->failed)
		return -1;
	if (type_idx >= m->n_types)
		return read_fail_at(c, at, "type %u does not exist", type_idx);
	if (m->types[type_idx].kind != COMP_FUNC)
		return read_fail_at(c, at, "type %u is not a function type",
				    type_idx);
	m->funcs[m->n[PW_EXT_FUNC]++] =
		(struct pw_func){ .type_idx = type_idx };
	return 0;
}

static int read_table_type(struct pw_module *m, struct pw_cursor *c)
{
	struct mod_table *t = &m->tables[m->n[PW_EXT_TABLE]];
	struct limits l;

	t->type = read_ref_type(m, c, m->n_types);
	if (c->failed || read_limits(c, &l, false) < 0)
		return -1;
	t->is64 = l.is64;
	t->min = l.min;
	t->max = l.max;
	return 0;
}

static int read_memory(struct pw_module *m, struct pw_cursor *c)
{
	const uint8_t *at = c->p;
	struct limits l;
	uint64_t most;

	if (read_limits(c, &l, true) < 0)
		return -1;
	if (l.shared && !l.has_max)
		return read_fail_at(c, at, "a shared memory needs a maximum");
	most = 1ull << ((l.is64 ? 64 : 32) - (l.page_log2 ?: 1));
	if (!l.page_log2)
		most = most * 2 - 1; /* 2^64 itself can't be written */
	if (l.min > most || (l.has_max && l.max > most))
		return read_fail_at(
			c, at,
			"a memory larger than its address type can reach");
	m->memories[m->n[PW_EXT_MEMORY]++] = (struct pw_memory){
		.min = l.min,
		.max = l.max,
		.is64 = l.is64,
		.shared = l.shared,
		.page_log2 = l.page_log2,
	};
	return 0;
}

static int read_global_type(struct pw_module *m, struct pw_cursor *c,
			    struct pw_global *g)
{
	const uint8_t *at;
	uint8_t mut;

	g->type = read_value_type(m, c, m->n_types);
	at = c->p;
	mut = pw_cursor_u8(c);
	if (mut > 1)
		return read_fail_at(c, at, "mutability %u, not 0 or 1", mut);
	g->mutable_ = mut;
	return c->failed ? -1 : 0;
}

static int read_tag(struct pw_module *m, struct pw_cursor *c)
{
	const uint8_t *at = c->p;
	uint8_t attribute = pw_cursor_u8(c);
	uint32_t type_idx;

	if (attribute)
		return read_fail_at(c, at, "tag attribute %u, not 0",
				    attribute);
	at = c->p;
	type_idx = pw_cursor_uleb32(c);
	if (c->failed)
		return -1;
	if (type_idx >= m->n_types || m->types[type_idx].kind != COMP_FUNC)
		return read_fail_at(c, at,
				    "a tag's type %u is no function type",
				    type_idx);
	if (m->types[type_idx].func.n_results)
		return read_fail_at(c, at, "a tag's type %u has results",
				    type_idx);
	m->tags[m->n[PW_EXT_TAG]++] = type_idx;
	return 0;
}

/* --- import section --- */

/* Arrays of all kinds get room for n more. */
static void reserve(struct pw_module *m, enum pw_extern kind, uint32_t n)
{
	size_t total = (size_t)m->n[kind] + n + 1;

	switch (kind) {
	case PW_EXT_FUNC:
		m->funcs = pw_realloc(m->funcs, total * sizeof(*m->funcs));
		m->func_declared = pw_realloc(m->func_declared, total);
		memset(m->func_declared, 0, total);
		break;
	case PW_EXT_TABLE:
		m->tables = pw_realloc(m->tables, total * sizeof(*m->tables));
		break;
	case PW_EXT_MEMORY:
		m->memories =
			pw_realloc(m->memories, total * sizeof(*m->memories));
		break;
	case PW_EXT_GLOBAL:
		m->globals =
			pw_realloc(m->globals, total * sizeof(*m->globals));
		break;
	case PW_EXT_TAG:
		m->tags = pw_realloc(m->tags, total * sizeof(*m->tags));
		break;
	}
}

/* Import kinds are seen only while reading, so arrays grow by doubling. */
static void reserve_one(struct pw_module *m, enum pw_extern kind)
{
	uint32_t n = m->n[kind];

	if ((n & (n - 1)) == 0) /* 0 and powers of two */
		reserve(m, kind, n ? n : 1);
}

static int read_import_entity(struct pw_module *m, struct pw_cursor *c,
			      enum pw_extern kind)
{
	struct pw_global *g;

	switch (kind) {
	case PW_EXT_FUNC:
		return read_func(m, c);
	case PW_EXT_TABLE:
		if (read_table_type(m, c) < 0)
			return -1;
		m->n[kind]++;
		return 0;
	case PW_EXT_MEMORY:
		if (read_memory(m, c) < 0)
			return -1;
		m->memories[m->n[kind] - 1].imported = true;
		return 0;
	case PW_EXT_GLOBAL:
		g = &m->globals[m->n[kind]];
		*g = (struct pw_global){ .imported = true };
		if (read_global_type(m, c, g) < 0)
			return -1;
		m->n[kind]++;
		return 0;
	case PW_EXT_TAG:
		return read_tag(m, c);
	}
	return -1;
}

int read_import_section(struct pw_module *m, struct pw_cursor *c)
{
	uint32_t n = read_count(c, 4);

	m->imports = pw_alloc(n * sizeof(*m->imports) + 1);
	for (uint32_t i = 0; i < n && !c->failed; i++) {
		struct pw_import *im = &m->imports[i];
		const uint8_t *at;
		uint8_t kind;

		if (!read_name(c, &im->module) || !read_name(c, &im->name))
			return -1;
		at = c->p;
		kind = pw_cursor_u8(c);
		if (kind == 0x20)
			return pw_cursor_fail(
				c, ENOTSUP,
				"an import of an exact function: custom descriptors are not supported");
		if (kind > PW_EXT_TAG)
			return read_fail_at(c, at, "import kind %u, not 0 to 4",
					    kind);
		im->kind = kind;
		im->idx = m->n[kind];
		reserve_one(m, kind);
		if (c->failed || read_import_entity(m, c, kind) < 0)
			return -1;
		m->n_imported[kind]++;
		m->n_imports++;
	}
	return c->failed ? -1 : 0;
}

/* --- definitions --- */

int read_function_section(struct pw_module *m, struct pw_cursor *c)
{
	uint32_t n = read_count(c, 1);

	reserve(m, PW_EXT_FUNC, n);
	for (uint32_t i = 0; i < n && !c->failed; i++)
		read_func(m, c);
	return c->failed ? -1 : 0;
}

/* Form 0x40 0x00 carries an initial value; without one null must do. */
int read_table_section(struct pw_module *m, struct pw_cursor *c)
{
	uint32_t n = read_count(c, 3);

	reserve(m, PW_EXT_TABLE, n);
	for (uint32_t i = 0; i < n && !c->failed; i++) {
		const uint8_t *at = c->p;
		bool init = at < c->end && *at == 0x40;
		struct mod_table *t = &m->tables[m->n[PW_EXT_TABLE]];

		if (init) {
			uint8_t zero;

			c->p++;
			zero = pw_cursor_u8(c);
			if (zero)
				return read_fail_at(c, at,
						    "table form 0x40 0x%02x",
						    zero);
		}
		if (c->failed || read_table_type(m, c) < 0)
			return -1;
		if (!init && !type_defaultable(t->type))
			return read_fail_at(
				c, at,
				"a table of non-null references needs an initial value");
		if (init && check_const_expr(m, c, t->type) < 0)
			return -1;
		m->n[PW_EXT_TABLE]++;
	}
	return c->failed ? -1 : 0;
}

int read_memory_section(struct pw_module *m, struct pw_cursor *c)
{
	uint32_t n = read_count(c, 2);

	reserve(m, PW_EXT_MEMORY, n);
	for (uint32_t i = 0; i < n && !c->failed; i++)
		read_memory(m, c);
	return c->failed ? -1 : 0;
}

int read_tag_section(struct pw_module *m, struct pw_cursor *c)
{
	uint32_t n = read_count(c, 2);

	reserve(m, PW_EXT_TAG, n);
	for (uint32_t i = 0; i < n && !c->failed; i++)
		read_tag(m, c);
	return c->failed ? -1 : 0;
}

int read_global_section(struct pw_module *m, struct pw_cursor *c)
{
	uint32_t n = read_count(c, 4);

	reserve(m, PW_EXT_GLOBAL, n);
	for (uint32_t i = 0; i < n && !c->failed; i++) {
		struct pw_global *g = &m->globals[m->n[PW_EXT_GLOBAL]];

		*g = (struct pw_global){ 0 };
		if (read_global_type(m, c, g) < 0)
			return -1;
		g->init_off = pw_cursor_off(c);
		if (check_const_expr(m, c, g->type) < 0)
			return -1;
		g->init_size = pw_cursor_off(c) - g->init_off;
		m->n[PW_EXT_GLOBAL]++;
	}
	return c->failed ? -1 : 0;
}
