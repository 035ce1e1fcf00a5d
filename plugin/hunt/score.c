// SPDX-License-Identifier: GPL-2.0-only
/*
 * The paper's score of a judged mutant: how much of the gap it closes, and
 * how sure it is that it does the same work. The weights are the user's; what
 * speaks for the same work is ours: counts of executions, how memories,
 * globals and output end, and last the oracles' clocks. A part of step 8.
 */
#include "judge.h"

#include <math.h>

/* An oracle's time that changes by this factor has other work to do. */
#define OTHER_WORK 2.0
/* A mutant may close so much of the gap before it is too good. */
#define OVERSHOOT 1.15
/* What is left of a mutant's merit when its blocks run more or less often:
 * whatever else it keeps, another path was taken. */
#define OTHER_PATH 0.25
/* Equal counts and ends everywhere are worth this much without any clock;
 * equal counts alone are never worth more. */
#define SURE 0.85

double score_same_time(double ms, double base_ms)
{
	double s =
		1 - fabs(log((ms + 0.01) / (base_ms + 0.01))) / log(OTHER_WORK);

	return s < 0 ? 0 : s;
}

/*
 * How well the gap is closed, 0..1. What makes the suspect a good deal faster
 * than the oracle has closed more than the gap: it does less work.
 */
static double perf_score(double closed)
{
	double over = closed - OVERSHOOT;

	if (over > 0)
		return over > 1 ? 0 : 1 - over;
	return closed < 0 ? 0 : closed > 1 ? 1 : closed;
}

/* Digests and clocks alone. Digests that agree on every runner are the
 * strongest sign; then the oracles' clocks must only not tell of other work
 * (a mutant that cures the suspect may help the oracles a bit). Without them
 * the clocks are what is left, and weigh half. */
static double by_end(const struct group *g, double digests)
{
	bool all = digests >= 1, clock_known = !isnan(g->same_time);

	if (!clock_known)
		return all ? 1 : 0.25 + 0.25 * digests;
	if (all)
		return g->same_time >= 0.5 ? 1 : 0.5 + g->same_time;
	return 0.5 * g->same_time + 0.25 * digests;
}

/* With equal counts and ends an oracle's clock may say no more than that the
 * oracle, too, finds another way to do the work. */
static double same_work(const struct group *g, double digests)
{
	double end = by_end(g, digests);

	switch (g->counts) {
	case COUNTS_DIFFER:
		return OTHER_PATH * end;
	case COUNTS_SAME:
		if (digests >= 1)
			return SURE + (1 - SURE) * end;
		return end + 0.25 < SURE ? end + 0.25 : SURE;
	default:
		return end;
	}
}

void score_group(const struct hunt *h, struct group *g)
{
	double clock = 0, digests = g->same_digest;
	size_t n_clocks = 0, n_seen = 1;

	for (size_t i = 0; i < h->n_oracles; i++) {
		if (!h->oracles[i].usable)
			continue;
		digests += g->on[i].same_digest;
		n_seen++;
		if (!h->oracles[i].tracks_work)
			continue;
		clock += score_same_time(g->on[i].ms, g->on[i].base_ms);
		n_clocks++;
	}
	g->same_time = n_clocks ? clock / (double)n_clocks : NAN;
	g->score = h->o->weight_perf * perf_score(g->closed) +
		   h->o->weight_same * same_work(g, digests / (double)n_seen);
}
