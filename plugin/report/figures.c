// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads what is compared out of a report, figure by figure. Judges nothing.
 */
#include "model.h"
#include "quantity.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct walk {
	void (*fn)(void *ctx, const struct pw_figure *f);
	void *ctx;
};

static void set_blocks(struct pw_figure *f, const struct series *s)
{
	f->blocks = s->v;
	f->n_blocks = s->n;
}

/* --- tables -------------------------------------------------------------------- */

/* The names of a row, kept from row to row. */
struct names {
	const char **texts, **keys, **titles;
	int *cols, n;
	struct pw_buf numbers;
};

static void names_init(struct names *m, const struct table *t)
{
	size_t n = (size_t)t->n_columns + 1;

	memset(m, 0, sizeof(*m));
	m->texts = pw_zalloc(n * sizeof(*m->texts));
	m->keys = pw_zalloc(n * sizeof(*m->keys));
	m->titles = pw_zalloc(n * sizeof(*m->titles));
	m->cols = pw_zalloc(n * sizeof(*m->cols));
	for (int i = 0; i < t->n_columns; i++) {
		if (!(t->columns[i].flags & PW_COL_KEY))
			continue;
		m->keys[m->n] = t->columns[i].key;
		m->titles[m->n] = t->columns[i].title;
		m->cols[m->n++] = i;
	}
	/* room for a row's numbers, so that none of them moves */
	pw_buf_reserve(&m->numbers, n * 32);
}

static void names_release(struct names *m)
{
	free(m->texts);
	free(m->keys);
	free(m->titles);
	free(m->cols);
	pw_buf_release(&m->numbers);
}

static const char *name_text(struct names *m, const struct table *t,
			     const struct cell *c)
{
	size_t at = m->numbers.len;

	if (!c)
		return "";
	if (c->kind == CELL_STR)
		return table_str(t, c);
	if (c->kind == CELL_INT)
		pw_buf_printf(&m->numbers, "%" PRId64, c->i);
	else
		pw_buf_printf(&m->numbers, "%.9g", c->num);
	pw_buf_add_u8(&m->numbers, 0);
	return (const char *)m->numbers.data + at;
}

static double cell_number(const struct cell *c, enum pw_amount amount)
{
	/* nothing is nothing of a total, but not known of a level */
	if (!c)
		return amount == PW_AMOUNT_TOTAL ? 0 : NAN;
	return c->kind == CELL_INT   ? (double)c->i
	       : c->kind == CELL_NUM ? c->num
				     : NAN;
}

/* A cell may say more than its column. */
static void set_beside(struct pw_figure *f, const struct table *t,
		       const struct cell *c)
{
	const struct beside *b;

	f->blocks = NULL;
	f->n_blocks = 0;
	f->least = 0;
	f->is_lone = false;
	if (!c || !c->beside)
		return;
	b = &t->beside[c->beside - 1];
	set_blocks(f, &b->blocks);
	f->least = b->how.least;
	if (b->how.amount == PW_AMOUNT_NONE)
		return;
	f->is_lone = true;
	f->unit = b->how.unit;
	f->amount = b->how.amount;
	f->better = b->how.better;
}

static void walk_row(const struct walk *w, const struct table *t, size_t row,
		     struct names *m, struct pw_figure *f)
{
	m->numbers.len = 0;
	for (int i = 0; i < m->n; i++)
		m->texts[i] = name_text(m, t, table_cell(t, row, m->cols[i]));
	f->names = m->texts;
	for (int i = 0; i < t->n_columns; i++) {
		const struct column *col = &t->columns[i];
		const struct cell *c = table_cell(t, row, i);

		if (!col->compared.is)
			continue;
		f->key = col->key;
		f->title = col->title;
		f->unit = col->unit;
		f->amount = col->compared.amount;
		f->better = col->compared.better;
		set_beside(f, t, c);
		f->value = cell_number(c, f->amount);
		f->whole = col->compared.has_whole && !f->is_lone
				   ? col->compared.whole
				   : NAN;
		f->whole_blocks = col->compared.blocks.v;
		f->n_whole_blocks = col->compared.blocks.n;
		w->fn(w->ctx, f);
	}
}

static void walk_table(const struct walk *w, const struct pw_node *n,
		       const char *where, struct pw_report_time time)
{
	const struct table *t = &n->table;
	struct pw_figure f = { .where = where,
			       .where_title = n->title,
			       .is_cut = t->is_cut,
			       .time = time };
	struct names m;

	if (!table_is_compared(t))
		return;
	names_init(&m, t);
	f.n_names = m.n;
	f.name_keys = m.keys;
	f.name_titles = m.titles;
	for (size_t row = 0; m.n && row < t->n_rows; row++)
		walk_row(w, t, row, &m, &f);
	names_release(&m);
}

/* --- facts ---------------------------------------------------------------------- */

static void walk_fact(const struct walk *w, const struct pw_node *n,
		      const struct pw_node *section, const char *where,
		      struct pw_report_time time)
{
	struct pw_figure f = { .where = where,
			       .where_title = section->title,
			       .key = n->key,
			       .title = n->title ? n->title : n->key,
			       .unit = n->unit,
			       .amount = n->compared.amount,
			       .better = n->compared.better,
			       .value = NAN,
			       .whole = NAN,
			       .time = time };

	if (n->kind == NODE_INT)
		f.value = (double)n->i;
	else if (n->kind == NODE_NUM || n->kind == NODE_INTERVAL)
		f.value = n->num.value;
	else if (n->kind == NODE_BOOL)
		f.text = n->yes ? "yes" : "no";
	else
		f.text = n->str;
	if (n->kind == NODE_STR || n->kind == NODE_BOOL)
		f.amount = PW_AMOUNT_NONE;
	set_blocks(&f, &n->compared.blocks);
	w->fn(w->ctx, &f);
}

static void walk_section(const struct walk *w, const struct pw_node *section,
			 const char *where, struct pw_report_time time)
{
	const struct pw_node *n;

	if (section->time.span_ns)
		time = section->time;
	DL_FOREACH(section->children, n)
	{
		char *path =
			pw_asprintf("%s%s%s", where, *where ? "." : "", n->key);

		if (n->kind == NODE_SECTION && !n->hollow)
			walk_section(w, n, path, time);
		else if (n->kind == NODE_TABLE)
			walk_table(w, n, path, time);
		else if (n->compared.is)
			walk_fact(w, n, section, where, time);
		free(path);
	}
}

void pw_report_figures(const struct pw_report *r,
		       void (*fn)(void *ctx, const struct pw_figure *f),
		       void *ctx)
{
	struct walk w = { fn, ctx };

	walk_section(&w, &r->root, "", r->root.time);
}

struct pw_report_time pw_report_get_time(const struct pw_report *r)
{
	return r->root.time;
}

const char *pw_report_key(const struct pw_report *r)
{
	return r->root.key;
}

const char *pw_quantity(char *dst, size_t size, double value, enum pw_unit unit)
{
	struct scale s = scale_for(unit, value, is_whole(value));
	struct pw_buf b = { 0 };

	if (is_whole(value) && isfinite(value))
		quantity_add_int(&b, &s, (int64_t)value);
	else
		quantity_add_num(&b, &s, value);
	snprintf(dst, size, "%s", pw_buf_str(&b));
	pw_buf_release(&b);
	return dst;
}
