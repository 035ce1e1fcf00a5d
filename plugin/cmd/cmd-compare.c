// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf wasm compare: what differs between captures, and what is only noise. How
 * that is judged, plugin/compare knows.
 */
#include "source/compare-sides.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEY_BASE = 0x100,
	KEY_NEW,
	KEY_PER,
	KEY_MIN_SHARE,
	KEY_MIN_CHANGE,
	KEY_LEVEL,
	KEY_IGNORE,
	KEY_LIMIT
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Runs of the same, three or more a side:", 1 },
	{ "base", KEY_BASE, "CAPTURE", 0, "A run of the old; may be repeated",
	  1 },
	{ "new", KEY_NEW, "CAPTURE", 0, "A run of the new; may be repeated",
	  1 },
	{ NULL, 0, NULL, 0, "What is a difference:", 2 },
	{ "min-share", KEY_MIN_SHARE, "PERCENT", 0,
	  "A difference is at least so much of the whole (1)", 2 },
	{ "min-change", KEY_MIN_CHANGE, "PERCENT", 0,
	  "A difference is at least so much of the larger value (3)", 2 },
	{ "false-share", KEY_LEVEL, "PERCENT", 0,
	  "Of what is called different, so much may be chance on average (1)",
	  2 },
	{ "per", KEY_PER, "WHAT", 0,
	  "Compare totals per second (the default); per run, for runs that do the same work; or as shares of the whole, on a machine that others use",
	  2 },
	{ "ignore", KEY_IGNORE, "COLUMN", 0,
	  "Add up rows that differ only in this column, as module; may be repeated",
	  2 },
	{ "limit", KEY_LIMIT, "N", 0, "Rows of a table (20); 0: all", 2 },
	{ 0 }
};

struct compare_cmd {
	struct cmd_opts common;
	struct source like;
	struct sides sides;
	struct cmd_words ignore;
	struct pw_compare_opts opts;
	struct pw_sched *sched; /* of the capture that is read */
};

static void take_per(struct compare_cmd *c, const char *arg,
		     const struct argp_state *state)
{
	if (!strcmp(arg, "run"))
		c->opts.per = PW_PER_RUN;
	else if (!strcmp(arg, "second"))
		c->opts.per = PW_PER_SECOND;
	else if (!strcmp(arg, "whole"))
		c->opts.per = PW_PER_WHOLE;
	else
		argp_error(state,
			   "--per: expected second, run or whole, found '%s'",
			   arg);
}

static void check(const struct compare_cmd *c, const struct argp_state *state)
{
	bool is_named = false;

	for (uint32_t i = 0; i < c->sides.n; i++) {
		const struct side *s = &c->sides.v[i];

		if (!s->runs.n)
			argp_error(state, "'%s' names no capture", s->label);
		is_named |=
			!strcmp(s->label, "base") || !strcmp(s->label, "new");
	}
	if (is_named && c->sides.n != 2)
		argp_error(
			state,
			"--base and --new go together, and without other captures");
	if (c->sides.n < 2)
		argp_error(
			state,
			"expected two captures or more, found %u; with one capture 'perf wasm report' tells what is in it",
			c->sides.n);
	if (c->like.path)
		argp_error(state,
			   "--input: name the captures without an option");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct compare_cmd *c = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->common;
		state->child_inputs[1] = &c->like;
		return 0;
	case KEY_BASE:
		sides_add_run(&c->sides, "base", arg);
		return 0;
	case KEY_NEW:
		sides_add_run(&c->sides, "new", arg);
		return 0;
	case KEY_PER:
		take_per(c, arg, state);
		return 0;
	case KEY_MIN_SHARE:
		c->opts.min_share =
			cmd_real(state, "--min-share", arg, 100) / 100;
		return 0;
	case KEY_MIN_CHANGE:
		c->opts.min_change =
			cmd_real(state, "--min-change", arg, 100) / 100;
		return 0;
	case KEY_LEVEL:
		c->opts.level =
			1 - cmd_real(state, "--false-share", arg, 50) / 100;
		return 0;
	case KEY_IGNORE:
		cmd_words_add(&c->ignore, arg);
		return 0;
	case KEY_LIMIT:
		c->opts.max_rows =
			(uint32_t)cmd_number(state, "--limit", arg, UINT32_MAX);
		return 0;
	case ARGP_KEY_ARG:
		sides_add(&c->sides, arg);
		return 0;
	case ARGP_KEY_END:
		check(c, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &cmd_page_argp, 0, NULL, 3 },
					      { &cmd_source_argp, 0, NULL, 4 },
					      { 0 } };

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "OLD NEW...",
	.doc = "Tells what differs between captures, most first, and what is only noise: tasks, functions, opcodes, time off the CPU, the scheduler and the machine's metrics, whichever a capture has; what explains each other stands together. OLD and NEW are captures as of perf wasm report, recordings of APerf, or reports saved with --format json; several runs of the same with commas between, or by --base and --new. Each is compared with OLD.",
	.children = children,
};

/* --- a capture as one report --------------------------------------------------- */

static int prepare(void *ctx, struct source *s, struct pw_err *err)
{
	static const struct pw_sched_opts plain = { 0 };
	struct compare_cmd *c = ctx;

	pw_sched_free(c->sched);
	c->sched = pw_sched_new(&plain, err);
	s->sched = c->sched;
	s->with_system = true;
	return c->sched ? 0 : -EINVAL;
}

static void add_sched(struct pw_sched *s, struct pw_node *root)
{
	static const struct pw_sched_report_opts all = { .only_compared =
								 true };
	struct pw_report *part;

	if (!pw_sched_n_roles(s))
		return;
	part = pw_report_new("sched", NULL);
	pw_sched_report(s, &all, part);
	pw_report_append(root, "sched", "Scheduler", part);
}

static int add_system(const struct source *s, struct pw_node *root,
		      struct pw_err *err)
{
	struct pw_metrics *m = pw_metrics_new();
	int ret = cmd_source_system(s, m, err);
	struct pw_report *part;

	if (!ret) {
		part = pw_report_new("system", NULL);
		pw_metrics_compared(m, part);
		pw_report_append(root, "system", "System", part);
	}
	pw_metrics_free(m);
	return ret;
}

static int make(void *ctx, const struct source *s, struct pw_report *r,
		struct pw_err *err)
{
	const struct pw_profile_report_opts all = { 0 };
	struct pw_node *root = pw_report_root(r);
	int ret = 0;

	(void)ctx;
	cmd_source_report(s, r);
	if (s->profile)
		ret = pw_profile_report(s->profile, &all, r, err);
	if (!ret)
		add_sched(s->sched, root);
	if (!ret && s->dir && cmd_source_has_system(s))
		ret = add_system(s, root, err);
	return ret;
}

int cmd_compare(int argc, char **argv)
{
	struct compare_cmd c = {
		.sides = { .make = make, .prepare = prepare, .kind = "report" },
		.opts = { .min_share = -1, .min_change = -1, .max_rows = 20 },
	};
	int ret;

	cmd_parse(&argp, &c, &c.common, argc, argv);
	c.sides.ctx = &c;
	c.opts.ignore = c.ignore.v;
	ret = sides_compare(&c.sides, &c.like, &c.opts, &c.common);
	sides_release(&c.sides);
	pw_sched_free(c.sched);
	free(c.ignore.v);
	cmd_source_release(&c.like);
	return ret;
}
