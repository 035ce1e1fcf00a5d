// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page's flame graph: the tree of call chains, cut to as many frames as
 * can be drawn; what was cut is summed up where it was.
 */
#include <stdlib.h>
#include <string.h>

#include "report-impl.h"

#define FRAMES_MAX 3000u
/* Less of the whole than this gets no "[others]" of its own. */
#define OTHERS_MIN 0.0005

struct frame {
	uint64_t on, off;         /* with what it called */
	uint64_t cut_on, cut_off; /* of children that were cut */
	double weight;            /* the larger share of the two wholes */
	int64_t row;              /* -1: cut */
};

struct flame {
	struct pw_profile *p;
	struct frame *frames; /* by node */
	uint32_t event;
	struct pw_node *table;
	int64_t n_rows;
	bool has_off;
};

static uint64_t own(const struct flame *f, uint32_t node, uint32_t event)
{
	if (event == UINT32_MAX)
		return 0;
	return pw_profile_node_count(f->p, node, event).period;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* Children come behind their parents. */
static void sum_up(struct flame *f)
{
	struct frame *all = f->frames;
	uint32_t i;

	for (i = f->p->n_nodes; i-- > 0;) {
		all[i].on += own(f, i, f->event);
		all[i].off += own(f, i, f->p->off_event);
		if (!i)
			break;
		all[f->p->nodes[i].parent].on += all[i].on;
		all[f->p->nodes[i].parent].off += all[i].off;
	}
	for (i = 0; i < f->p->n_nodes; i++) {
		double on = share(all[i].on, all->on);
		double off = share(all[i].off, all->off);

		all[i].weight = on > off ? on : off;
	}
}

static int heavier(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x > y ? -1 : x < y;
}

/* The weight that a frame must have, so that at most FRAMES_MAX are left. */
static double least_weight(const struct flame *f)
{
	uint32_t n = f->p->n_nodes, i;
	double *w, least;

	if (n <= FRAMES_MAX)
		return 0;
	w = pw_alloc(n * sizeof(*w));
	for (i = 0; i < n; i++)
		w[i] = f->frames[i].weight;
	qsort(w, n, sizeof(*w), heavier);
	least = w[FRAMES_MAX];
	free(w);
	return least;
}

/* --- rows ----------------------------------------------------------------------- */

enum { COL_FRAME, COL_PARENT, COL_KIND, COL_ON, COL_OFF };

static int64_t add_row(struct flame *f, const char *name, int64_t parent,
		       const char *kind, uint64_t on, uint64_t off)
{
	pw_row(f->table);
	pw_cell_str(f->table, COL_FRAME, name);
	pw_cell_int(f->table, COL_PARENT, parent);
	pw_cell_str(f->table, COL_KIND, kind);
	pw_cell_int(f->table, COL_ON, (int64_t)on);
	if (f->has_off)
		pw_cell_int(f->table, COL_OFF, (int64_t)off);
	return f->n_rows++;
}

static void add_node(struct flame *f, uint32_t i)
{
	struct frame *at = &f->frames[i];
	struct pw_chain_node n;
	int64_t parent;

	pw_profile_node(f->p, i, &n);
	parent = i ? f->frames[n.parent].row : -1;
	at->row = add_row(f,
			  !i      ? "all"
			  : n.sym ? n.sym->name
				  : n.comm,
			  parent,
			  n.sym ? pw_place_kind_name(n.sym->kind) : "task",
			  own(f, i, f->event), own(f, i, f->p->off_event));
}

/* Of a frame that was cut: to the nearest one that was not, which is its
 * parent, as no frame weighs more than that. */
static void cut(struct flame *f, uint32_t i)
{
	struct frame *at = &f->frames[i];
	struct frame *parent = &f->frames[f->p->nodes[i].parent];

	at->row = -1;
	if (parent->row < 0)
		return;
	parent->cut_on += at->on;
	parent->cut_off += at->off;
}

static void add_rows(struct flame *f)
{
	double least = least_weight(f);
	const struct frame *all = f->frames;
	uint32_t i;

	for (i = 0; i < f->p->n_nodes; i++)
		if (all[i].weight > least || !i)
			add_node(f, i);
		else
			cut(f, i);
	for (i = 0; i < f->p->n_nodes; i++)
		if (all[i].row >= 0 &&
		    (share(all[i].cut_on, all->on) > OTHERS_MIN ||
		     share(all[i].cut_off, all->off) > OTHERS_MIN))
			add_row(f, "[others]", all[i].row, "others",
				all[i].cut_on, all[i].cut_off);
}

static struct pw_node *flame_table(const struct flame *f,
				   struct pw_node *parent)
{
	const char *event = f->event == UINT32_MAX
				    ? "Samples"
				    : f->p->events[f->event]->name;
	struct pw_node *t = pw_table(parent, "flame", "Call chains"), *chart;
	bool is_time = strstr(event, "clock");

	pw_page_tab(t, "Flame graph");
	pw_table_only_drawn(t);
	pw_column(t, "frame", "Frame", PW_UNIT_NONE, 0);
	pw_column(t, "parent", "Row of its caller", PW_UNIT_NONE, PW_COL_RIGHT);
	pw_column(t, "kind", "Kind", PW_UNIT_NONE, 0);
	pw_column(t, "self", is_time ? "On CPU" : event,
		  is_time ? PW_UNIT_NS : PW_UNIT_COUNT, PW_COL_RIGHT);
	if (f->has_off)
		pw_column(t, "off_cpu", "Off CPU", PW_UNIT_NS, PW_COL_RIGHT);
	chart = pw_chart(t, PW_CHART_FLAME, "Call chains", 0);
	pw_chart_role(chart, PW_ROLE_LABEL, COL_FRAME);
	pw_chart_role(chart, PW_ROLE_PARENT, COL_PARENT);
	pw_chart_role(chart, PW_ROLE_GROUP, COL_KIND);
	pw_chart_role(chart, PW_ROLE_VALUE,
		      f->event == UINT32_MAX ? COL_OFF : COL_ON);
	if (f->has_off && f->event != UINT32_MAX)
		pw_chart_role(chart, PW_ROLE_VALUE2, COL_OFF);
	return t;
}

void page_flame(struct pw_profile *p, struct pw_node *parent)
{
	struct flame f = { .p = p, .event = pw_profile_main_event(p) };

	f.has_off = p->off_event != UINT32_MAX &&
		    p->events[p->off_event]->info.total.period;
	if (f.event == UINT32_MAX && !f.has_off)
		return;
	f.frames = pw_zalloc(p->n_nodes * sizeof(*f.frames));
	f.table = flame_table(&f, parent);
	sum_up(&f);
	add_rows(&f);
	free(f.frames);
}
