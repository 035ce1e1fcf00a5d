// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tables of time off the CPU: by the function that was left, with the
 * reason, and by who woke whom.
 */
#include <stdlib.h>

#include "report-impl.h"

struct left {
	uint32_t function;
	uint64_t ns;
};

static int longer(const void *a, const void *b)
{
	const struct left *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

/* Of all reasons: to the columns of time and of times. */
static void add_blocks(const struct pw_profile *p, struct pw_node *t,
		       const int *columns, enum block_kind kind, uint32_t id)
{
	double ns[BLOCKS_MAX] = { 0 }, times[BLOCKS_MAX] = { 0 };

	for (uint32_t r = 0; r < PW_N_OFF_REASONS; r++)
		blocks_get(&p->blocks, kind, r, id, ns, times);
	pw_cell_blocks(t, columns[1], ns, blocks_n(&p->blocks));
	pw_cell_blocks(t, columns[2], times, blocks_n(&p->blocks));
}

static void show_function(const struct pw_profile *p, struct pw_node *t,
			  const int *columns, const struct pw_function *f,
			  uint64_t ns, uint64_t whole)
{
	uint64_t n = 0;
	int r;

	pw_row(t);
	pw_cell_num(t, columns[0], (double)ns / (double)whole);
	pw_cell_int(t, columns[1], (int64_t)ns);
	add_blocks(p, t, columns, BLOCK_OFF_SYMBOL, f->sym->id);
	for (r = 0; r < PW_N_OFF_REASONS; r++) {
		n += f->off[r].samples;
		if (f->off[r].samples)
			pw_cell_int(t, columns[3 + r],
				    (int64_t)f->off[r].period);
	}
	pw_cell_int(t, columns[2], (int64_t)n);
	pw_cell_str(t, columns[3 + PW_N_OFF_REASONS], f->sym->name);
	pw_cell_str(t, columns[4 + PW_N_OFF_REASONS],
		    pw_place_kind_name(f->sym->kind));
}

static struct pw_node *function_table(struct pw_node *parent, int *columns)
{
	struct pw_node *t = pw_table(parent, "off_cpu",
				     "Off CPU, by the function that was left");
	int r;

	columns[0] =
		pw_column(t, "share", "Share", PW_UNIT_PERCENT, PW_COL_RIGHT);
	columns[1] = pw_column(t, "time", "Time", PW_UNIT_NS, PW_COL_RIGHT);
	columns[2] =
		pw_column(t, "switches", "Times", PW_UNIT_COUNT, PW_COL_RIGHT);
	for (r = 0; r < PW_N_OFF_REASONS; r++)
		columns[3 + r] = pw_column(t, pw_off_reason_name(r),
					   pw_off_reason_name(r), PW_UNIT_NS,
					   PW_COL_RIGHT);
	columns[3 + r] = pw_column(t, "function", "Function", PW_UNIT_NONE,
				   PW_COL_TRUNC | PW_COL_KEY);
	columns[4 + r] = pw_column(t, "kind", "Kind", PW_UNIT_NONE, PW_COL_KEY);
	pw_column_compared(t, columns[1], PW_AMOUNT_TOTAL, PW_BETTER_NEITHER);
	pw_column_compared(t, columns[2], PW_AMOUNT_TOTAL, PW_BETTER_NEITHER);
	return t;
}

static void show_functions(struct pw_profile *p,
			   const struct pw_profile_report_opts *o,
			   struct pw_node *parent)
{
	uint32_t n = pw_profile_n_functions(p), n_left = 0, i;
	uint64_t whole = p->events[p->off_event]->info.total.period;
	struct left *left = pw_alloc((n + 1) * sizeof(*left));
	int columns[5 + PW_N_OFF_REASONS], r;
	struct pw_function f;
	struct pw_node *t;

	for (i = 0; i < n; i++) {
		pw_profile_function(p, i, &f);
		left[n_left] = (struct left){ i, 0 };
		for (r = 0; r < PW_N_OFF_REASONS; r++)
			left[n_left].ns += f.off[r].period;
		n_left += left[n_left].ns > 0;
	}
	qsort(left, n_left, sizeof(*left), longer);
	t = function_table(parent, columns);
	for (i = 0; i < n_left && (!o->max_rows || i < o->max_rows); i++) {
		if (left[i].ns < o->min_share * (double)whole)
			break;
		pw_profile_function(p, left[i].function, &f);
		show_function(p, t, columns, &f, left[i].ns, whole);
	}
	if (i < n_left)
		pw_table_cut(t);
	free(left);
}

/* By task and reason: what compare reads of the time off the CPU. */
static void show_waits(struct pw_profile *p, struct pw_node *parent)
{
	struct pw_node *t =
		pw_table(parent, "waits", "Off CPU, by task and reason");
	int n = blocks_n(&p->blocks);
	const int columns[] = {
		pw_column(t, "task", "Task", PW_UNIT_NONE, PW_COL_KEY),
		pw_column(t, "reason", "Reason", PW_UNIT_NONE, PW_COL_KEY),
		pw_column(t, "time", "Time", PW_UNIT_NS, PW_COL_RIGHT),
		pw_column(t, "times", "Times", PW_UNIT_COUNT, PW_COL_RIGHT),
	};

	pw_table_only_drawn(t);
	for (int c = 2; c < 4; c++)
		pw_column_compared(t, columns[c], PW_AMOUNT_TOTAL,
				   PW_BETTER_NEITHER);
	for (uint32_t i = 0; i < p->n_tasks * PW_N_OFF_REASONS; i++) {
		const struct task *task = &p->tasks[i / PW_N_OFF_REASONS];
		uint32_t reason = i % PW_N_OFF_REASONS;
		double ns[BLOCKS_MAX] = { 0 }, times[BLOCKS_MAX] = { 0 };

		if (!task->off[reason].samples)
			continue;
		pw_row(t);
		pw_cell_str(t, columns[0], task->comm);
		pw_cell_str(t, columns[1], pw_off_reason_name(reason));
		pw_cell_int(t, columns[2], (int64_t)task->off[reason].period);
		pw_cell_int(t, columns[3], (int64_t)task->off[reason].samples);
		blocks_get(&p->blocks, BLOCK_OFF_TASK, reason,
			   i / PW_N_OFF_REASONS, ns, times);
		pw_cell_blocks(t, columns[2], ns, n);
		pw_cell_blocks(t, columns[3], times, n);
	}
}

static int longer_wait(const void *a, const void *b)
{
	const struct pw_waker *x = a, *y = b;

	if (x->wait_ns != y->wait_ns)
		return x->wait_ns > y->wait_ns ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->waker_tid < y->waker_tid ? -1 : x->waker_tid > y->waker_tid;
}

static void show_waker(struct pw_node *t, const int *columns,
		       const struct pw_waker *w)
{
	pw_row(t);
	pw_cell_int(t, columns[0], (int64_t)w->wait_ns);
	pw_cell_int(t, columns[1], (int64_t)w->n);
	pw_cell_str(t, columns[2], w->comm);
	pw_cell_int(t, columns[3], w->tid);
	pw_cell_str(t, columns[4], w->waker_comm);
	pw_cell_int(t, columns[5], w->waker_tid);
}

static void show_wakers(struct pw_profile *p,
			const struct pw_profile_report_opts *o,
			struct pw_node *parent)
{
	uint32_t n = pw_profile_n_wakers(p), i;
	struct pw_waker *w = pw_alloc((n + 1) * sizeof(*w));
	struct pw_node *t = pw_table(parent, "wakers", "Who was woken by whom");
	const int columns[] = {
		pw_column(t, "waited", "Waited", PW_UNIT_NS, PW_COL_RIGHT),
		pw_column(t, "times", "Times", PW_UNIT_COUNT, PW_COL_RIGHT),
		pw_column(t, "task", "Task", PW_UNIT_NONE, 0),
		pw_column(t, "tid", "Tid", PW_UNIT_NONE, PW_COL_RIGHT),
		pw_column(t, "woken_by", "Woken by", PW_UNIT_NONE, 0),
		pw_column(t, "waker_tid", "Tid", PW_UNIT_NONE, PW_COL_RIGHT),
	};

	for (i = 0; i < n; i++)
		pw_profile_waker(p, i, &w[i]);
	qsort(w, n, sizeof(*w), longer_wait);
	for (i = 0; i < n && (!o->max_rows || i < o->max_rows); i++)
		show_waker(t, columns, &w[i]);
	free(w);
}

void report_off_cpu(struct pw_profile *p,
		    const struct pw_profile_report_opts *o,
		    struct pw_node *parent)
{
	if (p->off_event == UINT32_MAX ||
	    !p->events[p->off_event]->info.total.period)
		return;
	show_functions(p, o, parent);
	if (p->opts.blocks)
		show_waits(p, parent);
	if (pw_profile_n_wakers(p))
		show_wakers(p, o, parent);
}
