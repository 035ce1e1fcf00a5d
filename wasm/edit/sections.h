/* SPDX-License-Identifier: GPL-2.0-only */
/* Sections as this room writes them: an id, a size, the content. */
#ifndef EDIT_SECTIONS_H
#define EDIT_SECTIONS_H

#include <perfwasm/module.h>

#define SECTIONS_OFF 8 /* behind magic and version */

enum {
	SEC_CUSTOM,
	SEC_TYPE,
	SEC_IMPORT,
	SEC_FUNCTION,
	SEC_TABLE,
	SEC_MEMORY,
	SEC_GLOBAL,
	SEC_EXPORT,
	SEC_START,
	SEC_ELEM,
	SEC_CODE,
	SEC_DATA,
	SEC_DATA_COUNT,
	SEC_TAG
};

static inline const uint8_t *module_bytes(const struct pw_module *m)
{
	size_t size;

	return pw_module_bytes(m, &size);
}

static inline void section_add(struct pw_buf *out, uint8_t id,
			       const struct pw_buf *content)
{
	pw_buf_add_u8(out, id);
	pw_buf_add_uleb(out, content->len);
	pw_buf_add(out, content->data, content->len);
}

/* A cursor over a section's content. */
static inline void section_cursor(const struct pw_module *m,
				  const struct pw_section *s,
				  struct pw_cursor *c, struct pw_err *err)
{
	pw_cursor_init(c, module_bytes(m) + s->data_off, s->size, s->data_off,
		       err);
}

/* What the cursor went over since `from`. */
static inline void section_copy(struct pw_buf *out, const struct pw_cursor *c,
				const uint8_t *from)
{
	pw_buf_add(out, from, (size_t)(c->p - from));
}

#endif
