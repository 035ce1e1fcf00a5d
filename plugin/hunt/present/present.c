// SPDX-License-Identifier: GPL-2.0-only
/*
 * A step of a hunt, report: what was found as a report model. Offsets are
 * those of the module that the user gave, not of the one that was run.
 */
#include "../steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../explain/contrast.h"
#include "../isolate/isolate.h"
#include "present.h"
#include "../triage/triage-step.h"

/* How many mutants the ranking shows. */
#define RANKED_SHOWN 20

static void present_runners(struct hunt *h, struct pw_node *root)
{
	struct pw_node *t = pw_table(root, "times", "Times");
	int who = pw_column(t, "runtime", "runtime", PW_UNIT_NONE, 0);
	int role = pw_column(t, "role", "role", PW_UNIT_NONE, 0);
	int ms = pw_column(t, "cpu_ms", "CPU ms", PW_UNIT_MS, PW_COL_RIGHT);
	int min = pw_column(t, "min_ms", "min ms", PW_UNIT_MS, PW_COL_RIGHT);
	int wall = pw_column(t, "wall_ms", "wall ms", PW_UNIT_MS, PW_COL_RIGHT);
	int n = pw_column(t, "runs", "runs", PW_UNIT_COUNT, PW_COL_RIGHT);
	int gap = pw_column(t, "slower", "suspect is slower", PW_UNIT_RATIO,
			    PW_COL_RIGHT);
	int note = pw_column(t, "note", "", PW_UNIT_NONE, 0);

	for (size_t i = 0; i <= h->n_oracles; i++) {
		const struct runner *r = i ? &h->oracles[i - 1] : &h->suspect;

		pw_row(t);
		pw_cell_str(t, who, r->rt.spec);
		pw_cell_str(t, role, i ? "oracle" : "suspect");
		if (!r->usable) {
			pw_cell_str(t, note, r->base.last.message);
			continue;
		}
		pw_cell_num(t, ms, r->base_ms);
		pw_cell_num(t, min, pw_min(r->base.cpu_ms, r->base.n));
		if (r->base.wall_ms)
			pw_cell_num(t, wall,
				    pw_median(r->base.wall_ms, r->base.n));
		pw_cell_int(t, n, (int64_t)r->base.n);
		if (i)
			pw_cell_num(t, gap, r->gap.ratio);
		if (i && !r->tracks_work)
			pw_cell_str(t, note,
				    "does not do the work: its time is not "
				    "believed");
	}
}

static void present_gap(struct hunt *h, struct pw_node *root)
{
	const struct runner *ref = hunt_reference(h);

	pw_fact_str(root, "suspect", "suspect", h->suspect.rt.spec);
	pw_fact_str(root, "oracle", "oracle", ref->rt.spec);
	pw_fact_interval(root, "slower", "suspect is slower",
			 h->given_gap.ratio, h->given_gap.ci.lo,
			 h->given_gap.ci.hi, PW_UNIT_RATIO);
	pw_fact_num(root, "original_ms", "one run on the suspect",
		    h->original_ms * 1e6, PW_UNIT_NS);
	if (h->scaled)
		pw_fact_str(root, "scaled", "hunted shorter", h->scaled);
}

static size_t n_cut_chain(const struct hunt *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n_groups; i++)
		n += h->groups[i].judged && chain_is_cut(&h->groups[i]);
	return n;
}

static void present_cost(struct hunt *h, struct pw_node *root)
{
	struct pw_node *s = pw_section(root, "cost", "Cost of the hunt");

	if (h->n_merged)
		pw_fact_int(s, "merged", "shards merged", (int64_t)h->n_merged,
			    PW_UNIT_COUNT);
	if (h->n_idle)
		pw_fact_int(s, "idle", "of them that made no mutants",
			    (int64_t)h->n_idle, PW_UNIT_COUNT);
	pw_fact_int(s, "candidates", "mutations considered",
		    (int64_t)h->n_candidates, PW_UNIT_COUNT);
	pw_fact_int(s, "compiled", "compiled", (int64_t)h->n_compiled,
		    PW_UNIT_COUNT);
	pw_fact_int(s, "unchanged", "of them with unchanged machine code",
		    (int64_t)h->n_unchanged, PW_UNIT_COUNT);
	pw_fact_int(s, "groups", "groups of equal machine code",
		    (int64_t)h->n_groups, PW_UNIT_COUNT);
	pw_fact_int(s, "raced", "groups that were run", (int64_t)h->n_raced,
		    PW_UNIT_COUNT);
	pw_fact_int(s, "effective", "groups that are faster",
		    (int64_t)h->n_effective, PW_UNIT_COUNT);
	if (h->counts.on) {
		pw_fact_str(s, "counted_on", "executions counted on",
			    h->counts.on);
		pw_fact_int(s, "blocks", "blocks counted", h->counts.n_blocks,
			    PW_UNIT_COUNT);
	}
	if (h->counts.n_left_out)
		pw_fact_int(s, "not_counted",
			    "functions not counted, with fewest samples",
			    h->counts.n_left_out, PW_UNIT_COUNT);
	pw_fact_num(s, "guest_ns", "CPU time of all runs", (double)h->spent_ns,
		    PW_UNIT_NS);
	pw_fact_num(s, "original_runs", "in runs of the original",
		    (double)h->spent_ns / 1e6 / h->original_ms, PW_UNIT_NONE);
	pw_fact_int(s, "cut_chain", "judged ones that hand on less each turn",
		    (int64_t)n_cut_chain(h), PW_UNIT_COUNT);
	pw_fact_int(s, "seed", "seed", (int64_t)h->o->seed, PW_UNIT_NONE);
}

static void present_ranking(struct hunt *h, struct pw_node *root)
{
	struct pw_node *t = pw_table(root, "ranking", "Mutants, best first");
	int mut = pw_column(t, "mutation", "mutation", PW_UNIT_NONE, 0);
	int score = pw_column(t, "score", "score", PW_UNIT_NONE, PW_COL_RIGHT);
	int closed = pw_column(t, "closed", "gap closed", PW_UNIT_PERCENT,
			       PW_COL_RIGHT);
	int same = pw_column(t, "ends_same", "ends the same", PW_UNIT_NONE, 0);
	int paths = pw_column(t, "paths", "same paths", PW_UNIT_NONE, 0);
	int time = pw_column(t, "oracle_time", "oracle time kept",
			     PW_UNIT_PERCENT, PW_COL_RIGHT);
	int chain = pw_column(t, "chain", "chains", PW_UNIT_NONE, 0);
	int n = pw_column(t, "accused", "insns", PW_UNIT_COUNT, PW_COL_RIGHT);

	for (size_t i = 0; i < h->n_ranked && i < RANKED_SHOWN; i++) {
		const struct group *g = &h->groups[h->ranking[i]];
		char *text = hunt_notation(h, &h->candidates[g->candidate].mut);

		pw_row(t);
		pw_cell_str(t, mut, text);
		pw_cell_num(t, score, g->score);
		pw_cell_num(t, closed, g->closed);
		pw_cell_str(t, same, g->same_digest ? "yes" : "no");
		if (g->counts != COUNTS_UNKNOWN)
			pw_cell_str(t, paths,
				    g->counts == COUNTS_SAME ? "yes" : "no");
		pw_cell_num(t, time, g->same_time);
		if (g->evidence && g->evidence->chain_is >= 0)
			pw_cell_str(t, chain, chain_is_cut(g) ? "cut" : "kept");
		if (g->evidence)
			pw_cell_int(t, n, g->evidence->n_accused);
		free(text);
	}
}

/* Those that may have closed nothing. */
static void present_unsure(const struct hunt *h, struct pw_node *root)
{
	if (h->n_unsure)
		pw_note(root, "unsure",
			"%zu mutant%s seemed to close a quarter of the gap or more, but in repeated runs %s interval holds 0: not told as %s.",
			h->n_unsure, h->n_unsure == 1 ? "" : "s",
			h->n_unsure == 1 ? "its" : "each one's",
			h->n_unsure == 1 ? "a finding" : "findings");
}

/* A gap, and no finding. */
static void present_nothing(const struct hunt *h, struct pw_node *root)
{
	if (hunt_is_outside(h))
		pw_note(root, "verdict",
			"The larger part of the excess is in the runtime's own "
			"code, and none of %zu mutants closed a quarter of "
			"it.",
			h->n_raced);
	else if (h->contrast && contrast_is_inlined(h->contrast))
		pw_note(root, "verdict",
			"No single instruction: none of %zu mutants closed a "
			"quarter of the gap and kept the work. %s inlines "
			"what is called here, turn by turn, with %.0f %% of "
			"the samples.",
			h->n_raced, h->contrast->oracle->rt.spec,
			100 * h->contrast->inlined_share);
	else if (h->contrast && contrast_is_larger(h->contrast))
		pw_note(root, "verdict",
			"No single instruction: none of %zu mutants closed a "
			"quarter of the gap and kept the work. The hot "
			"function has %u instructions where the oracle's has %u.",
			h->n_raced, h->contrast->on[0].n_insns,
			h->contrast->on[1].n_insns);
	else
		pw_note(root, "verdict",
			"There is a gap, but none of %zu mutants closed a "
			"quarter of it and kept the work. The cause may be "
			"outside the generated code, or spread over many "
			"instructions; a larger --budget looks at more.",
			h->n_raced);
}

static void present_verdict(struct hunt *h, struct pw_node *root)
{
	const struct runner *ref = hunt_reference(h);

	if (h->no_gap)
		pw_note(root, "verdict",
			"No gap: %s is not slower than %s by %.2fx or more, so "
			"there is nothing to hunt.",
			h->suspect.rt.spec, ref->rt.spec, h->o->min_gap);
	else if (h->waits_only)
		pw_note(root, "verdict",
			"%s takes no more CPU time than %s, but more wall time: "
			"it waits. Mutants were not made.",
			h->suspect.rt.spec, ref->rt.spec);
	else if (h->ends_outside)
		pw_note(root, "verdict",
			"The excess is not in generated code: the module's "
			"calls into the host take it. Mutants were not made.");
	else if (h->is_share)
		pw_note(root, "verdict",
			"Shard %u of %u: %zu groups of mutants were run, and "
			"%zu of them %s faster. Hunt with --merge and the "
			"shards' directories for the findings.",
			h->o->shard, h->o->n_shards, h->n_raced, h->n_effective,
			h->n_effective == 1 ? "is" : "are");
	else if (hunt_lead(h))
		pw_note(root, "verdict",
			"The excess is in what the runtime does for single "
			"instructions; the first finding is the one that calls "
			"it.");
	else if (h->place.is_all)
		pw_note(root, "verdict",
			"The gap is code placement: the same machine code at "
			"another address closes %.0f %% of it, and no "
			"instruction is to blame.",
			100 * h->place.gain);
	else if (h->place.is_cause)
		pw_note(root, "verdict",
			"Most of the gap is code placement: the same machine "
			"code at another address closes %.0f %% of it. %zu "
			"more finding%s.",
			100 * h->place.gain, h->n_findings,
			h->n_findings == 1 ? "" : "s");
	else if (!h->n_findings)
		present_nothing(h, root);
	else if (contrast_is_wanted(h))
		pw_note(root, "verdict",
			"%zu finding%s, and none surely closes half of the "
			"gap: the first closes %.0f %% of it. The slowness is "
			"spread over more than one instruction.",
			h->n_findings, h->n_findings == 1 ? "" : "s",
			100 * h->groups[h->findings[0]].closed);
	else
		pw_note(root, "verdict",
			"%zu finding%s: the first is the smallest change that "
			"closes the gap and keeps the work.",
			h->n_findings, h->n_findings == 1 ? "" : "s");
}

void hunt_present(struct hunt *h, struct pw_report *report)
{
	struct pw_node *root = pw_report_root(report);
	size_t n;

	present_verdict(h, root);
	present_unsure(h, root);
	present_gap(h, root);
	pw_section_array(root, "findings");
	n = present_outside(h, root);
	if (h->place.is_cause)
		present_placement(h, root, n++);
	for (size_t i = 0; i < h->n_findings; i++)
		present_finding(h, root, i, n + i + 1);
	present_contrast(h, root);
	present_triage(h, root);
	present_runners(h, root);
	if (h->no_gap || h->ends_outside)
		return;
	if (h->place.is_all || h->is_share) {
		present_cost(h, root);
		return;
	}
	present_ranking(h, root);
	present_cost(h, root);
}
