// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf wasm export: a capture in the form that another program reads. The
 * forms are plugin/export's.
 */
#include "source/capture-source.h"
#include "source/metrics-source.h"

#include <perfwasm/export.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_TO = 0x100, KEY_PERIOD };

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "The export:", 0 },
	{ "to", KEY_TO, "FORM", 0,
	  "Of the profile: firefox (profiler.firefox.com), perfetto (ui.perfetto.dev), speedscope, pprof, or folded (flamegraph.pl); of the metrics of record --system: csv, json, or openmetrics (Prometheus)",
	  0 },
	{ "event", 'e', "EVENT", 0,
	  "Samples of this event (the first that counts something); off-CPU time is an event, too; speedscope and pprof hold all",
	  0 },
	{ "period", KEY_PERIOD, NULL, 0,
	  "In folded: sums of what was counted (cycles, nanoseconds), not numbers of samples",
	  0 },
	{ 0 }
};

struct export_cmd {
	struct cmd_opts common;
	struct source source;
	const char *to, *event;
	enum pw_export_form form;
	enum pw_metrics_export_form metrics_form;
	bool of_metrics, by_period;
};

#define N_FORMS (PW_N_EXPORTS + PW_N_METRICS_EXPORTS)
#define FORMS \
	"firefox, perfetto, speedscope, pprof, folded, csv, json or openmetrics"

static void set_form(struct export_cmd *c, const char *name,
		     const struct argp_state *state)
{
	const char *names[N_FORMS];
	char *near;

	for (int i = 0; i < (int)N_FORMS; i++) {
		c->of_metrics = i >= PW_N_EXPORTS;
		if (c->of_metrics)
			names[i] = pw_metrics_export_name(i - PW_N_EXPORTS);
		else
			names[i] = pw_export_form_name(i);
		if (strcmp(names[i], name))
			continue;
		c->form = c->of_metrics ? 0 : i;
		c->metrics_form = c->of_metrics ? i - PW_N_EXPORTS : 0;
		c->to = name;
		return;
	}
	near = pw_did_you_mean('\'', name, names, N_FORMS);
	argp_error(state, "--to: expected " FORMS ", found '%s'%s", name, near);
	free(near);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct export_cmd *c = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->source;
		return 0;
	case KEY_TO:
		set_form(c, arg, state);
		return 0;
	case 'e':
		c->event = arg;
		return 0;
	case KEY_PERIOD:
		c->by_period = true;
		return 0;
	case ARGP_KEY_ARG:
		cmd_source_take(&c->source, arg, state);
		return 0;
	case ARGP_KEY_END:
		if (!c->to)
			argp_error(state,
				   "say for which program with --to: " FORMS);
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
	.args_doc = "--to FORM [CAPTURE]",
	.doc = "Writes a capture in the form that another program reads, to standard output or the file of -o. Functions have the names that perf wasm report gives them; metrics are rates and levels over time, in at most 128 steps.",
	.children = children,
};

/* Bytes on a terminal help nobody. */
static bool is_for_terminal(const struct export_cmd *c)
{
	bool binary = !c->of_metrics && (c->form == PW_EXPORT_PPROF ||
					 c->form == PW_EXPORT_PERFETTO);

	return binary && !c->common.out_path && isatty(STDOUT_FILENO);
}

static int write_to(struct export_cmd *c, struct pw_exporter *x,
		    struct pw_err *err)
{
	struct pw_exporter_opts o = { .by_period = c->by_period,
				      .title = c->source.path,
				      .epoch_ns = c->source.epoch_ns };
	struct cmd_output out;
	int ret = cmd_source_event(&c->source, c->event, &o.event, err);

	if (ret)
		return cmd_fail(err);
	if (cmd_output_open(&out, &c->common))
		return CMD_FAILED;
	ret = pw_exporter_write(x, c->source.profile, &o, out.to, err);
	if (!ret)
		return cmd_output_close(&out);
	cmd_output_drop(&out);
	return cmd_fail(err);
}

static int write_metrics(struct export_cmd *c)
{
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_metrics *m =
		cmd_metrics_read(c->source.path, 0, UINT64_MAX, &err);
	struct cmd_output out;
	int ret;

	if (!m)
		return cmd_fail(&err);
	ret = cmd_output_open(&out, &c->common);
	if (ret)
		goto done;
	if (!pw_metrics_export(m, c->metrics_form, cmd_metrics_epoch_ns(m),
			       out.to, &err)) {
		ret = cmd_output_close(&out);
		goto done;
	}
	cmd_output_drop(&out);
	ret = cmd_fail(&err);
done:
	pw_metrics_free(m);
	return ret;
}

int cmd_export(int argc, char **argv)
{
	struct export_cmd c = { 0 };
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_exporter *x;
	int ret = CMD_DONE;

	cmd_parse(&argp, &c, &c.common, argc, argv);
	if (is_for_terminal(&c)) {
		cmd_error(
			"%s is not for a terminal: write it to a file with -o",
			c.to);
		return CMD_USAGE;
	}
	if (c.of_metrics)
		return write_metrics(&c);
	x = pw_exporter_new(c.form, &c.source.opts);
	if (cmd_source_read(&c.source, &err))
		ret = cmd_fail(&err);
	if (c.source.profile && write_to(&c, x, &err))
		ret = CMD_FAILED;
	cmd_source_release(&c.source);
	pw_exporter_free(x);
	return ret;
}
