/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mutate-fixture: builds a module of one function byte by byte and gathers
 * the lines of all its mutations. Knows the binary format on its own, so
 * that it can't share a mistake with the code under test.
 */
#ifndef MUTATE_FIXTURE_H
#define MUTATE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <perfwasm/mutate.h>

struct fixture {
	struct pw_buf bytes;
	struct pw_module *m;
	struct pw_buf lines; /* "line\nline\n" */
	unsigned n;
};

static inline void add_section(struct pw_buf *out, uint8_t id,
			       struct pw_buf *data)
{
	pw_buf_add_u8(out, id);
	pw_buf_add_uleb(out, data->len);
	pw_buf_add(out, data->data, data->len);
	pw_buf_release(data);
}

static inline uint8_t type_of_letter(char c)
{
	static const char letters[] = "iIfFVxe";
	static const uint8_t types[] = { 0x7f, 0x7e, 0x7d, 0x7c,
					 0x7b, 0x70, 0x6f };

	return types[strchr(letters, c) - letters];
}

static inline void add_types(struct pw_buf *b, const char *letters, size_t n)
{
	pw_buf_add_uleb(b, n);
	for (size_t i = 0; i < n; i++)
		pw_buf_add_u8(b, type_of_letter(letters[i]));
}

static inline void add_functype(struct pw_buf *b, const char *sig)
{
	const char *colon = strchr(sig, ':');

	pw_buf_add_u8(b, 0x60);
	add_types(b, sig, (size_t)(colon - sig));
	add_types(b, colon + 1, strlen(colon + 1));
}

/* Sections before the code: type 0 is sig, 1 is i:i; function 0 is imported
 * with type 1, 1 is ours; a memory of a page; globals i i F, mutable. */
static inline void add_head(struct pw_buf *out, const char *sig)
{
	static const uint8_t magic[] = { 0, 'a', 's', 'm', 1, 0, 0, 0 };
	static const uint8_t import[] = { 1, 1, 'e', 1, 'f', 0, 1 };
	static const uint8_t func[] = { 1, 0 };
	static const uint8_t memory[] = { 1, 0, 1 };
	static const uint8_t globals[] = { 3,    0x7f, 1,    0x41, 0,    0x0b,
					   0x7f, 1,    0x41, 0,    0x0b, 0x7c,
					   1,    0x44, 0,    0,    0,    0,
					   0,    0,    0,    0,    0x0b };
	struct pw_buf b = { 0 };

	pw_buf_add(out, magic, sizeof(magic));
	pw_buf_add_uleb(&b, 2);
	add_functype(&b, sig);
	add_functype(&b, "i:i");
	add_section(out, 1, &b);
	pw_buf_add(&b, import, sizeof(import));
	add_section(out, 2, &b);
	pw_buf_add(&b, func, sizeof(func));
	add_section(out, 3, &b);
	pw_buf_add(&b, memory, sizeof(memory));
	add_section(out, 5, &b);
	pw_buf_add(&b, globals, sizeof(globals));
	add_section(out, 6, &b);
}

static inline void add_body(struct pw_buf *out, const char *locals,
			    const uint8_t *code, size_t n)
{
	struct pw_buf b = { 0 }, body = { 0 };

	pw_buf_add_uleb(&body, strlen(locals));
	for (; *locals; locals++) {
		pw_buf_add_uleb(&body, 1);
		pw_buf_add_u8(&body, type_of_letter(*locals));
	}
	pw_buf_add(&body, code, n);
	pw_buf_add_u8(&body, 0x0b);
	pw_buf_add_uleb(&b, 1);
	pw_buf_add_uleb(&b, body.len);
	pw_buf_add(&b, body.data, body.len);
	pw_buf_release(&body);
	add_section(out, 10, &b);
}

static inline int gather(void *ctx, const struct pw_mutation *mut)
{
	struct fixture *fx = ctx;

	pw_mutation_print(fx->m, mut, &fx->lines);
	pw_buf_add_u8(&fx->lines, '\n');
	fx->n++;
	return 0;
}

static inline void fixture_gather(struct fixture *fx,
				  const struct pw_mutate_filter *filter)
{
	struct pw_err err = { 0 };
	int rc;

	fx->lines.len = 0;
	fx->n = 0;
	rc = pw_mutate_each(fx->m, filter, gather, fx, &err);
	if (rc)
		fail_msg("pw_mutate_each: %d %s", rc, err.msg);
}

/* Takes bytes as they are. */
static inline void fixture_load(struct fixture *fx, const void *data, size_t n)
{
	struct pw_err err = { 0 };

	*fx = (struct fixture){ 0 };
	pw_buf_add(&fx->bytes, data, n);
	fx->m = pw_module_decode(fx->bytes.data, fx->bytes.len, &err);
	if (!fx->m || pw_module_check_bodies(fx->m, &err))
		fail_msg("the test's own module: %s at %llu", err.msg,
			 (unsigned long long)err.off);
	fixture_gather(fx, NULL);
}

/* A function `sig` ("iF:i") with more locals ("iI") and this code. */
static inline void fixture_open(struct fixture *fx, const char *sig,
				const char *locals, const uint8_t *code,
				size_t n)
{
	struct pw_buf b = { 0 };

	add_head(&b, sig);
	add_body(&b, locals, code, n);
	fixture_load(fx, b.data, b.len);
	pw_buf_release(&b);
}

#define FIXTURE(fx, sig, locals, ...)                                   \
	fixture_open(fx, sig, locals, (const uint8_t[]){ __VA_ARGS__ }, \
		     sizeof((const uint8_t[]){ __VA_ARGS__ }))

static inline void fixture_close(struct fixture *fx)
{
	pw_module_free(fx->m);
	pw_buf_release(&fx->bytes);
	pw_buf_release(&fx->lines);
}

/* How many lines start with this text. */
static inline unsigned count_lines(struct fixture *fx, const char *start)
{
	const char *p = pw_buf_str(&fx->lines);
	unsigned n = 0;

	for (; *p; p = strchr(p, '\n') + 1)
		n += !strncmp(p, start, strlen(start));
	return n;
}

static inline bool has_line(struct fixture *fx, const char *line)
{
	char *whole = pw_asprintf("%s\n", line);
	bool found = count_lines(fx, whole) == 1;

	free(whole);
	return found;
}

#endif
