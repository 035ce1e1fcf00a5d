// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf wasm hunt: its options, its progress line, and what Ctrl-C does. The
 * hunt itself is in plugin/hunt.
 */
#include "cmd.h"

#include <perfwasm/hunt.h>
#include <perfwasm/measure.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
	KEY_SUSPECT = 0x100,
	KEY_ORACLE,
	KEY_DIR,
	KEY_INVOKE,
	KEY_ENV,
	KEY_MOUNT,
	KEY_WRITABLE,
	KEY_STDIN,
	KEY_MIN_GAP,
	KEY_BUDGET,
	KEY_RUN_MS,
	KEY_WEIGHTS,
	KEY_FINDINGS,
	KEY_WALL,
	KEY_MEMORY,
	KEY_SEED,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Runtimes:", 0 },
	{ "suspect", KEY_SUSPECT, "RUNTIME", 0,
	  "The runtime that is slow, e.g. wasmtime@13.0.0 or wasmtime@13.0.0?opt=none",
	  0 },
	{ "oracle", KEY_ORACLE, "RUNTIME", 0,
	  "A runtime that is not (wasmtime@newest by default); may be repeated",
	  0 },
	{ NULL, 0, NULL, 0, "The guest:", 0 },
	{ "invoke", KEY_INVOKE, "EXPORT", 0,
	  "Call this function, not _start; it takes no arguments", 0 },
	{ "env", KEY_ENV, "NAME=VALUE", 0,
	  "Set a variable for the guest; may be repeated", 0 },
	{ "mount", KEY_MOUNT, "DIR[::GUEST]", 0,
	  "Let the guest see this directory, read-only; may be repeated", 0 },
	{ "writable", KEY_WRITABLE, NULL, 0,
	  "Let the guest, and so every mutant of it, write to what is mounted",
	  0 },
	{ "stdin", KEY_STDIN, "FILE", 0, "What the guest reads (nothing)", 0 },
	{ "wall-limit", KEY_WALL, "SECONDS", 0,
	  "End a run that takes longer (120)", 0 },
	{ "memory-limit", KEY_MEMORY, "MIB", 0,
	  "End a run that wants more memory (4096)", 0 },
	{ NULL, 0, NULL, 0, "The hunt:", 0 },
	{ "dir", KEY_DIR, "DIR", 0,
	  "Keep the journal there (hunt-MODULE-HASH); the same command goes on with a hunt that was ended",
	  0 },
	{ "min-gap", KEY_MIN_GAP, "RATIO", 0,
	  "No hunt unless the suspect is this much slower (1.25)", 0 },
	{ "budget", KEY_BUDGET, "N", 0,
	  "Run at most N groups of mutants with equal machine code (800)", 0 },
	{ "run-ms", KEY_RUN_MS, "MS", 0,
	  "Shorten longer runs to about this by a smaller loop bound where one is found (25); 0 never",
	  0 },
	{ "weights", KEY_WEIGHTS, "PERF:SAME", 0,
	  "Weights of closing the gap and of doing the same work in a mutant's score (0.5:0.5)",
	  0 },
	{ "findings", KEY_FINDINGS, "N", 0, "Tell at most N findings (3)", 0 },
	{ "seed", KEY_SEED, "S", 0, "Seed of all that is drawn (1)", 0 },
	{ 0 }
};

struct list { /* NULL-ended */
	const char **v;
	size_t n;
};

struct hunt_cmd {
	struct cmd_opts common;
	struct pw_hunt_opts hunt;
	struct list oracles, env, mounts, argv;
};

static void list_add(struct list *l, const char *s)
{
	l->v = pw_realloc(l->v, (l->n + 2) * sizeof(*l->v));
	l->v[l->n++] = s;
	l->v[l->n] = NULL;
}

static double positive(const struct argp_state *state, const char *what,
		       const char *value, char until)
{
	char *end;
	double x = strtod(value, &end);

	if (end == value || *end != until || !(x >= 0) || x > 1e9)
		argp_error(state, "%s: expected a number, found '%s'", what,
			   value);
	return x;
}

static void parse_weights(struct hunt_cmd *c, const char *arg,
			  const struct argp_state *state)
{
	const char *colon = strchr(arg, ':');

	if (!colon) {
		argp_error(state, "--weights: expected PERF:SAME, found '%s'",
			   arg);
		return;
	}
	c->hunt.weight_perf = positive(state, "--weights", arg, ':');
	c->hunt.weight_same = positive(state, "--weights", colon + 1, 0);
}

/* The options that say how to hunt, not what. */
static error_t parse_tuning(int key, char *arg, struct argp_state *state)
{
	struct hunt_cmd *c = state->input;
	struct pw_hunt_opts *h = &c->hunt;

	switch (key) {
	case KEY_MIN_GAP:
		h->min_gap = positive(state, "--min-gap", arg, 0);
		return 0;
	case KEY_BUDGET:
		h->budget =
			(uint32_t)cmd_number(state, "--budget", arg, 1000000);
		return 0;
	case KEY_RUN_MS:
		h->run_ms =
			(uint32_t)cmd_number(state, "--run-ms", arg, 1000000);
		return 0;
	case KEY_WEIGHTS:
		parse_weights(c, arg, state);
		return 0;
	case KEY_FINDINGS:
		h->max_findings =
			(uint32_t)cmd_number(state, "--findings", arg, 1000);
		return 0;
	case KEY_WALL:
		h->wall_limit_ns =
			cmd_number(state, "--wall-limit", arg, 1000000) *
			UINT64_C(1000000000);
		return 0;
	case KEY_MEMORY:
		h->memory_limit_bytes =
			cmd_number(state, "--memory-limit", arg, 1 << 24) << 20;
		return 0;
	case KEY_SEED:
		h->seed = cmd_number(state, "--seed", arg, UINT64_MAX);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void check(const struct hunt_cmd *c, const struct argp_state *state)
{
	if (!c->hunt.module_path)
		argp_error(
			state,
			"expected a module: perf wasm hunt --suspect RUNTIME FILE");
	else if (!c->hunt.suspect)
		argp_error(
			state,
			"say which runtime is slow with --suspect; 'perf wasm runtimes' lists those at hand");
}

static void take_arg(struct hunt_cmd *c, const char *arg)
{
	if (!c->hunt.module_path)
		c->hunt.module_path = arg;
	else
		list_add(&c->argv, arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct hunt_cmd *c = state->input;

	switch (key) {
	case KEY_SUSPECT:
		c->hunt.suspect = arg;
		return 0;
	case KEY_ORACLE:
		list_add(&c->oracles, arg);
		return 0;
	case KEY_DIR:
		c->hunt.dir = arg;
		return 0;
	case KEY_INVOKE:
		c->hunt.invoke = arg;
		return 0;
	case KEY_ENV:
		if (!strchr(arg, '='))
			argp_error(state,
				   "--env: expected NAME=VALUE, found '%s'",
				   arg);
		list_add(&c->env, arg);
		return 0;
	case KEY_MOUNT:
		list_add(&c->mounts, arg);
		return 0;
	case KEY_WRITABLE:
		c->hunt.dirs_writable = true;
		return 0;
	case KEY_STDIN:
		c->hunt.stdin_path = arg;
		return 0;
	case ARGP_KEY_ARG:
		take_arg(c, arg);
		return 0;
	case ARGP_KEY_END:
		check(c, state);
		return 0;
	default:
		return parse_tuning(key, arg, state);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE [-- ARG...]",
	.doc = "Hunts the machine instructions that make the WebAssembly module FILE slow on one runtime: changes one wasm instruction at a time, finds the changes that cure the slowness and keep the work, and compares the machine codes. The guest gets the arguments ARG.",
};

/* --- the progress line ------------------------------------------------------------ */

struct progress_line {
	uint64_t last_ns;
	const char *step;
	bool shown;
};

static unsigned stderr_width(void)
{
	struct winsize size;

	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col > 20)
		return size.ws_col;
	return 80;
}

static void show_progress(void *ctx, const struct pw_hunt_progress *p)
{
	struct progress_line *line = ctx;
	struct pw_buf b = { 0 };
	uint64_t now = pw_now_ns();
	bool new_step = !line->step || strcmp(line->step, p->step);
	char *safe;

	if (!new_step && now - line->last_ns < 100000000)
		return;
	line->last_ns = now;
	line->step = p->step;
	line->shown = true;
	pw_buf_printf(&b, "%s", p->step);
	if (p->total)
		pw_buf_printf(&b, " %u/%u", p->done, p->total);
	if (p->left_ns)
		pw_buf_printf(&b, ", %.0f s left", (double)p->left_ns / 1e9);
	if (p->best)
		pw_buf_printf(&b, ", best %.0f %%: %s", 100 * p->best_closed,
			      p->best);
	safe = pw_visible(pw_buf_str(&b));
	fprintf(stderr, "\r\033[K%.*s", (int)stderr_width() - 1, safe);
	fflush(stderr);
	free(safe);
	pw_buf_release(&b);
}

static void end_progress(const struct progress_line *line)
{
	if (line->shown)
		fputs("\r\033[K", stderr);
}

/* --- the run ------------------------------------------------------------------------- */

static void on_signal(int sig)
{
	(void)sig;
	pw_measure_interrupt();
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
}

static uint64_t hash_list(const struct list *l, uint64_t h)
{
	for (size_t i = 0; i < l->n; i++)
		h = pw_hash(l->v[i], strlen(l->v[i]) + 1, h);
	return pw_hash("", 1, h);
}

/* "hunt-NAME-HASH": one directory for each command line that differs in what
 * is hunted. */
static char *default_dir(const struct hunt_cmd *c)
{
	const struct pw_hunt_opts *o = &c->hunt;
	const char *base = strrchr(o->module_path, '/');
	double numbers[] = { o->min_gap, o->weight_perf, o->weight_same,
			     o->budget,  o->run_ms,      (double)o->seed };
	uint64_t h = pw_hash(numbers, sizeof(numbers), 0);
	size_t len;

	base = base ? base + 1 : o->module_path;
	len = strcspn(base, ".");
	h = pw_hash(o->module_path, strlen(o->module_path), h);
	h = pw_hash(o->suspect, strlen(o->suspect), h);
	h = hash_list(&c->oracles, h);
	h = hash_list(&c->env, h);
	h = hash_list(&c->mounts, h);
	h = hash_list(&c->argv, h);
	return pw_asprintf("hunt-%.*s-%08x", (int)(len ? len : 1), base,
			   (unsigned)h);
}

static int run(struct hunt_cmd *c)
{
	struct pw_report *r = pw_report_new("hunt", NULL);
	struct progress_line line = { 0 };
	struct pw_err err = { .off = PW_NO_OFF };
	enum pw_hunt_verdict verdict;
	int ret;

	if (!c->common.quiet && isatty(STDERR_FILENO)) {
		c->hunt.progress = show_progress;
		c->hunt.progress_ctx = &line;
	}
	catch_signals();
	if (!c->common.quiet && pw_sandbox_probe(&err))
		cmd_error("guests run without the whole sandbox: %s", err.msg);
	ret = pw_hunt_run(&c->hunt, r, &verdict, &err);
	end_progress(&line);
	if (ret == -EINTR) {
		cmd_error(
			"ended; the same command goes on with it (journal: %s/journal)",
			c->hunt.dir);
		ret = CMD_FAILED;
	} else {
		ret = ret ? cmd_fail(&err) : cmd_report(r, &c->common);
	}
	pw_report_free(r);
	return ret;
}

int cmd_hunt(int argc, char **argv)
{
	struct hunt_cmd c = { 0 };
	char *dir = NULL;
	int ret;

	pw_hunt_opts_init(&c.hunt);
	cmd_parse(&argp, &c, &c.common, argc, argv);
	if (!c.oracles.n)
		list_add(&c.oracles, "wasmtime@newest");
	c.hunt.oracles = c.oracles.v;
	c.hunt.env = c.env.v;
	c.hunt.dirs = c.mounts.v;
	c.hunt.argv = c.argv.v;
	if (!c.hunt.dir)
		c.hunt.dir = dir = default_dir(&c);
	ret = run(&c);
	free(dir);
	free(c.oracles.v);
	free(c.env.v);
	free(c.mounts.v);
	free(c.argv.v);
	return ret;
}
