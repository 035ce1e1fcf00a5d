// SPDX-License-Identifier: GPL-2.0-only
/* The report of a reduction: what is left, what that cost, what was kept. */
#include "passes.h"

#include <stdlib.h>

/* More instructions than these are not listed. */
#define LISTED_MAX 200

static void present_verdict(struct reduce *r, bool reduced,
			    struct pw_node *root)
{
	if (!reduced) {
		pw_note(root, "verdict",
			"No gap: %s is not slower than %s by %.2fx or more, so "
			"there is nothing to keep.",
			r->suspect.rt.spec, r->oracle.rt.spec, r->o->min_gap);
		return;
	}
	pw_note(root, "verdict",
		"What is left ends as the module did, loses at least %.0f %% "
		"of the milliseconds to the oracle and spends them on machine "
		"opcodes of the same hot loops. What it computes is not kept: "
		"memories, globals and output may differ.",
		100 * r->o->keep);
	if (reduce_over(r))
		pw_note(root, "budget",
			"Ended by the budget of %u candidates; a larger "
			"--budget takes away more.",
			r->o->budget);
}

static void present_sizes(struct reduce *r, struct pw_node *root)
{
	struct pw_node *t = pw_table(root, "sizes", "Size");
	int what = pw_column(t, "of", "", PW_UNIT_NONE, 0);
	int before =
		pw_column(t, "before", "before", PW_UNIT_COUNT, PW_COL_RIGHT);
	int after = pw_column(t, "after", "after", PW_UNIT_COUNT, PW_COL_RIGHT);
	uint32_t n_funcs, n_insns = reduce_count_insns(r->m, &n_funcs);
	const struct {
		const char *name;
		uint32_t before, after;
	} rows[] = {
		{ "bytes", r->first_size, (uint32_t)r->bytes.len },
		{ "functions", r->first_funcs, n_funcs },
		{ "instructions", r->first_insns, n_insns },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pw_row(t);
		pw_cell_str(t, what, rows[i].name);
		pw_cell_int(t, before, rows[i].before);
		pw_cell_int(t, after, rows[i].after);
	}
}

static void present_ratio(struct pw_node *root, const char *key,
			  const char *label, const struct pw_ratio *x)
{
	pw_fact_interval(root, key, label, x->ratio, x->ci.lo, x->ci.hi,
			 PW_UNIT_RATIO);
}

static void present_passes(struct reduce *r, struct pw_node *root)
{
	struct pw_node *t = pw_table(root, "passes", "Passes");
	int name = pw_column(t, "pass", "pass", PW_UNIT_NONE, 0);
	int trials =
		pw_column(t, "trials", "trials", PW_UNIT_COUNT, PW_COL_RIGHT);
	int kept = pw_column(t, "kept", "kept", PW_UNIT_COUNT, PW_COL_RIGHT);
	int invalid =
		pw_column(t, "invalid", "invalid", PW_UNIT_COUNT, PW_COL_RIGHT);
	int size = pw_column(t, "bytes", "bytes", PW_UNIT_COUNT, PW_COL_RIGHT);
	int insns = pw_column(t, "insns", "instructions", PW_UNIT_COUNT,
			      PW_COL_RIGHT);
	int wall = pw_column(t, "wall_ns", "time", PW_UNIT_NS, PW_COL_RIGHT);

	for (uint32_t i = 0; i < r->n_rows; i++) {
		const struct pass_row *row = &r->rows[i];

		pw_row(t);
		pw_cell_str(t, name, row->name);
		pw_cell_int(t, trials, row->trials);
		pw_cell_int(t, kept, row->kept);
		pw_cell_int(t, invalid, row->invalid);
		pw_cell_int(t, size, row->size_bytes);
		pw_cell_int(t, insns, row->n_insns);
		pw_cell_num(t, wall, (double)row->wall_ns);
	}
}

static void present_cost(struct reduce *r, struct pw_node *root)
{
	struct pw_node *s = pw_section(root, "cost", "Cost");

	pw_fact_int(s, "candidates", "candidates tried", r->n_trials,
		    PW_UNIT_COUNT);
	pw_fact_int(s, "suspect_runs", "runs on the suspect",
		    (int64_t)r->suspect.n_runs, PW_UNIT_COUNT);
	pw_fact_int(s, "oracle_runs", "runs on the oracle",
		    (int64_t)r->oracle.n_runs, PW_UNIT_COUNT);
	pw_fact_num(s, "guest_ns", "CPU time of all runs", (double)r->spent_ns,
		    PW_UNIT_NS);
	pw_fact_num(s, "original_runs", "in runs of the original",
		    (double)r->spent_ns / 1e6 / r->original_ms, PW_UNIT_NONE);
	pw_fact_num(s, "wall_ns", "this time",
		    (double)(pw_now_ns() - r->from_ns), PW_UNIT_NS);
}

static void list_func(struct reduce *r, struct pw_walk *w, struct pw_node *t,
		      uint32_t idx)
{
	int func = 0, off = 1, text = 2;
	struct pw_buf b = { 0 };
	struct pw_insn in;

	if (pw_walk_start(w, idx, NULL))
		return;
	while (pw_walk_next(w, &in, NULL) == 1) {
		b.len = 0;
		for (uint32_t i = 0; i < in.depth; i++)
			pw_buf_add(&b, "  ", 2);
		pw_insn_print(r->m, &in, &b);
		pw_row(t);
		pw_cell_int(t, func, idx);
		pw_cell_int(t, off, (int64_t)in.off);
		pw_cell_str(t, text, pw_buf_str(&b));
	}
	pw_buf_release(&b);
}

static void present_code(struct reduce *r, struct pw_node *root)
{
	uint32_t n_funcs, n = reduce_count_insns(r->m, &n_funcs);
	uint32_t first = pw_module_n_imported(r->m, PW_EXT_FUNC);
	struct pw_node *t;
	struct pw_walk *w;

	if (n > LISTED_MAX)
		return;
	t = pw_table(root, "code", "What is left");
	pw_column(t, "func", "function", PW_UNIT_COUNT, PW_COL_RIGHT);
	pw_column(t, "offset", "offset", PW_UNIT_HEX, PW_COL_RIGHT);
	pw_column(t, "insn", "instruction", PW_UNIT_NONE, 0);
	w = pw_walk_new(r->m);
	for (uint32_t i = 0; i < n_funcs; i++)
		list_func(r, w, t, first + i);
	pw_walk_free(w);
}

void reduce_present(struct reduce *r, bool reduced, struct pw_report *report)
{
	struct pw_node *root = pw_report_root(report);

	present_verdict(r, reduced, root);
	pw_fact_str(root, "suspect", "suspect", r->suspect.rt.spec);
	pw_fact_str(root, "oracle", "oracle", r->oracle.rt.spec);
	present_ratio(root, "slower_before", "suspect is slower, before",
		      &r->first_ratio);
	if (!reduced)
		return;
	present_ratio(root, "slower_after", "suspect is slower, after",
		      &r->last_ratio);
	pw_fact_num(root, "original_ns", "one run on the suspect, before",
		    r->original_ms * 1e6, PW_UNIT_NS);
	pw_fact_num(root, "result_ns", "one run on the suspect, after",
		    r->suspect.base_ms * 1e6, PW_UNIT_NS);
	if (r->shortened)
		pw_fact_str(root, "shortened", "made shorter", r->shortened);
	present_sizes(r, root);
	present_code(r, root);
	present_passes(r, root);
	present_cost(r, root);
}
