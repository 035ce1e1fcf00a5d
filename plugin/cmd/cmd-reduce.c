// SPDX-License-Identifier: GPL-2.0-only
/* perf wasm reduce: its options and its progress line. The reduction itself
 * is in plugin/reduce. */
#include "guest/guest-options.h"

#include <perfwasm/reduce.h>

#include <stdlib.h>
#include <string.h>

enum {
	KEY_SUSPECT = 0x100,
	KEY_ORACLE,
	KEY_DIR,
	KEY_MIN_GAP,
	KEY_KEEP,
	KEY_BUDGET,
	KEY_RUN_MS,
	KEY_SEED,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Runtimes:", 0 },
	{ "suspect", KEY_SUSPECT, "RUNTIME", 0,
	  "The runtime that is slow, e.g. wasmtime@13.0.0", 0 },
	{ "oracle", KEY_ORACLE, "RUNTIME", 0,
	  "A runtime on which it is fast (wasmtime@newest)", 0 },
	{ NULL, 0, NULL, 0, "The reduction:", 0 },
	{ "dir", KEY_DIR, "DIR", 0,
	  "Keep the journal there (reduce-MODULE-HASH); the same command goes on with a reduction that was ended",
	  0 },
	{ "min-gap", KEY_MIN_GAP, "RATIO", 0,
	  "Keep the suspect at least this much slower (1.25)", 0 },
	{ "keep", KEY_KEEP, "SHARE", 0,
	  "Share of the time lost to the oracle that must stay lost (0.7)", 0 },
	{ "budget", KEY_BUDGET, "N", 0, "Try at most N candidates (2000)", 0 },
	{ "run-ms", KEY_RUN_MS, "MS", 0,
	  "Shorten longer runs to about this by a smaller loop bound where one is found (25); 0 never",
	  0 },
	{ "seed", KEY_SEED, "S", 0, "Seed of all that is drawn (1)", 0 },
	{ 0 }
};

struct reduce_cmd {
	struct cmd_opts common;
	struct guest_opts guest;
	struct pw_reduce_opts reduce;
	uint64_t shown_ns; /* when the progress line was last new */
};

static error_t parse_tuning(int key, char *arg, struct argp_state *state)
{
	struct reduce_cmd *c = state->input;
	struct pw_reduce_opts *o = &c->reduce;

	switch (key) {
	case KEY_MIN_GAP:
		o->min_gap = cmd_real(state, "--min-gap", arg, 1e6);
		return 0;
	case KEY_KEEP:
		o->keep = cmd_real(state, "--keep", arg, 1);
		return 0;
	case KEY_BUDGET:
		o->budget =
			(uint32_t)cmd_number(state, "--budget", arg, 10000000);
		return 0;
	case KEY_RUN_MS:
		o->run_ms =
			(uint32_t)cmd_number(state, "--run-ms", arg, 1000000);
		return 0;
	case KEY_SEED:
		o->seed = cmd_number(state, "--seed", arg, UINT64_MAX);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void check(const struct reduce_cmd *c, const struct argp_state *state)
{
	if (!c->reduce.module_path)
		argp_error(
			state,
			"expected a module: perf wasm reduce --suspect RUNTIME FILE -o SMALL.wasm");
	else if (!c->reduce.suspect)
		argp_error(
			state,
			"say which runtime is slow with --suspect; 'perf wasm runtimes' lists those at hand");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct reduce_cmd *c = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->guest;
		return 0;
	case KEY_SUSPECT:
		c->reduce.suspect = arg;
		return 0;
	case KEY_ORACLE:
		c->reduce.oracle = arg;
		return 0;
	case KEY_DIR:
		c->reduce.dir = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (c->reduce.module_path)
			cmd_words_add(&c->guest.argv, arg);
		else
			c->reduce.module_path = arg;
		return 0;
	case ARGP_KEY_END:
		check(c, state);
		return 0;
	default:
		return parse_tuning(key, arg, state);
	}
}

static const struct argp_child children[] = {
	{ &guest_argp, 0, "The guest:", 1 }, { 0 }
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE [-- ARG...]",
	.doc = "Cuts the WebAssembly module FILE, which is slow on one runtime, down to the little that still is, and writes that to the file of -o (NAME-reduced.wasm). Functions, data, statements and expressions go as long as the module ends as before and loses the same time to the oracle, on the same machine opcodes. The guest gets the arguments ARG.",
	.children = children,
};

static void show_progress(void *ctx, const struct pw_reduce_progress *p)
{
	struct reduce_cmd *c = ctx;
	uint64_t now_ns = pw_now_ns();

	if (now_ns - c->shown_ns < 100000000)
		return;
	c->shown_ns = now_ns;
	guest_progress("%s, %u tried, %u bytes, %u instructions left", p->pass,
		       p->trials, p->size_bytes, p->n_insns);
}

/* The module's name without folders and what follows the first point. */
static char *stem(const char *path)
{
	const char *base = strrchr(path, '/');
	size_t len;

	base = base ? base + 1 : path;
	len = strcspn(base, ".");
	return pw_strndup(base, len ? len : 1);
}

/* Of what differs in what is kept, but for the module. */
static uint64_t hash_command(const struct reduce_cmd *c)
{
	const struct pw_reduce_opts *o = &c->reduce;
	double numbers[] = { o->min_gap, o->keep, o->run_ms };
	uint64_t h = pw_hash(numbers, sizeof(numbers), 0);

	h = pw_hash(o->suspect, strlen(o->suspect), h);
	h = pw_hash(o->oracle, strlen(o->oracle), h);
	return pw_guest_hash(&o->guest, h);
}

static int finish(struct reduce_cmd *c, const struct pw_buf *out,
		  const char *path, const struct pw_report *r, bool reduced)
{
	struct pw_err err = { .off = PW_NO_OFF };

	if (reduced && pw_file_write(path, out->data, out->len, &err))
		return cmd_fail(&err);
	c->common.out_path = NULL; /* -o names the module */
	if (cmd_report(r, &c->common))
		return CMD_FAILED;
	return reduced ? CMD_DONE : CMD_FAILED;
}

static int run(struct reduce_cmd *c, const char *path)
{
	struct pw_report *r = pw_report_new("reduce", NULL);
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_buf out = { 0 };
	bool reduced;
	int ret;

	if (!c->common.quiet) {
		c->reduce.progress = show_progress;
		c->reduce.progress_ctx = c;
	}
	guest_begin(&c->common);
	ret = pw_reduce_run(&c->reduce, &out, r, &reduced, &err);
	if (ret) {
		ret = guest_end(ret, r, c->reduce.dir, &c->common, &err);
	} else {
		if (!c->common.quiet)
			guest_progress("%s", "");
		ret = finish(c, &out, path, r, reduced);
	}
	pw_buf_release(&out);
	pw_report_free(r);
	return ret;
}

int cmd_reduce(int argc, char **argv)
{
	struct reduce_cmd c = { .common = { 0 } };
	char *name, *dir = NULL, *path = NULL;
	int ret;

	pw_reduce_opts_init(&c.reduce);
	c.reduce.oracle = "wasmtime@newest";
	c.guest.guest = c.reduce.guest;
	cmd_parse(&argp, &c, &c.common, argc, argv);
	c.reduce.guest = c.guest.guest;
	c.reduce.guest.argv = c.guest.argv.v;
	name = stem(c.reduce.module_path);
	if (!c.reduce.dir)
		c.reduce.dir = dir =
			guest_default_dir("reduce", c.reduce.module_path,
					  hash_command(&c));
	if (!c.common.out_path)
		path = pw_asprintf("%s-reduced.wasm", name);
	ret = run(&c, path ? path : c.common.out_path);
	free(path);
	free(dir);
	free(name);
	guest_release(&c.guest);
	return ret;
}
