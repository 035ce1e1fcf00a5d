/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of step 8 of a hunt, and what comes before it. */
#ifndef HUNT_JUDGE_H
#define HUNT_JUDGE_H

#include "steps.h"

/* At most so many mutants are judged. */
#define JUDGED_MAX 64
/* The least share of the gap that a finding closes. */
#define TOLD_MIN 0.25

/*
 * The effective groups, the most promising first: those that are known to do
 * the same work, then those that end the same, then those that close more.
 * The caller frees.
 */
struct group **judge_order(struct hunt *h, size_t *n);
/* Fills same_time and the score of a judged group from what was measured. */
void score_group(const struct hunt *h, struct group *g);
/* witness.c: counts a run of the original into h->counts, unless that was done;
 * where no runner can count it stays without a plan. */
int witness_original(struct hunt *h, struct pw_err *err);
/* Whether it closes anything of the gap: the interval does not hold 0. */
bool judge_is_sure(const struct group *g);
/* What an oracle's clock says of the work, 1 the same .. 0 other. */
double score_same_time(double ms, double base_ms);

#endif
