// SPDX-License-Identifier: GPL-2.0-only
/*
 * A step of a hunt, compile and group: mutants whose machine code is the same
 * on the suspect are one group and only the first of them is run; a mutant
 * whose code is the original's is dropped. A suspect that does not show its
 * code gets a group for each mutant.
 */
#include "steps.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct seen_code {
	uint64_t hash;
	size_t group; /* SIZE_MAX: the original's */
	UT_hash_handle hh;
};

static struct seen_code *code_find(struct seen_code *all, uint64_t hash)
{
	struct seen_code *s;

	HASH_FIND(hh, all, &hash, sizeof(hash), s);
	return s;
}

static void code_add(struct seen_code **all, uint64_t hash, size_t group)
{
	struct seen_code *s = pw_zalloc(sizeof(*s));

	s->hash = hash;
	s->group = group;
	HASH_ADD(hh, *all, hash, sizeof(s->hash), s);
}

static void codes_free(struct seen_code *all)
{
	struct seen_code *s, *next;

	HASH_ITER (hh, all, s, next) {
		HASH_DEL(all, s);
		free(s);
	}
}

/* The hash of a mutant's code on the suspect; 0: it does not compile. */
static int code_of(struct hunt *h, struct candidate *c, struct pw_err *err)
{
	char *key = hunt_notation(h, &c->mut);
	const char *seen = pw_journal_find(h->journal, "code", key);
	char *path = pw_asprintf("%s/" HUNT_MUTANT, h->box.dir);
	struct image im = { 0 };
	int ret = 0;

	if (seen) {
		c->code = strtoull(seen, NULL, 16);
		goto out;
	}
	ret = hunt_write_mutant(h, &c->mut, err);
	if (!ret)
		ret = hunt_compile(h, path, &im, err);
	if (ret)
		goto out;
	c->code = im.code ? pw_code_hash(im.code) : 0;
	ret = pw_journal_add(h->journal, "code", key, err, "%llx%s%s",
			     (unsigned long long)c->code, im.code ? "" : " ",
			     im.message);
	hunt_image_release(&im);
out:
	free(path);
	free(key);
	return ret;
}

static void group_add(struct hunt *h, size_t candidate)
{
	h->groups[h->n_groups++] = (struct group){
		.candidate = (uint32_t)candidate,
		.n_members = 1,
	};
}

/* Files one compiled candidate under the group it belongs to. */
static void sort_in(struct hunt *h, struct seen_code **codes, size_t i)
{
	uint64_t hash = h->candidates[i].code;
	struct seen_code *s = code_find(*codes, hash);

	if (!hash)
		return;
	if (!s) {
		code_add(codes, hash, h->n_groups);
		group_add(h, i);
	} else if (s->group == SIZE_MAX) {
		h->n_unchanged++;
	} else {
		h->groups[s->group].n_members++;
	}
}

int hunt_compile_and_group(struct hunt *h, struct pw_err *err)
{
	struct seen_code *codes = NULL;
	uint64_t start = pw_now_ns();
	bool shown = h->suspect.rt.shows_code;
	uint32_t budget = deal_budget(h->o);
	int ret = 0;
	size_t i;

	if (h->code)
		code_add(&codes, h->code, SIZE_MAX);
	h->groups = pw_zalloc((budget + 1) * sizeof(*h->groups));
	for (i = 0; i < h->n_candidates && !ret; i++) {
		if (h->n_groups >= budget)
			break;
		hunt_progress(h, "compile", i, h->n_candidates, start);
		if (!shown) {
			group_add(h, i);
			continue;
		}
		ret = code_of(h, &h->candidates[i], err);
		if (!ret)
			sort_in(h, &codes, i);
	}
	h->n_compiled = i;
	codes_free(codes);
	return ret;
}
