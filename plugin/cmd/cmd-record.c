// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf wasm record: its options and the order of its steps. What can be
 * recorded, how perf is driven and what is kept is in record-*.c.
 */
#include "record.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	KEY_DIR = 0x100,
	KEY_CALL_GRAPH,
	KEY_SCHED,
	KEY_BPF,
	KEY_INTERVAL,
	KEY_NO_SAMPLES,
	KEY_NO_JIT_FLAG,
	KEY_MODULE,
	KEY_PERF_OPTION,
	KEY_RUNTIME,
	KEY_INVOKE,
	KEY_ENV,
	KEY_MOUNT,
	KEY_STDIN,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "What is recorded:", 0 },
	{ "event", 'e', "EVENT", 0,
	  "Record this, as perf record does; may be repeated (cycles, or the CPU clock where there are none)",
	  0 },
	{ "freq", 'F', "HZ", 0, "Take so many samples a second", 0 },
	{ "count", 'c', "N", 0, "Take a sample every N events", 0 },
	{ NULL, 'g', NULL, 0, "Record call chains by frame pointers", 0 },
	{ "call-graph", KEY_CALL_GRAPH, "MODE", 0,
	  "Record call chains: fp, dwarf or lbr", 0 },
	{ "sched", KEY_SCHED, NULL, 0,
	  "Record when tasks are switched and, with tracefs, why and who wakes them; with call chains",
	  0 },
	{ "bpf", KEY_BPF, NULL, 0,
	  "Let the kernel keep the scheduler's figures of each task, instead of recording every switch: for hours and busy hosts; with -g also where in its code a task waited",
	  0 },
	{ "interval", KEY_INTERVAL, "SECONDS", 0,
	  "With --bpf: read them out so often (1)", 0 },
	{ "no-samples", KEY_NO_SAMPLES, NULL, 0,
	  "With --bpf: do without perf record", 0 },
	{ "all-cpus", 'a', NULL, 0, "Record all programs, not COMMAND only",
	  0 },
	{ "pid", 'p', "PID", 0, "Record this running process", 0 },
	{ "perf-option", KEY_PERF_OPTION, "OPTION", 0,
	  "Give this option to perf record; may be repeated", 0 },
	{ NULL, 0, NULL, 0, "What is kept:", 0 },
	{ "dir", KEY_DIR, "DIR", 0,
	  "Keep the capture there (perf-wasm.data), as -o does; one that is there becomes DIR.old",
	  0 },
	{ "module", KEY_MODULE, "FILE", 0,
	  "Keep a copy of this .wasm too; those that COMMAND names are kept anyway; may be repeated",
	  0 },
	{ "no-jit-flag", KEY_NO_JIT_FLAG, NULL, 0,
	  "Run COMMAND as it is, without the flag that makes its runtime show its code",
	  0 },
	{ NULL, 0, NULL, 0, "With a runtime of 'perf wasm runtimes':", 0 },
	{ "runtime", KEY_RUNTIME, "RUNTIME", 0,
	  "Run MODULE on this runtime, not COMMAND", 0 },
	{ "invoke", KEY_INVOKE, "EXPORT", 0,
	  "Call this function, not _start; it takes no arguments", 0 },
	{ "env", KEY_ENV, "NAME=VALUE", 0,
	  "Set a variable for the guest; may be repeated", 0 },
	{ "mount", KEY_MOUNT, "DIR[::GUEST]", 0,
	  "Let the guest see this directory; may be repeated", 0 },
	{ "stdin", KEY_STDIN, "FILE", 0, "What the guest reads (nothing)", 0 },
	{ 0 }
};

static error_t parse_guest(int key, char *arg, struct argp_state *state)
{
	struct record *r = state->input;

	switch (key) {
	case KEY_RUNTIME:
		r->spec = arg;
		return 0;
	case KEY_INVOKE:
		r->invoke = arg;
		return 0;
	case KEY_ENV:
		if (!strchr(arg, '='))
			argp_error(state,
				   "--env: expected NAME=VALUE, found '%s'",
				   arg);
		cmd_words_add(&r->env, arg);
		return 0;
	case KEY_MOUNT:
		cmd_words_add(&r->mounts, arg);
		return 0;
	case KEY_STDIN:
		r->stdin_path = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void check(const struct record *r, const struct argp_state *state)
{
	bool guest = r->invoke || r->env.n || r->mounts.n || r->stdin_path;

	if (!r->command && r->spec)
		argp_error(
			state,
			"expected a module: perf wasm record --runtime RUNTIME MODULE");
	else if (!r->command && !r->pid && !r->all_cpus)
		argp_error(
			state,
			"expected a command: perf wasm record [OPTION...] -- COMMAND");
	else if (guest && !r->spec)
		argp_error(
			state,
			"--invoke, --env, --mount and --stdin belong to --runtime");
	else if (r->bpf_wanted && r->sched)
		argp_error(state, "use one of --sched and --bpf");
	else if (!r->bpf_wanted && (r->no_samples || r->interval_ns))
		argp_error(state,
			   "--interval and --no-samples belong to --bpf");
	else if (r->pid && r->command)
		argp_error(state,
			   "use one of --pid and a command, found '%s' too",
			   r->command[0]);
}

/* What is kept, and where words begin that are not ours. */
static error_t parse_kept(int key, char *arg, struct argp_state *state)
{
	struct record *r = state->input;

	switch (key) {
	case KEY_DIR:
		r->dir = arg;
		return 0;
	case KEY_MODULE:
		cmd_words_add(&r->modules, arg);
		return 0;
	case KEY_NO_JIT_FLAG:
		r->no_jit_flag = true;
		return 0;
	case ARGP_KEY_ARG:
		r->command = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		check(r, state);
		return 0;
	default:
		return parse_guest(key, arg, state);
	}
}

static error_t parse_bpf(int key, char *arg, struct argp_state *state)
{
	struct record *r = state->input;
	double seconds;

	switch (key) {
	case KEY_BPF:
		r->bpf_wanted = true;
		return 0;
	case KEY_INTERVAL:
		seconds = cmd_real(state, "--interval", arg, 86400);
		if (seconds < 0.01)
			argp_error(state, "--interval: 0.01 is the least");
		r->interval_ns = (uint64_t)(seconds * 1e9);
		return 0;
	case KEY_NO_SAMPLES:
		r->no_samples = true;
		return 0;
	default:
		return parse_kept(key, arg, state);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record *r = state->input;

	switch (key) {
	case 'e':
		cmd_words_add(&r->events, arg);
		return 0;
	case 'F':
		r->freq = arg;
		return 0;
	case 'c':
		r->count = arg;
		return 0;
	case 'g':
		r->graph = true;
		return 0;
	case KEY_CALL_GRAPH:
		r->call_graph = arg;
		return 0;
	case KEY_SCHED:
		r->sched = true;
		return 0;
	case 'a':
		r->all_cpus = true;
		return 0;
	case 'p':
		r->pid = arg;
		return 0;
	case KEY_PERF_OPTION:
		cmd_words_add(&r->more, arg);
		return 0;
	default:
		return parse_bpf(key, arg, state);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "-- COMMAND [ARG...]\n--runtime RUNTIME MODULE [-- ARG...]",
	.doc = "Records what COMMAND does with perf record, and keeps in one directory what it takes to find its Wasm functions in it: samples on the clock of jitdumps, the jitdumps themselves, perf maps, modules, kernel symbols. Adds the flag with which a known runtime shows its machine code, and says so.",
};

/* --- notes and facts ---------------------------------------------------------------- */

void record_fact(struct record *r, const char *key, const char *value)
{
	pw_buf_printf(&r->facts, "%s\t", key);
	for (; *value; value++) {
		unsigned char c = (unsigned char)*value;

		if (c < 0x20 || c == 0x7f || c == '%')
			pw_buf_printf(&r->facts, "%%%02x", c);
		else
			pw_buf_add_u8(&r->facts, c);
	}
	pw_buf_add_u8(&r->facts, '\n');
}

void record_note(struct record *r, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (!text)
		return;
	record_fact(r, "note", text);
	if (!r->common.quiet)
		cmd_error("%s", text);
	free(text);
}

static void first_facts(struct record *r)
{
	struct tm tm;
	char when[32];

	r->from_s = time(NULL);
	gmtime_r(&r->from_s, &tm);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	record_fact(r, "perf-wasm", PW_VERSION);
	record_fact(r, "started", when);
	if (r->spec)
		record_fact(r, "runtime", r->rt.spec);
	for (char **a = r->command; a && *a; a++)
		record_fact(r, "word", *a);
}

/* --- the steps ------------------------------------------------------------------------- */

static int prepare(struct record *r, struct pw_err *err)
{
	int ret = 0;

	if (r->spec) {
		ret = pw_runtime_find(&r->rt, r->spec, err);
		r->has_rt = !ret;
		if (!ret && access(r->command[0], R_OK))
			ret = pw_err_set(err, errno, "%s: %s", r->command[0],
					 strerror(errno));
	}
	if (ret)
		return ret;
	first_facts(r);
	if (r->bpf_wanted)
		record_bpf_open(r);
	if (!r->bpf)
		r->no_samples = false; /* then perf does it all */
	if (!r->no_samples)
		ret = record_choose_events(r, err);
	if (!ret)
		ret = record_make_dir(r, err);
	if (!ret)
		ret = record_keep_modules(r, err);
	if (!ret && r->artifact)
		record_fact(r, "artifact", r->artifact);
	if (!ret && !r->has_rt && r->command)
		record_add_jit_flag(r);
	for (size_t i = 0; i < r->events.n; i++)
		record_fact(r, "event", r->events.v[i]);
	return ret;
}

/* perf's own exit status is that of its command. */
static int status_of(const struct record_end *end)
{
	const struct pw_host_reply *reply = &end->reply;

	if (WIFSIGNALED(end->status)) {
		fflush(NULL);
		signal(WTERMSIG(end->status), SIG_DFL);
		raise(WTERMSIG(end->status));
		return 128 + WTERMSIG(end->status);
	}
	if (!end->has_reply)
		return WEXITSTATUS(end->status);
	if (reply->outcome == PW_OUT_EXIT)
		return reply->exit_code;
	if (reply->outcome == PW_OUT_OK)
		return CMD_DONE;
	cmd_error("the module did not run to its end (%s)%s%s",
		  pw_outcome_name(reply->outcome),
		  reply->message[0] ? ": " : "", reply->message);
	return CMD_FAILED;
}

static int finish(struct record *r, const struct record_end *end,
		  struct pw_err *err)
{
	char number[16];
	int ret;

	if (!r->no_samples && access(r->data_path, F_OK)) {
		ret = status_of(end);
		cmd_error("perf record wrote nothing (exit status %d)", ret);
		return ret ? ret : CMD_FAILED;
	}
	if (r->has_rt && !end->has_reply && !WIFSIGNALED(end->status))
		record_note(r, "%s ended without an answer", r->rt.spec);
	snprintf(number, sizeof(number), "%d",
		 WIFSIGNALED(end->status) ? 128 + WTERMSIG(end->status)
					  : WEXITSTATUS(end->status));
	record_fact(r, "status", number);
	ret = record_gather(r, err);
	if (ret)
		return cmd_fail(err);
	if (!r->common.quiet)
		cmd_error("the capture is in %s; 'perf wasm %s %s' reads it",
			  r->dir, r->bpf_wanted ? "sched" : "report", r->dir);
	return status_of(end);
}

static int record(struct record *r)
{
	char *perf = pw_find_program("perf");
	struct pw_err err = { .off = PW_NO_OFF };
	struct record_end end = { 0 };
	int ret;

	if (!perf && !r->no_samples) {
		cmd_error(
			"perf is not on PATH, and it is what records: apt-get install linux-perf");
		return CMD_FAILED;
	}
	ret = prepare(r, &err);
	if (!ret)
		ret = record_run(r, perf, &end, &err);
	record_bpf_stop(r);
	ret = ret ? cmd_fail(&err) : finish(r, &end, &err);
	free(perf);
	return ret;
}

static void release(struct record *r)
{
	struct cmd_words *all[] = { &r->events, &r->modules, &r->more, &r->env,
				    &r->mounts, &r->argv,    NULL };

	for (size_t i = 0; all[i]; i++)
		free(all[i]->v);
	for (size_t i = 0; i < r->setenv.n; i++)
		free((char *)r->setenv.v[i]);
	for (size_t i = 0; i < r->owned.n; i++)
		free((char *)r->owned.v[i]);
	free(r->setenv.v);
	free(r->owned.v);
	if (r->has_rt)
		pw_runtime_release(&r->rt);
	free(r->abs_dir);
	free(r->data_path);
	free(r->artifact);
	pw_buf_release(&r->facts);
}

int cmd_record(int argc, char **argv)
{
	struct record r = { 0 };
	int ret;

	cmd_parse_command(&argp, &r, &r.common, argc, argv);
	if (!r.interval_ns)
		r.interval_ns = 1000000000;
	if (!r.dir)
		r.dir = r.common.out_path ?: "perf-wasm.data";
	if (r.common.json) {
		cmd_error(
			"record prints nothing of its own: --format=json belongs to 'perf wasm report'");
		return CMD_USAGE;
	}
	if (!strcmp(r.dir, "-")) {
		cmd_error(
			"a capture is a directory; for a pipe: perf record -k mono -o - COMMAND | perf wasm report -i -");
		return CMD_USAGE;
	}
	ret = record(&r);
	release(&r);
	return ret;
}
