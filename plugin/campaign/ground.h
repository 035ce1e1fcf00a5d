/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ground: what a campaign stands on: its directory with journal and box, and
 * what its runs have in common.
 */
#ifndef CAMPAIGN_GROUND_H
#define CAMPAIGN_GROUND_H

#include <perfwasm/campaign.h>
#include <perfwasm/measure.h>

struct ground {
	struct pw_journal *journal;
	struct pw_guest_box box;
};

/* As pw_journal_claim(); the guest's options are borrowed. */
int ground_open(struct ground *g, const char *dir, const struct pw_guest *guest,
		const char *job, uint64_t identity, struct pw_err *err);
void ground_release(struct ground *g);
/* A request for a time alone, without a digest. */
void ground_request(const struct ground *g, const char *module_path,
		    struct pw_host_request *req);

/* A string, or NULL, into an identity. */
uint64_t ground_hash(const char *s, uint64_t h);
/* Did it run? Else what to say of it; the caller frees. */
bool ground_ran(const struct pw_series *s);
char *ground_reason(const struct pw_series *s);

#endif
