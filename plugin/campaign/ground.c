// SPDX-License-Identifier: GPL-2.0-only
/*
 * The directory of a campaign and what its guests get. Knows neither releases
 * nor cells.
 */
#include "ground.h"

#include <stdlib.h>
#include <string.h>

uint64_t ground_hash(const char *s, uint64_t h)
{
	return pw_hash(s ? s : "", s ? strlen(s) + 1 : 0, h);
}

int ground_open(struct ground *g, const char *dir, const struct pw_guest *guest,
		const char *job, uint64_t identity, struct pw_err *err)
{
	char *box;
	int ret;

	memset(g, 0, sizeof(*g));
	g->journal = pw_journal_claim(dir, job, identity, err);
	if (!g->journal)
		return -err->code;
	box = pw_asprintf("%s/box", dir);
	ret = pw_guest_box_open(&g->box, guest, box, err);
	free(box);
	return ret;
}

void ground_release(struct ground *g)
{
	pw_guest_box_release(&g->box);
	pw_journal_close(g->journal);
	memset(g, 0, sizeof(*g));
}

void ground_request(const struct ground *g, const char *module_path,
		    struct pw_host_request *req)
{
	pw_guest_request(&g->box, module_path, req);
	req->digest = false;
}

bool ground_ran(const struct pw_series *s)
{
	return s->n && (s->outcome == PW_OUT_OK || s->outcome == PW_OUT_EXIT);
}

char *ground_reason(const struct pw_series *s)
{
	return pw_asprintf("%s%s%s", pw_outcome_name(s->outcome),
			   s->last.message[0] ? ": " : "", s->last.message);
}
