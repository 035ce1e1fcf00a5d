// SPDX-License-Identifier: GPL-2.0-only
/*
 * A source map, revision 3 (ECMA-426): JSON whose "mappings" is one line of
 * segments for a module, since a module is one line of bytes:
 *   segment,segment,...   each 1, 4 or 5 numbers, base-64 VLQ, differences:
 *   offset [source line column [name]]
 * Knows nothing of modules.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "lines-impl.h"

#define NONE UINT32_MAX

struct segment {
	uint32_t off, source, line, column, name;
};

struct strings {
	char **v;
	uint32_t n;
};

struct source_map {
	struct segment *v;
	uint32_t n, cap;
	struct strings sources, names;
};

/* --- segments ---------------------------------------------------------------- */

static int digit_of(uint8_t c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Adds a difference to *v: five bits a digit, lowest first, bit 5 says that
 * more follow; the lowest bit of all is the sign. */
static int add_vlq(struct pw_cursor *c, int64_t *v)
{
	uint64_t sum = 0;
	int shift = 0, digit;

	do {
		digit = digit_of(pw_cursor_u8(c));
		if (c->failed || digit < 0)
			return pw_cursor_fail(
				c, EINVAL,
				"source map: expected a base-64 digit in the mappings");
		if (shift > 30)
			return pw_cursor_fail(
				c, EINVAL,
				"source map: number in the mappings is longer than 32 bits");
		sum |= (uint64_t)(digit & 31) << shift;
		shift += 5;
	} while (digit & 32);
	*v += sum & 1 ? -(int64_t)(sum >> 1) : (int64_t)(sum >> 1);
	if (*v < 0 || *v >= NONE)
		return pw_cursor_fail(
			c, EINVAL,
			"source map: a position in the mappings is out of range");
	return 0;
}

static bool at_end(const struct pw_cursor *c)
{
	return !pw_cursor_left(c) || *c->p == ',' || *c->p == ';';
}

static int add_segment(struct source_map *s, const int64_t *at, int n_fields)
{
	struct segment *to;

	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 256;
		s->v = pw_realloc(s->v, s->cap * sizeof(*s->v));
	}
	to = &s->v[s->n++];
	*to = (struct segment){ .off = (uint32_t)at[0],
				.source = NONE,
				.name = NONE };
	if (n_fields == 1)
		return 0;
	if (at[1] >= s->sources.n || (n_fields == 5 && at[4] >= s->names.n))
		return -EINVAL;
	to->source = (uint32_t)at[1];
	to->line = (uint32_t)at[2];
	to->column = (uint32_t)at[3];
	if (n_fields == 5)
		to->name = (uint32_t)at[4];
	return 0;
}

static int by_off(const void *a, const void *b)
{
	const struct segment *x = a, *y = b;

	return x->off < y->off ? -1 : x->off > y->off;
}

static int read_mappings(struct source_map *s, const char *text, size_t size,
			 struct pw_err *err)
{
	int64_t at[5] = { 0 };
	struct pw_cursor c;

	pw_cursor_init(&c, text, size, 0, err);
	while (pw_cursor_left(&c) && *c.p != ';') {
		int n = 0;

		while (n < 5 && !at_end(&c))
			if (add_vlq(&c, &at[n++]))
				return -EINVAL;
		if (!at_end(&c) || n == 2 || n == 3)
			return pw_cursor_fail(
				&c, EINVAL,
				"source map: expected 1, 4 or 5 numbers in a segment");
		if (n && add_segment(s, at, n))
			return pw_cursor_fail(
				&c, EINVAL,
				"source map: a segment names a source or name that is not listed");
		if (pw_cursor_left(&c) && *c.p == ',')
			c.p++;
	}
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_off);
	return 0;
}

/* --- the JSON around them --------------------------------------------------------- */

static void read_strings(struct strings *s, const json_t *array,
			 const char *root)
{
	size_t n = json_array_size(array);

	s->v = pw_zalloc((n + 1) * sizeof(*s->v));
	for (s->n = 0; s->n < n && s->n < NONE; s->n++) {
		/* null: a source without a name */
		const char *text =
			json_string_value(json_array_get(array, s->n));
		bool slash = root[0] && root[strlen(root) - 1] != '/';

		s->v[s->n] = pw_asprintf("%s%s%s", root, slash ? "/" : "",
					 text ? text : "?");
	}
}

static int read_map(struct source_map *s, const json_t *map, struct pw_err *err)
{
	const json_t *mappings = json_object_get(map, "mappings");
	const char *root =
		json_string_value(json_object_get(map, "sourceRoot"));
	const json_t *version = json_object_get(map, "version");

	if (json_object_get(map, "sections"))
		return pw_err_set(
			err, ENOTSUP,
			"source map: maps in sections are not known; a module has one line");
	if (!json_is_integer(version) || json_integer_value(version) != 3)
		return pw_err_set(err, EINVAL,
				  "source map: expected \"version\": 3");
	if (!json_is_string(mappings))
		return pw_err_set(err, EINVAL,
				  "source map: expected a string \"mappings\"");
	read_strings(&s->sources, json_object_get(map, "sources"),
		     root ? root : "");
	read_strings(&s->names, json_object_get(map, "names"), "");
	return read_mappings(s, json_string_value(mappings),
			     json_string_length(mappings), err);
}

struct source_map *source_map_read(const char *json, size_t size,
				   struct pw_err *err)
{
	struct source_map *s;
	json_error_t why;
	json_t *map;
	int ret;

	/* some servers put a line in front that is no JSON */
	if (size > 3 && !memcmp(json, ")]}", 3)) {
		const char *line = memchr(json, '\n', size);

		size -= line ? (size_t)(line - json) : 0;
		json = line ? line : json;
	}
	map = json_loadb(json, size, 0, &why);
	if (!map) {
		pw_err_at(err, EINVAL, (uint64_t)why.position,
			  "source map: not JSON in line %d, column %d",
			  why.line, why.column);
		return NULL;
	}
	s = pw_zalloc(sizeof(*s));
	ret = read_map(s, map, err);
	json_decref(map);
	if (!ret)
		return s;
	source_map_free(s);
	return NULL;
}

static void free_strings(struct strings *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
}

void source_map_free(struct source_map *s)
{
	if (!s)
		return;
	free_strings(&s->sources);
	free_strings(&s->names);
	free(s->v);
	free(s);
}

/* A segment holds up to the next one. */
bool source_map_find(const struct source_map *s, uint64_t off,
		     struct pw_line_at *out)
{
	uint32_t lo = 0, hi = s->n;
	const struct segment *at;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (s->v[mid].off <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	at = lo ? &s->v[lo - 1] : NULL;
	if (!at || at->source == NONE)
		return false;
	*out = (struct pw_line_at){ .n_frames = 1 };
	out->frames[0] = (struct pw_line_frame){
		.file = s->sources.v[at->source],
		.line = at->line + 1,
		.column = at->column + 1,
		.function = at->name == NONE ? NULL : s->names.v[at->name],
	};
	return true;
}
