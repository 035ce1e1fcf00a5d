// SPDX-License-Identifier: GPL-2.0-only
/* Two triages as a section of a report. */
#include "sides.h"

#include <stdlib.h>
#include <string.h>

#define SYMBOLS_SHOWN 15
#define CALLS_SHOWN   12

static const char *const where_keys[] = {
	[PW_EXCESS_NONE] = "nowhere",
	[PW_EXCESS_CODE] = "generated code",
	[PW_EXCESS_MIXED] = "inside and outside generated code",
	[PW_EXCESS_BUILTIN] = "the runtime's work for single instructions",
	[PW_EXCESS_HOST] = "calls into the host",
	[PW_EXCESS_UNKNOWN] = "outside generated code",
};

static void add_times(struct pw_node *to, const struct pw_triage_side *suspect,
		      const struct pw_triage_side *oracle,
		      const struct pw_triage_gap *gap)
{
	struct pw_node *t =
		pw_table(to, "time", "Where the time of one run goes");
	int what = pw_column(t, "kind", "kind", PW_UNIT_NONE, 0);
	int s = pw_column(t, "suspect_ms", "suspect ms", PW_UNIT_MS,
			  PW_COL_RIGHT);
	int o = !oracle->t ? -1
			   : pw_column(t, "oracle_ms", "oracle ms", PW_UNIT_MS,
				       PW_COL_RIGHT);
	int d = !oracle->t ? -1
			   : pw_column(t, "excess_ms", "excess ms", PW_UNIT_MS,
				       PW_COL_RIGHT);
	double a[PW_N_SPENT], b[PW_N_SPENT];

	side_spent(suspect, a);
	side_spent(oracle, b);
	for (int k = 0; k < PW_N_SPENT; k++) {
		if (a[k] < 1e4 && b[k] < 1e4)
			continue;
		pw_row(t);
		pw_cell_str(t, what, pw_spent_label(k));
		pw_cell_num(t, s, a[k] / 1e6);
		if (oracle->t) {
			pw_cell_num(t, o, b[k] / 1e6);
			pw_cell_num(t, d, gap->excess_ns[k] / 1e6);
		}
	}
}

static void add_symbols(struct pw_node *to, const struct pw_triage_side *s)
{
	struct pw_node *t = pw_table(to, "symbols",
				     "The suspect's hottest functions outside "
				     "generated code");
	int name = pw_column(t, "function", "function", PW_UNIT_NONE,
			     PW_COL_TRUNC);
	int lib =
		pw_column(t, "library", "library", PW_UNIT_NONE, PW_COL_TRUNC);
	int kind = pw_column(t, "kind", "kind", PW_UNIT_NONE, 0);
	int ms = pw_column(t, "ms", "CPU ms", PW_UNIT_MS, PW_COL_RIGHT);
	size_t shown = 0;

	for (size_t i = 0; i < s->t->n_symbols && shown < SYMBOLS_SHOWN; i++) {
		const struct pw_triage_symbol *y = &s->t->symbols[i];

		if (y->spent == PW_SPENT_CODE)
			continue;
		shown++;
		pw_row(t);
		pw_cell_str(t, name, y->name);
		pw_cell_str(t, lib, y->library);
		pw_cell_str(t, kind, pw_spent_name(y->spent));
		pw_cell_num(t, ms, (double)y->ns / 1e6);
	}
}

/* Not what a runtime does once at its start. */
static bool is_shown(const struct pw_triage_call *c, uint64_t most)
{
	return c && (c->n * 100 >= most || c->ns + c->wait_ns >= 1000000);
}

static uint64_t most_calls(const struct pw_triage *t)
{
	uint64_t most = 0;

	for (size_t i = 0; t && i < t->n_calls; i++)
		most = t->calls[i].n > most ? t->calls[i].n : most;
	return most;
}

/* The columns of one side. */
struct call_columns {
	int n, cpu, waits, wait; /* < 0: none */
};

static void put_calls(struct pw_node *t, const struct call_columns *col,
		      const struct pw_triage_call *c)
{
	static const struct pw_triage_call none;

	c = c ?: &none;
	pw_cell_int(t, col->n, (int64_t)c->n);
	pw_cell_num(t, col->cpu, (double)c->ns / 1e6);
	if (col->waits >= 0)
		pw_cell_int(t, col->waits, (int64_t)c->n_waits);
	pw_cell_num(t, col->wait, (double)c->wait_ns / 1e6);
}

/* oracle: NULL when its calls were not counted. */
static void add_calls(struct pw_node *to, const struct pw_triage *suspect,
		      const struct pw_triage *oracle)
{
	struct pw_node *t = pw_table(to, "system_calls", "System calls");
	int name = pw_column(t, "call", "call", PW_UNIT_NONE, 0);
	struct call_columns s = {
		pw_column(t, "suspect_n", "suspect", PW_UNIT_COUNT,
			  PW_COL_RIGHT),
		pw_column(t, "suspect_ms", "CPU ms", PW_UNIT_MS, PW_COL_RIGHT),
		pw_column(t, "suspect_waits", "waits", PW_UNIT_COUNT,
			  PW_COL_RIGHT),
		pw_column(t, "suspect_wait_ms", "waited ms", PW_UNIT_MS,
			  PW_COL_RIGHT),
	};
	struct call_columns o = { -1, -1, -1, -1 };
	uint64_t most = most_calls(suspect) ?: most_calls(oracle);
	size_t k = suspect->n_calls;
	size_t n_all = k + (oracle ? oracle->n_calls : 0);

	if (oracle)
		o = (struct call_columns){
			pw_column(t, "oracle_n", "oracle", PW_UNIT_COUNT,
				  PW_COL_RIGHT),
			pw_column(t, "oracle_ms", "CPU ms", PW_UNIT_MS,
				  PW_COL_RIGHT),
			-1,
			pw_column(t, "oracle_wait_ms", "waited ms", PW_UNIT_MS,
				  PW_COL_RIGHT),
		};
	for (size_t i = 0, shown = 0; i < n_all && shown < CALLS_SHOWN; i++) {
		const char *what = i < k ? suspect->calls[i].name
					 : oracle->calls[i - k].name;
		const struct pw_triage_call *a = call_find(suspect, what);
		const struct pw_triage_call *b = call_find(oracle, what);

		if ((i >= k && a) || !(is_shown(a, most) || is_shown(b, most)))
			continue;
		shown++;
		pw_row(t);
		pw_cell_str(t, name, what);
		put_calls(t, &s, a);
		if (oracle)
			put_calls(t, &o, b);
	}
}

static void cost_cell(struct pw_node *t, int col, double ns, double by)
{
	if (ns >= 0 && by > 0)
		pw_cell_num(t, col, ns / by);
}

static void add_costs(struct pw_node *to, const struct pw_host_cost *c,
		      size_t n)
{
	struct pw_node *t =
		pw_table(to, "host_functions",
			 "What the calls of imported functions take");
	int name = pw_column(t, "function", "function", PW_UNIT_NONE, 0);
	int calls = pw_column(t, "calls", "calls", PW_UNIT_COUNT, PW_COL_RIGHT);
	int cpu = pw_column(t, "suspect_cpu_ms", "suspect, CPU ms", PW_UNIT_MS,
			    PW_COL_RIGHT);
	int each = pw_column(t, "suspect_cpu_ns", "each", PW_UNIT_NS,
			     PW_COL_RIGHT);
	int wall = pw_column(t, "suspect_wall_ms", "wall ms", PW_UNIT_MS,
			     PW_COL_RIGHT);
	int cpu_o = pw_column(t, "oracle_cpu_ms", "oracle, CPU ms", PW_UNIT_MS,
			      PW_COL_RIGHT);
	int each_o =
		pw_column(t, "oracle_cpu_ns", "each", PW_UNIT_NS, PW_COL_RIGHT);
	int wall_o = pw_column(t, "oracle_wall_ms", "wall ms", PW_UNIT_MS,
			       PW_COL_RIGHT);

	for (size_t i = 0; i < n; i++) {
		pw_row(t);
		pw_cell_str(t, name, c[i].name);
		if (c[i].n)
			pw_cell_int(t, calls, (int64_t)c[i].n);
		cost_cell(t, cpu, c[i].cpu_ns, 1e6);
		cost_cell(t, each, c[i].cpu_ns, (double)c[i].n);
		cost_cell(t, wall, c[i].wall_ns, 1e6);
		cost_cell(t, cpu_o, c[i].oracle_cpu_ns, 1e6);
		cost_cell(t, each_o, c[i].oracle_cpu_ns, (double)c[i].n);
		cost_cell(t, wall_o, c[i].oracle_wall_ns, 1e6);
	}
}

static void add_sentence(struct pw_node *to, const char *key, char *s)
{
	if (*s)
		pw_note(to, key, "%s.", s);
	free(s);
}

void pw_triage_report(const struct pw_triage_side *suspect,
		      const struct pw_triage_side *oracle,
		      const struct pw_triage_gap *gap,
		      const struct pw_host_cost *costs, size_t n_costs,
		      struct pw_node *to)
{
	struct pw_node *s = pw_section(to, "triage", "Where the excess is");

	pw_fact_str(s, "where", "it is in", where_keys[gap->where]);
	if (gap->cpu_ratio > 0)
		pw_fact_num(s, "cpu_ratio", "CPU time, suspect / oracle",
			    gap->cpu_ratio, PW_UNIT_RATIO);
	if (gap->wall_ratio > 0)
		pw_fact_num(s, "wall_ratio", "wall time, suspect / oracle",
			    gap->wall_ratio, PW_UNIT_RATIO);
	add_sentence(s, "excess", where_sentence(suspect, oracle, gap));
	add_sentence(s, "calls", pw_triage_calls_sentence(suspect, oracle));
	if (n_costs)
		add_sentence(s, "cost",
			     cost_sentence(suspect, oracle, &costs[0]));
	if (suspect->t && suspect->t->remark)
		pw_note(s, "remark", "%s: %s.", suspect->spec,
			suspect->t->remark);
	if (oracle->t && oracle->t->remark)
		pw_note(s, "oracle_remark", "%s: %s.", oracle->spec,
			oracle->t->remark);
	if (!suspect->t)
		return;
	add_times(s, suspect, oracle, gap);
	if (gap->where == PW_EXCESS_CODE)
		return;
	if (n_costs)
		add_costs(s, costs, n_costs);
	add_symbols(s, suspect);
	if (suspect->t->has_calls)
		add_calls(s, suspect->t,
			  oracle->t && oracle->t->has_calls ? oracle->t : NULL);
}
