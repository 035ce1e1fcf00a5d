// SPDX-License-Identifier: GPL-2.0-only
/* Data segments: where they lie, and one cut to a part of itself. */
#include <perfwasm/edit.h>

#include <errno.h>
#include <stdlib.h>

#include "prune.h"
#include "sections.h"

static int find(const struct pw_module *m, struct prune *p, struct pw_err *err)
{
	*p = (struct prune){ .m = m, .err = err };
	return prune_find_segments(p);
}

static void forget(struct prune *p)
{
	free(p->elems);
	free(p->datas);
}

int pw_edit_data_list(const struct pw_module *m, struct pw_data_seg **segs,
		      uint32_t *n, struct pw_err *err)
{
	struct prune p;
	int ret = find(m, &p, err);

	*n = ret ? 0 : p.n[SP_DATA];
	*segs = pw_zalloc(((size_t)*n + 1) * sizeof(**segs));
	for (uint32_t i = 0; i < *n; i++) {
		const struct segment *s = &p.datas[i];

		(*segs)[i] = (struct pw_data_seg){
			.bytes_off = s->off + s->size - s->n,
			.n_bytes = s->n,
			.active = prune_is_active(s),
		};
	}
	forget(&p);
	return ret;
}

/* The offset's constant, moved on; other expressions stay as they are when
 * they need not move. */
static int move_offset(const struct pw_module *m, const struct segment *s,
		       uint32_t by, struct pw_buf *out, struct pw_err *err)
{
	const uint8_t *bytes = module_bytes(m);
	struct pw_cursor c;
	uint8_t op;
	int64_t at;

	if (!prune_is_active(s) || !by) {
		pw_buf_add(out, bytes + s->off, s->list_off - s->off);
		return 0;
	}
	pw_cursor_init(&c, bytes + s->expr_off, s->list_off - s->expr_off,
		       s->expr_off, err);
	op = pw_cursor_u8(&c);
	at = op == 0x41 ? pw_cursor_sleb32(&c) : pw_cursor_sleb64(&c);
	if ((op != 0x41 && op != 0x42) || pw_cursor_u8(&c) != 0x0b)
		return pw_err_at(err, ENOTSUP, s->expr_off,
				 "the data segment's offset is no constant");
	pw_buf_add(out, bytes + s->off, s->expr_off - s->off);
	pw_buf_add_u8(out, op);
	at = op == 0x41 ? (int32_t)((uint32_t)at + by)
			: (int64_t)((uint64_t)at + by);
	pw_buf_add_sleb(out, at);
	pw_buf_add_u8(out, 0x0b);
	return 0;
}

static int cut_section(const struct prune *p, uint32_t idx, uint32_t from,
		       uint32_t to, struct pw_buf *content)
{
	const uint8_t *bytes = module_bytes(p->m);
	int ret = 0;

	pw_buf_add_uleb(content, p->n[SP_DATA]);
	for (uint32_t i = 0; i < p->n[SP_DATA] && !ret; i++) {
		const struct segment *s = &p->datas[i];

		if (i != idx) {
			pw_buf_add(content, bytes + s->off, s->size);
			continue;
		}
		ret = move_offset(p->m, s, from, content, p->err);
		pw_buf_add_uleb(content, to - from);
		pw_buf_add(content, bytes + s->off + s->size - s->n + from,
			   to - from);
	}
	return ret;
}

int pw_edit_data(const struct pw_module *m, uint32_t idx, uint32_t from,
		 uint32_t to, struct pw_buf *out, struct pw_err *err)
{
	const uint8_t *bytes = module_bytes(m);
	struct pw_buf content = { 0 };
	struct prune p;
	int ret = find(m, &p, err);

	if (!ret && (idx >= p.n[SP_DATA] || from > to || to > p.datas[idx].n))
		ret = pw_err_set(err, EINVAL,
				 "there is no such part of data segment %u",
				 idx);
	if (!ret)
		ret = cut_section(&p, idx, from, to, &content);
	if (!ret)
		pw_buf_add(out, bytes, SECTIONS_OFF);
	for (uint32_t i = 0; i < pw_module_n_sections(m) && !ret; i++) {
		const struct pw_section *s = pw_module_section(m, i);

		if (s->id == SEC_DATA)
			section_add(out, SEC_DATA, &content);
		else
			pw_buf_add(out, bytes + s->off,
				   s->data_off + s->size - s->off);
	}
	pw_buf_release(&content);
	forget(&p);
	return ret;
}
