// SPDX-License-Identifier: GPL-2.0-only
/* What a machine did, at a glance: the figures of glance.def. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics-report.h"

struct glance {
	const char *key, *title, *family, *metric, *instances;
	uint32_t rows;
};

static const struct glance glances[] = {
#define PW_GLANCE(key, title, f, m, i, rows) { #key, title, f, m, i, rows },
#include "glance.def"
#undef PW_GLANCE
};

#define N_GLANCES (sizeof(glances) / sizeof(*glances))

static int largest_first(const void *a, const void *b)
{
	const struct pw_metric *x = *(const struct pw_metric *const *)a;
	const struct pw_metric *y = *(const struct pw_metric *const *)b;

	if (x->mean != y->mean)
		return x->mean > y->mean ? -1 : 1;
	return strcmp(x->instance, y->instance);
}

/* Its figures into `to`, which has room for all. */
static uint32_t choose(const struct pw_metrics *m, const struct glance *g,
		       const struct pw_metric **to)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < pw_metrics_count(m); i++) {
		const struct pw_metric *p = pw_metrics_get(m, i);

		if (!strcmp(p->family, g->family) &&
		    !strcmp(p->name, g->metric) &&
		    one_fits(g->instances, p->instance) && p->mean > 0)
			to[n++] = p;
	}
	qsort(to, n, sizeof(*to), largest_first);
	return n < g->rows ? n : g->rows;
}

struct columns {
	int key, what, of, mean, max;
};

static void row(struct pw_node *t, const struct columns *c,
		const struct glance *g, const struct pw_metric *p)
{
	const char *space = strchr(p->instance, ' ');

	pw_row(t);
	pw_row_unit(t, p->unit, p->per_second);
	pw_cell_str(t, c->key, g->key);
	pw_cell_str(t, c->what, g->title);
	/* one of many has a name */
	if (!strcmp(g->instances, "*"))
		pw_cell_str(t, c->of, space ? space + 1 : p->instance);
	pw_cell_num(t, c->mean, p->mean);
	pw_cell_num(t, c->max, p->max);
}

void show_glance(const struct report_view *v, struct pw_node *section)
{
	const unsigned int own = PW_COL_ROW_UNIT;
	const struct pw_metric **chosen =
		pw_alloc((pw_metrics_count(v->m) + 1) * sizeof(*chosen));
	struct pw_node *t = pw_table(section, "glance", "At a glance");
	struct columns c = {
		pw_column(t, "key", "Key", PW_UNIT_NONE, PW_COL_JSON_ONLY),
		pw_column(t, "what", "What", PW_UNIT_NONE, 0),
		pw_column(t, "of", "Of", PW_UNIT_NONE, PW_COL_TRUNC),
		number_column(t, "mean", "Mean", PW_UNIT_NONE, own),
		number_column(t, "max", "Max", PW_UNIT_NONE, own),
	};

	pw_table_text_rows(t, 0);
	for (size_t i = 0; i < N_GLANCES; i++) {
		uint32_t n = choose(v->m, &glances[i], chosen);

		for (uint32_t k = 0; k < n; k++)
			row(t, &c, &glances[i], chosen[k]);
	}
	free(chosen);
}
