// SPDX-License-Identifier: GPL-2.0-only
/* Rules on figures: are they so, where, how much and when. */
#include "rule.h"

#include <math.h>
#include <string.h>

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

	if (!is_beyond(r, value) || times_share(&t) < r->time ||
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

bool judge_figure(const struct pw_metrics *m, const struct rule *r,
		  struct findings *to)
{
	uint32_t n, before = to->n;
	struct curve *c;
	bool was_asked;

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
	findings_keep_few(to, before);
	return was_asked;
}
