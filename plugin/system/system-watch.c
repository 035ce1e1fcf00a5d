// SPDX-License-Identifier: GPL-2.0-only
/*
 * Figures that are looked at while they are recorded.
 */
#include "system-record.h"

#include <stdlib.h>

/* The column of a figure in a table, or -1. Rows of a table of values tell by
 * their texts which figure they are. */
static int column_of(enum table t, const char *family, const char *metric)
{
	const struct pw_series_table *def = table_def(t);
	size_t n = strcspn(def->name, ".");

	if (strlen(family) != n || strncmp(def->name, family, n))
		return -1;
	if (def->n == 1 && !strcmp(def->columns[0].name, "value"))
		return 0;
	return (int)pw_series_column(def, metric);
}

uint32_t pw_system_watch(struct pw_system *s, const char *family,
			 const char *metric, const char *instance)
{
	struct watch *w;

	s->watches = pw_realloc(s->watches,
				(s->n_watches + 1) * sizeof(*s->watches));
	w = &s->watches[s->n_watches];
	memset(w, 0, sizeof(*w));
	w->metric = pw_strdup(metric);
	w->instance = pw_strdup(instance ?: "");
	for (uint32_t t = 0; t < N_TABLES; t++)
		w->columns[t] = (int8_t)column_of(t, family, metric);
	return s->n_watches++;
}

static void take(struct watch *w, uint64_t now_ns, struct pw_system_unit unit,
		 uint64_t value)
{
	double per_s = (double)(now_ns - w->value_ns) / 1e9;

	w->is_known = !unit.counts;
	w->shown = (double)value * unit.factor;
	if (unit.counts && w->value_ns && per_s > 0 && value >= w->value) {
		w->is_known = true;
		w->shown = (double)(value - w->value) * unit.factor / per_s;
	}
	w->value = value;
	w->value_ns = now_ns;
}

void watch_row(struct pw_system *s, enum table table, struct span instance,
	       struct span metric, const uint64_t *values)
{
	for (uint32_t i = 0; i < s->n_watches; i++) {
		struct watch *w = &s->watches[i];
		int column = w->columns[table];

		if (column < 0 || !span_is(instance, w->instance) ||
		    (metric.n && !span_is(metric, w->metric)))
			continue;
		take(w, s->reading_ns,
		     pw_system_unit(table_def(table)->columns[column].unit),
		     values[column]);
	}
}

bool pw_system_watched(const struct pw_system *s, uint32_t watch, double *value)
{
	*value = s->watches[watch].shown;
	return s->watches[watch].is_known;
}

void watches_release(struct pw_system *s)
{
	for (uint32_t i = 0; i < s->n_watches; i++) {
		free(s->watches[i].instance);
		free(s->watches[i].metric);
	}
	free(s->watches);
}
