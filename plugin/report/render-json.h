/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * render-json: what the parts of the JSON renderer share. Values go through
 * jansson one at a time, so that a report of any size streams.
 */
#ifndef PW_REPORT_RENDER_JSON_H
#define PW_REPORT_RENDER_JSON_H

#include "model.h"

#include <jansson.h>

struct json {
	FILE *to;
	int indent;
	bool first; /* nothing stands before in this object or array */
};

/* A string as it is, bytes that are no UTF-8 as \xNN; NULL gives null. */
json_t *json_text(const char *s);
json_t *json_number(double v); /* null when not finite */
json_t *json_whole(int64_t v, enum pw_unit unit);
json_t *json_cell(const struct table *t, const struct cell *c,
		  enum pw_unit unit);

/* Writes a value and releases it. */
void json_put(const struct json *j, json_t *value);

/* A comma where one is due, a new line, and the key unless it is NULL. */
void json_next(struct json *j, const char *key);
/* `open` is "{" or "[". */
void json_open(struct json *j, const char *key, char open);
void json_close(struct json *j, char close);
void json_member(struct json *j, const char *key, json_t *value);

void render_json_table(struct json *j, const struct pw_node *n);
/* What is compared of a table, of a section's facts; nothing where none is. */
void render_json_compared_table(struct json *j, const struct table *t);
void render_json_compared_facts(struct json *j, const struct pw_node *parent);
void render_json_listing(struct json *j, const struct pw_node *n);

#endif
