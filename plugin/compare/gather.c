// SPDX-License-Identifier: GPL-2.0-only
/*
 * Matches the figures of all runs: rows by the texts of their keys, columns and
 * facts by their own. Rows of one key are added up. Judges nothing.
 */
#include "compare-impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t first_run(const struct comparison *c, uint32_t side)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < side; s++)
		n += c->sides[s].n_runs;
	return n;
}

struct taking {
	struct comparison *c;
	uint32_t run;
};

static bool is_ignored(const struct comparison *c, const char *key)
{
	const char *const *i = c->opts.ignore;

	for (; i && *i; i++)
		if (!strcmp(*i, key))
			return true;
	return false;
}

static const char *pool_of(const char *name)
{
	static const char *const pools[][2] = {
#define POOL(prefix, name) { prefix, name },
#include "pools.def"
#undef POOL
	};

	for (size_t i = 0; i < sizeof(pools) / sizeof(*pools); i++)
		if (!strncmp(name, pools[i][0], strlen(pools[i][0])))
			return pools[i][1];
	return name;
}

/* Of "1234 node" and "kworker/3:1" what is the same from run to run. */
static const char *lasting_name(const struct table *t,
				const struct pw_figure *f, int i)
{
	const char *name = f->names[i];
	size_t digits;

	if (!t->is_of_tasks)
		return name;
	if (f->is_lone && !strcmp(f->name_keys[i], "instance")) {
		digits = strspn(name, "0123456789/");
		name += digits && name[digits] == ' ' ? digits + 1 : 0;
	}
	return pool_of(name);
}

/* --- tables and their columns ----------------------------------------------------- */

static uint32_t table_new(struct comparison *c, const struct pw_figure *f)
{
	struct table *t;

	c->tables =
		pw_realloc(c->tables, (c->n_tables + 1) * sizeof(*c->tables));
	t = &c->tables[c->n_tables];
	memset(t, 0, sizeof(*t));
	t->where = pw_strdup(f->where);
	t->title = pw_strdup(f->where_title ? f->where_title : f->where);
	t->is_facts = !f->n_names;
	t->is_of_tasks = is_of_tasks(c, f->where);
	t->in_run = pw_zalloc(c->n_runs * sizeof(*t->in_run));
	t->cut_in_run = pw_zalloc(c->n_runs * sizeof(*t->cut_in_run));
	t->name_keys = pw_zalloc(((size_t)f->n_names + 1) * sizeof(char *));
	t->name_titles = pw_zalloc(((size_t)f->n_names + 1) * sizeof(char *));
	for (int i = 0; i < f->n_names; i++) {
		if (is_ignored(c, f->name_keys[i]))
			continue;
		t->name_keys[t->n_names] = pw_strdup(f->name_keys[i]);
		t->name_titles[t->n_names++] = pw_strdup(f->name_titles[i]);
	}
	return c->n_tables++;
}

static uint32_t table_get(struct comparison *c, const struct pw_figure *f)
{
	for (uint32_t i = 0; i < c->n_tables; i++)
		if (c->tables[i].is_facts == !f->n_names &&
		    !strcmp(c->tables[i].where, f->where))
			return i;
	return table_new(c, f);
}

static uint32_t measure_get(struct comparison *c, struct table *t,
			    const struct pw_figure *f)
{
	struct measure *m;
	int i;

	for (i = 0; i < t->n_measures; i++)
		if (!strcmp(t->measures[i].key, f->key))
			return (uint32_t)i;
	t->measures = pw_realloc(t->measures, (size_t)(t->n_measures + 1) *
						      sizeof(*t->measures));
	m = &t->measures[t->n_measures++];
	*m = (struct measure){
		.key = pw_strdup(f->key),
		.title = pw_strdup(f->title),
		.unit = f->unit,
		.amount = f->amount,
		.better = f->better,
		.wholes = pw_alloc(c->n_runs * sizeof(*m->wholes)),
		.sums = pw_zalloc(c->n_runs * sizeof(*m->sums)),
	};
	for (uint32_t run = 0; run < c->n_runs; run++)
		m->wholes[run] = NAN;
	return (uint32_t)i;
}

/* --- figures -------------------------------------------------------------------------- */

static void add_name(struct pw_buf *b, const char *name)
{
	pw_buf_add(b, name, strlen(name) + 1);
}

static char *figure_key(const struct comparison *c, uint32_t table,
			uint32_t measure, const struct pw_figure *f,
			size_t *size)
{
	struct pw_buf b = { 0 };

	pw_buf_add_u32(&b, table);
	pw_buf_add_u32(&b, measure);
	for (int i = 0; i < f->n_names; i++)
		if (!is_ignored(c, f->name_keys[i]))
			add_name(&b, lasting_name(&c->tables[table], f, i));
	*size = b.len;
	return (char *)b.data;
}

static struct figure *figure_get(struct comparison *c, uint32_t table,
				 uint32_t measure, const struct pw_figure *f)
{
	struct figure *have;
	size_t size, n = 0;
	char *key = figure_key(c, table, measure, f, &size);

	HASH_FIND(hh, c->figures, key, size, have);
	if (have) {
		free(key);
		return have;
	}
	have = pw_zalloc(sizeof(*have));
	have->table = table;
	have->measure = measure;
	have->number = c->n_figures++;
	have->unit = f->unit;
	have->amount = f->amount;
	have->better = f->better;
	have->is_lone = f->is_lone;
	have->key = key;
	have->names = pw_zalloc(((size_t)f->n_names + 1) * sizeof(char *));
	for (int i = 0; i < f->n_names; i++)
		if (!is_ignored(c, f->name_keys[i]))
			have->names[n++] = pw_strdup(
				lasting_name(&c->tables[table], f, i));
	have->runs = pw_zalloc(c->n_runs * sizeof(*have->runs));
	have->sides = pw_zalloc(c->n_sides * sizeof(*have->sides));
	have->judged = pw_zalloc(c->n_sides * sizeof(*have->judged));
	HASH_ADD_KEYPTR(hh, c->figures, have->key, size, have);
	return have;
}

bool has_kin(const struct comparison *c, const struct figure *f, uint32_t run)
{
	struct figure *g, *next;

	HASH_ITER (hh, c->figures, g, next) {
		if (g->table == f->table && g->runs[run].n_rows && *f->names &&
		    *g->names && !strcmp(*g->names, *f->names))
			return true;
	}
	return false;
}

static void add_blocks(struct sum *s, const struct pw_figure *f)
{
	/* a total of nothing is nothing in each block */
	if (!f->n_blocks && f->amount == PW_AMOUNT_TOTAL && f->value == 0)
		return;
	if (!f->n_blocks || (s->blocks && s->n_blocks != f->n_blocks)) {
		s->lacks_blocks = true;
		return;
	}
	if (!s->blocks) {
		s->n_blocks = f->n_blocks;
		s->blocks = pw_zalloc((size_t)f->n_blocks * sizeof(*s->blocks));
	}
	for (int i = 0; i < f->n_blocks; i++)
		s->blocks[i] += f->blocks[i];
}

static void add(struct sum *s, const struct pw_figure *f)
{
	s->time = f->time;
	if (isnan(f->value) && f->amount != PW_AMOUNT_TOTAL)
		return;
	add_blocks(s, f);
	s->value += f->value;
	s->n_rows++;
	/* levels do not add up: verdict.c takes their mean */
	s->lacks_blocks |= f->amount != PW_AMOUNT_TOTAL && s->n_rows > 1;
}

/* --- texts ------------------------------------------------------------------------------ */

static void take_text(struct comparison *c, uint32_t run,
		      const struct pw_figure *f)
{
	struct text *t;

	HASH_FIND_STR(c->texts, f->title, t);
	if (!t) {
		t = pw_zalloc(sizeof(*t));
		t->title = pw_strdup(f->title);
		t->of_run = pw_zalloc(c->n_runs * sizeof(*t->of_run));
		HASH_ADD_KEYPTR(hh, c->texts, t->title, strlen(t->title), t);
	}
	free(t->of_run[run]);
	t->of_run[run] = f->text ? pw_strdup(f->text) : NULL;
}

/* --- all ---------------------------------------------------------------------------------- */

static void take(void *ctx, const struct pw_figure *f)
{
	struct taking *taking = ctx;
	struct comparison *c = taking->c;
	uint32_t run = taking->run, table, measure;
	struct figure *figure;
	struct table *t;

	if (f->amount == PW_AMOUNT_NONE) {
		take_text(c, run, f);
		return;
	}
	if (c->opts.only &&
	    strncmp(f->where, c->opts.only, strlen(c->opts.only)) != 0)
		return;
	table = table_get(c, f);
	t = &c->tables[table];
	t->in_run[run] = true;
	t->cut_in_run[run] |= f->is_cut;
	measure = measure_get(c, t, f);
	t->measures[measure].wholes[run] = f->whole;
	t->is_mixed |= f->is_lone;
	add(&t->measures[measure].sums[run], f);
	figure = figure_get(c, table, measure, f);
	figure->least = fmax(figure->least, f->least);
	add(&figure->runs[run], f);
}

void gather(struct comparison *c)
{
	for (uint32_t s = 0, run = 0; s < c->n_sides; s++)
		for (uint32_t i = 0; i < c->sides[s].n_runs; i++, run++)
			c->runs[run] = c->sides[s].runs[i];
	for (uint32_t run = 0; run < c->n_runs; run++) {
		struct taking t = { c, run };

		pw_report_figures(c->runs[run], take, &t);
	}
}

static void table_release(struct table *t, uint32_t n_runs)
{
	for (int i = 0; i < t->n_names; i++) {
		free(t->name_keys[i]);
		free(t->name_titles[i]);
	}
	for (int i = 0; i < t->n_measures; i++) {
		free(t->measures[i].key);
		free(t->measures[i].title);
		free(t->measures[i].wholes);
		for (uint32_t run = 0; run < n_runs; run++)
			free(t->measures[i].sums[run].blocks);
		free(t->measures[i].sums);
	}
	free(t->where);
	free(t->title);
	free(t->name_keys);
	free(t->name_titles);
	free(t->measures);
	free(t->in_run);
	free(t->cut_in_run);
}

static void figure_free(struct figure *f, uint32_t n_runs)
{
	for (char **name = f->names; *name; name++)
		free(*name);
	for (uint32_t run = 0; run < n_runs; run++)
		free(f->runs[run].blocks);
	free(f->names);
	free(f->id);
	free(f->entity);
	free(f->runs);
	free(f->sides);
	free(f->judged);
	free(f->key);
	free(f);
}

void comparison_release(struct comparison *c)
{
	struct figure *f, *next;
	struct text *text, *next_text;

	HASH_ITER (hh, c->figures, f, next) {
		HASH_DEL(c->figures, f);
		figure_free(f, c->n_runs);
	}
	for (uint32_t i = 0; i < c->n_tables; i++)
		table_release(&c->tables[i], c->n_runs);
	HASH_ITER (hh, c->texts, text, next_text) {
		HASH_DEL(c->texts, text);
		for (uint32_t run = 0; run < c->n_runs; run++)
			free(text->of_run[run]);
		free(text->of_run);
		free(text->title);
		free(text);
	}
	free(c->found);
	free(c->tables);
	free(c->runs);
}
