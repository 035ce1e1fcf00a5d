// SPDX-License-Identifier: GPL-2.0-only
/*
 * Renders the tables of a report for the page: the first rows as HTML for
 * people, all of them as data for the scripts. Knows nothing of how a script
 * will show them.
 */
#include "render-html.h"
#include "visible.h"
#include "written.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

/* --- as data ----------------------------------------------------------------- */

static json_t *shown_text(const char *s)
{
	char *safe = pw_visible(s);
	json_t *v = json_string(safe);

	free(safe);
	return v;
}

static json_t *plain_value(const struct table *t, const struct cell *c,
			   enum pw_unit unit)
{
	return c && c->kind == CELL_STR ? shown_text(table_str(t, c))
					: json_cell(t, c, unit);
}

static void values_of(struct json *j, const struct table *t, int col)
{
	/* a figure of twelve digits is exact enough to draw and copy */
	size_t flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12);

	json_open(j, "values", '[');
	for (size_t row = 0; row < t->n_rows; row++) {
		json_t *v = plain_value(t, table_cell(t, row, col),
					t->columns[col].unit);

		fputs(row ? "," : "", j->to);
		json_dumpf(v, j->to, flags);
		json_decref(v);
	}
	json_close(j, ']');
}

struct word {
	const char *text;
	size_t number;
	UT_hash_handle hh;
};

/* A column of names: each name once, then the number of each row's. */
static void words_of(struct json *j, const struct table *t, int col)
{
	struct word *words = NULL, *w, *tmp;
	size_t n = 0;

	json_open(j, "at", '[');
	for (size_t row = 0; row < t->n_rows; row++) {
		const struct cell *c = table_cell(t, row, col);
		const char *s = c ? table_str(t, c) : NULL;

		w = NULL;
		if (s)
			HASH_FIND_STR(words, s, w);
		if (s && !w) {
			w = pw_zalloc(sizeof(*w));
			w->text = s;
			w->number = n++;
			HASH_ADD_KEYPTR(hh, words, w->text, strlen(w->text), w);
		}
		fprintf(j->to, "%s%" PRId64, row ? "," : "",
			w ? (int64_t)w->number : -1);
	}
	json_close(j, ']');
	json_open(j, "words", '[');
	HASH_ITER (hh, words, w, tmp) {
		json_next(j, NULL);
		json_put(j, shown_text(w->text));
		HASH_DEL(words, w);
		free(w);
	}
	json_close(j, ']');
}

static bool is_of_words(const struct table *t, int col)
{
	bool any = false;

	for (size_t row = 0; row < t->n_rows; row++) {
		const struct cell *c = table_cell(t, row, col);

		if (c && c->kind != CELL_STR)
			return false;
		any |= !!c;
	}
	return any;
}

/* Their names, then the number of each row's; -1: none. */
static void row_units_data(struct json *j, const struct table *t)
{
	int number[0x100] = { 0 }, n = 0;
	char name[16];

	json_open(j, "row_units", '{');
	json_open(j, "at", '[');
	for (size_t row = 0; row < t->n_rows; row++) {
		unsigned int unit = table_row_unit(t, row);

		if (!number[unit] && row_unit_name(name, unit))
			number[unit] = ++n;
		fprintf(j->to, "%s%d", row ? "," : "", number[unit] - 1);
	}
	json_close(j, ']');
	json_open(j, "words", '[');
	for (int k = 1; k <= n; k++)
		for (unsigned int unit = 0; unit < 0x100; unit++)
			if (number[unit] == k) {
				json_next(j, NULL);
				json_put(j, json_string(
						    row_unit_name(name, unit)));
			}
	json_close(j, ']');
	json_close(j, '}');
}

static void column_data(struct json *j, const struct table *t, int i)
{
	const struct column *c = &t->columns[i];
	const char *unit = unit_name(c->unit);

	json_open(j, NULL, '{');
	json_member(j, "title", shown_text(*c->title ? c->title : c->key));
	if (c->unit == PW_UNIT_HEX)
		unit = "hex";
	if (unit)
		json_member(j, "unit", json_string(unit));
	if (c->flags & PW_COL_RIGHT)
		json_member(j, "right", json_true());
	if (c->flags & PW_COL_JSON_ONLY)
		json_member(j, "hidden", json_true());
	if (c->flags & PW_COL_ROW_UNIT)
		json_member(j, "by_row", json_true());
	if (is_of_words(t, i))
		words_of(j, t, i);
	else
		values_of(j, t, i);
	json_close(j, '}');
}

static void chart_data(struct json *j, const struct pw_node *n)
{
	const struct chart *c = &n->chart;

	json_open(j, NULL, '{');
	json_member(j, "kind", json_string(chart_kind_name(c->kind)));
	if (n->title)
		json_member(j, "title", shown_text(n->title));
	for (int i = 0; i < PW_N_ROLES; i++)
		if (c->cols[i] >= 0)
			json_member(j, chart_role_name(i),
				    json_integer(c->cols[i]));
	for (unsigned f = 1; f <= PW_CHART_BESIDE; f <<= 1)
		if (c->flags & f)
			json_member(j, chart_flag_name(f), json_true());
	json_close(j, '}');
}

void html_table_data(struct json *j, const char *id, const struct table *t)
{
	const struct pw_node *chart;

	json_open(j, id, '{');
	json_member(j, "rows", json_integer((json_int_t)t->n_rows));
	if (t->only_drawn)
		json_member(j, "drawn", json_true());
	json_open(j, "columns", '[');
	for (int i = 0; i < t->n_columns; i++)
		column_data(j, t, i);
	json_close(j, ']');
	if (t->row_units)
		row_units_data(j, t);
	json_open(j, "charts", '[');
	DL_FOREACH(t->charts, chart)
	chart_data(j, chart);
	json_close(j, ']');
	json_close(j, '}');
}

/* --- as HTML ------------------------------------------------------------------ */

static bool is_shown(const struct column *c)
{
	return !(c->flags & PW_COL_JSON_ONLY);
}

static const char *class_of(const struct column *c)
{
	return c->flags & PW_COL_RIGHT ? "n" : NULL;
}

static void html_head(struct pw_buf *out, const struct table *t)
{
	pw_buf_printf(out, "<thead><tr>");
	for (int i = 0; i < t->n_columns; i++)
		if (is_shown(&t->columns[i]))
			html_element(out, "th", class_of(&t->columns[i]),
				     t->columns[i].title);
	pw_buf_printf(out, "</tr></thead>\n<tbody>\n");
}

static void html_row(struct pw_buf *out, const struct table *t, size_t row,
		     const struct scale *scales)
{
	struct pw_buf text = { 0 };

	pw_buf_printf(out, "<tr>");
	for (int i = 0; i < t->n_columns; i++) {
		const struct cell *c = table_cell(t, row, i);

		if (!is_shown(&t->columns[i]))
			continue;
		text.len = 0;
		if (c)
			written_cell(&text, t, c, &scales[i]);
		html_element(out, "td", class_of(&t->columns[i]),
			     pw_buf_str(&text));
	}
	pw_buf_printf(out, "</tr>\n");
	pw_buf_release(&text);
}

static void html_rows(struct pw_buf *out, const struct table *t, size_t most)
{
	struct scale *scales = pw_zalloc(t->n_columns * sizeof(*scales));

	pw_buf_printf(out, "<div class=\"wide\"><table>\n");
	html_head(out, t);
	for (int i = 0; i < t->n_columns; i++)
		scales[i] = written_scale(t, i);
	for (size_t row = 0; row < t->n_rows && row < most; row++)
		html_row(out, t, row, scales);
	pw_buf_printf(out, "</tbody></table></div>\n");
	if (t->n_rows > most)
		pw_buf_printf(
			out,
			"<p class=\"more\">The first %zu of %zu rows; all of them are here when scripts run.</p>\n",
			most, t->n_rows);
	free(scales);
}

void html_table(struct html *h, const struct pw_node *n)
{
	const struct table *t = &n->table;
	size_t most = t->only_drawn ? HTML_DRAWN_ROWS : HTML_ROWS;
	char id[24];

	snprintf(id, sizeof(id), "t%u", ++h->n_tables);
	pw_buf_printf(&h->out, "<figure class=\"table\" id=\"%s\">\n", id);
	html_element(&h->out, "figcaption", NULL, n->title);
	if (t->n_rows) {
		html_rows(&h->out, t, most);
		html_table_data(&h->data, id, t);
	} else {
		html_element(&h->out, "p", NULL, "(none)");
	}
	pw_buf_printf(&h->out, "</figure>\n");
}
