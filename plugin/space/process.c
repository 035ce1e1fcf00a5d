// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which process has what mapped at present, and what threads are called.
 * Fed in the order of time. Knows nothing of what is in the mapped files.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <linux/perf_event.h>

#include "space-impl.h"

/* --- maps ----------------------------------------------------------------------- */

static void maps_drop(struct proc *p)
{
	if (p->maps && !--p->maps->refs) {
		free(p->maps->m);
		free(p->maps);
	}
	p->maps = NULL;
}

/* The maps of p, its own to change. */
static struct maps *maps_own(struct proc *p)
{
	struct maps *old = p->maps, *new;

	if (old && old->refs == 1)
		return old;
	new = pw_zalloc(sizeof(*new));
	new->refs = 1;
	if (old) {
		new->n = old->n;
		new->cap = old->n;
		new->m = pw_alloc((old->n + 1) * sizeof(*new->m));
		if (old->n)
			memcpy(new->m, old->m, old->n * sizeof(*new->m));
		old->refs--;
	}
	p->maps = new;
	return new;
}

/* The first map that ends behind addr. */
static uint32_t first_behind(const struct maps *ms, uint64_t addr)
{
	uint32_t lo = 0, hi = ms->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (ms->m[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void maps_insert(struct maps *ms, uint32_t at, const struct map *m)
{
	if (ms->n == ms->cap) {
		ms->cap = ms->cap ? 2 * ms->cap : 16;
		ms->m = pw_realloc(ms->m, ms->cap * sizeof(*ms->m));
	}
	memmove(&ms->m[at + 1], &ms->m[at], (ms->n - at) * sizeof(*ms->m));
	ms->m[at] = *m;
	ms->n++;
}

/* A new map takes the place of what it covers. */
static void maps_add(struct maps *ms, const struct map *m)
{
	uint32_t at = first_behind(ms, m->start), end;

	if (at < ms->n && ms->m[at].start < m->start) {
		struct map *old = &ms->m[at];

		if (old->end > m->end) {
			struct map tail = *old;

			tail.pgoff += m->end - old->start;
			tail.start = m->end;
			old->end = m->start;
			maps_insert(ms, at + 1, &tail);
		} else {
			old->end = m->start;
		}
		at++;
	}
	for (end = at; end < ms->n && ms->m[end].end <= m->end; end++)
		;
	if (end < ms->n && ms->m[end].start < m->end) {
		ms->m[end].pgoff += m->end - ms->m[end].start;
		ms->m[end].start = m->end;
	}
	if (end > at)
		memmove(&ms->m[at], &ms->m[end],
			(ms->n - end) * sizeof(*ms->m));
	ms->n -= end - at;
	maps_insert(ms, at, m);
}

const struct map *proc_map(const struct proc *p, uint64_t addr)
{
	uint32_t at;

	if (!p || !p->maps)
		return NULL;
	at = first_behind(p->maps, addr);
	return at < p->maps->n && p->maps->m[at].start <= addr ? &p->maps->m[at]
							       : NULL;
}

/* --- processes ------------------------------------------------------------------- */

struct proc *proc_find(struct pw_space *s, uint32_t pid)
{
	struct proc **near = &s->near_procs[pid % NEAR_PROCS], *p = *near;

	if (p && p->pid == pid)
		return p;
	HASH_FIND(hh, s->procs, &pid, sizeof(pid), p);
	if (p)
		*near = p;
	return p;
}

struct proc *proc_get(struct pw_space *s, uint32_t pid)
{
	struct proc *p = proc_find(s, pid);

	if (p)
		return p;
	p = pw_zalloc(sizeof(*p));
	p->pid = pid;
	p->ppid = PW_NO_PID;
	p->gen = ++s->last_gen;
	p->has_jit = s->any_jit;
	HASH_ADD(hh, s->procs, pid, sizeof(p->pid), p);
	s->near_procs[pid % NEAR_PROCS] = p;
	return p;
}

static void proc_delete(struct pw_space *s, struct proc *p)
{
	maps_drop(p);
	if (s->near_procs[p->pid % NEAR_PROCS] == p)
		s->near_procs[p->pid % NEAR_PROCS] = NULL;
	HASH_DEL(s->procs, p);
	free(p);
}

/* --- threads --------------------------------------------------------------------- */

static const char *comm_get(struct pw_space *s, const char *name)
{
	size_t len = strlen(name);
	struct comm *c;

	HASH_FIND(hh, s->comms, name, len, c);
	if (!c) {
		c = pw_alloc(sizeof(*c) + len + 1);
		memcpy(c->name, name, len + 1);
		HASH_ADD(hh, s->comms, name, len, c);
	}
	return c->name;
}

static struct thread *thread_get(struct pw_space *s, uint32_t pid, uint32_t tid)
{
	struct thread *t;

	HASH_FIND(hh, s->threads, &tid, sizeof(tid), t);
	if (!t) {
		t = pw_zalloc(sizeof(*t));
		t->tid = tid;
		HASH_ADD(hh, s->threads, tid, sizeof(t->tid), t);
	}
	t->pid = pid;
	t->is_dead = false;
	return t;
}

const char *pw_space_comm(const struct pw_space *s, uint32_t pid, uint32_t tid)
{
	struct thread *t;

	HASH_FIND(hh, s->threads, &tid, sizeof(tid), t);
	if (!t || !t->comm)
		HASH_FIND(hh, s->threads, &pid, sizeof(pid), t);
	if (t && t->comm)
		return t->comm;
	return tid ? "?" : "swapper";
}

uint32_t pw_space_pid_of(const struct pw_space *s, uint32_t tid)
{
	struct thread *t;

	HASH_FIND(hh, s->threads, &tid, sizeof(tid), t);
	return t ? t->pid : PW_NO_PID;
}

/* --- records ---------------------------------------------------------------------- */

/* What perf finds mapped it tells once for each piece of a recording: that
 * it is still there, and not since when. */
static bool is_told_again(const struct proc *p, const struct map *m)
{
	const struct map *old = m->from_ns ? NULL : proc_map(p, m->start);

	return old && old->start == m->start && old->end == m->end &&
	       old->pgoff == m->pgoff && old->dso == m->dso;
}

static void on_mmap(struct pw_space *s, const struct pw_event *ev)
{
	const struct pw_mmap *m = &ev->mmap;
	struct proc *p = proc_get(s, m->pid);
	struct map map = { .start = m->addr,
			   .end = m->addr + m->len,
			   .pgoff = m->pgoff,
			   .from_ns = ev->time_ns == PW_NO_TIME ? 0
								: ev->time_ns };

	if (map.end <= map.start)
		return;
	map.dso = dso_get(s, m);
	if (is_told_again(p, &map))
		return;
	p->gen = ++s->last_gen;
	if (map.dso->is_jit_marker)
		jit_marker(s, m);
	else
		maps_add(maps_own(p), &map);
}

static void on_exec(struct pw_space *s, struct proc *p, uint64_t time_ns)
{
	maps_drop(p);
	p->gen = ++s->last_gen;
	p->asked_perfmap = false;
	p->start_ns = time_ns == PW_NO_TIME ? 0 : time_ns;
	if (p->has_jit)
		pw_jitmap_exec(s->jitmap, p->pid,
			       time_ns == PW_NO_TIME ? 0 : time_ns);
	p->has_jit = s->any_jit;
}

static void on_comm(struct pw_space *s, const struct pw_event *ev)
{
	struct thread *t = thread_get(s, ev->comm.pid, ev->comm.tid);

	t->comm = comm_get(s, ev->comm.comm);
	if (ev->comm.is_exec)
		on_exec(s, proc_get(s, ev->comm.pid), ev->time_ns);
}

/* perf writes FORK records also of processes that it finds running; what they
 * map is told by records of its own. */
static bool is_found_running(const struct pw_event *ev)
{
	return ev->misc & PERF_RECORD_MISC_FORK_EXEC;
}

static void on_fork(struct pw_space *s, const struct pw_event *ev)
{
	struct thread *t = thread_get(s, ev->task.pid, ev->task.tid);
	struct proc *parent, *p;

	t->comm = comm_get(s, pw_space_comm(s, ev->task.ppid, ev->task.ptid));
	if (ev->task.pid == ev->task.ppid)
		return;
	p = proc_find(s, ev->task.pid);
	if (p && p->is_dead)
		proc_delete(s, p);
	p = proc_get(s, ev->task.pid);
	parent = proc_find(s, ev->task.ppid);
	if (!parent || is_found_running(ev))
		return;
	p->gen = ++s->last_gen;
	p->start_ns = ev->task.time_ns;
	p->ppid = parent->pid;
	maps_drop(p);
	p->maps = parent->maps;
	if (p->maps)
		p->maps->refs++;
	p->has_jit = parent->has_jit;
	if (p->has_jit)
		pw_jitmap_fork(s->jitmap, parent->pid, p->pid,
			       ev->task.time_ns);
}

/* Records of a task may still come when it has ended: it is forgotten later. */
static void on_exit_record(struct pw_space *s, const struct pw_event *ev)
{
	uint32_t *slot = &s->dead_tids[s->n_dead_tids++ % DEAD_KEPT];
	struct thread *t;
	struct proc *p;

	HASH_FIND(hh, s->threads, slot, sizeof(*slot), t);
	if (s->n_dead_tids > DEAD_KEPT && t && t->is_dead) {
		HASH_DEL(s->threads, t);
		free(t);
	}
	*slot = ev->task.tid;
	HASH_FIND(hh, s->threads, slot, sizeof(*slot), t);
	if (t)
		t->is_dead = true;
	if (ev->task.pid != ev->task.tid)
		return;
	slot = &s->dead_pids[s->n_dead_pids++ % DEAD_KEPT];
	p = s->n_dead_pids > DEAD_KEPT ? proc_find(s, *slot) : NULL;
	if (p && p->is_dead)
		proc_delete(s, p);
	*slot = ev->task.pid;
	p = proc_find(s, ev->task.pid);
	if (p)
		p->is_dead = true;
}

void procs_event(struct pw_space *s, const struct pw_event *ev)
{
	switch (ev->type) {
	case PW_REC_MMAP:
	case PW_REC_MMAP2:
		on_mmap(s, ev);
		break;
	case PW_REC_COMM:
		on_comm(s, ev);
		break;
	case PW_REC_FORK:
		on_fork(s, ev);
		break;
	case PW_REC_EXIT:
		on_exit_record(s, ev);
		break;
	}
}

void procs_release(struct pw_space *s)
{
	struct proc *p, *next_proc;
	struct thread *t, *next_thread;
	struct comm *c, *next_comm;

	HASH_ITER (hh, s->procs, p, next_proc)
		proc_delete(s, p);
	HASH_ITER (hh, s->threads, t, next_thread) {
		HASH_DEL(s->threads, t);
		free(t);
	}
	HASH_ITER (hh, s->comms, c, next_comm) {
		HASH_DEL(s->comms, c);
		free(c);
	}
}
