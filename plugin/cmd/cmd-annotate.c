// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf wasm annotate: the machine code of a function with its samples and the
 * wasm instruction each machine instruction came from.
 */
#include "source/capture-source.h"

#include <errno.h>
#include <stdlib.h>

enum { KEY_EVENT = 0x100, KEY_MIN_SHARE, KEY_ALL };

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "The listing:", 0 },
	{ "event", 'e', "EVENT", 0, "Show samples of this event", 0 },
	{ "min-share", KEY_MIN_SHARE, "PERCENT", 0,
	  "Show lines with this share of the function's samples and those near them (0: all)",
	  0 },
	{ "all", KEY_ALL, NULL, 0,
	  "Show every function whose name fits, not the hottest only", 0 },
	{ 0 }
};

enum { MAX_FOUND = 1000 };

struct annotate_cmd {
	struct cmd_opts common;
	struct source source;
	const char *func, *event;
	double min_share;
	bool all;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct annotate_cmd *c = state->input;
	char *end;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->source;
		return 0;
	case 'e':
		c->event = arg;
		return 0;
	case KEY_MIN_SHARE:
		c->min_share = strtod(arg, &end) / 100;
		if (end == arg || (*end && *end != '%') ||
		    !(c->min_share >= 0 && c->min_share <= 1))
			argp_error(
				state,
				"--min-share: expected a percentage, found '%s'",
				arg);
		return 0;
	case KEY_ALL:
		c->all = true;
		return 0;
	case ARGP_KEY_ARG:
		if (c->func)
			cmd_source_take(&c->source, arg, state);
		else
			c->func = arg;
		return 0;
	case ARGP_KEY_END:
		if (!c->func)
			argp_error(
				state,
				"expected a function: perf wasm annotate FUNC [CAPTURE]; 'perf wasm report' lists them");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &cmd_source_argp, 0, NULL, 0 },
					      { 0 } };

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FUNC [CAPTURE]",
	.doc = "Shows the machine code of a function side by side with the Wasm instructions it came from, and where the samples fell. FUNC is f42 or 42 (the index, imports counted), a name, or a part of one.",
	.children = children,
};

/* "; did you mean 'NAME'?" */
static char *near_function(const struct pw_profile *p, const char *text)
{
	uint32_t n = pw_profile_n_functions(p);
	const char **names = pw_alloc((n + 1) * sizeof(*names));
	struct pw_function f;
	char *near;

	for (uint32_t i = 0; i < n; i++) {
		pw_profile_function(p, i, &f);
		names[i] = f.sym->name;
	}
	near = pw_did_you_mean('\'', text, names, n);
	free(names);
	return near;
}

static int no_function(const struct annotate_cmd *c, struct pw_err *err)
{
	char *near = near_function(c->source.profile, c->func);
	int ret =
		pw_err_set(err, ENOENT,
			   "no function with samples is called '%s'%s", c->func,
			   *near ? near
				 : "; 'perf wasm report --limit 0' lists all");

	free(near);
	return ret;
}

static int annotate(const struct annotate_cmd *c, struct pw_report *r,
		    struct pw_err *err)
{
	struct pw_annotate_opts o = { .min_share = c->min_share };
	uint32_t *found = pw_alloc(MAX_FOUND * sizeof(*found)), n;
	int ret = cmd_source_event(&c->source, c->event, &o.event, err);

	if (ret)
		goto out;
	n = pw_profile_find(c->source.profile, c->func, found, MAX_FOUND);
	if (!n)
		ret = no_function(c, err);
	for (uint32_t i = 0; !ret && i < n && i < (c->all ? MAX_FOUND : 1); i++)
		ret = pw_profile_annotate(c->source.profile, found[i], &o, r,
					  err);
	if (!ret && n > 1 && !c->all)
		pw_note(pw_report_root(r), "others",
			"%u functions fit '%s'; this is the hottest. --all shows the others.",
			n, c->func);
out:
	free(found);
	return ret;
}

int cmd_annotate(int argc, char **argv)
{
	struct annotate_cmd c = { 0 };
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_report *r;
	int ret = CMD_DONE;

	cmd_parse(&argp, &c, &c.common, argc, argv);
	c.source.opts.no_chains = true;
	if (cmd_source_read(&c.source, &err))
		ret = cmd_fail(&err);
	if (c.source.profile) {
		r = pw_report_new("annotate", NULL);
		if (annotate(&c, r, &err))
			ret = cmd_fail(&err);
		else if (cmd_report(r, &c.common))
			ret = CMD_FAILED;
		pw_report_free(r);
	}
	cmd_source_release(&c.source);
	return ret;
}
