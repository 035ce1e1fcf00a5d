// SPDX-License-Identifier: GPL-2.0-only
/*
 * Renders a table of a report as aligned text (libsmartcols). Numbers of one
 * column share one scale.
 */
#include "render-text.h"
#include "visible.h"
#include "written.h"

#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

static bool is_shown(const struct table *t, int col)
{
	return !(t->columns[col].flags & PW_COL_JSON_ONLY);
}

static void add_row(struct libscols_table *to, const struct table *t,
		    size_t row, const struct scale *scales, struct pw_buf *b)
{
	struct libscols_line *line = scols_table_new_line(to, NULL);
	size_t to_col = 0;

	for (int i = 0; line && i < t->n_columns; i++) {
		const struct cell *c = table_cell(t, row, i);

		if (!is_shown(t, i))
			continue;
		b->len = 0;
		if (c)
			written_cell(b, t, c, &scales[i]);
		if (b->len)
			scols_line_set_data(line, to_col, pw_buf_str(b));
		to_col++;
	}
}

static void add_rows(struct libscols_table *to, const struct table *t,
		     size_t most)
{
	struct scale *scales = pw_zalloc(t->n_columns * sizeof(*scales));
	struct pw_buf b = { 0 };

	for (int i = 0; i < t->n_columns; i++)
		scales[i] = written_scale(t, i);
	for (size_t row = 0; row < t->n_rows && (!most || row < most); row++)
		add_row(to, t, row, scales, &b);
	pw_buf_release(&b);
	free(scales);
}

static void add_column(struct libscols_table *to, const struct column *c,
		       bool color)
{
	struct libscols_column *cl;
	struct pw_buf title = { 0 };
	int flags = 0;

	visible_add(&title, c->title);
	flags |= c->flags & PW_COL_RIGHT ? SCOLS_FL_RIGHT : 0;
	flags |= c->flags & PW_COL_TRUNC ? SCOLS_FL_TRUNC : 0;
	cl = scols_table_new_column(to, pw_buf_str(&title), 0, flags);
	if (cl && color)
		scols_cell_set_color(scols_column_get_header(cl), "bold");
	pw_buf_release(&title);
}

static void print_indented(const struct text *t, const char *lines)
{
	while (*lines) {
		size_t n = strcspn(lines, "\n");

		text_line(t, STYLE_PLAIN, lines, n);
		lines += n + (lines[n] == '\n');
	}
}

static void print_more(const struct text *t, size_t n)
{
	char *line = pw_asprintf("(and %zu more)", n);

	text_line(t, STYLE_PLAIN, line, strlen(line));
	free(line);
}

void render_text_table(const struct text *t, const struct table *table)
{
	size_t most = table->has_text_rows ? table->text_rows : t->rows;
	struct libscols_table *to;
	char *lines = NULL;

	if (!table->n_rows) {
		text_line(t, STYLE_PLAIN, "(none)", 6);
		return;
	}
	to = scols_new_table();
	scols_table_enable_noencoding(to, 1);
	scols_table_set_column_separator(to, "  ");
	scols_table_enable_colors(to, t->color);
	scols_table_set_termforce(to, t->width ? SCOLS_TERMFORCE_ALWAYS
					       : SCOLS_TERMFORCE_NEVER);
	if (t->width)
		scols_table_set_termwidth(to, t->width);
	for (int i = 0; i < table->n_columns; i++)
		if (is_shown(table, i))
			add_column(to, &table->columns[i], t->color);
	add_rows(to, table, most);
	if (!scols_print_table_to_string(to, &lines))
		print_indented(t, lines);
	free(lines);
	scols_unref_table(to);
	if ((t->tell_left_out || table->has_text_rows) && most &&
	    table->n_rows > most)
		print_more(t, table->n_rows - most);
}
