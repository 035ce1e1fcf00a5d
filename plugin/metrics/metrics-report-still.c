// SPDX-License-Identifier: GPL-2.0-only
/* What never changed: listed once, for all families, not in text. */
#include <string.h>

#include "metrics-report.h"

#define ROWS_MOST 2000u

struct still {
	struct pw_node *t;
	int family, metric, instance, value;
	uint32_t n;
};

static bool is_zero(const struct pw_metric *p)
{
	return p->def->kind == PW_METRIC_COUNTER || p->mean == 0;
}

static void row(struct still *s, const struct pw_metric *p,
		const char *instance)
{
	if (s->n++ >= ROWS_MOST)
		return;
	pw_row(s->t);
	pw_row_unit(s->t, p->unit, p->per_second);
	pw_cell_str(s->t, s->family, p->family);
	pw_cell_str(s->t, s->metric, p->name);
	pw_cell_str(s->t, s->instance, instance);
	pw_cell_num(s->t, s->value, is_zero(p) ? 0 : p->mean);
}

/* Instances in which a metric stayed 0 are one row. */
static void zeros(struct still *s, const struct pw_metric *p, uint32_t n)
{
	char many[32];

	snprintf(many, sizeof(many), "(%u of them)", n);
	row(s, p, n > 1 ? many : p->instance);
}

static void all_rows(const struct report_view *v, struct still *s)
{
	const struct pw_metric *before = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < pw_metrics_count(v->m); i++) {
		const struct pw_metric *p = pw_metrics_get(v->m, i);

		if (!p->is_constant)
			continue;
		if (n && before->def != p->def) {
			zeros(s, before, n);
			n = 0;
		}
		if (!is_zero(p)) {
			row(s, p, p->instance);
			continue;
		}
		n++;
		before = p;
	}
	if (n)
		zeros(s, before, n);
}

void show_still(const struct report_view *v)
{
	struct still s = { 0 };
	struct pw_node *n;

	if (v->n_changed == v->n_shown)
		return;
	n = pw_section(pw_report_root(v->r), "unchanged", "Unchanged");
	pw_page_only(n);
	s.t = pw_table(n, "figures", "What never changed");
	pw_table_only_drawn(s.t); /* few rows without scripts */
	s.family = pw_column(s.t, "family", "Family", PW_UNIT_NONE, 0);
	s.metric = pw_column(s.t, "metric", "Figure", PW_UNIT_NONE, 0);
	s.instance = pw_column(s.t, "instance", "Of", PW_UNIT_NONE, 0);
	s.value = number_column(s.t, "value", "Always", PW_UNIT_NONE,
				PW_COL_ROW_UNIT);
	all_rows(v, &s);
	if (s.n > ROWS_MOST)
		pw_note(n, "cut", "The first %u of %u; --format=json has all.",
			ROWS_MOST, s.n);
}
