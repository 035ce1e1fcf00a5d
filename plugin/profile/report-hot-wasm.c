// SPDX-License-Identifier: GPL-2.0-only
/*
 * What hot wasm functions consist of, for comparing: a sample may be beside the
 * instruction that is slow, but which instructions a module has is exact.
 */
#include <stdlib.h>
#include <string.h>

#include "report-impl.h"

/* A function has at least so much of the samples. */
#define LEAST_SHARE 0.02

enum { COL_FUNCTION, COL_OPCODE, COL_COUNT };

static struct pw_node *table(struct pw_node *parent)
{
	struct pw_node *t = pw_table(parent, "hot_wasm",
				     "Wasm instructions of hot functions");

	pw_page_only(t);
	pw_column(t, "function", "Function", PW_UNIT_NONE, PW_COL_KEY);
	pw_column(t, "opcode", "Opcode", PW_UNIT_NONE, PW_COL_KEY);
	pw_column(t, "count", "in its body", PW_UNIT_COUNT, PW_COL_RIGHT);
	pw_column_compared(t, COL_COUNT, PW_AMOUNT_EXACT, PW_BETTER_NEITHER);
	return t;
}

/* How often each instruction stands in a body; false: it cannot be walked. */
static bool count(const struct pw_module *m, uint32_t func_idx,
		  uint32_t counts[PW_N_OPS])
{
	struct pw_walk *w = pw_walk_new(m);
	struct pw_insn insn;
	struct pw_err err;
	int ret = pw_walk_start(w, func_idx, &err) ? -1 : 1;

	memset(counts, 0, PW_N_OPS * sizeof(*counts));
	while (ret > 0) {
		ret = pw_walk_next(w, &insn, &err);
		if (ret > 0)
			counts[insn.op]++;
	}
	pw_walk_free(w);
	return !ret;
}

static void add(struct pw_node *t, const struct pw_symbol *sym,
		const uint32_t counts[PW_N_OPS])
{
	for (int op = 0; op < PW_N_OPS; op++) {
		if (!counts[op])
			continue;
		pw_row(t);
		pw_cell_str(t, COL_FUNCTION, sym->name);
		pw_cell_str(t, COL_OPCODE, pw_op_info((enum pw_op)op)->name);
		pw_cell_int(t, COL_COUNT, counts[op]);
	}
}

/* A function has a symbol for each of its tiers. */
static bool is_told(const struct pw_profile *p, uint32_t i)
{
	const struct pw_symbol *own =
		pw_space_symbol(p->space, p->functions[i].sym);

	for (uint32_t k = 0; k < i; k++) {
		const struct pw_symbol *sym =
			pw_space_symbol(p->space, p->functions[k].sym);

		if (sym->module == own->module &&
		    sym->func_idx == own->func_idx)
			return true;
	}
	return false;
}

void report_hot_wasm(struct pw_profile *p, struct pw_node *parent)
{
	uint32_t event = pw_profile_main_event(p), counts[PW_N_OPS];
	struct pw_node *t = NULL;
	double least;

	if (event == UINT32_MAX)
		return;
	least = LEAST_SHARE * (double)p->events[event]->info.total.period;
	for (uint32_t i = 0; i < pw_profile_n_functions(p); i++) {
		const struct function *f = &p->functions[i];
		const struct pw_symbol *sym = pw_space_symbol(p->space, f->sym);

		if (sym->func_idx < 0 || sym->module < 0 || is_told(p, i) ||
		    (double)f->self[event].period < least ||
		    !count(pw_space_module(p->space, sym->module),
			   (uint32_t)sym->func_idx, counts))
			continue;
		if (!t)
			t = table(parent);
		add(t, sym, counts);
	}
}
