// SPDX-License-Identifier: GPL-2.0-only
/*
 * The figures that have units of their own, a metric each: one table of all,
 * what differs first. Text has of them what is in the table of differences.
 */
#include "compare-impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ordered {
	const struct figure *f;
	int class; /* 0: differs, then noise, what is not judged, the rest */
	double times, value;
};

static int heavier(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->times != y->times)
		return x->times > y->times ? -1 : 1;
	if ((x->value != 0) != (y->value != 0))
		return x->value != 0 ? -1 : 1;
	return x->f->number < y->f->number ? -1 : x->f->number > y->f->number;
}

static int class_of(enum verdict v)
{
	return is_different(v)        ? 0
	       : v == VERDICT_NOISE   ? 1
	       : v == VERDICT_UNKNOWN ? 2
				      : 3;
}

static struct ordered order_of(const struct comparison *c,
			       const struct figure *f)
{
	struct ordered o = { .f = f, .class = 3 };

	for (uint32_t s = 0; s < c->n_sides; s++) {
		if (!isnan(f->sides[s].value))
			o.value = fmax(o.value, fabs(f->sides[s].value));
		if (!s)
			continue;
		if (class_of(f->judged[s].verdict) < o.class)
			o.class = class_of(f->judged[s].verdict);
		if (f->judged[s].verdict != VERDICT_SMALL)
			o.times = fmax(o.times, f->judged[s].times);
	}
	return o;
}

/* --- the table ----------------------------------------------------------------------- */

enum { COL_FAMILY, COL_METRIC, COL_INSTANCE, COL_FIRST };

/* Of a side that is judged. */
enum { OF_DIFFERENCE, OF_CHANGE, OF_TIMES, OF_VERDICT, OF_P, OF_MARGIN, N_OF };

static struct pw_node *table(const struct comparison *c, struct pw_node *n)
{
	enum { FOR_PROGRAMS = PW_COL_RIGHT | PW_COL_JSON_ONLY };
	struct pw_node *t = pw_table(n, "all", "All figures of the system");
	char key[32];

	pw_column(t, "family", "Family", PW_UNIT_NONE, 0);
	pw_column(t, "metric", "Metric", PW_UNIT_NONE, 0);
	pw_column(t, "instance", "Of", PW_UNIT_NONE, PW_COL_TRUNC);
	for (uint32_t s = 0; s < c->n_sides; s++) {
		snprintf(key, sizeof(key), "side_%u", s + 1);
		pw_column(t, key, c->sides[s].label, PW_UNIT_NONE,
			  PW_COL_RIGHT);
		snprintf(key, sizeof(key), "value_%u", s + 1);
		pw_column(t, key, c->sides[s].label, PW_UNIT_NONE,
			  FOR_PROGRAMS);
	}
	for (uint32_t s = 1; s < c->n_sides; s++) {
		side_column(c, t, s, "difference", "Difference", PW_UNIT_NONE,
			    PW_COL_RIGHT);
		side_column(c, t, s, "change", "Change", PW_UNIT_PERCENT,
			    PW_COL_RIGHT);
		side_column(c, t, s, "times", "Matters", PW_UNIT_RATIO,
			    PW_COL_RIGHT);
		side_column(c, t, s, "verdict", "Verdict", PW_UNIT_NONE, 0);
		side_column(c, t, s, "p", "p", PW_UNIT_NONE, FOR_PROGRAMS);
		side_column(c, t, s, "margin", "Margin", PW_UNIT_NONE,
			    FOR_PROGRAMS);
	}
	return t;
}

static void tell_side(const struct comparison *c, struct pw_node *t,
		      const struct figure *f, uint32_t side, int col)
{
	const struct judged *j = &f->judged[side];
	double from = f->sides[0].value;

	cell_own(t, col + OF_DIFFERENCE,
		 quantity_text(c, f, j->difference.value, true));
	if (from != 0)
		pw_cell_num(t, col + OF_CHANGE,
			    j->difference.value / fabs(from));
	pw_cell_num(t, col + OF_TIMES, j->times);
	pw_cell_str(t, col + OF_VERDICT, verdict_name(j->verdict));
	if (isnan(j->p))
		return;
	pw_cell_num(t, col + OF_P, j->p);
	pw_cell_num(t, col + OF_MARGIN, j->margin);
}

static void tell_figure(const struct comparison *c, struct pw_node *t,
			const struct figure *f)
{
	const char *where = c->tables[f->table].where;
	const char *dot = strrchr(where, '.');
	int n = (int)c->n_sides;

	pw_row(t);
	pw_cell_str(t, COL_FAMILY, dot ? dot + 1 : where);
	pw_cell_str(t, COL_METRIC, strchr(f->id, ':') + 1);
	pw_cell_str(t, COL_INSTANCE, f->entity);
	for (int s = 0; s < n; s++) {
		if (isnan(f->sides[s].value))
			continue;
		cell_own(t, COL_FIRST + 2 * s,
			 quantity_text(c, f, f->sides[s].value, false));
		pw_cell_num(t, COL_FIRST + 2 * s + 1, f->sides[s].value);
	}
	for (int s = 1; s < n; s++)
		tell_side(c, t, f, (uint32_t)s,
			  COL_FIRST + 2 * n + (s - 1) * N_OF);
}

void tell_metrics(struct comparison *c, struct pw_node *root)
{
	struct ordered *all = pw_alloc((c->n_figures + 1) * sizeof(*all));
	struct figure *f, *next;
	struct pw_node *n, *t;
	uint32_t count = 0;

	HASH_ITER (hh, c->figures, f, next) {
		if (f->is_lone)
			all[count++] = order_of(c, f);
	}
	qsort(all, count, sizeof(*all), heavier);
	if (count) {
		n = pw_section(root, "metrics", "System");
		pw_page_only(n);
		t = table(c, n);
		for (uint32_t i = 0; i < count; i++)
			tell_figure(c, t, all[i].f);
	}
	free(all);
}
