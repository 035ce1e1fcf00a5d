// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contestants in turn, so that what drifts (frequency, temperature, the
 * neighbours) meets all of them alike, until their ratio is known well
 * enough. Decides nothing about what a ratio means.
 */
#include <perfwasm/measure.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_BOOT 1000

void pw_series_release(struct pw_series *s)
{
	if (!s)
		return;
	free(s->cpu_ms);
	free(s->wall_ms);
	memset(s, 0, sizeof(*s));
}

static bool is_alive(const struct pw_series *s)
{
	return !s->n_runs || s->outcome == PW_OUT_OK ||
	       s->outcome == PW_OUT_EXIT;
}

static void add_run(struct pw_series *s, const struct pw_host_reply *r)
{
	s->last = *r;
	s->outcome = r->outcome;
	if (!s->n_runs++) {
		s->first_outcome = r->outcome;
		s->first_exit_code = r->exit_code;
	}
	if (!is_alive(s) || r->outcome != s->first_outcome ||
	    r->exit_code != s->first_exit_code)
		return;
	s->cpu_ms = pw_realloc(s->cpu_ms, (s->n + 1) * sizeof(*s->cpu_ms));
	s->wall_ms = pw_realloc(s->wall_ms, (s->n + 1) * sizeof(*s->wall_ms));
	s->wall_ms[s->n] = r->wall_ns / 1e6;
	s->cpu_ms[s->n++] = r->cpu_ns / 1e6;
}

struct pw_ratio pw_series_ratio(const struct pw_series *a,
				const struct pw_series *b, uint64_t seed)
{
	return (struct pw_ratio){
		.ratio =
			pw_median(a->cpu_ms, a->n) / pw_median(b->cpu_ms, b->n),
		.ci = pw_bootstrap_ratio(a->cpu_ms, a->n, b->cpu_ms, b->n, 0.95,
					 N_BOOT, seed),
		.n_a = a->n,
		.n_b = b->n,
	};
}

/* Also when it never can be: one of the two is not run any more. */
static bool is_tight(const struct pw_contestant *c, size_t n, double width,
		     uint64_t seed)
{
	struct pw_ratio r;

	if (!(width > 0) || n < 2)
		return false;
	if (!is_alive(&c[0].series) || !is_alive(&c[1].series))
		return true;
	if (c[0].series.n < 2 || c[1].series.n < 2)
		return false;
	r = pw_series_ratio(&c[0].series, &c[1].series, seed);
	return r.ci.hi - r.ci.lo < width * r.ratio;
}

static int run_round(struct pw_contestant *c, size_t n, bool *any,
		     struct pw_err *err)
{
	struct pw_host_reply reply;
	int ret = 0;

	*any = false;
	for (size_t i = 0; i < n && !ret; i++) {
		if (!is_alive(&c[i].series))
			continue;
		ret = pw_session_run(c[i].session, &c[i].req, &reply, err);
		if (!ret) {
			add_run(&c[i].series, &reply);
			*any |= is_alive(&c[i].series);
		}
	}
	return ret;
}

int pw_interleave(struct pw_contestant *c, size_t n_contestants,
		  const struct pw_interleave_opts *o, struct pw_err *err)
{
	uint64_t from = pw_now_ns();
	bool any;
	int ret;

	for (size_t round = 1;; round++) {
		ret = run_round(c, n_contestants, &any, err);
		if (ret || !any)
			return ret;
		if (o->budget_ns && pw_now_ns() - from >= o->budget_ns)
			return 0;
		if (round < o->min_rounds)
			continue;
		if (round >= o->max_rounds ||
		    is_tight(c, n_contestants, o->ratio_width, o->seed))
			return 0;
	}
}
