// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starts the child of a request and watches it from outside: wall time,
 * memory, CPU time. Never runs a guest, and believes nothing of what the
 * child says but which process to watch and its reply.
 */
#include "host-job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_MS        10
#define MAX_SAID_BYTES 65536

/* --- in the child --- */

static void child_fds(int pipe_fd, int diag_fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	/* lift the pipe out of the way of what is placed */
	pipe_fd = fcntl(pipe_fd, F_DUPFD_CLOEXEC, 10);
	dup2(null, 0);
	dup2(null, 1);
	dup2(diag_fd, 2);
	dup2(pipe_fd, PW_HOST_FD);
}

static void child_process(pid_t parent)
{
	struct rlimit none = { 0, 0 };

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	signal(SIGPIPE, SIG_DFL);
	setrlimit(RLIMIT_CORE, &none);
}

static void say(const struct pw_host_reply *reply)
{
	struct pw_buf line = { 0 };
	size_t at = 0;

	host_reply_print(reply, &line);
	while (at < line.len) {
		ssize_t n = write(PW_HOST_FD, line.data + at, line.len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		at += (size_t)n;
	}
	pw_buf_release(&line);
}

static void __attribute__((noreturn))
child_main(const struct pw_host_ops *ops, void *self,
	   const struct pw_host_request *req)
{
	struct pw_host_run run;
	struct pw_err err;

	if (host_run_init(&run, req, &err))
		pw_host_fail(&run, PW_OUT_UNSUPPORTED, "%s", err.msg);
	else
		ops->run(self, &run);
	say(&run.reply);
	_exit(0);
}

int job_start(struct job *j, const struct pw_host_ops *ops, void *self)
{
	pid_t parent = getpid();
	int pipe_fd[2];

	if (pipe2(pipe_fd, O_CLOEXEC))
		return -errno;
	j->diag_fd = memfd_create("diag", MFD_CLOEXEC);
	j->base_data_bytes = pw_host_data_bytes(0);
	j->from_ns = pw_now_ns();
	j->pid = fork();
	if (!j->pid) {
		child_process(parent);
		child_fds(pipe_fd[1], j->diag_fd);
		child_main(ops, self, j->req);
	}
	close(pipe_fd[1]);
	j->from_fd = pipe_fd[0];
	j->watched = j->pid;
	if (j->pid < 0)
		return -errno;
	setpgid(j->pid, j->pid);
	fcntl(j->from_fd, F_SETFL, O_NONBLOCK);
	return 0;
}

/* --- what a child says --- */

static void take_watch(struct job *j, char *rest)
{
	char *key, *value;
	uint64_t v, pid = 0;

	while (pw_protocol_next(&rest, &key, &value, NULL) > 0) {
		if (pw_protocol_u64(value, &v))
			return;
		if (!strcmp(key, "pid"))
			pid = v;
		else if (!strcmp(key, "compile_ns"))
			j->compile_ns = v;
		else if (!strcmp(key, "cpu_ns"))
			j->base_cpu_ns = v;
	}
	if (!pid || pid > INT32_MAX)
		return;
	if ((pid_t)pid != j->watched)
		j->base_data_bytes = pw_host_data_bytes((pid_t)pid);
	j->watched = (pid_t)pid;
	j->in_call = true;
}

static void take_line(struct job *j, char *line)
{
	if (!strncmp(line, "watch\t", 6)) {
		take_watch(j, line + 6);
	} else if (!strncmp(line, "done\t", 5)) {
		free(j->done);
		j->done = pw_strdup(line);
	}
}

static void take_lines(struct job *j)
{
	char *end;

	for (;;) {
		char *from = (char *)j->said.data + j->parsed;

		end = memchr(from, '\n', j->said.len - j->parsed);
		if (!end)
			return;
		*end = 0;
		j->parsed = (size_t)(end + 1 - (char *)j->said.data);
		take_line(j, from);
	}
}

static void hear(struct job *j)
{
	char buf[4096];
	ssize_t n = read(j->from_fd, buf, sizeof(buf));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0 || j->said.len + (size_t)n > MAX_SAID_BYTES) {
		close(j->from_fd);
		j->from_fd = -1;
		return;
	}
	pw_buf_add(&j->said, buf, (size_t)n);
	take_lines(j);
}

/* --- limits from outside --- */

static bool memory_is_over(const struct job *j)
{
	uint64_t limit = j->req->memory_limit_bytes;

	return limit &&
	       pw_host_data_bytes(j->watched) > j->base_data_bytes + limit;
}

static bool cpu_is_over(const struct job *j)
{
	uint64_t limit = j->req->cpu_limit_ns;

	return limit && j->in_call &&
	       pw_host_cpu_ns(j->watched) > j->base_cpu_ns + limit;
}

static bool wall_is_over(const struct job *j)
{
	uint64_t limit = j->req->wall_limit_ns;

	return limit && pw_now_ns() - j->from_ns > limit;
}

static void enforce(struct job *j)
{
	if (j->killed_for != PW_OUT_OK)
		return;
	if (memory_is_over(j))
		j->killed_for = PW_OUT_MEMORY;
	else if (cpu_is_over(j))
		j->killed_for = PW_OUT_CPU;
	else if (wall_is_over(j))
		j->killed_for = PW_OUT_WALL;
	else
		return;
	kill(-j->pid, SIGKILL);
}

/* Milliseconds to sleep when nothing happens. */
static int patience(const struct job *j)
{
	const struct pw_host_request *r = j->req;
	uint64_t gone = pw_now_ns() - j->from_ns, left = UINT64_MAX;

	if (j->from_fd < 0)
		return 1; /* about to end, and nothing to wake us */
	if (r->wall_limit_ns)
		left = r->wall_limit_ns > gone ? r->wall_limit_ns - gone : 0;
	left = left / 1000000 + 1;
	if (left > TICK_MS && (r->memory_limit_bytes || r->cpu_limit_ns))
		left = TICK_MS;
	return left > 1000 ? 1000 : (int)left;
}

/* --- the life of a job --- */

static bool has_ended(const struct job *j)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)j->pid, &info,
		      WEXITED | WNOHANG | WNOWAIT) ||
	       info.si_pid == j->pid;
}

static void follow(struct job *j)
{
	while (!has_ended(j)) {
		struct pollfd p = { .fd = j->from_fd, .events = POLLIN };

		if (poll(&p, 1, patience(j)) > 0)
			hear(j);
		enforce(j);
	}
	while (j->from_fd >= 0) { /* what is left in the pipe */
		struct pollfd p = { .fd = j->from_fd, .events = POLLIN };

		if (poll(&p, 1, 0) <= 0)
			break;
		hear(j);
	}
}

static void reap(struct job *j)
{
	struct rusage u = { 0 };

	kill(-j->pid, SIGKILL);
	while (wait4(j->pid, &j->status, 0, &u) < 0 && errno == EINTR)
		;
	j->used_cpu_ns =
		(uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000 +
		(uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

void job_watch(struct job *j)
{
	follow(j);
	reap(j);
}

void job_release(struct job *j)
{
	if (j->from_fd >= 0)
		close(j->from_fd);
	if (j->diag_fd >= 0)
		close(j->diag_fd);
	pw_buf_release(&j->said);
	free(j->done);
}
