// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks by their number and CPUs by theirs: tables, as every event asks twice.
 * Bounded: tasks beyond the bound, and numbers that no kernel gives, are one
 * task, the rest.
 */
#include <stdlib.h>

#include "sched-impl.h"

#define PAGE 4096u
#define TIDS (1024u * PAGE) /* PID_MAX_LIMIT of 64-bit kernels */

/* --- names ------------------------------------------------------------------------- */

void task_set_comm(struct task *t, const char *comm, uint32_t size)
{
	uint32_t n = size < COMM_BYTES - 1 ? size : COMM_BYTES - 1;

	if (!strncmp(t->comm, comm, n) && !t->comm[n])
		return;
	memcpy(t->comm, comm, n);
	memset(t->comm + n, 0, sizeof(t->comm) - n);
}

/* --- tasks ---------------------------------------------------------------------------- */

static struct task *task_new(struct pw_sched *s, uint32_t tid)
{
	struct task *t = pw_zalloc(sizeof(*t));

	if (s->n_tasks == s->cap_tasks) {
		s->cap_tasks = s->cap_tasks ? 2 * s->cap_tasks : 64;
		s->tasks =
			pw_realloc(s->tasks, s->cap_tasks * sizeof(*s->tasks));
	}
	t->idx = s->n_tasks;
	t->pub.tid = tid;
	t->pub.pid = PW_NO_PID;
	t->pub.comm = t->comm;
	t->pub.n_tasks = 1;
	t->pub.first_ns = PW_NO_TIME;
	t->cpu = NO_CPU;
	t->out_ns = PW_NO_TIME;
	s->tasks[s->n_tasks++] = t;
	return t;
}

void tasks_init(struct pw_sched *s)
{
	task_set_comm(task_new(s, PW_NO_PID), "(others)", 8);
	task_set_comm(task_new(s, PW_NO_PID), "(interrupt)", 11);
	s->cpus = pw_zalloc(PW_SCHED_MAX_CPUS * sizeof(struct cpu *));
}

struct task *task_of(struct pw_sched *s, uint32_t tid)
{
	uint32_t **page = &s->by_tid[tid / PAGE % 1024], *slot;
	struct task *t;

	if (tid >= TIDS)
		return s->tasks[TASK_REST];
	if (!*page)
		*page = pw_zalloc(PAGE * sizeof(**page));
	slot = *page + tid % PAGE;
	if (*slot)
		return s->tasks[*slot - 1];
	if (s->n_tasks >= TASKS_MAX)
		return s->tasks[TASK_REST];
	t = task_new(s, tid);
	*slot = t->idx + 1;
	return t;
}

struct task *task_known(const struct pw_sched *s, uint32_t tid)
{
	const uint32_t *page = tid < TIDS ? s->by_tid[tid / PAGE] : NULL;

	return page && page[tid % PAGE] ? s->tasks[page[tid % PAGE] - 1] : NULL;
}

void task_forget(struct pw_sched *s, struct task *t)
{
	uint32_t tid = t->pub.tid;

	if (t->idx > TASK_IRQ && tid && task_known(s, tid) == t)
		s->by_tid[tid / PAGE][tid % PAGE] = 0;
}

/* --- CPUs ------------------------------------------------------------------------------ */

struct cpu *cpu_new(struct pw_sched *s, uint32_t nr)
{
	struct cpu *c;
	struct task *idle;
	uint32_t i;

	if (nr >= PW_SCHED_MAX_CPUS) {
		s->n_bad_cpu++;
		return NULL;
	}
	c = s->cpus[nr] = pw_zalloc(sizeof(*c));
	c->pub.cpu = nr;
	c->cur = NO_TASK;
	c->since_ns = PW_NO_TIME;
	c->is_kept = !s->has_cpus || s->want_cpu[nr];
	idle = task_new(s, 0);
	idle->pub.pid = 0;
	idle->pub.is_idle = true;
	snprintf(idle->comm, sizeof(idle->comm), "swapper/%u", nr);
	c->idle = idle->idx;
	if (!s->n_cpus)
		s->any_idle = idle->idx;
	s->cpu_list =
		pw_realloc(s->cpu_list, (s->n_cpus + 1) * sizeof(*s->cpu_list));
	for (i = s->n_cpus++; i && s->cpu_list[i - 1] > nr; i--)
		s->cpu_list[i] = s->cpu_list[i - 1];
	s->cpu_list[i] = nr;
	return c;
}

struct core_use *core_of(struct task *t, uint32_t cpu)
{
	uint32_t i;

	if (t->n_cores && t->cores[t->last_core].cpu == cpu)
		return &t->cores[t->last_core];
	for (i = 0; i < t->n_cores; i++)
		if (t->cores[i].cpu == cpu)
			break;
	if (i == t->n_cores) {
		t->cores = pw_realloc(t->cores, (i + 1) * sizeof(*t->cores));
		t->cores[i] = (struct core_use){ .cpu = cpu };
		t->n_cores++;
	}
	t->last_core = i;
	return &t->cores[i];
}

/* --- sums and ends ----------------------------------------------------------------------- */

/* The sums that are plain additions. */
static void add_counts(struct pw_sched_task *to,
		       const struct pw_sched_task *from)
{
	to->n_tasks += from->n_tasks;
	to->run_ns += from->run_ns;
	to->edge_ns += from->edge_ns;
	for (int r = 0; r < PW_N_OFF_REASONS; r++)
		to->off_ns[r] += from->off_ns[r];
	to->n_in += from->n_in;
	to->n_left += from->n_left;
	to->n_preempted += from->n_preempted;
	to->n_woken += from->n_woken;
	to->n_no_wake += from->n_no_wake;
	to->n_first += from->n_first;
	to->n_migrations += from->n_migrations;
	to->touched_ns += from->touched_ns;
	to->stat_runtime_ns += from->stat_runtime_ns;
	to->stat_sleep_ns += from->stat_sleep_ns;
	to->stat_iowait_ns += from->stat_iowait_ns;
	to->stat_wait_ns += from->stat_wait_ns;
	to->stat_blocked_ns += from->stat_blocked_ns;
	to->n_exits += from->n_exits;
	to->guest_ns += from->guest_ns;
	to->host_ns += from->host_ns;
	to->kvm_wait_ns += from->kvm_wait_ns;
}

void task_merge(struct pw_sched_task *to, const struct pw_sched_task *from)
{
	if (!to->n_tasks || from->first_ns < to->first_ns)
		to->first_ns = from->first_ns;
	if (from->last_ns > to->last_ns)
		to->last_ns = from->last_ns;
	add_counts(to, from);
	if (from->max_delay_ns > to->max_delay_ns) {
		to->max_delay_ns = from->max_delay_ns;
		to->max_delay_at_ns = from->max_delay_at_ns;
	}
	pw_hist_merge(&to->run, &from->run);
	pw_hist_merge(&to->latency, &from->latency);
	pw_hist_merge(&to->preempted, &from->preempted);
	pw_hist_merge(&to->sleep, &from->sleep);
}

static void task_free(struct pw_sched *s, struct task *t)
{
	for (uint32_t i = 0; i < t->n_cores; i++)
		bins_release(&t->cores[i].bins);
	free(t->cores);
	heats_release(s, t->heat);
	pw_hist_release(&t->pub.run);
	pw_hist_release(&t->pub.latency);
	pw_hist_release(&t->pub.preempted);
	pw_hist_release(&t->pub.sleep);
	free(t);
}

void tasks_release(struct pw_sched *s)
{
	for (uint32_t i = 0; i < s->n_tasks; i++)
		task_free(s, s->tasks[i]);
	free(s->tasks);
	for (uint32_t i = 0; i < 1024; i++)
		free(s->by_tid[i]);
	for (uint32_t i = 0; i < s->n_cpus; i++) {
		struct cpu *c = s->cpus[s->cpu_list[i]];

		bins_release(&c->busy);
		free(c->lost);
		free(c);
	}
	for (int k = 0; k < N_SUMS; k++)
		bins_release(&s->sums[k]);
	free(s->cpus);
	free(s->cpu_list);
}

uint32_t pw_sched_n_tasks(const struct pw_sched *s)
{
	return s->n_tasks;
}

const struct pw_sched_task *pw_sched_task(const struct pw_sched *s, uint32_t i)
{
	return &s->tasks[i]->pub;
}

uint32_t pw_sched_n_cpus(const struct pw_sched *s)
{
	return s->n_cpus;
}

const struct pw_sched_cpu *pw_sched_cpu(const struct pw_sched *s, uint32_t i)
{
	return &s->cpus[s->cpu_list[i]]->pub;
}
