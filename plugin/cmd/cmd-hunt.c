// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf wasm hunt: its options and its progress line. The hunt itself is in
 * plugin/hunt.
 */
#include "bundles.h"
#include "guest-options.h"

#include <perfwasm/hunt.h>
#include <perfwasm/measure.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
	KEY_SUSPECT = 0x100,
	KEY_ORACLE,
	KEY_SUSPECT_CMD,
	KEY_ORACLE_CMD,
	KEY_DIR,
	KEY_MIN_GAP,
	KEY_BUDGET,
	KEY_RUN_MS,
	KEY_WEIGHTS,
	KEY_FINDINGS,
	KEY_SEED,
	KEY_BUNDLE,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Runtimes:", 0 },
	{ "suspect", KEY_SUSPECT, "RUNTIME", 0,
	  "The runtime that is slow, e.g. wasmtime@13.0.0 or wasmtime@13.0.0?opt=none",
	  0 },
	{ "oracle", KEY_ORACLE, "RUNTIME", 0,
	  "A runtime that is not (wasmtime@newest by default); may be repeated",
	  0 },
	{ "suspect-cmd", KEY_SUSPECT_CMD, "LINE", 0,
	  "Or the command line that runs {wasm} on it, timed from outside with its start-up taken off; it shows no machine code",
	  0 },
	{ "oracle-cmd", KEY_ORACLE_CMD, "LINE", 0,
	  "The same for an oracle; may be repeated", 0 },
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
	{ "bundle", KEY_BUNDLE, "FILE", OPTION_ARG_OPTIONAL,
	  "Pack the module, the mutants, their machine codes and the journal into FILE (DIR.tar.zst), for perf wasm replay, and write an issue text beside it",
	  0 },
	{ 0 }
};

struct hunt_cmd {
	struct cmd_opts common;
	struct pw_hunt_opts hunt;
	struct guest_opts guest;
	struct cmd_words oracles;
	struct cmd_words owned; /* specs made of command lines */
	bool bundled;
	const char *bundle_path; /* NULL: after the directory */
};

/* A command line as a spec. */
static const char *own_spec(struct hunt_cmd *c, const char *line)
{
	char *spec = pw_asprintf("command:%s", line);

	cmd_words_add(&c->owned, spec);
	return spec;
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
		cmd_words_add(&c->guest.argv, arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct hunt_cmd *c = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->guest;
		return 0;
	case KEY_SUSPECT:
		c->hunt.suspect = arg;
		return 0;
	case KEY_SUSPECT_CMD:
		c->hunt.suspect = own_spec(c, arg);
		return 0;
	case KEY_ORACLE:
		cmd_words_add(&c->oracles, arg);
		return 0;
	case KEY_ORACLE_CMD:
		cmd_words_add(&c->oracles, own_spec(c, arg));
		return 0;
	case KEY_DIR:
		c->hunt.dir = arg;
		return 0;
	case KEY_BUNDLE:
		c->bundled = true;
		c->bundle_path = arg;
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

static const struct argp_child children[] = {
	{ &guest_argp, 0, "The guest, and so every mutant of it:", 0 }, { 0 }
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
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

static uint64_t hash_list(const struct cmd_words *l, uint64_t h)
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
	h = hash_list(&c->guest.env, h);
	h = hash_list(&c->guest.mounts, h);
	h = hash_list(&c->guest.argv, h);
	return pw_asprintf("hunt-%.*s-%08x", (int)(len ? len : 1), base,
			   (unsigned)h);
}

/* The report, and the bundle when one is asked for. */
static int tell(const struct hunt_cmd *c, const struct pw_report *r)
{
	int ret = cmd_report(r, &c->common);
	char *path;

	if (ret || !c->bundled)
		return ret;
	path = c->bundle_path ? pw_strdup(c->bundle_path)
			      : pw_asprintf("%s.tar.zst", c->hunt.dir);
	ret = bundle_write(c->hunt.bundle, r, path, c->common.quiet);
	free(path);
	return ret;
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
	guest_begin(&c->common);
	ret = pw_hunt_run(&c->hunt, r, &verdict, &err);
	end_progress(&line);
	if (ret == -EINTR) {
		cmd_error(
			"ended; the same command goes on with it (journal: %s/journal)",
			c->hunt.dir);
		ret = CMD_FAILED;
	} else {
		ret = ret ? cmd_fail(&err) : tell(c, r);
	}
	pw_report_free(r);
	return ret;
}

static void take_guest(struct pw_hunt_opts *o, const struct guest_opts *g)
{
	o->invoke = g->guest.invoke;
	o->env = g->guest.env;
	o->dirs = g->guest.dirs;
	o->dirs_writable = g->guest.dirs_writable;
	o->stdin_path = g->guest.stdin_path;
	o->wall_limit_ns = g->guest.wall_limit_ns;
	o->memory_limit_bytes = g->guest.memory_limit_bytes;
	o->argv = g->argv.v;
}

static void release(struct hunt_cmd *c)
{
	for (size_t i = 0; i < c->owned.n; i++)
		free((char *)c->owned.v[i]);
	free(c->owned.v);
	free(c->oracles.v);
	guest_release(&c->guest);
}

int cmd_hunt(int argc, char **argv)
{
	struct hunt_cmd c = { 0 };
	char *dir = NULL;
	int ret;

	pw_hunt_opts_init(&c.hunt);
	c.guest.guest.wall_limit_ns = c.hunt.wall_limit_ns;
	c.guest.guest.memory_limit_bytes = c.hunt.memory_limit_bytes;
	cmd_parse(&argp, &c, &c.common, argc, argv);
	take_guest(&c.hunt, &c.guest);
	if (!c.oracles.n)
		cmd_words_add(&c.oracles, "wasmtime@newest");
	c.hunt.oracles = c.oracles.v;
	if (!c.hunt.dir)
		c.hunt.dir = dir = default_dir(&c);
	if (c.bundled) {
		c.hunt.bundle = pw_bundle_new();
		bundle_command(c.hunt.bundle, argc, argv);
	}
	ret = run(&c);
	pw_bundle_free(c.hunt.bundle);
	free(dir);
	release(&c);
	return ret;
}
