// SPDX-License-Identifier: GPL-2.0-only
/* What the triage of a hunt says, as parts of its report. */
#include "../triage/triage-step.h"

#include <stdlib.h>
#include <string.h>

static void present_roads(struct hunt *h, struct pw_node *root)
{
	struct triage *t = &h->triage;
	struct pw_node *table;
	int insn, func, call, share;

	if (!t->n_roads)
		return;
	table = pw_table(root, "runtime_calls",
			 "Instructions that are calls into the runtime");
	insn = pw_column(table, "wasm", "wasm instruction", PW_UNIT_NONE, 0);
	func = pw_column(table, "func_idx", "function", PW_UNIT_NONE,
			 PW_COL_RIGHT);
	call = pw_column(table, "insn", "machine instruction", PW_UNIT_NONE, 0);
	share = pw_column(table, "samples", "samples in its loop",
			  PW_UNIT_PERCENT, PW_COL_RIGHT);
	for (size_t i = 0; i < t->n_roads; i++) {
		pw_row(table);
		pw_cell_str(table, insn, t->roads[i].insn);
		pw_cell_int(table, func, t->roads[i].func_idx);
		pw_cell_str(table, call, t->roads[i].call);
		pw_cell_num(table, share, t->roads[i].share);
	}
}

void present_triage(struct hunt *h, struct pw_node *root)
{
	struct triage *t = &h->triage;

	if (t->why_not)
		pw_note(root, "triage_lacks",
			"Time outside generated code was not looked at: %s.",
			t->why_not);
	if (!t->is_known || h->no_gap)
		return;
	pw_triage_report(&t->sides[0], &t->sides[1], &t->gap, t->costs,
			 t->n_costs, root);
	present_roads(h, root);
}

/* The hottest function of this kind, else the hottest outside generated
 * code. */
static const char *hottest_of(const struct pw_triage *t, enum pw_spent kind)
{
	const char *any = NULL;

	for (size_t i = 0; i < t->n_symbols; i++) {
		const struct pw_triage_symbol *y = &t->symbols[i];

		if (y->spent == kind)
			return y->name;
		if (!any && y->spent != PW_SPENT_CODE)
			any = y->name;
	}
	return any;
}

static const struct pw_host_cost *dearest_by(const struct triage *t, bool wall)
{
	const struct pw_host_cost *best = NULL;
	double most = 0;

	for (size_t i = 0; i < t->n_costs; i++) {
		const struct pw_host_cost *c = &t->costs[i];
		double mine = wall ? c->wall_ns : c->cpu_ns;
		double theirs = wall ? c->oracle_wall_ns : c->oracle_cpu_ns;
		double more = mine - (theirs > 0 ? theirs : 0);

		if (more > most) {
			most = more;
			best = c;
		}
	}
	return best;
}

/* The imported function whose calls take most more time than on the oracle:
 * CPU time, which neighbours do not change, where there is a gap of that and
 * it is known; calls that mostly wait have none. */
const struct pw_host_cost *triage_dearest(const struct hunt *h)
{
	const struct pw_host_cost *by_cpu =
		h->waits_only ? NULL : dearest_by(&h->triage, false);

	return by_cpu ?: dearest_by(&h->triage, true);
}

static const struct pw_triage_call *busiest(const struct pw_triage *t)
{
	return t->has_calls && t->n_calls ? &t->calls[0] : NULL;
}

static void present_lead_code(struct pw_node *s, const struct road *r)
{
	struct pw_node *t =
		pw_table(s, "machine_code", "The call in its hot loop");
	int off = pw_column(t, "text_off", "offset", PW_UNIT_HEX, PW_COL_RIGHT);
	int insn = pw_column(t, "insn", "instruction", PW_UNIT_NONE, 0);
	int wasm = pw_column(t, "wasm", "from", PW_UNIT_NONE, 0);

	pw_row(t);
	pw_cell_int(t, off, (int64_t)r->text_off);
	pw_cell_str(t, insn, r->call);
	pw_cell_str(t, wasm, r->insn);
}

static void present_lead(struct hunt *h, struct pw_node *root,
			 const struct road *r)
{
	const char *insn = strchr(r->insn, ' ') + 1;
	char title[128];
	struct pw_node *s;

	snprintf(title, sizeof(title), "Finding 1: %s calls the runtime", insn);
	s = pw_section_item(root, "findings", title);
	pw_fact_str(s, "slow", "slow wasm instruction", r->insn);
	pw_fact_str(s, "slow_code", "slow machine instruction", r->call);
	pw_fact_int(s, "func_idx", "function", r->func_idx, PW_UNIT_NONE);
	pw_fact_str(s, "instruction", "it is", insn);
	pw_fact_str(s, "runtime_function", "hottest function behind it",
		    hottest_of(&h->triage.recorded[0], PW_SPENT_BUILTIN));
	pw_fact_num(s, "outside", "of the excess, outside generated code",
		    h->triage.gap.outside_ns / h->triage.gap.total_ns,
		    PW_UNIT_PERCENT);
	present_lead_code(s, r);
}

static void present_host(struct hunt *h, struct pw_node *root)
{
	struct triage *t = &h->triage;
	const struct pw_host_cost *c = triage_dearest(h);
	const struct pw_triage_call *call = busiest(&t->recorded[0]);
	struct pw_node *s;

	s = pw_section_item(root, "findings",
			    "Finding 1: outside generated code");
	if (c)
		pw_fact_str(s, "host_function", "dearest imported function",
			    c->name);
	if (call)
		pw_fact_str(s, "system_call", "system call with most time",
			    call->name);
	pw_fact_str(s, "runtime_function", "hottest function",
		    hottest_of(&t->recorded[0], PW_SPENT_HOST));
}

size_t present_outside(struct hunt *h, struct pw_node *root)
{
	const struct road *r = h->no_gap ? NULL : hunt_lead(h);

	if (r)
		present_lead(h, root, r);
	else if (!h->n_findings && hunt_is_outside(h))
		present_host(h, root);
	else
		return 0;
	return 1;
}
