// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts as they were read, to growth between two readings. What counted only
 * a part of the time is scaled to the whole of it.
 */
#include "pmu-figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SOFTWARE PW_PMU_TABLES "software"
#define MAX_ROWS 8192 /* of a file that is not ours there may be more */

static void name_columns(struct count_table *t,
			 const struct pw_series_table *from)
{
	t->name = pw_strdup(from->name);
	t->is_software = !strcmp(from->name, SOFTWARE);
	t->first = t->is_software ? 0 : 2;
	t->n = from->n > t->first ? from->n - t->first : 0;
	t->columns = pw_zalloc((t->n + 1) * sizeof(*t->columns));
	for (uint32_t i = 0; i < t->n; i++)
		t->columns[i] = pw_strdup(from->columns[t->first + i].name);
	t->share = UINT32_MAX;
}

struct count_table *counts_table(struct pw_pmu_reader *r,
				 const struct pw_series *s, uint32_t table)
{
	const struct pw_series_table *from = pw_series_table(s, table);

	if (strncmp(from->name, PW_PMU_TABLES, strlen(PW_PMU_TABLES)) ||
	    (from->n < 2 && strcmp(from->name, SOFTWARE)))
		return NULL;
	if (table >= r->n_tables) {
		r->tables =
			pw_realloc(r->tables, (table + 1) * sizeof(*r->tables));
		memset(r->tables + r->n_tables, 0,
		       (table + 1 - r->n_tables) * sizeof(*r->tables));
		r->n_tables = table + 1;
	}
	if (!r->tables[table].name)
		name_columns(&r->tables[table], from);
	return &r->tables[table];
}

void counts_release(struct count_table *t)
{
	for (uint32_t i = 0; i < t->n_rows; i++) {
		free(t->rows[i].growth);
		free(t->rows[i].last);
	}
	pw_strings_free(t->columns);
	free(t->rows);
	free(t->name);
}

/* --- rows ---------------------------------------------------------------------------- */

static struct counts *find(const struct count_table *t, uint32_t cpu)
{
	for (uint32_t i = 0; i < t->n_rows; i++)
		if (t->rows[i].cpu == cpu)
			return &t->rows[i];
	return NULL;
}

/* Rows come in the same order each time. */
static struct counts *find_next(struct count_table *t, uint32_t cpu)
{
	struct counts *c = t->next < t->n_rows ? &t->rows[t->next] : NULL;

	if (!c || c->cpu != cpu)
		c = find(t, cpu);
	t->next = c ? (uint32_t)(c - t->rows) + 1 : 0;
	return c;
}

const struct counts *counts_find(const struct count_table *t, uint32_t cpu)
{
	const struct counts *c = find(t, cpu);

	return c && c->is_known ? c : NULL;
}

static struct counts *add(struct count_table *t, uint32_t cpu)
{
	struct counts *c;

	t->rows = pw_realloc(t->rows, (t->n_rows + 1) * sizeof(*t->rows));
	c = &t->rows[t->n_rows++];
	*c = (struct counts){ .cpu = cpu };
	c->growth = pw_zalloc((t->n + 1) * sizeof(*c->growth));
	c->last = pw_zalloc((t->first + t->n + 1) * sizeof(*c->last));
	return c;
}

bool counts_drop(struct count_table *t, uint32_t cpu)
{
	struct counts *c = find(t, cpu);

	if (!c)
		return false;
	free(c->growth);
	free(c->last);
	*c = t->rows[--t->n_rows];
	return true;
}

/* A counter that is less than before began anew: its growth is not known. */
static bool grew(const struct count_table *t, const struct counts *c,
		 const uint64_t *now)
{
	for (uint32_t i = 0; i < t->first + t->n; i++)
		if (now[i] < c->last[i])
			return false;
	return true;
}

static void take_growth(const struct count_table *t, struct counts *c,
			const uint64_t *now)
{
	double scale = 1;

	c->is_known = grew(t, c, now);
	if (t->first) {
		c->enabled = (double)(now[0] - c->last[0]);
		c->running = (double)(now[1] - c->last[1]);
		scale = c->running > 0 ? c->enabled / c->running : NAN;
	}
	for (uint32_t i = 0; i < t->n; i++)
		c->growth[i] = scale * (double)(now[t->first + i] -
						c->last[t->first + i]);
}

void counts_row(struct count_table *t, const struct pw_series_item *item)
{
	uint32_t cpu = item->key < MAX_ROWS ? (uint32_t)item->key : MAX_ROWS;
	struct counts *c = find_next(t, cpu);
	bool is_first = !c;

	if (!c)
		c = add(t, cpu);
	if (is_first)
		c->is_known = false;
	else
		take_growth(t, c, item->values);
	c->is_new = true;
	memcpy(c->last, item->values, (t->first + t->n) * sizeof(*c->last));
	if (!t->first || !c->is_known)
		return;
	t->enabled += c->enabled;
	t->running += c->running;
}

void counts_settle(struct count_table *t)
{
	t->next = 0;
	for (uint32_t i = 0; i < t->n_rows; i++) {
		/* what was not told now has no growth in the next one either */
		t->rows[i].is_known = false;
		t->rows[i].is_new = false;
	}
}
