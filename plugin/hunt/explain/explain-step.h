/* SPDX-License-Identifier: GPL-2.0-only */
/* What the step explain leaves for the report. */
#ifndef HUNT_EXPLAIN_STEP_H
#define HUNT_EXPLAIN_STEP_H

#include <perfwasm/explain.h>

#include "../isolate/isolate.h"

/* Of one finding. */
struct why {
	struct pw_explanation *list; /* best first */
	uint32_t n;
	struct pw_loop_study *loops; /* hot ones of the slow code */
	uint32_t n_loops;
	const struct side *slow; /* belongs to the hunt */
	/* of the hottest loop of each code; cycles 0: not predicted, for the
	 * slow one no_mca says why */
	struct pw_mca mca_slow, mca_fast;
	struct pw_err no_mca;
	uint64_t turns;     /* of that loop in one run; 0: not known */
	char no_probe[320]; /* a probe that showed nothing, a sentence */
};
void why_release(struct why *w);

/* The best explanation of the i-th finding in few words; NULL: none is
 * likely. */
const char *why_name(const struct hunt *h, size_t i);

/* turns.c: fills w->turns. */
int turns_take(struct hunt *h, struct why *w, struct pw_err *err);

/* probe-registers.c: adds to the probes how the original does with clear
 * registers, when that tells something; the sentence is put into `how`, also
 * one that says why it tells nothing. */
int probe_registers(struct hunt *h, struct pw_explain_probe *probe, uint32_t *n,
		    char *how, size_t size, struct pw_err *err);

/* probe-places.c: the same of where the mutant was run besides (hold); adds
 * nothing when it held at some placements only. */
void probe_places(const struct group *g, struct pw_explain_probe *probe,
		  uint32_t *n, char *how, size_t size);

/* present-why.c: a paragraph on each of the best explanations of the i-th
 * finding, and its hot loops. */
void present_why(struct hunt *h, struct pw_node *s, size_t i);

#endif
