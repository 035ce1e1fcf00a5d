// SPDX-License-Identifier: GPL-2.0-only
/*
 * Child processes, each the leader of a process group that ends with it.
 * Between fork and exec only async-signal-safe calls are made, so that a
 * caller with threads is fine. Knows no sandbox (wasm/measure does).
 */
#include <perfwasm/base.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/close_range.h>

extern char **environ;

/* Between two looks where the kernel gives us no pidfd. */
#define NAP_MS 5

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* --- start ------------------------------------------------------------------ */

/* What the child needs, made before the fork. */
struct start {
	const struct pw_child_opts *o;
	char *program;
	pid_t parent;
	int fd[3];     /* to become 0, 1, 2; -1 inherits */
	int report_fd; /* takes -errno when it fails, closes when it works */
};

static void reset_signals(void)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		sigaction(s, &dfl, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Lifts the descriptors above 2 first: one may sit where another goes. */
static int place_fds(struct start *s)
{
	int lifted[3];

	s->report_fd = fcntl(s->report_fd, F_DUPFD_CLOEXEC, 3);
	for (int i = 0; i < 3; i++)
		lifted[i] =
			s->fd[i] < 0 ? -1 : fcntl(s->fd[i], F_DUPFD_CLOEXEC, 3);
	for (int i = 0; i < 3; i++)
		if (s->fd[i] >= 0 && dup2(lifted[i], i) < 0)
			return -errno;
	/* The caller's other descriptors are none of the child's. */
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	return 0;
}

static void become_child(struct start *s)
{
	const struct pw_child_opts *o = s->o;
	char **envp = o->envp ? (char **)o->envp : environ;
	int ret;

	setpgid(0, 0);
	reset_signals();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != s->parent)
		_exit(127);
	ret = place_fds(s);
	if (!ret && o->cwd && chdir(o->cwd) < 0)
		ret = -errno;
	if (!ret && o->prepare)
		ret = o->prepare(o->ctx);
	if (!ret) {
		execve(s->program, (char **)o->argv, envp);
		ret = -errno;
	}
	(void)!write(s->report_fd, &ret, sizeof(ret));
	_exit(127);
}

/* One of the three: *theirs for the child, *ours for the caller or -1. */
static int open_end(int wish, int i, int *theirs, int *ours)
{
	int p[2];

	*ours = *theirs = -1;
	if (wish >= 0 || (wish == -1 && i)) {
		*theirs = wish;
		return 0;
	}
	if (wish == -1) {
		*theirs = open("/dev/null", O_RDONLY | O_CLOEXEC);
		return *theirs < 0 ? -errno : 0;
	}
	if (pipe2(p, O_CLOEXEC) < 0)
		return -errno;
	*theirs = p[i ? 1 : 0];
	*ours = p[i ? 0 : 1];
	return 0;
}

static int fork_and_report(struct pw_child *c, struct start *s)
{
	int p[2], ret = 0;
	ssize_t n;

	if (pipe2(p, O_CLOEXEC) < 0)
		return -errno;
	s->report_fd = p[1];
	s->parent = getpid();
	c->pid = fork();
	if (!c->pid)
		become_child(s);
	ret = c->pid < 0 ? -errno : 0;
	close(p[1]);
	do
		n = ret ? 0 : read(p[0], &ret, sizeof(ret));
	while (n < 0 && errno == EINTR);
	close(p[0]);
	return ret;
}

static int start_at(struct pw_child *c, struct start *s)
{
	const int wish[3] = { s->o->in, s->o->out, s->o->err_fd };
	int *ours[3] = { &c->in, &c->out, &c->err_fd };
	int ret = 0;

	for (int i = 0; i < 3; i++)
		s->fd[i] = -1;
	for (int i = 0; i < 3 && !ret; i++)
		ret = open_end(wish[i], i, &s->fd[i], ours[i]);
	if (!ret)
		ret = fork_and_report(c, s);
	for (int i = 0; i < 3; i++)
		if (wish[i] < 0)
			close_fd(&s->fd[i]);
	if (ret)
		pw_child_kill(c);
	return ret;
}

int pw_child_start(struct pw_child *c, const struct pw_child_opts *o,
		   struct pw_err *err)
{
	struct start s = { .o = o };
	int ret;

	*c = (struct pw_child){ .pid = -1, .in = -1, .out = -1, .err_fd = -1 };
	s.program = pw_find_program(o->argv[0]);
	if (!s.program)
		return pw_err_set(err, ENOENT,
				  "cannot run '%s': no such program",
				  o->argv[0]);
	ret = start_at(c, &s);
	if (ret)
		pw_err_set(err, -ret, "cannot run '%s': %s", s.program,
			   strerror(-ret));
	free(s.program);
	return ret;
}

/* --- end -------------------------------------------------------------------- */

/* The leader is dead but not yet reaped, so its number is still its own:
 * the moment to end what it left behind in its group. */
static int reap(struct pw_child *c)
{
	int status = 0;

	kill(-c->pid, SIGKILL);
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	c->pid = -1;
	return status;
}

static bool has_ended(pid_t pid)
{
	siginfo_t si = { 0 };
	int ret = waitid(P_PID, pid, &si, WEXITED | WNOWAIT | WNOHANG);

	return (ret < 0 && errno != EINTR) || si.si_pid == pid;
}

static int ms_until(uint64_t deadline_ns)
{
	uint64_t now = pw_now_ns();

	if (deadline_ns == UINT64_MAX)
		return -1;
	if (now >= deadline_ns)
		return 0;
	now = (deadline_ns - now + 999999) / 1000000;
	return now > 60000 ? 60000 : (int)now;
}

static uint64_t deadline_after(uint64_t timeout_ns)
{
	uint64_t now = pw_now_ns();

	return timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns;
}

/* Sleeps until one of the descriptors speaks, the child ends or the
 * deadline comes. fds[0] is the child's pidfd or -1. */
static void sleep_on(struct pollfd *fds, int n, uint64_t deadline_ns)
{
	int ms = ms_until(deadline_ns);

	if (fds[0].fd < 0 && (ms < 0 || ms > NAP_MS))
		ms = NAP_MS;
	poll(fds, n, ms);
}

int pw_child_wait(struct pw_child *c, uint64_t timeout_ns, int *status)
{
	uint64_t deadline = deadline_after(timeout_ns);
	struct pollfd pfd = { .events = POLLIN };
	int st;

	if (c->pid <= 0)
		return -ECHILD;
	pfd.fd = pidfd_open(c->pid, 0);
	while (!has_ended(c->pid) && pw_now_ns() < deadline)
		sleep_on(&pfd, 1, deadline);
	close_fd(&pfd.fd);
	if (!has_ended(c->pid))
		return -ETIMEDOUT;
	st = reap(c);
	if (status)
		*status = st;
	return 0;
}

void pw_child_kill(struct pw_child *c)
{
	if (!c || !c->pid) /* never started: the descriptors mean nothing */
		return;
	if (c->pid > 0) {
		kill(c->pid, SIGKILL);
		reap(c);
	}
	close_fd(&c->in);
	close_fd(&c->out);
	close_fd(&c->err_fd);
	c->pid = 0;
}

/* --- run to the end --------------------------------------------------------- */

/* One of a child's streams and where it goes; more than max is dropped, not
 * refused: the child must not block on a full pipe. */
struct sink {
	struct pollfd *pfd;
	struct pw_buf *buf;
	size_t max;
};

/* false when there is nothing to read now. */
static bool drain(struct sink *k)
{
	uint8_t bytes[16384];
	ssize_t n;

	if (k->pfd->fd < 0)
		return false;
	n = read(k->pfd->fd, bytes, sizeof(bytes));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		k->pfd->fd = -1;
		return false;
	}
	if (k->buf->len < k->max) {
		size_t left = k->max - k->buf->len;

		pw_buf_add(k->buf, bytes, (size_t)n < left ? (size_t)n : left);
	}
	return true;
}

static struct sink sink_of(struct pollfd *pfd, int fd, struct pw_buf *buf,
			   size_t max)
{
	if (fd >= 0)
		fcntl(fd, F_SETFL, O_NONBLOCK);
	*pfd = (struct pollfd){ .fd = fd, .events = POLLIN };
	return (struct sink){ pfd, buf, buf ? buf->len + max : 0 };
}

/* A process that outlives the child may hold the pipes open, or fill them
 * for ever: what was in them when the child ended is all we take. */
static int gather(struct pw_child *c, uint64_t timeout_ns, struct pw_buf *out,
		  struct pw_buf *errout, size_t max, int *status)
{
	uint64_t deadline = deadline_after(timeout_ns);
	struct pollfd fds[3];
	struct sink so = sink_of(&fds[1], c->out, out, max);
	struct sink se = sink_of(&fds[2], c->err_fd, errout, max);
	int ret;

	fds[0] = (struct pollfd){ pidfd_open(c->pid, 0), POLLIN, 0 };
	while (!has_ended(c->pid) && pw_now_ns() < deadline) {
		sleep_on(fds, 3, deadline);
		drain(&so);
		drain(&se);
	}
	close_fd(&fds[0].fd);
	ret = pw_child_wait(c, 0, status);
	for (int i = 0; i < 64 && drain(&so); i++)
		;
	for (int i = 0; i < 64 && drain(&se); i++)
		;
	return ret;
}

int pw_child_run(const char *const *argv, uint64_t timeout_ns,
		 struct pw_buf *out, struct pw_buf *errout, size_t max_bytes,
		 int *status, struct pw_err *err)
{
	int null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct pw_child_opts o = {
		.argv = argv,
		.in = -1,
		.out = out ? PW_CHILD_PIPE : null_fd,
		.err_fd = errout ? PW_CHILD_PIPE : null_fd,
	};
	struct pw_child c;
	int ret = pw_child_start(&c, &o, err);

	if (!ret) {
		ret = gather(&c, timeout_ns, out, errout, max_bytes, status);
		if (ret)
			pw_err_set(
				err, -ret,
				"'%s' was ended after %.1f s without a result",
				argv[0], timeout_ns / 1e9);
	}
	pw_child_kill(&c);
	close_fd(&null_fd);
	return ret;
}
