/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * render-html: what the parts of the page share. All that people read is in
 * the page as HTML, which needs no scripts; the whole tables go besides into
 * the data, which plugin/page's scripts unpack to sort, filter and draw.
 */
#ifndef PW_REPORT_RENDER_HTML_H
#define PW_REPORT_RENDER_HTML_H

#include "render-json.h"

/* Rows of a table that stand in the HTML: of one that people read, and of one
 * that is only drawn. */
enum { HTML_ROWS = 200, HTML_DRAWN_ROWS = 100 };

struct html {
	struct pw_buf out;
	struct json data; /* an object of tables by their id */
	unsigned n_tables;
};

/* s as text of an element or of a quoted attribute. */
void html_text(struct pw_buf *out, const char *s);
/* An element around text; class may be NULL, s too: nothing is added. */
void html_element(struct pw_buf *out, const char *tag, const char *class,
		  const char *s);

/* A table as HTML, and whole into the data. */
void html_table(struct html *h, const struct pw_node *n);
void html_table_data(struct json *j, const char *id, const struct table *t);
void html_listing(struct html *h, const struct pw_node *n);
/* All of a report: a section of class "tab" for each tab. */
void html_body(struct html *h, const struct pw_node *root);

/* Bytes deflated (RFC 1950), as base64 (RFC 4648). */
void packed_add(struct pw_buf *out, const void *data, size_t n);

#endif
