// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes facts and cells for people: see written.h. Knows nothing of where
 * they stand.
 */
#include "written.h"
#include "visible.h"

#include <math.h>

static void add_interval(struct pw_buf *b, const struct pw_node *n)
{
	struct scale s = scale_for(n->unit, n->num.value, false);

	quantity_add_num(b, &s, n->num.value);
	s.suffix = ""; /* the unit is said once */
	pw_buf_add(b, " (", 2);
	quantity_add_num(b, &s, n->num.lo);
	pw_buf_add(b, " to ", 4);
	quantity_add_num(b, &s, n->num.hi);
	pw_buf_add(b, ")", 1);
}

void written_value(struct pw_buf *b, const struct pw_node *n)
{
	struct scale s;

	switch (n->kind) {
	case NODE_STR:
		visible_add(b, n->str ? n->str : "-");
		break;
	case NODE_INT:
		s = scale_for(n->unit, n->i, true);
		quantity_add_int(b, &s, n->i);
		break;
	case NODE_NUM:
		s = scale_for(n->unit, n->num.value, is_whole(n->num.value));
		quantity_add_num(b, &s, n->num.value);
		break;
	case NODE_INTERVAL:
		add_interval(b, n);
		break;
	default:
		pw_buf_printf(b, "%s", n->yes ? "yes" : "no");
		break;
	}
}

const char *written_label(const struct pw_node *n)
{
	return n->title ? n->title : n->key;
}

struct scale written_scale(const struct table *t, int col)
{
	double largest = 0;
	bool whole = true;

	for (size_t row = 0; row < t->n_rows; row++) {
		const struct cell *c = table_cell(t, row, col);
		double v = 0;

		if (c && c->kind == CELL_INT)
			v = (double)c->i;
		else if (c && c->kind == CELL_NUM && isfinite(c->num))
			v = c->num;
		largest = fmax(largest, fabs(v));
		whole = whole && is_whole(v);
	}
	return scale_for(t->columns[col].unit, largest, whole);
}

/* By itself: its neighbours are other things. */
static void add_in_row_unit(struct pw_buf *b, const struct table *t,
			    const struct cell *c)
{
	unsigned int unit = table_row_unit(t, (size_t)(c - t->cells) /
						      (size_t)t->n_columns);
	enum pw_unit of = unit & ~ROW_PER_SECOND;
	double v = c->kind == CELL_INT ? (double)c->i : c->num;
	struct scale s = scale_for(of, v, is_whole(v));

	if (is_whole(v) && isfinite(v))
		quantity_add_int(b, &s, (int64_t)v);
	else
		quantity_add_num(b, &s, v);
	if (unit & ROW_PER_SECOND && !isnan(v))
		pw_buf_printf(b, "/s");
}

void written_cell(struct pw_buf *b, const struct table *t, const struct cell *c,
		  const struct scale *s)
{
	if (c->kind != CELL_STR && table_has_row_unit(t, c)) {
		add_in_row_unit(b, t, c);
		return;
	}
	switch (c->kind) {
	case CELL_STR:
		visible_add(b, table_str(t, c));
		break;
	case CELL_INT:
		quantity_add_int(b, s, c->i);
		break;
	case CELL_NUM:
		quantity_add_num(b, s, c->num);
		break;
	default:
		break;
	}
}
