// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long all threads of a process ran and waited for a CPU. The kernel tells
 * it of each thread only, so what threads that ended had is remembered.
 */
#include "system-process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* More would take a recorder's time. */
enum { MAX_THREADS = 128 };

struct thread_sum {
	uint32_t tid;
	bool is_seen;
	uint64_t values[3];
};

struct thread_sums {
	struct thread_sum all[MAX_THREADS];
	uint32_t n;
	uint64_t total[3];
};

static struct thread_sum *find(struct thread_sums *s, uint32_t tid,
			       uint32_t expected)
{
	/* threads come in the same order every time */
	if (expected < s->n && s->all[expected].tid == tid)
		return &s->all[expected];
	for (uint32_t i = 0; i < s->n; i++)
		if (s->all[i].tid == tid)
			return &s->all[i];
	if (s->n == MAX_THREADS)
		return NULL;
	s->all[s->n] = (struct thread_sum){ .tid = tid };
	return &s->all[s->n++];
}

static bool read_thread(struct thread_sum *t, int task, uint64_t total[3])
{
	char path[32], text[80];
	uint64_t v[3];
	ssize_t n;

	snprintf(path, sizeof(path), "%u/schedstat", t->tid);
	n = pw_file_peek(task, path, text, sizeof(text));
	if (n <= 0 || !parse_task_sched((struct span){ text, (uint32_t)n }, v))
		return false;
	/* a number that is another thread's now counts from nothing */
	for (int i = 0; i < 3; i++)
		total[i] += v[i] - (v[i] < t->values[i] ? 0 : t->values[i]);
	memcpy(t->values, v, sizeof(v));
	return true;
}

static void forget_ended(struct thread_sums *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++)
		if (s->all[i].is_seen) {
			s->all[n] = s->all[i];
			s->all[n++].is_seen = false;
		}
	s->n = n;
}

bool thread_sums_read(struct thread_sums **sums, int proc, uint32_t pid,
		      struct numbers *tids, uint64_t total[3])
{
	struct thread_sums *s = *sums;
	char path[32];
	bool any = false;
	int task;

	snprintf(path, sizeof(path), "%u/task", pid);
	task = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (task < 0)
		return false;
	if (!numbers_read(tids, task) && tids->n <= MAX_THREADS) {
		if (!s)
			s = *sums = pw_zalloc(sizeof(*s));
		for (uint32_t i = 0; i < tids->n; i++) {
			struct thread_sum *t = find(s, tids->all[i], i);

			if (!t)
				continue;
			t->is_seen = read_thread(t, task, s->total);
			any |= t->is_seen;
		}
		forget_ended(s);
		memcpy(total, s->total, sizeof(s->total));
	}
	close(task);
	return any;
}
