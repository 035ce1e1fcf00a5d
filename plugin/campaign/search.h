/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * search: which release to try next, and where the ratio changed. Numbers
 * only; knows no release and no runtime.
 */
#ifndef CAMPAIGN_SEARCH_H
#define CAMPAIGN_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

/* What is known of one release. */
struct probe {
	bool done;
	bool failed;          /* done, but without a time */
	double ratio, lo, hi; /* against the oracle, with its interval */
};

struct step { /* neighbours that differ */
	size_t before, after;
	double factor; /* ratio after / ratio before; > 1: slower */
};

struct search {
	const struct probe *probe;
	size_t n;
	size_t grid;       /* >= 2 */
	double min_change; /* > 1 */
};

#define SEARCH_DONE SIZE_MAX

/* The next to try, SEARCH_DONE when every change is between neighbours. What
 * is answered depends on the probes alone. */
size_t search_next(const struct search *s);
/* The changes, oldest first; the caller frees. */
size_t search_steps(const struct search *s, struct step **steps);

#endif
