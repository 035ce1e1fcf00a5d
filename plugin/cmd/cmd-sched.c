// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf wasm sched: who ran when, and who waited for whom. What is counted,
 * plugin/sched knows; which capture, capture-source.c.
 */
#include "source/compare-sides.h"
#include "sched/sched-views.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEY_MAP = 0x100,
	KEY_TASK,
	KEY_CPU,
	KEY_FROM,
	KEY_TO,
	KEY_MERGE,
	KEY_APPEND,
	KEY_LIST,
	KEY_SUCCESSORS,
	KEY_VIEW,
	KEY_LIMIT
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "The capture:", 0 },
	{ "input", 'i', "CAPTURE", 0,
	  "Read this directory or perf.data (perf-wasm.data, else perf.data); '-' is a pipe from perf record -o -",
	  0 },
	{ "from", KEY_FROM, "TIME", 0,
	  "Only from this time after the first event on: seconds, or 200ms, 50us",
	  0 },
	{ "to", KEY_TO, "TIME", 0, "And only to this time", 0 },
	{ "cpu", KEY_CPU, "LIST", 0, "Only on these CPUs: 0-3,8", 0 },
	{ "task", KEY_TASK, "REGEX", 0,
	  "Show tasks whose name or role has a part that fits, or the one of a tid",
	  0 },
	{ NULL, 0, NULL, 0, "Names of tasks:", 1 },
	{ "map", KEY_MAP, "FILE", 0,
	  "Roles of tasks: lines of TID,ROLE or REGEX,ROLE, or a tid map of perfwhiz",
	  1 },
	{ "merge-sys-tasks", KEY_MERGE, NULL, 0,
	  "Take kworker/3:1 for kworker, and all such", 1 },
	{ "append-tid", KEY_APPEND, NULL, 0, "Make each thread its own role",
	  1 },
	{ NULL, 0, NULL, 0, "What to show:", 2 },
	{ "view", KEY_VIEW, "VIEW", 0,
	  "summary (the default), or as perf sched has them: latency, timehist (each time on a CPU), map (who is on which CPU)",
	  2 },
	{ "list", KEY_LIST, NULL, 0, "List tids and tasks, by switches", 2 },
	{ "successors-of", KEY_SUCCESSORS, "TASK", 0,
	  "Which tasks ran next after this one, by name, role or tid", 2 },
	{ "limit", KEY_LIMIT, "N", 0, "Rows of a table (20); 0: all", 2 },
	{ 0 }
};

enum view { VIEW_SUMMARY, VIEW_LATENCY, VIEW_TIMEHIST, VIEW_MAP, VIEW_LIST };

struct sched_cmd {
	struct cmd_opts common;
	struct source source;
	struct pw_sched_opts sched;
	struct pw_sched_report_opts report;
	const char *map_path, *successors;
	enum view view;
	bool has_limit;
	struct sched_stream stream;
	struct sides sides; /* the captures */
};

/* --- options ------------------------------------------------------------------------- */

static uint64_t time_of(const struct argp_state *state, const char *what,
			const char *value)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "", 1e9 },
		      { "s", 1e9 },
		      { "ms", 1e6 },
		      { "us", 1e3 },
		      { "ns", 1 } };
	char *end;
	double x = strtod(value, &end);

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (end != value && !strcmp(end, units[i].unit) && x >= 0 &&
		    x * units[i].ns < 9e18)
			return (uint64_t)(x * units[i].ns);
	argp_error(state,
		   "%s: expected a time such as 1.5 or 200ms, found '%s'", what,
		   value);
	return 0;
}

static enum view view_of(const struct argp_state *state, const char *value)
{
	static const char *const views[] = { "summary", "latency", "timehist",
					     "map" };

	for (int i = 0; i < 4; i++)
		if (!strcmp(value, views[i]))
			return (enum view)i;
	argp_error(
		state,
		"--view: expected summary, latency, timehist or map, found '%s'",
		value);
	return VIEW_SUMMARY;
}

static void check(const struct sched_cmd *c, const struct argp_state *state)
{
	bool is_stream = c->view == VIEW_TIMEHIST || c->view == VIEW_MAP;

	if (c->sides.n > 1 && (c->view != VIEW_SUMMARY || c->successors))
		argp_error(
			state,
			"several captures are compared by their summaries only: leave out --view, --list and --successors-of, or all captures but one");

	if (c->sched.to_ns && c->sched.to_ns <= c->sched.from_ns)
		argp_error(state, "--to: expected a time behind --from");
	if (is_stream && c->common.page_path)
		argp_error(
			state,
			"--html: --view timehist and map are lines of text; leave one out");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct sched_cmd *c = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->common;
		return 0;
	case 'i':
	case ARGP_KEY_ARG:
		sides_add(&c->sides, arg);
		return 0;
	case KEY_FROM:
		c->sched.from_ns = time_of(state, "--from", arg);
		return 0;
	case KEY_TO:
		c->sched.to_ns = time_of(state, "--to", arg);
		return 0;
	case KEY_CPU:
		c->sched.cpus = arg;
		return 0;
	case KEY_TASK:
		c->sched.task = arg;
		return 0;
	case KEY_MAP:
		c->map_path = arg;
		return 0;
	case KEY_MERGE:
		c->sched.merge_sys_tasks = true;
		return 0;
	case KEY_APPEND:
		c->sched.append_tid = true;
		return 0;
	case KEY_VIEW:
		c->view = view_of(state, arg);
		return 0;
	case KEY_LIST:
		c->view = VIEW_LIST;
		return 0;
	case KEY_SUCCESSORS:
		c->successors = arg;
		return 0;
	case KEY_LIMIT:
		c->report.max_rows =
			(uint32_t)cmd_number(state, "--limit", arg, UINT32_MAX);
		c->has_limit = true;
		return 0;
	case ARGP_KEY_END:
		if (c->sides.n == 1)
			c->source.path = c->sides.v[0].label;
		check(c, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &cmd_page_argp, 0, NULL, 2 },
					      { 0 } };

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[CAPTURE...]",
	.doc = "Tells who ran when and who waited for whom: time of tasks, roles and CPUs split into running, waiting for a CPU, preempted, sleeping and blocked; latencies; who woke and preempted whom; exits of virtual CPUs. CAPTURE is any perf.data with sched:* or kvm:* events, a directory of perf wasm record, a .cdict of perfwhiz, or '-'; of several it is told how they differ by role, each against the first (runs of the same with commas between). Record with: perf wasm record -a --sched.",
	.children = children,
};

/* --- the work ------------------------------------------------------------------------- */

static int open_sched(struct sched_cmd *c, struct pw_err *err)
{
	struct pw_file map = { 0 };
	char *text = NULL;
	int ret;

	if (c->map_path) {
		ret = pw_file_open(&map, c->map_path, err);
		if (ret)
			return ret;
		text = pw_strndup((const char *)map.data, map.size);
		pw_file_close(&map);
	}
	c->sched.map = text;
	c->sched.ctx = &c->stream;
	if (c->view == VIEW_TIMEHIST)
		c->sched.on_run = sched_stream_run;
	if (c->view == VIEW_MAP)
		c->sched.on_in = sched_stream_map;
	c->source.sched = pw_sched_new(&c->sched, err);
	free(text);
	return c->source.sched ? 0 : -EINVAL;
}

static int build(struct sched_cmd *c, struct pw_report *r, struct pw_err *err)
{
	struct pw_sched *s = c->source.sched;

	if (c->successors)
		return sched_view_successors(s, c->successors, r, err);
	if (c->view == VIEW_LATENCY) {
		sched_view_latency(s, c->sched.append_tid, r);
	} else if (c->view == VIEW_LIST) {
		sched_view_list(s, r);
	} else {
		c->report.profile = c->source.profile;
		pw_sched_report(s, &c->report, r);
	}
	return 0;
}

static int show(struct sched_cmd *c)
{
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_report *r = pw_report_new("sched", NULL);
	int ret;

	/* a page and JSON are to have more than a terminal */
	if (!c->has_limit)
		c->report.max_rows =
			c->common.json || c->common.page_path ? 0 : 20;
	if (build(c, r, &err))
		ret = cmd_fail(&err);
	else
		ret = cmd_report(r, &c->common);
	pw_report_free(r);
	return ret;
}

static int stream(struct sched_cmd *c, struct pw_err *err)
{
	struct cmd_output out;
	int ret = cmd_output_open(&out, &c->common);

	if (ret)
		return ret;
	c->stream.to = out.to;
	ret = cmd_source_read(&c->source, err) ? cmd_fail(err) : CMD_DONE;
	if (cmd_output_close(&out))
		ret = CMD_FAILED;
	if (!ret && !c->stream.n_lines)
		cmd_error(
			"there is no switch to show; figures that the kernel kept (record --bpf) have none: record with --sched");
	sched_stream_release(&c->stream);
	return ret;
}

/* --- several captures ------------------------------------------------------------------- */

static int prepare_side(void *ctx, struct source *s, struct pw_err *err)
{
	struct sched_cmd *c = ctx;
	int ret;

	pw_sched_free(c->source.sched);
	ret = open_sched(c, err);
	s->sched = c->source.sched;
	return ret;
}

static int report_side(void *ctx, const struct source *s, struct pw_report *r,
		       struct pw_err *err)
{
	const struct pw_sched_report_opts all = { .only_compared = true };

	(void)ctx;
	(void)err;
	pw_sched_report(s->sched, &all, r);
	return 0;
}

static int compare(struct sched_cmd *c)
{
	const struct source like = { 0 };
	const struct pw_compare_opts opts = {
		.min_share = -1,
		.min_change = -1,
		.max_rows = c->has_limit ? c->report.max_rows : 20,
	};
	int ret;

	c->sides.kind = "sched";
	c->sides.make = report_side;
	c->sides.prepare = prepare_side;
	c->sides.ctx = c;
	ret = sides_compare(&c->sides, &like, &opts, &c->common);
	pw_sched_free(c->source.sched);
	sides_release(&c->sides);
	return ret;
}

int cmd_sched(int argc, char **argv)
{
	struct sched_cmd c = { .view = VIEW_SUMMARY };
	struct pw_err err = { .off = PW_NO_OFF };
	int ret = CMD_DONE;
	bool is_read;

	cmd_parse(&argp, &c, &c.common, argc, argv);
	if (c.sides.n > 1)
		return compare(&c);
	if (open_sched(&c, &err))
		return cmd_fail(&err);
	if (c.view == VIEW_TIMEHIST || c.view == VIEW_MAP) {
		ret = stream(&c, &err);
	} else {
		ret = cmd_source_read(&c.source, &err);
		/* what was read until a fault is shown, too */
		is_read = !ret || c.source.profile;
		ret = ret ? cmd_fail(&err) : CMD_DONE;
		if (is_read && show(&c))
			ret = CMD_FAILED;
	}
	cmd_source_release(&c.source);
	pw_sched_free(c.source.sched);
	sides_release(&c.sides);
	return ret;
}
