// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf record at the processes of a session: its command line, its start and
 * its end, by perf's own control pipe. Knows nothing of what it records.
 */
#include "triage-impl.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define START_NS          20000000000ULL
#define END_NS            60000000000ULL
#define DEFAULT_MAX       (256ULL << 20)
#define DEFAULT_PERIOD_NS 250000
#define N_WORDS           40

static char *list_pids(const pid_t *pids, size_t n)
{
	struct pw_buf b = { 0 };
	char *s;

	for (size_t i = 0; i < n; i++)
		pw_buf_printf(&b, "%s%d", i ? "," : "", (int)pids[i]);
	s = pw_strdup(pw_buf_str(&b));
	pw_buf_release(&b);
	return s;
}

/* --- its words --------------------------------------------------------------- */

struct line {
	const char *v[N_WORDS];
	size_t n;
	char *pids, *clock, *size;
};

static void add(struct line *l, const char *a, const char *b)
{
	l->v[l->n++] = a;
	if (b)
		l->v[l->n++] = b;
}

static void line_init(struct line *l, const pid_t *pids, size_t n_pids,
		      const char *data_path, const struct pw_triage_opts *o,
		      bool calls)
{
	uint64_t period = o->period_ns ?: DEFAULT_PERIOD_NS;

	memset(l, 0, sizeof(*l));
	l->pids = list_pids(pids, n_pids);
	l->clock = pw_asprintf("cpu-clock/period=%llu/",
			       (unsigned long long)period);
	l->size = pw_asprintf("%lluM",
			      (unsigned long long)((o->max_bytes
							    ?: DEFAULT_MAX) >>
						   20));
	add(l, "perf", "record");
	add(l, "-q", NULL);
	add(l, "-k", "mono");
	add(l, "-o", data_path);
	add(l, "-e", l->clock);
	if (calls) {
		add(l, "-e", "raw_syscalls:sys_enter");
		add(l, "-e", "raw_syscalls:sys_exit");
		if (!geteuid())
			add(l, "-m", "4M");
	}
	add(l, "--switch-events", "--no-buildid-cache");
	add(l, "--max-size", l->size);
	add(l, "--control", "fd:0,1");
	add(l, "-p", l->pids);
}

static void line_release(struct line *l)
{
	free(l->pids);
	free(l->clock);
	free(l->size);
}

/* --- what it says -------------------------------------------------------------- */

/* perf explains at length; its first words say what, the rest how to mend. */
static int refused(struct attached *a, struct pw_err *err)
{
	char text[2048];
	ssize_t n = pread(a->errors, text, sizeof(text) - 1, 0);
	char *s = text;
	size_t len;

	text[n > 0 ? n : 0] = 0;
	s += strspn(s, " \n\t");
	if (!strncmp(s, "Error:", 6))
		s += 6 + strspn(s + 6, " \n\t");
	len = strcspn(s, "\n");
	if (strstr(text, "perf_event_paranoid"))
		return pw_err_set(
			err, ENOTSUP,
			"the kernel lets perf record nothing here: as root, sysctl kernel.perf_event_paranoid=-1");
	/* said first, whatever else it says */
	if (strstr(text, "raw_syscalls:"))
		return pw_err_set(
			err, ENOTSUP,
			"perf may not read the kernel's trace events here: as root, mount -t tracefs nodev /sys/kernel/tracing, and let this user read it");
	return pw_err_set(
		err, ENOTSUP,
		"perf cannot record here: %.*s; perf wasm doctor tells what this machine lacks",
		(int)(len > 200 ? 200 : len), len ? s : "it ended unasked");
}

/* Waits for "ack\n". */
static int hear_ack(struct attached *a, uint64_t limit_ns)
{
	uint64_t until = pw_now_ns() + limit_ns;
	char c = 0;

	while (c != '\n') {
		struct pollfd p = { a->perf.out, POLLIN, 0 };

		if (pw_measure_interrupted())
			return -EINTR;
		if (pw_now_ns() >= until)
			return -ETIMEDOUT;
		if (poll(&p, 1, 50) <= 0)
			continue;
		if (read(a->perf.out, &c, 1) != 1)
			return -EPIPE;
	}
	return 0;
}

static int say(struct attached *a, const char *command)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	size_t n = strlen(command);
	ssize_t done;

	sigaction(SIGPIPE, &ignore, &old);
	done = write(a->perf.in, command, n);
	sigaction(SIGPIPE, &old, NULL);
	return done == (ssize_t)n ? 0 : -EPIPE;
}

/* --- its life -------------------------------------------------------------------- */

static int start(struct attached *a, const struct line *l, struct pw_err *err)
{
	struct pw_child_opts o = { .argv = l->v,
				   .in = PW_CHILD_PIPE,
				   .out = PW_CHILD_PIPE,
				   .err_fd = a->errors };
	int ret = pw_child_start(&a->perf, &o, err);

	if (ret == -ENOENT)
		return pw_err_set(
			err, ENOTSUP,
			"perf is not on PATH, so what happens outside generated code cannot be recorded: install it (Debian: linux-perf)");
	if (ret)
		return ret;
	/* it answers when it has begun to record */
	ret = say(a, "enable\n") ?: hear_ack(a, START_NS);
	if (ret == -EINTR)
		return pw_err_set(err, EINTR, "interrupted");
	return ret ? refused(a, err) : 0;
}

int attach_begin(struct attached *a, const pid_t *pids, size_t n_pids,
		 const char *data_path, const struct pw_triage_opts *o,
		 bool calls, struct pw_err *err)
{
	struct line l;
	int ret;

	memset(a, 0, sizeof(*a));
	a->errors = memfd_create("perf", MFD_CLOEXEC);
	line_init(&l, pids, n_pids, data_path, o, calls);
	ret = start(a, &l, err);
	line_release(&l);
	if (ret)
		attach_release(a);
	return ret;
}

int attach_end(struct attached *a, struct pw_err *err)
{
	int status = 0, ret;

	/* it may have ended by itself: its file was full */
	say(a, "stop\n");
	ret = pw_child_wait(&a->perf, END_NS, &status);
	if (ret)
		return pw_err_set(err, ENOTSUP,
				  "perf does not end its recording");
	return 0;
}

void attach_release(struct attached *a)
{
	pw_child_kill(&a->perf);
	if (a->errors > 0)
		close(a->errors);
	memset(a, 0, sizeof(*a));
}
