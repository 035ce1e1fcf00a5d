// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recorder at work: from the first tick to the last, with the command that
 * it runs, or the process that it watches, or for a time, or until a signal.
 */
#include "recorder-impl.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* On a busy machine one in seven readings of 10 ms was missed without, none
 * with it; a reading that is late by that much is of no matter at a second. */
#define REAL_TIME_BELOW_NS 200000000ULL
#define NICE               (-10)

/* One late reading in so many is a busy machine's, and not told. */
#define LATE 50

struct life {
	sigset_t old;    /* signal mask before */
	int signals;     /* a signalfd */
	int watched;     /* a pidfd, or -1 */
	pid_t command;   /* 0: none, or it has ended */
	pid_t machine;   /* who looks what this machine is; the same */
	int status;      /* of it */
	uint64_t end_ns; /* of --period, or UINT64_MAX */
	bool was_long;   /* it is over: how the command ends says nothing */
	bool is_over;
};

static int catch_signals(struct life *l, struct pw_err *err)
{
	static const int numbers[] = { SIGINT,  SIGTERM, SIGHUP, SIGCHLD,
				       SIGUSR2, SIGPIPE, SIGXFSZ };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_BLOCK, &set, &l->old);
	/* these come back as errors of write() */
	sigdelset(&set, SIGPIPE);
	sigdelset(&set, SIGXFSZ);
	l->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (l->signals < 0)
		return pw_err_set(err, errno, "cannot watch signals: %s",
				  strerror(errno));
	return 0;
}

/* Stays in our process group, so that a terminal's Ctrl-C reaches it. */
static int start_command(struct life *l, char **argv, struct pw_err *err)
{
	posix_spawnattr_t attr;
	int ret;

	if (!*argv)
		return 0;
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &l->old);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	ret = posix_spawnp(&l->command, argv[0], NULL, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	if (!ret)
		return 0;
	l->command = 0;
	return pw_err_set(err, ret, "cannot start %s: %s", argv[0],
			  strerror(ret));
}

static int watch_process(struct life *l, pid_t pid, struct pw_err *err)
{
	l->watched = pid ? pidfd_open(pid, 0) : -1;
	if (pid && l->watched < 0)
		return pw_err_set(err, errno, "process %d: %s", (int)pid,
				  strerror(errno));
	return 0;
}

/* As punctual as it may be, and only itself; refused to users, who are served
 * as others are. */
static void be_punctual(const struct recorder *r)
{
	struct sched_param lowest = { .sched_priority = 1 };
	int policy = SCHED_RR | SCHED_RESET_ON_FORK;

	if (r->o.interval_ns < REAL_TIME_BELOW_NS &&
	    !sched_setscheduler(0, policy, &lowest))
		return;
	setpriority(PRIO_PROCESS, 0, NICE);
}

/* What the machine is takes more memory than a reading of it, so a process of
 * its own finds out, once. */
static void start_machine(struct life *l, const struct recorder *r)
{
	struct pw_err err = { .off = PW_NO_OFF };
	char *path;

	l->machine = fork();
	if (l->machine)
		return;
	sigprocmask(SIG_SETMASK, &l->old, NULL);
	path = pw_asprintf("%s/" PW_SYSTEM_MACHINE, r->o.dir);
	if (!pw_system_machine(path, NULL, &err))
		_exit(0);
	recorder_fault(r, "the facts of this machine are not kept: %s",
		       err.msg);
	_exit(1);
}

/* --- what happens ---------------------------------------------------------------- */

static void reap(struct life *l, struct recorder *r)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == l->machine)
			l->machine = 0;
		if (ring_reap(r, pid, status) || pid != l->command)
			continue;
		l->command = 0;
		l->status = l->was_long ? 0 : status;
		l->is_over = true;
	}
}

static void on_signals(struct life *l, struct recorder *r)
{
	struct signalfd_siginfo info;

	while (read(l->signals, &info, sizeof(info)) == sizeof(info)) {
		int signo = (int)info.ssi_signo;

		if (signo == SIGCHLD)
			reap(l, r);
		else if (signo == SIGUSR2)
			ring_write(r, "SIGUSR2");
		else if (!l->command)
			l->is_over = true;
		else if (info.ssi_code != SI_KERNEL)
			kill(l->command, signo);
	}
}

static void on_time(struct life *l)
{
	if (pw_now_ns() < l->end_ns)
		return;
	l->end_ns = UINT64_MAX;
	l->was_long = true;
	if (l->command)
		kill(l->command, SIGTERM); /* and its end is ours */
	else
		l->is_over = true;
}

static void fail(struct recorder *r, const struct pw_err *err)
{
	recorder_fault(r, "%s", err->msg);
	r->has_failed = true;
	r->is_full = true;
}

static void tick(struct recorder *r)
{
	struct pw_err err = { .off = PW_NO_OFF };
	const char *why, *absent;

	if (pw_now_ns() < pw_system_next_ns(r->system))
		return;
	if (pw_system_tick(r->system, &err)) {
		fail(r, &err);
		return;
	}
	why = triggers_tick(r->triggers, r->system, pw_now_ns());
	if (why)
		ring_write(r, why);
	absent = triggers_absent(r->triggers, pw_now_ns());
	if (absent)
		recorder_note(
			r,
			"%s: there is no such figure yet, so this cannot come true; 'perf wasm system --metric METRIC DIR' tells what there is in a capture, and of what",
			absent);
	ring_tick(r);
}

/* Whether a signal came. */
static bool sleep_until(struct life *l, uint64_t then_ns)
{
	struct pollfd p[2] = { { l->signals, POLLIN, 0 },
			       { l->watched, POLLIN, 0 } };
	uint64_t now = pw_now_ns();
	uint64_t left = then_ns > now ? then_ns - now : 0;
	struct timespec t = { (time_t)(left / 1000000000),
			      (long)(left % 1000000000) };

	ppoll(p, 2, then_ns == UINT64_MAX ? NULL : &t, NULL);
	if (p[1].revents)
		l->is_over = true;
	return p[0].revents;
}

static void follow(struct life *l, struct recorder *r)
{
	while (!l->is_over) {
		uint64_t next =
			r->is_full ? UINT64_MAX : pw_system_next_ns(r->system);

		/* a command is not ended for our sake */
		if (r->is_full && !l->command)
			return;
		if (sleep_until(l, next < l->end_ns ? next : l->end_ns))
			on_signals(l, r);
		if (!l->is_over && !r->is_full)
			tick(r);
		on_time(l);
	}
}

/* What a user may do now, who would else see nothing. */
static void tell_begin(const struct recorder *r)
{
	const struct recorder_opts *o = &r->o;
	int pid = (int)getpid();

	if (o->ring_ns && !o->is_beside)
		recorder_tell(
			r,
			"the last %g s are kept; kill -USR2 %d writes them to %s.N",
			(double)o->ring_ns / 1e9, pid, o->name);
	if (!o->is_beside && !*o->command && !o->pid && !o->period_ns)
		recorder_tell(
			r,
			"recording until Ctrl-C, or kill -INT %d (--period TIME ends by itself)",
			pid);
}

/* --- from the first to the last ------------------------------------------------------ */

static int open_system(struct recorder *r, struct pw_err *err)
{
	const struct recorder_opts *o = &r->o;
	struct pw_system_opts opts = {
		.interval_ns = o->interval_ns,
		.only = (const char *const *)o->sources,
		.skip = (const char *const *)o->skip,
		.tasks = (const char *const *)o->tasks,
	};
	char *path = NULL;
	int ret = 0;

	if (o->ring_ns) {
		r->ring = ring_open(o, &path, err);
		if (!r->ring)
			return -EIO;
	}
	path = path ?: pw_asprintf("%s/" PW_SYSTEM_SERIES, o->dir);
	opts.path = path;
	ret = recorder_pmu_open(r, err);
	if (r->pmu) {
		opts.extra = &r->counters;
		opts.n_extra = 1;
	}
	if (!ret)
		r->system = pw_system_open(&opts, err);
	free(path);
	if (!r->system)
		return -EINVAL;
	r->triggers = triggers_open(o, r->system, &ret, err);
	return ret;
}

static int start(struct life *l, struct recorder *r, struct pw_err *err)
{
	int ret = catch_signals(l, err);

	if (!ret)
		start_machine(l, r);
	if (!ret)
		ret = open_system(r, err);
	if (!ret)
		ret = pw_system_tick(r->system, err);
	if (!ret)
		recorder_gather_memory();
	if (!ret)
		ret = watch_process(l, r->o.pid, err);
	if (!ret)
		ret = start_command(l, r->o.command, err);
	if (ret)
		return ret;
	be_punctual(r);
	tell_begin(r);
	if (r->o.period_ns)
		l->end_ns = pw_now_ns() + r->o.period_ns;
	if (r->o.is_beside) {
		(void)!write(STDOUT_FILENO, "\n", 1);
		if (!r->ring)
			close(STDOUT_FILENO);
	}
	return 0;
}

static void tell_late(const struct recorder *r)
{
	struct pw_system_cost cost = pw_system_get_cost(r->system);

	if (cost.missed * LATE > cost.ticks)
		recorder_note(
			r,
			"%llu readings were missed, %llu came: the machine was busy, or one takes longer than --interval",
			(unsigned long long)cost.missed,
			(unsigned long long)cost.ticks);
}

static void stop(struct life *l, struct recorder *r)
{
	struct pw_err err = { .off = PW_NO_OFF };

	if (!r->is_full) {
		if (pw_system_last(r->system, &err))
			fail(r, &err);
		tell_late(r);
	}
	triggers_close(r->triggers);
	if (pw_system_close(r->system, &err) && !r->is_full)
		fail(r, &err);
	if (l->machine > 0)
		waitpid(l->machine, NULL, 0);
	ring_end(r);
}

static int status_of(const struct life *l, const struct recorder *r)
{
	if (WIFSIGNALED(l->status)) {
		fflush(NULL);
		signal(WTERMSIG(l->status), SIG_DFL);
		sigprocmask(SIG_SETMASK, &l->old, NULL);
		raise(WTERMSIG(l->status));
		return 128 + WTERMSIG(l->status);
	}
	return WEXITSTATUS(l->status) ?: r->has_failed;
}

/* What the command that started us tells where it stays. */
static void tell_end(const struct life *l, const struct recorder *r)
{
	char number[16];

	if (r->o.is_beside)
		return;
	snprintf(number, sizeof(number), "%d",
		 WIFSIGNALED(l->status) ? 128 + WTERMSIG(l->status)
					: WEXITSTATUS(l->status));
	recorder_fact(r->o.dir, "status", number);
	recorder_tell(r, "the capture is in %s; 'perf wasm system %s' reads it",
		      r->o.name, r->o.name);
}

int recorder_run(struct recorder *r)
{
	struct life l = { .signals = -1, .watched = -1, .end_ns = UINT64_MAX };
	struct pw_err err = { .off = PW_NO_OFF };
	int ret;

	/* until now it would have killed us */
	if (r->o.is_beside)
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	ret = start(&l, r, &err);
	if (ret) {
		recorder_fault(r, "%s", err.msg);
		r->has_failed = true;
		pw_system_close(r->system, NULL);
		triggers_close(r->triggers);
	} else {
		follow(&l, r);
		stop(&l, r);
		tell_end(&l, r);
	}
	ring_close(r->ring);
	pw_pmu_close(r->pmu);
	close(l.signals);
	close(l.watched);
	return status_of(&l, r);
}
