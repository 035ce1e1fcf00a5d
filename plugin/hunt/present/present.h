/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a hunt's report. */
#ifndef HUNT_PRESENT_H
#define HUNT_PRESENT_H

#include "../steps.h"

/* One finding: the i-th of h->findings, told as this number, with both
 * machine codes. */
void present_finding(struct hunt *h, struct pw_node *root, size_t i,
		     size_t number);

/* At how many placements a finding held. */
void present_held(const struct hunt *h, struct pw_node *s,
		  const struct group *g);
/* Placement as a finding, told as the i-th. */
void present_placement(struct hunt *h, struct pw_node *root, size_t i);

#endif
