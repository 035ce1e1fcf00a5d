// SPDX-License-Identifier: GPL-2.0-only
/* The report of a replay: then and now. */
#include "replay.h"

#include <string.h>

static const char *reason(const struct replay *r)
{
	const struct replay_finding *f = &r->findings[0];

	if (!r->has_gap)
		return "the suspect is not slow here";
	if (!r->n_findings)
		return "the bundle's hunt found nothing";
	if (!f->ran)
		return "the first finding's mutant does not run";
	if (r->code_known && f->n_present < f->n_accused)
		return "accused instructions are no longer in the code";
	return "the first finding's mutant does not close the gap here";
}

static void present_verdict(const struct replay *r, struct pw_node *root)
{
	if (r->holds)
		pw_note(root, "verdict",
			"The finding holds on this machine: the gap is there, "
			"the mutant closes it%s.",
			!r->code_known || !r->findings[0].n_accused
				? ""
				: " and the accused instructions are in the "
				  "code");
	else
		pw_note(root, "verdict",
			"The finding does not hold on this machine: %s.",
			reason(r));
	pw_fact_bool(root, "holds", "the finding holds", r->holds);
}

static void present_gap(const struct replay *r, struct pw_node *root)
{
	pw_fact_str(root, "suspect", "suspect", r->suspect.spec);
	pw_fact_str(root, "oracle", "oracle", r->oracles[0].spec);
	pw_fact_interval(root, "slower_then", "suspect was slower",
			 r->then_gap.ratio, r->then_gap.ci.lo,
			 r->then_gap.ci.hi, PW_UNIT_RATIO);
	pw_fact_interval(root, "slower", "suspect is slower here", r->gap.ratio,
			 r->gap.ci.lo, r->gap.ci.hi, PW_UNIT_RATIO);
}

static void present_findings(const struct replay *r, struct pw_node *root)
{
	struct pw_node *t = pw_table(root, "findings", "Findings");
	int mut = pw_column(t, "mutation", "mutation", PW_UNIT_NONE, 0);
	int then = pw_column(t, "closed_then", "gap closed then",
			     PW_UNIT_PERCENT, PW_COL_RIGHT);
	int now = pw_column(t, "closed", "here", PW_UNIT_PERCENT, PW_COL_RIGHT);
	int accused =
		pw_column(t, "accused", "accused", PW_UNIT_COUNT, PW_COL_RIGHT);
	int present = pw_column(t, "present", "in the code", PW_UNIT_COUNT,
				PW_COL_RIGHT);

	for (uint32_t i = 0; i < r->n_findings; i++) {
		const struct replay_finding *f = &r->findings[i];

		pw_row(t);
		pw_cell_str(t, mut, f->notation);
		pw_cell_num(t, then, f->then_closed);
		if (f->ran)
			pw_cell_num(t, now, f->closed);
		if (r->code_known) {
			pw_cell_int(t, accused, f->n_accused);
			pw_cell_int(t, present, f->n_present);
		}
	}
}

static void add_runner(struct pw_node *t, const struct replay_runner *x,
		       const char *role)
{
	const struct pw_series *s = &x->series;

	pw_row(t);
	pw_cell_str(t, 0, x->spec);
	pw_cell_str(t, 1, role);
	pw_cell_str(t, 2, pw_session_version(x->session));
	if (s->n)
		pw_cell_num(t, 3, pw_median(s->cpu_ms, s->n));
	pw_cell_int(t, 4, (int64_t)s->n);
}

static void present_runners(const struct replay *r, struct pw_node *root)
{
	struct pw_node *t = pw_table(root, "times", "Times here");

	pw_column(t, "runtime", "runtime", PW_UNIT_NONE, 0);
	pw_column(t, "role", "role", PW_UNIT_NONE, 0);
	pw_column(t, "version", "version", PW_UNIT_NONE, 0);
	pw_column(t, "cpu_ms", "CPU ms", PW_UNIT_MS, PW_COL_RIGHT);
	pw_column(t, "runs", "runs", PW_UNIT_COUNT, PW_COL_RIGHT);
	add_runner(t, &r->suspect, "suspect");
	for (uint32_t i = 0; i < r->n_oracles; i++)
		add_runner(t, &r->oracles[i], "oracle");
}

/* What the bundle says of where it was made, beside what is here. */
static void present_machines(const struct replay *r, struct pw_node *root)
{
	static const char *const keys[] = { "perf_wasm", "system", "cpu" };
	struct pw_node *t = pw_table(root, "machines", "Made on, replayed on");
	int key = pw_column(t, "what", "", PW_UNIT_NONE, 0);
	int then = pw_column(t, "then", "then", PW_UNIT_NONE, 0);
	int now = pw_column(t, "here", "here", PW_UNIT_NONE, 0);
	struct pw_bundle *here = pw_bundle_new();

	pw_bundle_set_system(here);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *a = pw_bundle_get(r->o->bundle, keys[i], 0);
		const char *b = pw_bundle_get(here, keys[i], 0);

		pw_row(t);
		pw_cell_str(t, key, keys[i]);
		pw_cell_str(t, then, a ? a : "-");
		pw_cell_str(t, now, b ? b : "-");
	}
	pw_bundle_free(here);
}

void replay_present(const struct replay *r, struct pw_report *report)
{
	struct pw_node *root = pw_report_root(report);

	present_verdict(r, root);
	present_gap(r, root);
	present_findings(r, root);
	present_runners(r, root);
	present_machines(r, root);
}
