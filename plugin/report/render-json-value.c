// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the values and the frame of JSON (RFC 8259): the frame by hand, so
 * that it streams, each value through jansson. Knows nothing of reports.
 * All characters beyond ASCII are written as \uNNNN: so the text is valid in
 * any encoding and harmless on any terminal.
 */
#include "render-json.h"
#include "visible.h"

#include <inttypes.h>

enum {
	DUMP = JSON_COMPACT | JSON_ENCODE_ANY | JSON_ENSURE_ASCII |
	       JSON_REAL_PRECISION(15)
};

json_t *json_text(const char *s)
{
	struct pw_buf b = { 0 };
	json_t *v;

	if (!s)
		return json_null();
	v = json_string(s); /* NULL when s is no UTF-8 */
	if (v)
		return v;
	utf8_add(&b, s);
	v = json_string(pw_buf_str(&b));
	pw_buf_release(&b);
	return v;
}

json_t *json_number(double v)
{
	json_t *value = json_real(v); /* NULL when v is not finite */

	return value ? value : json_null();
}

/* Most readers of JSON round integers beyond 2^53: addresses must not be. */
json_t *json_whole(int64_t v, enum pw_unit unit)
{
	char hex[24];

	if (unit != PW_UNIT_HEX || (v >= 0 && v < 1ll << 53))
		return json_integer(v);
	snprintf(hex, sizeof(hex), "0x%" PRIx64, (uint64_t)v);
	return json_string(hex);
}

void json_put(const struct json *j, json_t *value)
{
	json_dumpf(value, j->to, DUMP);
	json_decref(value);
}

void json_next(struct json *j, const char *key)
{
	fprintf(j->to, "%s\n%*s", j->first ? "" : ",", j->indent, "");
	j->first = false;
	if (!key)
		return;
	json_put(j, json_text(key));
	fputs(": ", j->to);
}

void json_open(struct json *j, const char *key, char open)
{
	json_next(j, key);
	fputc(open, j->to);
	j->indent += 2;
	j->first = true;
}

void json_close(struct json *j, char close)
{
	j->indent -= 2;
	if (!j->first)
		fprintf(j->to, "\n%*s", j->indent, "");
	fputc(close, j->to);
	j->first = false;
}

void json_member(struct json *j, const char *key, json_t *value)
{
	json_next(j, key);
	json_put(j, value);
}
