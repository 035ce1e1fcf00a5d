// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a sweep found as a report model: the cells that stand out, all times,
 * and what did not run.
 */
#include "sweep-impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what stands out ---------------------------------------------------------------- */

static const struct sweep_hunt *hunt_of(const struct sweep *s, size_t cell)
{
	for (size_t i = 0; i < s->n_hunts; i++)
		if (s->hunts[i].cell == cell)
			return &s->hunts[i];
	return NULL;
}

static void present_outstanding(const struct sweep *s, struct pw_node *root)
{
	struct pw_node *t =
		pw_table(root, "outstanding", "Cells that stand out");
	int rank = pw_column(t, "rank", "", PW_UNIT_COUNT, PW_COL_RIGHT);
	int module = pw_column(t, "module", "module", PW_UNIT_NONE, 0);
	int who = pw_column(t, "runtime", "runtime", PW_UNIT_NONE, 0);
	int ms = pw_column(t, "cpu_ms", "CPU ms", PW_UNIT_MS, PW_COL_RIGHT);
	int excess = pw_column(t, "excess", "stands out", PW_UNIT_RATIO,
			       PW_COL_RIGHT);
	int other = pw_column(t, "fastest", "fastest other", PW_UNIT_NONE, 0);
	int ratio = pw_column(t, "slower", "slower than it", PW_UNIT_RATIO,
			      PW_COL_RIGHT);
	int lo = pw_column(t, "lo", "from", PW_UNIT_RATIO, PW_COL_RIGHT);
	int hi = pw_column(t, "hi", "to", PW_UNIT_RATIO, PW_COL_RIGHT);

	for (size_t i = 0; i < s->n_order; i++) {
		size_t c = s->order[i], f = sweep_fastest_other(s, c);
		struct pw_ratio r =
			pw_series_ratio(&s->cell[c].series, &s->cell[f].series,
					s->o->seed);

		pw_row(t);
		pw_cell_int(t, rank, (int64_t)i + 1);
		pw_cell_str(t, module, s->modules[c / s->n_rt]);
		pw_cell_str(t, who, s->rt[c % s->n_rt].spec);
		pw_cell_num(t, ms, s->cell[c].ms);
		pw_cell_num(t, excess, s->excess[c]);
		pw_cell_str(t, other, s->rt[f % s->n_rt].spec);
		pw_cell_num(t, ratio, r.ratio);
		pw_cell_num(t, lo, r.ci.lo);
		pw_cell_num(t, hi, r.ci.hi);
	}
}

static void present_hunts(const struct sweep *s, struct pw_node *root)
{
	struct pw_node *t;
	int rank, module, who, said, where;
	size_t hunted = 0;

	if (!s->o->n_hunts)
		return;
	t = pw_table(root, "hunts", "Hunts of them");
	rank = pw_column(t, "rank", "", PW_UNIT_COUNT, PW_COL_RIGHT);
	module = pw_column(t, "module", "module", PW_UNIT_NONE, 0);
	who = pw_column(t, "runtime", "runtime", PW_UNIT_NONE, 0);
	said = pw_column(t, "result", "result", PW_UNIT_NONE, 0);
	where = pw_column(t, "dir", "its directory", PW_UNIT_NONE, 0);
	for (size_t i = 0; i < s->n_order && hunted < s->n_hunts; i++) {
		size_t c = s->order[i];
		const struct sweep_hunt *h = hunt_of(s, c);

		pw_row(t);
		pw_cell_int(t, rank, (int64_t)i + 1);
		pw_cell_str(t, module, s->modules[c / s->n_rt]);
		pw_cell_str(t, who, s->rt[c % s->n_rt].spec);
		if (!h) {
			pw_cell_str(t, said,
				    "not hunted: it shows no machine code");
			continue;
		}
		hunted++;
		pw_cell_str(t, said, h->why ? h->why : h->said);
		pw_cell_str(t, where, h->dir);
	}
}

/* --- all times ---------------------------------------------------------------------------- */

static void present_times(const struct sweep *s, struct pw_node *root)
{
	struct pw_node *t = pw_table(root, "times", "CPU ms of each module");
	int module = pw_column(t, "module", "module", PW_UNIT_NONE, 0);
	int *col = pw_zalloc(s->n_rt * sizeof(*col));

	for (size_t r = 0; r < s->n_rt; r++) {
		char key[32];

		snprintf(key, sizeof(key), "runtime_%zu", r + 1);
		col[r] = pw_column(t, key, s->rt[r].spec, PW_UNIT_MS,
				   PW_COL_RIGHT);
	}
	for (size_t m = 0; m < s->n_modules; m++) {
		pw_row(t);
		pw_cell_str(t, module, s->modules[m]);
		for (size_t r = 0; r < s->n_rt; r++)
			if (!isnan(s->cell[m * s->n_rt + r].ms))
				pw_cell_num(t, col[r],
					    s->cell[m * s->n_rt + r].ms);
	}
	free(col);
}

static void present_runtimes(const struct sweep *s, struct pw_node *root)
{
	struct pw_node *t = pw_table(root, "runtimes", "Runtimes as a whole");
	int who = pw_column(t, "runtime", "runtime", PW_UNIT_NONE, 0);
	int version = pw_column(t, "version", "version", PW_UNIT_NONE, 0);
	int ran =
		pw_column(t, "ran", "modules run", PW_UNIT_COUNT, PW_COL_RIGHT);
	int factor = pw_column(t, "factor", "overall factor", PW_UNIT_RATIO,
			       PW_COL_RIGHT);

	for (size_t r = 0; r < s->n_rt; r++) {
		int64_t n = 0;

		for (size_t m = 0; m < s->n_modules; m++)
			n += !isnan(s->cell[m * s->n_rt + r].ms);
		pw_row(t);
		pw_cell_str(t, who, s->rt[r].spec);
		pw_cell_str(t, version, s->rt[r].version);
		pw_cell_int(t, ran, n);
		pw_cell_num(t, factor, s->factor[r]);
	}
}

/* --- what is not compared -------------------------------------------------------------------------- */

static void present_failures(const struct sweep *s, struct pw_node *root)
{
	struct pw_node *t = NULL;
	int module = 0, who = 0, why = 0;

	for (size_t i = 0; i < s->n_modules * s->n_rt; i++) {
		if (!s->cell[i].why && !s->cell[i].deleted)
			continue;
		if (!t) {
			t = pw_table(root, "failed", "Not compared");
			module = pw_column(t, "module", "module", PW_UNIT_NONE,
					   0);
			who = pw_column(t, "runtime", "runtime", PW_UNIT_NONE,
					0);
			why = pw_column(t, "why", "why", PW_UNIT_NONE,
					PW_COL_TRUNC);
		}
		pw_row(t);
		pw_cell_str(t, module, s->modules[i / s->n_rt]);
		pw_cell_str(t, who, s->rt[i % s->n_rt].spec);
		pw_cell_str(
			t, why,
			s->cell[i].why
				? s->cell[i].why
				: "deleted the work: its time is not compared");
	}
}

void sweep_present(struct sweep *s, struct pw_report *report)
{
	struct pw_node *root = pw_report_root(report);

	if (s->n_order)
		pw_note(root, "verdict",
			"%zu cell%s take%s %.2fx or more of what the module "
			"and the runtime explain.",
			s->n_order, s->n_order == 1 ? "" : "s",
			s->n_order == 1 ? "s" : "", s->o->min_excess);
	else
		pw_note(root, "verdict",
			"No cell stands out by %.2fx or more: modules and "
			"runtimes explain the times.",
			s->o->min_excess);
	pw_fact_int(root, "modules", "modules", (int64_t)s->n_modules,
		    PW_UNIT_COUNT);
	present_outstanding(s, root);
	present_hunts(s, root);
	present_times(s, root);
	present_runtimes(s, root);
	present_failures(s, root);
}
