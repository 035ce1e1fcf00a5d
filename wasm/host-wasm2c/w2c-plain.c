// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module with every name replaced by one of ours. wasm2c writes names into
 * C comments and makes identifiers of them; a name of a module must not get
 * near a C compiler. Bodies, types and data stay byte for byte.
 */
#include "w2c.h"

#include <errno.h>

enum { SEC_CUSTOM = 0, SEC_IMPORT = 2, SEC_EXPORT = 7 };

static void add_section(struct pw_buf *out, uint8_t id,
			const struct pw_buf *body)
{
	pw_buf_add_u8(out, id);
	pw_buf_add_uleb(out, body->len);
	pw_buf_add(out, body->data, body->len);
}

static void add_name(struct pw_buf *out, const char *fmt, ...) PW_PRINTF(2, 3);
static void add_name(struct pw_buf *out, const char *fmt, ...)
{
	char name[64];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	pw_buf_add_uleb(out, (uint64_t)n);
	pw_buf_add(out, name, (size_t)n);
}

/* --- imports ---------------------------------------------------------------- */

static void skip_limits(struct pw_cursor *c)
{
	uint8_t flags = pw_cursor_u8(c);

	pw_cursor_uleb64(c);
	if (flags & 1)
		pw_cursor_uleb64(c);
	if (flags & 8)
		pw_cursor_uleb32(c);
}

static void skip_type(struct pw_cursor *c)
{
	uint8_t t = pw_cursor_u8(c);

	if (t == 0x63 || t == 0x64)
		pw_cursor_sleb33(c);
}

static void skip_desc(struct pw_cursor *c)
{
	switch (pw_cursor_u8(c)) {
	case PW_EXT_FUNC:
		pw_cursor_uleb32(c);
		break;
	case PW_EXT_TABLE:
		skip_type(c);
		skip_limits(c);
		break;
	case PW_EXT_MEMORY:
		skip_limits(c);
		break;
	case PW_EXT_GLOBAL:
		skip_type(c);
		pw_cursor_u8(c);
		break;
	case PW_EXT_TAG:
		pw_cursor_u8(c);
		pw_cursor_uleb32(c);
		break;
	default:
		pw_cursor_fail(c, ENOTSUP, "an import of an unknown kind");
	}
}

static int add_imports(const struct pw_section *s, const uint8_t *bytes,
		       struct pw_buf *out, struct pw_err *err)
{
	struct pw_buf body = { 0 };
	struct pw_cursor c;
	uint32_t n;

	pw_cursor_init(&c, bytes + s->data_off, s->size, s->data_off, err);
	n = pw_cursor_uleb32(&c);
	pw_buf_add_uleb(&body, n);
	for (uint32_t i = 0; i < n && !c.failed; i++) {
		const uint8_t *desc;

		pw_cursor_bytes(&c, pw_cursor_uleb32(&c));
		pw_cursor_bytes(&c, pw_cursor_uleb32(&c));
		desc = c.p;
		skip_desc(&c);
		add_name(&body, "h");
		add_name(&body, "i%u", i);
		pw_buf_add(&body, desc, (size_t)(c.p - desc));
	}
	add_section(out, SEC_IMPORT, &body);
	pw_buf_release(&body);
	return c.failed ? -EINVAL : 0;
}

/* --- exports and names --------------------------------------------------------- */

static void add_exports(const struct pw_module *m, struct pw_buf *out)
{
	uint32_t n = pw_module_n_exports(m);
	struct pw_buf body = { 0 };

	pw_buf_add_uleb(&body, n);
	for (uint32_t k = 0; k < n; k++) {
		const struct pw_export *e = pw_module_export(m, k);

		if (e->kind == PW_EXT_FUNC)
			add_name(&body, "f%ue%u", e->idx, k);
		else
			add_name(&body, "x%u", k);
		pw_buf_add_u8(&body, (uint8_t)e->kind);
		pw_buf_add_uleb(&body, e->idx);
	}
	add_section(out, SEC_EXPORT, &body);
	pw_buf_release(&body);
}

static void add_names(const struct pw_module *m, struct pw_buf *out)
{
	uint32_t n = pw_module_n(m, PW_EXT_FUNC);
	struct pw_buf body = { 0 }, map = { 0 };

	pw_buf_add_uleb(&map, n);
	for (uint32_t i = 0; i < n; i++) {
		pw_buf_add_uleb(&map, i);
		add_name(&map, "f%u", i);
	}
	add_name(&body, "name");
	add_section(&body, 1, &map); /* a subsection is written alike */
	add_section(out, SEC_CUSTOM, &body);
	pw_buf_release(&body);
	pw_buf_release(&map);
}

int w2c_plain(const struct pw_module *m, struct pw_buf *out, struct pw_err *err)
{
	size_t size;
	const uint8_t *bytes = pw_module_bytes(m, &size);
	int rc = 0;

	pw_buf_add(out, bytes, 8);
	for (uint32_t i = 0; i < pw_module_n_sections(m) && !rc; i++) {
		const struct pw_section *s = pw_module_section(m, i);

		if (s->id == SEC_IMPORT)
			rc = add_imports(s, bytes, out, err);
		else if (s->id == SEC_EXPORT)
			add_exports(m, out);
		else if (s->id != SEC_CUSTOM)
			pw_buf_add(out, bytes + s->off,
				   s->data_off - s->off + s->size);
	}
	add_names(m, out);
	return rc;
}
