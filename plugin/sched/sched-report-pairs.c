// SPDX-License-Identifier: GPL-2.0-only
/* Who woke whom, who took whose CPU, who ran after whom. */
#include <stdlib.h>

#include "sched-report.h"

static const struct table {
	const char *key, *title, *a, *b, *ns; /* ns NULL: no time */
} tables[PW_N_SCHED_PAIRS] = {
	[PW_SCHED_WOKE] = { "woken", "Who was woken by whom", "Task",
			    "Woken by", "After" },
	[PW_SCHED_PREEMPTED] = { "preempted", "Who was preempted by whom",
				 "Task", "Preempted by", "Waited" },
	[PW_SCHED_FOLLOWED] = { "followed", "Who ran next on the CPU", "Task",
				"Next", NULL },
};

static int more(const void *a, const void *b)
{
	const struct pw_sched_pair *x = *(struct pw_sched_pair *const *)a;
	const struct pw_sched_pair *y = *(struct pw_sched_pair *const *)b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

static bool is_shown(const struct pw_sched *s, const struct pw_sched_pair *p)
{
	const struct pw_sched_task *a = &s->tasks[p->a]->pub;
	const struct pw_sched_task *b = &s->tasks[p->b]->pub;

	if (!s->has_task)
		return !a->is_idle || !b->is_idle;
	return (a->is_kept && !a->is_idle) ||
	       (b->is_kept && p->kind != PW_SCHED_FOLLOWED);
}

static void task_cells(const struct pw_sched *s, struct pw_node *t, int name,
		       int tid, uint32_t task)
{
	const struct pw_sched_task *p = &s->tasks[task]->pub;

	pw_cell_str(t, name, p->is_idle ? "(idle)" : p->role);
	if (p->tid != PW_NO_PID && !p->is_idle)
		pw_cell_int(t, tid, p->tid);
}

static void pair_table(const struct sched_view *v, struct pw_node *n,
		       enum pw_sched_pair_kind kind,
		       struct pw_sched_pair *const *by, uint32_t n_by)
{
	const struct table *want = &tables[kind];
	uint32_t rows = rows_of(v, n_by), i;
	struct pw_node *t = pw_table(n, want->key, want->title);
	int times = pw_column(t, "times", "Times", PW_UNIT_COUNT, PW_COL_RIGHT);
	int ns = want->ns ? pw_column(t, "time", want->ns, PW_UNIT_NS,
				      PW_COL_RIGHT)
			  : -1;
	int a = pw_column(t, "task", want->a, PW_UNIT_NONE, PW_COL_KEY);
	int a_tid = pw_column(t, "tid", "Tid", PW_UNIT_NONE, PW_COL_RIGHT);
	int b = pw_column(t, "by", want->b, PW_UNIT_NONE, PW_COL_KEY);
	int b_tid = pw_column(t, "by_tid", "Tid", PW_UNIT_NONE, PW_COL_RIGHT);

	pw_column_compared(t, times, PW_AMOUNT_TOTAL, PW_BETTER_NEITHER);
	for (i = 0; i < rows; i++) {
		pw_row(t);
		pw_cell_int(t, times, (int64_t)by[i]->n);
		if (ns >= 0)
			pw_cell_int(t, ns, (int64_t)by[i]->ns);
		task_cells(v->s, t, a, a_tid, by[i]->a);
		task_cells(v->s, t, b, b_tid, by[i]->b);
	}
	if (rows < n_by)
		pw_table_cut(t);
}

void show_pairs(const struct sched_view *v)
{
	struct pw_sched *s = v->s;
	struct pw_sched_pair **by =
		pw_alloc((s->n_pairs + 1) * sizeof(struct pw_sched_pair *));
	struct pw_node *n = NULL;
	uint32_t n_by;

	for (int kind = 0; kind < PW_N_SCHED_PAIRS; kind++) {
		n_by = 0;
		for (uint32_t i = 0; i < s->n_pairs; i++)
			if ((int)s->pairs[i].kind == kind && s->pairs[i].n &&
			    is_shown(s, &s->pairs[i]))
				by[n_by++] = &s->pairs[i];
		if (!n_by)
			continue;
		qsort(by, n_by, sizeof(struct pw_sched_pair *), more);
		if (!n)
			n = pw_section(pw_report_root(v->r), "pairs",
				       "Who and whom");
		pair_table(v, n, (enum pw_sched_pair_kind)kind, by, n_by);
	}
	free(by);
}
