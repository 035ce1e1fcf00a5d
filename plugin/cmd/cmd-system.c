// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf wasm system: the metrics of a capture. What is told of them, plugin/metrics
 * knows, and plugin/findings what they mean.
 */
#include "cmd.h"
#include "source/metrics-source.h"

#include <perfwasm/findings.h>

#include <errno.h>
#include <stdlib.h>

enum { KEY_METRIC = 0x100, KEY_FAMILY, KEY_FROM, KEY_TO, KEY_ROWS };

#define TEXT_ROWS 12u /* of a table */
#define TIME_MAX  (UINT64_MAX / 4)

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Which figures:", 0 },
	{ "metric", KEY_METRIC, "PATTERN", 0,
	  "Only these, also when they are 0: pgfault, 'net.rx_*'; may be repeated",
	  0 },
	{ "family", KEY_FAMILY, "PATTERN", 0,
	  "Only these families: cpu, disk, 'net*'; may be repeated", 0 },
	{ "from", KEY_FROM, "TIME", 0,
	  "Only what was from this time after the start on: 10s, 500ms", 0 },
	{ "to", KEY_TO, "TIME", 0, "Only what was until then", 0 },
	{ "rows", KEY_ROWS, "N", 0,
	  "Rows of a table in text (12, all when figures are named); 0: all",
	  0 },
	{ 0 }
};

struct system_cmd {
	struct cmd_opts common;
	const char *path;
	struct cmd_words metrics, families;
	uint64_t from_ns, to_ns;
	uint32_t rows;
	bool has_rows;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct system_cmd *c = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->common;
		return 0;
	case KEY_METRIC:
		cmd_words_add(&c->metrics, arg);
		return 0;
	case KEY_FAMILY:
		cmd_words_add(&c->families, arg);
		return 0;
	case KEY_FROM:
		c->from_ns = cmd_time(state, "--from", arg, 0, TIME_MAX);
		return 0;
	case KEY_TO:
		c->to_ns = cmd_time(state, "--to", arg, 1, TIME_MAX);
		return 0;
	case KEY_ROWS:
		c->rows =
			(uint32_t)cmd_number(state, "--rows", arg, UINT32_MAX);
		c->has_rows = true;
		return 0;
	case ARGP_KEY_ARG:
		if (c->path)
			argp_error(state,
				   "expected one capture, found '%s' and '%s'",
				   c->path, arg);
		c->path = arg;
		return 0;
	case ARGP_KEY_END:
		if (c->from_ns >= c->to_ns)
			argp_error(state, "--to: expected a time after --from");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &cmd_page_argp, 0, NULL, 0 },
					      { 0 } };

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[CAPTURE]",
	.doc = "Tells what a machine did while a capture was recorded with perf wasm record --system: rates and levels of its CPUs, memory, disks, network, processes, and what of them is worth a look. CAPTURE is a directory of perf wasm record (perf-wasm.data), a system.series, or what aperf record left: a directory or its .tar.gz.",
	.children = children,
};

static int report(struct system_cmd *c, const struct pw_metrics *m)
{
	struct pw_metrics_view v = { .metrics = c->metrics.v,
				     .families = c->families.v,
				     .whole = c->common.json };
	struct pw_report *r = pw_report_new("system", NULL);
	bool chosen = c->metrics.n || c->families.n;
	int ret = CMD_DONE;

	if (!chosen)
		pw_findings(m, r);
	pw_report_text_rows(r,
			    c->has_rows ? c->rows
			    : chosen    ? 0
					: TEXT_ROWS,
			    true);
	if (!pw_metrics_report(m, &v, r)) {
		cmd_error(
			"no figure is called so: 'perf wasm system --format=json' lists all");
		ret = CMD_FAILED;
	} else {
		ret = cmd_report(r, &c->common);
	}
	pw_report_free(r);
	return ret;
}

int cmd_system(int argc, char **argv)
{
	struct system_cmd c = { .to_ns = UINT64_MAX };
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_metrics *m;
	int ret;

	cmd_parse(&argp, &c, &c.common, argc, argv);
	m = cmd_metrics_read(c.path, c.from_ns, c.to_ns, &err);
	ret = m ? report(&c, m) : cmd_fail(&err);
	pw_metrics_free(m);
	free(c.metrics.v);
	free(c.families.v);
	return ret;
}
