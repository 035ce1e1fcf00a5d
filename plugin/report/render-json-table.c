// SPDX-License-Identifier: GPL-2.0-only
/*
 * Renders the tables and listings of a report as JSON, one row or line a
 * line of output.
 */
#include "render-json.h"
#include "quantity.h"

#include <utlist.h>

json_t *json_cell(const struct table *t, const struct cell *c,
		  enum pw_unit unit)
{
	switch (c ? c->kind : CELL_EMPTY) {
	case CELL_STR:
		return json_text(table_str(t, c));
	case CELL_INT:
		return json_whole(c->i, unit);
	case CELL_NUM:
		return json_number(c->num);
	default:
		return json_null();
	}
}

static void render_columns(struct json *j, const struct table *t)
{
	json_t *units = json_object();

	for (int i = 0; i < t->n_columns; i++) {
		const char *name = unit_name(t->columns[i].unit);

		if (name)
			json_object_set_new(units, t->columns[i].key,
					    json_string(name));
	}
	if (json_object_size(units))
		json_member(j, "units", units);
	else
		json_decref(units);
}

static void render_row(struct json *j, const struct table *t, size_t row)
{
	json_t *o = json_object();
	char unit[16];

	for (int i = 0; i < t->n_columns; i++)
		json_object_set_new_nocheck(o, t->columns[i].key,
					    json_cell(t, table_cell(t, row, i),
						      t->columns[i].unit));
	if (t->row_units)
		json_object_set_new(
			o, "unit",
			json_text(row_unit_name(unit, table_row_unit(t, row))));
	json_next(j, NULL);
	json_put(j, o);
}

static void render_charts(struct json *j, const struct table *t)
{
	json_t *all = json_array();
	const struct pw_node *n;

	DL_FOREACH(t->charts, n)
	{
		const struct chart *c = &n->chart;
		json_t *o = json_pack("{ss}", "kind", chart_kind_name(c->kind));

		if (n->title)
			json_object_set_new(o, "title", json_text(n->title));
		for (int i = 0; i < PW_N_ROLES; i++)
			if (c->cols[i] >= 0)
				json_object_set_new(
					o, chart_role_name(i),
					json_text(t->columns[c->cols[i]].key));
		for (unsigned f = 1; f <= PW_CHART_BESIDE; f <<= 1)
			if (c->flags & f)
				json_object_set_new(o, chart_flag_name(f),
						    json_true());
		json_array_append_new(all, o);
	}
	json_member(j, "charts", all);
}

void render_json_table(struct json *j, const struct pw_node *n)
{
	json_open(j, n->key, '{');
	if (n->title)
		json_member(j, "title", json_text(n->title));
	render_columns(j, &n->table);
	if (n->table.charts)
		render_charts(j, &n->table);
	render_json_compared_table(j, &n->table);
	json_open(j, "rows", '[');
	for (size_t row = 0; row < n->table.n_rows; row++)
		render_row(j, &n->table, row);
	json_close(j, ']');
	json_close(j, '}');
}

/* null for a side where nothing stands. */
static json_t *side_value(const struct listing *l, const struct side *s)
{
	json_t *o;

	if (!s->addr && !s->text && !s->note)
		return json_null();
	o = json_object();
	json_object_set_new(o, "addr", json_text(listing_str(l, s->addr)));
	json_object_set_new(o, "text", json_text(listing_str(l, s->text)));
	json_object_set_new(o, "note", json_text(listing_str(l, s->note)));
	json_object_set_new(o, "share",
			    s->share >= 0 ? json_number(s->share)
					  : json_null());
	return o;
}

void render_json_listing(struct json *j, const struct pw_node *n)
{
	const struct listing *l = &n->listing;

	json_open(j, n->key, '{');
	if (n->title)
		json_member(j, "title", json_text(n->title));
	json_member(j, "left_title", json_text(l->left_title));
	json_member(j, "right_title", json_text(l->right_title));
	json_member(j, "units", json_pack("{ss}", "share", "fraction"));
	json_open(j, "lines", '[');
	for (size_t i = 0; i < l->n; i++) {
		const struct pair *p = &l->pairs[i];

		json_next(j, NULL);
		json_put(j, json_pack("{sssoso}", "mark",
				      listing_mark_name(p->mark), "left",
				      side_value(l, &p->left), "right",
				      side_value(l, &p->right)));
	}
	json_close(j, ']');
	json_close(j, '}');
}
