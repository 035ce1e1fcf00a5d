// SPDX-License-Identifier: GPL-2.0-only
/* Rules on how a figure is spread: has one instance most of it? */
#include "rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct share {
	UT_hash_handle hh;
	const char *instance;
	double sum;
};

static void add_to(struct share **all, const struct pw_metric *x)
{
	struct share *s;

	HASH_FIND_STR(*all, x->instance, s);
	if (!s) {
		s = pw_zalloc(sizeof(*s));
		s->instance = x->instance;
		HASH_ADD_KEYPTR(hh, *all, s->instance, strlen(s->instance), s);
	}
	s->sum += x->mean;
}

static struct share *shares_of(const struct pw_metrics *m, const char *figure)
{
	struct share *all = NULL;
	struct figure_name f;

	figure_name_init(&f, figure);
	for (uint32_t i = 0; i < pw_metrics_count(m); i++) {
		const struct pw_metric *x = pw_metrics_get(m, i);

		if (figure_name_has(&f, x) && !isnan(x->mean))
			add_to(&all, x);
	}
	figure_name_release(&f);
	return all;
}

static void shares_free(struct share *all)
{
	struct share *s, *next;

	HASH_ITER (hh, all, s, next) {
		HASH_DEL(all, s);
		free(s);
	}
}

bool judge_top(const struct pw_metrics *m, const struct rule *r,
	       struct findings *to)
{
	struct share *all = shares_of(m, r->figure), *top = all;
	uint32_t n = HASH_COUNT(all);
	struct curve c;
	double sum = 0;

	for (struct share *s = all; s; s = s->hh.next) {
		sum += s->sum;
		if (s->sum > top->sum)
			top = s;
	}
	if (n >= r->instances && sum > 0 && is_beyond(r, top->sum / sum) &&
	    matters(m, r, NULL)) {
		c = (struct curve){ .family = "",
				    .metric = (char *)r->figure,
				    .instance = top->instance,
				    .unit = PW_UNIT_PERCENT };
		add_finding(m, r, &c, top->sum / sum, NULL, to);
	}
	shares_free(all);
	return n > 0;
}
