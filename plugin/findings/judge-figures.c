// SPDX-License-Identifier: GPL-2.0-only
/* Rules on figures: are they so, where, how much and when. */
#include "rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* --- when ---------------------------------------------------------------------------- */

static struct times times_beyond(const struct rule *r, const struct curve *c)
{
	struct times t = { 0 };

	for (uint32_t i = 0; i < c->n_bins; i++) {
		if (isnan(c->bins[i]))
			continue;
		t.known++;
		if (!is_beyond(r, c->bins[i]))
			continue;
		if (!t.beyond++)
			t.first = i;
		t.last = i;
		t.mean += c->bins[i];
	}
	if (t.beyond)
		t.mean /= t.beyond;
	return t;
}

static double time_share(const struct times *t)
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
			   fmax(time_share(t) * 100, 1),
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

/* Keeps the worst of those that the rule added. */
static void keep_few(struct findings *f, uint32_t before)
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

/* --- judging ------------------------------------------------------------------------------- */

/* "1234 node", "1234/1240 node": does it begin with this number? */
static bool is_of(const char *instance, const char *pid, size_t n)
{
	return n && !strncmp(instance, pid, n) &&
	       (instance[n] == ' ' || instance[n] == '/');
}

/* The recorder itself and what it started: the numbers in a fact, a blank
 * between. */
static bool is_recorder(const struct pw_metrics *m, const char *family,
			const char *instance)
{
	const char *pid = pw_metrics_find_fact(m, "recorder", "pid");

	if (!pid || (strncmp(family, "process", 7) && strcmp(family, "thread")))
		return false;
	for (size_t n; *pid; pid += n + (pid[n] == ' ')) {
		n = strcspn(pid, " ");
		if (is_of(instance, pid, n))
			return true;
	}
	return false;
}

bool matters(const struct pw_metrics *m, const struct rule *r,
	     const char *instance)
{
	return !r->only || curves_mean(m, r->only, instance) > r->only_over;
}

static double value_of(const struct rule *r, const struct curve *c,
		       const struct times *t)
{
	switch (r->how) {
	case HOW_TOTAL:
		return c->is_counter ? c->total : c->greatest;
	case HOW_WHILE:
		return t->beyond ? t->mean : NAN;
	default:
		return c->mean;
	}
}

static void judge_curve(const struct pw_metrics *m, const struct rule *r,
			const struct curve *c, struct findings *to)
{
	struct times t = times_beyond(r, c);
	double value = value_of(r, c, &t);

	if (!is_beyond(r, value) || time_share(&t) < r->time ||
	    is_recorder(m, c->family, c->instance) ||
	    !matters(m, r, c->instance))
		return;
	add_finding(m, r, c, value, &t, to);
}

/* Are there so many? */
static bool has_instances(const struct curve *c, uint32_t n, uint32_t least)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < n && found < least; i++) {
		uint32_t k = 0;

		while (k < i && strcmp(c[k].instance, c[i].instance))
			k++;
		found += k == i;
	}
	return found >= least;
}

bool judge_rule(const struct pw_metrics *m, const struct rule *r,
		struct findings *to)
{
	uint32_t n, before = to->n;
	struct curve *c;
	bool was_asked;

	if (r->fact)
		return judge_fact(m, r, to);
	if (r->how == HOW_TOP)
		return judge_top(m, r, to);
	c = curves_of(m, r->figure, r->on, &n);
	if (r->per)
		curves_divide(m, c, &n, r->per);
	if (r->per_fact)
		curves_divide_by_fact(m, c, &n, r->per_fact, r->fact_unit);
	was_asked = n > 0;
	if (has_instances(c, n, r->instances))
		for (uint32_t i = 0; i < n; i++)
			judge_curve(m, r, &c[i], to);
	curves_free(c, n);
	keep_few(to, before);
	return was_asked;
}
