// SPDX-License-Identifier: GPL-2.0-only
/*
 * A grid first, then a binary search between neighbours of the grid that
 * differ. Nothing is kept between calls: the same walk is made again over
 * what is known, so that an interrupted search goes on by itself.
 */
#include "search.h"

#include <perfwasm/base.h>

#include <stdlib.h>

/* How much b differs from a, at least 1. */
static double change(const struct probe *a, const struct probe *b)
{
	double f = b->ratio / a->ratio;

	return f < 1 ? 1 / f : f;
}

static bool differ(const struct search *s, size_t a, size_t b)
{
	const struct probe *x = &s->probe[a], *y = &s->probe[b];

	return (x->hi < y->lo || y->hi < x->lo) &&
	       change(x, y) >= s->min_change;
}

/* The one nearest to the middle of a..b that has not failed; b: none. */
static size_t middle(const struct search *s, size_t a, size_t b)
{
	size_t mid = a + (b - a) / 2;

	for (size_t d = 0; d < b - a; d++) {
		if (mid + d > a && mid + d < b && !s->probe[mid + d].failed)
			return mid + d;
		if (mid > a + d && !s->probe[mid - d].failed)
			return mid - d;
	}
	return b;
}

/* What a walk finds: the next to try, or steps. */
struct found {
	size_t next;
	struct step *steps;
	size_t n_steps;
};

static void add_step(const struct search *s, struct found *f, size_t a,
		     size_t b)
{
	f->steps = pw_realloc(f->steps, (f->n_steps + 1) * sizeof(*f->steps));
	f->steps[f->n_steps++] = (struct step){
		.before = a,
		.after = b,
		.factor = s->probe[b].ratio / s->probe[a].ratio,
	};
}

/* a and b differ: narrows down where. When neither half does enough by
 * itself, the change is in the half that does more. */
static void narrow(const struct search *s, struct found *f, size_t a, size_t b)
{
	while (f->next == SEARCH_DONE) {
		size_t m = middle(s, a, b);
		bool low, high;

		if (m == b) {
			add_step(s, f, a, b);
			return;
		}
		if (!s->probe[m].done) {
			f->next = m;
			return;
		}
		low = differ(s, a, m);
		high = differ(s, m, b);
		if (low && high)
			narrow(s, f, a, m);
		if (high ||
		    (!low && change(&s->probe[m], &s->probe[b]) >
				     change(&s->probe[a], &s->probe[m])))
			a = m;
		else
			b = m;
	}
}

/* The nearest to i that has not failed, towards the newer ones first. */
static size_t usable(const struct search *s, size_t i)
{
	for (size_t d = 0; d < s->n; d++) {
		if (i + d < s->n && !s->probe[i + d].failed)
			return i + d;
		if (i >= d && !s->probe[i - d].failed)
			return i - d;
	}
	return SEARCH_DONE;
}

/* The points of the grid, each once and rising; the caller frees. */
static size_t *grid(const struct search *s, size_t *n)
{
	size_t points = s->grid < s->n ? s->grid : s->n;
	size_t *at = pw_alloc((points + 1) * sizeof(*at));

	*n = 0;
	for (size_t i = 0; i < points; i++) {
		size_t p = points < 2 ? 0 : i * (s->n - 1) / (points - 1);

		p = usable(s, p);
		if (p != SEARCH_DONE && (!*n || p > at[*n - 1]))
			at[(*n)++] = p;
	}
	return at;
}

static void walk(const struct search *s, struct found *f)
{
	size_t n, *at = grid(s, &n);

	f->next = SEARCH_DONE;
	for (size_t i = 0; i < n && f->next == SEARCH_DONE; i++)
		if (!s->probe[at[i]].done)
			f->next = at[i];
	for (size_t i = 1; i < n && f->next == SEARCH_DONE; i++)
		if (differ(s, at[i - 1], at[i]))
			narrow(s, f, at[i - 1], at[i]);
	free(at);
}

size_t search_next(const struct search *s)
{
	struct found f = { 0 };

	walk(s, &f);
	free(f.steps);
	return f.next;
}

size_t search_steps(const struct search *s, struct step **steps)
{
	struct found f = { 0 };

	walk(s, &f);
	*steps = f.steps;
	return f.n_steps;
}
