// SPDX-License-Identifier: GPL-2.0-only
/*
 * The format of one trace event, and its fields by name, parsed by
 * libtraceevent, which only this file includes. Formats are untrusted and
 * libtraceevent expects the kernel's, so it is given no more than the lines of
 * fields that are plain declarations; texts ("print fmt") are not of interest.
 */
#include "trace-format.h"

#include <errno.h>
#include <event-parse.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"

struct trace_fields {
	struct tep_handle *tep;
	struct tep_event *event; /* NULL: can't be parsed */
	bool swap;
};

/* --- what libtraceevent gets to see ---------------------------------------------- */

struct line {
	const char *p, *end;
};

static bool is_word(char ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
	       (ch >= '0' && ch <= '9') || ch == '_';
}

static bool take(struct line *l, const char *s)
{
	size_t n = strlen(s);

	if ((size_t)(l->end - l->p) < n || memcmp(l->p, s, n))
		return false;
	l->p += n;
	return true;
}

static size_t take_word(struct line *l)
{
	const char *start = l->p;

	while (l->p < l->end && is_word(*l->p))
		l->p++;
	return (size_t)(l->p - start);
}

/* KEY, up to nine digits, a semicolon. */
static bool take_number(struct line *l, const char *key)
{
	int n = 0;

	if (!take(l, key))
		return false;
	take(l, "-"); /* of "signed" in some kernels */
	for (; l->p < l->end && *l->p >= '0' && *l->p <= '9'; n++)
		l->p++;
	return n && n < 10 && take(l, ";");
}

/*
 * Words and stars, then a name and perhaps a size in brackets: "const char *
 * s", "unsigned long args[6]". Of fields that hold a place, brackets stand in
 * front of the name: "__data_loc char[] name".
 */
static bool take_declaration(struct line *l)
{
	bool is_place = take(l, "__data_loc ") || take(l, "__rel_loc ");
	int words = is_place, brackets = 0;
	bool named = false;

	for (;;) {
		if (l->p < l->end && *l->p >= '0' && *l->p <= '9')
			return false;
		if (take_word(l)) {
			if (brackets && !is_place)
				return false;
			words++;
			named = true;
		} else if (take(l, "[")) {
			take_word(l);
			if (!named || brackets++ || !take(l, "]"))
				return false;
		} else if (take(l, "*")) {
			named = false;
		} else if (!take(l, " ")) {
			break;
		}
	}
	return words > 1 && named && take(l, ";");
}

static bool is_field(struct line l)
{
	if (!take(&l, "\tfield:") || !take_declaration(&l) ||
	    !take_number(&l, "\toffset:") || !take_number(&l, "\tsize:"))
		return false;
	return l.p == l.end || (take_number(&l, "\tsigned:") && l.p == l.end);
}

/* The fields all events have stand in front of an empty line. */
static void make_plain(struct pw_buf *b, const char *text, size_t size)
{
	const char *end = text + size, *nl;
	bool in_common = true;
	int n = 0;

	pw_buf_printf(b, "name: x\nID: 1\nformat:\n");
	for (; text < end; text = nl + 1) {
		struct line l;

		nl = memchr(text, '\n', (size_t)(end - text));
		l = (struct line){ text, nl ? nl : end };
		if (!nl)
			nl = end - 1;
		if (is_field(l)) {
			pw_buf_printf(b, "%.*s\n", (int)(l.end - l.p), l.p);
			n++;
		} else if (l.p == l.end && in_common && n) {
			pw_buf_printf(b, "\n");
			in_common = false;
		}
	}
	pw_buf_printf(b, "%s\nprint fmt: \"\"\n", in_common ? "\n" : "");
}

/* --- fields ------------------------------------------------------------------------ */

struct trace_fields *trace_fields_new(const char *text, size_t size, bool big,
				      unsigned int long_bytes)
{
	const bool host_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	struct trace_fields *t = pw_zalloc(sizeof(*t));
	struct pw_buf plain = { 0 };

	t->swap = big != host_big;
	tep_set_loglevel(TEP_LOG_NONE); /* it would print */
	t->tep = tep_alloc();
	if (!t->tep)
		return t;
	tep_set_local_bigendian(t->tep,
				host_big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_file_bigendian(t->tep,
			       big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(t->tep, (int)long_bytes);
	make_plain(&plain, text, size);
	if (tep_parse_format(t->tep, &t->event, pw_buf_str(&plain), plain.len,
			     "x"))
		t->event = NULL;
	pw_buf_release(&plain);
	return t;
}

void trace_fields_free(struct trace_fields *t)
{
	if (!t)
		return;
	tep_free(t->tep);
	free(t);
}

int trace_fields_find(struct trace_fields *t, const char *name,
		      struct pw_field *f, struct pw_err *err)
{
	const struct tep_format_field *tf =
		t->event ? tep_find_any_field(t->event, name) : NULL;

	memset(f, 0, sizeof(*f));
	if (!t->event)
		return pw_err_set(
			err, ENOENT,
			"the format of the tracepoint can't be parsed");
	if (!tf || tf->offset < 0 || tf->size < 0)
		return pw_err_set(err, ENOENT,
				  "the tracepoint has no field \"%s\"", name);
	f->off = (uint32_t)tf->offset;
	f->size = (uint32_t)tf->size;
	f->is_signed = tf->flags & TEP_FIELD_IS_SIGNED;
	f->is_text = tf->flags & TEP_FIELD_IS_STRING;
	f->is_dynamic = tf->flags & TEP_FIELD_IS_DYNAMIC;
	f->is_relative = tf->flags & TEP_FIELD_IS_RELATIVE;
	f->swap = t->swap;
	return 0;
}

int pw_field_of_format(const char *format, size_t size, const char *name,
		       struct pw_field *f, struct pw_err *err)
{
	struct trace_fields *t =
		trace_fields_new(format, size,
				 __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
				 sizeof(long));
	int ret = trace_fields_find(t, name, f, err);

	trace_fields_free(t);
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
