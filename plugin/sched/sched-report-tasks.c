// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables of tasks: by role, one by one, by process, by cgroup; and how long they
 * waited.
 */
#include <stdlib.h>

#include "sched-report.h"

/* --- columns that all have --------------------------------------------------------------- */

struct columns {
	struct pw_node *t;
	int share, run, in, preempted, migrations, off[PW_N_OFF_REASONS];
	int left, edge; /* for who compares with others */
	int touched;    /* -1: nothing was lost */
};

static const char *const off_titles[PW_N_OFF_REASONS] = {
	[PW_OFF_PREEMPTED] = "Preempted", [PW_OFF_WAKING] = "Waiting",
	[PW_OFF_SLEEPING] = "Sleeping",   [PW_OFF_BLOCKED] = "Blocked",
	[PW_OFF_OTHER] = "Other",
};

static void add_columns(const struct sched_view *v, struct columns *c,
			struct pw_node *t)
{
	c->t = t;
	c->share = number_column(t, "cpu", "CPU", PW_UNIT_PERCENT);
	c->run = number_column(t, "run", "Running", PW_UNIT_NS);
	pw_column_compared(t, c->run, PW_AMOUNT_TOTAL, PW_BETTER_LESS);
	for (int r = 0; r < PW_N_OFF_REASONS; r++) {
		c->off[r] =
			number_column(t,
				      pw_off_reason_name((enum pw_off_reason)r),
				      off_titles[r], PW_UNIT_NS);
		pw_column_compared(t, c->off[r], PW_AMOUNT_TOTAL,
				   r == PW_OFF_PREEMPTED || r == PW_OFF_WAKING
					   ? PW_BETTER_LESS
					   : PW_BETTER_NEITHER);
	}
	c->in = number_column(t, "switches", "Switches", PW_UNIT_COUNT);
	pw_column_compared(t, c->in, PW_AMOUNT_TOTAL, PW_BETTER_LESS);
	c->preempted =
		number_column(t, "preemptions", "Preempt.", PW_UNIT_COUNT);
	c->migrations = number_column(t, "migrations", "Migr.", PW_UNIT_COUNT);
	c->left = pw_column(t, "left", "Left", PW_UNIT_COUNT,
			    PW_COL_RIGHT | PW_COL_JSON_ONLY);
	c->edge = pw_column(t, "edge", "At an edge", PW_UNIT_NS,
			    PW_COL_RIGHT | PW_COL_JSON_ONLY);
	c->touched = v->s->n_lost ? number_column(t, "touched", "Touched",
						  PW_UNIT_PERCENT)
				  : -1;
}

static void add_cells(const struct sched_view *v, const struct columns *c,
		      const struct pw_sched_task *p)
{
	uint64_t all = p->run_ns;

	pw_cell_num(c->t, c->share, of_span(v, p->run_ns));
	pw_cell_int(c->t, c->run, (int64_t)p->run_ns);
	for (int r = 0; r < PW_N_OFF_REASONS; r++) {
		all += p->off_ns[r];
		if (p->off_ns[r])
			pw_cell_int(c->t, c->off[r], (int64_t)p->off_ns[r]);
	}
	pw_cell_int(c->t, c->in, (int64_t)p->n_in);
	pw_cell_int(c->t, c->preempted, (int64_t)p->n_preempted);
	pw_cell_int(c->t, c->migrations, (int64_t)p->n_migrations);
	pw_cell_int(c->t, c->left, (int64_t)p->n_left);
	pw_cell_int(c->t, c->edge, (int64_t)p->edge_ns);
	if (c->touched >= 0 && all)
		pw_cell_num(c->t, c->touched,
			    (double)p->touched_ns / (double)all);
}

static void draw_bars(struct pw_node *t, int label, const struct columns *c,
		      const char *title)
{
	struct pw_node *chart = pw_chart(t, PW_CHART_BARS, title, 0);

	pw_chart_role(chart, PW_ROLE_LABEL, label);
	pw_chart_role(chart, PW_ROLE_X, c->share);
	pw_chart_role(chart, PW_ROLE_X2, c->in);
}

/* --- roles --------------------------------------------------------------------------------- */

/* How often a task ran in each block, as its map of lengths tells; false: it
 * was given up. */
static bool add_runs(const struct sched_view *v, const struct task *t,
		     double *blocks)
{
	const struct heat *h = &t->heat[HEAT_RUN];

	if (t->is_stale_heat || v->bins_a_block % (1u << HEAT_SHIFT))
		return false;
	for (uint32_t i = 0; i < (uint32_t)h->n * HEAT_COLUMNS; i++) {
		uint32_t bin = i % HEAT_COLUMNS << HEAT_SHIFT;

		if (bin < v->n_bins)
			blocks[bin / v->bins_a_block] += h->cells[i];
	}
	return true;
}

/* The time and the switches of a role in each block. */
static void role_blocks(const struct sched_view *v, const struct columns *c,
			const struct pw_sched_task *role)
{
	double *blocks, *runs;
	bool has_runs = true;

	if (!v->n_blocks)
		return;
	blocks = pw_zalloc(2 * v->n_blocks * sizeof(*blocks));
	runs = blocks + v->n_blocks;
	for (uint32_t i = 0; i < v->n_tasks; i++) {
		if (strcmp(v->tasks[i]->pub.role, role->role))
			continue;
		for (uint32_t b = 0; b < v->n_bins; b++)
			blocks[b / v->bins_a_block] +=
				(double)task_bin(v->tasks[i], b);
		has_runs = has_runs && add_runs(v, v->tasks[i], runs);
	}
	pw_cell_blocks(c->t, c->run, blocks, (int)v->n_blocks);
	if (has_runs)
		pw_cell_blocks(c->t, c->in, runs, (int)v->n_blocks);
	free(blocks);
}

static void roles_table(const struct sched_view *v, struct pw_node *n)
{
	uint32_t n_roles = pw_sched_n_roles(v->s);
	uint32_t rows = rows_of(v, n_roles);
	struct pw_node *t = pw_table(n, "roles", "Roles");
	int name = pw_column(t, "role", "Role", PW_UNIT_NONE,
			     PW_COL_TRUNC | PW_COL_KEY);
	int tasks = number_column(t, "tasks", "Tasks", PW_UNIT_COUNT);
	struct columns c;

	add_columns(v, &c, t);
	for (uint32_t i = 0; i < rows; i++) {
		const struct pw_sched_task *p = pw_sched_role(v->s, i);

		pw_row(t);
		pw_cell_str(t, name, p->role);
		pw_cell_int(t, tasks, p->n_tasks);
		add_cells(v, &c, p);
		if (i < DRAWN_TASKS)
			role_blocks(v, &c, p);
	}
	if (rows < n_roles)
		pw_table_cut(t);
	if (rows)
		draw_bars(t, name, &c, "CPU time and switches by role");
}

/* --- one by one -------------------------------------------------------------------------------- */

static void tasks_table(const struct sched_view *v, struct pw_node *n)
{
	uint32_t rows = rows_of(v, v->n_tasks);
	struct pw_node *t = pw_table(n, "tasks", "Tasks");
	int name = pw_column(t, "task", "Task", PW_UNIT_NONE, PW_COL_TRUNC);
	int tid = number_column(t, "tid", "Tid", PW_UNIT_NONE);
	int pid = pw_column(t, "pid", "Pid", PW_UNIT_NONE,
			    PW_COL_RIGHT | PW_COL_JSON_ONLY);
	struct columns c;

	add_columns(v, &c, t);
	for (uint32_t i = 0; i < rows; i++) {
		const struct pw_sched_task *p = &v->tasks[i]->pub;

		pw_row(t);
		pw_cell_str(t, name, p->role);
		if (p->tid != PW_NO_PID)
			pw_cell_int(t, tid, p->tid);
		if (p->pid != PW_NO_PID)
			pw_cell_int(t, pid, p->pid);
		add_cells(v, &c, p);
	}
	if (rows)
		draw_bars(t, name, &c, "CPU time and switches by task");
}

/* --- groups ---------------------------------------------------------------------------------------- */

struct group {
	const char *name;
	uint32_t pid;
	struct pw_sched_task sum;
};

static int by_group(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int by_sum(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->sum.run_ns != y->sum.run_ns)
		return x->sum.run_ns > y->sum.run_ns ? -1 : 1;
	return by_group(a, b);
}

/* Joins neighbours of one group; their number. */
static uint32_t join(struct group *g, uint32_t n)
{
	uint32_t last = 0;

	qsort(g, n, sizeof(*g), by_group);
	for (uint32_t i = 1; i < n; i++)
		if (by_group(&g[last], &g[i]))
			g[++last] = g[i];
		else
			task_merge(&g[last].sum, &g[i].sum);
	qsort(g, n ? last + 1 : 0, sizeof(*g), by_sum);
	return n ? last + 1 : 0;
}

/* Only sums: histograms stay with the tasks. */
static struct pw_sched_task sums_of(const struct pw_sched_task *p)
{
	struct pw_sched_task sum = *p;

	memset(&sum.run, 0, sizeof(sum.run));
	memset(&sum.latency, 0, sizeof(sum.latency));
	memset(&sum.preempted, 0, sizeof(sum.preempted));
	memset(&sum.sleep, 0, sizeof(sum.sleep));
	return sum;
}

/* The name of a process is that of its first thread; the role of one without
 * a name has its number. */
static const char *process_name(const struct pw_sched *s,
				const struct pw_sched_task *p)
{
	const struct task *first = task_known(s, p->pid);

	if (first)
		p = &first->pub;
	return *p->comm ? p->comm : p->role;
}

static void processes_table(const struct sched_view *v, struct pw_node *n)
{
	struct group *g = pw_alloc((v->n_tasks + 1) * sizeof(*g));
	uint32_t n_all = 0, n_groups, rows;
	struct pw_node *t;
	struct columns c;
	int name, pid, tasks;

	for (uint32_t i = 0; i < v->n_tasks; i++) {
		const struct pw_sched_task *p = &v->tasks[i]->pub;

		if (p->pid == PW_NO_PID || !p->pid)
			continue;
		g[n_all++] = (struct group){ "", p->pid, sums_of(p) };
	}
	n_groups = join(g, n_all);
	if (n_groups && n_groups < n_all) {
		rows = rows_of(v, n_groups);
		t = pw_table(n, "processes", "Processes");
		name = pw_column(t, "process", "Process", PW_UNIT_NONE,
				 PW_COL_TRUNC);
		pid = number_column(t, "pid", "Pid", PW_UNIT_NONE);
		tasks = number_column(t, "tasks", "Tasks", PW_UNIT_COUNT);
		add_columns(v, &c, t);
		for (uint32_t i = 0; i < rows; i++) {
			pw_row(t);
			pw_cell_str(t, name, process_name(v->s, &g[i].sum));
			pw_cell_int(t, pid, g[i].pid);
			pw_cell_int(t, tasks, g[i].sum.n_tasks);
			add_cells(v, &c, &g[i].sum);
		}
	}
	free(g);
}

static void cgroups_table(const struct sched_view *v, struct pw_node *n)
{
	struct group *g = pw_alloc((v->n_tasks + 1) * sizeof(*g));
	uint32_t n_all = 0, n_groups;
	struct pw_node *t;
	struct columns c;
	int name, tasks;

	for (uint32_t i = 0; i < v->n_tasks; i++)
		if (v->tasks[i]->pub.cgroup)
			g[n_all++] =
				(struct group){ v->tasks[i]->pub.cgroup, 0,
						sums_of(&v->tasks[i]->pub) };
	n_groups = join(g, n_all);
	if (n_groups) {
		t = pw_table(n, "cgroups", "Control groups");
		name = pw_column(t, "cgroup", "Group", PW_UNIT_NONE,
				 PW_COL_TRUNC | PW_COL_KEY);
		tasks = number_column(t, "tasks", "Tasks", PW_UNIT_COUNT);
		add_columns(v, &c, t);
		for (uint32_t i = 0; i < rows_of(v, n_groups); i++) {
			pw_row(t);
			pw_cell_str(t, name, g[i].name);
			pw_cell_int(t, tasks, g[i].sum.n_tasks);
			add_cells(v, &c, &g[i].sum);
		}
		if (n_groups > rows_of(v, n_groups))
			pw_table_cut(t);
	}
	free(g);
}

void show_tasks(const struct sched_view *v)
{
	struct pw_node *n;

	if (!v->n_tasks)
		return;
	n = pw_section(pw_report_root(v->r), "tasks", "Tasks");
	roles_table(v, n);
	tasks_table(v, n);
	processes_table(v, n);
	cgroups_table(v, n);
}

/* --- latencies ---------------------------------------------------------------------------------- */

struct quantiles {
	int n, mean, p50, p95, p99, max;
};

static struct quantiles quantile_columns(struct pw_node *t)
{
	struct quantiles q;

	q.n = number_column(t, "times", "Times", PW_UNIT_COUNT);
	q.mean = number_column(t, "mean", "Mean", PW_UNIT_NS);
	q.p50 = number_column(t, "p50", "p50", PW_UNIT_NS);
	q.p95 = number_column(t, "p95", "p95", PW_UNIT_NS);
	q.p99 = number_column(t, "p99", "p99", PW_UNIT_NS);
	q.max = number_column(t, "max", "Max", PW_UNIT_NS);
	pw_column_compared(t, q.p50, PW_AMOUNT_LEVEL, PW_BETTER_NEITHER);
	pw_column_compared(t, q.p99, PW_AMOUNT_LEVEL, PW_BETTER_NEITHER);
	return q;
}

static void quantile_row(struct pw_node *t, const struct quantiles *q, int name,
			 const char *role, const struct pw_hist *h)
{
	if (!h->n)
		return;
	pw_row(t);
	pw_cell_str(t, name, role);
	pw_cell_int(t, q->n, (int64_t)h->n);
	pw_cell_num(t, q->mean, pw_hist_mean(h));
	pw_cell_num(t, q->p50, pw_hist_quantile(h, 0.5));
	pw_cell_num(t, q->p95, pw_hist_quantile(h, 0.95));
	pw_cell_num(t, q->p99, pw_hist_quantile(h, 0.99));
	pw_cell_int(t, q->max, (int64_t)h->max);
}

static void quantile_table(const struct sched_view *v, struct pw_node *n,
			   const char *key, const char *title, size_t hist)
{
	struct pw_node *t = pw_table(n, key, title);
	int name = pw_column(t, "role", "Role", PW_UNIT_NONE,
			     PW_COL_TRUNC | PW_COL_KEY);
	struct quantiles q = quantile_columns(t);
	uint32_t n_roles = pw_sched_n_roles(v->s);

	for (uint32_t i = 0; i < rows_of(v, n_roles); i++) {
		const struct pw_sched_task *p = pw_sched_role(v->s, i);

		quantile_row(t, &q, name, p->role,
			     (const void *)((const char *)p + hist));
	}
	if (n_roles > rows_of(v, n_roles))
		pw_table_cut(t);
}

void show_latencies(const struct sched_view *v)
{
	struct pw_node *n;

	if (!pw_sched_n_roles(v->s))
		return;
	n = pw_section(pw_report_root(v->r), "latencies", "Latencies");
	pw_note(n, "error",
		"Quantiles are within 1/32 of the exact value; number, mean and maximum are exact.");
	if (v->s->has_wake)
		quantile_table(v, n, "latency", "From woken to running",
			       offsetof(struct pw_sched_task, latency));
	quantile_table(v, n, "preempted", "From preempted to running again",
		       offsetof(struct pw_sched_task, preempted));
	quantile_table(v, n, "runs", "On the CPU, from in to out",
		       offsetof(struct pw_sched_task, run));
	quantile_table(v, n, "sleeps", "Asleep or blocked, until woken",
		       offsetof(struct pw_sched_task, sleep));
}
