// SPDX-License-Identifier: GPL-2.0-only
/*
 * Texts of sources that others kept, through the recorder's parsers into
 * pw_metrics.
 */
#include "system-figures.h"
#include "system-process.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

struct pw_system_texts {
	struct pw_metrics *m;
	struct figure_table tables[N_TABLES];
	struct roster rosters[N_TABLES];
	uint64_t reads[PW_SYSTEM_N_SOURCES];
};

static const struct path_def process_path = {
	PW_SYSTEM_PROCESS,
	"proc/*/stat",
	parse_process_stat,
};

static const struct path_def *find_path(const char *path)
{
	for (const struct path_def *d = path_defs(); d->pattern; d++)
		if (!fnmatch(d->pattern, path, FNM_PATHNAME))
			return d;
	return fnmatch(process_path.pattern, path, FNM_PATHNAME)
		       ? NULL
		       : &process_path;
}

/* The parts of a path where its pattern has a *: all of them, and the last. */
static void varying(const char *pattern, const char *path, struct pw_buf *all,
		    const char **last, size_t *n_last)
{
	*last = "";
	*n_last = 0;
	while (*pattern && *path) {
		size_t n = strcspn(pattern, "/"), m = strcspn(path, "/");

		if (memchr(pattern, '*', n)) {
			if (all->len)
				pw_buf_add_u8(all, ' ');
			pw_buf_add(all, path, m);
			*last = path;
			*n_last = m;
		}
		pattern += n + (pattern[n] == '/');
		path += m + (path[m] == '/');
	}
}

/* --- rows ---------------------------------------------------------------------- */

static void define(struct pw_system_texts *t, enum table table,
		   struct roster_row *row)
{
	const struct figure_table *f = &t->tables[table];
	char *instance = pw_strndup(row->name, row->n_instance);
	char *metric = pw_strndup(row->name + row->n_instance, row->n_metric);

	row->ids = pw_alloc(f->def->n * sizeof(*row->ids));
	figures_define(t->m, f, instance, metric, row->ids);
	free(instance);
	free(metric);
}

static void put_row(void *ctx, enum table table, struct span instance,
		    struct span metric, const uint64_t *values)
{
	struct pw_system_texts *t = ctx;
	struct roster *r = &t->rosters[table];
	struct roster_slot *slot = roster_find(r, instance, metric);

	if (!slot) {
		slot = roster_add(r, instance, metric, 0);
		define(t, table, slot->row);
	}
	figures_tell(t->m, &t->tables[table], slot->row->ids, values);
}

struct ending {
	struct pw_system_texts *t;
	enum table table;
};

static void end_row(void *ctx, const struct roster_row *row)
{
	struct ending *e = ctx;

	for (uint32_t i = 0; i < e->t->tables[e->table].def->n; i++)
		pw_metrics_gone(e->t->m, row->ids[i]);
}

/* --- a moment --------------------------------------------------------------------- */

static void begin_source(struct pw_system_texts *t,
			 enum pw_system_source_id source, uint64_t time_ns)
{
	const char *before = "";

	for (uint32_t i = 0; i < N_TABLES; i++) {
		if (table_source(i) != source)
			continue;
		roster_begin(&t->rosters[i]);
		/* tables of one family stand together */
		if (strcmp(t->tables[i].family, before))
			pw_metrics_begin(t->m, t->tables[i].family, time_ns);
		before = t->tables[i].family;
	}
	t->reads[source]++;
}

static void end_source(struct pw_system_texts *t,
		       enum pw_system_source_id source)
{
	for (uint32_t i = 0; i < N_TABLES; i++)
		if (table_source(i) == source)
			roster_end(&t->rosters[i], end_row,
				   &(struct ending){ t, i });
}

static void parse(struct pw_system_texts *t, const struct path_def *d,
		  const struct pw_system_text *text)
{
	struct sink k = { put_row, t };
	struct pw_buf all = { 0 };
	struct part p = { .left = { text->text, 0 } };
	size_t n;

	varying(d->pattern, text->path, &all, &p.name.s, &n);
	p.name.n = (uint32_t)n;
	p.instance = (struct span){ pw_buf_str(&all), (uint32_t)all.len };
	p.left.n = text->size < MAX_TEXT ? (uint32_t)text->size : MAX_TEXT;
	d->parse(&p, &k);
	pw_buf_release(&all);
}

int pw_system_texts_add(struct pw_system_texts *t, uint64_t time_ns,
			const struct pw_system_text *parts, uint32_t n,
			struct pw_err *err)
{
	bool seen[PW_SYSTEM_N_SOURCES] = { false };

	for (uint32_t i = 0; i < n; i++)
		if (!find_path(parts[i].path))
			return pw_err_set(
				err, ENOENT,
				"no source of the system is read from %s",
				parts[i].path);
	for (uint32_t i = 0; i < n; i++) {
		const struct path_def *d = find_path(parts[i].path);

		if (!seen[d->source])
			begin_source(t, d->source, time_ns);
		seen[d->source] = true;
		parse(t, d, &parts[i]);
	}
	for (uint32_t i = 0; i < PW_SYSTEM_N_SOURCES; i++)
		if (seen[i])
			end_source(t, i);
	return 0;
}

struct pw_system_texts *pw_system_texts_new(struct pw_metrics *m)
{
	struct pw_system_texts *t = pw_zalloc(sizeof(*t));

	t->m = m;
	for (uint32_t i = 0; i < N_TABLES; i++)
		figure_table_init(&t->tables[i], table_def(i));
	return t;
}

void pw_system_texts_free(struct pw_system_texts *t)
{
	uint32_t n;
	const struct pw_system_source *sources = pw_system_sources(&n);

	if (!t)
		return;
	for (uint32_t i = 0; i < n; i++)
		if (t->reads[i])
			pw_metrics_source(t->m, sources[i].name, NULL,
					  t->reads[i], 0);
	for (uint32_t i = 0; i < N_TABLES; i++) {
		roster_release(&t->rosters[i]);
		figure_table_release(&t->tables[i]);
	}
	free(t);
}
