// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf wasm report: the tables of a capture. What is in them, plugin/profile
 * knows; which capture, capture-source.c.
 */
#include "source/capture-source.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_SORT = 0x100, KEY_LIMIT, KEY_MIN_SHARE, KEY_CHILDREN };

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "The tables:", 0 },
	{ "sort", KEY_SORT, "KEYS", 0,
	  "Sum functions up by these, of task, module, tier, kind, dso, function and symbol (generated code as its runtime calls it), with commas between",
	  0 },
	{ "children", KEY_CHILDREN, NULL, 0,
	  "Order functions by themselves and what they call", 0 },
	{ "limit", KEY_LIMIT, "N", 0, "Rows of a table (30); 0: all", 0 },
	{ "min-share", KEY_MIN_SHARE, "PERCENT", 0,
	  "Leave out rows with less than this of the samples (0)", 0 },
	{ 0 }
};

struct report_cmd {
	struct cmd_opts common;
	struct source source;
	struct pw_profile_report_opts report;
};

static double percent(const struct argp_state *state, const char *value)
{
	char *end;
	double x = strtod(value, &end);

	if (end == value || (*end && *end != '%') || !(x >= 0) || x > 100)
		argp_error(state,
			   "--min-share: expected a percentage, found '%s'",
			   value);
	return x / 100;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct report_cmd *c = state->input;
	struct pw_err err;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->source;
		state->child_inputs[1] = &c->common;
		return 0;
	case KEY_SORT:
		if (pw_profile_check_sort(arg, &err))
			argp_error(state, "--sort: %s", err.msg);
		c->report.sort = arg;
		return 0;
	case KEY_CHILDREN:
		c->report.children = true;
		return 0;
	case KEY_LIMIT:
		c->report.max_rows =
			(uint32_t)cmd_number(state, "--limit", arg, UINT32_MAX);
		return 0;
	case KEY_MIN_SHARE:
		c->report.min_share = percent(state, arg);
		return 0;
	case ARGP_KEY_ARG:
		cmd_source_take(&c->source, arg, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &cmd_source_argp, 0, NULL, 0 },
					      { &cmd_page_argp, 0, NULL, 0 },
					      { 0 } };

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[CAPTURE]",
	.doc = "Tells where the time of a capture went: by task, by function, by Wasm opcode and by machine opcode, on the CPU and off it. CAPTURE is a directory of perf wasm record, a perf.data, or '-' for a pipe from perf record -o -. Jitdumps and perf maps are read where they lie; perf inject is not needed.",
	.children = children,
};

/* What annotate needs to be told; NULL: it finds the capture by itself. */
static const char *named(const struct source *s)
{
	bool is_default = !s->path || !strcmp(s->path, "perf-wasm.data") ||
			  !strcmp(s->path, "perf.data");

	return is_default ? NULL : s->path;
}

int cmd_report_capture(int argc, char **argv)
{
	struct report_cmd c = { .report = { .max_rows = 30 } };
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_report *r;
	int ret = CMD_DONE;

	cmd_parse(&argp, &c, &c.common, argc, argv);
	c.source.opts.no_chains = false;
	c.source.opts.time_line = c.report.page = c.common.page_path != NULL;
	c.source.opts.blocks = c.common.json; /* for perf wasm compare */
	if (cmd_source_read(&c.source, &err))
		ret = cmd_fail(&err);
	if (c.source.profile) {
		r = pw_report_new("report", NULL);
		pw_profile_headline(c.source.profile, named(&c.source), r);
		cmd_source_report(&c.source, r);
		if (pw_profile_report(c.source.profile, &c.report, r, &err))
			ret = cmd_fail(&err);
		else if (cmd_report(r, &c.common))
			ret = CMD_FAILED;
		pw_report_free(r);
	}
	cmd_source_release(&c.source);
	return ret;
}
