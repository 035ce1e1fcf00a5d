// SPDX-License-Identifier: GPL-2.0-only
/*
 * A step of a hunt, triage: is the excess in generated code? Where it is not,
 * and the module's calls into the host lead there, mutants cannot say more and
 * the hunt ends with what was recorded. Without perf the hunt goes on.
 */
#include "triage-step.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_WANTED 4000
#define PERIOD_MIN_NS  100000
#define PERIOD_MAX_NS  1000000
/* Short calls are recorded several times, for this long in all. */
#define RECORDED_MS 400
#define RUNS_MAX    20
/* Below this share of the excess, what is outside needs no closer look. */
#define LOOK_SHARE 0.1

/* --- one side ---------------------------------------------------------------- */

struct pw_triage_opts hunt_recording(const struct hunt *h,
				     const struct runner *r)
{
	double ms = r->base_ms > 0.01 ? r->base_ms : 0.01;
	double n = RECORDED_MS / ms, period;
	struct pw_triage_opts o = { .dir = h->box.dir,
				    .shows_code = r->rt.shows_code };

	o.n_runs = n < 1 ? 1 : n > RUNS_MAX ? RUNS_MAX : (uint32_t)n;
	period = ms * 1e6 * o.n_runs / SAMPLES_WANTED;
	o.period_ns = period < PERIOD_MIN_NS   ? PERIOD_MIN_NS
		      : period > PERIOD_MAX_NS ? PERIOD_MAX_NS
					       : (uint64_t)period;
	return o;
}

static int record(struct hunt *h, struct runner *r, bool calls,
		  struct pw_triage *t, struct pw_err *err)
{
	struct pw_triage_opts o = hunt_recording(h, r);
	struct pw_host_request req;
	struct pw_host_reply reply;
	int ret = hunt_open(h, r, err);

	pw_guest_request(&h->box, h->module_path, &req);
	req.digest = false;
	if (!ret)
		ret = pw_triage_record(r->session, &req, &o, calls, t, &reply,
				       err);
	h->spent_ns += t->cpu_ns * t->n_runs;
	return ret;
}

/* From the journal, or recorded and noted there. */
static int side(struct hunt *h, struct runner *r, const char *key, bool calls,
		struct pw_triage *t, struct pw_err *err)
{
	const char *text = pw_journal_find(h->journal, "triage", key);
	struct pw_buf b = { 0 };
	int ret;

	if (text && !pw_triage_parse(t, text, err)) {
		h->spent_ns += t->cpu_ns * t->n_runs;
		return 0;
	}
	hunt_progress(h, "triage", 0, 0, 0);
	ret = record(h, r, calls, t, err);
	if (!ret) {
		pw_triage_print(t, &b);
		ret = pw_journal_add(h->journal, "triage", key, err, "%s",
				     pw_buf_str(&b));
	}
	pw_buf_release(&b);
	return ret;
}

static int calls_of(struct hunt *h, struct runner *r, const char *key,
		    struct pw_triage *t, struct pw_err *err)
{
	struct pw_triage c = { 0 };
	int ret = side(h, r, key, true, &c, err);

	if (!ret)
		pw_triage_take_calls(t, &c);
	pw_triage_release(&c);
	return ret;
}

/* --- both sides ---------------------------------------------------------------- */

static double best_wall_ns(const struct runner *r)
{
	return r->base.wall_ms ? pw_min(r->base.wall_ms, r->base.n) * 1e6 : 0;
}

static struct pw_triage_side describe(const struct runner *r,
				      const struct pw_triage *t)
{
	return (struct pw_triage_side){ .spec = r->rt.spec,
					.t = t->n_runs ? t : NULL,
					.cpu_ns = r->base_ms * 1e6,
					.wall_ns = best_wall_ns(r) };
}

static void compare(struct hunt *h)
{
	struct triage *t = &h->triage;

	t->sides[0] = describe(&h->suspect, &t->recorded[0]);
	t->sides[1] = describe(t->oracle, &t->recorded[1]);
	pw_triage_compare(&t->sides[0], &t->sides[1],
			  pw_module_n_imported(h->given, PW_EXT_FUNC) > 0,
			  &t->gap);
}

static bool worth_a_look(const struct hunt *h)
{
	const struct pw_triage_gap *g = &h->triage.gap;

	return h->waits_only || g->outside_ns > LOOK_SHARE * g->total_ns;
}

static bool calls_matter(const struct pw_triage_gap *g)
{
	double ns =
		g->excess_ns[PW_SPENT_KERNEL] + g->excess_ns[PW_SPENT_WAITING];

	return ns > LOOK_SHARE * g->total_ns;
}

static int record_both(struct hunt *h, struct pw_err *err)
{
	struct triage *t = &h->triage;
	int ret = side(h, &h->suspect, "suspect", false, &t->recorded[0], err);

	if (ret)
		return ret;
	compare(h);
	if (!worth_a_look(h))
		return 0;
	ret = side(h, t->oracle, "oracle", false, &t->recorded[1], err);
	if (ret)
		return ret;
	compare(h);
	if (!calls_matter(&t->gap))
		return 0;
	ret = calls_of(h, &h->suspect, "suspect calls", &t->recorded[0], err);
	if (!ret)
		ret = calls_of(h, t->oracle, "oracle calls", &t->recorded[1],
			       err);
	compare(h);
	return ret;
}

/* --- the step -------------------------------------------------------------------- */

/* Why nothing was recorded: said, and the hunt goes on. */
static int go_without(struct hunt *h, struct pw_err *err)
{
	free(h->triage.why_not);
	h->triage.why_not = pw_strdup(err->msg);
	h->ends_outside = h->waits_only;
	return pw_journal_add(h->journal, "triage", "none", err, "%s",
			      h->triage.why_not);
}

/* CPU time and waiting together: is there a gap of that? */
static bool waiting_is_a_gap(const struct hunt *h)
{
	const struct pw_triage_side *s = h->triage.sides;
	double a = s[0].cpu_ns, b = s[1].cpu_ns;

	if (!s[0].t || !s[1].t)
		return false;
	a += (double)s[0].t->spent_ns[PW_SPENT_WAITING];
	b += (double)s[1].t->spent_ns[PW_SPENT_WAITING];
	return a > h->o->min_gap * b;
}

static void judge(struct hunt *h)
{
	struct triage *t = &h->triage;

	t->is_known = true;
	if (h->waits_only && !waiting_is_a_gap(h))
		h->no_gap = true;
	else if (h->waits_only || t->gap.where == PW_EXCESS_HOST)
		h->ends_outside = true;
}

int hunt_triage(struct hunt *h, struct pw_err *err)
{
	const char *none = pw_journal_find(h->journal, "triage", "none");
	int ret;

	h->triage.oracle = (struct runner *)hunt_reference(h);
	if (none) {
		h->triage.why_not = pw_strdup(none);
		h->ends_outside = h->waits_only;
		return 0;
	}
	ret = record_both(h, err);
	if (ret == -ENOTSUP || ret == -EINVAL)
		return go_without(h, err);
	if (ret)
		return ret;
	judge(h);
	return h->ends_outside ? hunt_host_costs(h, err) : 0;
}

bool hunt_is_outside(const struct hunt *h)
{
	const struct pw_triage_gap *g = &h->triage.gap;

	return h->triage.is_known && !h->no_gap &&
	       (h->ends_outside || g->outside_ns > g->total_ns / 2);
}

void hunt_triage_release(struct hunt *h)
{
	struct triage *t = &h->triage;

	for (size_t i = 0; i < t->n_costs; i++)
		free((char *)t->costs[i].name);
	free(t->costs);
	free(t->roads);
	free(t->why_not);
	pw_triage_release(&t->recorded[0]);
	pw_triage_release(&t->recorded[1]);
}
