// SPDX-License-Identifier: GPL-2.0-only
/*
 * A step of a hunt, explain: why what was isolated is slow. Gathers the
 * facts that the steps before found, has hardware events counted where there
 * are any, and asks plugin/explain.
 */
#include "explain-step.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- counters -------------------------------------------------------------------- */

/* Both runs, of the original and of a mutant, counted. */
struct event_counts {
	const char *pmu;
	struct pw_explain_count counts[PW_EVENTS_MAX];
	uint32_t n;
};

/* One run on the suspect between two readings. */
static int count_run(struct hunt *h, struct pw_events *c, const char *module,
		     uint64_t *counts, struct pw_err *err)
{
	uint64_t before[PW_EVENTS_MAX], after[PW_EVENTS_MAX];
	struct pw_host_request req;
	struct pw_host_reply reply;
	int ret;

	pw_guest_request(&h->box, module, &req);
	pw_events_read(c, before);
	pw_events_run(c, true);
	ret = hunt_run(h, &h->suspect, &req, &reply, err);
	pw_events_run(c, false);
	pw_events_read(c, after);
	for (uint32_t i = 0; i < c->n; i++)
		counts[i] = after[i] - before[i];
	return ret;
}

/* Only what is started after the counters is counted: the host starts anew,
 * and a run that is not counted makes it ready. */
static int count_both(struct hunt *h, const char *mutant,
		      struct event_counts *out, struct pw_err *err)
{
	uint64_t slow[PW_EVENTS_MAX], fast[PW_EVENTS_MAX];
	struct pw_events c;
	char why[sizeof(h->no_counters)];
	int ret;

	out->pmu = pw_explain_pmu(why, sizeof(why));
	if (!out->pmu) {
		memcpy(h->no_counters, why, sizeof(why));
		return 0;
	}
	if (pw_events_open(&c, out->pmu, NULL))
		return 0;
	pw_session_close(h->suspect.session);
	h->suspect.session = NULL;
	ret = count_run(h, &c, mutant, fast, err);
	if (!ret)
		ret = count_run(h, &c, h->module_path, slow, err);
	if (!ret)
		ret = count_run(h, &c, mutant, fast, err);
	for (uint32_t i = 0; i < c.n && !ret; i++)
		out->counts[out->n++] =
			(struct pw_explain_count){ c.event[i], slow[i],
						   fast[i] };
	pw_events_close(&c);
	return ret;
}

/* --- predictions ------------------------------------------------------------------- */

/* Of the hottest loop of each code. */
static void predict(struct why *w, const struct pw_explain_input *in)
{
	const char *arch = pw_code_arch(in->slow.code);
	struct pw_loop_study *fast = NULL;
	uint32_t n_fast = 0;

	if (!w->n_loops)
		return;
	if (pw_explain_mca(in->slow.insns, &w->loops[0], arch, &w->mca_slow,
			   &w->no_mca)) {
		w->mca_slow.cycles = 0;
		return;
	}
	if (in->fast.code &&
	    !pw_explain_loops(in->fast.code, in->fast.insns, in->fast.n, NULL,
			      &fast, &n_fast, NULL) &&
	    n_fast == 1 &&
	    pw_explain_mca(in->fast.insns, &fast[0], arch, &w->mca_fast, NULL))
		w->mca_fast.cycles = 0;
	pw_loop_studies_free(fast, n_fast);
}

/* --- one finding ------------------------------------------------------------------- */

/* The function to explain: the one that differs, else the mutated one. */
static int slow_side(struct hunt *h, const struct pw_code *code,
		     const struct group *g, uint32_t *func_idx,
		     struct side **side, struct pw_err *err)
{
	*func_idx = g->evidence ? g->evidence->func_idx
				: h->candidates[g->candidate].mut.func_idx;
	for (uint32_t i = 0; i < pw_code_n_funcs(code); i++)
		if (pw_code_func(code, i)->wasm_idx == (int64_t)*func_idx)
			return side_of(h, code, i, side, err);
	*side = NULL;
	return 0;
}

static uint32_t *accused_of(const struct evidence *e)
{
	uint32_t n = e ? e->n_accused : 0;
	uint32_t *list = pw_alloc((n + 1) * sizeof(*list));

	for (uint32_t i = 0; i < n; i++)
		list[i] = e->accused[i].insn;
	return list;
}

static bool shows(const struct why *w, enum pw_pattern p)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->list[i].pattern == p)
			return true;
	return false;
}

/* First without probes; then with those of the patterns that are there. */
static int explain_probed(struct hunt *h, const struct group *g,
			  struct pw_explain_input *in, struct why *w,
			  struct pw_err *err)
{
	struct pw_explain_probe probes[2];
	uint32_t n = 0;
	char how[sizeof(w->no_probe)] = "", where[120];
	int ret = pw_explain(in, &w->list, &w->n, err);

	if (!ret && shows(w, PW_PATTERN_false_dependence))
		ret = probe_registers(h, probes, &n, how, sizeof(how), err);
	if (!n)
		memcpy(w->no_probe, how, sizeof(how));
	if (!ret && shows(w, PW_PATTERN_placement))
		probe_places(g, probes, &n, where, sizeof(where));
	if (ret || !n)
		return ret;
	pw_explanations_free(w->list, w->n);
	w->list = NULL;
	w->n = 0;
	in->probes = probes;
	in->n_probes = n;
	ret = pw_explain(in, &w->list, &w->n, err);
	in->n_probes = 0;
	return ret;
}

/* The lower tier that compiled most of what ran; the caller frees. */
static char *lower_tier(const struct hunt *h)
{
	const struct pw_triage *t = h->triage.sides[0].t;

	if (!t || 2 * t->baseline_ns <= t->spent_ns[PW_SPENT_CODE])
		return NULL;
	return pw_asprintf("a lower tier of %s", h->suspect.rt.spec);
}

/* An engine that has a lower tier, and it compiled next to nothing that ran. */
static bool is_optimised(const struct hunt *h)
{
	const struct pw_triage *t = h->triage.sides[0].t;

	return t && h->suspect.rt.baseline && t->spent_ns[PW_SPENT_CODE] &&
	       20 * t->baseline_ns <= t->spent_ns[PW_SPENT_CODE];
}

static int ask(struct hunt *h, const struct group *g, struct side *slow,
	       struct pw_explain_input *in, struct why *w, struct pw_err *err)
{
	const struct evidence *e = g->evidence;
	uint32_t *accused = accused_of(e);
	char *tier = lower_tier(h);
	int ret;

	in->slow.insns = slow->insns;
	in->slow.n = slow->n;
	in->slow.share = h->samples.n ? slow->share : NULL;
	in->accused = accused;
	in->n_accused = e ? e->n_accused : 0;
	in->lines = e ? e->lines : NULL;
	in->n_lines = e ? e->n_lines : 0;
	in->module = h->module;
	in->outside = h->samples.n_samples ? 1 - h->samples.in_code : 0;
	w->slow = slow;
	in->moves_with_place = h->place.is_cause || hunt_is_placement(g);
	in->baseline_tier = tier;
	in->optimised = is_optimised(h);
	ret = explain_probed(h, g, in, w, err);
	if (!ret)
		ret = pw_explain_loops(in->slow.code, slow->insns, slow->n,
				       in->slow.share, &w->loops, &w->n_loops,
				       err);
	if (!ret)
		ret = turns_take(h, w, err);
	if (!ret)
		predict(w, in);
	in->baseline_tier = NULL;
	free(tier);
	free(accused);
	return ret;
}

static int explain_one(struct hunt *h, const struct pw_code *code,
		       const struct group *g, struct why *w, struct pw_err *err)
{
	char *path = pw_asprintf("%s/" HUNT_MUTANT, h->box.dir);
	struct pw_explain_input in = { .slow = { .code = code } };
	const struct pw_code_func *f = NULL;
	struct pw_minsn *fast = NULL;
	struct image im = { .code = NULL };
	struct event_counts counted = { .pmu = NULL };
	struct side *slow = NULL;
	int ret = slow_side(h, code, g, &in.func_idx, &slow, err);

	if (!ret && slow)
		ret = hunt_write_mutant(h, &h->candidates[g->candidate].mut,
					err);
	if (!ret && slow)
		ret = hunt_compile(h, path, &im, err);
	if (!ret && im.code)
		f = pw_code_func_find(im.code, in.func_idx);
	if (!ret && f)
		ret = pw_code_disasm(im.code, f, &fast, &in.fast.n, err);
	in.fast.insns = fast;
	in.fast.code = f ? im.code : NULL;
	if (!ret && slow)
		ret = count_both(h, path, &counted, err);
	in.pmu = counted.pmu;
	in.counts = counted.counts;
	in.n_counts = counted.n;
	if (!ret && slow)
		ret = ask(h, g, slow, &in, w, err);
	free(fast);
	hunt_image_release(&im);
	free(path);
	return ret;
}

void why_release(struct why *w)
{
	pw_explanations_free(w->list, w->n);
	pw_loop_studies_free(w->loops, w->n_loops);
}

int hunt_explain(struct hunt *h, struct pw_err *err)
{
	uint64_t start = pw_now_ns();
	struct image im = { .code = NULL };
	int ret = 0;

	if (!h->suspect.rt.shows_code || !h->n_findings)
		return 0;
	h->whys = pw_zalloc((h->n_findings + 1) * sizeof(*h->whys));
	h->n_whys = h->n_findings;
	ret = hunt_compile(h, h->module_path, &im, err);
	for (size_t i = 0; i < h->n_findings && !ret && im.code; i++) {
		hunt_progress(h, "explain", i, h->n_findings, start);
		ret = explain_one(h, im.code, &h->groups[h->findings[i]],
				  &h->whys[i], err);
	}
	hunt_image_release(&im);
	return ret;
}
