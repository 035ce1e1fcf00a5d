// SPDX-License-Identifier: GPL-2.0-only
/*
 * A step of a hunt, judge: the faster mutants against the original, on the
 * suspect and on every oracle, in turn. A mutant is good when it closes the
 * gap and still does the same work: its blocks are executed as often, memories,
 * globals and output end the same everywhere, and the oracles take as long as
 * before. score.c makes one number of that.
 */
#include "judge.h"

#include <stdlib.h>
#include <string.h>

#define RESAMPLES 400
/* With so many that may do the same work, those that surely do not are not
 * timed any more; and, with enough cures, of those that end in another way no
 * more than show what the cures are not. */
#define HONEST_ENOUGH 6
#define OTHERS_SHOWN  8
/* Rounds of one mutant: more of one that may have closed nothing. */
#define ROUNDS_FIRST 3
#define ROUNDS_MORE  3
#define ROUNDS_MAX   12

struct bench {
	struct pw_contestant *c; /* mutant, original on each usable runner */
	struct runner **on;
	size_t n; /* runners */
};

static double median_of(const struct pw_series *s)
{
	return pw_median(s->cpu_ms, s->n);
}

/* --- measuring --------------------------------------------------------------- */

static void bench_init(struct hunt *h, struct bench *b, const char *mutant)
{
	b->c = pw_zalloc(2 * (h->n_oracles + 1) * sizeof(*b->c));
	b->on = pw_zalloc((h->n_oracles + 1) * sizeof(*b->on));
	b->n = 0;
	for (size_t i = 0; i <= h->n_oracles; i++) {
		struct runner *r = i ? &h->oracles[i - 1] : &h->suspect;

		if (!r->usable)
			continue;
		b->c[2 * b->n].session = r->session;
		b->c[2 * b->n + 1].session = r->session;
		pw_guest_request(&h->box, mutant, &b->c[2 * b->n].req);
		pw_guest_request(&h->box, h->module_path,
				 &b->c[2 * b->n + 1].req);
		/* one that takes so much longer does other work, and must
		 * not hold up the hunt */
		b->c[2 * b->n].req.cpu_limit_ns =
			(uint64_t)(r->base_ms * 4e6) + UINT64_C(50000000);
		b->on[b->n++] = r;
	}
}

static void bench_release(struct bench *b)
{
	for (size_t i = 0; i < 2 * b->n; i++)
		pw_series_release(&b->c[i].series);
	free(b->c);
	free(b->on);
}

static int open_all(struct hunt *h, struct pw_err *err)
{
	int ret = hunt_open(h, &h->suspect, err);

	for (size_t i = 0; i < h->n_oracles && !ret; i++)
		if (h->oracles[i].usable)
			ret = hunt_open(h, &h->oracles[i], err);
	return ret;
}

/* --- what the times say --------------------------------------------------------- */

/* Share of the gap that is gone; the reference is the place of the oracle
 * whose time counts, 0 when it deleted the work. */
static double closed_of(const double ms[4], bool with_oracle)
{
	double gap = ms[1] - ms[3];
	double left = with_oracle ? ms[0] - ms[2] : ms[0] - ms[3];

	return gap > 0 ? 1 - left / gap : 0;
}

static double resampled_median(const struct pw_series *s, struct pw_rng *rng)
{
	double x[64];
	size_t n = s->n < 64 ? s->n : 64;

	for (size_t i = 0; i < n; i++)
		x[i] = s->cpu_ms[pw_rng_below(rng, s->n)];
	return pw_median(x, n);
}

/* Percentile bootstrap over the four series at once. */
static struct pw_interval closed_interval(const struct pw_series *const s[4],
					  bool with_oracle, uint64_t seed)
{
	double x[RESAMPLES];
	struct pw_rng rng;

	pw_rng_init(&rng, seed);
	for (size_t i = 0; i < RESAMPLES; i++) {
		double ms[4];

		for (int k = 0; k < 4; k++)
			ms[k] = resampled_median(s[k], &rng);
		x[i] = closed_of(ms, with_oracle);
	}
	return (struct pw_interval){ pw_quantile(x, RESAMPLES, 0.025),
				     pw_quantile(x, RESAMPLES, 0.975) };
}

static void evaluate(struct hunt *h, struct group *g, struct bench *b)
{
	const struct runner *ref = hunt_reference(h);
	const struct pw_series *s[4] = { &b->c[0].series, &b->c[1].series };
	double ms[4];

	for (size_t i = 1; i < b->n; i++) {
		struct verdict *v = &g->on[b->on[i] - h->oracles];
		const struct pw_series *m = &b->c[2 * i].series;

		v->outcome = m->outcome;
		v->ms = m->n ? median_of(m) : 0;
		v->base_ms = median_of(&b->c[2 * i + 1].series);
		v->same_digest = b->on[i]->digest[0] &&
				 !strcmp(m->last.digest, b->on[i]->digest);
		if (b->on[i] == ref) {
			s[2] = m;
			s[3] = &b->c[2 * i + 1].series;
		}
	}
	g->outcome = s[0]->outcome;
	g->judged = s[0]->n && s[1]->n && s[2]->n && s[3]->n &&
		    g->outcome == h->suspect.base.outcome;
	if (!g->judged)
		return;
	for (int k = 0; k < 4; k++)
		ms[k] = median_of(s[k]);
	g->ms = ms[0];
	g->base_ms = ms[1];
	g->closed = closed_of(ms, ref->tracks_work);
	g->closed_ci = closed_interval(s, ref->tracks_work, h->o->seed);
}

/* One that may be told, and may be chance. */
static bool in_doubt(const struct group *g)
{
	return g->judged && g->closed >= TOLD_MIN && !judge_is_sure(g);
}

bool judge_is_sure(const struct group *g)
{
	return g->closed_ci.lo > 0;
}

/* A few rounds first; as long as the interval holds 0, which one run that a
 * neighbour disturbed can do, some more. */
static int measure(struct hunt *h, struct group *g, struct bench *b,
		   struct pw_err *err)
{
	struct pw_interleave_opts opts = { .min_rounds = ROUNDS_FIRST,
					   .max_rounds = ROUNDS_FIRST };
	unsigned rounds = 0;
	int ret;

	do {
		ret = pw_interleave(b->c, 2 * b->n, &opts, err);
		rounds += (unsigned)opts.min_rounds;
		if (!ret)
			evaluate(h, g, b);
		opts.min_rounds = opts.max_rounds = ROUNDS_MORE;
	} while (!ret && in_doubt(g) && rounds < ROUNDS_MAX);
	return ret;
}

/* --- the journal ------------------------------------------------------------------ */

static int note_down(struct hunt *h, const struct group *g, const char *key,
		     uint64_t cost_ns, struct pw_err *err)
{
	struct pw_buf b = { 0 };
	int ret;

	pw_buf_printf(&b, "%llu %d %s %.6f %.6f %.6f %.6f %.6f",
		      (unsigned long long)cost_ns, g->judged,
		      pw_outcome_name(g->outcome), g->ms, g->base_ms, g->closed,
		      g->closed_ci.lo, g->closed_ci.hi);
	for (size_t i = 0; i < h->n_oracles; i++)
		pw_buf_printf(&b, " %.6f %.6f %d %s", g->on[i].ms,
			      g->on[i].base_ms, g->on[i].same_digest,
			      pw_outcome_name(g->on[i].outcome));
	ret = pw_journal_add(h->journal, "judge", key, err, "%s",
			     pw_buf_str(&b));
	pw_buf_release(&b);
	return ret;
}

static bool recall(struct hunt *h, struct group *g, const char *key)
{
	const char *p = pw_journal_find(h->journal, "judge", key);
	unsigned long long cost_ns;
	char outcome[24];
	int judged, same, used = 0;

	if (!p || sscanf(p, "%llu %d %23s %lf %lf %lf %lf %lf%n", &cost_ns,
			 &judged, outcome, &g->ms, &g->base_ms, &g->closed,
			 &g->closed_ci.lo, &g->closed_ci.hi, &used) != 8)
		return false;
	h->spent_ns += cost_ns;
	g->judged = judged;
	g->outcome = pw_outcome_find(outcome);
	for (size_t i = 0; i < h->n_oracles; i++) {
		p += used;
		if (sscanf(p, "%lf %lf %d %23s%n", &g->on[i].ms,
			   &g->on[i].base_ms, &same, outcome, &used) != 4)
			return false;
		g->on[i].same_digest = same;
		g->on[i].outcome = pw_outcome_find(outcome);
	}
	return true;
}

/* --- the step ----------------------------------------------------------------------- */

static int judge_one(struct hunt *h, struct group *g, struct pw_err *err)
{
	const struct pw_mutation *mut = &h->candidates[g->candidate].mut;
	char *key = hunt_notation(h, mut);
	char *path = pw_asprintf("%s/" HUNT_MUTANT, h->box.dir);
	struct bench b = { 0 };
	uint64_t before_ns;
	int ret = 0;

	g->on = pw_zalloc((h->n_oracles + 1) * sizeof(*g->on));
	if (recall(h, g, key))
		goto out;
	ret = open_all(h, err);
	if (!ret)
		ret = hunt_write_mutant(h, mut, err);
	if (ret)
		goto out;
	bench_init(h, &b, path);
	ret = measure(h, g, &b, err);
	before_ns = h->spent_ns;
	for (size_t i = 0; i < 2 * b.n; i++)
		hunt_spent(h, &b.c[i].series);
	if (!ret)
		ret = note_down(h, g, key, h->spent_ns - before_ns, err);
	bench_release(&b);
out:
	if (!ret && g->judged)
		score_group(h, g);
	free(path);
	free(key);
	return ret;
}

/* 2 the same work for sure, 0 other work for sure. */
static int honesty(const struct group *g)
{
	return g->counts == COUNTS_DIFFER ? 0
	       : g->counts == COUNTS_SAME ? 2
					  : 1;
}

static int by_prospect(const void *a, const void *b)
{
	const struct group *x = *(struct group *const *)a;
	const struct group *y = *(struct group *const *)b;

	if (!honesty(x) != !honesty(y))
		return honesty(x) ? -1 : 1;
	if (x->same_digest != y->same_digest)
		return x->same_digest ? -1 : 1;
	if (honesty(x) != honesty(y))
		return honesty(x) > honesty(y) ? -1 : 1;
	if (x->closed != y->closed)
		return x->closed < y->closed ? 1 : -1;
	return x->candidate < y->candidate ? -1 : 1;
}

struct group **judge_order(struct hunt *h, size_t *n)
{
	struct group **g = pw_zalloc((h->n_groups + 1) * sizeof(*g));

	*n = 0;
	for (size_t i = 0; i < h->n_groups; i++)
		if (h->groups[i].effective)
			g[(*n)++] = &h->groups[i];
	if (*n)
		qsort(g, *n, sizeof(*g), by_prospect);
	return g;
}

int hunt_judge(struct hunt *h, struct pw_err *err)
{
	uint64_t start = pw_now_ns();
	size_t n, n_honest = 0, n_cures = 0, n_others = 0;
	struct group **g = judge_order(h, &n);
	int ret = 0;

	h->n_effective = n;
	if (n > JUDGED_MAX)
		n = JUDGED_MAX;
	for (size_t i = 0; i < n && !ret; i++) {
		bool may_be = honesty(g[i]) && g[i]->same_digest;

		if (!honesty(g[i]) && n_honest >= HONEST_ENOUGH)
			break;
		if (!may_be && n_cures >= CURES_ENOUGH &&
		    n_others >= OTHERS_SHOWN)
			break;
		n_others += !may_be;
		n_honest += honesty(g[i]) != 0;
		hunt_progress(h, "judge", i, n, start);
		ret = judge_one(h, g[i], err);
		n_cures += g[i]->judged && hunt_is_cure(g[i]);
	}
	free(g);
	return ret;
}
