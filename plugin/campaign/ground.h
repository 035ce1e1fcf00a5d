/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ground: what a campaign stands on: its directory with journal and box, what
 * its guests get, one request, and times as a line of the journal.
 */
#ifndef CAMPAIGN_GROUND_H
#define CAMPAIGN_GROUND_H

#include <perfwasm/campaign.h>
#include <perfwasm/measure.h>

struct ground {
	const struct pw_guest *guest;
	struct pw_journal *journal;
	char *dir, *box; /* absolute */
	char **seen;     /* directories of the user, absolute, NULL-ended */
	char **mounts;   /* what the guest calls them */
	char *stdin_path;
};

/* `identity` is all that may change a result; another one in the directory is
 * EEXIST. The guest's options are borrowed. */
int ground_open(struct ground *g, const char *dir, const struct pw_guest *guest,
		uint64_t identity, struct pw_err *err);
void ground_release(struct ground *g);
/* Adds a directory to what sessions opened later see; takes the string. */
void ground_see(struct ground *g, char *dir);
/* Makes `path` a module of the box; the caller frees. NULL with *err. */
char *ground_bring(struct ground *g, const char *path, const char *name,
		   struct pw_err *err);
void ground_request(const struct ground *g, struct pw_host_request *req,
		    const char *module_path);
struct pw_session *ground_session(const struct ground *g,
				  const struct pw_runtime *rt,
				  struct pw_err *err);

/* Strings of the guest's options into an identity. */
uint64_t ground_hash(const char *s, uint64_t h);
uint64_t ground_hash_guest(const struct pw_guest *g, uint64_t h);
/* Did it run? Else what to say of it; the caller frees. */
bool ground_ran(const struct pw_series *s);
char *ground_reason(const struct pw_series *s);

#endif
