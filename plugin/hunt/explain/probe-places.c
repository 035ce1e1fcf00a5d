// SPDX-License-Identifier: GPL-2.0-only
/*
 * A probe of the step explain: whether a finding's mutant is quick wherever
 * its code lies. The step hold ran it there; nothing is run again.
 */
#include "explain-step.h"

void probe_places(const struct group *g, struct pw_explain_probe *probe,
		  uint32_t *n, char *how, size_t size)
{
	bool everywhere = g->n_held == g->n_places;

	if (g->n_places < 2 || (!everywhere && !hunt_is_placement(g)))
		return;
	snprintf(
		how, size,
		"The mutant is quick at %u of %u placements at which the original is slow.",
		g->n_held, g->n_places);
	probe[(*n)++] = (struct pw_explain_probe){
		PW_PATTERN_placement,
		everywhere ? PW_PROBE_REFUTED : PW_PROBE_CONFIRMED, how
	};
}
