// SPDX-License-Identifier: GPL-2.0-only
/*
 * Renders what is compared of a report as JSON, so that read-json.c finds it
 * again.
 */
#include "render-json.h"
#include "quantity.h"

#include <utlist.h>

static json_t *series_value(const struct series *s)
{
	json_t *a;

	if (!s->n)
		return json_null();
	a = json_array();
	for (int i = 0; i < s->n; i++)
		json_array_append_new(a, json_number(s->v[i]));
	return a;
}

static json_t *how_value(const struct pw_cell_how *how)
{
	json_t *o;

	if (how->amount == PW_AMOUNT_NONE)
		return how->least > 0 ? json_pack("{sf}", "least", how->least)
				      : json_null();
	o = json_pack("{sssssf}", "amount", amount_name(how->amount), "better",
		      better_name(how->better), "least", how->least);
	if (unit_name(how->unit))
		json_object_set_new(o, "unit",
				    json_string(unit_name(how->unit)));
	return o;
}

/* An array with what stands beside each cell of a column. */
static void render_beside(struct json *j, const struct table *t, int col,
			  bool is_how)
{
	json_open(j, is_how ? "cells" : "blocks", '[');
	for (size_t row = 0; row < t->n_rows; row++) {
		const struct cell *c = table_cell(t, row, col);
		const struct beside *b =
			c && c->beside ? &t->beside[c->beside - 1] : NULL;

		json_next(j, NULL);
		json_put(j, !b       ? json_null()
			    : is_how ? how_value(&b->how)
				     : series_value(&b->blocks));
	}
	json_close(j, ']');
}

static void open_one(struct json *j, const char *key, const char *title,
		     const struct compared *c)
{
	json_open(j, key, '{');
	json_member(j, "title", json_text(title));
	json_member(j, "amount", json_string(amount_name(c->amount)));
	json_member(j, "better", json_string(better_name(c->better)));
}

static void render_column(struct json *j, const struct table *t, int col)
{
	const struct column *c = &t->columns[col];

	open_one(j, c->key, c->title, &c->compared);
	if (c->compared.has_whole) {
		json_member(j, "whole", json_number(c->compared.whole));
		json_member(j, "whole_blocks",
			    series_value(&c->compared.blocks));
	}
	if (t->has_how)
		render_beside(j, t, col, true);
	if (t->n_beside)
		render_beside(j, t, col, false);
	json_close(j, '}');
}

void render_json_compared_table(struct json *j, const struct table *t)
{
	json_t *keys;

	if (!table_is_compared(t))
		return;
	keys = json_object();
	for (int i = 0; i < t->n_columns; i++)
		if (t->columns[i].flags & PW_COL_KEY)
			json_object_set_new(keys, t->columns[i].key,
					    json_text(t->columns[i].title));
	json_member(j, "key", keys);
	if (t->is_cut)
		json_member(j, "cut", json_true());
	json_open(j, "compared", '{');
	for (int i = 0; i < t->n_columns; i++)
		if (t->columns[i].compared.is)
			render_column(j, t, i);
	json_close(j, '}');
}

void render_json_compared_facts(struct json *j, const struct pw_node *parent)
{
	const struct pw_node *n;
	bool any = false;

	DL_FOREACH(parent->children, n)
	{
		if (!n->compared.is)
			continue;
		if (!any)
			json_open(j, "compared", '{');
		any = true;
		open_one(j, n->key, n->title ? n->title : n->key, &n->compared);
		if (n->compared.blocks.n)
			json_member(j, "blocks",
				    series_value(&n->compared.blocks));
		json_close(j, '}');
	}
	if (any)
		json_close(j, '}');
}
