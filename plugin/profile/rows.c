// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows of a table, summed up by what their columns say. Knows nothing of what
 * is counted.
 */
#include <stdlib.h>
#include <string.h>

#include "report-impl.h"

void rows_init(struct rows *r, const struct pw_profile *p, uint32_t n_texts)
{
	memset(r, 0, sizeof(*r));
	r->p = p;
	r->n_texts = n_texts;
}

void rows_release(struct rows *r)
{
	uint32_t i;

	for (i = 0; i < r->n; i++) {
		free(r->rows[i].self);
		free(r->rows[i].blocks);
	}
	free(r->rows);
	free(r->index.slots);
}

static uint64_t hash_of(const struct rows *r, const char *const *texts)
{
	uint64_t h = 0;
	uint32_t i;

	for (i = 0; i < r->n_texts; i++)
		h = pw_hash(texts[i] ? texts[i] : "",
			    texts[i] ? strlen(texts[i]) : 0, h + 1);
	return h;
}

static bool is_same(const struct rows *r, const struct row *row,
		    const char *const *texts)
{
	uint32_t i;

	for (i = 0; i < r->n_texts; i++)
		if (row->texts[i] != texts[i] &&
		    (!row->texts[i] || !texts[i] ||
		     strcmp(row->texts[i], texts[i])))
			return false;
	return true;
}

static void grow(struct rows *r)
{
	struct index old = r->index;
	uint32_t i;

	if (old.n + 1 <= old.cap / 2)
		return;
	r->index.cap = old.cap ? 2 * old.cap : 256;
	r->index.slots = pw_zalloc(r->index.cap * sizeof(*old.slots));
	for (i = 0; i < r->n; i++) {
		uint32_t *slot =
			index_first(&r->index, hash_of(r, r->rows[i].texts));

		while (*slot)
			slot = index_next(&r->index, slot);
		*slot = i + 1;
	}
	free(old.slots);
}

struct row *rows_get(struct rows *r, const char *const *texts)
{
	uint32_t *slot, n_events = r->p->n_events;
	struct row *row;

	grow(r);
	slot = index_first(&r->index, hash_of(r, texts));
	for (; *slot; slot = index_next(&r->index, slot))
		if (is_same(r, &r->rows[*slot - 1], texts))
			return &r->rows[*slot - 1];
	if (!(r->n & (r->n - 1)))
		r->rows = pw_realloc(r->rows,
				     (r->n ? 2 * r->n : 1) * sizeof(*row));
	row = &r->rows[r->n++];
	*slot = r->n;
	r->index.n++;
	memset(row, 0, sizeof(*row));
	memcpy(row->texts, texts, r->n_texts * sizeof(*texts));
	row->self = pw_zalloc(2 * (n_events + 1) * sizeof(*row->self));
	row->total = row->self + n_events + 1;
	return row;
}

double *row_blocks(const struct rows *r, struct row *row)
{
	int n = blocks_n(&r->p->blocks);

	if (!row->blocks && n)
		row->blocks = pw_zalloc((size_t)n * sizeof(*row->blocks));
	return row->blocks;
}

/* --- order ------------------------------------------------------------------------------ */

struct order {
	uint32_t event, n_texts;
	bool children;
};

static int row_order(const void *a, const void *b, void *arg)
{
	const struct order *o = arg;
	const struct row *x = a, *y = b;
	const struct pw_count *cx = o->children ? x->total : x->self;
	const struct pw_count *cy = o->children ? y->total : y->self;
	uint32_t i;
	int c;

	if (o->event != UINT32_MAX &&
	    cx[o->event].period != cy[o->event].period)
		return cx[o->event].period > cy[o->event].period ? -1 : 1;
	for (i = 0; i < o->n_texts; i++) {
		c = strcmp(x->texts[i] ? x->texts[i] : "",
			   y->texts[i] ? y->texts[i] : "");
		if (c)
			return c;
	}
	return 0;
}

void rows_sort(struct rows *r, uint32_t event, bool children)
{
	struct order o = { event, r->n_texts, children };

	if (r->n)
		qsort_r(r->rows, r->n, sizeof(*r->rows), row_order, &o);
}

/* --- showing ------------------------------------------------------------------------------- */

struct shown {
	struct pw_node *table;
	int share, children, samples, period;
	int texts[ROW_TEXTS];
	int *events; /* of the others: samples; -1 */
};

/* Clocks count nanoseconds. */
enum pw_unit period_unit(const struct pw_profile *p, uint32_t event)
{
	const char *name = event < p->n_events ? p->events[event]->name : "";

	return strncmp(name, "cpu-clock", 9) && strncmp(name, "task-clock", 10)
		       ? PW_UNIT_COUNT
		       : PW_UNIT_NS;
}

const char *period_title(const struct pw_profile *p, uint32_t event)
{
	if (event >= p->n_events)
		return "Period";
	return period_unit(p, event) == PW_UNIT_NS ? "on CPU"
						   : p->events[event]->name;
}

static void add_columns(struct shown *s, const struct rows *r,
			const struct column *columns, uint32_t event,
			bool children)
{
	const struct pw_profile *p = r->p;
	uint32_t i;
	char key[64];

	s->children = -1;
	if (children)
		s->children = pw_column(s->table, "children", "Children",
					PW_UNIT_PERCENT, PW_COL_RIGHT);
	s->share = pw_column(s->table, "share", children ? "Self" : "Overhead",
			     PW_UNIT_PERCENT, PW_COL_RIGHT);
	s->samples = pw_column(s->table, "samples", "Samples", PW_UNIT_COUNT,
			       PW_COL_RIGHT);
	s->period = pw_column(s->table, "period", period_title(p, event),
			      period_unit(p, event),
			      PW_COL_RIGHT | PW_COL_JSON_ONLY);
	if (event != UINT32_MAX && p->events[event]->role == EVENT_COUNTS)
		pw_column_compared(s->table, s->period, PW_AMOUNT_TOTAL,
				   PW_BETTER_LESS);
	for (i = 0; i < p->n_events; i++) {
		s->events[i] = -1;
		if (i == event || p->events[i]->role != EVENT_COUNTS)
			continue;
		snprintf(key, sizeof(key), "event_%u", i);
		s->events[i] = pw_column(s->table, key, p->events[i]->name,
					 PW_UNIT_COUNT, PW_COL_RIGHT);
	}
	for (i = 0; i < r->n_texts; i++)
		s->texts[i] =
			pw_column(s->table, columns[i].key, columns[i].title,
				  PW_UNIT_NONE, columns[i].flags);
}

static double share_of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static void show_row(const struct shown *s, const struct rows *r,
		     const struct row *row, uint32_t event, uint64_t whole)
{
	uint32_t i;

	pw_row(s->table);
	if (event != UINT32_MAX) {
		pw_cell_num(s->table, s->share,
			    share_of(row->self[event].period, whole));
		pw_cell_int(s->table, s->samples,
			    (int64_t)row->self[event].samples);
		pw_cell_int(s->table, s->period,
			    (int64_t)row->self[event].period);
		pw_cell_blocks(s->table, s->period, row->blocks,
			       blocks_n(&r->p->blocks));
		if (s->children >= 0)
			pw_cell_num(s->table, s->children,
				    share_of(row->total[event].period, whole));
	}
	for (i = 0; i < r->p->n_events; i++)
		if (s->events[i] >= 0)
			pw_cell_int(s->table, s->events[i],
				    (int64_t)row->self[i].samples);
	for (i = 0; i < r->n_texts; i++)
		if (row->texts[i] && *row->texts[i])
			pw_cell_str(s->table, s->texts[i], row->texts[i]);
}

static uint64_t part_of(const struct row *row, uint32_t event, bool children)
{
	return event == UINT32_MAX ? 0
	       : children          ? row->total[event].period
				   : row->self[event].period;
}

void rows_show(const struct rows *r, const struct column *columns,
	       const struct pw_profile_report_opts *o, uint64_t whole,
	       struct pw_node *parent, const char *key, const char *title)
{
	uint32_t event = pw_profile_main_event(r->p), i, n = 0;
	struct shown s = { .table = pw_table(parent, key, title) };

	s.events = pw_alloc((r->p->n_events + 1) * sizeof(*s.events));
	add_columns(&s, r, columns, event, o->children);
	pw_column_whole(s.table, s.period, (double)whole, NULL, 0);
	for (i = 0; i < r->n && (!o->max_rows || n < o->max_rows); i++) {
		uint64_t part = part_of(&r->rows[i], event, o->children);

		if (!part || share_of(part, whole) < o->min_share)
			break;
		show_row(&s, r, &r->rows[i], event, whole);
		n++;
	}
	if (i < r->n && part_of(&r->rows[i], event, o->children))
		pw_table_cut(s.table);
	free(s.events);
}
