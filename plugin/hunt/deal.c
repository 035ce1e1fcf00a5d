// SPDX-License-Identifier: GPL-2.0-only
/*
 * A step of a hunt, deal: of a hunt in shards each deals with its share of
 * the candidates, and a merging one takes over what shards found. A mutant
 * goes to a shard by the hash of its notation: samples, and so the order of
 * candidates, differ from machine to machine. Times do, too, so what is taken
 * over is the share of the gap that a mutant closed on its shard's machine,
 * as a time on this one. What no shard did is done here.
 */
#include "steps.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Shards do not know each other's groups: of the same machine code two may
 * hold one each. So each may run more groups than its part of the budget. */
#define SLACK 1.25

/* What one machine's times, ends and codes are measured by. */
struct yardstick {
	double base_ms, ideal_ms;
	char digest[68];
	unsigned long long code; /* hash; 0: not shown */
};

/* --- a share ------------------------------------------------------------------- */

int deal_claim(struct hunt *h, struct pw_err *err)
{
	const struct pw_hunt_opts *o = h->o;
	char *own = pw_asprintf("%u/%u", o->n_shards ? o->shard : 1,
				o->n_shards ? o->n_shards : 1);
	const char *seen = pw_journal_find(h->journal, "shard", "which");
	int ret = 0;

	if (!seen)
		ret = pw_journal_add(h->journal, "shard", "which", err, "%s",
				     own);
	else if (strcmp(seen, own))
		ret = pw_err_set(
			err, EEXIST,
			"%s holds shard %s of this hunt, not %s: name another directory with --dir",
			o->dir, seen, own);
	free(own);
	return ret;
}

static bool is_mine(const struct hunt *h, const struct candidate *c)
{
	char *text = hunt_notation(h, &c->mut);
	uint64_t hash = pw_hash(text, strlen(text), 0);

	free(text);
	return hash % h->o->n_shards == h->o->shard - 1;
}

uint32_t deal_budget(const struct pw_hunt_opts *o)
{
	double part =
		o->n_shards > 1 ? SLACK * o->budget / o->n_shards : o->budget;

	return part > o->budget ? o->budget : (uint32_t)ceil(part);
}

static void keep_mine(struct hunt *h)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->n_candidates && h->o->n_shards; i++)
		if (is_mine(h, &h->candidates[i]))
			h->candidates[kept++] = h->candidates[i];
	if (h->o->n_shards)
		h->n_candidates = kept;
}

/* --- yardsticks -------------------------------------------------------------------- */

static int own_code(struct hunt *h, struct pw_err *err)
{
	struct image im;
	int ret;

	if (!h->suspect.rt.shows_code)
		return 0;
	ret = hunt_compile(h, h->module_path, &im, err);
	if (ret)
		return ret;
	h->code = im.code ? pw_code_hash(im.code) : 0;
	hunt_image_release(&im);
	return 0;
}

static struct yardstick own_yardstick(const struct hunt *h)
{
	struct yardstick y = { .base_ms = h->suspect.base_ms,
			       .ideal_ms = hunt_ideal_ms(h),
			       .code = h->code };

	strcpy(y.digest, h->suspect.digest[0] ? h->suspect.digest : "-");
	return y;
}

static int show_yardstick(struct hunt *h, struct pw_err *err)
{
	struct yardstick y = own_yardstick(h);

	if (pw_journal_find(h->journal, "shard", "base"))
		return 0;
	return pw_journal_add(h->journal, "shard", "base", err,
			      "%.6f %.6f %s %llx", y.base_ms, y.ideal_ms,
			      y.digest, y.code);
}

static bool read_yardstick(const struct pw_journal *j, struct yardstick *y)
{
	const char *text = pw_journal_find(j, "shard", "base");

	return text &&
	       sscanf(text, "%lf %lf %67s %llx", &y->base_ms, &y->ideal_ms,
		      y->digest, &y->code) == 4 &&
	       y->base_ms > y->ideal_ms;
}

/* --- what a shard found -------------------------------------------------------- */

struct taking {
	struct hunt *h;
	const char *step;
	struct yardstick was, is;
	struct pw_err *err;
};

/* The time here that closes as much of the gap as it did there. */
static double time_here(const struct taking *t, double ms)
{
	double closed =
		(t->was.base_ms - ms) / (t->was.base_ms - t->was.ideal_ms);

	ms = t->is.base_ms - closed * (t->is.base_ms - t->is.ideal_ms);
	return ms > 0 ? ms : 0;
}

static int take_race(struct taking *t, const char *key, const char *value)
{
	char outcome[24], digest[68];
	double ms;
	bool same;

	if (sscanf(value, "%lf %23s %67s", &ms, outcome, digest) != 3)
		return 0;
	same = strcmp(digest, "-") && !strcmp(digest, t->was.digest);
	return pw_journal_add(t->h->journal, "race", key, t->err, "%.6f %s %s",
			      time_here(t, ms), outcome,
			      same ? t->is.digest : digest);
}

static int take_line(void *ctx, const char *key, const char *value)
{
	struct taking *t = ctx;

	if (pw_journal_find(t->h->journal, t->step, key))
		return 0;
	if (!strcmp(t->step, "race"))
		return take_race(t, key, value);
	return pw_journal_add(t->h->journal, t->step, key, t->err, "%s", value);
}

static int take_over(struct hunt *h, const struct pw_journal *from,
		     struct pw_err *err)
{
	struct taking t = { .h = h, .is = own_yardstick(h), .err = err };
	int ret = 0;

	h->n_merged++;
	if (!read_yardstick(from, &t.was)) {
		h->n_idle++;
		return 0;
	}
	t.step = "code"; /* elsewhere a mutant may be compiled otherwise */
	if (t.was.code == t.is.code)
		ret = pw_journal_each(from, t.step, take_line, &t);
	t.step = "race";
	if (!ret)
		ret = pw_journal_each(from, t.step, take_line, &t);
	t.step = "counts";
	return ret ? ret : pw_journal_each(from, t.step, take_line, &t);
}

static int merge_one(struct hunt *h, const char *dir, struct pw_err *err)
{
	char *path = pw_asprintf("%s/journal", dir);
	struct pw_journal *from;
	int ret;

	ret = access(path, F_OK)
		      ? pw_err_set(
				err, ENOENT,
				"--merge: %s holds no journal of a hunt: name a directory that perf wasm hunt --shard wrote",
				dir)
		      : 0;
	free(path);
	if (ret)
		return ret;
	from = pw_journal_claim(dir, "hunt", h->identity, err);
	if (!from) {
		pw_err_prefix(err, "--merge");
		return -err->code;
	}
	ret = take_over(h, from, err);
	pw_journal_close(from);
	return ret;
}

/* --- the steps ----------------------------------------------------------------- */

int hunt_deal(struct hunt *h, struct pw_err *err)
{
	int ret = own_code(h, err);

	keep_mine(h);
	if (!ret)
		ret = show_yardstick(h, err);
	for (const char *const *d = h->o->merge; d && *d && !ret; d++)
		ret = merge_one(h, *d, err);
	return ret;
}

int hunt_share(struct hunt *h, struct pw_err *err)
{
	(void)err;
	if (!h->o->n_shards)
		return 0;
	h->is_share = true;
	for (size_t i = 0; i < h->n_groups; i++)
		h->n_effective += h->groups[i].effective;
	return 0;
}
