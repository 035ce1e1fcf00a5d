// SPDX-License-Identifier: GPL-2.0-only
/* What a rule found: is it beyond the limit, how far, and in which words. */
#include "rule.h"

#include <math.h>
#include <stdlib.h>

#define MOST_INSTANCES 3

/* --- findings ------------------------------------------------------------------- */

struct finding *findings_add(struct findings *f, const struct rule *r,
			     enum pw_severity severity)
{
	struct finding *x;

	f->all = pw_realloc(f->all, (f->n + 1) * sizeof(*f->all));
	x = &f->all[f->n++];
	*x = (struct finding){ .rule = r, .severity = severity };
	return x;
}

static void finding_release(struct finding *x)
{
	free(x->figure);
	free(x->instance);
	free(x->value);
	free(x->limit);
	free(x->when);
}

void findings_release(struct findings *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		finding_release(&f->all[i]);
	free(f->all);
	*f = (struct findings){ 0 };
}

/* --- the limit -------------------------------------------------------------------- */

static bool is_under(const struct rule *r)
{
	return r->under > 0;
}

bool is_beyond(const struct rule *r, double value)
{
	return is_under(r) ? value < r->under : value > r->over;
}

static enum pw_severity severity_of(const struct rule *r, double value)
{
	bool is_serious = r->serious > 0 && (is_under(r) ? value <= r->serious
							 : value >= r->serious);

	return is_serious ? PW_SEVERITY_SERIOUS : r->severity;
}

static double times_of(const struct rule *r, double value)
{
	double limit = is_under(r) ? r->under : r->over;
	double small = is_under(r) ? value : limit;
	double large = is_under(r) ? limit : value;

	return small > 0 ? large / small : large > 0 ? INFINITY : 1;
}

bool matters(const struct pw_metrics *m, const struct rule *r,
	     const char *instance)
{
	return !r->only || curves_mean(m, r->only, instance) > r->only_over;
}

/* --- when ---------------------------------------------------------------------------- */

double times_share(const struct times *t)
{
	return t->known ? (double)t->beyond / t->known : 0;
}

static char *print_when(const struct pw_metrics *m, const struct times *t)
{
	struct pw_metrics_span span = pw_metrics_get_span(m);
	double end = (double)(span.to_ns - span.from_ns);
	double from = (double)span.bin_ns * t->first;
	double to = (double)span.bin_ns * (t->last + 1);
	char a[32], b[32];

	if (!t->beyond)
		return pw_strdup("on average");
	if (t->beyond == t->known)
		return pw_strdup("all the time");
	pw_quantity(a, sizeof(a), from, PW_UNIT_NS);
	pw_quantity(b, sizeof(b), to < end ? to : end, PW_UNIT_NS);
	return pw_asprintf("%.0f %% of the time, %s to %s",
			   fmax(times_share(t) * 100, 1),
			   from > 0 ? a : "the start", b);
}

/* --- rows -------------------------------------------------------------------------------- */

static char *print_value(double value, enum pw_unit unit, bool per_second)
{
	char text[64];

	/* so that 3 counts of a second are not 3.142 */
	if (unit == PW_UNIT_COUNT && fabs(value) >= 100)
		value = round(value);
	pw_quantity(text, sizeof(text), value, unit);
	return pw_asprintf("%s%s", text, per_second ? "/s" : "");
}

void add_finding(const struct pw_metrics *m, const struct rule *r,
		 const struct curve *c, double value, const struct times *t,
		 struct findings *to)
{
	struct finding *x = findings_add(to, r, severity_of(r, value));
	enum pw_unit unit = r->unit ? r->unit : c->unit;
	bool per_second = c->per_second && r->how != HOW_TOTAL;
	char *limit =
		print_value(is_under(r) ? r->under : r->over, unit, per_second);

	x->figure = pw_asprintf("%s%s%s", c->family, c->family[0] ? "." : "",
				c->metric);
	x->instance = pw_strdup(c->instance);
	x->value = print_value(value, unit, per_second);
	x->limit = pw_asprintf("%s %s", is_under(r) ? "under" : "over", limit);
	x->when = t ? print_when(m, t) : NULL;
	x->times = times_of(r, value);
	free(limit);
}

/* The worst first. */
static int by_weight(const void *pa, const void *pb)
{
	const struct finding *a = pa, *b = pb;

	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	return a->times > b->times ? -1 : a->times < b->times;
}

void findings_keep_few(struct findings *f, uint32_t before)
{
	uint32_t n = f->n - before;

	if (n > 1)
		qsort(f->all + before, n, sizeof(*f->all), by_weight);
	if (n <= MOST_INSTANCES)
		return;
	for (uint32_t i = MOST_INSTANCES; i < n; i++)
		finding_release(&f->all[before + i]);
	f->n = before + MOST_INSTANCES;
	f->all[before].more = n - MOST_INSTANCES;
}
