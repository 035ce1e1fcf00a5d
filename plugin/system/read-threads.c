// SPDX-License-Identifier: GPL-2.0-only
/*
 * The threads of chosen processes, at every tick: how long each ran and waited
 * for a CPU. Which processes and threads there are is looked for once a second.
 */
#include "system-process.h"
#include "system-record.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <unistd.h>

#define LOOK_NS 1000000000ULL

struct thread {
	UT_hash_handle hh;
	uint32_t tid, pid, looked;
	int sched_fd, stat_fd;
	bool is_known, is_over;
	uint64_t values[8];
	struct joined instance;
};

struct threads {
	int proc;
	struct numbers pids, tids;
	struct thread *all;
	uint32_t looking;
	uint64_t looked_ns;
};

static void thread_drop(struct threads *all, struct thread *t)
{
	HASH_DELETE(hh, all->all, t);
	if (t->sched_fd >= 0)
		close(t->sched_fd);
	if (t->stat_fd >= 0)
		close(t->stat_fd);
	free(t);
}

/* --- which --------------------------------------------------------------------- */

static bool is_chosen(char **patterns, uint32_t pid, const char *name)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", pid);
	for (; *patterns; patterns++)
		if (!strcmp(*patterns, number) || !fnmatch(*patterns, name, 0))
			return true;
	return false;
}

static int open_at(int dir, uint32_t pid, uint32_t tid, const char *file)
{
	char path[64];

	snprintf(path, sizeof(path), "%u/task/%u/%s", pid, tid, file);
	return openat(dir, path, O_RDONLY | O_CLOEXEC);
}

static void add_thread(struct threads *all, uint32_t pid, uint32_t tid)
{
	struct thread *t;

	HASH_FIND(hh, all->all, &tid, sizeof(tid), t);
	if (!t) {
		t = pw_zalloc(sizeof(*t));
		t->tid = tid;
		t->pid = pid;
		t->sched_fd = open_at(all->proc, pid, tid, "schedstat");
		t->stat_fd = open_at(all->proc, pid, tid, "stat");
		HASH_ADD(hh, all->all, tid, sizeof(t->tid), t);
	}
	t->looked = all->looking;
}

static void look_into(struct threads *all, uint32_t pid)
{
	char path[32];
	int dir;

	snprintf(path, sizeof(path), "%u/task", pid);
	dir = openat(all->proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return;
	if (!numbers_read(&all->tids, dir))
		for (uint32_t i = 0; i < all->tids.n; i++)
			add_thread(all, pid, all->tids.all[i]);
	close(dir);
}

/* A process may take another name at any time: all are asked. */
static bool name_of(const struct threads *all, uint32_t pid, char name[64])
{
	char path[32];
	ssize_t n;

	snprintf(path, sizeof(path), "%u/comm", pid);
	n = pw_file_peek(all->proc, path, name, 64);
	if (n <= 0)
		return false;
	name[n - (name[n - 1] == '\n')] = 0;
	return true;
}

static int look(struct pw_system *s, struct threads *all)
{
	struct thread *t, *next;
	char name[64];
	int ret = numbers_read(&all->pids, all->proc);

	if (ret)
		return ret;
	all->looked_ns = s->reading_ns;
	all->looking++;
	for (uint32_t i = 0; i < all->pids.n; i++)
		if (name_of(all, all->pids.all[i], name) &&
		    is_chosen(s->tasks, all->pids.all[i], name))
			look_into(all, all->pids.all[i]);
	HASH_ITER (hh, all->all, t, next)
		if (t->looked != all->looking)
			thread_drop(all, t);
	return 0;
}

/* --- reading --------------------------------------------------------------------- */

static struct span text_of(struct pw_system *s, int fd)
{
	ssize_t n = fd < 0 ? -1 : read_once(&s->reading, fd);

	return (struct span){ s->reading.data, n > 0 ? (uint32_t)n : 0 };
}

/* False: it ended. */
static bool thread_read(struct pw_system *s, struct thread *t)
{
	struct task_stat stat;
	char ids[32];
	uint64_t sched[3] = { 0 };
	bool has = parse_task_sched(text_of(s, t->sched_fd), sched);

	if (has && t->is_known && !memcmp(sched, t->values + 2, sizeof(sched)))
		return true;
	if (!parse_task(text_of(s, t->stat_fd), &stat))
		return false;
	memcpy(t->values,
	       (uint64_t[]){ stat.user, stat.system, sched[0], sched[1],
			     sched[2], stat.minor_faults, stat.major_faults,
			     stat.cpu },
	       sizeof(t->values));
	snprintf(ids, sizeof(ids), "%u/%u", t->pid, t->tid);
	task_instance(&t->instance, (struct span){ ids, (uint32_t)strlen(ids) },
		      stat.name);
	t->is_known = true;
	return true;
}

static int start(struct pw_system *s)
{
	int fd = openat(s->root, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	s->threads = pw_zalloc(sizeof(*s->threads));
	s->threads->proc = fd;
	return 0;
}

int read_threads(struct pw_system *s, const struct sink *k)
{
	struct thread *t, *next;
	int ret = s->threads ? 0 : start(s);

	if (!ret && (!s->threads->looking ||
		     s->reading_ns - s->threads->looked_ns >= LOOK_NS))
		ret = look(s, s->threads);
	if (ret)
		return ret;
	HASH_ITER (hh, s->threads->all, t, next) {
		if (!thread_read(s, t)) {
			thread_drop(s->threads, t);
			continue;
		}
		k->row(k->ctx, TABLE_THREAD,
		       (struct span){ t->instance.s, t->instance.n }, NO_SPAN,
		       t->values);
	}
	return 0;
}

void threads_free(struct threads *all)
{
	struct thread *t, *next;

	if (!all)
		return;
	HASH_ITER (hh, all->all, t, next)
		thread_drop(all, t);
	numbers_release(&all->pids);
	numbers_release(&all->tids);
	close(all->proc);
	free(all);
}
