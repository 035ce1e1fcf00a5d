// SPDX-License-Identifier: GPL-2.0-only
/* perf wasm sweep: its options. The measuring is in plugin/campaign. */
#include "guest/guest-options.h"

#include <stdlib.h>
#include <string.h>

enum {
	KEY_RUNTIMES = 0x100,
	KEY_DIR,
	KEY_HUNT,
	KEY_EXCESS,
	KEY_SEED,
};

static const struct argp_option options[] = {
	{ "runtimes", KEY_RUNTIMES, "A,B,...", 0,
	  "The runtimes, at least two: wasmtime@newest,v8,wasm2c", 0 },
	{ "hunt", KEY_HUNT, "N", 0,
	  "Hunt the first N cells whose runtime shows its machine code (0)",
	  0 },
	{ "min-excess", KEY_EXCESS, "RATIO", 0,
	  "Leave out cells that stand out by less (1.25)", 0 },
	{ "dir", KEY_DIR, "DIR", 0,
	  "Keep the journal and the hunts there (sweep-DIR-HASH); the same command goes on with a sweep that was ended",
	  0 },
	{ "seed", KEY_SEED, "S", 0, "Seed of all that is drawn (1)", 0 },
	{ 0 }
};

struct sweep_cmd {
	struct cmd_opts common;
	struct pw_sweep_opts sweep;
	struct guest_opts guest;
	struct cmd_words runtimes;
	char *list; /* what the words point into */
};

static void take_runtimes(struct sweep_cmd *c, const char *arg)
{
	char *save = NULL, *word;

	free(c->list);
	c->runtimes.n = 0;
	c->list = pw_strdup(arg);
	for (word = strtok_r(c->list, ",", &save); word;
	     word = strtok_r(NULL, ",", &save))
		cmd_words_add(&c->runtimes, word);
}

static void take_arg(struct sweep_cmd *c, char *arg)
{
	if (c->sweep.modules_dir)
		cmd_words_add(&c->guest.argv, arg);
	else
		c->sweep.modules_dir = arg;
}

static void check(const struct sweep_cmd *c, const struct argp_state *state)
{
	if (!c->sweep.modules_dir)
		argp_error(
			state,
			"expected a directory of modules: perf wasm sweep --runtimes A,B DIR");
	else if (c->runtimes.n < 2)
		argp_error(
			state,
			"say which runtimes, at least two, with --runtimes A,B; 'perf wasm runtimes' lists those at hand");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct sweep_cmd *c = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->guest;
		return 0;
	case KEY_RUNTIMES:
		take_runtimes(c, arg);
		return 0;
	case KEY_DIR:
		c->sweep.dir = arg;
		return 0;
	case KEY_HUNT:
		c->sweep.n_hunts =
			(uint32_t)cmd_number(state, "--hunt", arg, 1000);
		return 0;
	case KEY_EXCESS:
		c->sweep.min_excess = cmd_real(state, "--min-excess", arg, 1e6);
		return 0;
	case KEY_SEED:
		c->sweep.seed = cmd_number(state, "--seed", arg, UINT64_MAX);
		return 0;
	case ARGP_KEY_ARG:
		take_arg(c, arg);
		return 0;
	case ARGP_KEY_END:
		check(c, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &guest_argp, 0, "The guest:", 50 }, { 0 }
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "DIR [-- ARG...]",
	.doc = "Times every WebAssembly module in DIR and below on several runtimes and ranks those of module and runtime that take more time than the module and the runtime explain: candidates for a hunt. Each module sees its own folder as '.', read-only, where the runtime shows directories. The guests get the arguments ARG.",
};

static void show(void *ctx, const struct pw_campaign_progress *p)
{
	(void)ctx;
	guest_progress("%u/%u: %s", p->done + 1, p->total, p->what);
}

static void show_hunt(void *ctx, const struct pw_hunt_progress *p)
{
	(void)ctx;
	guest_progress("hunt: %s %u/%u", p->step, p->done, p->total);
}

int cmd_sweep(int argc, char **argv)
{
	struct pw_report *r = pw_report_new("sweep", NULL);
	struct sweep_cmd c = { 0 };
	struct pw_err err = { .off = PW_NO_OFF };
	char *dir = NULL;
	uint64_t hash;
	int ret;

	pw_sweep_opts_init(&c.sweep);
	c.guest.guest = c.sweep.guest;
	cmd_parse(&argp, &c, &c.common, argc, argv);
	c.guest.guest.argv = c.guest.argv.v;
	c.sweep.guest = c.guest.guest;
	c.sweep.runtimes = c.runtimes.v;
	hash = cmd_words_hash(&c.runtimes, 0);
	hash = pw_guest_hash(&c.sweep.guest, hash);
	if (!c.sweep.dir)
		c.sweep.dir = dir =
			guest_default_dir("sweep", c.sweep.modules_dir, hash);
	if (!c.common.quiet) {
		c.sweep.progress = show;
		c.sweep.hunt_progress = show_hunt;
	}
	guest_begin(&c.common);
	ret = pw_sweep_run(&c.sweep, r, &err);
	ret = guest_end(ret, r, c.sweep.dir, &c.common, &err);
	pw_report_free(r);
	guest_release(&c.guest);
	free(c.runtimes.v);
	free(c.list);
	free(dir);
	return ret;
}
