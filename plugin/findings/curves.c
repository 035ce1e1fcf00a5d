// SPDX-License-Identifier: GPL-2.0-only
/* Figures as rules want them: sums and quotients of one instance, over time. */
#include "rule.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- one figure ------------------------------------------------------------------ */

static void curve_init(struct curve *c, const struct pw_metrics *m,
		       const struct pw_metric *x, uint32_t n_bins)
{
	*c = (struct curve){
		.family = x->family,
		.metric = pw_strdup(x->name),
		.instance = x->instance,
		.unit = x->unit,
		.per_second = x->per_second,
		.is_counter = x->def->kind == PW_METRIC_COUNTER,
		.mean = x->mean,
		.total = x->total,
		.greatest = x->max,
		.n_bins = n_bins,
		.bins = pw_alloc((n_bins + 1) * sizeof(double)),
	};
	for (uint32_t i = 0; i < n_bins; i++)
		c->bins[i] = pw_metrics_bin(m, x, i);
}

static void curve_add(struct curve *c, const struct pw_metrics *m,
		      const struct pw_metric *x)
{
	if (x->mean != 0) {
		char *both = c->mean != 0
				     ? pw_asprintf("%s+%s", c->metric, x->name)
				     : pw_strdup(x->name);

		free(c->metric);
		c->metric = both;
	}
	c->mean += x->mean;
	c->total += x->total;
	c->greatest += x->max;
	for (uint32_t i = 0; i < c->n_bins; i++)
		c->bins[i] += pw_metrics_bin(m, x, i);
}

static void curve_release(struct curve *c)
{
	free(c->metric);
	free(c->bins);
}

/* --- all of a name ----------------------------------------------------------------- */

/* The curve of an instance, or NULL. They come in one order for every metric,
 * so it is most often the one behind the last that was found. */
static struct curve *of_instance(struct curve *c, uint32_t n,
				 const char *instance, uint32_t *at)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = (*at + i) % n;

		if (!strcmp(c[k].instance, instance)) {
			*at = k + 1;
			return &c[k];
		}
	}
	return NULL;
}

struct curve *curves_of(const struct pw_metrics *m, const char *figure,
			const char *on, uint32_t *n)
{
	const uint32_t n_bins = pw_metrics_get_span(m).n_bins;
	struct figure_name f;
	struct curve *c = NULL, *sum;
	uint32_t at = 0;

	*n = 0;
	figure_name_init(&f, figure);
	if (f.instance)
		on = f.instance;
	for (uint32_t i = 0; i < pw_metrics_count(m); i++) {
		const struct pw_metric *x = pw_metrics_get(m, i);

		if (!figure_name_has(&f, x) || isnan(x->mean) ||
		    (on && fnmatch(on, x->instance, 0)))
			continue;
		/* each of a pattern stands alone */
		sum = f.is_pattern ? NULL
				   : of_instance(c, *n, x->instance, &at);
		if (sum) {
			curve_add(sum, m, x);
			continue;
		}
		c = pw_realloc(c, (*n + 1) * sizeof(*c));
		curve_init(&c[(*n)++], m, x, n_bins);
	}
	figure_name_release(&f);
	return c;
}

void curves_free(struct curve *c, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		curve_release(&c[i]);
	free(c);
}

static double mean_of_all(const struct pw_metrics *m,
			  const struct figure_name *f, const char *instance)
{
	double sum = NAN;

	for (uint32_t i = 0; i < pw_metrics_count(m); i++) {
		const struct pw_metric *x = pw_metrics_get(m, i);

		if (figure_name_has(f, x) && !isnan(x->mean) &&
		    (!instance || !strcmp(instance, x->instance)))
			sum = isnan(sum) ? x->mean : sum + x->mean;
	}
	return sum;
}

static double mean_of_one(const struct pw_metrics *m,
			  const struct figure_name *f, const char *instance)
{
	double sum = NAN;

	for (uint32_t i = 0; i < f->n; i++) {
		const struct pw_metric *x =
			pw_metrics_find(m, f->family, f->names[i], instance);

		if (x && !isnan(x->mean))
			sum = isnan(sum) ? x->mean : sum + x->mean;
	}
	return sum;
}

double curves_mean(const struct pw_metrics *m, const char *figure,
		   const char *instance)
{
	struct figure_name f;
	double mean;

	figure_name_init(&f, figure);
	if (f.instance)
		instance = f.instance;
	mean = instance && !f.is_pattern ? mean_of_one(m, &f, instance)
					 : mean_of_all(m, &f, instance);
	figure_name_release(&f);
	return mean;
}

/* --- quotients ------------------------------------------------------------------------ */

static bool is_time_rate(const struct curve *c)
{
	return c->is_counter && c->unit == PW_UNIT_PERCENT;
}

/* Time per event is in ns, events per time are per second: shares of time are
 * seconds per second. */
static double factor_of(const struct curve *c, const struct curve *by)
{
	return is_time_rate(c) && !is_time_rate(by) ? 1e9 : 1;
}

static double quotient(double a, double b, double factor)
{
	return b > 0 ? a / b * factor : NAN;
}

static void divide(struct curve *c, const struct curve *by)
{
	double factor = factor_of(c, by);

	c->mean = quotient(c->mean, by->mean, factor);
	c->greatest = NAN;
	for (uint32_t i = 0; i < c->n_bins; i++) {
		c->bins[i] = quotient(c->bins[i], by->bins[i], factor);
		if (!(c->bins[i] <= c->greatest))
			c->greatest = c->bins[i];
	}
	c->per_second = !is_time_rate(c) && is_time_rate(by);
	if (is_time_rate(c) != is_time_rate(by))
		c->unit = is_time_rate(c) ? PW_UNIT_NS : c->unit;
	else if (c->unit == by->unit)
		c->unit = PW_UNIT_PERCENT;
	c->is_counter = false;
}

void curves_divide(const struct pw_metrics *m, struct curve *c, uint32_t *n,
		   const char *per)
{
	uint32_t n_by, kept = 0, at = 0, at_all = 0;
	struct curve *by = curves_of(m, per, NULL, &n_by);
	bool is_one = strrchr(per, '@') && n_by == 1;

	for (uint32_t i = 0; i < *n; i++) {
		const struct curve *d =
			is_one ? by : of_instance(by, n_by, c[i].instance, &at);

		if (!d)
			d = of_instance(by, n_by, "", &at_all);
		if (!d) {
			curve_release(&c[i]);
			continue;
		}
		divide(&c[i], d);
		c[kept++] = c[i];
	}
	*n = kept;
	curves_free(by, n_by);
}

void curves_divide_by_fact(const struct pw_metrics *m, struct curve *c,
			   uint32_t *n, const char *fact, double unit)
{
	const char *slash = strchr(fact, '/');
	char *group = pw_strndup(fact, (size_t)(slash - fact));
	const char *text = pw_metrics_find_fact(m, group, slash + 1);
	double by = text ? strtod(text, NULL) * unit : 0;

	free(group);
	for (uint32_t i = 0; i < *n; i++) {
		c[i].mean = quotient(c[i].mean, by, 1);
		c[i].greatest = quotient(c[i].greatest, by, 1);
		for (uint32_t k = 0; k < c[i].n_bins; k++)
			c[i].bins[k] = quotient(c[i].bins[k], by, 1);
		c[i].unit = PW_UNIT_PERCENT;
		if (!(by > 0))
			curve_release(&c[i]);
	}
	if (!(by > 0))
		*n = 0;
}
