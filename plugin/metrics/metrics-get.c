// SPDX-License-Identifier: GPL-2.0-only
/* The end of filling, and what is read afterwards. */
#include "metrics-impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the end ----------------------------------------------------------------------- */

/* Bins that are narrower than an interval would show what nobody read. */
static void widen_to_interval(struct pw_metrics *m)
{
	double least = 0;

	for (uint32_t i = 0; i < m->n_families; i++) {
		const struct family *f = m->families[i];
		double each;

		if (f->n_readings < 3)
			continue;
		each = (double)(f->now_ns - f->first_ns) /
		       (double)(f->n_readings - 1);
		if (!(least > 0) || each < least)
			least = each;
	}
	while (m->axis.shift < 62 &&
	       (double)(1ull << m->axis.shift) < 0.95 * least)
		m->axis.shift++;
}

static uint32_t n_bins(const struct pw_metrics *m)
{
	return m->to_ns > m->from_ns ? pw_axis_bin(&m->axis, m->to_ns - 1) + 1
				     : 0;
}

/* The figures of what was merged: a bin is one value. */
static void spread_of_bins(struct pw_metrics *m, struct series *s)
{
	const struct family *f = s->of->family;
	uint32_t n = n_bins(m);
	double width = (double)(1ull << m->axis.shift);

	spread_release(&s->spread);
	s->spread.scale = spread_scale(s->pub.unit);
	s->pub.span_ns = f->now_ns - f->first_ns;
	for (uint32_t i = 0; i < n; i++) {
		s->bins->known[i] = width;
		spread_add(&s->spread, s->bins->sum[i] / width * rate_scale(s),
			   1ull << m->axis.shift);
	}
}

static void finish_bins(struct pw_metrics *m, struct series *s)
{
	struct bins *b = series_bins(m, s);

	if (s->is_merged)
		spread_of_bins(m, s);
	for (uint32_t i = 0; i < N_BINS; i++) {
		if (!(b->known[i] > 0))
			b->sum[i] = NAN;
		else if (s->pub.def->kind == PW_METRIC_LEVEL)
			b->sum[i] /= b->known[i];
	}
	s->pub.bins = b->sum;
}

static void finish(struct pw_metrics *m, struct series *s)
{
	struct pw_metric *p = &s->pub;

	if (s->bins)
		finish_bins(m, s);
	p->is_constant = !s->bins || s->spread.min == s->spread.max;
	if (p->def->kind == PW_METRIC_COUNTER)
		p->is_constant = !(p->total > 0);
	if (p->is_constant)
		p->bins = NULL;
	p->mean = s->spread.weight ? s->spread.mean : NAN;
	p->std = spread_std(&s->spread);
	p->min = s->spread.weight ? s->spread.min : NAN;
	p->max = s->spread.weight ? s->spread.max : NAN;
	p->p50 = spread_quantile(&s->spread, 0.5);
	p->p90 = spread_quantile(&s->spread, 0.9);
	p->p99 = spread_quantile(&s->spread, 0.99);
	p->last = s->last;
}

/* cpu2 before cpu10, and always the same order. */
static int by_name(const void *a, const void *b)
{
	const struct series *x = *(struct series *const *)a;
	const struct series *y = *(struct series *const *)b;
	int diff = strverscmp(x->pub.instance, y->pub.instance);

	return diff ? diff : strcmp(x->pub.instance, y->pub.instance);
}

/* Made of others that never had a value together. */
static bool is_hollow(const struct series *s)
{
	return s->pub.is_derived && !s->spread.weight;
}

static void sort_metric(struct pw_metrics *m, struct family *f,
			const struct metric_name *name)
{
	uint32_t first = m->n_sorted;
	struct instance *i, *next;

	HASH_ITER (hh, f->instances, i, next)
		for (uint32_t k = 0; k < i->n; k++)
			if (i->series[k]->pub.name == name->name &&
			    !is_hollow(i->series[k]))
				m->sorted[m->n_sorted++] = i->series[k];
	qsort(m->sorted + first, m->n_sorted - first, sizeof(struct series *),
	      by_name);
}

/* What is made of others comes first: it says more. */
static void sort_family(struct pw_metrics *m, struct family *f, bool derived)
{
	for (uint32_t k = 0; k < f->n_metrics; k++)
		if (f->metrics[k]->is_derived == derived)
			sort_metric(m, f, f->metrics[k]);
}

static void sort_all(struct pw_metrics *m)
{
	m->sorted =
		pw_alloc(((size_t)m->n_series + 1) * sizeof(struct series *));
	for (uint32_t i = 0; i < m->n_families; i++) {
		sort_family(m, m->families[i], true);
		sort_family(m, m->families[i], false);
	}
}

static void list_facts(struct pw_metrics *m)
{
	struct fact *f, *next;
	uint32_t n = HASH_COUNT(m->facts);

	m->fact_list = pw_alloc(((size_t)n + 1) * sizeof(struct fact *));
	HASH_ITER (hh, m->facts, f, next)
		m->fact_list[m->n_facts++] = f;
}

void pw_metrics_end(struct pw_metrics *m)
{
	if (m->is_ended)
		return;
	m->is_ended = true;
	for (uint32_t i = 0; i < m->n_families; i++)
		family_derive(m, m->families[i]);
	for (uint32_t i = 0; i < m->n_series; i++)
		if (m->series[i])
			series_end(m, m->series[i]);
	widen_to_interval(m);
	for (uint32_t i = 0; i < m->n_series; i++)
		if (m->series[i])
			finish(m, m->series[i]);
	sort_all(m);
	list_facts(m);
}

/* --- reading ------------------------------------------------------------------------- */

uint32_t pw_metrics_count(const struct pw_metrics *m)
{
	return m->n_sorted;
}

const struct pw_metric *pw_metrics_get(const struct pw_metrics *m, uint32_t i)
{
	return &m->sorted[i]->pub;
}

const struct pw_metric *pw_metrics_find(const struct pw_metrics *m,
					const char *family, const char *name,
					const char *instance)
{
	const struct instance *of = NULL;

	for (uint32_t i = 0; i < m->n_families && !of; i++)
		if (!strcmp(m->families[i]->name, family))
			of = instance_find(m->families[i], instance);
	for (uint32_t i = 0; of && i < of->n; i++)
		if (!strcmp(of->series[i]->pub.name, name))
			return &of->series[i]->pub;
	return NULL;
}

struct pw_metrics_span pw_metrics_get_span(const struct pw_metrics *m)
{
	return (struct pw_metrics_span){
		.from_ns = m->from_ns,
		.to_ns = m->to_ns,
		.bin_ns = 1ull << m->axis.shift,
		.missed = m->missed,
		.n_bins = n_bins(m),
	};
}

/* The part of a bin in which the family was read. */
static double read_ns(const struct pw_metrics *m, const struct family *f,
		      uint32_t bin)
{
	uint64_t to = pw_axis_end_ns(&m->axis, bin);
	uint64_t from = to - (1ull << m->axis.shift);

	if (from < f->first_ns)
		from = f->first_ns;
	if (to > f->now_ns)
		to = f->now_ns;
	if (to > m->to_ns)
		to = m->to_ns;
	return to > from ? (double)(to - from) : 0;
}

double pw_metrics_bin(const struct pw_metrics *m, const struct pw_metric *p,
		      uint32_t bin)
{
	const struct series *s = (const struct series *)p;
	double ns;

	if (!p->bins)
		return p->mean;
	if (p->def->kind == PW_METRIC_LEVEL)
		return p->bins[bin];
	ns = read_ns(m, s->of->family, bin);
	return ns > 0 ? p->bins[bin] / ns * rate_scale(s) : NAN;
}

uint32_t pw_metrics_n_families(const struct pw_metrics *m)
{
	return m->n_families;
}

struct pw_metrics_family pw_metrics_get_family(const struct pw_metrics *m,
					       uint32_t i)
{
	const struct family *f = m->families[i];

	return (struct pw_metrics_family){ f->name, f->n_readings, f->first_ns,
					   f->now_ns, f->n_folded };
}

uint32_t pw_metrics_n_facts(const struct pw_metrics *m)
{
	return m->n_facts;
}

struct pw_metrics_known pw_metrics_get_fact(const struct pw_metrics *m,
					    uint32_t i)
{
	const struct fact *f = m->fact_list[i];

	return (struct pw_metrics_known){ f->group, f->key, f->value };
}
