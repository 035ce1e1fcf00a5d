// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tables of a comparison: one for each column that is compared, below a
 * section for its table; and one for all facts. Judges nothing.
 */
#include "compare-impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct shown {
	struct pw_node *t;
	int what, sides, difference, lo, hi, change, share, verdict, note;
};

/* --- order ---------------------------------------------------------------------------- */

struct ordered {
	const struct figure *f;
	double weight, value;
};

static int heavier(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->f->number < y->f->number ? -1 : x->f->number > y->f->number;
}

/* Of a measure: what differs first, then what is not sure, then the rest. */
static struct ordered order_of(const struct comparison *c,
			       const struct figure *f)
{
	struct ordered o = { f, -1, 0 };

	for (uint32_t s = 0; s < c->n_sides; s++) {
		const struct judged *j = &f->judged[s];
		double weight = j->weight;

		if (!isnan(f->sides[s].value))
			o.value = fmax(o.value, fabs(f->sides[s].value));
		if (!s)
			continue;
		if (is_different(j->verdict))
			weight += 2;
		else if (j->verdict != VERDICT_SMALL && o.value > 0)
			weight += 1e-9;
		else
			weight = 0;
		o.weight = fmax(o.weight, weight);
	}
	return o;
}

static struct ordered *ordered(struct comparison *c, uint32_t table,
			       uint32_t measure, uint32_t *n)
{
	struct ordered *all = pw_alloc((c->n_figures + 1) * sizeof(*all));
	struct figure *f, *next;

	*n = 0;
	HASH_ITER (hh, c->figures, f, next) {
		if (f->table == table && f->measure == measure)
			all[(*n)++] = order_of(c, f);
	}
	qsort(all, *n, sizeof(*all), heavier);
	return all;
}

/* --- columns ----------------------------------------------------------------------------- */

static char *key_of(const char *what, const struct comparison *c, uint32_t side)
{
	return c->n_sides == 2 ? pw_strdup(what)
			       : pw_asprintf("%s_%u", what, side + 1);
}

int side_column(const struct comparison *c, struct pw_node *t, uint32_t side,
		const char *key, const char *title, enum pw_unit unit,
		unsigned flags)
{
	char *full = key_of(key, c, side);
	char *name = c->n_sides == 2 ? pw_strdup(title)
				     : pw_asprintf("%s: %s",
						   c->sides[side].label, title);
	int col = pw_column(t, full, name, unit, flags);

	free(full);
	free(name);
	return col;
}

#define VERDICT_AT 3

/* The columns of a side against the first; gives the first of them. */
static int judged_columns(const struct comparison *c, struct pw_node *t,
			  uint32_t side, enum pw_unit unit)
{
	enum { FOR_PROGRAMS = PW_COL_RIGHT | PW_COL_JSON_ONLY };
	int first = side_column(c, t, side, "difference", "Difference", unit,
				PW_COL_RIGHT);

	side_column(c, t, side, "error", "+-", unit, PW_COL_RIGHT);
	side_column(c, t, side, "change", "Change", PW_UNIT_PERCENT,
		    PW_COL_RIGHT);
	side_column(c, t, side, "verdict", "Verdict", PW_UNIT_NONE, 0);
	side_column(c, t, side, "lo", "at least", unit, FOR_PROGRAMS);
	side_column(c, t, side, "hi", "at most", unit, FOR_PROGRAMS);
	side_column(c, t, side, "of_whole", "Of the whole", PW_UNIT_PERCENT,
		    FOR_PROGRAMS);
	side_column(c, t, side, "p", "p", PW_UNIT_NONE, FOR_PROGRAMS);
	side_column(c, t, side, "margin", "Margin", unit, FOR_PROGRAMS);
	return first;
}

static void judged_cells(struct pw_node *t, int first, const struct figure *f,
			 uint32_t side)
{
	const struct judged *j = &f->judged[side];
	double from = f->sides[0].value;

	pw_cell_num(t, first, j->difference.value);
	pw_cell_num(t, first + 1, (j->interval.hi - j->interval.lo) / 2);
	if (from != 0)
		pw_cell_num(t, first + 2, j->difference.value / fabs(from));
	pw_cell_str(t, first + VERDICT_AT, verdict_name(j->verdict));
	pw_cell_num(t, first + 4, j->interval.lo);
	pw_cell_num(t, first + 5, j->interval.hi);
	pw_cell_num(t, first + 6, copysign(j->weight, j->difference.value));
	pw_cell_num(t, first + 7, j->p);
	pw_cell_num(t, first + 8, j->margin);
}

/* --- a column of the reports ---------------------------------------------------------------- */

static char *table_title(const struct comparison *c, const struct table *t,
			 const struct measure *m)
{
	bool is_rate =
		m->amount == PW_AMOUNT_TOTAL && c->opts.per == PW_PER_SECOND;

	return pw_asprintf("%s: %s%s", t->title, m->title,
			   is_rate                       ? ", per second"
			   : unit_of(c, t, m) != m->unit ? ", share"
							 : "");
}

static void add_rows(const struct comparison *c, const struct table *t,
		     const struct ordered *all, uint32_t n, struct pw_node *to,
		     const int *first, int whole, int note)
{
	int sides = t->n_names + 1;

	for (uint32_t i = 0; i < n; i++) {
		const struct figure *f = all[i].f;
		char *text;

		/* those too small to tell anything are last */
		if (c->opts.max_rows &&
		    (i >= c->opts.max_rows || all[i].weight <= 0))
			return;
		text = names_text(f, t);
		pw_row(to);
		pw_cell_str(to, whole, text);
		free(text);
		for (int k = 0; k < t->n_names; k++)
			pw_cell_str(to, k, f->names[k]);
		for (uint32_t s = 0; s < c->n_sides; s++) {
			pw_cell_num(to, sides + (int)s, f->sides[s].value);
			if (s)
				judged_cells(to, first[s], f, s);
		}
		text = alone_text(c, f);
		pw_cell_str(to, note, text);
		free(text);
	}
}

/* Rows whose sides are drawn beside each other. */
#define MOST_DRAWN 30u

/* The values of all sides, to be drawn. */
static void draw_sides(struct comparison *c, const struct table *t,
		       const struct measure *m, const struct ordered *all,
		       uint32_t n, struct pw_node *section)
{
	char *key = pw_asprintf("%s_sides", m->key);
	char *title = table_title(c, t, m);
	struct pw_node *to = pw_table(section, key, title), *chart;
	int what = pw_column(to, "what", "What", PW_UNIT_NONE, 0);
	int side = pw_column(to, "side", "Side", PW_UNIT_NONE, 0);
	int value = pw_column(to, "value", m->title, unit_of(c, t, m),
			      PW_COL_RIGHT);

	pw_table_only_drawn(to);
	for (uint32_t i = 0; i < n && i < MOST_DRAWN; i++) {
		char *text = names_text(all[i].f, t);

		for (uint32_t s = 0; s < c->n_sides; s++) {
			pw_row(to);
			pw_cell_str(to, what, text);
			pw_cell_str(to, side, c->sides[s].label);
			if (!isnan(all[i].f->sides[s].value))
				pw_cell_num(to, value,
					    all[i].f->sides[s].value);
		}
		free(text);
	}
	chart = pw_chart(to, PW_CHART_BARS, NULL, PW_CHART_BESIDE);
	pw_chart_role(chart, PW_ROLE_LABEL, what);
	pw_chart_role(chart, PW_ROLE_X, value);
	pw_chart_role(chart, PW_ROLE_GROUP, side);
	free(title);
	free(key);
}

/* In text: what differs, and of the tables at the top what is only noise. */
static bool is_in_text(const struct comparison *c, const struct table *t,
		       const struct ordered *all, uint32_t n)
{
	bool is_judged = false;

	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t s = 1; s < c->n_sides; s++) {
			const struct judged *j = &all[i].f->judged[s];

			if (is_different(j->verdict))
				return true;
			is_judged |= j->verdict != VERDICT_UNKNOWN;
		}
	}
	return is_judged && !strchr(t->where, '.');
}

/* A difference can be seen. */
static bool draws(const struct ordered *all, uint32_t n, uint32_t side)
{
	for (uint32_t i = 0; i < n; i++)
		if (fabs(all[i].f->judged[side].difference.value) > 0)
			return true;
	return false;
}

static void tell_measure(struct comparison *c, uint32_t table, uint32_t measure,
			 const struct ordered *all, uint32_t n,
			 struct pw_node *section)
{
	const struct table *t = &c->tables[table];
	const struct measure *m = &t->measures[measure];
	int *first = pw_alloc(c->n_sides * sizeof(*first)), whole, note;
	char *title = table_title(c, t, m), key[32];
	struct pw_node *to = pw_table(section, m->key, title), *chart;

	free(title);
	if (!is_in_text(c, t, all, n))
		pw_page_only(to);
	for (int k = 0; k < t->n_names; k++)
		pw_column(to, t->name_keys[k], t->name_titles[k], PW_UNIT_NONE,
			  PW_COL_TRUNC);
	whole = pw_column(to, "what", "What", PW_UNIT_NONE, PW_COL_JSON_ONLY);
	for (uint32_t s = 0; s < c->n_sides; s++) {
		snprintf(key, sizeof(key), "side_%u", s + 1);
		pw_column(to, key, c->sides[s].label, unit_of(c, t, m),
			  PW_COL_RIGHT);
	}
	for (uint32_t s = 1; s < c->n_sides; s++)
		first[s] = judged_columns(c, to, s, unit_of(c, t, m));
	note = pw_column(to, "note", "Where", PW_UNIT_NONE, 0);
	add_rows(c, t, all, n, to, first, whole, note);
	for (uint32_t s = 1; s < c->n_sides; s++) {
		if (!draws(all, n, s))
			continue;
		chart = pw_chart(to, PW_CHART_BARS, NULL, 0);
		pw_chart_role(chart, PW_ROLE_LABEL, whole);
		pw_chart_role(chart, PW_ROLE_X, first[s]);
		pw_chart_role(chart, PW_ROLE_GROUP, first[s] + VERDICT_AT);
	}
	free(first);
}

/* The scheduler's many tables are one tab of the page; of other titles it has
 * what stands before a bracket, for tabs are short. */
static struct pw_node *section_of(struct pw_node *root, const char *key,
				  const struct table *t)
{
	struct pw_node *n = pw_section(root, key, t->title);
	const char *bracket = t->title ? strstr(t->title, " (") : NULL;
	char *tab = bracket ? pw_strndup(t->title, (size_t)(bracket - t->title))
			    : NULL;

	if (!strncmp(t->where, "sched.", 6))
		pw_page_tab(n, "Scheduler");
	else if (tab)
		pw_page_tab(n, tab);
	free(tab);
	return n;
}

/* A table for each column, below one section; in text none without rows. */
static void tell_table(struct comparison *c, uint32_t table,
		       struct pw_node *root)
{
	const struct table *t = &c->tables[table];
	struct pw_node *section = NULL;
	char *key = pw_strdup(t->where);
	bool in_text = false;

	for (char *dot = key; (dot = strchr(dot, '.'));)
		*dot = '_';
	for (uint32_t m = 0; m < (uint32_t)t->n_measures; m++) {
		uint32_t n;
		struct ordered *all = ordered(c, table, m, &n);

		if (n && (all[0].weight > 0 || !c->opts.max_rows)) {
			if (!section)
				section = section_of(root, key, t);
			tell_measure(c, table, m, all, n, section);
			in_text |= is_in_text(c, t, all, n);
			draw_sides(c, t, &t->measures[m], all, n, section);
		}
		free(all);
	}
	if (section && !in_text)
		pw_page_only(section);
	free(key);
}

/* --- facts ------------------------------------------------------------------------------------ */

static struct pw_node *facts_table(const struct comparison *c,
				   struct pw_node *root)
{
	struct pw_node *t = pw_table(root, "figures", "Other figures");
	char key[32];

	pw_column(t, "what", "What", PW_UNIT_NONE, 0);
	for (uint32_t s = 0; s < c->n_sides; s++) {
		snprintf(key, sizeof(key), "side_%u", s + 1);
		pw_column(t, key, c->sides[s].label, PW_UNIT_NONE,
			  PW_COL_RIGHT);
	}
	for (uint32_t s = 1; s < c->n_sides; s++) {
		side_column(c, t, s, "difference", "Difference", PW_UNIT_NONE,
			    PW_COL_RIGHT);
		side_column(c, t, s, "change", "Change", PW_UNIT_PERCENT,
			    PW_COL_RIGHT);
		side_column(c, t, s, "verdict", "Verdict", PW_UNIT_NONE, 0);
	}
	return t;
}

static void tell_fact(const struct comparison *c, struct pw_node *t,
		      const struct figure *f)
{
	const struct measure *m = measure_of(c, f);
	int col = 0;
	char *text;

	pw_row(t);
	pw_cell_str(t, col++, m->title);
	for (uint32_t s = 0; s < c->n_sides; s++) {
		text = quantity_text(c, f, f->sides[s].value, false);
		pw_cell_str(t, col++, text);
		free(text);
	}
	for (uint32_t s = 1; s < c->n_sides; s++) {
		const struct judged *j = &f->judged[s];

		text = quantity_text(c, f, j->difference.value, true);
		pw_cell_str(t, col++, text);
		free(text);
		if (f->sides[0].value != 0)
			pw_cell_num(t, col,
				    j->difference.value /
					    fabs(f->sides[0].value));
		pw_cell_str(t, ++col, verdict_name(j->verdict));
		col++;
	}
}

static void tell_facts(struct comparison *c, struct pw_node *root)
{
	struct pw_node *t = NULL;
	struct figure *f, *next;

	HASH_ITER (hh, c->figures, f, next) {
		if (!c->tables[f->table].is_facts)
			continue;
		if (!t)
			t = facts_table(c, root);
		tell_fact(c, t, f);
	}
}

void tell_tables(struct comparison *c, struct pw_node *root)
{
	tell_facts(c, root);
	for (uint32_t i = 0; i < c->n_tables; i++)
		if (!c->tables[i].is_facts && !c->tables[i].is_mixed)
			tell_table(c, i, root);
}
