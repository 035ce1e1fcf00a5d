// SPDX-License-Identifier: GPL-2.0-only
/*
 * Builds what makes two reports comparable: which columns and facts, their
 * blocks of time, and the whole that they are parts of.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

const char *amount_name(enum pw_amount a)
{
	static const char *const names[] = { "text", "total", "level", "state",
					     "exact" };

	return names[a];
}

const char *better_name(enum pw_better b)
{
	static const char *const names[] = { "neither", "less", "more" };

	return names[b];
}

static void series_set(struct series *s, const double *v, int n)
{
	free(s->v);
	s->v = NULL;
	s->n = v && n > 0 ? n : 0;
	if (!s->n)
		return;
	s->v = pw_alloc((size_t)n * sizeof(*v));
	memcpy(s->v, v, (size_t)n * sizeof(*v));
}

void series_release(struct series *s)
{
	free(s->v);
	*s = (struct series){ NULL, 0 };
}

void pw_report_time(struct pw_report *r, uint64_t span_ns, uint64_t block_ns)
{
	r->root.time.span_ns = span_ns;
	r->root.time.block_ns = block_ns;
}

void pw_report_start(struct pw_report *r, uint64_t start_ns)
{
	r->root.time.start_ns = start_ns;
}

struct pw_node *pw_report_append(struct pw_node *parent, const char *key,
				 const char *title, struct pw_report *from)
{
	struct pw_node *to = pw_section(parent, key, title);

	to->children = from->root.children;
	to->time = from->root.time;
	from->root.children = NULL;
	pw_report_free(from);
	return to;
}

/* --- columns ---------------------------------------------------------------- */

static struct compared *of_column(struct pw_node *table, int col)
{
	return &table->table.columns[col].compared;
}

void pw_column_compared(struct pw_node *table, int col, enum pw_amount amount,
			enum pw_better better)
{
	struct compared *c = of_column(table, col);

	c->is = amount != PW_AMOUNT_NONE;
	c->amount = amount;
	c->better = better;
}

void pw_column_whole(struct pw_node *table, int col, double value,
		     const double *blocks, int n)
{
	struct compared *c = of_column(table, col);

	c->has_whole = true;
	c->whole = value;
	series_set(&c->blocks, blocks, n);
}

void pw_table_cut(struct pw_node *table)
{
	table->table.is_cut = true;
}

/* NULL: there is no such cell. */
static struct beside *beside_of(struct table *t, int col)
{
	struct cell *c = last_row_cell(t, col);

	if (!c)
		return NULL;
	if (c->beside)
		return &t->beside[c->beside - 1];
	if (!(t->n_beside & (t->n_beside - 1)))
		t->beside = pw_realloc(t->beside,
				       (t->n_beside ? 2 * t->n_beside : 1) *
					       sizeof(*t->beside));
	c->beside = ++t->n_beside;
	memset(&t->beside[c->beside - 1], 0, sizeof(*t->beside));
	return &t->beside[c->beside - 1];
}

void pw_cell_blocks(struct pw_node *table, int col, const double *blocks, int n)
{
	struct beside *b;

	if (!blocks || n <= 0)
		return;
	b = beside_of(&table->table, col);
	if (b)
		series_set(&b->blocks, blocks, n);
}

void pw_cell_compared(struct pw_node *table, int col, struct pw_cell_how how)
{
	struct beside *b = beside_of(&table->table, col);

	if (!b)
		return;
	b->how = how;
	table->table.has_how = true;
}

void pw_cell_matters(struct pw_node *table, int col, double least)
{
	struct beside *b = beside_of(&table->table, col);

	if (!b)
		return;
	b->how.least = least;
	table->table.has_how = true;
}

bool table_is_compared(const struct table *t)
{
	for (int i = 0; i < t->n_columns; i++)
		if (t->columns[i].compared.is)
			return true;
	return false;
}

/* --- facts ------------------------------------------------------------------- */

/* NULL: the section is empty or ends with something else. */
static struct compared *last_fact(struct pw_node *parent)
{
	struct pw_node *n = parent->children ? parent->children->prev : NULL;

	return n && n->kind >= NODE_STR && n->kind <= NODE_BOOL ? &n->compared
								: NULL;
}

void pw_fact_compared(struct pw_node *parent, enum pw_amount amount,
		      enum pw_better better)
{
	struct compared *c = last_fact(parent);

	if (!c)
		return;
	c->is = true;
	c->amount = amount;
	c->better = better;
}

void pw_fact_blocks(struct pw_node *parent, const double *blocks, int n)
{
	struct compared *c = last_fact(parent);

	if (c)
		series_set(&c->blocks, blocks, n);
}
