// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file as a whole: header, sections in their order, what must agree
 * between them. What a section holds is read in rec-types.c, entities.c and
 * segments.c.
 */
#include <stdlib.h>
#include "module-impl.h"

/* Standard sections by id; order is their place in a module, 1 first. */
static const struct section_kind {
	const char *name;
	uint8_t order;
	int (*read)(struct pw_module *m, struct pw_cursor *c);
} kinds[] = {
	[1] = { "type", 1, read_type_section },
	[2] = { "import", 2, read_import_section },
	[3] = { "function", 3, read_function_section },
	[4] = { "table", 4, read_table_section },
	[5] = { "memory", 5, read_memory_section },
	[13] = { "tag", 6, read_tag_section },
	[6] = { "global", 7, read_global_section },
	[7] = { "export", 8, read_export_section },
	[8] = { "start", 9, read_start_section },
	[9] = { "element", 10, read_elem_section },
	[12] = { "data count", 11, read_data_count_section },
	[10] = { "code", 12, read_code_section },
	[11] = { "data", 13, read_data_section },
};

static int check_version(const uint8_t *bytes, struct pw_err *err)
{
	uint32_t version = bytes[4] | bytes[5] << 8;
	uint32_t layer = bytes[6] | bytes[7] << 8;

	if (layer == 1)
		return pw_err_at(
			err, ENOTSUP, 4,
			"this is a WebAssembly component, not a core module; extract the core module it holds (wasm-tools component unbundle) and give me that");
	if (version != 1 || layer)
		return pw_err_at(err, EINVAL, 4,
				 "binary version %u, only 1 is known",
				 version | layer << 16);
	return 0;
}

static int check_header(const uint8_t *bytes, size_t size, struct pw_err *err)
{
	static const uint8_t magic[4] = { 0, 'a', 's', 'm' };
	size_t i = 0;

	while (i < size && i < 4 && bytes[i] == magic[i])
		i++;
	if (i < 4 && i < size && (bytes[0] == '(' || bytes[0] == ';'))
		return pw_err_at(
			err, EINVAL, 0,
			"this looks like WebAssembly text; make a binary of it first (wat2wasm)");
	if (i < 4 && i < size)
		return pw_err_at(
			err, EINVAL, i,
			"not a WebAssembly module: it does not begin with \\0asm");
	if (size < 8)
		return pw_err_at(
			err, EINVAL, size,
			"the file ends after %zu bytes, within the module's header",
			size);
	return check_version(bytes, err);
}

static void add_section(struct pw_module *m, const struct pw_section *s)
{
	uint32_t n = m->n_sections;

	if ((n & (n - 1)) == 0)
		m->sections =
			pw_realloc(m->sections, (n ? n * 2 : 1) * sizeof(*s));
	m->sections[m->n_sections++] = *s;
}

static int read_section_of(struct pw_module *m, struct pw_section *s,
			   struct pw_cursor *body, uint8_t *order)
{
	const struct section_kind *k;

	if (s->id == 0)
		return read_name(body, &s->name) ? 0 : -1;
	if (s->id >= sizeof(kinds) / sizeof(kinds[0]))
		return pw_err_at(body->err, EINVAL, s->off,
				 "section id %u, the known ones end at 13",
				 s->id);
	k = &kinds[s->id];
	if (k->order <= *order)
		return pw_err_at(
			body->err, EINVAL, s->off,
			"the %s section is out of order or there twice",
			k->name);
	*order = k->order;
	if (k->read(m, body) < 0) {
		pw_err_prefix(body->err, "%s section", k->name);
		return -1;
	}
	if (body->p != body->end)
		return pw_cursor_fail(
			body, EINVAL,
			"%zu bytes are left at the end of the %s section",
			pw_cursor_left(body), k->name);
	return 0;
}

static int read_section(struct pw_module *m, struct pw_cursor *c,
			uint8_t *order)
{
	struct pw_section s = { .off = pw_cursor_off(c) };
	struct pw_cursor body;
	const uint8_t *bytes;

	s.id = pw_cursor_u8(c);
	s.size = pw_cursor_uleb32(c);
	s.data_off = pw_cursor_off(c);
	bytes = c->failed ? NULL : pw_cursor_bytes(c, s.size);
	if (!bytes)
		return -1;
	pw_cursor_init(&body, bytes, s.size, s.data_off, c->err);
	if (read_section_of(m, &s, &body, order) < 0)
		return -1;
	add_section(m, &s);
	return 0;
}

static int check_whole(const struct pw_module *m, struct pw_err *err)
{
	uint32_t n = m->n[PW_EXT_FUNC] - m->n_imported[PW_EXT_FUNC];

	if (n != m->n_code)
		return pw_err_at(
			err, EINVAL, m->size,
			"the function section declares %u functions, but there is no code section",
			n);
	if (m->has_data_count && m->data_count != m->n_data)
		return pw_err_at(
			err, EINVAL, m->size,
			"the data count section says %u segments, but there is no data section",
			m->data_count);
	return 0;
}

static void find_names(struct pw_module *m)
{
	for (uint32_t i = 0; i < m->n_sections; i++) {
		const struct pw_section *s = &m->sections[i];

		if (s->id == 0 && s->name.len == 4 &&
		    !memcmp(s->name.s, "name", 4) && !m->names)
			read_name_section(m, s);
	}
}

static int read_module(struct pw_module *m, struct pw_err *err)
{
	struct pw_cursor c;
	uint8_t order = 0;

	if (check_header(m->bytes, m->size, err) < 0)
		return -1;
	if (m->size > UINT32_MAX)
		return pw_err_set(
			err, ENOTSUP,
			"a module of more than 4 GiB, no engine takes it");
	pw_cursor_init(&c, m->bytes + 8, m->size - 8, 8, err);
	while (pw_cursor_left(&c))
		if (read_section(m, &c, &order) < 0)
			return -1;
	if (check_whole(m, err) < 0)
		return -1;
	find_names(m);
	return 0;
}

struct pw_module *pw_module_decode(const uint8_t *bytes, size_t size,
				   struct pw_err *err)
{
	struct pw_module *m = pw_zalloc(sizeof(*m));

	m->bytes = bytes;
	m->size = size;
	if (read_module(m, err) < 0) {
		pw_module_free(m);
		return NULL;
	}
	return m;
}

void pw_module_free(struct pw_module *m)
{
	if (!m)
		return;
	while (m->arena) {
		struct arena_chunk *next = m->arena->next;

		free(m->arena);
		m->arena = next;
	}
	free(m->types);
	free(m->funcs);
	free(m->func_declared);
	free(m->tables);
	free(m->memories);
	free(m->globals);
	free(m->tags);
	free(m->elems);
	free(m->imports);
	free(m->exports);
	free(m->func_exports);
	free(m->sections);
	free(m->names);
	free(m);
}
