// SPDX-License-Identifier: GPL-2.0-only
/*
 * A step of a hunt, baseline: how long the module takes on the suspect and
 * on every oracle. Without a gap there is nothing to hunt.
 */
#include "steps.h"

#include <errno.h>
#include <string.h>

/* Less is the sleep of a machine, not of a guest. */
#define IDLE_MIN_MS 2

static bool ran(const struct pw_series *s)
{
	return s->n && (s->outcome == PW_OUT_OK || s->outcome == PW_OUT_EXIT);
}

static int must_run(const struct runner *r, struct pw_err *err)
{
	const struct pw_series *s = &r->base;

	if (ran(s))
		return 0;
	return pw_err_set(err, EINVAL, "the module does not run on %s: %s%s%s",
			  r->rt.spec, pw_outcome_name(s->outcome),
			  s->last.message[0] ? ": " : "", s->last.message);
}

/* Oracles that cannot run the module step back, if one remains. */
static int drop_oracles(struct hunt *h, struct pw_err *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->n_oracles; i++)
		kept += ran(&h->oracles[i].base);
	return kept ? 0 : must_run(&h->oracles[0], err);
}

static int compare(struct hunt *h, struct runner *oracle, struct pw_err *err)
{
	oracle->usable = ran(&oracle->base);
	if (!oracle->usable)
		return 0;
	oracle->base_ms = pw_median(oracle->base.cpu_ms, oracle->base.n);
	oracle->gap =
		pw_series_ratio(&h->suspect.base, &oracle->base, h->o->seed);
	strcpy(oracle->digest, oracle->base.last.digest);
	return hunt_look_for_work(h, oracle, err);
}

int hunt_compare(struct hunt *h, struct pw_err *err)
{
	int ret = must_run(&h->suspect, err);

	if (!ret)
		ret = drop_oracles(h, err);
	if (ret)
		return ret;
	h->suspect.usable = true;
	h->suspect.base_ms =
		pw_median(h->suspect.base.cpu_ms, h->suspect.base.n);
	strcpy(h->suspect.digest, h->suspect.base.last.digest);
	for (size_t i = 0; i < h->n_oracles && !ret; i++)
		ret = compare(h, &h->oracles[i], err);
	return ret;
}

/* The gap is told by the fastest oracle that keeps the work. */
const struct runner *hunt_reference(const struct hunt *h)
{
	const struct runner *best = NULL;

	for (size_t i = 0; i < h->n_oracles; i++) {
		const struct runner *r = &h->oracles[i];

		if (!r->usable)
			continue;
		if (!best || r->tracks_work > best->tracks_work ||
		    (r->tracks_work == best->tracks_work &&
		     r->base_ms < best->base_ms))
			best = r;
	}
	return best;
}

/* Time in which a run used no CPU, the least of all runs: other programs on
 * this machine only make it more. */
static double idle_ms(const struct pw_series *s)
{
	double least = -1;

	for (size_t i = 0; s->wall_ms && i < s->n; i++) {
		double idle = s->wall_ms[i] - s->cpu_ms[i];

		idle = idle > 0 ? idle : 0;
		if (least < 0 || idle < least)
			least = idle;
	}
	return least > 0 ? least : 0;
}

/* No more CPU time, but it may wait longer; triage will tell. */
static bool may_wait(const struct hunt *h, const struct runner *ref)
{
	const struct pw_series *s = &h->suspect.base, *o = &ref->base;
	double wall, more = idle_ms(s) - idle_ms(o);

	if (!s->wall_ms || !o->wall_ms)
		return false;
	wall = pw_min(o->wall_ms, o->n);
	return more > IDLE_MIN_MS && more > (h->o->min_gap - 1) * wall;
}

int hunt_baseline(struct hunt *h, struct pw_err *err)
{
	const struct runner *ref;
	int ret;

	hunt_progress(h, "baseline", 0, 0, 0);
	ret = hunt_time_all(h, "given", err);
	if (!ret)
		ret = hunt_compare(h, err);
	if (ret)
		return ret;
	h->original_ms = h->suspect.base_ms;
	ref = hunt_reference(h);
	h->given_gap = ref->gap;
	h->no_gap = ref->gap.ratio < h->o->min_gap;
	h->waits_only = h->no_gap && may_wait(h, ref);
	if (h->waits_only)
		h->no_gap = false;
	return 0;
}
