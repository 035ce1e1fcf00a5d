// SPDX-License-Identifier: GPL-2.0-only
/* The sections of a pruned module, in order. Entries are copied as they are
 * but for the indexes in them. */
#include <errno.h>

#include "prune.h"
#include "sections.h"

/* --- what steps over an entry --------------------------------------------------- */

static void skip_name(struct pw_cursor *c)
{
	pw_cursor_bytes(c, pw_cursor_uleb32(c));
}

static void skip_limits(struct pw_cursor *c)
{
	uint8_t flags = pw_cursor_u8(c);

	pw_cursor_uleb64(c);
	if (flags & 1)
		pw_cursor_uleb64(c);
	if (flags & 8)
		pw_cursor_uleb32(c); /* page size */
}

static void skip_value_type(struct pw_cursor *c)
{
	uint8_t b = pw_cursor_u8(c);

	if (b == 0x63 || b == 0x64)
		pw_cursor_sleb33(c);
}

static void skip_func_type(struct pw_cursor *c)
{
	pw_cursor_u8(c); /* 0x60 */
	for (int list = 0; list < 2; list++)
		for (uint32_t n = pw_cursor_uleb32(c); n && !c->failed; n--)
			skip_value_type(c);
}

/* --- one writer for a section of entries ------------------------------------------ */

/* An entry at the cursor, read over and, when it stays, written. */
typedef int (*entry_fn)(struct prune *p, struct pw_cursor *c, uint32_t i,
			bool keep, struct pw_buf *out);

static int entry_type(struct prune *p, struct pw_cursor *c, uint32_t i,
		      bool keep, struct pw_buf *out)
{
	const uint8_t *from = c->p;

	(void)p;
	(void)i;
	skip_func_type(c);
	if (keep)
		section_copy(out, c, from);
	return 0;
}

static int entry_import(struct prune *p, struct pw_cursor *c, uint32_t i,
			bool keep, struct pw_buf *out)
{
	const uint8_t *from = c->p;
	uint8_t kind;

	(void)i;
	skip_name(c);
	skip_name(c);
	kind = pw_cursor_u8(c);
	if (kind == PW_EXT_FUNC) {
		if (keep)
			section_copy(out, c, from);
		from = c->p;
		i = pw_cursor_uleb32(c);
		if (keep)
			pw_buf_add_uleb(out, prune_new_type(p, i));
		return 0;
	}
	if (kind == PW_EXT_TABLE)
		skip_value_type(c);
	if (kind == PW_EXT_TABLE || kind == PW_EXT_MEMORY)
		skip_limits(c);
	if (kind == PW_EXT_GLOBAL) {
		skip_value_type(c);
		pw_cursor_u8(c);
	}
	if (kind == PW_EXT_TAG) {
		pw_cursor_u8(c);
		pw_cursor_uleb32(c);
	}
	if (keep)
		section_copy(out, c, from);
	return 0;
}

static int entry_function(struct prune *p, struct pw_cursor *c, uint32_t i,
			  bool keep, struct pw_buf *out)
{
	uint32_t type = pw_cursor_uleb32(c);

	(void)i;
	if (keep)
		pw_buf_add_uleb(out, prune_new_type(p, type));
	return 0;
}

static int entry_global(struct prune *p, struct pw_cursor *c, uint32_t i,
			bool keep, struct pw_buf *out)
{
	const uint8_t *from = c->p;
	struct pw_buf expr = { 0 };
	int ret;

	(void)i;
	skip_value_type(c);
	pw_cursor_u8(c);
	if (keep)
		section_copy(out, c, from);
	ret = prune_expr(p, c, &expr);
	if (keep)
		pw_buf_add(out, expr.data, expr.len);
	pw_buf_release(&expr);
	return ret;
}

static int entry_export(struct prune *p, struct pw_cursor *c, uint32_t i,
			bool keep, struct pw_buf *out)
{
	const struct pw_export *e = pw_module_export(p->m, i);
	const uint8_t *from = c->p;

	skip_name(c);
	pw_cursor_u8(c);
	if (keep)
		section_copy(out, c, from);
	pw_cursor_uleb32(c);
	if (keep)
		pw_buf_add_uleb(out, p->to[e->kind][e->idx]);
	return 0;
}

static int entry_code(struct prune *p, struct pw_cursor *c, uint32_t i,
		      bool keep, struct pw_buf *out)
{
	uint32_t idx = i + pw_module_n_imported(p->m, PW_EXT_FUNC);
	const struct pw_func *f = pw_module_func(p->m, idx);
	struct pw_buf body = { 0 };
	struct pw_walk *w;
	struct pw_insn in;
	int ret;

	pw_cursor_bytes(c, pw_cursor_uleb32(c));
	if (!keep)
		return 0;
	w = pw_walk_new(p->m);
	pw_buf_add(&body, module_bytes(p->m) + f->body_off,
		   f->code_off - f->body_off);
	ret = pw_walk_start(w, idx, p->err);
	while (!ret && (ret = pw_walk_next(w, &in, p->err)) == 1)
		ret = prune_insn(p, &in, &body);
	pw_buf_add_uleb(out, body.len);
	pw_buf_add(out, body.data, body.len);
	pw_buf_release(&body);
	pw_walk_free(w);
	return ret;
}

/* --- which entries stay ------------------------------------------------------------- */

static bool keeps(const struct prune *p, uint8_t id, uint32_t i)
{
	const struct pw_import *import;
	const struct pw_export *e;

	switch (id) {
	case SEC_TYPE:
		return p->used[SP_TYPE][i];
	case SEC_IMPORT:
		import = pw_module_import(p->m, i);
		return p->used[import->kind][import->idx];
	case SEC_FUNCTION:
	case SEC_CODE:
		return p->used[SP_FUNC]
			      [i + pw_module_n_imported(p->m, PW_EXT_FUNC)];
	case SEC_GLOBAL:
		return p->used[SP_GLOBAL]
			      [i + pw_module_n_imported(p->m, PW_EXT_GLOBAL)];
	case SEC_EXPORT:
		e = pw_module_export(p->m, i);
		return prune_wants_export(p, e);
	default:
		return false;
	}
}

static int write_entries(struct prune *p, const struct pw_section *s,
			 entry_fn entry, struct pw_buf *out)
{
	struct pw_buf entries = { 0 }, content = { 0 };
	struct pw_cursor c;
	uint32_t n, kept = 0;
	int ret = 0;

	section_cursor(p->m, s, &c, p->err);
	n = pw_cursor_uleb32(&c);
	for (uint32_t i = 0; i < n && !ret; i++) {
		bool keep = keeps(p, s->id, i);

		kept += keep;
		ret = entry(p, &c, i, keep, &entries);
	}
	pw_buf_add_uleb(&content, kept);
	pw_buf_add(&content, entries.data, entries.len);
	if (kept && !ret)
		section_add(out, s->id, &content);
	pw_buf_release(&entries);
	pw_buf_release(&content);
	return ret;
}

static void copy_if(const struct prune *p, const struct pw_section *s,
		    enum space space, struct pw_buf *out)
{
	if (p->n[space] && p->used[space][0])
		pw_buf_add(out, module_bytes(p->m) + s->off,
			   s->data_off + s->size - s->off);
}

/* --- sections that are no list of entries ---------------------------------------------- */

static void write_start(struct prune *p, struct pw_buf *out)
{
	struct pw_buf content = { 0 };
	uint32_t idx;

	if (!pw_module_has_start(p->m, &idx))
		return;
	pw_buf_add_uleb(&content, p->to[SP_FUNC][idx]);
	section_add(out, SEC_START, &content);
	pw_buf_release(&content);
}

static void write_data_count(struct prune *p, struct pw_buf *out)
{
	struct pw_buf content = { 0 };
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n[SP_DATA]; i++)
		n += p->used[SP_DATA][i] != 0;
	pw_buf_add_uleb(&content, n);
	if (n)
		section_add(out, SEC_DATA_COUNT, &content);
	pw_buf_release(&content);
}

/* The function names of a name section that are left: "idx name" pairs. */
static void add_names(struct prune *p, struct pw_cursor *c, struct pw_buf *out)
{
	struct pw_buf pairs = { 0 };
	uint32_t kept = 0;

	for (uint32_t n = pw_cursor_uleb32(c); n && !c->failed; n--) {
		uint32_t idx = pw_cursor_uleb32(c);
		const uint8_t *from = c->p;

		skip_name(c);
		if (c->failed || idx >= p->n[SP_FUNC] ||
		    p->to[SP_FUNC][idx] == GONE)
			continue;
		pw_buf_add_uleb(&pairs, p->to[SP_FUNC][idx]);
		section_copy(&pairs, c, from);
		kept++;
	}
	if (kept && !c->failed) {
		pw_buf_add_uleb(out, kept);
		pw_buf_add(out, pairs.data, pairs.len);
	}
	pw_buf_release(&pairs);
}

/* A name section that cannot be read is left out: names are no part of what
 * a module does. */
static void write_names(struct prune *p, const struct pw_section *s,
			struct pw_buf *out)
{
	struct pw_buf content = { 0 }, names = { 0 };
	struct pw_cursor c, sub;

	section_cursor(p->m, s, &c, NULL);
	skip_name(&c);
	while (!c.failed && pw_cursor_left(&c)) {
		uint8_t id = pw_cursor_u8(&c);
		uint32_t size = pw_cursor_uleb32(&c);
		const uint8_t *bytes = pw_cursor_bytes(&c, size);

		if (!bytes || id != 1)
			continue;
		pw_cursor_init(&sub, bytes, size, 0, NULL);
		add_names(p, &sub, &names);
		break;
	}
	if (names.len) {
		pw_buf_add(&content, "\4name\1", 6);
		pw_buf_add_uleb(&content, names.len);
		pw_buf_add(&content, names.data, names.len);
		section_add(out, SEC_CUSTOM, &content);
	}
	pw_buf_release(&names);
	pw_buf_release(&content);
}

static bool is_name_section(const struct pw_section *s)
{
	return s->id == SEC_CUSTOM && s->name.len == 4 &&
	       !__builtin_memcmp(s->name.s, "name", 4);
}

static int write_section(struct prune *p, const struct pw_section *s,
			 struct pw_buf *out)
{
	static const entry_fn entries[] = {
		[SEC_IMPORT] = entry_import, [SEC_FUNCTION] = entry_function,
		[SEC_GLOBAL] = entry_global, [SEC_EXPORT] = entry_export,
		[SEC_CODE] = entry_code,
	};

	switch (s->id) {
	case SEC_TYPE:
		if (!p->keep_types)
			return write_entries(p, s, entry_type, out);
		pw_buf_add(out, module_bytes(p->m) + s->off,
			   s->data_off + s->size - s->off);
		return 0;
	case SEC_TABLE:
		copy_if(p, s, SP_TABLE, out);
		return 0;
	case SEC_MEMORY:
		copy_if(p, s, SP_MEMORY, out);
		return 0;
	case SEC_TAG:
		copy_if(p, s, SP_TAG, out);
		return 0;
	case SEC_START:
		write_start(p, out);
		return 0;
	case SEC_ELEM:
		return prune_write_elems(p, out);
	case SEC_DATA_COUNT:
		write_data_count(p, out);
		return 0;
	case SEC_DATA:
		return prune_write_datas(p, out);
	case SEC_CUSTOM:
		if (is_name_section(s))
			write_names(p, s, out);
		return 0;
	default:
		return write_entries(p, s, entries[s->id], out);
	}
}

int prune_write(struct prune *p, struct pw_buf *out)
{
	int ret = 0;

	pw_buf_add(out, module_bytes(p->m), SECTIONS_OFF);
	for (uint32_t i = 0; i < pw_module_n_sections(p->m) && !ret; i++)
		ret = write_section(p, pw_module_section(p->m, i), out);
	return ret;
}
