// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is drawn of a family (charts.def): the figures that changed, in bins of
 * time; the largest of them, so that a chart stays readable.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics-report.h"

#define LINES_MOST 8u
#define HEAT_MOST  48u /* rows of a heat map */
#define HEAT_CELLS 2000u
#define OWN_CHARTS 2 /* of a family that charts.def does not know */

enum chart_line { METRIC, INSTANCE, BOTH };
enum chart_form { LINES, HEAT };

struct chart_def {
	enum chart_form form;
	const char *family, *metrics, *instances;
	enum chart_line line;
	const char *title;
};

static const struct chart_def charts[] = {
#define PW_METRIC_CHART(form, f, m, i, line, title) \
	{ form, f, m, i, line, title },
#include "charts.def"
#undef PW_METRIC_CHART
};

#define N_CHARTS (sizeof(charts) / sizeof(*charts))

/* --- which ---------------------------------------------------------------------------- */

static bool same_unit(const struct pw_metric *a, const struct pw_metric *b)
{
	return a->unit == b->unit && a->per_second == b->per_second;
}

static int largest_first(const void *a, const void *b)
{
	const struct pw_metric *x = *(const struct pw_metric *const *)a;
	const struct pw_metric *y = *(const struct pw_metric *const *)b;
	int diff;

	if (x->mean != y->mean)
		return x->mean > y->mean ? -1 : 1;
	diff = strcmp(x->name, y->name);
	return diff ? diff : strcmp(x->instance, y->instance);
}

/* The figures of a chart into `to`, which has room for all. */
static uint32_t choose(const struct family_rows *f, const struct chart_def *d,
		       const struct pw_metric **to)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n; i++) {
		const struct pw_metric *p = f->rows[i];

		if (!p->bins || isnan(p->mean) ||
		    !one_fits(d->metrics, p->name) ||
		    !one_fits(d->instances, p->instance))
			continue;
		if (!n || same_unit(p, to[0]))
			to[n++] = p;
	}
	if (d->form == LINES && n > LINES_MOST) {
		qsort(to, n, sizeof(*to), largest_first);
		n = LINES_MOST;
	}
	return d->form == HEAT && n > HEAT_MOST ? HEAT_MOST : n;
}

static char *line_name(const struct chart_def *d, const struct pw_metric *p)
{
	if (d->line == INSTANCE && *p->instance)
		return pw_strdup(p->instance);
	if (d->line == METRIC || !*p->instance)
		return pw_strdup(p->name);
	return pw_asprintf("%s %s", p->name, p->instance);
}

/* --- drawing ---------------------------------------------------------------------------------- */

struct drawn {
	struct pw_node *t;
	int from, to, line, value;
	uint32_t step;
};

/* The mean of the bins of a step; NAN: none is known. */
static double value_at(const struct report_view *v, const struct pw_metric *p,
		       uint32_t bin, uint32_t step)
{
	double sum = 0, x;
	uint32_t n = 0;

	for (uint32_t i = bin; i < bin + step && i < v->span.n_bins; i++) {
		x = pw_metrics_bin(v->m, p, i);
		sum += isnan(x) ? 0 : x;
		n += !isnan(x);
	}
	return n ? sum / n : NAN;
}

static void draw_one(const struct report_view *v, const struct drawn *d,
		     const char *name, const struct pw_metric *p)
{
	for (uint32_t i = 0; i < v->span.n_bins; i += d->step) {
		double x = value_at(v, p, i, d->step);

		if (isnan(x))
			continue;
		pw_row(d->t);
		pw_cell_int(d->t, d->from, (int64_t)(i * v->span.bin_ns));
		if (d->to >= 0)
			pw_cell_int(d->t, d->to,
				    (int64_t)((i + d->step) * v->span.bin_ns));
		pw_cell_str(d->t, d->line, name);
		pw_cell_num(d->t, d->value, x);
	}
}

static const char *value_title(const struct pw_metric *p)
{
	if (p->per_second)
		return p->unit == PW_UNIT_BYTES ? "Bytes per second"
						: "Per second";
	switch (p->unit) {
	case PW_UNIT_BYTES:
		return "Bytes";
	case PW_UNIT_PERCENT:
		return "Share";
	case PW_UNIT_NS:
		return "How long";
	default:
		return "Number";
	}
}

static struct drawn begin(const struct chart_def *c, struct pw_node *section,
			  int number, const struct pw_metric *first)
{
	char key[24];
	struct drawn d = { .to = -1, .step = 1 };

	snprintf(key, sizeof(key), "chart_%d", number);
	d.t = pw_table(section, key, c->title);
	pw_table_only_drawn(d.t);
	d.from = number_column(d.t, "time", "Time", PW_UNIT_NS, 0);
	if (c->form == HEAT)
		d.to = number_column(d.t, "to", "To", PW_UNIT_NS, 0);
	d.line = pw_column(d.t, "line", c->line == INSTANCE ? "Of" : "Figure",
			   PW_UNIT_NONE, 0);
	d.value =
		number_column(d.t, "value", value_title(first), first->unit, 0);
	return d;
}

static void end(const struct chart_def *c, const struct drawn *d)
{
	struct pw_node *chart =
		pw_chart(d->t, c->form == HEAT ? PW_CHART_HEAT : PW_CHART_LINES,
			 c->title, PW_CHART_TIME);

	pw_chart_role(chart, PW_ROLE_X, d->from);
	if (c->form == HEAT) {
		pw_chart_role(chart, PW_ROLE_X2, d->to);
		pw_chart_role(chart, PW_ROLE_Y, d->line);
		pw_chart_role(chart, PW_ROLE_VALUE, d->value);
		return;
	}
	pw_chart_role(chart, PW_ROLE_Y, d->value);
	pw_chart_role(chart, PW_ROLE_GROUP, d->line);
}

/* False: there is nothing to draw. */
static bool draw(const struct report_view *v, const struct family_rows *f,
		 const struct chart_def *c, struct pw_node *section, int number)
{
	const struct pw_metric **chosen =
		pw_alloc((f->n + 1) * sizeof(*chosen));
	uint32_t n = choose(f, c, chosen);
	struct drawn d;

	/* a map of one row is a line */
	if (n && !(c->form == HEAT && n < 2)) {
		d = begin(c, section, number, chosen[0]);
		while (c->form == HEAT &&
		       n * v->span.n_bins > d.step * HEAT_CELLS)
			d.step++;
		for (uint32_t i = 0; i < n; i++) {
			char *name = line_name(c, chosen[i]);

			draw_one(v, &d, name, chosen[i]);
			free(name);
		}
		end(c, &d);
	}
	free(chosen);
	return n;
}

/* --- a family of its own making -------------------------------------------------------------- */

static bool was_drawn(const struct pw_metric *p,
		      const struct pw_metric *const *before, int n)
{
	for (int i = 0; i < n; i++)
		if (same_unit(p, before[i]))
			return true;
	return false;
}

/* A chart for each unit: of the figures that have it. */
static void draw_by_unit(const struct report_view *v,
			 const struct family_rows *f, struct pw_node *section)
{
	const struct pw_metric *before[OWN_CHARTS];
	struct family_rows left = *f;
	int n = 0;

	left.rows = pw_alloc((f->n + 1) * sizeof(*left.rows));
	for (uint32_t i = 0; i < f->n && n < OWN_CHARTS; i++) {
		struct chart_def d = { LINES, NULL, "*", "*", BOTH, NULL };
		char *title;

		if (!f->rows[i]->bins || was_drawn(f->rows[i], before, n))
			continue;
		left.n = 0;
		for (uint32_t k = i; k < f->n; k++)
			if (same_unit(f->rows[k], f->rows[i]))
				left.rows[left.n++] = f->rows[k];
		d.title = title = pw_asprintf("%s: %s", f->title,
					      value_title(f->rows[i]));
		draw(v, &left, &d, section, n + 1);
		free(title);
		before[n++] = f->rows[i];
	}
	free(left.rows);
}

void show_first_chart(const struct report_view *v, const struct family_rows *f,
		      struct pw_node *section)
{
	for (size_t i = 0; v->span.n_bins > 1 && i < N_CHARTS; i++)
		if (!strcmp(charts[i].family, f->family.name)) {
			draw(v, f, &charts[i], section, 1);
			return;
		}
}

void show_charts(const struct report_view *v, const struct family_rows *f,
		 struct pw_node *section)
{
	bool known = false;
	int n = 0;

	if (v->span.n_bins < 2)
		return;
	for (size_t i = 0; i < N_CHARTS; i++) {
		if (strcmp(charts[i].family, f->family.name))
			continue;
		known = true;
		n += draw(v, f, &charts[i], section, n + 1);
	}
	if (!known || (!n && v->v->metrics))
		draw_by_unit(v, f, section);
}
