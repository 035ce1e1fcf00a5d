// SPDX-License-Identifier: GPL-2.0-only
/*
 * What changed over time: CPU use by role, and lengths of runs, sleeps, waits
 * and of a guest's stays as heat maps.
 */
#include <stdlib.h>

#include "sched-report.h"

/* --- CPU use ------------------------------------------------------------------------- */

#define LINES       8u
#define POINTS_MOST 128u

struct lines {
	struct pw_node *t;
	int time, role, share;
	uint32_t step, n;
};

static void line_points(const struct sched_view *v, const struct lines *l,
			const char *role, const uint64_t *ns)
{
	uint64_t width = (uint64_t)axis_ns(v->s, l->step);
	uint64_t last = v->s->last_ns - v->s->axis.start_ns;

	for (uint32_t i = 0; i < l->n; i++) {
		uint64_t from = i * width;
		uint64_t w = from + width > last && last > from ? last - from
								: width;

		pw_row(l->t);
		pw_cell_int(l->t, l->time, (int64_t)from);
		pw_cell_str(l->t, l->role, role);
		pw_cell_num(l->t, l->share, (double)ns[i] / (double)w);
	}
}

/* The roles with the most time have a line each, all others one. */
static void lines_add(const struct sched_view *v, const struct lines *l)
{
	uint32_t n_roles = pw_sched_n_roles(v->s);
	uint32_t n = n_roles > LINES + 1 ? LINES : n_roles, k;
	uint64_t *ns = pw_zalloc((n + 1) * l->n * sizeof(*ns));

	for (uint32_t i = 0; i < v->n_tasks; i++) {
		const struct task *t = v->tasks[i];

		for (k = 0; k < n; k++)
			if (!strcmp(pw_sched_role(v->s, k)->role, t->pub.role))
				break;
		for (uint32_t b = 0; b < v->n_bins; b++)
			ns[k * l->n + b / l->step] += task_bin(t, b);
	}
	for (k = 0; k < n; k++)
		line_points(v, l, pw_sched_role(v->s, k)->role, ns + k * l->n);
	if (n < n_roles)
		line_points(v, l, "(all others)", ns + n * l->n);
	free(ns);
}

void show_time_line(const struct sched_view *v)
{
	struct pw_node *n, *chart;
	struct lines l = { 0 };

	if (!v->n_bins || !v->n_tasks)
		return;
	l.step = (v->n_bins + POINTS_MOST - 1) / POINTS_MOST;
	l.n = (v->n_bins + l.step - 1) / l.step;
	n = pw_section(pw_report_root(v->r), "time_line", "Time line");
	l.t = pw_table(n, "cpu_use", "CPU use over time, by role");
	pw_table_only_drawn(l.t);
	l.time = number_column(l.t, "time", "Time", PW_UNIT_NS);
	l.role = pw_column(l.t, "role", "Role", PW_UNIT_NONE, 0);
	l.share = number_column(l.t, "cpus", "of a CPU", PW_UNIT_PERCENT);
	lines_add(v, &l);
	chart = pw_chart(l.t, PW_CHART_LINES, "CPU use over time, by role",
			 PW_CHART_TIME);
	pw_chart_role(chart, PW_ROLE_X, l.time);
	pw_chart_role(chart, PW_ROLE_Y, l.share);
	pw_chart_role(chart, PW_ROLE_GROUP, l.role);
}

/* --- heat maps -------------------------------------------------------------------------- */

#define MAPS 6u /* tasks with a map of their own */

struct heat_table {
	struct pw_node *t;
	int group, from, to, low, high, n;
};

static void heat_cells(const struct sched_view *v, const struct heat_table *h,
		       const char *group, const struct heat *heat)
{
	for (uint32_t r = 0; r < heat->n; r++) {
		const uint32_t *row = heat->cells + r * HEAT_COLUMNS;
		unsigned int low = (heat->first + r) * PW_BUCKET_SUB;

		for (uint32_t c = 0; c < HEAT_COLUMNS; c++) {
			if (!row[c])
				continue;
			pw_row(h->t);
			pw_cell_str(h->t, h->group, group);
			pw_cell_int(h->t, h->from,
				    axis_ns(v->s, c << HEAT_SHIFT));
			pw_cell_int(h->t, h->to,
				    axis_ns(v->s, (c + 1) << HEAT_SHIFT));
			pw_cell_int(h->t, h->low,
				    (int64_t)(low ? pw_bucket_low(low) : 1));
			pw_cell_int(h->t, h->high,
				    (int64_t)pw_bucket_low(low +
							   PW_BUCKET_SUB));
			pw_cell_int(h->t, h->n, row[c]);
		}
	}
}

static void heat_chart(const struct heat_table *h, const char *title)
{
	struct pw_node *chart = pw_chart(h->t, PW_CHART_HEAT, title,
					 PW_CHART_TIME | PW_CHART_LOG_Y);

	pw_chart_role(chart, PW_ROLE_X, h->from);
	pw_chart_role(chart, PW_ROLE_X2, h->to);
	pw_chart_role(chart, PW_ROLE_Y, h->low);
	pw_chart_role(chart, PW_ROLE_Y2, h->high);
	pw_chart_role(chart, PW_ROLE_VALUE, h->n);
	pw_chart_role(chart, PW_ROLE_GROUP, h->group);
}

static int busier(const void *a, const void *b)
{
	const struct task *x = *(struct task *const *)a;
	const struct task *y = *(struct task *const *)b;

	if (x->pub.n_in != y->pub.n_in)
		return x->pub.n_in > y->pub.n_in ? -1 : 1;
	return x->idx < y->idx ? -1 : x->idx > y->idx;
}

static void heat_map(const struct sched_view *v, struct pw_node *n,
		     struct task **by, enum heat_kind kind, const char *key,
		     const char *title)
{
	struct heat_table h;
	uint32_t n_maps = 0;

	if (!v->s->all_heat[kind].n)
		return;
	h.t = pw_table(n, key, title);
	pw_table_only_drawn(h.t);
	h.group = pw_column(h.t, "task", "Task", PW_UNIT_NONE, 0);
	h.from = number_column(h.t, "from", "From", PW_UNIT_NS);
	h.to = number_column(h.t, "to", "To", PW_UNIT_NS);
	h.low = number_column(h.t, "length", "Length from", PW_UNIT_NS);
	h.high = number_column(h.t, "length_to", "to", PW_UNIT_NS);
	h.n = number_column(h.t, "times", "Times", PW_UNIT_COUNT);
	heat_cells(v, &h, "all tasks", &v->s->all_heat[kind]);
	for (uint32_t i = 0; i < v->n_tasks && n_maps < MAPS; i++) {
		char *label;

		if (by[i]->is_stale_heat || !by[i]->heat[kind].n)
			continue;
		label = task_label(v, by[i]);
		heat_cells(v, &h, label, &by[i]->heat[kind]);
		free(label);
		n_maps++;
	}
	heat_chart(&h, title);
}

void show_heat(const struct sched_view *v)
{
	struct task **by;
	struct pw_node *n;

	if (!v->n_tasks || !v->n_bins)
		return;
	by = pw_alloc(v->n_tasks * sizeof(struct task *));
	memcpy(by, v->tasks, v->n_tasks * sizeof(struct task *));
	qsort(by, v->n_tasks, sizeof(struct task *), busier);
	n = pw_section(pw_report_root(v->r), "heat", "Heat maps");
	heat_map(v, n, by, HEAT_RUN, "runs", "Time on the CPU");
	heat_map(v, n, by, HEAT_SLEEP, "sleeps", "Time asleep or blocked");
	heat_map(v, n, by, HEAT_LATENCY, "waits", "Time waiting for a CPU");
	heat_map(v, n, by, HEAT_GUEST, "guest", "Time in the guest");
	heat_map(v, n, by, HEAT_HOST, "host", "Time from exit to entry");
	free(by);
}
