// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page's time line: which kinds of code ran when, in which tasks, and what
 * was waited for.
 */
#include <stdlib.h>

#include "report-impl.h"
#include "time-bins.h"

#define TAB         "Time line"
#define TASKS_DRAWN 16u

static int64_t begin_of(const struct time_bins *b, uint32_t bin)
{
	return (int64_t)(bin * bins_width_ns(b));
}

static uint64_t sum_of(const uint64_t *bins)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < TIME_BINS; i++)
		sum += bins[i];
	return sum;
}

static struct pw_node *line_table(struct pw_node *parent, const char *key,
				  const char *title, const char *value_key,
				  const char *value_title, enum pw_unit unit,
				  const char *group)
{
	struct pw_node *t = pw_table(parent, key, title), *chart;
	int at = pw_column(t, "time", "Time", PW_UNIT_NS, PW_COL_RIGHT);
	int y = pw_column(t, value_key, value_title, unit, PW_COL_RIGHT);
	int g = pw_column(t, group, "Kind", PW_UNIT_NONE, 0);

	pw_page_tab(t, TAB);
	pw_table_only_drawn(t);
	chart = pw_chart(t, PW_CHART_LINES, title, PW_CHART_TIME);
	pw_chart_role(chart, PW_ROLE_X, at);
	pw_chart_role(chart, PW_ROLE_Y, y);
	pw_chart_role(chart, PW_ROLE_GROUP, g);
	return t;
}

/* A line of all bins, so that it falls to 0 where nothing was. */
static void add_line(struct pw_node *t, const struct time_bins *b,
		     const uint64_t *bins, const char *name)
{
	uint32_t i;

	if (!sum_of(bins))
		return;
	for (i = 0; i < b->n; i++) {
		pw_row(t);
		pw_cell_int(t, 0, begin_of(b, i));
		pw_cell_int(t, 1, (int64_t)bins[i]);
		pw_cell_str(t, 2, name);
	}
}

static void show_kinds(const struct time_bins *b, struct pw_node *parent)
{
	char title[80];
	struct pw_node *t;
	int k;

	snprintf(title, sizeof(title), "On the CPU: samples in every %g ms",
		 (double)bins_width_ns(b) / 1e6);
	t = line_table(parent, "time_line", title, "samples", "Samples",
		       PW_UNIT_COUNT, "kind");
	for (k = 0; k < PW_N_PLACE_KINDS; k++)
		add_line(t, b, b->all.kinds[k], pw_place_kind_name(k));
}

static void show_reasons(const struct time_bins *b, struct pw_node *parent)
{
	char title[80];
	struct pw_node *t;
	int r;

	snprintf(title, sizeof(title),
		 "Off the CPU: time of all tasks in every %g ms",
		 (double)bins_width_ns(b) / 1e6);
	t = line_table(parent, "off_line", title, "off_cpu", "Off CPU",
		       PW_UNIT_NS, "reason");
	for (r = 0; r < PW_N_OFF_REASONS; r++)
		add_line(t, b, b->off_ns[r], pw_off_reason_name(r));
}

/* --- tasks ------------------------------------------------------------------------ */

struct lane {
	uint32_t task;
	uint64_t samples;
};

static int busier(const void *a, const void *b)
{
	const struct lane *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

static uint64_t bin_samples(const struct kind_bins *of, uint32_t bin)
{
	uint64_t sum = 0;
	int k;

	for (k = 0; k < PW_N_PLACE_KINDS; k++)
		sum += of->kinds[k][bin];
	return sum;
}

/* The tasks with samples, the busiest first; *most: of one bin. */
static uint32_t lanes_of(const struct time_bins *b, struct lane *lanes,
			 uint64_t *most)
{
	uint32_t n = 0, i, bin;

	*most = 1;
	for (i = 0; i < b->n_tasks; i++) {
		if (!b->tasks[i])
			continue;
		lanes[n] = (struct lane){ i, 0 };
		for (bin = 0; bin < b->n; bin++) {
			uint64_t s = bin_samples(b->tasks[i], bin);

			lanes[n].samples += s;
			*most = s > *most ? s : *most;
		}
		n++;
	}
	qsort(lanes, n, sizeof(*lanes), busier);
	return n;
}

static enum pw_place_kind main_kind(const struct kind_bins *of, uint32_t bin)
{
	int k, best = 0;

	for (k = 1; k < PW_N_PLACE_KINDS; k++)
		if (of->kinds[k][bin] > of->kinds[best][bin])
			best = k;
	return best;
}

static struct pw_node *span_table(struct pw_node *parent)
{
	struct pw_node *t = pw_table(parent, "task_line", "The busiest tasks");
	struct pw_node *chart;

	pw_column(t, "time", "From", PW_UNIT_NS, PW_COL_RIGHT);
	pw_column(t, "to", "To", PW_UNIT_NS, PW_COL_RIGHT);
	pw_column(t, "task", "Task", PW_UNIT_NONE, 0);
	pw_column(t, "kind", "Mostly", PW_UNIT_NONE, 0);
	pw_column(t, "samples", "Samples", PW_UNIT_COUNT, PW_COL_RIGHT);
	pw_column(t, "share", "Of the most in a bin", PW_UNIT_PERCENT,
		  PW_COL_RIGHT);
	pw_page_tab(t, TAB);
	pw_table_only_drawn(t);
	chart = pw_chart(t, PW_CHART_SPANS, "The busiest tasks", PW_CHART_TIME);
	pw_chart_role(chart, PW_ROLE_X, 0);
	pw_chart_role(chart, PW_ROLE_X2, 1);
	pw_chart_role(chart, PW_ROLE_LABEL, 2);
	pw_chart_role(chart, PW_ROLE_GROUP, 3);
	pw_chart_role(chart, PW_ROLE_VALUE, 5);
	return t;
}

static void show_lane(const struct pw_profile *p, struct pw_node *t,
		      uint32_t task, uint64_t most)
{
	const struct time_bins *b = p->bins;
	const struct kind_bins *of = b->tasks[task];
	char *name = pw_asprintf("%s %d", p->tasks[task].comm,
				 (int)p->tasks[task].tid);
	uint32_t bin;

	for (bin = 0; bin < b->n; bin++) {
		uint64_t n = bin_samples(of, bin);

		if (!n)
			continue;
		pw_row(t);
		pw_cell_int(t, 0, begin_of(b, bin));
		pw_cell_int(t, 1, begin_of(b, bin + 1));
		pw_cell_str(t, 2, name);
		pw_cell_str(t, 3, pw_place_kind_name(main_kind(of, bin)));
		pw_cell_int(t, 4, (int64_t)n);
		pw_cell_num(t, 5, (double)n / (double)most);
	}
	free(name);
}

static void show_tasks(const struct pw_profile *p, struct pw_node *parent)
{
	struct lane *lanes = pw_alloc((BINS_TASKS + 1) * sizeof(*lanes));
	struct pw_node *t = span_table(parent);
	uint64_t most;
	uint32_t n = lanes_of(p->bins, lanes, &most), i;

	for (i = 0; i < n && i < TASKS_DRAWN; i++)
		show_lane(p, t, lanes[i].task, most);
	free(lanes);
}

void page_time_line(struct pw_profile *p, struct pw_node *parent)
{
	if (!p->bins || !p->bins->axis.n_max)
		return;
	show_kinds(p->bins, parent);
	show_tasks(p, parent);
	if (p->off_event != UINT32_MAX)
		show_reasons(p->bins, parent);
}
