// SPDX-License-Identifier: GPL-2.0-only
/*
 * Between race and judge, the witness: how often each block of a mutant is
 * executed, against the original. Counts are the same on every runtime, so
 * one runner, the cheapest that can, counts for all; no clock can blur them,
 * and a mutant that takes another path is known by it however it ends.
 */
#include "judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* So many mutants are counted; those that are judged are among them. */
#define COUNTED_MAX 256
/* A counted mutant may take so many times as long as the original. */
#define PATIENCE 3.0
/* Counting slows a guest down; the original may take so many times as long. */
#define SLOWDOWN 20.0

struct witness {
	struct pw_count_plan *c;
	struct runner *on;
	uint64_t *base, *values; /* of the original, of a mutant */
	uint64_t base_cpu_ns;
	char *path;
};

/* --- one counted run --------------------------------------------------------------- */

static int read_counts(const struct witness *w, const char *path,
		       uint64_t *values, struct pw_err *err)
{
	struct pw_file f = { 0 };
	int ret = pw_file_open(&f, path, err);

	if (!ret)
		ret = pw_count_plan_parse(w->c, f.data, f.size, values, err);
	pw_file_close(&f);
	return ret;
}

/* Counts a mutant, or the original; *why is what kept it from being counted,
 * NULL when it was; the caller frees. */
static int count_run(struct hunt *h, struct witness *w, struct runner *on,
		     const struct pw_mutation *mut, uint64_t cpu_limit_ns,
		     uint64_t *values, struct pw_host_reply *reply, char **why,
		     struct pw_err *err)
{
	char *counts = pw_asprintf("%s/counts", h->box.dir);
	struct pw_host_request req;
	struct pw_buf bytes = { 0 };
	struct pw_err bad;
	int ret = pw_count_plan_apply(w->c, mut, &bytes, err);

	*why = NULL;
	if (!ret)
		ret = pw_file_write(w->path, bytes.data, bytes.len, err);
	pw_guest_request(&h->box, w->path, &req);
	req.digest = false;
	req.counts_path = counts;
	req.cpu_limit_ns = cpu_limit_ns;
	unlink(counts);
	if (!ret)
		ret = hunt_run(h, on, &req, reply, err);
	if (!ret && reply->outcome != on->base.outcome)
		*why = pw_strdup(reply->message[0]
					 ? reply->message
					 : pw_outcome_name(reply->outcome));
	else if (!ret && read_counts(w, counts, values, &bad))
		*why = pw_strdup(bad.msg);
	pw_buf_release(&bytes);
	free(counts);
	return ret;
}

/* --- where to count ------------------------------------------------------------------ */

/* What a run costs there, compilation included, ms. */
static double cost_on(const struct runner *r)
{
	return r->base_ms + (double)r->base.last.compile_ns / 1e6;
}

static struct runner *cheapest(struct hunt *h, const bool *tried)
{
	struct runner *best = NULL;

	for (size_t i = 0; i <= h->n_oracles; i++) {
		struct runner *r = i ? &h->oracles[i - 1] : &h->suspect;

		if (!tried[i] && r->usable &&
		    (!best || cost_on(r) < cost_on(best)))
			best = r;
	}
	return best;
}

/* The original's counts, on the cheapest runner that can. */
static int count_original(struct hunt *h, struct witness *w, struct pw_err *err)
{
	bool *tried = pw_zalloc(h->n_oracles + 2);
	struct pw_host_reply reply;
	struct runner *r;
	char *why = NULL;
	int ret = 0;

	while (!w->on && !ret && (r = cheapest(h, tried))) {
		tried[r == &h->suspect ? 0 : r - h->oracles + 1] = true;
		free(why);
		ret = count_run(h, w, r, NULL,
				(uint64_t)(r->base_ms * SLOWDOWN * 1e6) +
					UINT64_C(100000000),
				w->base, &reply, &why, err);
		if (ret || why)
			continue;
		w->on = r;
		w->base_cpu_ns = reply.cpu_ns;
	}
	if (!ret && !pw_journal_find(h->journal, "counts", "original"))
		ret = pw_journal_add(h->journal, "counts", "original", err,
				     "%s %u %u", w->on ? w->on->rt.spec : "-",
				     pw_count_plan_n(w->c),
				     pw_count_plan_n_left_out(w->c));
	free(why);
	free(tried);
	return ret;
}

static int witness_open(struct hunt *h, struct witness *w, struct pw_err *err)
{
	struct pw_count_opts o = { 0 };
	uint32_t *funcs;
	int ret = 0;

	if (w->path)
		return 0;
	w->path = pw_asprintf("%s/counted.wasm", h->box.dir);
	funcs = hunt_functions_by_share(h, &o.n_funcs);
	o.funcs = funcs;
	w->c = pw_count_plan_new(h->module, &o, err);
	free(funcs);
	if (!w->c)
		return -err->code;
	w->base = pw_zalloc((pw_count_plan_n(w->c) + 1) * sizeof(*w->base));
	w->values = pw_zalloc((pw_count_plan_n(w->c) + 1) * sizeof(*w->values));
	if (pw_count_plan_n(w->c))
		ret = count_original(h, w, err);
	return ret;
}

static void witness_release(struct witness *w)
{
	pw_count_plan_free(w->c);
	free(w->base);
	free(w->values);
	free(w->path);
}

int witness_original(struct hunt *h, struct pw_err *err)
{
	struct witness w = { 0 };
	int ret = h->counts.plan ? 0 : witness_open(h, &w, err);

	if (w.on) {
		h->counts.plan = w.c;
		h->counts.base = w.base;
		w.c = NULL;
		w.base = NULL;
	}
	witness_release(&w);
	return ret;
}

/* --- one mutant ------------------------------------------------------------------------ */

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Where the counts differ most. */
static void compare(const struct witness *w, struct group *g)
{
	uint64_t most = 0;

	g->counts = COUNTS_SAME;
	for (uint32_t i = 0; i < pw_count_plan_n(w->c); i++) {
		uint64_t d = distance(w->base[i], w->values[i]);

		if (d <= most)
			continue;
		most = d;
		g->counts = COUNTS_DIFFER;
		g->block_off = pw_count_plan_point(w->c, i)->off;
		g->block_was = w->base[i];
		g->block_is = w->values[i];
	}
}

static int note_down(struct hunt *h, const struct group *g, const char *key,
		     uint64_t cpu_ns, struct pw_err *err)
{
	return pw_journal_add(h->journal, "counts", key, err,
			      "%d %llu %llx %llu %llu", g->counts,
			      (unsigned long long)cpu_ns,
			      (unsigned long long)g->block_off,
			      (unsigned long long)g->block_was,
			      (unsigned long long)g->block_is);
}

static bool recall(struct hunt *h, struct group *g, const char *key)
{
	const char *seen = pw_journal_find(h->journal, "counts", key);
	unsigned long long cpu_ns, off, was, is;
	int counts;

	if (!seen || sscanf(seen, "%d %llu %llx %llu %llu", &counts, &cpu_ns,
			    &off, &was, &is) != 5)
		return false;
	g->counts = counts == COUNTS_SAME     ? COUNTS_SAME
		    : counts == COUNTS_DIFFER ? COUNTS_DIFFER
					      : COUNTS_UNKNOWN;
	g->block_off = off;
	g->block_was = was;
	g->block_is = is;
	h->spent_ns += cpu_ns;
	return true;
}

/* One that does not end as it does uncounted has taken too long with its
 * counters, or is counted nowhere: that tells nothing. */
static int count_one(struct hunt *h, struct witness *w, struct group *g,
		     struct pw_err *err)
{
	const struct pw_mutation *mut = &h->candidates[g->candidate].mut;
	char *key = hunt_notation(h, mut), *why = NULL;
	struct pw_host_reply reply = { 0 };
	int ret = 0;

	if (recall(h, g, key))
		goto out;
	ret = witness_open(h, w, err);
	if (ret || !w->on)
		goto out;
	ret = count_run(h, w, w->on, mut,
			(uint64_t)((double)w->base_cpu_ns * PATIENCE) +
				UINT64_C(20000000),
			w->values, &reply, &why, err);
	if (ret)
		goto out;
	if (!why)
		compare(w, g);
	ret = note_down(h, g, key, reply.cpu_ns, err);
out:
	free(why);
	free(key);
	return ret;
}

/* What the journal says of the counting, for the report. */
static void describe(struct hunt *h)
{
	const char *seen = pw_journal_find(h->journal, "counts", "original");
	char spec[256];

	if (!seen || sscanf(seen, "%255s %u %u", spec, &h->counts.n_blocks,
			    &h->counts.n_left_out) != 3)
		return;
	if (strcmp(spec, "-"))
		h->counts.on = pw_strdup(spec);
}

int hunt_witness(struct hunt *h, struct pw_err *err)
{
	uint64_t start = pw_now_ns();
	struct witness w = { 0 };
	size_t n;
	struct group **g = judge_order(h, &n);
	int ret = 0;

	if (n > COUNTED_MAX)
		n = COUNTED_MAX;
	for (size_t i = 0; i < n && !ret; i++) {
		hunt_progress(h, "witness", i, n, start);
		ret = count_one(h, &w, g[i], err);
	}
	if (!ret)
		describe(h);
	witness_release(&w);
	free(g);
	return ret;
}
