// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether a mutant cuts what the hot loop hands from turn to turn: such a one
 * is fast on every runtime, runs every block as often as before and tells
 * nothing of the suspect. A part of the step isolate; needs no oracle.
 */
#include "isolate.h"

#include <perfwasm/explain.h>

/* Chains this much shorter in all are not the same ones. */
#define SHORTER 0.8

static double share_of(const struct side *s, const struct pw_loop_study *l)
{
	double sum = 0;

	for (uint32_t i = 0; i < l->n_insns; i++)
		sum += s->share[l->insns[i]];
	return sum;
}

static uint32_t hottest(const struct side *s, const struct pw_loop_study *l,
			uint32_t n)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < n; i++)
		if (share_of(s, &l[i]) > share_of(s, &l[best]))
			best = i;
	return best;
}

/* A chain through memory is a spill that a cure takes away. */
static bool through_memory(const struct pw_loop_study *l)
{
	for (uint32_t i = 0; i < l->n_chains; i++)
		if (l->chains[i].memory)
			return true;
	return false;
}

/* All chains that values really go along, in cycles: the longest alone would
 * hide that another one is gone. */
static double handed_on(const struct pw_loop_study *l)
{
	double sum = 0;

	for (uint32_t i = 0; i < l->n_chains; i++)
		sum += l->chains[i].merges ? 0 : l->chains[i].cycles;
	return sum;
}

void chain_compare(struct evidence *e, const struct pw_code *slow,
		   const struct pw_code *fast)
{
	struct pw_loop_study *was = NULL, *is = NULL;
	uint32_t n_was = 0, n_is = 0, hot;

	e->chain_was = e->chain_is = -1;
	if (pw_explain_loops(slow, e->slow->insns, e->slow->n, NULL, &was,
			     &n_was, NULL) ||
	    pw_explain_loops(fast, e->fast, e->n_fast, NULL, &is, &n_is, NULL))
		goto out;
	/* loops are told apart by their order only */
	if (!n_was || n_was != n_is)
		goto out;
	hot = hottest(e->slow, was, n_was);
	if (was[hot].has_calls || through_memory(&was[hot]))
		goto out;
	e->chain_was = handed_on(&was[hot]);
	e->chain_is = handed_on(&is[hot]);
out:
	pw_loop_studies_free(was, n_was);
	pw_loop_studies_free(is, n_is);
}

bool chain_is_cut(const struct group *g)
{
	const struct evidence *e = g->evidence;

	return e && !g->same_digest && e->chain_is >= 0 &&
	       e->chain_is < SHORTER * e->chain_was;
}
