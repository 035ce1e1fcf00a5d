// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf wasm hunt: its options and its progress line. The hunt itself is in
 * plugin/hunt.
 */
#include "guest/bundles.h"
#include "guest/guest-options.h"

#include <perfwasm/hunt.h>

#include <stdlib.h>
#include <string.h>

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
	KEY_SHARD,
	KEY_MERGE,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Runtimes:", 0 },
	{ "suspect", KEY_SUSPECT, "RUNTIME", 0,
	  "The runtime that is slow, e.g. wasmtime@13.0.0 or wasmtime@13.0.0?opt=none",
	  0 },
	{ "oracle", KEY_ORACLE, "RUNTIME", 0,
	  "A runtime on which the module is fast (wasmtime@newest by default); may be repeated",
	  0 },
	{ "suspect-cmd", KEY_SUSPECT_CMD, "LINE", 0,
	  "In place of --suspect: the command line that runs {wasm}, timed from outside with its start-up taken off; it shows no machine code",
	  0 },
	{ "oracle-cmd", KEY_ORACLE_CMD, "LINE", 0,
	  "As --suspect-cmd, of an oracle; may be repeated", 0 },
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
	{ "shard", KEY_SHARD, "K/N", 0,
	  "Hunt only the K-th of N shares of the mutants, on this or another machine, for --merge",
	  0 },
	{ "merge", KEY_MERGE, "DIR", 0,
	  "Take over what a shard found that kept its journal there, and do the rest; may be repeated",
	  0 },
	{ 0 }
};

struct hunt_cmd {
	struct cmd_opts common;
	struct pw_hunt_opts hunt;
	struct guest_opts guest;
	struct cmd_words oracles, merge;
	struct cmd_words owned; /* specs made of command lines */
	bool bundled;
	const char *bundle_path; /* NULL: after the directory */
	uint64_t shown_ns;       /* when the progress line was last new */
	const char *step;        /* its step then */
};

/* A command line as a spec. */
static const char *own_spec(struct hunt_cmd *c, const char *line)
{
	char *spec = pw_asprintf("command:%s", line);

	cmd_words_add(&c->owned, spec);
	return spec;
}

static void parse_weights(struct hunt_cmd *c, const char *arg,
			  const struct argp_state *state)
{
	const char *colon = strchr(arg, ':');
	char *first;

	if (!colon) {
		argp_error(state, "--weights: expected PERF:SAME, found '%s'",
			   arg);
		return;
	}
	first = pw_strndup(arg, (size_t)(colon - arg));
	c->hunt.weight_perf = cmd_real(state, "--weights", first, 1e9);
	c->hunt.weight_same = cmd_real(state, "--weights", colon + 1, 1e9);
	free(first);
}

static void parse_shard(struct hunt_cmd *c, const char *arg,
			const struct argp_state *state)
{
	int used = 0;

	if (sscanf(arg, "%u/%u%n", &c->hunt.shard, &c->hunt.n_shards, &used) !=
		    2 ||
	    arg[used] || !c->hunt.shard || c->hunt.shard > c->hunt.n_shards)
		argp_error(
			state,
			"--shard: expected K/N with K from 1 to N, found '%s'",
			arg);
}

/* The options that say how to hunt, not what. */
static error_t parse_tuning(int key, char *arg, struct argp_state *state)
{
	struct hunt_cmd *c = state->input;
	struct pw_hunt_opts *h = &c->hunt;

	switch (key) {
	case KEY_MIN_GAP:
		h->min_gap = cmd_real(state, "--min-gap", arg, 1e6);
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
	case KEY_SHARD:
		parse_shard(c, arg, state);
		return 0;
	case KEY_MERGE:
		cmd_words_add(&c->merge, arg);
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
	else if (c->hunt.n_shards && (c->bundled || c->merge.n))
		argp_error(
			state,
			"a shard has no findings to %s: do that without --shard",
			c->bundled ? "pack with --bundle" : "--merge");
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
		state->child_inputs[0] = &c->common;
		state->child_inputs[1] = &c->guest;
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
	{ &cmd_page_argp, 0, NULL, 0 },
	{ &guest_argp, 0, "The guest, and so every mutant of it:", 0 },
	{ 0 }
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "FILE [-- ARG...]",
	.doc = "Hunts the machine instructions that make the WebAssembly module FILE slow on one runtime: changes one wasm instruction at a time, finds the changes that cure the slowness and keep the work, and compares the machine codes. The guest gets the arguments ARG.",
};

/* --- the progress line ------------------------------------------------------------ */

static void show_progress(void *ctx, const struct pw_hunt_progress *p)
{
	struct hunt_cmd *c = ctx;
	uint64_t now_ns = pw_now_ns();
	bool is_new = !c->step || strcmp(c->step, p->step);
	struct pw_buf b = { 0 };

	if (!is_new && now_ns - c->shown_ns < 100000000)
		return;
	c->shown_ns = now_ns;
	c->step = p->step;
	pw_buf_printf(&b, "%s", p->step);
	if (p->total)
		pw_buf_printf(&b, " %u/%u", p->done, p->total);
	if (p->left_ns)
		pw_buf_printf(&b, ", %.0f s left", (double)p->left_ns / 1e9);
	if (p->best)
		pw_buf_printf(&b, ", best %.0f %%: %s", 100 * p->best_closed,
			      p->best);
	guest_progress("%s", pw_buf_str(&b));
	pw_buf_release(&b);
}

/* --- the run ------------------------------------------------------------------------- */

/* Of what differs in what is hunted, but for the module. */
static uint64_t hash_command(const struct hunt_cmd *c)
{
	const struct pw_hunt_opts *o = &c->hunt;
	double numbers[] = { o->min_gap, o->weight_perf, o->weight_same,
			     o->budget,  o->run_ms,      (double)o->seed };
	uint64_t h = pw_hash(numbers, sizeof(numbers), 0);

	h = pw_hash(o->suspect, strlen(o->suspect), h);
	h = cmd_words_hash(&c->oracles, h);
	return pw_guest_hash(&o->guest, h);
}

/* Shards of one hunt lie side by side. */
static char *default_dir(const struct hunt_cmd *c)
{
	char *dir =
		guest_default_dir("hunt", c->hunt.module_path, hash_command(c));
	char *own;

	if (!c->hunt.n_shards)
		return dir;
	own = pw_asprintf("%s-%uof%u", dir, c->hunt.shard, c->hunt.n_shards);
	free(dir);
	return own;
}

static int write_bundle(const struct hunt_cmd *c, const struct pw_report *r)
{
	char *path = c->bundle_path ? pw_strdup(c->bundle_path)
				    : pw_asprintf("%s.tar.zst", c->hunt.dir);
	int ret = bundle_write(c->hunt.bundle, r, path, c->common.quiet);

	free(path);
	return ret;
}

static int run(struct hunt_cmd *c)
{
	struct pw_report *r = pw_report_new("hunt", NULL);
	struct pw_err err = { .off = PW_NO_OFF };
	enum pw_hunt_verdict verdict;
	int ret;

	if (!c->common.quiet) {
		c->hunt.progress = show_progress;
		c->hunt.progress_ctx = c;
	}
	guest_begin(&c->common);
	ret = pw_hunt_run(&c->hunt, r, &verdict, &err);
	ret = guest_end(ret, r, c->hunt.dir, &c->common, &err);
	if (!ret && c->bundled)
		ret = write_bundle(c, r);
	pw_report_free(r);
	return ret;
}

static void release(struct hunt_cmd *c)
{
	for (size_t i = 0; i < c->owned.n; i++)
		free((char *)c->owned.v[i]);
	free(c->owned.v);
	free(c->oracles.v);
	free(c->merge.v);
	guest_release(&c->guest);
}

int cmd_hunt(int argc, char **argv)
{
	struct hunt_cmd c = { 0 };
	char *dir = NULL;
	int ret;

	pw_hunt_opts_init(&c.hunt);
	c.guest.guest = c.hunt.guest;
	cmd_parse(&argp, &c, &c.common, argc, argv);
	c.guest.guest.argv = c.guest.argv.v;
	c.hunt.guest = c.guest.guest;
	if (!c.oracles.n)
		cmd_words_add(&c.oracles, "wasmtime@newest");
	c.hunt.oracles = c.oracles.v;
	c.hunt.merge = c.merge.v;
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
