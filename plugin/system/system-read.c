// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a recorder's series into pw_metrics. A readout's rows are kept until it
 * is whole, as the times of the sources stand behind them.
 */
#include "system-figures.h"
#include "system-own.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <perfwasm/pmu.h>

/* --- what a file says ------------------------------------------------------------ */

struct line {
	UT_hash_handle hh;
	uint64_t key;
	char *instance, *metric;
	bool is_told, is_new, is_defined, is_over;
	uint32_t *ids; /* one for each column */
	uint64_t values[];
};

/* Figures, or whose else a table is. */
enum line_kind { KIND_FIGURES, KIND_RECORDER, KIND_SOURCES, KIND_PMU };

struct line_table {
	struct figure_table figures;
	struct line *all;
	struct origin *source; /* NULL: none says that it fills it */
	enum line_kind kind;
	bool begins_at_zero; /* a row that comes later counts whole */
};

/* A source of the file. */
struct origin {
	UT_hash_handle hh;
	uint64_t key;
	char *name, *tables, *state;
	uint64_t values[N_SOURCE_COLUMNS], reads_before;
};

struct change {
	uint32_t table;
	struct line *line;
};

/* A process's number in a table. */
struct owner {
	uint32_t table;
	unsigned long number;
	bool is_numbered;
};

struct system_reader {
	struct pw_metrics *m;
	struct pw_series *in;
	struct pw_pmu_reader *pmu; /* its tables are its own */
	struct line_table *tables[PW_SERIES_MAX_TABLES];
	uint32_t n_tables;
	struct origin *origins;
	struct change *changes; /* of this readout */
	size_t n_changes, cap_changes;
	struct owner *ended; /* of this readout, sorted */
	size_t n_ended;
	uint64_t time_ns, missed;
	bool in_readout;
};

static void line_free(struct line *l)
{
	free(l->instance);
	free(l->metric);
	free(l->ids);
	free(l);
}

static enum line_kind kind_of(const char *name)
{
	if (!strncmp(name, PW_PMU_TABLES, strlen(PW_PMU_TABLES)))
		return KIND_PMU;
	if (!strcmp(name, SOURCES_TABLE))
		return KIND_SOURCES;
	return strcmp(name, RECORDER_TABLE) ? KIND_FIGURES : KIND_RECORDER;
}

/* A table that is not one of ours tells of none. */
static bool begins_at_zero(const char *name)
{
	for (uint32_t t = 0; t < N_TABLES; t++)
		if (!strcmp(table_def(t)->name, name))
			return source_flags(table_source(t)) & SOURCE_ZERO;
	return false;
}

static struct line_table *table_at(struct system_reader *r, uint32_t i)
{
	const struct pw_series_table *def;

	while (r->n_tables <= i) {
		struct line_table *t = pw_zalloc(sizeof(*t));

		def = pw_series_table(r->in, r->n_tables);
		figure_table_init(&t->figures, def);
		t->kind = kind_of(def->name);
		t->begins_at_zero = begins_at_zero(def->name);
		r->tables[r->n_tables++] = t;
	}
	return r->tables[i];
}

static void note_change(struct system_reader *r, uint32_t table, struct line *l)
{
	if (l->is_told)
		return;
	l->is_told = true;
	if (r->n_changes == r->cap_changes) {
		r->cap_changes = r->cap_changes ? 2 * r->cap_changes : 256;
		r->changes = pw_realloc(r->changes,
					r->cap_changes * sizeof(*r->changes));
	}
	r->changes[r->n_changes++] = (struct change){ table, l };
}

static struct line *line_get(struct system_reader *r,
			     const struct pw_series_item *it)
{
	struct line_table *t = table_at(r, it->table);
	uint32_t n = t->figures.def->n;
	struct line *l;

	HASH_FIND(hh, t->all, &it->key, sizeof(it->key), l);
	if (!l) {
		l = pw_zalloc(sizeof(*l) + n * sizeof(*l->values));
		l->key = it->key;
		l->is_new = true;
		HASH_ADD(hh, t->all, key, sizeof(l->key), l);
	}
	note_change(r, it->table, l);
	return l;
}

static void set_text(char **to, const char *text)
{
	free(*to);
	*to = pw_strdup(text);
}

static void take_text(struct system_reader *r, const struct pw_series_item *it)
{
	struct line *l = line_get(r, it);
	bool is_metric = !strcmp(it->name, "metric");

	if (is_metric || !strcmp(it->name, "instance"))
		set_text(is_metric ? &l->metric : &l->instance, it->text);
}

static void take_row(struct system_reader *r, const struct pw_series_item *it)
{
	struct line *l = line_get(r, it);

	memcpy(l->values, it->values,
	       r->tables[it->table]->figures.def->n * sizeof(*l->values));
}

static void take_drop(struct system_reader *r, const struct pw_series_item *it)
{
	struct line_table *t = table_at(r, it->table);
	struct line *l;

	HASH_FIND(hh, t->all, &it->key, sizeof(it->key), l);
	if (!l)
		return;
	note_change(r, it->table, l);
	l->is_over = true;
	HASH_DELETE(hh, t->all, l);
}

/* --- sources ----------------------------------------------------------------------- */

static struct origin *origin_get(struct system_reader *r, uint64_t key)
{
	struct origin *o;

	HASH_FIND(hh, r->origins, &key, sizeof(key), o);
	if (o)
		return o;
	o = pw_zalloc(sizeof(*o));
	o->key = key;
	HASH_ADD(hh, r->origins, key, sizeof(o->key), o);
	return o;
}

/* Tables of a file may be told in any order of the sources' texts. */
static void bind_tables(struct system_reader *r, struct origin *o)
{
	struct span list = { o->tables, (uint32_t)strlen(o->tables) }, name;
	uint32_t n = pw_series_n_tables(r->in);

	while (list.n) {
		if (!take_until(&list, ',', &name)) {
			name = list;
			list.n = 0;
		}
		for (uint32_t i = 0; i < n; i++)
			if (span_is(name, pw_series_table(r->in, i)->name))
				table_at(r, i)->source = o;
	}
}

static void take_source(struct system_reader *r,
			const struct pw_series_item *it)
{
	struct origin *o = origin_get(r, it->key);
	uint32_t n = pw_series_table(r->in, it->table)->n;

	if (it->kind == PW_SERIES_ROW) {
		memcpy(o->values, it->values,
		       (n < N_SOURCE_COLUMNS ? n : N_SOURCE_COLUMNS) *
			       sizeof(*o->values));
	} else if (it->kind == PW_SERIES_TEXT) {
		if (!strcmp(it->name, "name"))
			set_text(&o->name, it->text);
		else if (!strcmp(it->name, "state"))
			set_text(&o->state, it->text);
		else if (!strcmp(it->name, "tables")) {
			set_text(&o->tables, it->text);
			bind_tables(r, o);
		}
	}
}

static uint64_t read_at(const struct system_reader *r, const struct origin *o)
{
	return r->time_ns + o->values[COLUMN_OFFSET] * 1000;
}

/* --- a readout -------------------------------------------------------------------------- */

/* Whose it is: a table, and the number before the blank of "1234 node". */
static struct owner owner_of(uint32_t table, const struct line *l)
{
	const char *name = l->instance ?: "";

	return (struct owner){ table, strtoul(name, NULL, 10),
			       strchr(name, ' ') != NULL };
}

static int by_owner(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;

	return x->table != y->table     ? (x->table < y->table ? -1 : 1)
	       : x->number != y->number ? (x->number < y->number ? -1 : 1)
					: 0;
}

/* Those that are over in this readout. */
static void sort_ended(struct system_reader *r)
{
	r->n_ended = 0;
	r->ended = pw_realloc(r->ended, (r->n_changes + 1) * sizeof(*r->ended));
	for (size_t i = 0; i < r->n_changes; i++) {
		const struct change *c = &r->changes[i];
		struct owner o = owner_of(c->table, c->line);

		if (c->line->is_over && o.is_numbered)
			r->ended[r->n_ended++] = o;
	}
	qsort(r->ended, r->n_ended, sizeof(*r->ended), by_owner);
}

/* A process that took another name goes on under it. */
static bool goes_on(const struct system_reader *r, uint32_t table,
		    const struct line *l)
{
	struct owner o = owner_of(table, l);

	return o.is_numbered &&
	       bsearch(&o, r->ended, r->n_ended, sizeof(*r->ended), by_owner);
}

static void define(struct system_reader *r, uint32_t table, struct line *l)
{
	struct line_table *t = r->tables[table];
	uint32_t n = t->figures.def->n;
	bool is_born = l->is_new && t->source && t->source->reads_before &&
		       t->begins_at_zero && !goes_on(r, table, l);

	if (!l->ids)
		l->ids = pw_alloc(n * sizeof(*l->ids));
	figures_define(r->m, &t->figures, l->instance, l->metric ?: "", l->ids);
	for (uint32_t i = 0; is_born && i < n; i++)
		if (t->figures.counts[i])
			pw_metrics_born(r->m, l->ids[i]);
	l->is_defined = true;
	l->is_new = false;
}

static bool has_lines(const struct line_table *t)
{
	return t->kind == KIND_FIGURES || t->kind == KIND_RECORDER;
}

/* A family may have more tables than one. */
static bool has_begun(const struct system_reader *r, uint32_t table)
{
	for (uint32_t i = 0; i < table; i++)
		if (!strcmp(r->tables[i]->figures.family,
			    r->tables[table]->figures.family))
			return true;
	return false;
}

static void begin_families(struct system_reader *r)
{
	for (uint32_t i = 0; i < r->n_tables; i++) {
		struct line_table *t = r->tables[i];
		struct origin *o = t->source;

		if (!has_lines(t) || has_begun(r, i))
			continue;
		if (!o)
			pw_metrics_begin(r->m, t->figures.family, r->time_ns);
		else if (o->values[COLUMN_READS] != o->reads_before)
			pw_metrics_begin(r->m, t->figures.family,
					 read_at(r, o));
	}
}

/* Its tables belong to one source, whose time is theirs. */
static void end_counters(struct system_reader *r)
{
	for (uint32_t i = 0; i < r->n_tables; i++) {
		const struct origin *o = r->tables[i]->source;

		if (r->tables[i]->kind != KIND_PMU)
			continue;
		if (!o)
			pw_pmu_reader_end(r->pmu, r->time_ns);
		else if (o->values[COLUMN_READS] != o->reads_before)
			pw_pmu_reader_end(r->pmu, read_at(r, o));
		return;
	}
}

static void end_readout(struct system_reader *r)
{
	struct origin *o, *next;

	if (!r->in_readout)
		return;
	if (pw_series_n_tables(r->in))
		table_at(r, pw_series_n_tables(r->in) - 1);
	begin_families(r);
	sort_ended(r);
	for (size_t i = 0; i < r->n_changes; i++) {
		struct change *c = &r->changes[i];
		struct line *l = c->line;

		l->is_told = false;
		/* rows of one figure without a name are no figure */
		l->instance = l->instance ?: pw_strdup("");
		if (!l->is_over && !l->is_defined)
			define(r, c->table, l);
		if (!l->is_over)
			figures_tell(r->m, &r->tables[c->table]->figures,
				     l->ids, l->values);
	}
	for (size_t i = 0; i < r->n_changes; i++) {
		struct line *l = r->changes[i].line;
		uint32_t n = r->tables[r->changes[i].table]->figures.def->n;

		if (!l->is_over)
			continue;
		for (uint32_t k = 0; l->is_defined && k < n; k++)
			pw_metrics_gone(r->m, l->ids[k]);
		line_free(l);
	}
	r->n_changes = 0;
	end_counters(r);
	HASH_ITER (hh, r->origins, o, next)
		o->reads_before = o->values[COLUMN_READS];
}

/* In a ring the pieces that follow tell theirs, too; what is so when the first
 * begins is of the whole. */
static void take_fact(struct system_reader *r, const struct pw_series_item *it)
{
	size_t n = strcspn(it->name, "/");
	char *group = pw_strndup(it->name, n);

	if (it->name[n] && !pw_metrics_find_fact(r->m, group, it->name + n + 1))
		pw_metrics_fact(r->m, group, it->name + n + 1, it->text);
	free(group);
}

static void take_line_item(struct system_reader *r,
			   const struct pw_series_item *it)
{
	const struct line_table *t = table_at(r, it->table);

	if (t->kind == KIND_SOURCES) {
		take_source(r, it);
	} else if (!has_lines(t)) {
		return;
	} else if (it->kind == PW_SERIES_TEXT) {
		take_text(r, it);
	} else if (it->kind == PW_SERIES_DROP) {
		take_drop(r, it);
	} else {
		take_row(r, it);
		if (t->kind == KIND_RECORDER)
			r->missed = it->values[0];
	}
}

static void take_item(struct system_reader *r, const struct pw_series_item *it)
{
	if (it->kind == PW_SERIES_READOUT) {
		end_readout(r);
		r->time_ns = it->time_ns;
		r->in_readout = true;
	} else if (pw_pmu_reader_item(r->pmu, r->in, it)) {
		return;
	} else if (it->kind == PW_SERIES_FACT) {
		take_fact(r, it);
	} else {
		take_line_item(r, it);
	}
}

static void tell_sources(struct system_reader *r)
{
	struct origin *o, *next;

	HASH_ITER (hh, r->origins, o, next)
		if (o->name)
			pw_metrics_source(r->m, o->name,
					  o->state && *o->state ? o->state
								: NULL,
					  o->values[COLUMN_READS],
					  o->values[COLUMN_COST] * 1000);
	pw_metrics_missed(r->m, r->missed);
}

static void reader_release(struct system_reader *r)
{
	struct origin *o, *next_origin;

	/* those that were over in a readout that could not be read to its end */
	for (size_t i = 0; i < r->n_changes; i++)
		if (r->changes[i].line->is_over)
			line_free(r->changes[i].line);
	for (uint32_t i = 0; i < r->n_tables; i++) {
		struct line *l, *next;

		HASH_ITER (hh, r->tables[i]->all, l, next) {
			HASH_DELETE(hh, r->tables[i]->all, l);
			line_free(l);
		}
		figure_table_release(&r->tables[i]->figures);
		free(r->tables[i]);
	}
	HASH_ITER (hh, r->origins, o, next_origin) {
		HASH_DELETE(hh, r->origins, o);
		free(o->name);
		free(o->tables);
		free(o->state);
		free(o);
	}
	free(r->changes);
	free(r->ended);
	pw_pmu_reader_free(r->pmu);
	pw_series_close(r->in);
}

static int read_series(const char *path, struct pw_metrics *m,
		       struct pw_err *err)
{
	struct system_reader r = { .m = m };
	struct pw_series_item it;
	int ret;

	r.in = pw_series_open(path, err);
	if (!r.in)
		return err ? -err->code : -EINVAL;
	r.pmu = pw_pmu_reader_new(m);
	while ((ret = pw_series_next(r.in, &it, err)) > 0)
		take_item(&r, &it);
	if (!ret && r.in_readout) {
		end_readout(&r);
		pw_pmu_reader_sum_up(r.pmu);
		tell_sources(&r);
	}
	reader_release(&r);
	if (ret)
		pw_err_prefix(err, "%s", path);
	return ret;
}

/* 1: it is not there. */
static int read_below(const char *dir, const char *name, struct pw_metrics *m,
		      struct pw_err *err)
{
	char *path = pw_asprintf("%s/%s", dir, name);
	int ret = 1;

	if (!access(path, F_OK))
		ret = read_series(path, m, err);
	free(path);
	return ret;
}

int pw_system_read(const char *path, struct pw_metrics *m, struct pw_err *err)
{
	char *inside = pw_asprintf("%s/.", path);
	bool is_dir = !access(inside, F_OK);
	int machine, series;

	free(inside);
	if (!is_dir)
		return read_series(path, m, err);
	machine = read_below(path, PW_SYSTEM_MACHINE, m, err);
	if (machine < 0)
		return machine;
	series = read_below(path, PW_SYSTEM_SERIES, m, err);
	if (series > 0 && machine > 0)
		return pw_err_set(
			err, ENOENT,
			"%s holds no figures of a system: neither %s nor %s is in it",
			path, PW_SYSTEM_SERIES, PW_SYSTEM_MACHINE);
	return series > 0 ? 0 : series;
}
