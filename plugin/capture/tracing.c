// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing data: the formats of the recorded tracepoints, as trace files have
 * them. Only the format that is asked for is parsed, by libtraceevent and
 * without its "print fmt", which is about text. The only file that includes
 * libtraceevent.
 */
#include <errno.h>
#include <event-parse.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "session.h"

struct trace_format {
	uint64_t id;
	const char *system, *name;
	const char *text; /* borrowed from the data */
	size_t size;
	struct tep_event *parsed;
	bool tried;
};

struct tracing {
	struct tep_handle *tep;
	uint8_t *data;
	struct trace_format *formats;
	uint32_t n;
	bool swap;
};

/* --- what lies where ----------------------------------------------------------- */

static int fail(const struct pw_cursor *c, const char *what)
{
	return pw_err_at(c->err, EINVAL, pw_cursor_off(c),
			 "tracing data: %s does not fit", what);
}

static uint64_t number(struct pw_cursor *c, int size, bool swap)
{
	const uint8_t *p = pw_cursor_bytes(c, (uint64_t)size);

	if (!p)
		return 0;
	return size == 8 ? load64(p, swap) : load32(p, swap);
}

static const char *zero_ended(struct pw_cursor *c)
{
	const uint8_t *zero, *s;

	zero = pw_cursor_left(c) ? memchr(c->p, 0, pw_cursor_left(c)) : NULL;
	if (!zero) {
		pw_cursor_fail(c, EINVAL,
			       "tracing data: a name without an end");
		return "";
	}
	s = pw_cursor_bytes(c, (uint64_t)(zero - c->p) + 1);
	return s ? (const char *)s : ""; /* it had failed before */
}

/* What follows a line's key ("ID: ") in a format; its length. */
static size_t line_value(const struct trace_format *f, const char *key,
			 const char **value)
{
	const char *p = f->text, *end = f->text + f->size, *nl;
	size_t n = strlen(key);

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (!nl)
			nl = end;
		if ((size_t)(nl - p) < n || memcmp(p, key, n))
			continue;
		*value = p + n;
		return (size_t)(nl - p) - n;
	}
	return 0;
}

static void add_format(struct pw_capture *c, struct tracing *t,
		       const char *system, const uint8_t *text, size_t size)
{
	struct trace_format *f;
	const char *v = NULL;
	size_t n, i;

	if (!(t->n & (t->n - 1)))
		t->formats = pw_realloc(t->formats,
					(t->n ? 2 * t->n : 1) * sizeof(*f));
	f = &t->formats[t->n++];
	*f = (struct trace_format){ .system = system,
				    .text = (const char *)text,
				    .size = size };
	n = line_value(f, "ID: ", &v);
	for (i = 0; i < n && v[i] >= '0' && v[i] <= '9'; i++)
		f->id = f->id * 10 + (uint64_t)(v[i] - '0');
	v = NULL;
	n = line_value(f, "name: ", &v);
	f->name = keep_memory(c, pw_strndup(v ? v : "", n));
}

/* Fails the cursor when a block does not fit. */
static void pass_block(struct pw_cursor *c, const char *title, bool swap)
{
	if (title && strcmp(zero_ended(c), title) && !c->failed)
		pw_cursor_fail(c, EINVAL, "tracing data: expected \"%s\"",
			       title);
	if (!c->failed)
		pw_cursor_bytes(c, number(c, 8, swap));
}

static void read_systems(struct pw_capture *c, struct tracing *t,
			 struct pw_cursor *cur)
{
	uint64_t n = number(cur, 4, t->swap), i;

	for (i = 0; i < n && !cur->failed; i++) {
		const char *system = zero_ended(cur);
		uint64_t n_events = number(cur, 4, t->swap), k;

		for (k = 0; k < n_events && !cur->failed; k++) {
			uint64_t size = number(cur, 8, t->swap);
			const uint8_t *text = pw_cursor_bytes(cur, size);

			if (text)
				add_format(c, t, system, text, size);
		}
	}
}

/*
 *   17 08 44 "tracing" | version, zero-ended | big-endian u8 | size of long
 *   u8 | page size u32 | "header_page" u64 n, bytes | "header_event" the same
 *   | u32 n formats of ftrace: u64 n, bytes | systems: see above | more
 */
static int read_all(struct pw_capture *c, struct tracing *t,
		    struct pw_cursor *cur)
{
	static const uint8_t magic[] = { 0x17, 0x08, 0x44, 't', 'r',
					 'a',  'c',  'i',  'n', 'g' };
	const uint8_t *p = pw_cursor_bytes(cur, sizeof(magic));
	uint64_t n, i;
	bool big;

	if (!p || memcmp(p, magic, sizeof(magic)))
		return fail(cur, "the magic number");
	zero_ended(cur);
	big = pw_cursor_u8(cur);
	t->swap = big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	tep_set_file_bigendian(t->tep,
			       big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(t->tep, pw_cursor_u8(cur));
	number(cur, 4, t->swap);
	pass_block(cur, "header_page", t->swap);
	pass_block(cur, "header_event", t->swap);
	n = number(cur, 4, t->swap);
	for (i = 0; i < n && !cur->failed; i++)
		pass_block(cur, NULL, t->swap);
	read_systems(c, t, cur);
	return cur->failed ? -EINVAL : 0;
}

static struct tep_handle *new_tep(void)
{
	struct tep_handle *tep;

	tep_set_loglevel(TEP_LOG_NONE); /* it would print */
	tep = tep_alloc();
	if (tep)
		tep_set_local_bigendian(tep,
					__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
						? TEP_BIG_ENDIAN
						: TEP_LITTLE_ENDIAN);
	return tep;
}

int tracing_read(struct pw_capture *c, const uint8_t *data, size_t size,
		 uint64_t off, struct pw_err *err)
{
	struct pw_err why = { 0 };
	struct pw_cursor cur;
	struct tracing *t;
	int ret;

	if (c->tracing)
		return pw_err_at(err, EINVAL, off,
				 "tracing data are there twice");
	t = c->tracing = pw_zalloc(sizeof(*t));
	t->tep = new_tep();
	if (!t->tep)
		return pw_err_set(err, ENOMEM, "libtraceevent: out of memory");
	t->data = pw_alloc(size ? size : 1);
	memcpy(t->data, data, size);
	pw_cursor_init(&cur, t->data, size, off, &why);
	ret = read_all(c, t, &cur);
	tracing_name_attrs(c); /* of what was read */
	if (ret && err)
		*err = why;
	return ret;
}

void tracing_release(struct pw_capture *c)
{
	if (!c->tracing)
		return;
	tep_free(c->tracing->tep);
	free(c->tracing->formats);
	free(c->tracing->data);
	free(c->tracing);
	c->tracing = NULL;
}

static struct trace_format *format_of(const struct pw_capture *c,
				      const struct pw_attr *a)
{
	uint32_t i;

	if (!c->tracing || a->type != PERF_TYPE_TRACEPOINT)
		return NULL;
	for (i = 0; i < c->tracing->n; i++)
		if (c->tracing->formats[i].id == a->config)
			return &c->tracing->formats[i];
	return NULL;
}

void tracing_name_attrs(struct pw_capture *c)
{
	uint32_t i;

	for (i = 0; c->tracing && i < c->n_attrs; i++) {
		struct attr *a = c->attrs[i];
		struct trace_format *f =
			a->is_named ? NULL : format_of(c, &a->pub);
		char *name;

		if (!f)
			continue;
		name = pw_asprintf("%s:%s", f->system, f->name);
		attr_set_name(c, a, name, strlen(name));
		free(name);
	}
}

/* --- fields ---------------------------------------------------------------------- */

static struct tep_event *parse(struct tep_handle *tep, const char *text,
			       size_t size, const char *system)
{
	const char *print = memmem(text, size, "\nprint fmt:", 11);
	struct pw_buf b = { 0 };
	struct tep_event *e = NULL;

	pw_buf_add(&b, text, print ? (size_t)(print - text) + 1 : size);
	pw_buf_printf(&b, "print fmt: \"\"\n");
	/* a zero ends what libtraceevent reads as well */
	if (tep_parse_format(tep, &e, pw_buf_str(&b), b.len, system))
		e = NULL;
	pw_buf_release(&b);
	return e;
}

static int find_field(struct tep_event *e, const char *name, bool swap,
		      struct pw_field *f, struct pw_err *err)
{
	const struct tep_format_field *t =
		e ? tep_find_any_field(e, name) : NULL;

	memset(f, 0, sizeof(*f));
	if (!e)
		return pw_err_set(
			err, ENOENT,
			"the format of the tracepoint can't be parsed");
	if (!t || t->offset < 0 || t->size < 0)
		return pw_err_set(err, ENOENT,
				  "the tracepoint has no field \"%s\"", name);
	f->off = (uint32_t)t->offset;
	f->size = (uint32_t)t->size;
	f->is_signed = t->flags & TEP_FIELD_IS_SIGNED;
	f->is_text = t->flags & TEP_FIELD_IS_STRING;
	f->is_dynamic = t->flags & TEP_FIELD_IS_DYNAMIC;
	f->is_relative = t->flags & TEP_FIELD_IS_RELATIVE;
	f->swap = swap;
	return 0;
}

int pw_capture_field(struct pw_capture *c, const struct pw_attr *a,
		     const char *name, struct pw_field *f, struct pw_err *err)
{
	struct trace_format *t = format_of(c, a);

	if (!t)
		return pw_err_set(err, ENOENT,
				  a->type != PERF_TYPE_TRACEPOINT
					  ? "%s is no tracepoint"
					  : "the format of %s was not recorded",
				  a->name);
	if (!t->tried)
		t->parsed = parse(c->tracing->tep, t->text, t->size, t->system);
	t->tried = true;
	return find_field(t->parsed, name, c->tracing->swap, f, err);
}

int pw_field_of_format(const char *format, size_t size, const char *name,
		       struct pw_field *f, struct pw_err *err)
{
	struct tep_handle *tep = new_tep();
	int ret;

	if (!tep)
		return pw_err_set(err, ENOMEM, "libtraceevent: out of memory");
	tep_set_long_size(tep, sizeof(long));
	ret = find_field(parse(tep, format, size, ""), name, false, f, err);
	tep_free(tep);
	return ret;
}

uint64_t pw_field_u64(const struct pw_field *f, const void *raw,
		      uint32_t raw_size)
{
	const uint8_t *p = (const uint8_t *)raw + f->off;
	uint64_t v;

	if (f->off > raw_size || f->size > raw_size - f->off)
		return 0;
	switch (f->size) {
	case 1:
		return f->is_signed ? (uint64_t)(int8_t)*p : *p;
	case 2:
		v = load16(p, f->swap);
		return f->is_signed ? (uint64_t)(int16_t)v : v;
	case 4:
		v = load32(p, f->swap);
		return f->is_signed ? (uint64_t)(int32_t)v : v;
	case 8:
		return load64(p, f->swap);
	default:
		return 0;
	}
}

const char *pw_field_text(const struct pw_field *f, const void *raw,
			  uint32_t raw_size, uint32_t *len)
{
	uint64_t off = f->off, size = f->size, loc;

	*len = 0;
	if (f->is_dynamic) {
		if (f->size != 4 || off > raw_size || raw_size - off < 4)
			return "";
		loc = load32((const uint8_t *)raw + off, f->swap);
		size = loc >> 16;
		off = (loc & 0xffff) + (f->is_relative ? off + 4 : 0);
	}
	if (off > raw_size || size > raw_size - off)
		return "";
	*len = (uint32_t)strnlen((const char *)raw + off, size);
	return (const char *)raw + off;
}
