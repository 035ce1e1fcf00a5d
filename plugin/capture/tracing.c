// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing data: where the formats of the recorded tracepoints lie, as trace
 * files have them. Only a format that is asked for is parsed (trace-format.c).
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "session.h"
#include "trace-format.h"

struct trace_format {
	uint64_t id;
	const char *system, *name;
	const char *text; /* borrowed from the data */
	size_t size;
	struct trace_fields *fields; /* NULL: not parsed so far */
};

struct tracing {
	uint8_t *data;
	struct trace_format *formats;
	uint32_t n;
	bool swap, big;
	uint8_t long_bytes;
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
	t->big = big;
	t->long_bytes = pw_cursor_u8(cur);
	number(cur, 4, t->swap);
	pass_block(cur, "header_page", t->swap);
	pass_block(cur, "header_event", t->swap);
	n = number(cur, 4, t->swap);
	for (i = 0; i < n && !cur->failed; i++)
		pass_block(cur, NULL, t->swap);
	read_systems(c, t, cur);
	return cur->failed ? -EINVAL : 0;
}

static struct trace_format *format_of(const struct pw_capture *c,
				      const struct pw_attr *a)
{
	const struct tracing *t = c->tracing;
	uint32_t lo = 0, hi = t ? t->n : 0;

	if (a->type != PERF_TYPE_TRACEPOINT)
		return NULL;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (t->formats[mid].id < a->config)
			lo = mid + 1;
		else
			hi = mid;
	}
	return t && lo < t->n && t->formats[lo].id == a->config
		       ? &t->formats[lo]
		       : NULL;
}

void tracing_name_attr(struct pw_capture *c, struct attr *a)
{
	struct trace_format *f = a->is_named ? NULL : format_of(c, &a->pub);
	char *name;

	if (!f)
		return;
	name = pw_asprintf("%s:%s", f->system, f->name);
	attr_set_name(c, a, name, strlen(name));
	free(name);
}

static int by_id(const void *a, const void *b)
{
	const struct trace_format *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->text < y->text ? -1 : x->text > y->text;
}

int tracing_read(struct pw_capture *c, const uint8_t *data, size_t size,
		 uint64_t off, struct pw_err *err)
{
	struct pw_err why = { 0 };
	struct pw_cursor cur;
	struct tracing *t;
	uint32_t i;
	int ret;

	if (c->tracing)
		return pw_err_at(err, EINVAL, off,
				 "tracing data are there twice");
	t = c->tracing = pw_zalloc(sizeof(*t));
	t->data = pw_alloc(size ? size : 1);
	memcpy(t->data, data, size);
	pw_cursor_init(&cur, t->data, size, off, &why);
	ret = read_all(c, t, &cur);
	/* what was read before a fault is good */
	if (t->n)
		qsort(t->formats, t->n, sizeof(*t->formats), by_id);
	for (i = 0; i < c->n_attrs; i++)
		tracing_name_attr(c, c->attrs[i]);
	if (ret && err)
		*err = why;
	return ret;
}

void tracing_release(struct pw_capture *c)
{
	uint32_t i;

	if (!c->tracing)
		return;
	for (i = 0; i < c->tracing->n; i++)
		trace_fields_free(c->tracing->formats[i].fields);
	free(c->tracing->formats);
	free(c->tracing->data);
	free(c->tracing);
	c->tracing = NULL;
}

/* --- fields ---------------------------------------------------------------------- */

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
	if (!t->fields)
		t->fields = trace_fields_new(t->text, t->size, c->tracing->big,
					     c->tracing->long_bytes);
	return trace_fields_find(t->fields, name, f, err);
}
