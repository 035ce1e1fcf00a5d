// SPDX-License-Identifier: GPL-2.0-only
/*
 * All processes. Most sleep: the counts of the first thread's runs, which cost
 * little to read, tell whether a process of one thread ran at all; only then
 * the rest of it is read. Which there are is asked when a task was born since,
 * and once a minute: where /proc hides those of others (hidepid), one can come
 * into sight at any time.
 */
#include "system-process.h"
#include "system-record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* A name has 15 characters, a kernel thread's up to 63. */
enum { MAX_INSTANCE = 80 };

#define LIST_NS 60000000000ULL

/* Files of a process. */
enum which { SCHEDSTAT, STAT, IO, N_WHICH };

struct process {
	UT_hash_handle hh;
	uint32_t pid, seen;
	int fds[N_WHICH]; /* kept open; -1: opened each time */
	bool is_known, has_first, has_sched, has_io;
	char state;
	uint64_t start;
	uint32_t n_instance;
	char instance[MAX_INSTANCE];
	uint64_t first[3]; /* schedstat of its first thread */
	uint64_t stat[8], sched[3], io[7];
	struct thread_sums *sums; /* once it had more threads than one */
};

struct processes {
	int proc;
	struct process *all;
	struct numbers pids, tids;
	uint64_t forks; /* when pids were listed; 0: not known */
	uint64_t listed_ns;
	uint32_t reading, n_open, max_open;
};

/* --- names of a directory -------------------------------------------------------- */

struct linux_dirent {
	uint64_t ino, off;
	uint16_t size;
	uint8_t type;
	char name[];
};

static void add_number(struct numbers *n, const char *name)
{
	uint32_t v = 0;

	for (; *name; name++) {
		if (*name < '0' || *name > '9')
			return;
		v = v * 10 + (uint32_t)(*name - '0');
	}
	if (n->n == n->cap) {
		n->cap = n->cap ? 2 * n->cap : 64;
		n->all = pw_realloc(n->all, n->cap * sizeof(*n->all));
	}
	n->all[n->n++] = v;
}

int numbers_read(struct numbers *n, int dir)
{
	union {
		char bytes[8192];
		struct linux_dirent first;
	} b;
	ssize_t got;

	n->n = 0;
	if (lseek(dir, 0, SEEK_SET) < 0)
		return -errno;
	while ((got = getdents64(dir, b.bytes, sizeof(b))) > 0)
		for (ssize_t at = 0; at < got;) {
			struct linux_dirent *d = (void *)(b.bytes + at);

			add_number(n, d->name);
			at += d->size;
		}
	return got < 0 ? -errno : 0;
}

void numbers_release(struct numbers *n)
{
	free(n->all);
	memset(n, 0, sizeof(*n));
}

/* --- one process ------------------------------------------------------------------- */

static void process_drop(struct processes *all, struct process *p)
{
	HASH_DELETE(hh, all->all, p);
	for (int i = 0; i < N_WHICH; i++)
		if (p->fds[i] >= 0) {
			close(p->fds[i]);
			all->n_open--;
		}
	free(p->sums);
	free(p);
}

static struct process *process_get(struct processes *all, uint32_t pid)
{
	struct process *p;

	HASH_FIND(hh, all->all, &pid, sizeof(pid), p);
	if (p)
		return p;
	p = pw_zalloc(sizeof(*p));
	p->pid = pid;
	memset(p->fds, 0xff, sizeof(p->fds));
	HASH_ADD(hh, all->all, pid, sizeof(p->pid), p);
	return p;
}

static int open_of(const struct processes *all, const struct process *p,
		   enum which which)
{
	static const char *const names[] = { "schedstat", "stat", "io" };
	char path[32];

	snprintf(path, sizeof(path), "%u/%s", p->pid, names[which]);
	return openat(all->proc, path, O_RDONLY | O_CLOEXEC);
}

/* Looking a name up costs more than reading: what is read again stays open.
 * Half of the room is for what is read of each process every time. */
static bool may_stay_open(const struct processes *all, const struct process *p,
			  enum which which)
{
	return which == SCHEDSTAT
		       ? all->n_open < all->max_open
		       : p->is_known && all->n_open < all->max_open / 2;
}

/* The text of a file of it; n is 0 when there is none. */
static struct span text_of(struct pw_system *s, struct process *p,
			   enum which which)
{
	struct processes *all = s->processes;
	int fd = p->fds[which] >= 0 ? p->fds[which] : open_of(all, p, which);
	ssize_t n = fd < 0 ? -1 : read_once(&s->reading, fd);

	if (fd >= 0 && fd != p->fds[which]) {
		if (n > 0 && may_stay_open(all, p, which)) {
			p->fds[which] = fd;
			all->n_open++;
		} else {
			close(fd);
		}
	}
	return (struct span){ s->reading.data, n > 0 ? (uint32_t)n : 0 };
}

/* Whether it may have run since it was read last. */
static bool has_run(struct pw_system *s, struct process *p)
{
	uint64_t v[3];

	/* the counts of its first thread, where the kernel tells */
	p->has_first = parse_task_sched(text_of(s, p, SCHEDSTAT), v);
	if (!p->has_first)
		return true;
	if (p->is_known && p->stat[5] == 1 && !memcmp(v, p->first, sizeof(v)))
		return false;
	memcpy(p->first, v, sizeof(v));
	return true;
}

/* Of all its threads. Once there were more than one, those that ended count. */
static void read_sched(struct processes *all, struct process *p)
{
	if (p->stat[5] == 1 && !p->sums) {
		p->has_sched = p->has_first;
		memcpy(p->sched, p->first, sizeof(p->sched));
		return;
	}
	/* a row that came again would count whole */
	if (p->is_known && !p->has_sched)
		return;
	p->has_sched = thread_sums_read(&p->sums, all->proc, p->pid, &all->tids,
					p->sched);
}

static void set_instance(struct process *p, const struct task_stat *t)
{
	struct joined j;
	struct span s = task_instance(&j, t->pid, t->name);

	p->n_instance = s.n < MAX_INSTANCE ? s.n : MAX_INSTANCE;
	memcpy(p->instance, s.s, p->n_instance);
}

/* False: it ended, or began anew under its number. */
static bool process_read(struct pw_system *s, struct process *p)
{
	uint64_t before[8];
	struct task_stat t;

	if (!has_run(s, p))
		return true;
	if (!parse_task(text_of(s, p, STAT), &t))
		return false;
	if (p->is_known && p->start != t.start)
		return false;
	memcpy(before, p->stat, sizeof(before));
	process_values(&t, p->stat);
	p->start = t.start;
	p->state = t.state;
	set_instance(p, &t);
	/* threads are many files: only where something changed at all */
	if (!p->is_known || memcmp(before, p->stat, sizeof(before)) ||
	    p->stat[5] == 1)
		read_sched(s->processes, p);
	p->has_io = parse_task_io(text_of(s, p, IO), p->io);
	p->is_known = true;
	return true;
}

static void process_tell(const struct process *p, const struct sink *k,
			 uint64_t tasks[5])
{
	struct span name = { p->instance, p->n_instance };

	k->row(k->ctx, TABLE_PROCESS, name, NO_SPAN, p->stat);
	if (p->has_sched)
		k->row(k->ctx, TABLE_PROCESS_SCHED, name, NO_SPAN, p->sched);
	if (p->has_io)
		k->row(k->ctx, TABLE_PROCESS_IO, name, NO_SPAN, p->io);
	tasks[0]++;
	tasks[1] += p->stat[5];
	tasks[2] += p->state == 'R';
	tasks[3] += p->state == 'D';
	tasks[4] += p->state == 'Z';
}

/* --- all of them --------------------------------------------------------------------- */

static int start(struct pw_system *s)
{
	struct processes *all;
	struct rlimit files = { .rlim_cur = 256 };
	int fd = openat(s->root, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	getrlimit(RLIMIT_NOFILE, &files);
	all = pw_zalloc(sizeof(*all));
	all->proc = fd;
	/* half of what may be open is for others */
	all->max_open =
		files.rlim_cur / 2 < 4096 ? (uint32_t)files.rlim_cur / 2 : 4096;
	s->processes = all;
	return 0;
}

/* How many tasks were ever born, where /proc/stat was read just before. */
static uint64_t forks_of(const struct pw_system *s)
{
	const struct roster *kernel = &s->rosters[TABLE_KERNEL];
	uint32_t forks = pw_series_column(table_def(TABLE_KERNEL), "forks");

	return s->sources[PW_SYSTEM_STAT].is_read && kernel->n
		       ? kernel->values[forks]
		       : 0;
}

static int list(struct pw_system *s)
{
	struct processes *all = s->processes;
	uint64_t forks = forks_of(s);
	int ret;

	if (forks && forks == all->forks &&
	    s->reading_ns - all->listed_ns < LIST_NS)
		return 0;
	ret = numbers_read(&all->pids, all->proc);
	all->forks = ret ? 0 : forks;
	all->listed_ns = s->reading_ns;
	return ret;
}

static void forget_ended(struct processes *all)
{
	struct process *p, *next;

	HASH_ITER (hh, all->all, p, next)
		if (p->seen != all->reading)
			process_drop(all, p);
}

int read_processes(struct pw_system *s, const struct sink *k)
{
	struct processes *all;
	uint64_t tasks[5] = { 0 };
	int ret = s->processes ? 0 : start(s);
	uint32_t left = 0;

	if (!ret)
		ret = list(s);
	if (ret)
		return ret;
	all = s->processes;
	all->reading++;
	for (uint32_t i = 0; i < all->pids.n; i++) {
		struct process *p = process_get(all, all->pids.all[i]);

		if (!process_read(s, p)) {
			/* another one may have its number */
			process_drop(all, p);
			p = process_get(all, all->pids.all[i]);
			if (!process_read(s, p)) {
				/* or it can't be read for a moment */
				all->forks = 0;
				continue;
			}
		}
		p->seen = all->reading;
		process_tell(p, k, tasks);
		all->pids.all[left++] = p->pid;
	}
	all->pids.n = left;
	forget_ended(all);
	if (!tasks[0])
		return -ENOENT;
	k->row(k->ctx, TABLE_TASKS, NO_SPAN, NO_SPAN, tasks);
	return 0;
}

void processes_free(struct processes *all)
{
	struct process *p, *next;

	if (!all)
		return;
	HASH_ITER (hh, all->all, p, next)
		process_drop(all, p);
	numbers_release(&all->pids);
	numbers_release(&all->tids);
	close(all->proc);
	free(all);
}
