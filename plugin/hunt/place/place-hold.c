// SPDX-License-Identifier: GPL-2.0-only
/*
 * Do the findings hold elsewhere? Each one's mutant is run at the placements
 * that the place step found, against the original there. One that is quick
 * at few of them has moved the code and cured nothing.
 */
#include "place.h"

#include <math.h>
#include <stdlib.h>

/* A finding holds at a placement when it closes such a part of what it
 * closes at the first one. */
#define HOLDS 0.5

/* Is the original slow at this placement? */
static bool has_gap(const struct hunt *h, size_t at)
{
	return h->place.at[at].ms >= h->o->min_gap * place_ideal_ms(h);
}

static double closed_at(const struct hunt *h, size_t at, double ms)
{
	double gap = h->place.at[at].ms - place_ideal_ms(h);

	return (h->place.at[at].ms - ms) / gap;
}

static int hold_one(struct hunt *h, struct group *g, struct pw_err *err)
{
	const struct pw_mutation *mut = &h->candidates[g->candidate].mut;
	char *key = hunt_notation(h, mut);
	struct pw_buf bytes = { 0 };
	struct pw_module *m = NULL;
	int ret = pw_mutation_apply(h->module, mut, &bytes, err);

	if (!ret)
		m = pw_module_decode(bytes.data, bytes.len, err);
	if (!ret && !m)
		ret = -err->code;
	for (size_t i = 0; i < PLACES_MAX; i++)
		g->at_ms[i] = NAN;
	if (!ret)
		ret = place_run(h, m, key, place_rounds(h), g->at_ms, err);
	for (size_t i = 0; i < h->place.n && !ret; i++) {
		double want = HOLDS * (g->closed > 1 ? 1 : g->closed);

		if (isnan(g->at_ms[i]) || !has_gap(h, i))
			continue;
		g->n_places++;
		g->n_held += closed_at(h, i, g->at_ms[i]) >= want;
	}
	pw_module_free(m);
	pw_buf_release(&bytes);
	free(key);
	return ret;
}

bool hunt_is_placement(const struct group *g)
{
	return g->n_places > 1 && 2 * g->n_held <= g->n_places;
}

/* Those that hold first; the order is else as it was. */
static void sort_findings(struct hunt *h)
{
	uint32_t *sorted = pw_zalloc((h->n_findings + 1) * sizeof(*sorted));
	size_t n = 0;

	for (int placement = 0; placement < 2; placement++)
		for (size_t i = 0; i < h->n_findings; i++)
			if (hunt_is_placement(&h->groups[h->findings[i]]) ==
			    placement)
				sorted[n++] = h->findings[i];
	free(h->findings);
	h->findings = sorted;
}

int hunt_hold(struct hunt *h, struct pw_err *err)
{
	int ret = 0;

	if (h->place.n < 2)
		return 0;
	for (size_t i = 0; i < h->n_findings && !ret; i++) {
		hunt_progress(h, "hold", i, h->n_findings, 0);
		ret = hold_one(h, &h->groups[h->findings[i]], err);
	}
	sort_findings(h);
	return ret;
}
