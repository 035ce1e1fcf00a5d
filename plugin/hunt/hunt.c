// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hunt as the list of its steps. Each step is one call whose contract is
 * the comment beside it; what it finds is in struct hunt and, unit by unit,
 * in the journal, so that a killed hunt goes on where it was.
 */
#include "explain/contrast.h"
#include "explain/explain-step.h"
#include "triage/triage-step.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void pw_hunt_opts_init(struct pw_hunt_opts *o)
{
	memset(o, 0, sizeof(*o));
	pw_guest_init(&o->guest);
	o->min_gap = 1.25;
	o->weight_perf = 0.5;
	o->weight_same = 0.5;
	o->budget = 800;
	o->run_ms = 25;
	o->max_findings = 3;
	o->seed = 1;
}

/* A step and the condition under which a hunt need not go further. */
static int run_steps(struct hunt *h, struct pw_err *err)
{
	static int (*const steps[])(struct hunt *, struct pw_err *) = {
		/* the module, the runtimes and the directory are there */
		hunt_prepare,
		/* how much slower than the oracles; no gap ends the hunt */
		hunt_baseline,
		/* is it in generated code? calls into the host end the
		 * hunt */
		hunt_triage,
		/* where the suspect spends its time */
		hunt_sample,
		/* a shorter run with the same gap */
		hunt_scale,
		/* what the hot code came from, where the suspect does not
		 * tell */
		hunt_origins,
		/* whether the same code is quick elsewhere; then that is the
		 * finding and ends the hunt */
		hunt_place,
		/* mutations in the order of their promise */
		hunt_sites,
		/* a shard keeps its share of them; what merged shards found is
		 * taken over */
		hunt_deal,
		/* mutants of the same machine code are one group */
		hunt_compile_and_group,
		/* which groups are faster on the suspect */
		hunt_race,
		/* which of them execute every block as often as before */
		hunt_witness,
		/* a shard ends here */
		hunt_share,
		/* which of them still do the same work, and how much of the
		 * gap they close */
		hunt_judge,
		/* the instructions that only the slow code has */
		hunt_isolate,
		/* whether that holds at other placements of the code */
		hunt_hold,
		/* why they are slow */
		hunt_explain,
		/* without a finding that closes most: what the hot function
		 * has more of than the oracle's */
		hunt_contrast,
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		int ret = steps[i](h, err);

		if (ret || h->no_gap || h->ends_outside || h->place.is_all ||
		    h->is_share)
			return ret;
	}
	return 0;
}

static void release_runner(struct runner *r)
{
	pw_session_close(r->session);
	pw_series_release(&r->base);
	pw_runtime_release(&r->rt);
}

static void hunt_release(struct hunt *h)
{
	for (size_t i = 0; i < h->n_groups; i++) {
		free(h->groups[i].on);
		hunt_evidence_free(h->groups[i].evidence);
	}
	for (size_t i = 0; i < h->n_sides; i++) {
		free(h->sides[i].insns);
		free(h->sides[i].share);
		free(h->sides[i].hot);
	}
	for (size_t i = 0; i < h->n_whys; i++)
		why_release(&h->whys[i]);
	free(h->whys);
	contrast_release(h->contrast);
	for (size_t i = 0; i < h->n_oracles; i++)
		release_runner(&h->oracles[i]);
	release_runner(&h->suspect);
	free(h->oracles);
	free(h->groups);
	free(h->candidates);
	free(h->sides);
	free(h->ranking);
	free(h->findings);
	free(h->origins.v);
	free(h->samples.text_off);
	free(h->samples.wasm_off);
	free(h->samples.share);
	free(h->scaled);
	free(h->counts.on);
	pw_count_plan_free(h->counts.plan);
	free(h->counts.base);
	hunt_triage_release(h);
	pw_module_free(h->module);
	pw_module_free(h->given);
	pw_buf_release(&h->bytes);
	pw_file_close(&h->file);
	pw_guest_box_release(&h->box);
	free(h->module_path);
	pw_journal_close(h->journal);
}

int pw_hunt_run(const struct pw_hunt_opts *opts, struct pw_report *report,
		enum pw_hunt_verdict *verdict, struct pw_err *err)
{
	struct hunt h = { .o = opts };
	struct pw_err own;
	int ret = run_steps(&h, err ? err : &own);

	if (!ret) {
		*verdict = h.no_gap     ? PW_HUNT_NO_GAP
			   : h.is_share ? PW_HUNT_SHARE
			   : h.n_findings || h.place.is_cause ||
					   hunt_is_outside(&h)
				   ? PW_HUNT_FOUND
				   : PW_HUNT_NOTHING;
		hunt_present(&h, report);
		if (opts->bundle && !h.no_gap)
			ret = hunt_bundle(&h, opts->bundle, err ? err : &own);
	}
	hunt_release(&h);
	return ret;
}
