// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf record at work: its command line and its life. Knows nothing of what it
 * writes.
 *
 * perf stays in our process group, so that Ctrl-C reaches it and its command
 * as it does without us. A signal that only we get is handed on.
 */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* --- the command line --------------------------------------------------------- */

static void add_two(struct cmd_words *w, const char *option, const char *value)
{
	if (!value)
		return;
	cmd_words_add(w, option);
	cmd_words_add(w, value);
}

static void add_command(const struct record *r, struct cmd_words *w)
{
	for (char **a = r->has_rt ? r->rt.host_argv : NULL; a && *a; a++)
		cmd_words_add(w, *a);
	for (size_t i = 0; i < r->argv.n; i++)
		cmd_words_add(w, r->argv.v[i]);
}

static struct cmd_words perf_line(const struct record *r, const char *perf)
{
	struct cmd_words w = { 0 };

	cmd_words_add(&w, perf);
	cmd_words_add(&w, "record");
	/* the clock of jitdumps */
	add_two(&w, "-k", "mono");
	add_two(&w, "-o", r->data_path);
	/* what it says at each piece is of no use to anybody */
	if (r->common.quiet || r->ring_ns)
		cmd_words_add(&w, "-q");
	if (r->ring_ns)
		cmd_words_add(&w, "--switch-output=signal");
	add_two(&w, "-F", r->freq);
	add_two(&w, "-c", r->count);
	if (r->graph && !r->call_graph)
		cmd_words_add(&w, "-g");
	add_two(&w, "--call-graph", r->call_graph);
	for (size_t i = 0; i < r->events.n; i++)
		add_two(&w, "-e", r->events.v[i]);
	if (r->all_cpus)
		cmd_words_add(&w, "-a");
	add_two(&w, "-p", r->pid);
	for (size_t i = 0; i < r->more.n; i++)
		cmd_words_add(&w, r->more.v[i]);
	if (r->has_rt || r->argv.n)
		cmd_words_add(&w, "--");
	add_command(r, &w);
	return w;
}

/* Without perf the command itself, or nothing: then a process that runs, or
 * all of them, are watched. */
static struct cmd_words line_of(const struct record *r, const char *perf)
{
	struct cmd_words w = { 0 };

	if (!r->no_samples)
		return perf_line(r, perf);
	add_command(r, &w);
	return w;
}

/* Our environment and what the command's runtime wants in its. */
static struct cmd_words environment(const struct record *r)
{
	struct cmd_words w = { 0 };

	for (char **e = environ; *e; e++)
		cmd_words_add(&w, *e);
	for (size_t i = 0; i < r->setenv.n; i++)
		cmd_words_add(&w, r->setenv.v[i]);
	return w;
}

/* --- its life ------------------------------------------------------------------ */

struct life {
	pid_t pid;    /* 0: nothing was started */
	sigset_t old; /* our signal mask before */
	int signals;  /* a signalfd */
	int to, from; /* pipes to and from a host, or -1 */
	int status;
	bool ended;
	uint64_t end_ns; /* when --period is over, or UINT64_MAX */
	bool was_long;   /* it is */
	struct pw_buf said;
};

static int catch_signals(struct life *l, const struct record *r,
			 struct pw_err *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGPIPE);
	if (r->ring_ns)
		sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, &l->old);
	sigdelset(&set, SIGPIPE);
	l->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (l->signals < 0)
		return pw_err_set(err, errno, "cannot watch signals: %s",
				  strerror(errno));
	return 0;
}

static int make_pipes(int in[2], int out[2], struct pw_err *err)
{
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return pw_err_set(err, errno, "cannot make a pipe: %s",
				  strerror(errno));
	return 0;
}

/* What a child needs between fork and exec. */
struct start {
	const struct cmd_words *argv;
	char **envp;
	int in, out;   /* -1: ours */
	int report;    /* takes the errno when it fails */
	int ends_by;   /* a signal when we end; 0: it goes on */
	bool is_asked; /* by SIGUSR2, which it may not be ready for yet */
	pid_t parent;
	const sigset_t *mask;
};

static void become(const struct start *s)
{
	int why;

	sigprocmask(SIG_SETMASK, s->mask, NULL);
	if (s->is_asked)
		signal(SIGUSR2, SIG_IGN); /* until perf has a handler */
	if (s->ends_by)
		prctl(PR_SET_PDEATHSIG, s->ends_by);
	if (s->ends_by && getppid() != s->parent)
		_exit(127);
	if (s->in >= 0) {
		dup2(s->in, 0);
		dup2(s->out, 1);
	}
	execvpe(s->argv->v[0], (char **)s->argv->v, s->envp);
	why = errno;
	(void)!write(s->report, &why, sizeof(why));
	_exit(127);
}

static int fork_and_report(struct life *l, struct start *s, struct pw_err *err)
{
	int p[2], why = 0;

	if (pipe2(p, O_CLOEXEC))
		return pw_err_set(err, errno, "cannot make a pipe: %s",
				  strerror(errno));
	s->report = p[1];
	s->parent = getpid();
	l->pid = fork();
	if (!l->pid)
		become(s);
	close(p[1]);
	if (l->pid < 0)
		why = errno;
	else if (read(p[0], &why, sizeof(why)) != sizeof(why))
		why = 0;
	close(p[0]);
	if (!why)
		return 0;
	if (l->pid > 0)
		waitpid(l->pid, NULL, 0);
	l->pid = 0;
	return pw_err_set(err, why, "cannot start %s: %s", s->argv->v[0],
			  strerror(why));
}

/*
 * perf alone, which records all that runs or another process, would never end
 * when we are killed; a command is the user's, and goes on. So does a perf that
 * records it to its end, but in a ring its last piece would grow for ever, and
 * it ends its command with itself unless it is killed.
 */
static int ends_by(const struct record *r)
{
	if (!r->has_rt && !r->argv.n)
		return SIGTERM;
	return r->ring_ns && !r->no_samples ? SIGKILL : 0;
}

static int spawn(struct life *l, const struct cmd_words *argv, char **envp,
		 const struct record *r, struct pw_err *err)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, ret = 0;
	struct start s = {
		.argv = argv,
		.envp = envp,
		.ends_by = ends_by(r),
		.is_asked = r->ring_ns && !r->no_samples,
		.mask = &l->old,
	};

	if (r->has_rt)
		ret = make_pipes(in, out, err);
	s.in = in[0];
	s.out = out[1];
	if (!ret)
		ret = fork_and_report(l, &s, err);
	if (r->has_rt) {
		close(in[0]);
		close(out[1]);
		l->to = in[1];
		l->from = out[0];
	}
	return ret;
}

static void on_signals(struct life *l, struct record *r)
{
	struct signalfd_siginfo info;

	while (read(l->signals, &info, sizeof(info)) == sizeof(info)) {
		/* what a terminal sends, perf gets too */
		if (info.ssi_signo == SIGCHLD)
			continue;
		if (info.ssi_signo == SIGUSR2)
			record_system_signal(r, SIGUSR2);
		else if (!l->pid)
			l->ended = true;
		else if (info.ssi_code != SI_KERNEL)
			kill(l->pid, (int)info.ssi_signo);
	}
	if (l->pid && waitpid(l->pid, &l->status, WNOHANG) == l->pid) {
		l->ended = true;
		record_ring_perf_ended(r);
	}
}

static void on_words(struct life *l)
{
	char buf[4096];
	ssize_t n = read(l->from, buf, sizeof(buf));

	if (n > 0 && l->said.len < 1 << 20) {
		pw_buf_add(&l->said, buf, (size_t)n);
	} else if (n <= 0) {
		close(l->from);
		l->from = -1;
	}
}

static bool is_over(const struct record *r)
{
	return r->pid && kill((pid_t)strtol(r->pid, NULL, 10), 0) &&
	       errno == ESRCH;
}

/* perf ends its command itself; a signal more often than once would cut short
 * what it still writes. */
static void on_period(struct life *l, const struct record *r)
{
	if (l->was_long || pw_now_ns() < l->end_ns)
		return;
	l->was_long = true;
	l->end_ns = UINT64_MAX;
	if (l->pid)
		kill(l->pid, r->no_samples ? SIGTERM : SIGINT);
	else
		l->ended = true;
}

/* Of two times; less than nothing is never. */
static int sooner(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* Until something is due, in ms; -1: nothing is. */
static int time_left(const struct life *l, struct record *r)
{
	int ms = sooner(record_bpf_tick(r), record_ring_tick(r));
	uint64_t now = pw_now_ns(), left;

	if (l->end_ns == UINT64_MAX)
		return ms;
	left = l->end_ns > now ? (l->end_ns - now) / 1000000 + 1 : 0;
	if (left > INT_MAX)
		left = INT_MAX;
	return sooner(ms, (int)left);
}

static void follow(struct life *l, struct record *r)
{
	bool hears = true;

	while (!l->ended || l->from >= 0) {
		int timeout_ms = l->ended ? 1000 : time_left(l, r);
		struct pollfd p[4] = {
			{ l->signals, POLLIN, 0 },
			{ l->from, POLLIN, 0 },
			{ record_ring_watch_fd(r), POLLIN, 0 },
			{ hears ? record_ring_hear_fd(r) : -1, POLLIN, 0 },
		};

		if (poll(p, 4, timeout_ms) <= 0 && l->ended)
			return; /* somebody else holds the pipe */
		if (p[1].revents)
			on_words(l);
		if (p[2].revents)
			record_ring_watch(r);
		if (p[3].revents)
			hears = record_ring_hear(r);
		if (!l->ended && p[0].revents) {
			on_signals(l, r);
			record_system_watch(r);
			record_ring_reap(r);
		}
		on_period(l, r);
		if (!l->pid && is_over(r))
			l->ended = true;
	}
}

static void release(struct life *l)
{
	if (l->signals >= 0)
		close(l->signals);
	if (l->from >= 0)
		close(l->from);
	if (l->to >= 0)
		close(l->to);
	sigprocmask(SIG_SETMASK, &l->old, NULL);
	pw_buf_release(&l->said);
}

static void ask(struct life *l, const struct record *r, const char *output)
{
	struct pw_buf line = { 0 };
	size_t at = 0;

	record_print_request(r, output, &line);
	while (at < line.len) {
		ssize_t n = write(l->to, line.data + at, line.len - at);

		if (n <= 0)
			break; /* it has ended; that is seen later */
		at += (size_t)n;
	}
	close(l->to);
	l->to = -1;
	pw_buf_release(&line);
}

int record_run(struct record *r, const char *perf, struct record_end *end,
	       struct pw_err *err)
{
	struct cmd_words argv = line_of(r, perf), envp = environment(r);
	struct life l = {
		.signals = -1, .to = -1, .from = -1, .end_ns = UINT64_MAX
	};
	char *output = r->has_rt ? record_guest_output(r) : NULL;
	int ret = catch_signals(&l, r, err);

	if (!ret)
		ret = record_ring_open(r, err);
	if (!ret)
		ret = record_system_start(r, err);
	if (!ret)
		ret = record_bpf_start(r, err);
	if (!ret && argv.n)
		ret = spawn(&l, &argv, (char **)envp.v, r, err);
	r->perf_pid = l.pid;
	if (!ret) {
		if (r->has_rt)
			ask(&l, r, output);
		if (r->period_ns)
			l.end_ns = pw_now_ns() + r->period_ns;
		record_ring_begin(r, l.pid);
		follow(&l, r);
		end->status = l.was_long ? 0 : l.status;
	}
	record_bpf_stop(r);
	record_system_stop(r);
	record_ring_end(r, end->status);
	if (!ret && r->has_rt) {
		record_print_output(output);
		ret = record_hear(&l.said, end, err);
	}
	release(&l);
	free(output);
	free(argv.v);
	free(envp.v);
	return ret;
}
