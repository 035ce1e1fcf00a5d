// SPDX-License-Identifier: GPL-2.0-only
/* perf wasm bisect: its options. The search is in plugin/campaign. */
#include "guest/guest-options.h"

#include <stdlib.h>
#include <string.h>

enum {
	KEY_RUNTIME = 0x100,
	KEY_FROM,
	KEY_TO,
	KEY_ORACLE,
	KEY_DIR,
	KEY_FETCHED,
	KEY_CODE,
	KEY_GRID,
	KEY_CHANGE,
	KEY_SEED,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Releases:", 0 },
	{ "runtime", KEY_RUNTIME, "NAME", 0,
	  "The runtime, without a version: wasmtime (the default), wasmtime?opt=none",
	  0 },
	{ "from", KEY_FROM, "RELEASE", 0,
	  "The first release, or how it begins: 8 (the oldest that can be driven)",
	  0 },
	{ "to", KEY_TO, "RELEASE", 0,
	  "The last release, or how it begins (newest)", 0 },
	{ "oracle", KEY_ORACLE, "RUNTIME", 0,
	  "What each release is compared with, in turn (the release at --from)",
	  0 },
	{ "fetched-only", KEY_FETCHED, NULL, 0,
	  "Fetch nothing: try only the releases on this machine", 0 },
	{ NULL, 0, NULL, 0, "The search:", 0 },
	{ "dir", KEY_DIR, "DIR", 0,
	  "Keep the journal there (bisect-MODULE-HASH); the same command goes on with a search that was ended",
	  0 },
	{ "grid", KEY_GRID, "N", 0,
	  "Try N releases, evenly spread, before searching between those that differ (7)",
	  0 },
	{ "min-change", KEY_CHANGE, "RATIO", 0,
	  "What differs less from release to release is no change (1.2)", 0 },
	{ "code-only", KEY_CODE, NULL, 0,
	  "Time nothing: compare the hot machine code of the first release with the last one's",
	  0 },
	{ "seed", KEY_SEED, "S", 0, "Seed of all that is drawn (1)", 0 },
	{ 0 }
};

struct bisect_cmd {
	struct cmd_opts common;
	struct pw_bisect_opts bisect;
	struct guest_opts guest;
};

static error_t parse_search(int key, char *arg, struct argp_state *state)
{
	struct bisect_cmd *c = state->input;

	switch (key) {
	case KEY_FETCHED:
		c->bisect.fetched_only = true;
		return 0;
	case KEY_CODE:
		c->bisect.code_only = true;
		return 0;
	case KEY_GRID:
		c->bisect.grid =
			(uint32_t)cmd_number(state, "--grid", arg, 10000);
		return 0;
	case KEY_CHANGE:
		c->bisect.min_change =
			cmd_real(state, "--min-change", arg, 1e6);
		if (!(c->bisect.min_change > 1))
			argp_error(
				state,
				"--min-change: expected a ratio above 1, found '%s'",
				arg);
		return 0;
	case KEY_SEED:
		c->bisect.seed = cmd_number(state, "--seed", arg, UINT64_MAX);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct bisect_cmd *c = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->guest;
		return 0;
	case KEY_RUNTIME:
		c->bisect.runtime = arg;
		return 0;
	case KEY_FROM:
		c->bisect.from = arg;
		return 0;
	case KEY_TO:
		c->bisect.to = arg;
		return 0;
	case KEY_ORACLE:
		c->bisect.oracle = arg;
		return 0;
	case KEY_DIR:
		c->bisect.dir = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (c->bisect.module_path)
			cmd_words_add(&c->guest.argv, arg);
		else
			c->bisect.module_path = arg;
		return 0;
	case ARGP_KEY_END:
		if (!c->bisect.module_path)
			argp_error(
				state,
				"expected a module: perf wasm bisect --from 8 --to newest FILE");
		return 0;
	default:
		return parse_search(key, arg, state);
	}
}

static const struct argp_child children[] = {
	{ &guest_argp, 0, "The guest:", 50 }, { 0 }
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "FILE [-- ARG...]",
	.doc = "Finds the releases of a runtime in which the WebAssembly module FILE became slower or faster, and the hot machine instructions that changed there. Releases are fetched as needed. The guest gets the arguments ARG.",
};

static void show(void *ctx, const struct pw_campaign_progress *p)
{
	(void)ctx;
	guest_progress("release %u: %s", p->done + 1, p->what);
}

static uint64_t hash_of(const struct bisect_cmd *c)
{
	const char *words[] = { c->bisect.runtime, c->bisect.from,
				c->bisect.oracle };
	uint64_t h = 0;

	for (size_t i = 0; i < 3; i++)
		h = pw_hash(words[i] ? words[i] : "",
			    words[i] ? strlen(words[i]) : 0, h);
	return pw_guest_hash(&c->bisect.guest, h);
}

int cmd_bisect(int argc, char **argv)
{
	struct pw_report *r = pw_report_new("bisect", NULL);
	struct bisect_cmd c = { 0 };
	struct pw_err err = { .off = PW_NO_OFF };
	char *dir = NULL;
	int ret;

	pw_bisect_opts_init(&c.bisect);
	c.guest.guest = c.bisect.guest;
	cmd_parse(&argp, &c, &c.common, argc, argv);
	c.guest.guest.argv = c.guest.argv.v;
	c.bisect.guest = c.guest.guest;
	if (!c.bisect.dir)
		c.bisect.dir = dir =
			guest_default_dir("bisect", c.bisect.module_path,
					  hash_of(&c));
	if (!c.common.quiet)
		c.bisect.progress = show;
	guest_begin(&c.common);
	ret = pw_bisect_run(&c.bisect, r, &err);
	ret = guest_end(ret, r, c.bisect.dir, &c.common, &err);
	pw_report_free(r);
	guest_release(&c.guest);
	free(dir);
	return ret;
}
