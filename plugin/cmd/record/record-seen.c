// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a recording saw: who ran, who started whom, and which jitdumps were
 * opened. Reads perf.data; takes nothing and says nothing.
 */
#include "seen.h"

#include <perfwasm/capture.h>

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static struct seen_process *find(const struct seen *s, uint32_t pid)
{
	struct seen_process *p;

	HASH_FIND(hh, s->processes, &pid, sizeof(pid), p);
	return p;
}

static struct seen_process *get(struct seen *s, uint32_t pid)
{
	struct seen_process *p;

	if (!pid || pid == PW_NO_PID)
		return NULL;
	p = find(s, pid);
	if (p)
		return p;
	p = pw_zalloc(sizeof(*p));
	p->pid = pid;
	HASH_ADD(hh, s->processes, pid, sizeof(p->pid), p);
	return p;
}

static void add_dump(struct seen *s, const char *path, uint32_t pid)
{
	const char *slash = strrchr(path, '/');

	if (fnmatch("jit-*.dump", slash ? slash + 1 : path, 0))
		return;
	for (size_t i = 0; i < s->n_dumps; i++)
		if (!strcmp(s->dumps[i].path, path))
			return;
	s->dumps = pw_realloc(s->dumps, (s->n_dumps + 1) * sizeof(*s->dumps));
	s->dumps[s->n_dumps++] = (struct seen_dump){ pw_strdup(path), pid };
}

static void add_fork(struct seen *s, uint32_t pid, uint32_t ppid)
{
	struct seen_process *p = pid == ppid ? NULL : get(s, pid);

	if (!p)
		return;
	p->is_used_again |= p->ppid && p->ppid != ppid;
	p->ppid = ppid;
}

static void look_at(struct seen *s, const struct pw_event *ev)
{
	switch (ev->type) {
	case PW_REC_MMAP:
	case PW_REC_MMAP2:
		add_dump(s, ev->mmap.filename, ev->mmap.pid);
		get(s, ev->mmap.pid);
		break;
	case PW_REC_COMM:
		get(s, ev->comm.pid);
		break;
	case PW_REC_FORK:
		add_fork(s, ev->task.pid, ev->task.ppid);
		break;
	case PW_REC_SAMPLE:
		s->n_samples++;
		break;
	default:
		break;
	}
}

/* What waits for a command to begin counts that one and what it starts. */
static bool waits_for_command(const struct pw_capture *c)
{
	for (uint32_t i = 0; i < pw_capture_n_attrs(c); i++)
		if (pw_capture_attr(c, i)->flags & PW_ATTR_ENABLE_ON_EXEC)
			return true;
	return false;
}

int seen_read(struct seen *s, const char *path, struct pw_err *err)
{
	const struct pw_capture_opts opts = { .file_order = true };
	struct pw_capture *c = pw_capture_open(path, &opts, err);
	const struct pw_capture_counts *counts;
	struct pw_event ev;
	int ret;

	if (!c)
		return -EINVAL;
	while ((ret = pw_capture_next(c, &ev, err)) > 0)
		look_at(s, &ev);
	counts = pw_capture_counts(c);
	s->n_lost = counts->lost + counts->lost_samples;
	s->is_command_alone = waits_for_command(c);
	pw_capture_close(c);
	return ret;
}

/* Of more generations than this none is asked. */
#define MAX_GENERATIONS 1000u

bool seen_is_own(const struct seen *s, uint32_t pid, pid_t perf)
{
	uint32_t n;

	if (s->is_command_alone)
		return true;
	for (n = 0; perf > 0 && n < MAX_GENERATIONS; n++) {
		const struct seen_process *p = find(s, pid);

		if (pid == (uint32_t)perf)
			return true;
		if (!p || p->is_used_again)
			return false;
		pid = p->ppid;
	}
	return false;
}

void seen_release(struct seen *s)
{
	struct seen_process *p, *next;

	HASH_ITER (hh, s->processes, p, next) {
		HASH_DEL(s->processes, p);
		free(p);
	}
	for (size_t i = 0; i < s->n_dumps; i++)
		free(s->dumps[i].path);
	free(s->dumps);
	memset(s, 0, sizeof(*s));
}
