// SPDX-License-Identifier: GPL-2.0-only
/*
 * A step of a hunt, race: one run of each group on the suspect, stopped as
 * soon as it has used more time than a mutant that closes a fair part of the
 * gap would. What ends in another way than the original is out. Places where
 * next to no time is spent are left out when enough mutants are cures already.
 */
#include "steps.h"

#include <stdlib.h>
#include <string.h>

/* The least share of the gap that a mutant must close to go on. */
#define CLOSE_MIN 0.25
/* So much of the first place's promise is next to none. */
#define FAINT 0.1
/* How much longer than that a runner may go: the kernel's timer ticks. */
#define GRACE_MS 4.0

double hunt_ideal_ms(const struct hunt *h)
{
	const struct runner *ref = hunt_reference(h);

	return ref->base_ms < h->suspect.base_ms ? ref->base_ms : 0;
}

static void take_result(struct hunt *h, struct group *g, double ms,
			enum pw_outcome outcome, const char *digest)
{
	double gap = h->suspect.base_ms - hunt_ideal_ms(h);

	g->outcome = outcome;
	g->race_ms = outcome == PW_OUT_CPU ? 0 : ms;
	g->same_digest =
		h->suspect.digest[0] && !strcmp(digest, h->suspect.digest);
	g->closed = (h->suspect.base_ms - ms) / gap;
	g->effective =
		outcome == h->suspect.base.outcome && g->closed >= CLOSE_MIN;
}

static int race_one(struct hunt *h, struct group *g, struct pw_err *err)
{
	const struct pw_mutation *mut = &h->candidates[g->candidate].mut;
	double gap = h->suspect.base_ms - hunt_ideal_ms(h);
	char *path = pw_asprintf("%s/" HUNT_MUTANT, h->box.dir);
	struct pw_host_request req;
	struct pw_host_reply reply;
	int ret = hunt_write_mutant(h, mut, err);

	pw_guest_request(&h->box, path, &req);
	req.cpu_limit_ns =
		(uint64_t)((h->suspect.base_ms - CLOSE_MIN * gap + GRACE_MS) *
			   1e6);
	if (!ret)
		ret = hunt_run(h, &h->suspect, &req, &reply, err);
	if (!ret) {
		char *key = hunt_notation(h, mut);

		take_result(h, g, (double)reply.cpu_ns / 1e6, reply.outcome,
			    reply.digest);
		ret = pw_journal_add(h->journal, "race", key, err, "%.6f %s %s",
				     (double)reply.cpu_ns / 1e6,
				     pw_outcome_name(reply.outcome),
				     reply.digest[0] ? reply.digest : "-");
		free(key);
	}
	free(path);
	return ret;
}

static bool recall(struct hunt *h, struct group *g)
{
	char *key = hunt_notation(h, &h->candidates[g->candidate].mut);
	const char *seen = pw_journal_find(h->journal, "race", key);
	char outcome[24], digest[68];
	double ms;
	bool ok = seen &&
		  sscanf(seen, "%lf %23s %67s", &ms, outcome, digest) == 3;

	if (ok) {
		take_result(h, g, ms, pw_outcome_find(outcome), digest);
		h->spent_ns += (uint64_t)(ms * 1e6);
	}
	free(key);
	return ok;
}

static bool is_faint(const struct hunt *h, const struct group *g)
{
	return h->candidates[g->candidate].promise <
	       FAINT * h->candidates[h->groups[0].candidate].promise;
}

int hunt_race(struct hunt *h, struct pw_err *err)
{
	uint64_t start = pw_now_ns();
	size_t n_cures = 0;
	int ret = 0;

	for (size_t i = 0; i < h->n_groups && !ret; i++) {
		struct group *g = &h->groups[i];

		if (n_cures >= CURES_ENOUGH && is_faint(h, g))
			break;
		hunt_progress(h, "race", i, h->n_groups, start);
		if (!recall(h, g))
			ret = race_one(h, g, err);
		n_cures += g->effective && hunt_is_cure(g);
		h->n_raced = i + 1;
	}
	return ret;
}
