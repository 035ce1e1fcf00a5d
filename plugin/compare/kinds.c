// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tells what figures are of: opcodes, functions, tasks or the machine. Knows
 * the keys of reports by figure-kinds.def alone.
 */
#include "compare-impl.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static const struct figure_kind kinds[] = {
#define FIGURE_KIND(pattern, layer, word, of, one_run) \
	{ pattern, LAYER_##layer, word, OF_##of, ONE_RUN_##one_run },
#include "figure-kinds.def"
#undef FIGURE_KIND
};
#define N_KINDS (sizeof(kinds) / sizeof(*kinds))

enum names { NAMES_TASK, NAMES_CODE, NAMES_FIGURE };

static const struct {
	const char *pattern;
	enum names names;
} recorders[] = {
#define RECORDER(pattern)        { pattern, NAMES_TASK },
#define IDLE(pattern)            { pattern, NAMES_CODE },
#define RECORDER_FIGURE(pattern) { pattern, NAMES_FIGURE },
#include "recorders.def"
#undef RECORDER
#undef IDLE
#undef RECORDER_FIGURE
};
#define N_RECORDERS (sizeof(recorders) / sizeof(*recorders))

/* The column of a table that says which metric a row is; -1: none. */
static int metric_name(const struct table *t)
{
	for (int i = 0; t->is_mixed && i < t->n_names; i++)
		if (!strcmp(t->name_keys[i], "metric"))
			return i;
	return -1;
}

/* All names but that of the metric. */
static char *entity_of(const struct table *t, const struct figure *f)
{
	int metric = metric_name(t);
	struct pw_buf b = { 0 };

	for (int i = 0; i < t->n_names; i++)
		if (i != metric && *f->names[i])
			pw_buf_printf(&b, "%s%s", b.len ? ", " : "",
				      f->names[i]);
	pw_buf_str(&b);
	return (char *)b.data;
}

/* Of "main, preempted": main; of "sort, wasm, app.wasm": sort. */
static const char *owner_of(const struct table *t, const struct figure *f)
{
	for (int i = 0; i < t->n_names; i++)
		if (!strcmp(t->name_keys[i], "task") ||
		    !strcmp(t->name_keys[i], "role") ||
		    !strcmp(t->name_keys[i], "function"))
			return f->names[i];
	return f->entity;
}

static const struct figure_kind *kind_of(const char *id)
{
	size_t i = 0;

	/* the last pattern fits all */
	while (i + 1 < N_KINDS && fnmatch(kinds[i].pattern, id, 0))
		i++;
	return &kinds[i];
}

/* Of a report that is only a part of a capture: how it is called in a whole
 * one. The caller frees. */
static char *part_of(const struct comparison *c)
{
	const char *key = pw_report_key(c->runs[0]);

	return strcmp(key, "sched") && strcmp(key, "system")
		       ? pw_strdup("")
		       : pw_asprintf("%s.", key);
}

void find_kinds(struct comparison *c)
{
	struct figure *f, *next;
	char *part = part_of(c);

	HASH_ITER (hh, c->figures, f, next) {
		const struct table *t = &c->tables[f->table];
		int metric = metric_name(t);

		f->id = pw_asprintf("%s%s:%s", part, t->where,
				    metric < 0 ? measure_of(c, f)->key
					       : f->names[metric]);
		f->entity = entity_of(t, f);
		f->owner = owner_of(t, f);
		f->kind = kind_of(f->id);
	}
	free(part);
}

bool is_of_tasks(const struct comparison *c, const char *where)
{
	char *part = part_of(c), *id = pw_asprintf("%s%s:", part, where);
	bool has = kind_of(id)->layer == LAYER_TASK;

	free(id);
	free(part);
	return has;
}

bool one_run_tells(const struct figure *f)
{
	return f->kind->one_run == ONE_RUN_TELLS ||
	       (f->kind->one_run == ONE_RUN_NOT_OF_A_CPU &&
		fnmatch(CPU_ENTITY, f->entity, FNM_EXTMATCH) != 0);
}

/* The name that a pattern of recorders.def is of; NULL: it is of none. */
static const char *name_of(const struct figure *f, enum names names)
{
	enum layer least = names == NAMES_TASK ? LAYER_TASK : LAYER_FUNCTION;

	if (names == NAMES_FIGURE)
		return f->id;
	return f->kind->layer >= least && f->kind->layer <= LAYER_TASK
		       ? f->owner
		       : NULL;
}

bool is_recorder(const struct figure *f)
{
	for (size_t i = 0; i < N_RECORDERS; i++) {
		const char *name = name_of(f, recorders[i].names);

		if (name && !fnmatch(recorders[i].pattern, name, 0))
			return true;
	}
	return false;
}
