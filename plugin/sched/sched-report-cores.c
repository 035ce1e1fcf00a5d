// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs: where each is in the machine, what it did, which tasks ran on it, and
 * which of them most when.
 */
#include <stdlib.h>

#include "sched-report.h"

/* --- where a CPU is ------------------------------------------------------------------ */

struct seat {
	int node, socket, core; /* -1: not told */
};

/* Whether a list such as "0-3,8" has the number. */
static bool list_has(const char *list, uint32_t nr)
{
	unsigned long a, b;
	char *end;

	for (;; list = end + 1) {
		a = b = strtoul(list, &end, 10);
		if (end == list)
			return false;
		if (*end == '-')
			b = strtoul(end + 1, &end, 10);
		if (nr >= a && nr <= b)
			return true;
		if (*end != ',')
			return false;
	}
}

static struct seat seat_of(const struct pw_sched *s, uint32_t nr)
{
	struct seat seat = { -1, -1, -1 };
	unsigned int cpu, node;

	for (uint32_t i = 0; i < s->n_more; i++) {
		const struct pw_fact *f = &s->more[i];

		if (sscanf(f->key, "cpu %u", &cpu) == 1 && cpu == nr)
			sscanf(f->value, "core %d socket %d", &seat.core,
			       &seat.socket);
		if (sscanf(f->key, "numa node %u", &node) == 1 &&
		    !strncmp(f->value, "cpus ", 5) &&
		    list_has(f->value + 5, nr))
			seat.node = (int)node;
	}
	return seat;
}

/* "3", where there are several nodes "1: 3", so that they stand together. */
static char *cpu_label(const struct pw_sched *s, uint32_t nr, bool has_nodes)
{
	if (has_nodes)
		return pw_asprintf("%d: %u", seat_of(s, nr).node, nr);
	return pw_asprintf("%u", nr);
}

static bool has_nodes(const struct pw_sched *s)
{
	for (uint32_t i = 1; i < s->n_cpus; i++)
		if (seat_of(s, s->cpu_list[i]).node !=
		    seat_of(s, s->cpu_list[0]).node)
			return true;
	return false;
}

/* --- each CPU -------------------------------------------------------------------------- */

static void seat_cell(struct pw_node *t, int col, int value)
{
	if (value >= 0)
		pw_cell_int(t, col, value);
}

static void cpus_table(const struct sched_view *v, struct pw_node *n)
{
	struct pw_node *t = pw_table(n, "cpus", "CPUs");
	int cpu = pw_column(t, "cpu", "CPU", PW_UNIT_NONE, PW_COL_RIGHT);
	int node = number_column(t, "node", "Node", PW_UNIT_NONE);
	int socket = number_column(t, "socket", "Socket", PW_UNIT_NONE);
	int core = number_column(t, "core", "Core", PW_UNIT_NONE);
	int share = number_column(t, "busy", "Busy", PW_UNIT_PERCENT);
	int busy = number_column(t, "busy_time", "Busy", PW_UNIT_NS);
	int idle = number_column(t, "idle", "Idle", PW_UNIT_NS);
	int unknown = number_column(t, "unknown", "Not known", PW_UNIT_NS);
	int switches = number_column(t, "switches", "Switches", PW_UNIT_COUNT);
	int lost = -1, lost_ns = -1;

	if (v->s->n_lost) {
		lost = number_column(t, "lost", "Lost events", PW_UNIT_COUNT);
		lost_ns = number_column(t, "lost_time", "in", PW_UNIT_NS);
	}

	for (uint32_t i = 0; i < v->s->n_cpus; i++) {
		const struct pw_sched_cpu *c = pw_sched_cpu(v->s, i);
		struct seat seat = seat_of(v->s, c->cpu);

		pw_row(t);
		pw_cell_int(t, cpu, c->cpu);
		seat_cell(t, node, seat.node);
		seat_cell(t, socket, seat.socket);
		seat_cell(t, core, seat.core);
		pw_cell_num(t, share, of_span(v, c->busy_ns));
		pw_cell_int(t, busy, (int64_t)c->busy_ns);
		pw_cell_int(t, idle, (int64_t)c->idle_ns);
		pw_cell_int(t, unknown, (int64_t)c->unknown_ns);
		pw_cell_int(t, switches, (int64_t)c->n_switches);
		if (!c->lost || lost < 0)
			continue;
		pw_cell_int(t, lost, (int64_t)c->lost);
		pw_cell_int(t, lost_ns, (int64_t)c->lost_ns);
	}
}

static void lost_table(const struct sched_view *v, struct pw_node *n)
{
	struct pw_node *t;
	int cpu, from, to, events;

	if (!v->s->n_lost)
		return;
	t = pw_table(n, "lost", "When events were lost");
	pw_table_only_drawn(t);
	cpu = number_column(t, "cpu", "CPU", PW_UNIT_NONE);
	from = number_column(t, "from", "From", PW_UNIT_NS);
	to = number_column(t, "to", "To", PW_UNIT_NS);
	events = number_column(t, "events", "Events", PW_UNIT_COUNT);
	for (uint32_t i = 0; i < v->s->n_cpus; i++) {
		const struct cpu *c = v->s->cpus[v->s->cpu_list[i]];

		for (uint32_t k = 0; k < c->n_lost; k++) {
			const struct lost_range *r = &c->lost[k];

			pw_row(t);
			pw_cell_int(t, cpu, c->pub.cpu);
			pw_cell_int(t, from,
				    (int64_t)(r->from_ns -
					      v->s->axis.start_ns));
			pw_cell_int(t, to,
				    (int64_t)(r->to_ns - v->s->axis.start_ns));
			pw_cell_int(t, events, (int64_t)r->n);
		}
	}
}

/* --- the map: tasks by CPU ----------------------------------------------------------------- */

#define CELLS_MOST 3000u

struct map {
	struct pw_node *t;
	int task, cpu, share, switches;
	bool has_nodes;
};

static void map_cell(const struct sched_view *v, const struct map *m,
		     const char *task, const char *cpu, uint64_t ns, uint64_t n)
{
	pw_row(m->t);
	pw_cell_str(m->t, m->task, task);
	pw_cell_str(m->t, m->cpu, cpu);
	pw_cell_num(m->t, m->share, of_span(v, ns));
	pw_cell_int(m->t, m->switches, (int64_t)n);
}

static int by_cpu(const void *a, const void *b)
{
	const struct core_use *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static void map_row(const struct sched_view *v, const struct map *m,
		    struct task *t)
{
	char *label = task_label(v, t);

	if (t->n_cores)
		qsort(t->cores, t->n_cores, sizeof(*t->cores), by_cpu);
	t->last_core = 0;
	for (uint32_t i = 0; i < t->n_cores; i++) {
		const struct core_use *u = &t->cores[i];
		char *cpu = cpu_label(v->s, u->cpu, m->has_nodes);

		if (u->run_ns || u->n)
			map_cell(v, m, label, cpu, u->run_ns, u->n);
		free(cpu);
	}
	map_cell(v, m, label, "all", t->pub.run_ns, t->pub.n_in);
	free(label);
}

static void map_table(const struct sched_view *v, struct pw_node *n)
{
	uint32_t rows = CELLS_MOST / (v->s->n_cpus + 1), i;
	struct pw_node *chart;
	struct map m;

	if (rows > DRAWN_TASKS)
		rows = DRAWN_TASKS;
	if (rows < 5)
		rows = 5;
	m.t = pw_table(n, "core_map", "Tasks by CPU");
	pw_table_only_drawn(m.t);
	m.has_nodes = has_nodes(v->s);
	m.task = pw_column(m.t, "task", "Task", PW_UNIT_NONE, 0);
	m.cpu = pw_column(m.t, "cpu", m.has_nodes ? "Node: CPU" : "CPU",
			  PW_UNIT_NONE, 0);
	m.share = number_column(m.t, "share", "of a CPU", PW_UNIT_PERCENT);
	m.switches = number_column(m.t, "switches", "Switches", PW_UNIT_COUNT);
	for (i = 0; i < v->n_tasks && i < rows; i++)
		map_row(v, &m, v->tasks[i]);
	for (i = 0; i < v->s->n_cpus; i++) {
		const struct pw_sched_cpu *c = pw_sched_cpu(v->s, i);
		char *cpu = cpu_label(v->s, c->cpu, m.has_nodes);

		map_cell(v, &m, "all tasks", cpu, c->busy_ns, c->n_switches);
		free(cpu);
	}
	chart = pw_chart(m.t, PW_CHART_HEAT,
			 "Tasks by CPU: time above, switches below", 0);
	pw_chart_role(chart, PW_ROLE_X, m.cpu);
	pw_chart_role(chart, PW_ROLE_Y, m.task);
	pw_chart_role(chart, PW_ROLE_VALUE, m.share);
	pw_chart_role(chart, PW_ROLE_VALUE2, m.switches);
}

void show_core_map(const struct sched_view *v)
{
	struct pw_node *n;

	if (!v->s->n_cpus)
		return;
	n = pw_section(pw_report_root(v->r), "core_map", "CPUs");
	cpus_table(v, n);
	lost_table(v, n);
	if (v->n_tasks)
		map_table(v, n);
}

/* --- which task most, when ---------------------------------------------------------------------- */

#define SPANS_MOST 2000u

struct spans {
	struct pw_node *t;
	int lane, from, to, task, role, share;
};

/* Who ran most on a CPU in some bins, and how long. */
static const struct task *most(const struct sched_view *v, uint32_t cpu,
			       uint32_t bin, uint32_t n, uint64_t *ns)
{
	const struct task *best = NULL;
	uint64_t sum;

	*ns = 0;
	for (uint32_t i = 0; i < v->n_tasks; i++) {
		const struct task *t = v->tasks[i];

		/* in order of their whole time: the rest ran less */
		if (t->pub.run_ns < *ns)
			break;
		for (uint32_t k = 0; k < t->n_cores; k++) {
			if (t->cores[k].cpu != cpu)
				continue;
			sum = 0;
			for (uint32_t b = bin; b < bin + n; b++)
				sum += bins_get(&t->cores[k].bins, b);
			if (sum > *ns) {
				*ns = sum;
				best = t;
			}
		}
	}
	return best;
}

static void span_row(const struct sched_view *v, const struct spans *p,
		     uint32_t cpu, const struct task *t, uint32_t from,
		     uint32_t to, uint64_t ns)
{
	uint64_t end = (uint64_t)axis_ns(v->s, to);
	uint64_t last = v->s->last_ns - v->s->axis.start_ns;
	uint64_t width;
	char *label;

	if (!t)
		return;
	if (end > last)
		end = last;
	width = end - (uint64_t)axis_ns(v->s, from);
	label = pw_asprintf("CPU %u", cpu);
	pw_row(p->t);
	pw_cell_str(p->t, p->lane, label);
	free(label);
	label = task_label(v, t);
	pw_cell_int(p->t, p->from, axis_ns(v->s, from));
	pw_cell_int(p->t, p->to, (int64_t)end);
	pw_cell_str(p->t, p->task, label);
	pw_cell_str(p->t, p->role, t->pub.role);
	pw_cell_num(p->t, p->share, width ? (double)ns / (double)width : 0);
	free(label);
}

static void lane(const struct sched_view *v, const struct spans *p,
		 uint32_t cpu, uint32_t step)
{
	const struct task *now = NULL, *t;
	uint32_t from = 0;
	uint64_t ns, sum = 0;

	for (uint32_t b = 0; b < v->n_bins; b += step) {
		t = most(v, cpu, b, step, &ns);
		if (t != now) {
			span_row(v, p, cpu, now, from, b, sum);
			now = t;
			from = b;
			sum = 0;
		}
		sum += ns;
	}
	span_row(v, p, cpu, now, from, v->n_bins, sum);
}

void show_locality(const struct sched_view *v)
{
	uint32_t lanes = v->s->n_cpus, step = 1;
	struct pw_node *n, *chart;
	struct spans p;

	if (!lanes || !v->n_tasks || !v->n_bins)
		return;
	while ((v->n_bins + step - 1) / step * lanes > SPANS_MOST &&
	       step < v->n_bins)
		step++;
	n = pw_section(pw_report_root(v->r), "locality", "CPUs over time");
	p.t = pw_table(n, "locality", "The task that ran most on each CPU");
	pw_table_only_drawn(p.t);
	p.lane = pw_column(p.t, "cpu", "CPU", PW_UNIT_NONE, 0);
	p.from = number_column(p.t, "from", "From", PW_UNIT_NS);
	p.to = number_column(p.t, "to", "To", PW_UNIT_NS);
	p.task = pw_column(p.t, "task", "Task", PW_UNIT_NONE, 0);
	p.role = pw_column(p.t, "role", "Role", PW_UNIT_NONE, 0);
	p.share = number_column(p.t, "share", "of this time", PW_UNIT_PERCENT);
	for (uint32_t i = 0; i < lanes; i++)
		lane(v, &p, v->s->cpu_list[i], step);
	chart = pw_chart(p.t, PW_CHART_SPANS,
			 "The task that ran most on each CPU", PW_CHART_TIME);
	pw_chart_role(chart, PW_ROLE_LABEL, p.lane);
	pw_chart_role(chart, PW_ROLE_X, p.from);
	pw_chart_role(chart, PW_ROLE_X2, p.to);
	pw_chart_role(chart, PW_ROLE_GROUP, p.role);
	pw_chart_role(chart, PW_ROLE_VALUE, p.share);
}
