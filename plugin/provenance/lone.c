// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module with one function left: its types, imports, tables, memories,
 * globals and exports are the original's, so the function is compiled as it
 * was by a compiler that takes functions one by one; all others are made
 * `unreachable` and data segments empty, so that this is quick. Knows nothing
 * of the machine code.
 */
#include <string.h>

#include "trial.h"

enum { SECTION_CODE = 10, SECTION_DATA = 11 };

static void add_section(struct pw_buf *out, uint8_t id,
			const struct pw_buf *payload)
{
	pw_buf_add_u8(out, id);
	pw_buf_add_uleb(out, payload->len);
	pw_buf_add(out, payload->data, payload->len);
}

static void add_code(const struct pw_module *m, uint32_t func_idx,
		     struct pw_buf *out)
{
	static const uint8_t empty[] = { 3, 0, 0x00, 0x0b }; /* unreachable */
	uint32_t first = pw_module_n_imported(m, PW_EXT_FUNC), i;
	uint32_t n = pw_module_n(m, PW_EXT_FUNC);
	size_t size;
	const uint8_t *bytes = pw_module_bytes(m, &size);
	struct pw_buf payload = { 0 };

	pw_buf_add_uleb(&payload, n - first);
	for (i = first; i < n; i++) {
		const struct pw_func *f = pw_module_func(m, i);

		if (i != func_idx) {
			pw_buf_add(&payload, empty, sizeof(empty));
			continue;
		}
		pw_buf_add_uleb(&payload, f->body_size);
		pw_buf_add(&payload, bytes + f->body_off, f->body_size);
	}
	add_section(out, SECTION_CODE, &payload);
	pw_buf_release(&payload);
}

/* As many segments, each passive and empty. */
static void add_data(const uint8_t *data, size_t size, struct pw_buf *out)
{
	struct pw_buf payload = { 0 };
	struct pw_cursor c;
	uint32_t n;

	pw_cursor_init(&c, data, size, 0, NULL);
	n = pw_cursor_uleb32(&c);
	pw_buf_add_uleb(&payload, n);
	while (n--) {
		pw_buf_add_u8(&payload, 1);
		pw_buf_add_u8(&payload, 0);
	}
	add_section(out, SECTION_DATA, &payload);
	pw_buf_release(&payload);
}

/* Hints to the compiler stay; names and debug information go. */
static bool is_wanted(const struct pw_section *s)
{
	return s->id ||
	       (s->name.len > 14 && !memcmp(s->name.s, "metadata.code.", 14));
}

void lone_module(const struct pw_module *m, uint32_t func_idx,
		 struct pw_buf *out)
{
	size_t size;
	const uint8_t *bytes = pw_module_bytes(m, &size);

	pw_buf_add(out, bytes, 8);
	for (uint32_t i = 0; i < pw_module_n_sections(m); i++) {
		const struct pw_section *s = pw_module_section(m, i);

		if (s->id == SECTION_CODE)
			add_code(m, func_idx, out);
		else if (s->id == SECTION_DATA)
			add_data(bytes + s->data_off, s->size, out);
		else if (is_wanted(s))
			pw_buf_add(out, bytes + s->off,
				   s->data_off + s->size - s->off);
	}
}
