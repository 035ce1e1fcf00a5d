// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report: which tasks and times it is of, its first section, and the facts
 * of the machine. The tables are other files'.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "sched-report.h"

/* --- what is shown ------------------------------------------------------------------ */

static int by_time(const void *a, const void *b)
{
	const struct task *x = *(struct task *const *)a;
	const struct task *y = *(struct task *const *)b;

	if (x->pub.run_ns != y->pub.run_ns)
		return x->pub.run_ns > y->pub.run_ns ? -1 : 1;
	if (x->pub.n_in != y->pub.n_in)
		return x->pub.n_in > y->pub.n_in ? -1 : 1;
	return x->idx < y->idx ? -1 : x->idx > y->idx;
}

static bool is_shown(const struct pw_sched *s, const struct task *t)
{
	const struct pw_sched_task *p = &t->pub;

	return p->is_kept && !p->is_idle && t->idx != TASK_IRQ &&
	       (p->run_ns || p->n_in || p->n_left || p->n_preempted ||
		p->n_exits || (p->n_woken && !s->of_tasks));
}

static void choose(struct sched_view *v)
{
	struct pw_sched *s = v->s;

	v->tasks = pw_alloc((s->n_tasks + 1) * sizeof(struct task *));
	for (uint32_t i = 0; i < s->n_tasks; i++)
		if (is_shown(s, s->tasks[i]))
			v->tasks[v->n_tasks++] = s->tasks[i];
	qsort(v->tasks, v->n_tasks, sizeof(struct task *), by_time);
}

/* Blocks for comparing: 16 to 32 of them. */
#define LEAST_BLOCKS 32u

static void cut_time(struct sched_view *v)
{
	const struct pw_sched *s = v->s;

	if (s->first_ns != PW_NO_TIME && s->last_ns > s->first_ns)
		v->span_ns = s->last_ns - s->first_ns;
	else
		v->span_ns = 1;
	v->n_bins = bins_used(s);
	pw_report_time(v->r, v->span_ns, 0);
	if (s->axis.is_started)
		pw_report_start(v->r, s->axis.start_ns);
	v->bins_a_block = v->n_bins / LEAST_BLOCKS;
	/* those of lengths over time are eight bins wide */
	if (v->bins_a_block >= 1u << HEAT_SHIFT)
		v->bins_a_block &= ~((1u << HEAT_SHIFT) - 1);
	/* blocks begin where the time does, so not of a window */
	if (!v->bins_a_block || s->first_ns != s->axis.start_ns)
		return;
	v->n_blocks = (v->n_bins + v->bins_a_block - 1) / v->bins_a_block;
	pw_report_time(v->r, v->span_ns,
		       (uint64_t)v->bins_a_block << s->axis.shift);
}

char *task_label(const struct sched_view *v, const struct task *t)
{
	const char *role = t->pub.role;

	(void)v;
	if (t->pub.tid == PW_NO_PID || v->s->append_tid)
		return pw_strdup(role);
	return pw_asprintf("%s:%u", role, t->pub.tid);
}

uint64_t task_bin(const struct task *t, uint32_t bin)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < t->n_cores; i++)
		sum += bins_get(&t->cores[i].bins, bin);
	return sum;
}

/* --- overview ------------------------------------------------------------------------ */

struct whole {
	uint64_t busy, idle, unknown, lost, n_in, n_woken, migrations, run,
		delay, exits;
};

static struct whole whole_of(const struct pw_sched *s)
{
	struct whole w = { 0 };

	for (uint32_t i = 0; i < s->n_cpus; i++) {
		const struct pw_sched_cpu *c = pw_sched_cpu(s, i);

		w.busy += c->busy_ns;
		w.idle += c->idle_ns;
		w.unknown += c->unknown_ns;
		w.n_in += c->n_switches;
	}
	for (uint32_t i = 0; i < s->n_tasks; i++) {
		const struct pw_sched_task *t = &s->tasks[i]->pub;

		w.n_woken += t->n_woken;
		w.migrations += t->n_migrations;
		w.delay +=
			t->off_ns[PW_OFF_WAKING] + t->off_ns[PW_OFF_PREEMPTED];
		w.exits += t->n_exits;
	}
	return w;
}

static void note_waits(const struct sched_view *v, struct pw_node *n,
		       const struct whole *w)
{
	const struct task *worst = NULL;
	double waiting = of_span(v, w->delay);
	char a[32], b[32];

	if (waiting >= 0.5)
		pw_note(n, "waiting",
			"On average %.1f tasks were ready to run and had no CPU, beside %.1f that ran.",
			waiting, of_span(v, w->busy));
	for (uint32_t i = 0; i < v->n_tasks; i++)
		if (!worst ||
		    v->tasks[i]->pub.max_delay_ns > worst->pub.max_delay_ns)
			worst = v->tasks[i];
	if (!worst || !worst->pub.max_delay_ns)
		return;
	pw_quantity(a, sizeof(a), (double)worst->pub.max_delay_ns, PW_UNIT_NS);
	pw_quantity(b, sizeof(b),
		    (double)(worst->pub.max_delay_at_ns - v->s->axis.start_ns),
		    PW_UNIT_NS);
	pw_note(n, "longest_delay",
		"The longest that a task which could run was kept from it: %s, %s (tid %d), until %s after the start.",
		a, worst->pub.comm, (int)worst->pub.tid, b);
}

/* What the figures lack. */
static void note_quality(const struct sched_view *v, struct pw_node *n,
			 const struct whole *w)
{
	const struct pw_sched *s = v->s;
	uint64_t lost_ns = 0;

	for (uint32_t i = 0; i < s->n_cpus; i++)
		lost_ns += pw_sched_cpu(s, i)->lost_ns;
	if (s->n_lost)
		pw_note(n, "lost",
			"%" PRIu64
			" events were lost, in %.1f %% of the CPUs' time: figures of that time are too small, or belong to another task; 'touched' tells how much of each task's time it is. Record with larger buffers: perf record -m 16M.",
			s->n_lost,
			100 * of_span(v, lost_ns) /
				(s->n_cpus ? s->n_cpus : 1));
	if (s->of_tasks)
		pw_note(n, "single_tasks",
			"Only the command's own tasks were recorded: the CPUs' figures are of these alone, and wake-ups by others are missing. Record with -a for the whole machine.");
	if (s->n_broken && !s->n_lost)
		pw_note(n, "broken",
			"%" PRIu64
			" times another task left a CPU than had come there: events are missing and no record tells of it.%s",
			s->n_broken,
			s->of_tasks || s->of_cpus
				? ""
				: " Of single tasks (perf record without -a) switches to them are recorded with --switch-events only.");
	if (!s->has_switch && s->n_switch_records)
		pw_note(n, "records",
			"There is no sched_switch, only context-switch records: why tasks left the CPU and when they were woken is not known. Record with -e sched:sched_switch,sched:sched_waking.");
	else if (s->has_switch && !s->has_wake)
		pw_note(n, "no_wake",
			"Without sched_waking or sched_wakeup, waiting for a CPU counts as sleeping. Record with -e sched:sched_switch,sched:sched_waking.");
	else if (!s->has_switch && !w->n_in && !w->exits)
		pw_note(n, "nothing",
			"The capture has no switches of tasks. Record with perf record -a -e sched:sched_switch,sched:sched_waking, or perf wasm record -a --sched.");
	if (s->field_remark)
		pw_note(n, "fields", "An event is passed over: %s.",
			s->field_remark);
	if (s->cut_pairs || s->cut_exits)
		pw_note(n, "cut",
			"There were too many pairs of tasks: %" PRIu64
			" wake-ups, preemptions and successions are not counted by pair.",
			s->cut_pairs + s->cut_exits);
	if (s->n_bad_cpu)
		pw_note(n, "bad_cpus",
			"%" PRIu64
			" events tell of a CPU that can't be, or of none (perf record --sample-cpu), and are passed over.",
			s->n_bad_cpu);
	if (s->counts.out_of_order)
		pw_note(n, "out_of_order",
			"%" PRIu64
			" records came later than one with a later time; times around them may be wrong.",
			s->counts.out_of_order);
}

/* Of the last fact. */
static void sum_compared(const struct sched_view *v, struct pw_node *n,
			 enum sum_kind kind, enum pw_better better)
{
	double *blocks;

	pw_fact_compared(n, PW_AMOUNT_TOTAL, better);
	if (!v->n_blocks)
		return;
	blocks = pw_zalloc(v->n_blocks * sizeof(*blocks));
	for (uint32_t b = 0; b < v->n_bins; b++)
		blocks[b / v->bins_a_block] +=
			(double)bins_get(&v->s->sums[kind], b);
	pw_fact_blocks(n, blocks, (int)v->n_blocks);
	free(blocks);
}

void show_overview(const struct sched_view *v)
{
	struct pw_node *n =
		pw_section(pw_report_root(v->r), "overview", "Overview");
	const struct whole w = whole_of(v->s);
	uint64_t all = w.busy + w.idle + w.unknown;

	pw_fact_int(n, "duration", "Time", (int64_t)v->span_ns, PW_UNIT_NS);
	pw_fact_int(n, "cpus", "CPUs", v->s->n_cpus, PW_UNIT_COUNT);
	pw_fact_int(n, "tasks", "Tasks", v->n_tasks, PW_UNIT_COUNT);
	if (all && !v->s->of_tasks)
		pw_fact_num(n, "busy", "CPUs busy",
			    (double)w.busy / (double)all, PW_UNIT_PERCENT);
	if (w.unknown)
		pw_fact_num(n, "unknown", "CPUs' time that is not known",
			    (double)w.unknown / (double)all, PW_UNIT_PERCENT);
	pw_fact_int(n, "switches", "Switches", (int64_t)w.n_in, PW_UNIT_COUNT);
	sum_compared(v, n, SUM_SWITCHES, PW_BETTER_LESS);
	pw_fact_int(n, "woken", "Wake-ups", (int64_t)w.n_woken, PW_UNIT_COUNT);
	sum_compared(v, n, SUM_WAKEUPS, PW_BETTER_NEITHER);
	pw_fact_int(n, "migrations", "Migrations", (int64_t)w.migrations,
		    PW_UNIT_COUNT);
	sum_compared(v, n, SUM_MIGRATIONS, PW_BETTER_LESS);
	pw_fact_int(n, "waiting_time", "Waited for a CPU, all tasks",
		    (int64_t)w.delay, PW_UNIT_NS);
	sum_compared(v, n, SUM_WAITING, PW_BETTER_LESS);
	if (w.exits)
		pw_fact_int(n, "exits", "Exits of virtual CPUs",
			    (int64_t)w.exits, PW_UNIT_COUNT);
	if (v->s->n_lost)
		pw_fact_int(n, "lost_events", "Lost events",
			    (int64_t)v->s->n_lost, PW_UNIT_COUNT);
	note_waits(v, n, &w);
	if (v->s->kernel)
		note_kernel(v, n);
	else
		note_quality(v, n, &w);
}

/* --- the machine ----------------------------------------------------------------------- */

static void fact(struct pw_node *n, const char *key, const char *label,
		 const char *value)
{
	if (value)
		pw_fact_str(n, key, label, value);
}

void show_machine(const struct sched_view *v)
{
	const struct pw_sched *s = v->s;
	struct pw_node *n, *t;
	int what, is;

	if (!s->has_capture && !s->kernel)
		return;
	n = pw_section(pw_report_root(v->r), "machine", "Machine");
	fact(n, "command", "Recorded by", s->command);
	fact(n, "hostname", "Name", s->hostname);
	fact(n, "osrelease", "Kernel", s->osrelease);
	fact(n, "arch", "Architecture", s->arch);
	fact(n, "cpu", "CPU", s->cpudesc);
	if (s->n_cpus_online)
		pw_fact_int(n, "cpus_online", "CPUs online", s->n_cpus_online,
			    PW_UNIT_COUNT);
	if (s->total_mem_kb)
		pw_fact_int(n, "memory", "Memory",
			    (int64_t)(s->total_mem_kb << 10), PW_UNIT_BYTES);
	if (!s->n_more)
		return;
	t = pw_table(n, "topology", "What else perf wrote down");
	pw_table_only_drawn(t);
	what = pw_column(t, "what", "What", PW_UNIT_NONE, 0);
	is = pw_column(t, "is", "Is", PW_UNIT_NONE, PW_COL_TRUNC);
	for (uint32_t i = 0; i < s->n_more; i++) {
		pw_row(t);
		pw_cell_str(t, what, s->more[i].key);
		pw_cell_str(t, is, s->more[i].value);
	}
}

/* What is drawn over time and by CPU. */
static void show_times(const struct sched_view *v)
{
	show_core_map(v);
	show_time_line(v);
	show_heat(v);
	show_locality(v);
}

void pw_sched_report(struct pw_sched *s, const struct pw_sched_report_opts *o,
		     struct pw_report *r)
{
	struct sched_view v = { .s = s,
				.r = r,
				.max_rows = o && o->max_rows ? o->max_rows
							     : ROWS_MOST };

	choose(&v);
	cut_time(&v);
	show_overview(&v);
	show_tasks(&v);
	show_latencies(&v);
	if (!o || !o->only_compared)
		show_times(&v);
	show_pairs(&v);
	show_kvm(&v);
	if (o && o->profile)
		show_left(&v, o->profile);
	if (s->kernel)
		show_kernel(&v);
	show_machine(&v);
	free(v.tasks);
}
