/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the texts of a process or thread say.
 */
#ifndef SYSTEM_PROCESS_H
#define SYSTEM_PROCESS_H

#include "system-impl.h"

struct task_stat {
	struct span pid, name; /* of the text */
	char state;
	uint64_t parent, user, system, minor_faults, major_faults, threads;
	uint64_t start; /* ticks since the machine's start: with the pid, who */
	uint64_t virtual_kib, resident_kib, cpu, io_delay;
};

/* False: it is no such text. */
bool parse_task(struct span text, struct task_stat *t);
bool parse_task_sched(struct span text, uint64_t v[3]); /* as thread's run.. */
bool parse_task_io(struct span text, uint64_t v[7]);    /* as process_io */
/* The columns of table process: 8. */
void process_values(const struct task_stat *t, uint64_t *v);
/* "1234 node", "1234/1240 node". */
struct span task_instance(struct joined *j, struct span ids, struct span name);
/* As a parser of paths: proc/PID/stat. */
void parse_process_stat(struct part *p, const struct sink *k);

/* Numbers that name files of a directory: pids of proc, tids of a task. */
struct numbers {
	uint32_t *all;
	uint32_t n, cap;
};
/* -errno. */
int numbers_read(struct numbers *n, int dir);
void numbers_release(struct numbers *n);

/* What the threads of a process had together (read-sums.c), also those that have
 * ended since: run ns, wait ns, slices. *sums is NULL at first, and free()d in the
 * end. False: it is not known, for one they are too many. */
struct thread_sums;
bool thread_sums_read(struct thread_sums **sums, int proc, uint32_t pid,
		      struct numbers *tids, uint64_t total[3]);

#endif
