// SPDX-License-Identifier: GPL-2.0-only
/*
 * Between fork and exec of a host. Everything here but keeper_end() runs in
 * the child and makes async-signal-safe calls only.
 */
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_FILE_BYTES (4ull << 30)
/* Rounds of killing, a pause between them: a tree that grows while it is
 * cut is cut again. */
#define MAX_ROUNDS 2000
#define PAUSE_NS   1000000

static void lower_limit(int resource, rlim_t value)
{
	struct rlimit r;

	if (getrlimit(resource, &r) < 0)
		return;
	if (r.rlim_max == RLIM_INFINITY || r.rlim_max > value)
		r.rlim_max = value;
	if (r.rlim_cur == RLIM_INFINITY || r.rlim_cur > value)
		r.rlim_cur = value;
	setrlimit(resource, &r);
}

int keeper_limit(void *unused)
{
	(void)unused;
	lower_limit(RLIMIT_CORE, 0);
	lower_limit(RLIMIT_FSIZE, MAX_FILE_BYTES);
	return 0;
}

/* Kills who is now our child, by the kernel's list: "PID PID PID ". */
static void kill_children(void)
{
	char text[4096];
	ssize_t n = pw_file_peek(AT_FDCWD, "/proc/thread-self/children", text,
				 sizeof(text));
	pid_t pid = 0;

	for (ssize_t i = 0; i < n; i++) {
		if (text[i] >= '0' && text[i] <= '9') {
			pid = pid * 10 + text[i] - '0';
		} else {
			if (pid > 1)
				kill(pid, SIGKILL);
			pid = 0;
		}
	}
}

/* Whose parent we kill falls to us, so this ends with nobody left. */
static void kill_all_below(void)
{
	const struct timespec pause = { 0, PAUSE_NS };

	for (int i = 0; i < MAX_ROUNDS; i++) {
		kill_children();
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
			return;
		nanosleep(&pause, NULL);
	}
}

static void __attribute__((noreturn)) keep(pid_t host, const sigset_t *awaited)
{
	siginfo_t si = { 0 };
	int status = 0, sig;
	pid_t pid = 0;

	/* The pipes are the host's alone: their ends tell of its end. */
	close_range(0, ~0U, 0);
	prctl(PR_SET_NAME, "pw-keeper");
	while (pid != host) {
		sig = sigwaitinfo(awaited, &si);
		if (sig != SIGCHLD && sig > 0)
			break;
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0 && pid != host)
			;
	}
	kill_all_below();
	if (pid != host)
		_exit(128 + SIGTERM);
	_exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				  : WEXITSTATUS(status));
}

int keeper_stay(void *unused)
{
	sigset_t awaited, old;
	pid_t above = getppid(), self = getpid(), host;

	keeper_limit(unused);
	sigemptyset(&awaited);
	sigaddset(&awaited, SIGCHLD);
	sigaddset(&awaited, SIGTERM);
	sigaddset(&awaited, SIGINT);
	sigaddset(&awaited, SIGHUP);
	sigprocmask(SIG_BLOCK, &awaited, &old);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGTERM) < 0)
		return -errno;
	if (getppid() != above)
		_exit(127);
	host = fork();
	if (host < 0)
		return -errno;
	if (host)
		keep(host, &awaited);
	/* A group of its own: the keeper must outlive a kill of it. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != self)
		_exit(127);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return 0;
}

void keeper_end(struct pw_child *c)
{
	if (c->pid > 0) {
		kill(c->pid, SIGTERM);
		pw_child_wait(c, 5000000000ULL, NULL);
	}
	pw_child_kill(c);
}
