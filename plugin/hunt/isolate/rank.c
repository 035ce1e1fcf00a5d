// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which judged mutants tell most: among those of equal merit the smallest
 * difference in the hot code wins; what good mutants change and others do not
 * counts more (spectrum ranking, Ochiai coefficient). A part of step 9.
 */
#include "isolate.h"
#include "../judge.h"

#include <math.h>
#include <stdlib.h>

/* Scores this close to the best are as good as it. */
#define AS_GOOD 0.06
/* What closes such a part of the gap has not only cured it. */
#define MORE_THAN_ALL 1.5
/* Instructions with less of the samples are not where the time goes. */
#define SHARE_MIN 0.005

static bool accuses(const struct evidence *e, uint32_t func, uint32_t insn)
{
	if (!e || e->func_idx != func)
		return false;
	for (uint32_t i = 0; i < e->n_accused; i++)
		if (e->accused[i].insn == insn)
			return true;
	return false;
}

/* Does it, as far as is known, do the same work and end the same? */
static bool is_same(const struct group *g)
{
	return g->same_digest && g->counts != COUNTS_DIFFER;
}

/* Good mutants: those that do the same, or when none does, all that close
 * most of the gap. */
static bool is_good(const struct hunt *h, const struct group *g)
{
	return g->judged && g->closed > 0.5 && (is_same(g) || !h->any_same);
}

/* Ochiai: of the groups that change this instruction, how many are good. */
static double suspicion(const struct hunt *h, uint32_t func, uint32_t insn)
{
	double with_good = 0, with_bad = 0, n_good = 0;

	for (size_t i = 0; i < h->n_groups; i++) {
		const struct group *g = &h->groups[i];
		bool good = is_good(h, g);

		n_good += good;
		if (!accuses(g->evidence, func, insn))
			continue;
		with_good += good;
		with_bad += !good;
	}
	if (with_good <= 0)
		return 0;
	return with_good / sqrt(n_good * (with_good + with_bad));
}

void rank_suspicion(struct hunt *h)
{
	for (size_t i = 0; i < h->n_groups; i++)
		h->any_same |= h->groups[i].judged &&
			       h->groups[i].closed > 0.5 &&
			       is_same(&h->groups[i]);
	for (size_t i = 0; i < h->n_groups; i++) {
		struct evidence *e = h->groups[i].evidence;

		for (uint32_t k = 0;
		     e && h->groups[i].judged && k < e->n_accused; k++)
			e->accused[k].suspicion =
				suspicion(h, e->func_idx, e->accused[k].insn);
	}
}

static double top_suspicion(const struct evidence *e)
{
	double best = 0;

	for (uint32_t i = 0; e && i < e->n_accused; i++)
		if (e->accused[i].suspicion > best)
			best = e->accused[i].suspicion;
	return best;
}

/* --- the ranking ----------------------------------------------------------------------- */

/* The size of what a mutant changes in the hot code: what goes away and what
 * comes instead. Nothing gone is the worst evidence. */
static uint32_t difference(const struct group *g)
{
	const struct evidence *e = g->evidence;

	return e && e->n_accused ? e->n_accused + e->n_added : UINT32_MAX;
}

static double share(const struct group *g)
{
	double sum = 0;

	for (uint32_t i = 0; g->evidence && i < g->evidence->n_accused; i++)
		sum += g->evidence->accused[i].share;
	return sum;
}

/* Time is spent at a slow instruction; where none is, the mutant only
 * happened to move registers. */
static bool has_samples(const struct hunt *h, const struct group *g)
{
	return !h->samples.n || share(g) >= SHARE_MIN;
}

static bool better(const struct hunt *h, const struct group *a,
		   const struct group *b)
{
	double sa = top_suspicion(a->evidence), sb = top_suspicion(b->evidence);

	if (has_samples(h, a) != has_samples(h, b))
		return has_samples(h, a);
	if (difference(a) != difference(b))
		return difference(a) < difference(b);
	if (fabs(share(a) - share(b)) >= SHARE_MIN)
		return share(a) > share(b);
	if (sa != sb)
		return sa > sb;
	if (a->score != b->score)
		return a->score > b->score;
	return a->candidate < b->candidate;
}

/* Less work is no merit, however little of the code it changes. */
static double merit(const struct group *g)
{
	return g->score - (chain_is_cut(g) ? 2 * AS_GOOD : 0);
}

/*
 * The best of those not taken: the smallest difference in the class of equal
 * merit, which is AS_GOOD near the highest.
 */
static uint32_t pick(const struct hunt *h, const bool *taken)
{
	uint32_t best = UINT32_MAX;
	double top = -INFINITY;

	for (size_t i = 0; i < h->n_groups; i++)
		if (h->groups[i].judged && !taken[i] &&
		    merit(&h->groups[i]) > top)
			top = merit(&h->groups[i]);
	for (size_t i = 0; i < h->n_groups; i++) {
		const struct group *g = &h->groups[i];

		if (!g->judged || taken[i] || merit(g) < top - AS_GOOD)
			continue;
		if (best == UINT32_MAX || better(h, g, &h->groups[best]))
			best = (uint32_t)i;
	}
	return best;
}

static void rank(struct hunt *h)
{
	bool *taken = pw_zalloc(h->n_groups + 1);
	uint32_t i;

	h->ranking = pw_zalloc((h->n_groups + 1) * sizeof(*h->ranking));
	while ((i = pick(h, taken)) != UINT32_MAX) {
		taken[i] = true;
		h->ranking[h->n_ranked++] = i;
	}
	free(taken);
}

/* Does an earlier finding accuse the same instructions, or the same place? */
static bool told_already(const struct hunt *h, const struct group *g)
{
	for (size_t f = 0; f < h->n_findings; f++) {
		const struct group *o = &h->groups[h->findings[f]];
		const struct pw_mutation *m = &h->candidates[o->candidate].mut;
		const struct pw_mutation *n = &h->candidates[g->candidate].mut;
		bool all = o->evidence && o->evidence->n_accused;

		if (m->insn_off == n->insn_off)
			return true;
		for (uint32_t k = 0; all && k < o->evidence->n_accused; k++)
			all = accuses(g->evidence, o->evidence->func_idx,
				      o->evidence->accused[k].insn);
		if (all)
			return true;
	}
	return false;
}

/* Takes another path, or has less to wait for, while a better one does the
 * very same work. */
static bool is_beside_the_point(const struct hunt *h, const struct group *g)
{
	const struct group *best;

	if (!h->n_findings)
		return false;
	best = &h->groups[h->findings[0]];
	if (g->counts == COUNTS_DIFFER)
		return best->counts == COUNTS_SAME;
	return chain_is_cut(g) && best->same_digest;
}

/*
 * It computes something else, so what it saves is work and not slowness: it
 * ends in another way, and its blocks and the oracles' clocks say so, or the
 * clocks alone, where next to nothing is left: what a mutant makes useless is
 * still counted, as its blocks are, but compilers take it away. Where only
 * the suspect's compiler did, more than the gap is gone.
 */
static bool does_other_work(const struct group *g)
{
	return !g->same_digest &&
	       (g->closed > MORE_THAN_ALL ||
		g->same_time < (g->counts == COUNTS_DIFFER ? 0.5 : 0.02));
}

static void choose(struct hunt *h)
{
	h->findings =
		pw_zalloc((h->o->max_findings + 1) * sizeof(*h->findings));
	for (size_t i = 0;
	     i < h->n_ranked && h->n_findings < h->o->max_findings; i++) {
		const struct group *g = &h->groups[h->ranking[i]];

		if (g->closed < TOLD_MIN || does_other_work(g) ||
		    told_already(h, g) || is_beside_the_point(h, g))
			continue;
		if (judge_is_sure(g))
			h->findings[h->n_findings++] = h->ranking[i];
		else
			h->n_unsure++;
	}
}

void rank_groups(struct hunt *h)
{
	rank(h);
	choose(h);
}
