// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds which differences hang together: each looks for what explains it, by
 * relations.def, so that they become trees; what is at the root of one is the
 * cause of all of it, as far as the reports tell.
 */
#include "compare-impl.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum when { WHEN_ANY, WHEN_STAYS, WHEN_ALONE, WHEN_SAME };

struct relation {
	const char *effect, *cause;
	double factor;
	enum when when;
};

#define EITHER_WAY NAN
static const struct relation relations[] = {
#define RELATION(effect, cause, factor, when) \
	{ effect, cause, factor, WHEN_##when },
#include "relations.def"
#undef RELATION
};
#define N_RELATIONS (sizeof(relations) / sizeof(*relations))

/* So much of an effect its cause must make; of a task that was there before, a
 * function more, as the profile does not tell whose it is. */
#define LEAST_EXPLAINED 0.25
#define LEAST_OF_A_TASK 0.5

/* More differences than a reader takes in stand alone. */
#define MOST_GROUPED 600u

static const struct judged *judged_of(const struct found *x)
{
	return &x->f->judged[x->side];
}

static double difference_of(const struct found *x)
{
	return judged_of(x)->difference.value;
}

static bool is_alone(const struct comparison *c, const struct found *x)
{
	return has_it(c, x->f, 0) != has_it(c, x->f, x->side);
}

/* --- which ------------------------------------------------------------------------ */

static int heavier(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->times != y->times)
		return x->times > y->times ? -1 : 1;
	/* the figure that is known first by figure-kinds.def */
	if (x->f->kind != y->f->kind)
		return x->f->kind < y->f->kind ? -1 : 1;
	if (x->f->number != y->f->number)
		return x->f->number < y->f->number ? -1 : 1;
	return x->side < y->side ? -1 : x->side > y->side;
}

static uint32_t collect(struct comparison *c)
{
	struct figure *f, *next;
	uint32_t n = 0;

	c->found = pw_zalloc((c->n_different + 1) * sizeof(*c->found));
	HASH_ITER (hh, c->figures, f, next) {
		for (uint32_t s = 1; s < c->n_sides; s++)
			if (is_different(f->judged[s].verdict))
				c->found[n++] = (struct found){
					.f = f,
					.side = s,
					.times = f->judged[s].times,
					.parent = -1,
					.explained = NAN,
				};
	}
	qsort(c->found, n, sizeof(*c->found), heavier);
	return n;
}

/* --- what explains what -------------------------------------------------------------- */

struct trees {
	const struct comparison *c;
	struct found *all;
	uint32_t n;
	bool *is_effect, *is_cause; /* [n * N_RELATIONS] */
};

static int root_of(const struct trees *t, int i)
{
	while (t->all[i].parent >= 0)
		i = t->all[i].parent;
	return i;
}

static bool when_fits(const struct trees *t, const struct relation *r,
		      uint32_t effect, uint32_t cause)
{
	switch (r->when) {
	case WHEN_STAYS:
		return !is_alone(t->c, &t->all[effect]);
	case WHEN_ALONE:
		return is_alone(t->c, &t->all[cause]);
	case WHEN_SAME:
		return !strcmp(t->all[effect].f->owner, t->all[cause].f->owner);
	default:
		return true;
	}
}

/* A function that is a task's own does not explain another task. */
static bool is_of_another_task(const struct trees *t, uint32_t effect,
			       uint32_t cause)
{
	const struct figure *f = t->all[effect].f;
	const struct figure *root = t->all[root_of(t, (int)cause)].f;

	return f->kind->layer == LAYER_TASK &&
	       root->kind->layer == LAYER_TASK &&
	       strcmp(f->owner, root->owner) != 0;
}

/* How much of the effect the cause makes: NAN where that cannot be told,
 * negative: it does not. */
static double explained(const struct relation *r, const struct found *effect,
			const struct found *cause)
{
	double factor = r->factor != 0 ? r->factor : 1;
	double share = difference_of(cause) * factor / difference_of(effect);
	double least =
		r->when == WHEN_STAYS ? LEAST_OF_A_TASK : LEAST_EXPLAINED;

	if (isnan(r->factor))
		return NAN;
	if (!(share > 0))
		return -1;
	if (r->factor == 0 || effect->f->unit != cause->f->unit)
		return NAN;
	/* a rate is no part of a level */
	if (effect->f->amount != cause->f->amount || share < least)
		return -1;
	return fmin(share, 1);
}

/* How well a cause fits: the share that it makes, and whether both go up and
 * down together. */
static double fitness(const struct trees *t, const struct relation *r,
		      uint32_t effect, uint32_t cause, double share)
{
	const struct found *x = &t->all[effect], *y = &t->all[cause];
	double fits = isnan(share) ? LEAST_EXPLAINED : share;
	uint32_t runs[2] = { 0, first_run(t->c, x->side) };

	for (int i = 0; i < 2; i++) {
		double both = course(x->f, y->f, runs[i]);

		if (!isnan(both) && !isnan(r->factor))
			fits += both / 2 * (r->factor < 0 ? -1 : 1);
	}
	return fits;
}

/* The best cause by one relation; -1: none. */
static int cause_by(const struct trees *t, size_t rel, uint32_t i,
		    double *best_share)
{
	double most = -INFINITY, fits;
	int best = -1;

	for (uint32_t j = 0; j < t->n; j++) {
		double share;

		if (j == i || t->all[j].side != t->all[i].side ||
		    !t->is_cause[j * N_RELATIONS + rel] ||
		    root_of(t, (int)j) == (int)i ||
		    is_of_another_task(t, i, j) ||
		    !when_fits(t, &relations[rel], i, j))
			continue;
		share = explained(&relations[rel], &t->all[i], &t->all[j]);
		fits = share < 0 ? -INFINITY
				 : fitness(t, &relations[rel], i, j, share);
		if (fits <= most)
			continue;
		most = fits;
		best = (int)j;
		*best_share = share;
	}
	return best;
}

/* Where either could be the cause of the other, the larger difference leads. */
static bool may_follow(const struct trees *t, size_t rel, uint32_t i, int j)
{
	double own = fabs(difference_of(&t->all[i]));
	double other = fabs(difference_of(&t->all[j]));

	if (!t->is_cause[i * N_RELATIONS + rel] ||
	    !t->is_effect[(size_t)j * N_RELATIONS + rel])
		return true;
	return other > own || (other == own && j < (int)i);
}

static void find_cause(struct trees *t, uint32_t i)
{
	for (size_t r = 0; r < N_RELATIONS; r++) {
		double share = NAN;
		int j;

		if (!t->is_effect[i * N_RELATIONS + r])
			continue;
		j = cause_by(t, r, i, &share);
		if (j < 0 || !may_follow(t, r, i, j))
			continue;
		t->all[i].parent = j;
		t->all[i].explained = share;
		return;
	}
}

/* One task as several sources see it, or one metric of several CPUs, disks. */
static bool is_same(const struct found *x, const struct found *y)
{
	enum layer layer = x->f->kind->layer;

	if (layer != y->f->kind->layer || x->side != y->side)
		return false;
	if (x->f->amount == PW_AMOUNT_EXACT || y->f->amount == PW_AMOUNT_EXACT)
		return x->f->amount == y->f->amount &&
		       !strcmp(y->f->owner, x->f->owner);
	if (layer == LAYER_TASK)
		return !strcmp(y->f->owner, x->f->owner);
	return layer == LAYER_METRIC && !strcmp(x->f->id, y->f->id) &&
	       difference_of(x) * difference_of(y) > 0;
}

/* What was done tells more than what befell. */
static bool leads(const struct trees *t, uint32_t i, uint32_t j)
{
	bool waits = t->all[i].f->kind->of == OF_WAIT;
	bool other_waits = t->all[j].f->kind->of == OF_WAIT;

	if (t->all[i].f->amount == PW_AMOUNT_EXACT &&
	    difference_of(&t->all[i]) != difference_of(&t->all[j]))
		return difference_of(&t->all[i]) > difference_of(&t->all[j]);
	return waits != other_waits ? other_waits : i < j;
}

/* What several say of the same: the largest difference leads. */
static void join_same(struct trees *t, uint32_t i)
{
	uint32_t first = i;

	for (uint32_t j = 0; j < t->n; j++)
		if (is_same(&t->all[i], &t->all[j]) && leads(t, j, first))
			first = j;
	if (first != i)
		t->all[i].parent = (int)first;
}

static void grow(struct trees *t)
{
	t->is_effect = pw_alloc((t->n + 1) * N_RELATIONS);
	t->is_cause = pw_alloc((t->n + 1) * N_RELATIONS);
	for (uint32_t i = 0; i < t->n; i++) {
		const char *id = t->all[i].f->id;

		for (size_t r = 0; r < N_RELATIONS; r++) {
			size_t at = i * N_RELATIONS + r;

			t->is_effect[at] = !fnmatch(relations[r].effect, id, 0);
			/* "[unknown]" names nothing */
			t->is_cause[at] = *t->all[i].f->entity != '[' &&
					  !fnmatch(relations[r].cause, id, 0);
		}
	}
	for (uint32_t i = 0; i < t->n; i++)
		join_same(t, i);
	for (int layer = LAYER_OPCODE; layer <= LAYER_METRIC; layer++)
		for (uint32_t i = 0; i < t->n; i++)
			if (t->all[i].parent < 0 &&
			    (int)t->all[i].f->kind->layer == layer)
				find_cause(t, i);
	free(t->is_effect);
	free(t->is_cause);
}

/* --- the order of groups ---------------------------------------------------------------- */

/* A figure of the machine alone does not name a cause. */
#define NO_CAUSE 0.5

static void weigh(struct comparison *c, struct trees *t, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t root = i < t->n ? (uint32_t)root_of(t, (int)i) : i;
		struct found *x = &c->found[i], *r = &c->found[root];
		double times = x->times;

		if (r->f->kind->layer == LAYER_METRIC)
			times *= NO_CAUSE;
		x->group = root;
		r->of_group = fmax(r->of_group, times);
	}
	for (uint32_t i = 0; i < n; i++)
		c->found[i].of_group = c->found[c->found[i].group].of_group;
}

static int by_group(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->of_group != y->of_group)
		return x->of_group > y->of_group ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->parent < 0 || y->parent < 0)
		return x->parent >= 0 ? 1 : -1;
	/* what is certain, first */
	if ((x->f->amount == PW_AMOUNT_EXACT) !=
	    (y->f->amount == PW_AMOUNT_EXACT))
		return x->f->amount == PW_AMOUNT_EXACT ? -1 : 1;
	return heavier(a, b);
}

void group(struct comparison *c)
{
	struct trees t = { .c = c };
	uint32_t n = collect(c);

	t.all = c->found;
	t.n = n < MOST_GROUPED ? n : MOST_GROUPED;
	grow(&t);
	weigh(c, &t, n);
	qsort(c->found, n, sizeof(*c->found), by_group);
	for (uint32_t i = 0; i < n; i++) {
		c->n_groups += c->found[i].parent < 0;
		c->found[i].group = c->n_groups;
	}
}
