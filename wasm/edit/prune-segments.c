// SPDX-License-Identifier: GPL-2.0-only
/*
 * Element and data segments: where their parts lie, what they use, and
 * those that are left.
 */
#include "prune.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sections.h"

static const struct pw_section *section_of(const struct pw_module *m,
					   uint8_t id)
{
	for (uint32_t i = 0; i < pw_module_n_sections(m); i++)
		if (pw_module_section(m, i)->id == id)
			return pw_module_section(m, i);
	return NULL;
}

/* Reads over an expression; indexes are not looked at, no space is made. */
static int skip_expr(struct prune *p, struct pw_cursor *c)
{
	struct prune nothing = { .err = p->err };

	return prune_expr(&nothing, c, NULL);
}

/* Behind the flags: an active segment's table or memory and offset. */
static int find_place(struct prune *p, struct pw_cursor *c, struct segment *s)
{
	s->place = s->flags & 2 ? pw_cursor_uleb32(c) : 0;
	s->expr_off = pw_cursor_off(c);
	return skip_expr(p, c);
}

static int find_elem(struct prune *p, struct pw_cursor *c, struct segment *s)
{
	int ret = 0;

	s->off = pw_cursor_off(c);
	s->flags = pw_cursor_uleb32(c);
	if (prune_is_active(s))
		ret = find_place(p, c, s);
	if (s->flags &
	    3) { /* a kind, or a type of one byte or with a heap type */
		uint8_t b = pw_cursor_u8(c);

		if (b == 0x63 || b == 0x64) {
			pw_cursor_sleb33(c);
			p->keep_types = true;
		}
	}
	s->list_off = pw_cursor_off(c);
	s->n = pw_cursor_uleb32(c);
	for (uint32_t i = 0; i < s->n && !ret && !c->failed; i++)
		if (s->flags & 4)
			ret = skip_expr(p, c);
		else
			pw_cursor_uleb32(c);
	s->size = pw_cursor_off(c) - s->off;
	return ret;
}

static int find_data(struct prune *p, struct pw_cursor *c, struct segment *s)
{
	int ret = 0;

	s->off = pw_cursor_off(c);
	s->flags = pw_cursor_uleb32(c);
	if (prune_is_active(s))
		ret = find_place(p, c, s);
	s->list_off = pw_cursor_off(c);
	s->n = pw_cursor_uleb32(c);
	pw_cursor_bytes(c, s->n);
	s->size = pw_cursor_off(c) - s->off;
	return ret;
}

static int
find_all(struct prune *p, uint8_t id, struct segment **segs, uint32_t *n,
	 int (*find)(struct prune *, struct pw_cursor *, struct segment *))
{
	const struct pw_section *s = section_of(p->m, id);
	struct pw_cursor c;
	int ret = 0;

	if (!s)
		return 0;
	section_cursor(p->m, s, &c, p->err);
	*n = pw_cursor_uleb32(&c);
	*segs = pw_zalloc(((size_t)*n + 1) * sizeof(**segs));
	for (uint32_t i = 0; i < *n && !ret; i++)
		ret = find(p, &c, &(*segs)[i]);
	return ret;
}

int prune_find_segments(struct prune *p)
{
	int ret = find_all(p, SEC_ELEM, &p->elems, &p->n[SP_ELEM], find_elem);

	return ret ? ret
		   : find_all(p, SEC_DATA, &p->datas, &p->n[SP_DATA],
			      find_data);
}

/* --- what they use ------------------------------------------------------------ */

static void cursor_at(const struct prune *p, struct pw_cursor *c, uint64_t off,
		      uint64_t end)
{
	pw_cursor_init(c, module_bytes(p->m) + off, end - off, off, p->err);
}

static int elem_items(struct prune *p, const struct segment *s,
		      struct pw_buf *out)
{
	struct pw_cursor c;
	int ret = 0;

	cursor_at(p, &c, s->list_off, s->off + s->size);
	pw_cursor_uleb32(&c);
	for (uint32_t i = 0; i < s->n && !ret; i++) {
		uint32_t idx;

		if (s->flags & 4) {
			ret = prune_expr(p, &c, out);
			continue;
		}
		idx = pw_cursor_uleb32(&c);
		if (out)
			pw_buf_add_uleb(out, p->to[SP_FUNC][idx]);
		else
			prune_use(p, SP_FUNC, idx);
	}
	return ret;
}

static int mark_offset(struct prune *p, const struct segment *s)
{
	struct pw_cursor c;

	cursor_at(p, &c, s->expr_off, s->off + s->size);
	return prune_expr(p, &c, NULL);
}

int prune_mark_elem(struct prune *p, const struct segment *s)
{
	uint32_t i = (uint32_t)(s - p->elems);
	bool declares = s->flags == 3 || s->flags == 7;
	int ret = 0;

	if (prune_is_active(s)) {
		if (s->n && p->used[SP_TABLE][s->place])
			prune_use(p, SP_ELEM, i);
	} else if (declares) {
		/* for ref.func in bodies: kept whole, it costs little */
		prune_use(p, SP_ELEM, i);
	}
	if (!p->used[SP_ELEM][i] || p->used[SP_ELEM][i] == 2)
		return 0;
	p->used[SP_ELEM][i] = 2; /* looked at */
	if (prune_is_active(s)) {
		prune_use(p, SP_TABLE, s->place);
		ret = mark_offset(p, s);
	}
	return ret ? ret : elem_items(p, s, NULL);
}

int prune_mark_data(struct prune *p, const struct segment *s)
{
	uint32_t i = (uint32_t)(s - p->datas);

	if (prune_is_active(s) && s->n && p->used[SP_MEMORY][s->place])
		prune_use(p, SP_DATA, i);
	if (!p->used[SP_DATA][i] || p->used[SP_DATA][i] == 2)
		return 0;
	p->used[SP_DATA][i] = 2;
	if (!prune_is_active(s))
		return 0;
	prune_use(p, SP_MEMORY, s->place);
	return mark_offset(p, s);
}

/* --- what is left -------------------------------------------------------------- */

/* From the flags to the list, the offset adapted. */
static int write_head(struct prune *p, const struct segment *s,
		      struct pw_buf *out)
{
	const uint8_t *bytes = module_bytes(p->m);
	struct pw_cursor c;
	int ret;

	if (!prune_is_active(s)) {
		pw_buf_add(out, bytes + s->off, s->list_off - s->off);
		return 0;
	}
	pw_buf_add(out, bytes + s->off, s->expr_off - s->off);
	cursor_at(p, &c, s->expr_off, s->list_off);
	ret = prune_expr(p, &c, out);
	pw_buf_add(out, c.p, pw_cursor_left(&c));
	return ret;
}

static uint32_t n_used(const struct prune *p, enum space space)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n[space]; i++)
		n += p->used[space][i] != 0;
	return n;
}

int prune_write_elems(struct prune *p, struct pw_buf *out)
{
	uint32_t n = n_used(p, SP_ELEM);
	struct pw_buf content = { 0 };
	int ret = 0;

	pw_buf_add_uleb(&content, n);
	for (uint32_t i = 0; i < p->n[SP_ELEM] && !ret; i++) {
		const struct segment *s = &p->elems[i];

		if (!p->used[SP_ELEM][i])
			continue;
		ret = write_head(p, s, &content);
		pw_buf_add_uleb(&content, s->n);
		if (!ret)
			ret = elem_items(p, s, &content);
	}
	if (n)
		section_add(out, SEC_ELEM, &content);
	pw_buf_release(&content);
	return ret;
}

int prune_write_datas(struct prune *p, struct pw_buf *out)
{
	const uint8_t *bytes = module_bytes(p->m);
	uint32_t n = n_used(p, SP_DATA);
	struct pw_buf content = { 0 };
	int ret = 0;

	pw_buf_add_uleb(&content, n);
	for (uint32_t i = 0; i < p->n[SP_DATA] && !ret; i++) {
		const struct segment *s = &p->datas[i];

		if (!p->used[SP_DATA][i])
			continue;
		ret = write_head(p, s, &content);
		pw_buf_add(&content, bytes + s->list_off,
			   s->off + s->size - s->list_off);
	}
	if (n)
		section_add(out, SEC_DATA, &content);
	pw_buf_release(&content);
	return ret;
}
