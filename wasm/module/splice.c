// SPDX-License-Identifier: GPL-2.0-only
/*
 * Splicing: a copy of the module's bytes with one range replaced and only
 * the size fields around it rewritten, so that all else, known to us or not,
 * survives untouched.
 *
 *   section id | size | ... | body size | ... OLD ... | ...
 *                ^^^^         ^^^^^^^^^       NEW
 */
#include <stdlib.h>
#include "splice.h"

/* Section ids by their order in a module; see decode-module.c. */
static const uint8_t section_order[] = { 1, 2, 3, 4,  5,  13, 6,
					 7, 8, 9, 12, 10, 11 };

/* A size field: keeps its length, padded, when the new value fits. */
void splice_add_size(struct pw_buf *out, uint32_t v, uint32_t old_len)
{
	uint32_t len = 1;

	while (len < 5 && v >> (7 * len))
		len++;
	if (len < old_len)
		len = old_len;
	for (; len > 1; len--, v >>= 7)
		pw_buf_add_u8(out, (v & 0x7f) | 0x80);
	pw_buf_add_u8(out, v);
}

uint32_t splice_size_len(uint32_t v, uint32_t old_len)
{
	uint32_t len = 1;

	while (len < 5 && v >> (7 * len))
		len++;
	return len < old_len ? old_len : len;
}

static const struct pw_section *section_at(const struct pw_module *m,
					   uint64_t off)
{
	for (uint32_t i = 0; i < m->n_sections; i++) {
		const struct pw_section *s = &m->sections[i];

		if (off >= s->data_off && off <= s->data_off + s->size)
			return s;
	}
	return NULL;
}

static void add_range(struct pw_buf *out, const struct pw_module *m,
		      uint64_t from, uint64_t to)
{
	pw_buf_add(out, m->bytes + from, to - from);
}

/* One replacement. field_off is the size field of the body around it, whose
 * content [body_off, body_off + body_size) changes; 0 when there is none. */
struct splice {
	uint64_t off;
	uint32_t old_size, new_size;
	const uint8_t *new_bytes;
	uint64_t field_off, body_off;
	uint32_t body_size;
};

static int splice(const struct pw_module *m, const struct splice *sp,
		  struct pw_buf *out, struct pw_err *err)
{
	const struct pw_section *s = section_at(m, sp->off);
	uint64_t end = sp->off + sp->old_size, at;
	int64_t delta = (int64_t)sp->new_size - sp->old_size, sec_size;
	uint32_t field = sp->body_off - sp->field_off;

	if (!s || end > s->data_off + s->size)
		return pw_err_at(err, EINVAL, sp->off,
				 "the bytes to replace are not in one section");
	sec_size = (int64_t)s->size + delta;
	if (sp->field_off)
		sec_size +=
			splice_size_len(sp->body_size + delta, field) - field;
	if (sec_size > UINT32_MAX || m->size + delta > UINT32_MAX)
		return pw_err_at(err, EFBIG, sp->off,
				 "the section would grow beyond 4 GiB");
	pw_buf_reserve(out, m->size + (delta > 0 ? delta : 0) + 10);
	add_range(out, m, 0, s->off + 1);
	splice_add_size(out, sec_size, s->data_off - s->off - 1);
	at = s->data_off;
	if (sp->field_off) {
		add_range(out, m, at, sp->field_off);
		splice_add_size(out, sp->body_size + delta, field);
		at = sp->body_off;
	}
	add_range(out, m, at, sp->off);
	pw_buf_add(out, sp->new_bytes, sp->new_size);
	add_range(out, m, end, m->size);
	return 0;
}

int pw_splice_body(const struct pw_module *m, uint32_t func_idx, uint64_t off,
		   uint32_t old_size, const uint8_t *new_bytes,
		   uint32_t new_size, struct pw_buf *out, struct pw_err *err)
{
	const struct pw_func *f = pw_module_func(m, func_idx);

	if (!f || !f->body_off)
		return pw_err_set(err, EINVAL, "function %u has no body",
				  func_idx);
	if (off < f->body_off || off + old_size > f->body_off + f->body_size)
		return pw_err_at(err, EINVAL, off,
				 "the bytes to replace are not in function %u",
				 func_idx);
	return splice(m,
		      &(struct splice){ off, old_size, new_size, new_bytes,
					f->size_off, f->body_off,
					f->body_size },
		      out, err);
}

int pw_splice_global(const struct pw_module *m, uint32_t global_idx,
		     const uint8_t *new_bytes, uint32_t new_size,
		     struct pw_buf *out, struct pw_err *err)
{
	const struct pw_global *g = pw_module_global(m, global_idx);

	if (!g || g->imported)
		return pw_err_set(err, EINVAL,
				  "global %u has no value of its own",
				  global_idx);
	return splice(m,
		      &(struct splice){ .off = g->init_off,
					.old_size = g->init_size,
					.new_size = new_size,
					.new_bytes = new_bytes },
		      out, err);
}

/* --- exports --- */

static int add_export(const struct pw_module *m, enum pw_extern kind,
		      uint32_t idx, struct pw_buf *entries, uint32_t *n,
		      struct pw_err *err)
{
	char name[32];

	snprintf(name, sizeof(name), "pw:%s %u",
		 kind == PW_EXT_MEMORY ? "mem" : "global", idx);
	if (pw_module_export_find(m, name))
		return pw_err_set(err, EEXIST,
				  "the module exports \"%s\" already", name);
	pw_buf_add_uleb(entries, strlen(name));
	pw_buf_add(entries, name, strlen(name));
	pw_buf_add_u8(entries, kind);
	pw_buf_add_uleb(entries, idx);
	(*n)++;
	return 0;
}

static bool is_number(uint32_t type)
{
	return type >= PW_F64 && type <= PW_I32;
}

/* By index: is it exported? The caller frees. */
static uint8_t *exported(const struct pw_module *m, enum pw_extern kind)
{
	uint8_t *is = pw_zalloc((size_t)m->n[kind] + 1);

	for (uint32_t i = 0; i < m->n_exports; i++)
		if (m->exports[i].kind == kind)
			is[m->exports[i].idx] = true;
	return is;
}

/* Would a host want to see it at the end? */
static bool holds_state(const struct pw_module *m, enum pw_extern kind,
			uint32_t idx)
{
	return kind == PW_EXT_MEMORY ||
	       (m->globals[idx].mutable_ && is_number(m->globals[idx].type));
}

static int missing_of(const struct pw_module *m, enum pw_extern kind,
		      struct pw_buf *entries, uint32_t *n, struct pw_err *err)
{
	uint8_t *have = exported(m, kind);
	int rc = 0;

	for (uint32_t i = 0; i < m->n[kind] && rc == 0; i++)
		if (!have[i] && holds_state(m, kind, i))
			rc = add_export(m, kind, i, entries, n, err);
	free(have);
	return rc;
}

static const struct pw_section *section_of(const struct pw_module *m,
					   uint8_t id)
{
	for (uint32_t i = 0; i < m->n_sections; i++)
		if (m->sections[i].id == id)
			return &m->sections[i];
	return NULL;
}

/* Where a new section goes: behind what must stand before it. */
static uint64_t section_place(const struct pw_module *m, uint8_t id)
{
	uint64_t place = 8;

	for (size_t i = 0; i < sizeof(section_order); i++) {
		const struct pw_section *s = section_of(m, section_order[i]);

		if (section_order[i] == id)
			break;
		if (s && s->data_off + s->size > place)
			place = s->data_off + s->size;
	}
	return place;
}

void splice_entries(const struct pw_module *m, uint8_t id,
		    const struct pw_buf *entries, uint32_t n,
		    struct pw_buf *out)
{
	const struct pw_section *old = section_of(m, id);
	uint64_t at = old ? old->off : section_place(m, id), end = at;
	uint64_t kept_off = 0, kept_end = 0;
	uint32_t count_len = 1;

	if (old) {
		struct pw_cursor c;

		pw_cursor_init(&c, m->bytes + old->data_off, old->size, 0,
			       NULL);
		n += pw_cursor_uleb32(&c);
		count_len = pw_cursor_off(&c);
		kept_off = old->data_off + count_len;
		end = kept_end = old->data_off + old->size;
	}
	count_len = splice_size_len(n, count_len);
	add_range(out, m, 0, at);
	pw_buf_add_u8(out, id);
	splice_add_size(out, count_len + (kept_end - kept_off) + entries->len,
			old ? old->data_off - old->off - 1 : 1);
	splice_add_size(out, n, count_len);
	add_range(out, m, kept_off, kept_end);
	pw_buf_add(out, entries->data, entries->len);
	add_range(out, m, end, m->size);
}

int pw_splice_exports(const struct pw_module *m, struct pw_buf *out,
		      struct pw_err *err)
{
	struct pw_buf entries = { 0 };
	uint32_t n = 0;
	int rc = missing_of(m, PW_EXT_MEMORY, &entries, &n, err)
			 ?: missing_of(m, PW_EXT_GLOBAL, &entries, &n, err);

	if (rc == 0 && !n)
		add_range(out, m, 0, m->size);
	else if (rc == 0)
		splice_entries(m, 7, &entries, n, out);
	pw_buf_release(&entries);
	return rc;
}
