// SPDX-License-Identifier: GPL-2.0-only
/*
 * A probe of the step explain: whether what the vector registers held before
 * the call makes the original slow. A false dependence may cost nothing while
 * the upper halves are clear; a module that fills them itself hides it, so
 * that no difference refutes nothing.
 */
#include "explain-step.h"

#include <stdlib.h>

#define ROUNDS 5
/* The clean run takes at most so much of the other. */
#define WORTH 0.85

static int run_once(struct hunt *h, bool clean, double *ms, struct pw_err *err)
{
	struct pw_host_request req;
	struct pw_host_reply reply;
	int ret;

	pw_guest_request(&h->box, h->module_path, &req);
	req.clean_registers = clean;
	ret = hunt_run(h, &h->suspect, &req, &reply, err);
	if (!ret && reply.outcome == h->suspect.base.outcome &&
	    (double)reply.cpu_ns / 1e6 < *ms)
		*ms = (double)reply.cpu_ns / 1e6;
	return ret;
}

/* "FILLED CLEAN", the least of some runs in turn, ms. */
static int take(struct hunt *h, double *filled, double *clean,
		struct pw_err *err)
{
	const char *known = pw_journal_find(h->journal, "probe", "registers");
	int ret = 0;

	*filled = *clean = 1e300;
	if (known && sscanf(known, "%lf %lf", filled, clean) == 2)
		return 0;
	for (int i = 0; i < ROUNDS && !ret; i++) {
		ret = run_once(h, false, filled, err);
		if (!ret)
			ret = run_once(h, true, clean, err);
	}
	if (!ret)
		ret = pw_journal_add(h->journal, "probe", "registers", err,
				     "%g %g", *filled, *clean);
	return ret;
}

int probe_registers(struct hunt *h, struct pw_explain_probe *probe, uint32_t *n,
		    char *how, size_t size, struct pw_err *err)
{
	double filled, clean;
	int ret;

	if (!h->suspect.rt
		     .samples) { /* it runs guests in a process of its own */
		snprintf(
			how, size,
			"What the vector registers held before the call was not probed: with %s they cannot be set.",
			h->suspect.rt.name);
		return 0;
	}
	ret = take(h, &filled, &clean, err);
	if (ret)
		return ret;
	if (!(clean < WORTH * filled)) {
		snprintf(
			how, size,
			"With clear vector registers before the call the same code takes %.3g ms, with filled ones %.3g ms. That shows nothing: a loop that fills them itself is slow either way.",
			clean, filled);
		return 0;
	}
	snprintf(
		how, size,
		"With clear vector registers before the call the same code takes %.3g ms, with filled ones %.3g ms.",
		clean, filled);
	probe[(*n)++] = (struct pw_explain_probe){ PW_PATTERN_false_dependence,
						   PW_PROBE_CONFIRMED, how };
	return 0;
}
