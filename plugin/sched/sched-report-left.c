// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which function tasks were in when they left the CPU, and how long they were
 * off it then: what the profile knows, in the place where one looks for it.
 */
#include <stdlib.h>

#include "sched-report.h"

struct left {
	struct pw_function f;
	struct pw_count all;
};

static int longer(const void *a, const void *b)
{
	const struct left *x = a, *y = b;

	if (x->all.period != y->all.period)
		return x->all.period > y->all.period ? -1 : 1;
	return x->f.sym->id < y->f.sym->id ? -1 : 1;
}

static struct left *collect(struct pw_profile *p, uint32_t *n)
{
	uint32_t all = pw_profile_n_functions(p);
	struct left *left = pw_alloc((all + 1) * sizeof(*left));

	*n = 0;
	for (uint32_t i = 0; i < all; i++) {
		struct left *l = &left[*n];

		pw_profile_function(p, i, &l->f);
		l->all = (struct pw_count){ 0 };
		for (int r = 0; r < PW_N_OFF_REASONS; r++) {
			l->all.samples += l->f.off[r].samples;
			l->all.period += l->f.off[r].period;
		}
		*n += l->all.period > 0;
	}
	qsort(left, *n, sizeof(*left), longer);
	return left;
}

static void row(const struct sched_view *v, struct pw_node *t, const int *col,
		struct pw_profile *p, const struct left *l)
{
	const char *module =
		pw_space_module_name(pw_profile_space(p), l->f.sym->module);

	(void)v;
	pw_row(t);
	pw_cell_int(t, col[0], (int64_t)l->all.period);
	pw_cell_int(t, col[1], (int64_t)l->all.samples);
	pw_cell_str(t, col[2], l->f.sym->name);
	pw_cell_str(t, col[3], pw_place_kind_name(l->f.sym->kind));
	pw_cell_str(t, col[4], module ? module : l->f.sym->dso);
	for (int r = 0; r < PW_N_OFF_REASONS; r++)
		if (l->f.off[r].samples)
			pw_cell_int(t, col[5 + r], (int64_t)l->f.off[r].period);
}

void show_left(const struct sched_view *v, struct pw_profile *p)
{
	int col[5 + PW_N_OFF_REASONS];
	struct pw_node *n, *t;
	struct left *left;
	uint32_t n_left;

	if (pw_profile_off_cpu(p) == UINT32_MAX)
		return;
	left = collect(p, &n_left);
	if (n_left) {
		n = pw_section(pw_report_root(v->r), "left", "Functions left");
		t = pw_table(n, "functions",
			     "Functions that tasks were in when they left");
		col[0] = pw_column(t, "off", "Off CPU", PW_UNIT_NS,
				   PW_COL_RIGHT);
		col[1] = pw_column(t, "times", "Times", PW_UNIT_COUNT,
				   PW_COL_RIGHT);
		col[2] = pw_column(t, "function", "Function", PW_UNIT_NONE,
				   PW_COL_TRUNC | PW_COL_KEY);
		col[3] = pw_column(t, "kind", "Kind", PW_UNIT_NONE, 0);
		col[4] = pw_column(t, "module", "Module", PW_UNIT_NONE,
				   PW_COL_TRUNC | PW_COL_KEY);
		for (int r = 0; r < PW_N_OFF_REASONS; r++)
			col[5 + r] = pw_column(t,
					       pw_off_reason_name(
						       (enum pw_off_reason)r),
					       pw_off_reason_name(
						       (enum pw_off_reason)r),
					       PW_UNIT_NS, PW_COL_RIGHT);
		pw_column_compared(t, col[0], PW_AMOUNT_TOTAL, PW_BETTER_LESS);
		for (uint32_t i = 0; i < rows_of(v, n_left); i++)
			row(v, t, col, p, &left[i]);
		if (n_left > rows_of(v, n_left))
			pw_table_cut(t);
	}
	free(left);
}
