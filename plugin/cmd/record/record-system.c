// SPDX-License-Identifier: GPL-2.0-only
/*
 * The system's metrics beside perf record: what --system asks for where that
 * was not told, and the life of the recorder, a small program of its own
 * (plugin/recorder), which takes our place where nothing else is recorded.
 * Knows nothing of what it reads.
 */
#include "../doctor/doctor.h"
#include "record.h"
#include "../capture-files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RECORDER "libexec/perf-wasm/system-recorder"

/* It has a readout to write, no more; with a ring all its pieces anew. */
#define PATIENCE_NS      20000000000ULL
#define RING_PATIENCE_NS 600000000000ULL

/* --- what is recorded ------------------------------------------------------------- */

/* All that runs here is watched by the clock, seldom enough to be left on. */
#define WIDE_FREQ "99"

/* Samples that nobody asked for by name are left out where they can't be had. */
static void plan_samples(struct record *r, const char *perf)
{
	bool asked = r->events.n || r->freq || r->count || r->graph ||
		     r->call_graph || r->sched;
	int why = 0;

	/* what a ring keeps of a command are metrics, unless told otherwise */
	if (!r->all_cpus && !r->pid && (r->ring_ns || !r->command))
		r->no_samples = true;
	if (r->no_samples || asked)
		return;
	if (r->all_cpus && perf)
		why = try_all_programs();
	if (!perf)
		record_note(
			r,
			"perf is not on PATH (apt-get install linux-perf): no samples are taken");
	else if (why)
		record_note(
			r,
			"samples of all programs are not yours to take (%s): none are; as root, sysctl kernel.perf_event_paranoid=0",
			strerror(why));
	r->no_samples = !perf || why;
}

void record_plan_system(struct record *r, const char *perf)
{
	if (!r->system)
		return;
	plan_samples(r, perf);
	if (r->all_cpus && !r->no_sched && !r->sched)
		r->bpf_wanted = true;
	if (r->all_cpus && !r->no_samples && !r->events.n && !r->count)
		r->freq = r->freq ?: WIDE_FREQ;
}

bool record_is_system_alone(const struct record *r)
{
	return r->system && r->no_samples && !r->bpf && !r->spec;
}

int record_system_facts(struct record *r, struct pw_err *err)
{
	char *program = pw_own_path(RECORDER);

	if (!program)
		return pw_err_set(
			err, ENOENT,
			"%s is missing from this installation: make install puts it there",
			RECORDER);
	free(program);
	record_fact(r, "series", CAPTURE_SYSTEM);
	record_fact(r, "series", CAPTURE_MACHINE);
	return 0;
}

/* --- its command line ---------------------------------------------------------------- */

struct line {
	struct cmd_words argv;
	struct cmd_words owned;
};

static void add_text(struct line *l, const char *option, const char *value)
{
	char *word;

	if (!value)
		return;
	word = pw_asprintf("--%s=%s", option, value);
	cmd_words_add(&l->argv, word);
	cmd_words_add(&l->owned, word);
}

static void add_time(struct line *l, const char *option, uint64_t ns)
{
	char number[24];

	snprintf(number, sizeof(number), "%llu", (unsigned long long)ns);
	add_text(l, option, ns ? number : NULL);
}

static void add_words(struct line *l, const char *option,
		      const struct cmd_words *words)
{
	for (size_t i = 0; i < words->n; i++)
		add_text(l, option, words->v[i]);
}

static struct line line_of(const struct record *r, const char *program)
{
	struct line l = { 0 };

	cmd_words_add(&l.argv, program);
	add_text(&l, "dir", r->abs_dir);
	add_text(&l, "name", r->dir);
	add_time(&l, "interval", r->interval_ns);
	add_words(&l, "sources", &r->sources);
	add_words(&l, "skip-sources", &r->skip_sources);
	add_words(&l, "task", &r->tasks);
	add_text(&l, "pmu-config", r->pmu_config);
	add_time(&l, "ring", r->ring_ns);
	add_words(&l, "trigger", &r->triggers);
	add_time(&l, "trigger-for", r->trigger_for_ns);
	if (r->common.quiet)
		cmd_words_add(&l.argv, "--quiet");
	return l;
}

static void line_release(struct line *l)
{
	for (size_t i = 0; i < l->owned.n; i++)
		free((char *)l->owned.v[i]);
	free(l->owned.v);
	free(l->argv.v);
}

int record_become_recorder(struct record *r, struct pw_err *err)
{
	char *program = pw_own_path(RECORDER);
	struct line l = line_of(r, program);

	add_time(&l, "period", r->period_ns);
	add_text(&l, "pid", r->pid);
	cmd_words_add(&l.argv, "--");
	for (char **a = r->command; a && *a; a++)
		cmd_words_add(&l.argv, *a);
	fflush(NULL);
	execv(program, (char **)l.argv.v);
	pw_err_set(err, errno, "cannot start %s: %s", program, strerror(errno));
	line_release(&l);
	free(program);
	return -err->code;
}

/* --- its life beside us ----------------------------------------------------------------- */

/* It says a line when all is open and read once, nothing when it fails. */
static int wait_until_ready(struct record *r, struct pw_err *err)
{
	char c;
	ssize_t n;

	do
		n = read(r->recorder.out, &c, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1)
		return 0;
	pw_child_wait(&r->recorder, PATIENCE_NS, NULL);
	pw_child_kill(&r->recorder);
	return pw_err_set(err, EIO, "the system's metrics are not recorded");
}

int record_system_start(struct record *r, struct pw_err *err)
{
	struct pw_child_opts opts = { .in = -1,
				      .out = PW_CHILD_PIPE,
				      .err_fd = -1 };
	char *program;
	struct line l;
	int ret;

	if (!r->system)
		return 0;
	program = pw_own_path(RECORDER);
	l = line_of(r, program);
	cmd_words_add(&l.argv, "--beside");
	opts.argv = l.argv.v;
	ret = pw_child_start(&r->recorder, &opts, err);
	if (!ret)
		ret = wait_until_ready(r, err);
	r->has_recorder = !ret;
	if (!ret)
		fcntl(r->recorder.out, F_SETFL, O_NONBLOCK);
	line_release(&l);
	free(program);
	return ret;
}

/* What it had to say, it said itself; a signal leaves no time for that. */
static void tell_end(struct record *r, int status)
{
	if (r->ring)
		record_ring_hear(r); /* its last words */
	r->has_recorder = false;
	pw_child_kill(&r->recorder);
	if (WIFSIGNALED(status))
		record_note(
			r,
			"the recorder of the system's metrics was ended by signal %d (%s): they end there",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (status)
		r->has_failed = true;
}

void record_system_watch(struct record *r)
{
	int status;

	if (r->has_recorder && r->ring)
		record_ring_hear(r);
	if (r->has_recorder && !pw_child_wait(&r->recorder, 0, &status))
		tell_end(r, status);
}

void record_system_signal(const struct record *r, int signo)
{
	if (r->has_recorder)
		kill(r->recorder.pid, signo);
	else if (r->ring && signo == SIGUSR2)
		cmd_error(
			"the recorder of the system's metrics has ended, and with it what writes captures of the ring: kill -INT %d ends this, and %s is one then",
			(int)getpid(), r->dir);
}

void record_system_stop(struct record *r)
{
	int status = 0;

	record_system_watch(r);
	if (!r->has_recorder)
		return;
	kill(r->recorder.pid, SIGTERM);
	if (pw_child_wait(&r->recorder,
			  r->ring ? RING_PATIENCE_NS : PATIENCE_NS, &status))
		status = SIGKILL;
	tell_end(r, status);
}
