/* SPDX-License-Identifier: GPL-2.0-only */
/* seen: who ran while perf recorded, and which jitdumps they opened. */
#ifndef PW_CMD_RECORD_SEEN_H
#define PW_CMD_RECORD_SEEN_H

#include <perfwasm/base.h>

#include <sys/types.h>
#include <uthash.h>

struct seen_process {
	uint32_t pid, ppid; /* ppid 0: not told */
	bool is_used_again; /* several had this pid */
	UT_hash_handle hh;
};

struct seen_dump {
	char *path;
	uint32_t pid; /* who opened it first */
};

struct seen {
	struct seen_process *processes; /* uthash */
	struct seen_dump *dumps;
	size_t n_dumps;
	uint64_t n_samples, n_lost;
	bool is_command_alone; /* nobody else was recorded */
};

/* Adds what is in perf.data to a zeroed s; -errno: it could not be read to its
 * end, and s has what came before. */
int seen_read(struct seen *s, const char *path, struct pw_err *err);
/* Whether perf, by its pid, started the process or an ancestor of it. Where it
 * is not known: no. */
bool seen_is_own(const struct seen *s, uint32_t pid, pid_t perf);
void seen_release(struct seen *s);

#endif
