// SPDX-License-Identifier: GPL-2.0-only
/* The set of families, instances and series, sources and facts. */
#include "metrics-impl.h"

#include <stdlib.h>
#include <string.h>

struct pw_metrics *pw_metrics_new(void)
{
	struct pw_metrics *m = pw_zalloc(sizeof(*m));

	m->axis = (struct pw_axis){ .n_max = N_BINS, .shift = 20 };
	m->window_to_ns = UINT64_MAX;
	return m;
}

static void facts_free(struct pw_metrics *m)
{
	struct fact *f, *next;

	HASH_ITER (hh, m->facts, f, next) {
		HASH_DEL(m->facts, f);
		free(f->own_value);
		free(f);
	}
	free(m->fact_list);
}

static void family_free(struct pw_metrics *m, struct family *f)
{
	struct instance *i, *next;

	HASH_ITER (hh, f->instances, i, next)
		instance_free(m, i);
	for (uint32_t k = 0; k < f->n_metrics; k++) {
		free(f->metrics[k]->own_title);
		free(f->metrics[k]->own_about);
		free(f->metrics[k]);
	}
	free(f->metrics);
	free(f->active);
	free(f->name);
	free(f);
}

void pw_metrics_free(struct pw_metrics *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->n_families; i++)
		family_free(m, m->families[i]);
	for (uint32_t i = 0; i < m->n_sources; i++) {
		free(m->sources[i].name);
		free(m->sources[i].state);
	}
	facts_free(m);
	formulas_free(m);
	free(m->sources);
	free(m->families);
	free(m->series);
	free(m->free_ids);
	free(m->sorted);
	free(m);
}

/* --- sources and facts --------------------------------------------------------- */

static struct source *source_of(struct pw_metrics *m, const char *name)
{
	for (uint32_t i = 0; i < m->n_sources; i++)
		if (!strcmp(m->sources[i].name, name))
			return &m->sources[i];
	m->sources = pw_realloc(m->sources,
				(m->n_sources + 1) * sizeof(*m->sources));
	m->sources[m->n_sources] = (struct source){ .name = pw_strdup(name) };
	return &m->sources[m->n_sources++];
}

void pw_metrics_source(struct pw_metrics *m, const char *source,
		       const char *state, uint64_t reads, uint64_t cost_ns)
{
	struct source *s = source_of(m, source);

	free(s->state);
	s->state = state && *state ? pw_strdup(state) : NULL;
	s->reads = reads;
	s->cost_ns = cost_ns;
}

uint32_t pw_metrics_n_sources(const struct pw_metrics *m)
{
	return m->n_sources;
}

struct pw_metrics_read pw_metrics_get_source(const struct pw_metrics *m,
					     uint32_t i)
{
	const struct source *s = &m->sources[i];

	return (struct pw_metrics_read){ s->name, s->state, s->reads,
					 s->cost_ns };
}

static struct fact *fact_find(const struct pw_metrics *m, const char *group,
			      const char *key)
{
	size_t n_group = strlen(group) + 1, n_key = strlen(key) + 1;
	char *id = pw_alloc(n_group + n_key);
	struct fact *f;

	memcpy(id, group, n_group);
	memcpy(id + n_group, key, n_key);
	HASH_FIND(hh, m->facts, id, n_group + n_key, f);
	free(id);
	return f;
}

static struct fact *fact_new(struct pw_metrics *m, const char *group,
			     const char *key)
{
	size_t n_group = strlen(group) + 1, n_key = strlen(key) + 1;
	struct fact *f = pw_zalloc(sizeof(*f) + n_group + n_key);

	f->id_len = n_group + n_key;
	memcpy(f->group, group, n_group);
	memcpy(f->group + n_group, key, n_key);
	f->key = f->group + n_group;
	HASH_ADD_KEYPTR(hh, m->facts, f->group, f->id_len, f);
	return f;
}

void pw_metrics_fact(struct pw_metrics *m, const char *group, const char *key,
		     const char *value)
{
	struct fact *f = fact_find(m, group, key);

	if (!f)
		f = fact_new(m, group, key);
	free(f->own_value);
	f->own_value = pw_strdup(value);
	f->value = f->own_value;
}

const char *pw_metrics_find_fact(const struct pw_metrics *m, const char *group,
				 const char *key)
{
	const struct fact *f = fact_find(m, group, key);

	return f ? f->value : NULL;
}

/* --- families, instances, series -------------------------------------------------- */

struct family *metric_family(struct pw_metrics *m, const char *name)
{
	struct family *f;

	for (uint32_t i = 0; i < m->n_families; i++)
		if (!strcmp(m->families[i]->name, name))
			return m->families[i];
	m->families = pw_realloc(m->families,
				 (m->n_families + 1) * sizeof(*m->families));
	f = pw_zalloc(sizeof(*f));
	f->name = pw_strdup(name);
	f->idx = m->n_families;
	m->families[m->n_families++] = f;
	return f;
}

static struct metric_name *metric_of(struct family *f, const char *name,
				     enum pw_metric_kind kind,
				     enum pw_unit unit)
{
	struct metric_name *n;
	size_t size = strlen(name) + 1;

	for (uint32_t i = 0; i < f->n_metrics; i++)
		if (!strcmp(f->metrics[i]->name, name))
			return f->metrics[i];
	f->metrics = pw_realloc(f->metrics,
				(f->n_metrics + 1) * sizeof(*f->metrics));
	n = pw_zalloc(sizeof(*n) + size);
	memcpy(n->name, name, size);
	n->def = metric_known(f->name, name, kind, unit);
	f->metrics[f->n_metrics++] = n;
	return n;
}

void pw_metrics_define(struct pw_metrics *m, const char *family,
		       const char *metric, const struct pw_metric_def *def)
{
	struct metric_name *n = metric_of(metric_family(m, family), metric,
					  def->kind, def->unit);

	free(n->own_title);
	free(n->own_about);
	n->own_title = def->title ? pw_strdup(def->title) : NULL;
	n->own_about = def->about ? pw_strdup(def->about) : NULL;
	n->def = *def;
	n->def.title = n->own_title;
	n->def.about = n->own_about;
}

struct instance *instance_find(const struct family *f, const char *name)
{
	struct instance *i;

	HASH_FIND_STR(f->instances, name, i);
	return i;
}

static struct instance *instance_of(struct family *f, const char *name)
{
	struct instance *i = instance_find(f, name);
	size_t size = strlen(name) + 1;

	if (i)
		return i;
	i = pw_zalloc(sizeof(*i) + size);
	memcpy(i->name, name, size);
	i->family = f;
	f->n_gone++; /* until a series of it lives */
	HASH_ADD_KEYPTR(hh, f->instances, i->name, size - 1, i);
	return i;
}

void instance_free(struct pw_metrics *m, struct instance *i)
{
	HASH_DEL(i->family->instances, i);
	instance_forget(i);
	for (uint32_t k = 0; k < i->n; k++)
		series_free(m, i->series[k]);
	free(i->series);
	free(i);
}

static uint32_t new_id(struct pw_metrics *m)
{
	if (m->n_free)
		return m->free_ids[--m->n_free];
	if (m->n_series == m->room) {
		m->room = m->room ? 2 * m->room : 256;
		m->series = pw_realloc(m->series,
				       m->room * sizeof(struct series *));
	}
	return m->n_series++;
}

void series_free(struct pw_metrics *m, struct series *s)
{
	if (m->n_free == m->free_room) {
		m->free_room = m->free_room ? 2 * m->free_room : 64;
		m->free_ids = pw_realloc(m->free_ids,
					 m->free_room * sizeof(*m->free_ids));
	}
	m->free_ids[m->n_free++] = s->id;
	m->series[s->id] = NULL;
	spread_release(&s->spread);
	free(s->bins);
	free(s);
}

static struct series *series_new(struct pw_metrics *m, struct instance *of,
				 const struct metric_name *name)
{
	struct series *s = pw_zalloc(sizeof(*s));
	bool counts = name->def.kind == PW_METRIC_COUNTER;

	s->of = of;
	s->id = new_id(m);
	m->series[s->id] = s;
	s->pub.family = of->family->name;
	s->pub.name = name->name;
	s->pub.instance = of->name;
	s->pub.def = &name->def;
	s->pub.unit = counts && name->def.unit == PW_UNIT_NS ? PW_UNIT_PERCENT
							     : name->def.unit;
	s->pub.per_second =
		counts ? name->def.unit != PW_UNIT_NS : name->def.is_rate;
	s->spread.scale = spread_scale(s->pub.unit);
	if (of->n == of->room) {
		of->room = of->room ? 2 * of->room : 4;
		of->series = pw_realloc(of->series,
					of->room * sizeof(struct series *));
	}
	of->series[of->n++] = s;
	return s;
}

static void revive(struct series *s)
{
	s->state = SERIES_NEW;
	if (!s->of->n_alive++)
		s->of->family->n_gone--;
}

struct series *series_of(struct pw_metrics *m, struct family *f,
			 const char *metric, const char *instance,
			 enum pw_metric_kind kind, enum pw_unit unit)
{
	struct metric_name *name = metric_of(f, metric, kind, unit);
	struct instance *of = instance_of(f, instance);
	struct series *s;

	for (uint32_t i = 0; i < of->n; i++) {
		s = of->series[i];
		if (s->pub.name != name->name)
			continue;
		if (s->state == SERIES_GONE)
			revive(s);
		return s;
	}
	s = series_new(m, of, name);
	revive(s);
	return s;
}

struct series *series_derived(struct pw_metrics *m, struct instance *of,
			      const char *metric,
			      const struct pw_metric_def *def)
{
	struct metric_name *name =
		metric_of(of->family, metric, def->kind, def->unit);
	struct series *s;

	name->def = *def;
	s = series_new(m, of, name);
	name->is_derived = s->pub.is_derived = true;
	return s;
}

uint32_t pw_metrics_series(struct pw_metrics *m, const char *family,
			   const char *metric, const char *instance,
			   enum pw_metric_kind kind, enum pw_unit unit)
{
	return series_of(m, metric_family(m, family), metric, instance, kind,
			 unit)
		->id;
}
