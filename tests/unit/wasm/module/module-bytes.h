/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Builds modules byte by byte for this room's tests: sections from bytes,
 * and a whole module around one function with a memory, a table and globals.
 */
#ifndef MODULE_BYTES_H
#define MODULE_BYTES_H

#include <perfwasm/module.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define BYTES(...)                        \
	(const uint8_t[]){ __VA_ARGS__ }, \
		sizeof((const uint8_t[]){ __VA_ARGS__ })

static inline void add_header(struct pw_buf *b)
{
	pw_buf_add(b, "\0asm\1\0\0\0", 8);
}

static inline void add_section(struct pw_buf *b, uint8_t id,
			       const uint8_t *bytes, size_t n)
{
	pw_buf_add_u8(b, id);
	pw_buf_add_uleb(b, n);
	pw_buf_add(b, bytes, n);
}

/* "iIfFV" as type bytes behind their number. */
static inline void add_letters(struct pw_buf *b, const char *letters)
{
	static const char order[] = "VFfIi"; /* 0x7b to 0x7f */

	pw_buf_add_uleb(b, strlen(letters));
	for (; *letters; letters++)
		pw_buf_add_u8(b, 0x7b + (strchr(order, *letters) - order));
}

/*
 * One function of the given parameters and results; body is its locals and
 * instructions. Around it: type 1 [i32 i64] -> [f32 f64], type 2 [i32] ->
 * [i32 i32], function 1 of type 1 that traps, a table of functions, memory
 * of one page, globals 0 mutable i32 and 1 constant i64.
 */
static inline void build_module(struct pw_buf *b, const char *params,
				const char *results, const uint8_t *body,
				size_t n)
{
	struct pw_buf s = { 0 };

	add_header(b);
	pw_buf_add(&s, BYTES(3, 0x60));
	add_letters(&s, params);
	add_letters(&s, results);
	pw_buf_add(&s, BYTES(0x60, 2, 0x7f, 0x7e, 2, 0x7d, 0x7c));
	pw_buf_add(&s, BYTES(0x60, 1, 0x7f, 2, 0x7f, 0x7f));
	add_section(b, 1, s.data, s.len);
	add_section(b, 3, BYTES(2, 0, 1));
	add_section(b, 4, BYTES(1, 0x70, 0, 1));
	add_section(b, 5, BYTES(1, 0, 1));
	add_section(b, 6,
		    BYTES(2, 0x7f, 1, 0x41, 0, 0x0b, 0x7e, 0, 0x42, 7, 0x0b));
	add_section(b, 7, BYTES(1, 1, 'f', 0, 0));
	s.len = 0;
	pw_buf_add_u8(&s, 2);
	pw_buf_add_uleb(&s, n);
	pw_buf_add(&s, body, n);
	pw_buf_add(&s, BYTES(3, 0, 0x00, 0x0b));
	add_section(b, 10, s.data, s.len);
	pw_buf_release(&s);
}

static inline struct pw_module *decode_ok(const struct pw_buf *b)
{
	struct pw_err err = { 0 };
	struct pw_module *m = pw_module_decode(b->data, b->len, &err);

	if (!m)
		fail_msg("refused at %llu: %s", (unsigned long long)err.off,
			 err.msg);
	return m;
}

/* Walks all bodies with pw_walk_next(); the first error. */
static inline int walk_all(const struct pw_module *m, struct pw_err *err)
{
	struct pw_walk *w = pw_walk_new(m);
	struct pw_insn insn;
	int rc = 0;

	for (uint32_t i = pw_module_n_imported(m, PW_EXT_FUNC);
	     i < pw_module_n(m, PW_EXT_FUNC) && rc == 0; i++) {
		rc = pw_walk_start(w, i, err);
		while (rc == 0 && (rc = pw_walk_next(w, &insn, err)) > 0)
			rc = 0;
	}
	pw_walk_free(w);
	return rc;
}

#endif
