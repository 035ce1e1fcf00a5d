// SPDX-License-Identifier: GPL-2.0-only
/* Processes, a row each: what several families know of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics-report.h"

#define ROWS_MOST 100u

struct column {
	const char *key, *title;
	enum pw_unit unit;
	const char *family, *metric;
	size_t stat; /* where in struct pw_metric */
};

static const struct column columns[] = {
#define PW_PROCESS_COLUMN(k, t, u, f, m, s) \
	{ #k, t, PW_UNIT_##u, f, m, offsetof(struct pw_metric, s) },
#include "process-columns.def"
#undef PW_PROCESS_COLUMN
};

#define N_COLUMNS (sizeof(columns) / sizeof(*columns))

static double stat_of(const struct report_view *v, const struct column *c,
		      const char *instance)
{
	const struct pw_metric *p =
		pw_metrics_find(v->m, c->family, c->metric, instance);

	return p ? *(const double *)((const char *)p + c->stat) : NAN;
}

static int most_first(const void *a, const void *b)
{
	const struct pw_metric *x = *(const struct pw_metric *const *)a;
	const struct pw_metric *y = *(const struct pw_metric *const *)b;

	if (x->mean != y->mean)
		return x->mean > y->mean ? -1 : 1;
	return strcmp(x->instance, y->instance);
}

/* Those that used any of what orders the rows. */
static uint32_t choose(const struct family_rows *f, const struct pw_metric **to)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n; i++)
		if (!strcmp(f->rows[i]->name, columns[0].metric) &&
		    f->rows[i]->mean > 0)
			to[n++] = f->rows[i];
	qsort(to, n, sizeof(*to), most_first);
	return n;
}

static void row(const struct report_view *v, struct pw_node *t,
		const struct pw_metric *p)
{
	const char *space = strchr(p->instance, ' ');
	char *pid = pw_strndup(p->instance,
			       space ? (size_t)(space - p->instance) : 0);

	pw_row(t);
	pw_cell_str(t, 0, space ? space + 1 : p->instance);
	pw_cell_str(t, 1, pid);
	for (size_t i = 0; i < N_COLUMNS; i++) {
		double x = stat_of(v, &columns[i], p->instance);

		if (isnan(x))
			continue;
		if (columns[i].unit == PW_UNIT_COUNT)
			pw_cell_int(t, (int)i + 2, llround(x));
		else
			pw_cell_num(t, (int)i + 2, x);
	}
	free(pid);
}

/* --- what is missing -------------------------------------------------------------- */

static double total_of(const struct report_view *v, const char *metric)
{
	const struct pw_metric *p = pw_metrics_find(v->m, "cpu", metric, "all");

	return p ? p->total : 0;
}

static double seen_ns(const struct family_rows *f)
{
	double sum = 0;

	for (uint32_t i = 0; i < f->n; i++)
		if (!strcmp(f->rows[i]->name, "user") ||
		    !strcmp(f->rows[i]->name, "system"))
			sum += f->rows[i]->total;
	return sum;
}

/* Who came and went between two readings was never seen. */
static void note_unseen(const struct report_view *v,
			const struct family_rows *f, struct pw_node *section)
{
	double all = total_of(v, "user") + total_of(v, "nice") +
		     total_of(v, "system");
	double seen = seen_ns(f);
	const struct pw_metrics_family *of = &f->family;
	char each[32];

	if (!(all > 0) || seen >= 0.9 * all || of->n_readings < 2)
		return;
	pw_quantity(each, sizeof(each),
		    (double)(of->to_ns - of->from_ns) /
			    (double)(of->n_readings - 1),
		    PW_UNIT_NS);
	pw_note(section, "unseen",
		"Of the CPU time of all programs, %.0f %% is of processes that were seen; the rest is of what came, or ended, between two readings of all processes (%s). perf wasm record -a --sched or --bpf sees them.",
		100 * seen / all, each);
}

bool show_processes(const struct report_view *v, const struct family_rows *f,
		    struct pw_node *section)
{
	const struct pw_metric **chosen;
	struct pw_node *t;
	uint32_t n;

	if (strcmp(f->family.name, columns[0].family) != 0)
		return false;
	chosen = pw_alloc((f->n + 1) * sizeof(*chosen));
	n = choose(f, chosen);
	t = pw_table(section, "processes", NULL);
	pw_column(t, "name", "Name", PW_UNIT_NONE, PW_COL_TRUNC);
	pw_column(t, "pid", "PID", PW_UNIT_NONE, PW_COL_RIGHT);
	for (size_t i = 0; i < N_COLUMNS; i++)
		number_column(t, columns[i].key, columns[i].title,
			      columns[i].unit, 0);
	for (uint32_t i = 0; i < n && i < ROWS_MOST; i++)
		row(v, t, chosen[i]);
	if (n > ROWS_MOST)
		pw_note(section, "idle",
			"%u more used less CPU time; see their figures.",
			n - ROWS_MOST);
	note_unseen(v, f, section);
	free(chosen);
	return true;
}
