// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parent of a host program: reads requests, gives each a child, watches
 * it from outside (wall time, memory, CPU time) and answers, whatever became
 * of the child. Never runs a guest and believes nothing that a child says
 * beyond its own reply.
 */
#include "host.h"

#include <ctype.h>
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

/* One child, as its parent sees it. */
struct job {
	const struct pw_host_request *req;
	pid_t pid;
	int from_fd; /* what it says on HOST_FD; -1 when that has ended */
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

/* --- in the child ----------------------------------------------------------- */

static void child_fds(int pipe_fd, int diag_fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	/* lift the pipe out of the way of what is placed */
	pipe_fd = fcntl(pipe_fd, F_DUPFD_CLOEXEC, 10);
	dup2(null, 0);
	dup2(null, 1);
	dup2(diag_fd, 2);
	dup2(pipe_fd, HOST_FD);
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
		ssize_t n = write(HOST_FD, line.data + at, line.len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		at += (size_t)n;
	}
	pw_buf_release(&line);
}

static void __attribute__((noreturn))
child_main(const struct host_ops *ops, void *self,
	   const struct pw_host_request *req)
{
	struct host_run run;
	struct pw_err err;

	if (host_run_init(&run, req, &err))
		host_fail(&run, PW_OUT_UNSUPPORTED, "%s", err.msg);
	else
		ops->run(self, &run);
	say(&run.reply);
	_exit(0);
}

/* --- what a child says ------------------------------------------------------- */

static void take_watch(struct job *j, char *rest)
{
	char *key, *value;
	uint64_t v, pid = 0;

	while (host_field_next(&rest, &key, &value, NULL) > 0) {
		if (host_parse_u64(value, &v))
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
		j->base_data_bytes = host_data_bytes((pid_t)pid);
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

/* --- limits from outside -------------------------------------------------------- */

static bool memory_is_over(const struct job *j)
{
	uint64_t limit = j->req->memory_limit_bytes;

	return limit &&
	       host_data_bytes(j->watched) > j->base_data_bytes + limit;
}

static bool cpu_is_over(const struct job *j)
{
	uint64_t limit = j->req->cpu_limit_ns;

	return limit && j->in_call &&
	       host_cpu_ns(j->watched) > j->base_cpu_ns + limit;
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

/* --- the life of a job ------------------------------------------------------------ */

static bool has_ended(const struct job *j)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)j->pid, &info,
		      WEXITED | WNOHANG | WNOWAIT) ||
	       info.si_pid == j->pid;
}

static void watch_job(struct job *j)
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

static int start_job(struct job *j, const struct host_ops *ops, void *self)
{
	pid_t parent = getpid();
	int pipe_fd[2];

	if (pipe2(pipe_fd, O_CLOEXEC))
		return -errno;
	j->diag_fd = memfd_create("diag", MFD_CLOEXEC);
	j->base_data_bytes = host_data_bytes(0);
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

static void release_job(struct job *j)
{
	if (j->from_fd >= 0)
		close(j->from_fd);
	if (j->diag_fd >= 0)
		close(j->diag_fd);
	pw_buf_release(&j->said);
	free(j->done);
}

/* --- the reply ---------------------------------------------------------------------- */

/* What the runtime printed before it died, as one line without advice. */
static void read_diag(const struct job *j, char *dst, size_t size)
{
	char text[4096], *line, *rest = text;
	ssize_t n = pread(j->diag_fd, text, sizeof(text) - 1, 0);
	size_t len = 0;

	text[n > 0 ? n : 0] = 0;
	dst[0] = 0;
	while ((line = strsep(&rest, "\n"))) {
		if (!*line || !strncmp(line, "note: ", 6) || len + 2 >= size)
			continue;
		snprintf(dst + len, size - len, "%s%s", len ? " " : ": ", line);
		len = strlen(dst);
	}
}

static void judge_death(const struct job *j, struct pw_host_reply *r)
{
	const char *when = j->in_call ? "" : ", before the call";
	char what[160], diag[200];

	read_diag(j, diag, sizeof(diag));
	if (WIFSIGNALED(j->status)) {
		r->outcome = host_signal_outcome(WTERMSIG(j->status), what,
						 sizeof(what));
	} else {
		r->outcome = PW_OUT_CRASH;
		snprintf(what, sizeof(what), "ended with status %d unasked",
			 WEXITSTATUS(j->status));
	}
	snprintf(r->message, sizeof(r->message), "%s%s%s", what, when, diag);
}

static void judge_kill(const struct job *j, struct pw_host_reply *r)
{
	const char *when = j->in_call ? "" : ", before the call";
	const char *what = "took longer than it was given";

	if (j->killed_for == PW_OUT_MEMORY)
		what = "wanted more memory than it was given";
	else if (j->killed_for == PW_OUT_CPU)
		what = "used all the CPU time it was given";
	r->outcome = j->killed_for;
	snprintf(r->message, sizeof(r->message), "%s%s", what, when);
}

static void judge(const struct job *j, struct pw_host_reply *r)
{
	bool well = WIFEXITED(j->status) && !WEXITSTATUS(j->status);

	if (well && j->killed_for == PW_OUT_OK && j->done &&
	    !pw_host_reply_parse(r, j->done, NULL)) {
		r->id = j->req->id;
		return;
	}
	memset(r, 0, sizeof(*r));
	r->id = j->req->id;
	r->compile_ns = j->compile_ns;
	r->wall_ns = pw_now_ns() - j->from_ns;
	if (j->in_call && j->used_cpu_ns > j->base_cpu_ns)
		r->cpu_ns = j->used_cpu_ns - j->base_cpu_ns;
	if (j->killed_for != PW_OUT_OK)
		judge_kill(j, r);
	else
		judge_death(j, r);
}

static void run_request(const struct host_ops *ops, void *self,
			const struct pw_host_request *req,
			struct pw_host_reply *reply)
{
	struct job j = { .req = req, .from_fd = -1, .diag_fd = -1 };
	int rc = start_job(&j, ops, self);

	memset(reply, 0, sizeof(*reply));
	if (rc) {
		reply->id = req->id;
		reply->outcome = PW_OUT_CRASH;
		snprintf(reply->message, sizeof(reply->message),
			 "cannot start a process: %s", strerror(-rc));
	} else {
		watch_job(&j);
		reap(&j);
		judge(&j, reply);
	}
	release_job(&j);
}

/* --- the program --------------------------------------------------------------------- */

static int put(struct pw_buf *line)
{
	size_t n = fwrite(line->data, 1, line->len, stdout);

	return n != line->len || fflush(stdout) ? -EIO : 0;
}

static int serve(const struct host_ops *ops, void *self, const char *text)
{
	struct pw_buf line = { 0 };
	struct pw_host_reply reply;
	struct host_request r;
	struct pw_err err;
	int rc;

	if (host_request_parse(&r, text, &err)) {
		memset(&reply, 0, sizeof(reply));
		reply.outcome = PW_OUT_UNSUPPORTED;
		snprintf(reply.message, sizeof(reply.message), "%.390s",
			 err.msg);
	} else {
		run_request(ops, self, &r.req, &reply);
		host_request_release(&r);
	}
	host_reply_print(&reply, &line);
	rc = put(&line);
	pw_buf_release(&line);
	return rc;
}

static int greet(const char *word, const char *key, const char *value)
{
	struct pw_buf line = { 0 };
	int rc;

	pw_buf_printf(&line, "%s", word);
	host_field_add(&line, key, value);
	pw_buf_add_u8(&line, '\n');
	rc = put(&line);
	pw_buf_release(&line);
	return rc;
}

int host_main(const struct host_ops *ops, int argc, char **argv)
{
	char version[64] = "?", *text = NULL;
	struct pw_err err;
	void *self = NULL;
	size_t cap = 0;

	signal(SIGPIPE, SIG_IGN);
	if (ops->load(&self, argc, argv, version, sizeof(version), &err)) {
		fprintf(stderr, "%s: %s\n", argv[0], err.msg);
		greet("failed", "message", err.msg);
		return 1;
	}
	if (greet("ready", "version", version))
		return 1;
	while (getline(&text, &cap, stdin) > 0) {
		if (serve(ops, self, text))
			return 1;
	}
	free(text);
	return 0;
}
