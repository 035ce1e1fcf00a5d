// SPDX-License-Identifier: GPL-2.0-only
/* A family's figures as a table: statistics, each row in its own unit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics-report.h"

#define ROWS_MOST 600u
#define FEW       12u /* so many rows stay in their order */

struct columns {
	struct pw_node *t;
	int metric, instance, pid, mean, min, p50, p90, p99, max, std, last,
		total, what;
};

static bool is_counter(const struct pw_metric *p)
{
	return p->def->kind == PW_METRIC_COUNTER;
}

/* --- order ---------------------------------------------------------------------------- */

static double rank_of(const struct pw_metric *p)
{
	double least = p->def->matters;

	if (p->is_constant || !(least > 0) || isnan(p->mean))
		return 0;
	/* what stays is behind what goes on */
	return fabs(p->mean) / least * (p->def->is_state ? 1e-15 : 1);
}

struct ranked {
	const struct pw_metric *p;
	double rank;
	uint32_t place;
};

static int largest_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->p->is_constant != y->p->is_constant)
		return x->p->is_constant ? 1 : -1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return x->place < y->place ? -1 : 1;
}

/* Of many rows those with the most come first, by how much of it matters. */
static void order(const struct pw_metric **rows, uint32_t n)
{
	struct ranked *by = pw_alloc(n * sizeof(*by));

	for (uint32_t i = 0; i < n; i++)
		by[i] = (struct ranked){ rows[i], rank_of(rows[i]), i };
	qsort(by, n, sizeof(*by), largest_first);
	for (uint32_t i = 0; i < n; i++)
		rows[i] = by[i].p;
	free(by);
}

/* --- cells ------------------------------------------------------------------------------- */

static struct columns columns_of(const struct family_rows *f, struct pw_node *t)
{
	const unsigned int own = PW_COL_ROW_UNIT, data = PW_COL_JSON_ONLY;
	struct columns c = { .t = t, .pid = -1 };

	c.metric = pw_column(t, "metric", "Figure", PW_UNIT_NONE, PW_COL_KEY);
	c.instance = pw_column(t, "instance", f->has_name ? "Name" : "Of",
			       PW_UNIT_NONE,
			       PW_COL_KEY | (f->has_instances ? 0 : data));
	if (f->has_name)
		c.pid = pw_column(t, "id", "PID", PW_UNIT_NONE, PW_COL_RIGHT);
	c.mean = number_column(t, "mean", "Mean", PW_UNIT_NONE, own);
	c.min = number_column(t, "min", "Min", PW_UNIT_NONE, own);
	c.p50 = number_column(t, "p50", "p50", PW_UNIT_NONE, own);
	c.p90 = number_column(t, "p90", "p90", PW_UNIT_NONE, own);
	c.p99 = number_column(t, "p99", "p99", PW_UNIT_NONE, own);
	c.max = number_column(t, "max", "Max", PW_UNIT_NONE, own);
	c.std = number_column(t, "std", "Std", PW_UNIT_NONE, own | data);
	c.last = number_column(t, "last", "Last", PW_UNIT_NONE, data);
	c.total = number_column(t, "total", "Total", PW_UNIT_NONE, data);
	c.what = pw_column(t, "what", "What it is", PW_UNIT_NONE, PW_COL_TRUNC);
	return c;
}

/* "1234 node": the name is the same from run to run. */
static void name_cells(const struct columns *c, const struct pw_metric *p)
{
	const char *space = strchr(p->instance, ' ');
	char *pid;

	pw_cell_str(c->t, c->metric, p->name);
	if (c->pid < 0 || !space) {
		pw_cell_str(c->t, c->instance, p->instance);
		return;
	}
	pw_cell_str(c->t, c->instance, space + 1);
	pid = pw_strndup(p->instance, (size_t)(space - p->instance));
	pw_cell_str(c->t, c->pid, pid);
	free(pid);
}

/* The sentence stands in the first row of a metric. */
static void what_cell(const struct columns *c, const struct pw_metric *p,
		      bool first)
{
	const struct pw_metric_def *d = p->def;
	char *both;

	if (!d->title || !d->about || !first) {
		pw_cell_str(c->t, c->what, d->title ? d->title : d->about);
		return;
	}
	both = pw_asprintf("%s. %s", d->title, d->about);
	pw_cell_str(c->t, c->what, both);
	free(both);
}

static void row(const struct columns *c, const struct pw_metric *p, bool first)
{
	pw_row(c->t);
	pw_row_unit(c->t, p->unit, p->per_second);
	name_cells(c, p);
	pw_cell_num(c->t, c->mean, p->mean);
	if (!p->is_constant) {
		pw_cell_num(c->t, c->min, p->min);
		pw_cell_num(c->t, c->p50, p->p50);
		pw_cell_num(c->t, c->p90, p->p90);
		pw_cell_num(c->t, c->p99, p->p99);
		pw_cell_num(c->t, c->max, p->max);
		pw_cell_num(c->t, c->std, p->std);
	}
	pw_cell_num(c->t, c->last, p->last);
	if (is_counter(p))
		pw_cell_num(c->t, c->total, p->total);
	what_cell(c, p, first);
}

/* --- the table -------------------------------------------------------------------------------- */

/* Rows of one metric mostly stand together: backwards it is found soon. */
static bool is_first(const struct pw_metric **rows, uint32_t i)
{
	for (uint32_t k = i; k-- > 0;)
		if (rows[k]->def == rows[i]->def)
			return false;
	return true;
}

void show_figures(const struct report_view *v, const struct family_rows *f,
		  struct pw_node *section)
{
	const struct pw_metric **rows = pw_alloc((f->n + 1) * sizeof(*rows));
	uint32_t most = v->v->max_rows ? v->v->max_rows : ROWS_MOST, n = 0;
	struct columns c;

	for (uint32_t i = 0; i < f->n; i++)
		if (v->all || !f->rows[i]->is_constant)
			rows[n++] = f->rows[i];
	if (!v->v->whole && n > FEW)
		order(rows, n);
	if (n) {
		c = columns_of(f, pw_table(section, "figures", NULL));
		if (!v->all && f->has_name)
			pw_table_only_drawn(c.t);
		for (uint32_t i = 0; i < n && (v->v->whole || i < most); i++)
			row(&c, rows[i], is_first(rows, i));
		if (!v->v->whole && n > most) {
			pw_table_cut(c.t);
			pw_note(section, "cut",
				"The first %u of %u figures; --format=json has all.",
				most, n);
		}
	}
	if (n < f->n)
		pw_note(section, "still", "%u more did not change.", f->n - n);
	free(rows);
}
