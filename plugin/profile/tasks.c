// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks, one for each thread of a process, and who woke whom. Bounded: tasks
 * beyond the bound are one task, the rest.
 */
#include <stdlib.h>
#include <string.h>

#include "profile-impl.h"

/* --- what the options want -------------------------------------------------------- */

static bool fits(const struct task *t, const char *want)
{
	char *end;
	unsigned long n = strtoul(want, &end, 10);

	return !strcmp(want, t->comm) ||
	       (*want && !*end && (n == t->pid || n == t->tid));
}

static bool is_wanted(const struct pw_profile *p, const struct task *t)
{
	const char *const *want = p->opts.tasks;

	if (!want || !*want)
		return true;
	for (; *want; want++)
		if (fits(t, *want))
			return true;
	return false;
}

/* --- finding ------------------------------------------------------------------------ */

static uint64_t tid_hash(const struct pw_profile *p, uint32_t i)
{
	return mix(p->tasks[i].tid, 1);
}

static void set_comm(struct pw_profile *p, struct task *t, const char *comm)
{
	t->is_stale = false;
	if (!comm)
		comm = pw_space_comm(p->space, t->pid, t->tid);
	if (t->comm && !strcmp(t->comm, comm))
		return;
	t->root = comm_node(p, comm);
	t->comm = p->comms[p->nodes[t->root].sym];
	t->is_kept = is_wanted(p, t);
}

static uint32_t task_new(struct pw_profile *p, uint32_t pid, uint32_t tid,
			 const char *comm)
{
	struct task *t;

	if (p->n_tasks == TASKS_MAX)
		return TASK_REST;
	if (!(p->n_tasks & (p->n_tasks - 1)))
		p->tasks =
			pw_realloc(p->tasks, (p->n_tasks ? 2 * p->n_tasks : 1) *
						     sizeof(*t));
	t = &p->tasks[p->n_tasks];
	memset(t, 0, sizeof(*t));
	t->pid = pid;
	t->tid = tid;
	t->first_ns = PW_NO_TIME;
	t->out_ns = NOT_OFF;
	set_comm(p, t, comm);
	return p->n_tasks++;
}

/* The slot of a thread; 0 in it: not seen yet. */
static uint32_t *slot_of(struct pw_profile *p, uint32_t tid)
{
	uint32_t *slot;

	index_grow(&p->by_tid, tid_hash, p);
	slot = index_first(&p->by_tid, mix(tid, 1));
	while (*slot && p->tasks[*slot - 1].tid != tid)
		slot = index_next(&p->by_tid, slot);
	return slot;
}

uint32_t task_find(struct pw_profile *p, uint32_t pid, uint32_t tid,
		   const char *comm)
{
	struct task *t = &p->tasks[p->last_task];
	uint32_t *slot, i;

	if (t->tid == tid && t->pid == pid && p->last_task != TASK_REST &&
	    !t->is_stale && (!comm || comm == t->comm))
		return p->last_task;
	slot = slot_of(p, tid);
	i = *slot ? *slot - 1 : 0;
	t = &p->tasks[i];
	if (*slot && t->pid == PW_NO_PID)
		t->pid = pid;
	if (!*slot || t->pid != pid) {
		/* a number that another process used before, or a new one */
		i = task_new(p, pid, tid, comm);
		if (i == TASK_REST)
			return i;
		p->by_tid.n += !*slot;
		*slot = i + 1;
	} else if (t->is_stale || comm) {
		set_comm(p, t, comm);
	}
	p->last_task = i;
	return i;
}

uint32_t task_of_tid(struct pw_profile *p, uint32_t tid)
{
	uint32_t *slot = slot_of(p, tid);

	if (*slot)
		return *slot - 1;
	return task_find(p, tid ? pw_space_pid_of(p->space, tid) : 0, tid,
			 NULL);
}

void task_stale(struct pw_profile *p, uint32_t tid)
{
	uint32_t *slot = slot_of(p, tid);

	if (*slot)
		p->tasks[*slot - 1].is_stale = true;
}

/* --- who woke whom ---------------------------------------------------------------------- */

static uint64_t waker_hash(const struct pw_profile *p, uint32_t i)
{
	return mix(p->wakers[i].task, p->wakers[i].waker);
}

struct waker *waker_get(struct pw_profile *p, uint32_t task, uint32_t waker)
{
	uint32_t *slot;
	struct waker *w;

	index_grow(&p->by_waker, waker_hash, p);
	slot = index_first(&p->by_waker, mix(task, waker));
	for (; *slot; slot = index_next(&p->by_waker, slot)) {
		w = &p->wakers[*slot - 1];
		if (w->task == task && w->waker == waker)
			return w;
	}
	if (p->n_wakers == WAKERS_MAX)
		return NULL;
	if (!(p->n_wakers & (p->n_wakers - 1)))
		p->wakers = pw_realloc(p->wakers,
				       (p->n_wakers ? 2 * p->n_wakers : 1) *
					       sizeof(*w));
	w = &p->wakers[p->n_wakers];
	*w = (struct waker){ .task = task, .waker = waker };
	*slot = ++p->n_wakers;
	p->by_waker.n++;
	return w;
}

uint32_t pw_profile_n_wakers(const struct pw_profile *p)
{
	return p->n_wakers;
}

void pw_profile_waker(const struct pw_profile *p, uint32_t i,
		      struct pw_waker *w)
{
	const struct waker *own = &p->wakers[i];
	const struct task *t = &p->tasks[own->task];
	const struct task *by = &p->tasks[own->waker];

	*w = (struct pw_waker){ .tid = t->tid,
				.waker_tid = by->tid,
				.comm = t->comm,
				.waker_comm = by->comm,
				.n = own->n,
				.wait_ns = own->wait_ns };
}

/* --- questions ----------------------------------------------------------------------------- */

uint32_t pw_profile_n_tasks(const struct pw_profile *p)
{
	return p->n_tasks;
}

void pw_profile_task(const struct pw_profile *p, uint32_t i, struct pw_task *t)
{
	const struct task *own = &p->tasks[i];
	uint32_t e;

	memset(t, 0, sizeof(*t));
	t->pid = own->pid;
	t->tid = own->tid;
	t->comm = own->comm;
	t->first_ns = own->first_ns;
	t->last_ns = own->last_ns;
	t->is_rest = i == TASK_REST;
	memcpy(t->kinds, own->kinds, sizeof(t->kinds));
	memcpy(t->off, own->off, sizeof(t->off));
	for (e = 0; e < p->n_events; e++)
		p->scratch[e] = count_get(&p->events[e]->tasks, i);
	t->events = p->scratch;
}
