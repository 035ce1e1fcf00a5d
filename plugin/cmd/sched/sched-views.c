// SPDX-License-Identifier: GPL-2.0-only
/* Tables of a scheduler pass that are no part of its report. */
#include "sched-views.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- latency -------------------------------------------------------------------- */

/* Tasks of one name, as perf sched latency joins them. */
struct joined {
	const char *comm;
	uint32_t tid, n_tasks;
	uint64_t run_ns, n, delay_ns, max_ns, max_at_ns;
};

static int by_comm(const void *a, const void *b)
{
	const struct joined *x = a, *y = b;
	int d = strcmp(x->comm, y->comm);

	return d ? d : x->tid < y->tid ? -1 : x->tid > y->tid;
}

static double mean_delay(const struct joined *j)
{
	return j->n ? (double)j->delay_ns / (double)j->n : 0;
}

static int by_delay(const void *a, const void *b)
{
	const struct joined *x = a, *y = b;
	double p = mean_delay(x), q = mean_delay(y);

	return p > q ? -1 : p < q ? 1 : by_comm(a, b);
}

static struct joined joined_of(const struct pw_sched_task *t)
{
	struct joined j = { .comm = t->comm,
			    .tid = t->tid,
			    .n_tasks = 1,
			    .run_ns = t->stat_runtime_ns ? t->stat_runtime_ns
							 : t->run_ns,
			    .delay_ns = t->latency.sum + t->preempted.sum,
			    .max_ns = t->max_delay_ns,
			    .max_at_ns = t->max_delay_at_ns };

	/* a first time on a CPU has no delay there, but counts */
	j.n = t->latency.n + t->preempted.n + t->n_first;
	return j;
}

static uint32_t join(struct joined *j, uint32_t n)
{
	uint32_t last = 0;

	qsort(j, n, sizeof(*j), by_comm);
	for (uint32_t i = 1; i < n; i++) {
		struct joined *to = &j[last];

		if (strcmp(to->comm, j[i].comm)) {
			j[++last] = j[i];
			continue;
		}
		to->n_tasks++;
		to->run_ns += j[i].run_ns;
		to->n += j[i].n;
		to->delay_ns += j[i].delay_ns;
		if (j[i].max_ns > to->max_ns) {
			to->max_ns = j[i].max_ns;
			to->max_at_ns = j[i].max_at_ns;
		}
	}
	return n ? last + 1 : 0;
}

/* On the capture's clock, to be found again in perf script. */
static void clock_cell(struct pw_node *t, int col, uint64_t ns)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6f", (double)ns / 1e9);
	pw_cell_str(t, col, text);
}

static void latency_row(struct pw_node *t, const int *col,
			const struct joined *j)
{
	char *name = j->n_tasks > 1
			     ? pw_asprintf("%s:(%u)", j->comm, j->n_tasks)
			     : pw_asprintf("%s:%u", j->comm, j->tid);

	pw_row(t);
	pw_cell_str(t, col[0], name);
	pw_cell_int(t, col[1], (int64_t)j->run_ns);
	pw_cell_int(t, col[2], (int64_t)j->n);
	pw_cell_num(t, col[3], mean_delay(j));
	pw_cell_int(t, col[4], (int64_t)j->max_ns);
	if (j->max_ns) {
		clock_cell(t, col[5], j->max_at_ns - j->max_ns);
		clock_cell(t, col[6], j->max_at_ns);
	}
	free(name);
}

static void latency_table(struct pw_report *r, const struct joined *j,
			  uint32_t n)
{
	struct pw_node *t = pw_table(pw_report_root(r), "tasks", "Latencies");
	uint64_t run = 0, switches = 0;
	const int col[] = {
		pw_column(t, "task", "Task", PW_UNIT_NONE, 0),
		pw_column(t, "runtime", "Runtime", PW_UNIT_NS, PW_COL_RIGHT),
		pw_column(t, "switches", "Switches", PW_UNIT_COUNT,
			  PW_COL_RIGHT),
		pw_column(t, "avg_delay", "Avg delay", PW_UNIT_NS,
			  PW_COL_RIGHT),
		pw_column(t, "max_delay", "Max delay", PW_UNIT_NS,
			  PW_COL_RIGHT),
		pw_column(t, "max_start", "From, s", PW_UNIT_NONE,
			  PW_COL_RIGHT),
		pw_column(t, "max_end", "To, s", PW_UNIT_NONE, PW_COL_RIGHT),
	};

	for (uint32_t i = 0; i < n; i++) {
		latency_row(t, col, &j[i]);
		run += j[i].run_ns;
		switches += j[i].n;
	}
	pw_fact_int(pw_report_root(r), "runtime", "Runtime in all",
		    (int64_t)run, PW_UNIT_NS);
	pw_fact_int(pw_report_root(r), "switches", "Switches in all",
		    (int64_t)switches, PW_UNIT_COUNT);
}

void sched_view_latency(const struct pw_sched *s, bool by_tid,
			struct pw_report *r)
{
	struct joined *j = pw_alloc((pw_sched_n_tasks(s) + 1) * sizeof(*j));
	uint32_t n = 0;

	for (uint32_t i = 0; i < pw_sched_n_tasks(s); i++) {
		const struct pw_sched_task *t = pw_sched_task(s, i);

		j[n] = joined_of(t);
		n += t->is_kept && !t->is_idle && j[n].n;
	}
	if (!by_tid)
		n = join(j, n);
	qsort(j, n, sizeof(*j), by_delay);
	latency_table(r, j, n);
	free(j);
}

/* --- list ----------------------------------------------------------------------------- */

static int by_switches(const void *a, const void *b)
{
	const struct pw_sched_task *x = *(const struct pw_sched_task *const *)a;
	const struct pw_sched_task *y = *(const struct pw_sched_task *const *)b;

	if (x->n_in != y->n_in)
		return x->n_in > y->n_in ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

void sched_view_list(const struct pw_sched *s, struct pw_report *r)
{
	const struct pw_sched_task **by = pw_alloc(
		(pw_sched_n_tasks(s) + 1) * sizeof(struct pw_sched_task *));
	struct pw_node *t = pw_table(pw_report_root(r), "tasks", "Tasks");
	int tid = pw_column(t, "tid", "Tid", PW_UNIT_NONE, PW_COL_RIGHT);
	int in = pw_column(t, "switches", "Switches", PW_UNIT_COUNT,
			   PW_COL_RIGHT);
	int name = pw_column(t, "task", "Task", PW_UNIT_NONE, 0);
	int role = pw_column(t, "role", "Role", PW_UNIT_NONE, 0);
	uint32_t n = 0;

	for (uint32_t i = 0; i < pw_sched_n_tasks(s); i++) {
		by[n] = pw_sched_task(s, i);
		n += by[n]->is_kept && by[n]->tid != PW_NO_PID &&
		     (by[n]->n_in || by[n]->n_woken || by[n]->n_exits);
	}
	qsort(by, n, sizeof(struct pw_sched_task *), by_switches);
	for (uint32_t i = 0; i < n; i++) {
		pw_row(t);
		pw_cell_int(t, tid, by[i]->tid);
		pw_cell_int(t, in, (int64_t)by[i]->n_in);
		pw_cell_str(t, name, by[i]->comm);
		if (strcmp(by[i]->role, by[i]->comm))
			pw_cell_str(t, role, by[i]->role);
	}
	free(by);
}

/* --- successors ------------------------------------------------------------------------- */

struct next {
	const char *role;
	uint64_t n;
};

static int by_role(const void *a, const void *b)
{
	return strcmp(((const struct next *)a)->role,
		      ((const struct next *)b)->role);
}

static int by_times(const void *a, const void *b)
{
	const struct next *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return by_role(a, b);
}

static bool is_task(const struct pw_sched_task *t, const char *want)
{
	char *end;
	unsigned long tid = strtoul(want, &end, 10);

	if (*want && !*end)
		return t->tid == tid;
	return !strcmp(t->role, want) || !strcmp(t->comm, want);
}

static void successor_table(struct pw_report *r, struct next *next, uint32_t n)
{
	struct pw_node *t =
		pw_table(pw_report_root(r), "successors", "Ran next");
	int times = pw_column(t, "times", "Times", PW_UNIT_COUNT, PW_COL_RIGHT);
	int share =
		pw_column(t, "share", "Share", PW_UNIT_PERCENT, PW_COL_RIGHT);
	int name = pw_column(t, "task", "Task", PW_UNIT_NONE, 0);
	uint64_t all = 0;
	uint32_t last = 0, i;

	qsort(next, n, sizeof(*next), by_role);
	for (i = 0; i < n; i++)
		all += next[i].n;
	for (i = 1; i < n; i++)
		if (by_role(&next[last], &next[i]))
			next[++last] = next[i];
		else
			next[last].n += next[i].n;
	qsort(next, last + 1, sizeof(*next), by_times);
	for (i = 0; i <= last; i++) {
		pw_row(t);
		pw_cell_int(t, times, (int64_t)next[i].n);
		pw_cell_num(t, share, (double)next[i].n / (double)all);
		pw_cell_str(t, name, next[i].role);
	}
}

int sched_view_successors(const struct pw_sched *s, const char *task,
			  struct pw_report *r, struct pw_err *err)
{
	uint32_t all = pw_sched_n_pairs(s), n = 0;
	struct next *next = pw_alloc((all + 1) * sizeof(*next));

	for (uint32_t i = 0; i < all; i++) {
		const struct pw_sched_pair *p = pw_sched_pair(s, i);
		const struct pw_sched_task *b = pw_sched_task(s, p->b);

		if (p->kind != PW_SCHED_FOLLOWED || !p->n ||
		    !is_task(pw_sched_task(s, p->a), task))
			continue;
		next[n++] =
			(struct next){ b->is_idle ? "(idle)" : b->role, p->n };
	}
	if (n)
		successor_table(r, next, n);
	else
		pw_err_set(
			err, ENOENT,
			"no task '%s' left a CPU in this capture; --list tells which did",
			task);
	free(next);
	return n ? 0 : -ENOENT;
}
