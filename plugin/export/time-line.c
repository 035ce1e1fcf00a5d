// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every sample of a profile as it comes, kept by task. A task is a thread of
 * a process under whatever name; a number that was used again is one task.
 */
#include "export-impl.h"

#include <stdlib.h>
#include <string.h>

static struct tl_task *task_of(struct time_line *tl,
			       const struct pw_profile_sample *s)
{
	uint64_t key = (uint64_t)s->pid << 32 | s->tid;
	struct tl_task *t;

	HASH_FIND(hh, tl->by_key, &key, sizeof(key), t);
	if (!t) {
		t = pw_zalloc(sizeof(*t));
		t->key = key;
		t->pid = s->pid;
		t->tid = s->tid;
		t->idx = tl->n_tasks;
		if (!(tl->n_tasks & (tl->n_tasks + 1)))
			tl->tasks = pw_realloc(tl->tasks,
					       2 * (tl->n_tasks + 1) *
						       sizeof(*tl->tasks));
		tl->tasks[tl->n_tasks++] = t;
		HASH_ADD(hh, tl->by_key, key, sizeof(t->key), t);
	}
	if (s->comm && (!t->comm || strcmp(t->comm, s->comm))) {
		free(t->comm);
		t->comm = pw_strdup(s->comm);
	}
	return t;
}

void time_line_take(void *ctx, const struct pw_profile_sample *s)
{
	struct time_line *tl = ctx;
	struct tl_task *t;

	if (s->time_ns == PW_NO_TIME)
		return;
	t = task_of(tl, s);
	if (tl->n == tl->cap) {
		tl->cap = tl->cap ? 2 * tl->cap : 4096;
		tl->entries =
			pw_realloc(tl->entries, tl->cap * sizeof(*tl->entries));
	}
	tl->entries[tl->n++] =
		(struct tl_entry){ .time_ns = s->time_ns,
				   .period = s->period,
				   .task = t->idx,
				   .node = s->node,
				   .event = (uint16_t)s->event,
				   .cpu = (uint16_t)s->cpu,
				   .reason = (uint8_t)s->reason };
	t->n++;
	if (s->time_ns < tl->first_ns)
		tl->first_ns = s->time_ns;
	if (s->time_ns > tl->last_ns)
		tl->last_ns = s->time_ns;
}

static int compare(const void *pa, const void *pb)
{
	const struct tl_entry *a = pa, *b = pb;

	if (a->task != b->task)
		return a->task < b->task ? -1 : 1;
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return 0;
}

void time_line_sort(struct time_line *tl)
{
	if (tl->n)
		qsort(tl->entries, tl->n, sizeof(*tl->entries), compare);
}

const char *time_line_process(const struct time_line *tl,
			      const struct tl_task *t)
{
	uint64_t key = (uint64_t)t->pid << 32 | t->pid;
	struct tl_task *main;

	HASH_FIND(hh, tl->by_key, &key, sizeof(key), main);
	return (main && main->comm ? main->comm : t->comm) ?: "?";
}

void time_line_release(struct time_line *tl)
{
	struct tl_task *t, *next;

	HASH_ITER (hh, tl->by_key, t, next) {
		HASH_DEL(tl->by_key, t);
		free(t->comm);
		free(t);
	}
	free(tl->tasks);
	free(tl->entries);
	memset(tl, 0, sizeof(*tl));
}
