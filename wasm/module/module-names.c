// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names: the UTF-8 check, the name section's function names (a damaged name
 * section is no error: what can be read of it counts), and the printable
 * name of a function.
 */
#include <stdlib.h>
#include "module-impl.h"

/* Length of the well-formed sequence at s (Unicode 15, table 3-7), or 0. */
static size_t sequence(const uint8_t *s, size_t n)
{
	uint8_t b = s[0];
	size_t len = b < 0x80 ? 1 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : 4;
	uint8_t lo = 0x80, hi = 0xbf;

	if (len == 1)
		return 1;
	if (b < 0xc2 || b > 0xf4 || len > n)
		return 0;
	if (b == 0xe0)
		lo = 0xa0;
	else if (b == 0xed)
		hi = 0x9f;
	else if (b == 0xf0)
		lo = 0x90;
	else if (b == 0xf4)
		hi = 0x8f;
	if (s[1] < lo || s[1] > hi)
		return 0;
	for (size_t i = 2; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

bool utf8_valid(const uint8_t *s, size_t n)
{
	while (n) {
		uint64_t eight;
		size_t len;

		if (n >= 8) {
			memcpy(&eight, s, 8);
			if (!(eight & 0x8080808080808080ull)) {
				s += 8;
				n -= 8;
				continue;
			}
		}
		len = sequence(s, n);
		if (!len)
			return false;
		s += len;
		n -= len;
	}
	return true;
}

/* --- the name section --- */

static int compare_names(const void *a, const void *b)
{
	uint32_t x = ((const struct func_name *)a)->idx;
	uint32_t y = ((const struct func_name *)b)->idx;

	return (x > y) - (x < y);
}

static void read_func_names(struct pw_module *m, struct pw_cursor *c)
{
	uint32_t n = read_count(c, 2);
	bool sorted = true;

	m->names = pw_alloc(n * sizeof(*m->names) + 1);
	for (uint32_t i = 0; i < n; i++) {
		struct func_name *f = &m->names[m->n_names];

		f->idx = pw_cursor_uleb32(c);
		f->len = pw_cursor_uleb32(c);
		f->s = (const char *)pw_cursor_bytes(c, f->len);
		if (c->failed)
			break;
		if (m->n_names && f->idx < f[-1].idx)
			sorted = false;
		m->n_names++;
	}
	if (!sorted)
		qsort(m->names, m->n_names, sizeof(*m->names), compare_names);
}

void read_name_section(struct pw_module *m, const struct pw_section *s)
{
	const uint8_t *from = (const uint8_t *)s->name.s + s->name.len;
	const uint8_t *end = m->bytes + s->data_off + s->size;
	struct pw_cursor c;

	pw_cursor_init(&c, from, end - from, 0, NULL);
	while (pw_cursor_left(&c)) {
		uint8_t id = pw_cursor_u8(&c);
		uint32_t size = pw_cursor_uleb32(&c);
		const uint8_t *sub = pw_cursor_bytes(&c, size);
		struct pw_cursor names;

		if (!sub || c.failed)
			return;
		if (id != 1)
			continue;
		pw_cursor_init(&names, sub, size, 0, NULL);
		read_func_names(m, &names);
		return;
	}
}

static bool find_name(const struct pw_module *m, uint32_t idx,
		      struct pw_name *name)
{
	struct func_name key = { .idx = idx };
	const struct func_name *f;

	if (!m->n_names)
		return false;
	f = bsearch(&key, m->names, m->n_names, sizeof(key), compare_names);
	if (!f || !f->len)
		return false;
	*name = (struct pw_name){ f->s, f->len };
	return true;
}

/* --- printable names --- */

static void add_char(struct pw_buf *b, uint8_t ch)
{
	if (ch < 0x20 || ch == 0x7f || ch == '"' || ch == '\\')
		pw_buf_printf(b, "\\%02x", ch);
	else
		pw_buf_add_u8(b, ch);
}

/* Whole characters only; bytes that are no UTF-8 are escaped as well. */
static void add_printable(struct pw_buf *b, struct pw_name name)
{
	const uint8_t *s = (const uint8_t *)name.s;
	size_t n = name.len;

	while (n) {
		size_t len = sequence(s, n);

		if (len <= 1 && *s < 0x80)
			add_char(b, *s);
		else if (!len)
			pw_buf_printf(b, "\\%02x", *s);
		else
			pw_buf_add(b, s, len);
		len = len ? len : 1;
		s += len;
		n -= len;
	}
}

static void add_func_name(const struct pw_module *m, uint32_t idx,
			  struct pw_buf *b)
{
	struct pw_name name;

	if (find_name(m, idx, &name)) {
		add_printable(b, name);
		return;
	}
	if (idx < m->n[PW_EXT_FUNC] && m->func_exports &&
	    m->func_exports[idx]) {
		add_printable(b, m->exports[m->func_exports[idx] - 1].name);
		return;
	}
	if (idx >= m->n_imported[PW_EXT_FUNC])
		return;
	for (uint32_t i = 0; i < m->n_imports; i++) {
		const struct pw_import *im = &m->imports[i];

		if (im->kind != PW_EXT_FUNC || im->idx != idx)
			continue;
		pw_buf_printf(b, "import ");
		add_printable(b, im->module);
		pw_buf_add_u8(b, '.');
		add_printable(b, im->name);
	}
}

const char *pw_module_func_name(const struct pw_module *m, uint32_t idx,
				char *dst, size_t size)
{
	struct pw_buf b = { 0 };
	size_t n;

	add_func_name(m, idx, &b);
	n = b.len < size ? b.len : size ? size - 1 : 0;
	while (n && n < b.len && (b.data[n] & 0xc0) == 0x80)
		n--; /* cut between characters */
	if (n)
		memcpy(dst, b.data, n);
	if (size)
		dst[n] = 0;
	pw_buf_release(&b);
	return dst;
}
