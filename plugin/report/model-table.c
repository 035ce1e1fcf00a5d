// SPDX-License-Identifier: GPL-2.0-only
/*
 * Builds the tables of a report. A table of 100,000 rows costs a few big
 * allocations and none per cell.
 */
#include "model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct pw_node *pw_table(struct pw_node *parent, const char *key,
			 const char *title)
{
	return node_add(parent, NODE_TABLE, key, title);
}

void table_release(struct table *t)
{
	struct pw_node *chart, *tmp;

	DL_FOREACH_SAFE(t->charts, chart, tmp)
	{
		free(chart->title);
		free(chart);
	}
	for (int i = 0; i < t->n_columns; i++) {
		free(t->columns[i].key);
		free(t->columns[i].title);
		series_release(&t->columns[i].compared.blocks);
	}
	for (uint32_t i = 0; i < t->n_beside; i++)
		series_release(&t->beside[i].blocks);
	free(t->beside);
	free(t->columns);
	free(t->cells);
	free(t->row_units);
	pw_buf_release(&t->text);
}

int pw_column(struct pw_node *table, const char *key, const char *title,
	      enum pw_unit unit, unsigned flags)
{
	struct table *t = &table->table;
	struct column *c;

	assert(!t->n_rows);
	t->columns = pw_realloc(t->columns,
				(t->n_columns + 1) * sizeof(*t->columns));
	c = &t->columns[t->n_columns];
	c->key = pw_strdup(key);
	c->title = pw_strdup(title ? title : "");
	c->unit = unit;
	c->flags = flags;
	memset(&c->compared, 0, sizeof(c->compared));
	return t->n_columns++;
}

void pw_row(struct pw_node *table)
{
	struct table *t = &table->table;
	size_t row_bytes = t->n_columns * sizeof(*t->cells);

	if (t->n_rows == t->cap_rows) {
		t->cap_rows = t->cap_rows ? 2 * t->cap_rows : 16;
		t->cells = pw_realloc(t->cells, t->cap_rows * row_bytes);
		if (t->row_units)
			t->row_units = pw_realloc(t->row_units, t->cap_rows);
	}
	if (t->row_units)
		t->row_units[t->n_rows] = PW_UNIT_NONE;
	memset((char *)t->cells + t->n_rows * row_bytes, 0, row_bytes);
	t->n_rows++;
}

void pw_row_unit(struct pw_node *table, enum pw_unit unit, bool per_second)
{
	struct table *t = &table->table;

	if (!t->n_rows)
		return;
	if (!t->row_units)
		t->row_units = pw_zalloc(t->cap_rows);
	t->row_units[t->n_rows - 1] =
		(uint8_t)(unit | (per_second ? ROW_PER_SECOND : 0));
}

struct cell *last_row_cell(struct table *t, int col)
{
	if (!t->n_rows || col < 0 || col >= t->n_columns)
		return NULL;
	return &t->cells[(t->n_rows - 1) * t->n_columns + col];
}

void pw_cell_str(struct pw_node *table, int col, const char *value)
{
	struct table *t = &table->table;
	struct cell *c = last_row_cell(t, col);

	if (!c || !value)
		return;
	c->kind = CELL_STR;
	c->str = t->text.len;
	pw_buf_add(&t->text, value, strlen(value) + 1);
}

void pw_cell_int(struct pw_node *table, int col, int64_t value)
{
	struct cell *c = last_row_cell(&table->table, col);

	if (!c)
		return;
	c->kind = CELL_INT;
	c->i = value;
}

void pw_cell_num(struct pw_node *table, int col, double value)
{
	struct cell *c = last_row_cell(&table->table, col);

	if (!c)
		return;
	c->kind = CELL_NUM;
	c->num = value;
}

const struct cell *table_cell(const struct table *t, size_t row, int col)
{
	const struct cell *c = &t->cells[row * t->n_columns + col];

	return c->kind == CELL_EMPTY ? NULL : c;
}
