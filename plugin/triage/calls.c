// SPDX-License-Identifier: GPL-2.0-only
/*
 * What threads do in the kernel: which system call each is in, how often, and
 * how long it slept there. Names of system calls are libseccomp's.
 */
#include "triage-impl.h"

#include <seccomp.h>
#include <stdlib.h>
#include <string.h>

struct thread *thread_get(struct threads *t, uint32_t pid, uint32_t tid)
{
	struct thread *e;

	HASH_FIND(hh, t->by_tid, &tid, sizeof(tid), e);
	if (e)
		return e;
	e = pw_zalloc(sizeof(*e));
	e->tid = tid;
	e->pid = pid;
	e->nr = NO_CALL;
	HASH_ADD(hh, t->by_tid, tid, sizeof(tid), e);
	return e;
}

struct thread_call *thread_call_get(struct threads *t, uint32_t tid, int32_t nr)
{
	struct call_key key = { tid, nr };
	struct thread_call *e;

	HASH_FIND(hh, t->calls, &key, sizeof(key), e);
	if (e)
		return e;
	e = pw_zalloc(sizeof(*e));
	e->key = key;
	HASH_ADD(hh, t->calls, key, sizeof(key), e);
	return e;
}

void threads_release(struct threads *t)
{
	struct thread_call *c, *next_call;
	struct thread *e, *next;

	HASH_ITER (hh, t->by_tid, e, next) {
		HASH_DEL(t->by_tid, e);
		free(e);
	}
	free(t->guests);
	HASH_ITER (hh, t->calls, c, next_call) {
		HASH_DEL(t->calls, c);
		free(c);
	}
}

/* Samples of all threads of a process. */
static uint64_t samples_of(const struct threads *t, uint32_t pid)
{
	uint64_t n = 0;

	for (const struct thread *e = t->by_tid; e; e = e->hh.next)
		n += e->pid == pid ? e->n_samples : 0;
	return n;
}

static struct thread *caller_of(const struct threads *t)
{
	struct thread *best = NULL;
	uint64_t most = 0;

	for (struct thread *e = t->by_tid; e; e = e->hh.next)
		if (e->n_wasm && (!best || e->n_wasm > best->n_wasm))
			best = e;
	if (best)
		return best;
	for (struct thread *e = t->by_tid; e; e = e->hh.next) {
		uint64_t n = e->tid == e->pid ? samples_of(t, e->pid) : 0;

		if (n > most) {
			most = n;
			best = e;
		}
	}
	return best;
}

bool threads_is_guest(const struct threads *t, uint32_t pid)
{
	for (size_t i = 0; i < t->n_guests; i++)
		if (t->guests[i] == pid)
			return true;
	return false;
}

void threads_elect(struct threads *t)
{
	struct thread *caller = caller_of(t);

	if (caller)
		caller->is_caller = true;
	if (caller && !threads_is_guest(t, caller->pid)) {
		t->guests = pw_realloc(t->guests,
				       (t->n_guests + 1) * sizeof(*t->guests));
		t->guests[t->n_guests++] = caller->pid;
	}
	for (struct thread *e = t->by_tid; e; e = e->hh.next)
		e->n_samples = e->n_wasm = 0;
}

/* --- sums ---------------------------------------------------------------------- */

static char *name_of(int32_t nr)
{
	char *known, *name;

	if (nr == NO_CALL)
		return pw_strdup("(no system call)");
	known = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, nr);
	name = known ? pw_strdup(known) : pw_asprintf("system call %d", nr);
	free(known);
	return name;
}

static struct pw_triage_call *call_named(struct pw_triage *t, int32_t nr)
{
	char *name = name_of(nr);

	for (size_t i = 0; i < t->n_calls; i++) {
		if (strcmp(t->calls[i].name, name))
			continue;
		free(name);
		return &t->calls[i];
	}
	t->calls = pw_realloc(t->calls, (t->n_calls + 1) * sizeof(*t->calls));
	t->calls[t->n_calls] = (struct pw_triage_call){ .name = name };
	return &t->calls[t->n_calls++];
}

static int by_time(const void *a, const void *b)
{
	const struct pw_triage_call *x = a, *y = b;
	uint64_t tx = x->ns + x->wait_ns, ty = y->ns + y->wait_ns;

	if (tx != ty)
		return tx < ty ? 1 : -1;
	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return strcmp(x->name, y->name);
}

static const struct thread *thread_find(const struct threads *t, uint32_t tid)
{
	const struct thread *e;

	HASH_FIND(hh, t->by_tid, &tid, sizeof(tid), e);
	return e;
}

/* Rounded, but what happened at all is not lost. */
static uint64_t share(uint64_t n, uint64_t n_runs)
{
	return n_runs > 1 ? (n + n_runs - 1) / n_runs : n;
}

static void add_call(struct pw_triage *t, const struct thread_call *c,
		     bool of_caller, uint64_t period_ns, uint64_t runs)
{
	struct pw_triage_call *to;

	if (of_caller)
		t->spent_ns[PW_SPENT_WAITING] += c->wait_ns / runs;
	/* outside of system calls there is nothing but sleep to tell */
	if (c->key.nr == NO_CALL && !(of_caller && c->n_waits))
		return;
	to = call_named(t, c->key.nr);
	to->n += c->n;
	to->ns += c->n_samples * period_ns / runs;
	if (of_caller) {
		to->n_waits += c->n_waits;
		to->wait_ns += c->wait_ns / runs;
	}
}

void calls_sum_up(const struct threads *threads, uint64_t period_ns,
		  struct pw_triage *t)
{
	uint64_t runs = t->n_runs ?: 1;

	for (const struct thread_call *c = threads->calls; c; c = c->hh.next) {
		const struct thread *by = thread_find(threads, c->key.tid);

		if (by && threads_is_guest(threads, by->pid))
			add_call(t, c, by->is_caller, period_ns, runs);
	}
	for (size_t i = 0; i < t->n_calls; i++) {
		t->calls[i].n = share(t->calls[i].n, runs);
		t->calls[i].n_waits = share(t->calls[i].n_waits, runs);
	}
	for (const struct thread *e = threads->by_tid; e; e = e->hh.next)
		t->ready_ns += e->is_caller ? e->ready_ns / runs : 0;
	if (t->n_calls)
		qsort(t->calls, t->n_calls, sizeof(*t->calls), by_time);
}
