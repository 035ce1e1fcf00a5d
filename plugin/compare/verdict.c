// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tells which figures differ: an estimate for each run, for each side, their
 * difference against a margin, and all of them together. The method stands in
 * perfwasm/compare.h.
 */
#include "compare-impl.h"

#include <math.h>
#include <stdlib.h>

#define UNKNOWN ((struct pw_estimate){ NAN, NAN, NAN })
#define NOTHING ((struct pw_estimate){ 0, 0, INFINITY })

#define ENOUGH_RUNS 3

static bool is_repeated(const struct comparison *c, uint32_t run)
{
	uint32_t side = 0;

	while (run >= c->sides[side].n_runs)
		run -= c->sides[side++].n_runs;
	return c->sides[side].n_runs >= ENOUGH_RUNS;
}

/* --- a run -------------------------------------------------------------------------- */

/* Seconds of each block; the last may be shorter. The caller frees. */
static double *weights(struct pw_report_time t, int n)
{
	double *w = pw_alloc((size_t)n * sizeof(*w));
	double block = (double)t.block_ns / 1e9;
	double last = (double)t.span_ns / 1e9 - block * (n - 1);

	for (int i = 0; i < n; i++)
		w[i] = block;
	if (last > 0 && last < block)
		w[n - 1] = last;
	return w;
}

/* What a total of a part of a capture is divided by. */
static double seconds(const struct comparison *c, const struct sum *sum)
{
	double s = (double)sum->time.span_ns / 1e9;

	return c->opts.per != PW_PER_RUN && s > 0 ? s : 1;
}

static double whole_of_run(const struct measure *m, uint32_t run)
{
	return isnan(m->wholes[run]) ? m->sums[run].value : m->wholes[run];
}

static double divisor(const struct comparison *c, const struct figure *f,
		      uint32_t run)
{
	const struct measure *m = measure_of(c, f);

	return is_share(c, f) ? whole_of_run(m, run)
			      : seconds(c, &m->sums[run]);
}

/* Of several runs, how they differ tells the noise: the blocks only say how
 * little it can't be. */
static struct pw_estimate by_blocks(const struct comparison *c, uint32_t run,
				    const double *x, const double *w, int n)
{
	return is_repeated(c, run) ? pw_block_flicker(x, w, (size_t)n)
				   : pw_block_estimate(x, w, (size_t)n);
}

/* The error of a total by its blocks, as the value is shown. */
static struct pw_estimate error_of_blocks(const struct comparison *c,
					  const struct figure *f, uint32_t run)
{
	const struct sum *s = &f->runs[run];
	const struct sum *all = &measure_of(c, f)->sums[run];
	struct pw_report_time t = s->time;
	struct pw_estimate e = { NAN, NAN, NAN };
	double *w;

	if (!t.block_ns || s->n_blocks < 4)
		return e;
	if (is_share(c, f))
		return all->lacks_blocks || all->n_blocks != s->n_blocks
			       ? e
			       : by_blocks(c, run, s->blocks, all->blocks,
					   s->n_blocks);
	w = weights(t, s->n_blocks);
	e = by_blocks(c, run, s->blocks, w, s->n_blocks);
	free(w);
	if (c->opts.per == PW_PER_RUN)
		e.se *= (double)t.span_ns / 1e9;
	return e;
}

/* Of events that come alone, chance makes as many more or less as the root of
 * their number, even if each block has the same. */
static double by_chance(const struct figure *f, double n)
{
	return f->is_lone && f->unit == PW_UNIT_COUNT ? sqrt(fabs(n) + 1) : 0;
}

static struct pw_estimate total_of_run(const struct comparison *c,
				       const struct figure *f, uint32_t run)
{
	const struct sum *s = &f->runs[run];
	double by = divisor(c, f, run);
	struct pw_estimate e = { NAN, NAN, NAN };

	if (!s->lacks_blocks && !s->blocks)
		return (struct pw_estimate){ 0, by_chance(f, 0) / by,
					     INFINITY };
	if (!s->lacks_blocks)
		e = error_of_blocks(c, f, run);
	/* what the report says is exact, blocks may be rounded */
	e.value = s->value / by;
	if (e.se < by_chance(f, s->value) / by)
		e.se = by_chance(f, s->value) / by;
	return e;
}

/* A count that is the same in all runs of the same. */
static struct pw_estimate exact_of_run(const struct comparison *c,
				       const struct figure *f, uint32_t run)
{
	const struct sum *s = &f->runs[run];

	if (s->n_rows)
		return (struct pw_estimate){ s->value, 0, INFINITY };
	return has_kin(c, f, run) ? NOTHING : UNKNOWN;
}

static struct pw_estimate of_run(const struct comparison *c,
				 const struct figure *f, uint32_t run)
{
	const struct table *t = &c->tables[f->table];
	const struct sum *s = &f->runs[run];
	struct pw_estimate e = { s->value, NAN, NAN };

	if (f->amount == PW_AMOUNT_EXACT)
		return exact_of_run(c, f, run);
	if (!s->n_rows)
		return f->amount == PW_AMOUNT_TOTAL && t->in_run[run] &&
				       !t->cut_in_run[run] && !t->is_facts
			       ? total_of_run(c, f, run)
			       : UNKNOWN;
	if (f->amount == PW_AMOUNT_TOTAL)
		return total_of_run(c, f, run);
	/* that a state holds still tells nothing of other runs */
	if (s->blocks && !s->lacks_blocks &&
	    (f->amount == PW_AMOUNT_LEVEL || is_repeated(c, run)))
		e = by_blocks(c, run, s->blocks, NULL, s->n_blocks);
	e.value = s->value / s->n_rows;
	return e;
}

/* --- a side ---------------------------------------------------------------------------- */

static struct pw_estimate of_side(const struct comparison *c,
				  const struct figure *f, uint32_t side)
{
	uint32_t n = c->sides[side].n_runs, run = first_run(c, side);
	double *values = pw_alloc(n * sizeof(*values));
	struct pw_estimate within = NOTHING, between;

	for (uint32_t i = 0; i < n; i++) {
		struct pw_estimate e = of_run(c, f, run + i);

		values[i] = e.value;
		within = pw_estimate_sum(within, e);
	}
	within = pw_estimate_scale(within, 1.0 / n);
	between = pw_mean_estimate(values, n);
	free(values);
	/* two runs alone tell too little of how runs differ */
	if (n < ENOUGH_RUNS && isnan(within.se))
		return within;
	return isnan(within.se) || between.se > within.se ? between : within;
}

/* --- the margin --------------------------------------------------------------------------- */

static double mean_whole(const struct comparison *c, const struct figure *f,
			 uint32_t side)
{
	const struct measure *m = measure_of(c, f);
	uint32_t n = c->sides[side].n_runs, run = first_run(c, side);
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += whole_of_run(m, run + i) / divisor(c, f, run + i);
	return sum / n;
}

double whole_of(const struct comparison *c, const struct figure *f,
		uint32_t side)
{
	return f->amount == PW_AMOUNT_TOTAL && !f->is_lone &&
			       !c->tables[f->table].is_facts
		       ? mean_whole(c, f, side)
		       : NAN;
}

/* Of the runs that have it. */
static double mean_seconds(const struct comparison *c, const struct figure *f)
{
	double sum = 0;
	uint32_t n = 0;

	for (uint32_t run = 0; run < c->n_runs; run++) {
		if (!f->runs[run].time.span_ns)
			continue;
		sum += (double)f->runs[run].time.span_ns / 1e9;
		n++;
	}
	return n ? sum / n : 1;
}

/* What a difference is at least so large as. */
static double margin_of(const struct comparison *c, const struct figure *f,
			uint32_t side)
{
	double a = fabs(f->sides[0].value), b = fabs(f->sides[side].value);
	double whole = fmax(whole_of(c, f, 0), whole_of(c, f, side));
	double share = isnan(whole) ? 0 : c->opts.min_share * whole;
	double least = is_share(c, f) ? 0 : f->least;

	if (f->amount == PW_AMOUNT_EXACT)
		return 0.5;
	if (f->amount == PW_AMOUNT_TOTAL && c->opts.per == PW_PER_RUN)
		least *= mean_seconds(c, f);
	return fmax(fmax(share, least), c->opts.min_change * fmax(a, b));
}

static bool is_small(const struct figure *f, uint32_t side)
{
	return fabs(f->sides[0].value) + fabs(f->sides[side].value) <=
	       f->judged[side].margin;
}

/* --- all together ---------------------------------------------------------------------------------- */

bool is_different(enum verdict v)
{
	return v <= VERDICT_CHANGED;
}

const char *verdict_name(enum verdict v)
{
	static const char *const names[] = {
		"worse", "better", "changed",    "not distinguishable",
		"same",  "small",  "not judged",
	};

	return names[v];
}

static enum verdict direction(const struct figure *f, double d)
{
	if (f->better == PW_BETTER_NEITHER)
		return VERDICT_CHANGED;
	return (d > 0) == (f->better == PW_BETTER_MORE) ? VERDICT_BETTER
							: VERDICT_WORSE;
}

/* Chance has no part in it. */
static void judge_exact(struct comparison *c, const struct figure *f,
			struct judged *j)
{
	double d = j->difference.value;

	j->p = NAN;
	if (isnan(d))
		return;
	j->verdict = d == 0 ? VERDICT_SAME : direction(f, d);
	c->n_different += d != 0;
}

static bool lacks_runs(const struct comparison *c, const struct figure *f,
		       uint32_t side)
{
	return f->is_lone && !one_run_tells(f) &&
	       (c->sides[0].n_runs < ENOUGH_RUNS ||
		c->sides[side].n_runs < ENOUGH_RUNS);
}

static void measure_difference(struct comparison *c, struct figure *f,
			       uint32_t side)
{
	struct judged *j = &f->judged[side];

	j->difference = pw_estimate_sum(f->sides[side],
					pw_estimate_scale(f->sides[0], -1));
	j->margin = margin_of(c, f, side);
	j->p = pw_estimate_p(j->difference, j->margin);
	j->verdict = VERDICT_UNKNOWN;
	if (f->amount == PW_AMOUNT_EXACT) {
		judge_exact(c, f, j);
	} else if (is_recorder(f) || lacks_runs(c, f, side)) {
		j->p = NAN;
	} else if (is_small(f, side)) {
		j->verdict = VERDICT_SMALL;
		j->p = NAN;
	}
	rank(c, f, side);
}

/* The largest p that is a discovery. */
static double threshold(struct comparison *c)
{
	size_t max = (size_t)c->n_figures * c->n_sides;
	double *p = pw_alloc((max + 1) * sizeof(*p)), t;
	struct figure *f, *next;

	HASH_ITER (hh, c->figures, f, next) {
		for (uint32_t s = 1; s < c->n_sides; s++)
			if (!isnan(f->judged[s].p))
				p[c->n_judged++] = f->judged[s].p;
	}
	t = pw_fdr_threshold(p, c->n_judged, 1 - c->opts.level);
	for (uint32_t i = 0; i < c->n_judged; i++)
		c->n_different += p[i] <= t && t > 0;
	free(p);
	c->interval_level = 1 - (1 - c->opts.level) *
					(c->n_different ? c->n_different : 1) /
					(c->n_judged ? c->n_judged : 1);
	return t;
}

static void decide(struct comparison *c, struct figure *f, uint32_t side,
		   double t)
{
	struct judged *j = &f->judged[side];

	j->interval = pw_estimate_interval(j->difference, c->interval_level);
	if (isnan(j->p))
		return;
	if (j->p <= t)
		j->verdict = direction(f, j->difference.value);
	else if (j->interval.lo >= -j->margin && j->interval.hi <= j->margin)
		j->verdict = VERDICT_SAME;
	else
		j->verdict = VERDICT_NOISE;
}

void judge(struct comparison *c)
{
	struct figure *f, *next;
	double t;

	HASH_ITER (hh, c->figures, f, next) {
		for (uint32_t s = 0; s < c->n_sides; s++)
			f->sides[s] = of_side(c, f, s);
	}
	HASH_ITER (hh, c->figures, f, next) {
		for (uint32_t s = 1; s < c->n_sides; s++)
			measure_difference(c, f, s);
	}
	t = threshold(c);
	HASH_ITER (hh, c->figures, f, next) {
		for (uint32_t s = 1; s < c->n_sides; s++)
			decide(c, f, s, t);
	}
}
