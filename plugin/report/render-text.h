/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * render-text: what the parts of the text renderer share: where text goes,
 * how wide it may be and how far it is indented.
 */
#ifndef PW_REPORT_RENDER_TEXT_H
#define PW_REPORT_RENDER_TEXT_H

#include "model.h"

struct text {
	FILE *to;
	bool color;
	int width; /* columns left of the indent; 0: as many as needed */
	int indent;
	size_t rows; /* of a table; 0: all */
	bool tell_left_out;
	bool gap; /* a blank line comes before what is next */
};

enum style {
	STYLE_PLAIN,
	STYLE_BOLD,
	STYLE_RED,
	STYLE_GREEN,
	STYLE_GUILTY,
	STYLE_FAINT
};

/* Writes n bytes of one line, indented, in a style, with the newline. */
void text_line(const struct text *t, enum style style, const char *s, size_t n);
/* The same for visible text that ends with a zero. */
void text_title(const struct text *t, const char *title);

void render_text_table(const struct text *t, const struct table *table);
void render_text_listing(const struct text *t, const struct listing *l);

#endif
