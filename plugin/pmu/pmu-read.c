// SPDX-License-Identifier: GPL-2.0-only
/* A series' items, one after another, to figures in metrics. */
#include "pmu-figures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pw_pmu_reader *pw_pmu_reader_new(struct pw_metrics *m)
{
	struct pw_pmu_reader *r = pw_zalloc(sizeof(*r));

	r->m = m;
	r->width = NAN;
	r->threads = 1;
	return r;
}

void pw_pmu_reader_free(struct pw_pmu_reader *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->n_tables; i++)
		counts_release(&r->tables[i]);
	for (uint32_t i = 0; i < r->n_shown; i++)
		shown_release(&r->shown[i]);
	free(r->tables);
	free(r->shown);
	free(r);
}

/* --- facts --------------------------------------------------------------------------- */

static void set(char **field, const char *text)
{
	free(*field);
	*field = pw_strdup(text);
}

/* A formula stays the one that it was read with. */
static void take_metric(struct pw_pmu_reader *r, const char *kind,
			const char *name, const char *text)
{
	struct shown *f = shown_find(r, name);

	if (f->is_compiled)
		return;
	if (!strcmp(kind, "metric"))
		set(&f->formula, text);
	else if (!strcmp(kind, "unit"))
		set(&f->unit, text);
	else if (!strcmp(kind, "better"))
		set(&f->better, text);
	else
		set(&f->about, text);
}

static void take_constant(struct pw_pmu_reader *r, const char *name,
			  const char *text)
{
	double value = strtod(text, NULL);

	if (!strcmp(name, "width"))
		r->width = value > 0 ? value : NAN;
	else if (!strcmp(name, "threads"))
		r->threads = value > 0 ? value : NAN;
}

static bool take_fact(struct pw_pmu_reader *r, const char *name,
		      const char *text)
{
	char kind[16];
	const char *space;

	if (strncmp(name, "pmu/", 4))
		return false;
	name += 4;
	space = strchr(name, ' ');
	if (!space || space - name >= (ptrdiff_t)sizeof(kind)) {
		pw_metrics_fact(r->m, "pmu", name, text);
		return true;
	}
	memcpy(kind, name, (size_t)(space - name));
	kind[space - name] = 0;
	if (!strcmp(kind, "metric") || !strcmp(kind, "unit") ||
	    !strcmp(kind, "better") || !strcmp(kind, "about"))
		take_metric(r, kind, space + 1, text);
	else if (!strcmp(kind, "constant"))
		take_constant(r, space + 1, text);
	else
		pw_metrics_fact(r->m, "pmu", name, text);
	return true;
}

/* --- rows ------------------------------------------------------------------------------- */

static void drop(struct pw_pmu_reader *r, struct count_table *t, uint64_t key)
{
	uint32_t cpu = (uint32_t)key;

	if (key > UINT32_MAX || !counts_drop(t, cpu))
		return;
	for (uint32_t i = 0; i < r->n_shown; i++)
		if (r->shown[i].f && &r->tables[r->shown[i].main] == t)
			shown_gone(r, &r->shown[i], cpu);
}

bool pw_pmu_reader_item(struct pw_pmu_reader *r, const struct pw_series *s,
			const struct pw_series_item *item)
{
	struct count_table *t;

	if (item->kind == PW_SERIES_FACT)
		return take_fact(r, item->name, item->text);
	if (item->kind == PW_SERIES_READOUT)
		return false;
	/* also those that have no rows yet: figures look for them once */
	while (r->n_seen < pw_series_n_tables(s))
		counts_table(r, s, r->n_seen++);
	t = counts_table(r, s, item->table);
	if (!t)
		return false;
	if (item->kind == PW_SERIES_ROW)
		counts_row(t, item);
	else if (item->kind == PW_SERIES_DROP)
		drop(r, t, item->key);
	return true;
}

/* --- a readout -------------------------------------------------------------------------- */

static void tell_share(struct pw_pmu_reader *r, struct count_table *t)
{
	double enabled = 0, running = 0;
	char *name;

	for (uint32_t i = 0; i < t->n_rows; i++) {
		if (!t->rows[i].is_known)
			continue;
		enabled += t->rows[i].enabled;
		running += t->rows[i].running;
	}
	if (!(enabled > 0))
		return;
	if (t->share == UINT32_MAX) {
		name = pw_asprintf("counted-%s", t->name + 4);
		pw_metrics_define(
			r->m, "pmu", name,
			&(struct pw_metric_def){
				.kind = PW_METRIC_LEVEL,
				.unit = PW_UNIT_PERCENT,
				.title = name,
				.about =
					"Share of the time that this group of events was counted." });
		t->share = pw_metrics_series(r->m, "pmu", name, "all",
					     PW_METRIC_LEVEL, PW_UNIT_PERCENT);
		free(name);
	}
	pw_metrics_value(r->m, t->share, running / enabled);
}

static void tell_software(struct pw_pmu_reader *r, const struct count_table *t)
{
	char name[24];
	uint32_t id;

	for (uint32_t i = 0; i < t->n_rows; i++) {
		snprintf(name, sizeof(name), "cpu%u", t->rows[i].cpu);
		/* of the first column, the clock, nothing is to be seen */
		for (uint32_t k = 1; k < t->n && t->rows[i].is_new; k++) {
			id = pw_metrics_series(r->m, "software", t->columns[k],
					       name, PW_METRIC_COUNTER,
					       PW_UNIT_COUNT);
			pw_metrics_value(r->m, id, (double)t->rows[i].last[k]);
		}
	}
}

void pw_pmu_reader_end(struct pw_pmu_reader *r, uint64_t time_ns)
{
	double time = r->last_ns ? (double)(time_ns - r->last_ns) / 1e9 : NAN;

	pw_metrics_begin(r->m, "software", time_ns);
	for (uint32_t i = 0; i < r->n_tables; i++)
		if (r->tables[i].is_software)
			tell_software(r, &r->tables[i]);
	pw_metrics_begin(r->m, "pmu", time_ns);
	for (uint32_t i = 0; i < r->n_shown; i++)
		shown_tell(r, &r->shown[i], time);
	for (uint32_t i = 0; i < r->n_tables; i++) {
		if (r->tables[i].first)
			tell_share(r, &r->tables[i]);
		counts_settle(&r->tables[i]);
	}
	r->last_ns = time_ns;
}

void pw_pmu_reader_sum_up(struct pw_pmu_reader *r)
{
	for (uint32_t i = 0; i < r->n_shown; i++)
		shown_sum_up(r, &r->shown[i]);
}
