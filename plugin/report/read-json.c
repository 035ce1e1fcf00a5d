// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads what is compared back out of the JSON of a report. The bytes may be
 * anything: what does not fit is passed over, what is no report is refused.
 */
#include "model.h"
#include "quantity.h"

#include <jansson.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static double number_of(const json_t *v)
{
	if (json_is_object(v)) /* an interval */
		v = json_object_get(v, "value");
	return json_is_number(v) ? json_number_value(v) : NAN;
}

static enum pw_unit unit_of(const json_t *units, const char *key)
{
	const char *have = text_of(units, key); /* "" has none */

	for (int u = PW_UNIT_NONE; u <= PW_UNIT_COUNT; u++) {
		const char *name = unit_name(u);

		if (name && !strcmp(name, have))
			return u;
	}
	return PW_UNIT_NONE;
}

static enum pw_amount amount_of(const json_t *compared)
{
	const char *s = text_of(compared, "amount");

	for (int a = PW_AMOUNT_TOTAL; a <= PW_AMOUNT_EXACT; a++)
		if (!strcmp(s, amount_name((enum pw_amount)a)))
			return (enum pw_amount)a;
	return PW_AMOUNT_NONE;
}

static enum pw_better better_of(const json_t *compared)
{
	const char *s = text_of(compared, "better");

	return !strcmp(s, "less")   ? PW_BETTER_LESS
	       : !strcmp(s, "more") ? PW_BETTER_MORE
				    : PW_BETTER_NEITHER;
}

/* The numbers of an array; their count, 0 for none. The caller frees. */
static int series_of(const json_t *a, double **v)
{
	size_t n = json_array_size(a);

	*v = NULL;
	if (!n || n > INT16_MAX)
		return 0;
	*v = pw_alloc(n * sizeof(**v));
	for (size_t i = 0; i < n; i++)
		(*v)[i] = number_of(json_array_get(a, i));
	return (int)n;
}

/* --- tables --------------------------------------------------------------------- */

struct col {
	const char *key;
	const json_t *compared; /* NULL: a key */
	int col;
};

static void add_compared(struct pw_node *t, const struct col *c)
{
	double *whole;
	int n;

	pw_column_compared(t, c->col, amount_of(c->compared),
			   better_of(c->compared));
	if (!json_object_get(c->compared, "whole"))
		return;
	n = series_of(json_object_get(c->compared, "whole_blocks"), &whole);
	pw_column_whole(t, c->col,
			number_of(json_object_get(c->compared, "whole")), whole,
			n);
	free(whole);
}

static struct col *add_columns(struct pw_node *t, json_t *o, size_t *n)
{
	json_t *keys = json_object_get(o, "key"), *v;
	json_t *compared = json_object_get(o, "compared");
	const json_t *units = json_object_get(o, "units");
	size_t max = json_object_size(keys) + json_object_size(compared);
	struct col *cols = pw_zalloc((max + 1) * sizeof(*cols));
	const char *key;

	*n = 0;
	json_object_foreach (keys, key, v) {
		struct col *c = &cols[(*n)++];

		c->key = key;
		c->col = pw_column(t, key, json_string_value(v), PW_UNIT_NONE,
				   PW_COL_KEY);
	}
	json_object_foreach (compared, key, v) {
		struct col *c = &cols[(*n)++];

		c->key = key;
		c->compared = v;
		c->col = pw_column(t, key, text_of(v, "title"),
				   unit_of(units, key), 0);
		add_compared(t, c);
	}
	return cols;
}

/* What a cell says besides its column. */
static void add_how(struct pw_node *t, const struct col *c, size_t i)
{
	const json_t *o =
		json_array_get(json_object_get(c->compared, "cells"), i);
	double least = number_of(json_object_get(o, "least"));

	if (!o)
		return;
	least = least > 0 ? least : 0;
	if (amount_of(o) == PW_AMOUNT_NONE)
		pw_cell_matters(t, c->col, least);
	else
		pw_cell_compared(t, c->col,
				 (struct pw_cell_how){
					 .unit = unit_of(o, "unit"),
					 .amount = amount_of(o),
					 .better = better_of(o),
					 .least = least,
				 });
}

static void add_cell(struct pw_node *t, const struct col *c, const json_t *row,
		     size_t i)
{
	const json_t *v = json_object_get(row, c->key);
	double *blocks;
	int n;

	if (json_is_string(v) && !c->compared)
		pw_cell_str(t, c->col, json_string_value(v));
	else if (json_is_integer(v))
		pw_cell_int(t, c->col, json_integer_value(v));
	else if (json_is_number(v))
		pw_cell_num(t, c->col, number_of(v));
	n = series_of(json_array_get(json_object_get(c->compared, "blocks"), i),
		      &blocks);
	pw_cell_blocks(t, c->col, blocks, n);
	free(blocks);
	add_how(t, c, i);
}

static void read_table(struct pw_node *parent, const char *key, json_t *o)
{
	const json_t *rows = json_object_get(o, "rows"), *row;
	const char *title = json_string_value(json_object_get(o, "title"));
	struct pw_node *t;
	struct col *cols;
	size_t n, i, k;

	if (!json_object_get(o, "compared"))
		return;
	t = pw_table(parent, key, title);
	cols = add_columns(t, o, &n);
	if (json_is_true(json_object_get(o, "cut")))
		pw_table_cut(t);
	json_array_foreach (rows, i, row) {
		pw_row(t);
		for (k = 0; k < n; k++)
			add_cell(t, &cols[k], row, i);
	}
	free(cols);
}

/* --- sections --------------------------------------------------------------------- */

static void read_fact(struct pw_node *to, const char *key, const json_t *v,
		      const json_t *compared, enum pw_unit unit)
{
	const char *title = text_of(compared, "title");
	double *blocks;
	int n;

	if (json_is_string(v))
		pw_fact_str(to, key, title, json_string_value(v));
	else if (json_is_boolean(v))
		pw_fact_bool(to, key, title, json_is_true(v));
	else
		pw_fact_num(to, key, title, number_of(v), unit);
	pw_fact_compared(to, amount_of(compared), better_of(compared));
	n = series_of(json_object_get(compared, "blocks"), &blocks);
	pw_fact_blocks(to, blocks, n);
	free(blocks);
}

static struct pw_report_time read_time(const json_t *o)
{
	const json_t *t = json_object_get(o, "time");
	json_int_t span = json_integer_value(json_object_get(t, "span"));
	json_int_t block = json_integer_value(json_object_get(t, "block"));
	json_int_t start = json_integer_value(json_object_get(t, "start"));

	return (struct pw_report_time){ (uint64_t)span, (uint64_t)block,
					(uint64_t)start };
}

static void read_section(struct pw_node *to, json_t *o, int depth)
{
	const json_t *compared = json_object_get(o, "compared");
	const json_t *units = json_object_get(o, "units");
	const char *key;
	json_t *v;

	to->time = read_time(o);
	json_object_foreach (o, key, v) {
		const json_t *how = json_object_get(compared, key);
		const char *title =
			json_string_value(json_object_get(v, "title"));

		if (how)
			read_fact(to, key, v, how, unit_of(units, key));
		else if (json_is_array(json_object_get(v, "rows")))
			read_table(to, key, v);
		else if (json_is_object(v) && depth < 16 &&
			 strcmp(key, "units") && strcmp(key, "compared") &&
			 strcmp(key, "time"))
			read_section(pw_section(to, key, title), v, depth + 1);
	}
}

struct pw_report *pw_report_read_json(const char *json, size_t n,
				      struct pw_err *err)
{
	struct pw_report *r = NULL;
	json_error_t why;
	json_t *o = json_loadb(json, n, 0, &why);
	const char *key = json_string_value(json_object_get(o, "report"));

	if (!o) {
		pw_err_set(err, EINVAL, "this is no JSON: %s (line %d)",
			   why.text, why.line);
		return NULL;
	}
	if (!key) {
		pw_err_set(
			err, EINVAL,
			"this JSON has no \"report\": expected what a command of perf wasm printed with --format json");
	} else {
		r = pw_report_new(key, NULL);
		read_section(pw_report_root(r), o, 0);
	}
	json_decref(o);
	return r;
}
