/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host-job: one request on its way through the parent of a host program.
 */
#ifndef PW_HOST_JOB_H
#define PW_HOST_JOB_H

#include "host-parts.h"

/* One child, as its parent sees it; zeroed but for req and the two fds. */
struct job {
	const struct pw_host_request *req;
	pid_t pid;
	int from_fd; /* what it says on PW_HOST_FD; -1 when that has ended */
	int diag_fd; /* its stderr outside the call */
	struct pw_buf said;
	size_t parsed; /* lines of `said` already looked at */
	char *done;    /* its reply */
	uint64_t from_ns;
	pid_t watched;
	uint64_t base_data_bytes, base_cpu_ns, compile_ns;
	bool in_call;
	enum pw_outcome killed_for; /* PW_OUT_OK: not killed by us */
	int status;
	uint64_t used_cpu_ns;
};

/* Forks the child, which runs ops->run and never returns here. */
int job_start(struct job *j, const struct pw_host_ops *ops, void *self);
/* Until the child has ended by itself or by our hand, and is reaped. */
void job_watch(struct job *j);
/* What became of it. */
void job_judge(const struct job *j, struct pw_host_reply *r);
void job_release(struct job *j);

#endif
