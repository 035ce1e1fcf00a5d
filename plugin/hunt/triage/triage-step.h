/* SPDX-License-Identifier: GPL-2.0-only */
/* What the triage of a hunt and its report share. */
#ifndef HUNT_TRIAGE_STEP_H
#define HUNT_TRIAGE_STEP_H

#include "../steps.h"

/* How a runner is recorded: short calls several times. */
struct pw_triage_opts hunt_recording(const struct hunt *h,
				     const struct runner *r);

/*
 * import-counts.c: adds to n[function] how often each imported function is
 * called in one run. known: false when no host could tell.
 */
int hunt_import_counts(struct hunt *h, uint64_t *n, bool *known,
		       struct pw_err *err);

/* host-costs.c: what a call of each imported function costs on both sides. */
int hunt_host_costs(struct hunt *h, struct pw_err *err);

/* roads.c: fills triage.roads from the suspect's image, once samples are
 * there. */
int hunt_roads(struct hunt *h, const struct pw_code *code, struct pw_err *err);

/*
 * The instruction that led to most of the excess: the excess is nearly all in
 * what the runtime does for single instructions, and this one is such a call
 * in hot code. NULL: none known.
 */
const struct road *hunt_lead(const struct hunt *h);

/* The larger part of the excess is not in generated code. */
bool hunt_is_outside(const struct hunt *h);

/* present-triage.c */
/* The imported function that takes most more time than on the oracle; NULL:
 * none is known to. */
const struct pw_host_cost *triage_dearest(const struct hunt *h);
void present_triage(struct hunt *h, struct pw_node *root);
/* The finding that lies outside generated code, when there is one: the number
 * of findings added, 0 or 1. */
size_t present_outside(struct hunt *h, struct pw_node *root);

#endif
