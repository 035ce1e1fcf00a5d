// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf wasm runtimes: lists, adds, removes and checks runtimes. What a runtime
 * is and where it lies, wasm/runtime knows.
 */
#include "cmd.h"

#include <perfwasm/measure.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_LIBRARY = 0x100, KEY_COMMAND };

struct runtimes_opts {
	struct cmd_opts common;
	const char *verb, *spec;
	const char *kind, *value; /* of --library and --command */
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "With add:", 0 },
	{ "library", KEY_LIBRARY, "PATH", 0,
	  "Add this libwasmtime.so under the name", 0 },
	{ "command", KEY_COMMAND, "LINE", 0,
	  "Add this command line under the name; {module} and {options} in it are replaced",
	  0 },
	{ 0 }
};

static const char *const verbs[] = { "list", "add", "remove", "check" };

static void set_verb(struct runtimes_opts *o, const char *verb,
		     const struct argp_state *state)
{
	const size_t n = sizeof(verbs) / sizeof(*verbs);
	char *near;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(verbs[i], verb))
			o->verb = verbs[i];
	if (o->verb)
		return;
	near = pw_did_you_mean('\'', verb, verbs, n);
	argp_error(state, "expected list, add, remove or check, found '%s'%s",
		   verb, near);
	free(near);
}

static void check_words(const struct runtimes_opts *o,
			const struct argp_state *state)
{
	bool list = !o->verb || !strcmp(o->verb, "list");

	if (!list && !o->spec)
		argp_error(state, "%s: expected a runtime, as wasmtime@13.0.0",
			   o->verb);
	if (list && o->spec)
		argp_error(state, "list takes no runtime; check does");
	if (o->kind && (list || strcmp(o->verb, "add")))
		argp_error(state, "--%s belongs to add", o->kind);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct runtimes_opts *o = state->input;

	switch (key) {
	case KEY_LIBRARY:
	case KEY_COMMAND:
		if (o->kind)
			argp_error(state, "use one of --library and --command");
		o->kind = key == KEY_LIBRARY ? "library" : "command";
		o->value = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->spec)
			return ARGP_ERR_UNKNOWN;
		if (o->verb)
			o->spec = arg;
		else
			set_verb(o, arg, state);
		return 0;
	case ARGP_KEY_END:
		check_words(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc =
		"[list]\nadd NAME@VERSION\nadd NAME --library PATH\nadd NAME --command LINE\nremove RUNTIME\ncheck RUNTIME",
	.doc = "Lists the runtimes that hunts can use, adds one (fetched by release, or one of yours), removes one, or checks one by running a small module.",
};

/* --- list -------------------------------------------------------------------- */

static void report_rows(struct pw_node *root, const struct pw_runtime_row *rows,
			size_t n)
{
	struct pw_node *t = pw_table(root, "runtimes", NULL);
	int spec = pw_column(t, "spec", "Runtime", PW_UNIT_NONE, 0);
	int kind = pw_column(t, "kind", "Kind", PW_UNIT_NONE, 0);
	int usable = pw_column(t, "status", "Status", PW_UNIT_NONE, 0);
	int path = pw_column(t, "path", "Path", PW_UNIT_NONE, PW_COL_TRUNC);
	int why = pw_column(t, "why", "Why", PW_UNIT_NONE, PW_COL_JSON_ONLY);

	for (size_t i = 0; i < n; i++) {
		pw_row(t);
		pw_cell_str(t, spec, rows[i].spec);
		pw_cell_str(t, kind, rows[i].kind);
		pw_cell_str(t, usable, rows[i].status ? "missing" : "ok");
		pw_cell_str(t, path, rows[i].path);
		if (rows[i].status)
			pw_cell_str(t, why, rows[i].why);
	}
}

/* What is missing is said below the table, where a sentence has room. */
static void tell_why(const struct pw_runtime_row *rows, size_t n,
		     const struct cmd_opts *common)
{
	if (common->quiet || common->json || common->out_path)
		return;
	for (size_t i = 0; i < n; i++)
		if (rows[i].status && rows[i].why)
			cmd_error("%s: %s", rows[i].spec, rows[i].why);
}

static int list(const struct cmd_opts *common)
{
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_runtime_row *rows;
	struct pw_report *r;
	size_t n;
	int ret;

	if (pw_runtime_list(&rows, &n, &err))
		return cmd_fail(&err);
	r = pw_report_new("runtimes", NULL);
	report_rows(pw_report_root(r), rows, n);
	ret = cmd_report(r, common);
	tell_why(rows, n, common);
	pw_report_free(r);
	pw_runtime_rows_free(rows, n);
	return ret;
}

/* --- add, remove --------------------------------------------------------------- */

static int report_added(const struct runtimes_opts *o, const char *spec,
			const char *sha256, bool pinned)
{
	struct pw_report *r;
	struct pw_node *root;
	int ret;

	if (o->common.quiet && !o->common.json)
		return CMD_DONE;
	r = pw_report_new("runtimes", NULL);
	root = pw_report_root(r);
	pw_fact_str(root, "added", "Added", spec);
	if (sha256) {
		pw_fact_str(root, "sha256", "SHA-256", sha256);
		pw_fact_bool(root, "pinned", "Compared with a pinned one",
			     pinned);
	}
	ret = cmd_report(r, &o->common);
	pw_report_free(r);
	return ret;
}

static int add(const struct runtimes_opts *o)
{
	struct pw_err err = { .off = PW_NO_OFF };
	char *spec = NULL, *sha256 = NULL;
	bool pinned = false;
	int ret;

	if (o->kind) {
		if (pw_runtime_add(o->spec, o->kind, o->value, &err))
			return cmd_fail(&err);
		return report_added(o, o->spec, NULL, false);
	}
	if (pw_runtime_fetch(o->spec, &spec, &sha256, &pinned, &err))
		return cmd_fail(&err);
	ret = report_added(o, spec, sha256, pinned);
	free(spec);
	free(sha256);
	return ret;
}

static int drop(const struct runtimes_opts *o)
{
	struct pw_err err = { .off = PW_NO_OFF };

	if (pw_runtime_remove(o->spec, &err))
		return cmd_fail(&err);
	return CMD_DONE;
}

/* --- check ----------------------------------------------------------------------- */

/* A module whose _start adds up in a loop of 1,000,000 turns:
 * (func (export "_start") (local i32) loop
 *   local.get 0  i32.const 1  i32.add  local.tee 0
 *   i32.const 1000000  i32.lt_u  br_if 0  end) */
static const char tiny[] =
	"\0asm\x01\0\0\0"          /* version 1 */
	"\x01\x04\x01\x60\x00\x00" /* type () -> () */
	"\x03\x02\x01\x00"         /* one function */
	"\x07\x0a\x01\x06"
	"_start"
	"\x00\x00"                                         /* its export */
	"\x0a\x17\x01\x15\x01\x01\x7f\x03\x40\x20\x00\x41" /* its body */
	"\x01\x6a\x22\x00\x41\xc0\x84\x3d\x49\x0d\x00\x0b\x0b";

static int report_check(const struct runtimes_opts *o,
			const struct pw_runtime *rt, const char *version,
			const struct pw_host_reply *reply)
{
	struct pw_report *r = pw_report_new("runtimes", NULL);
	struct pw_node *root = pw_report_root(r);
	bool ok = reply->outcome == PW_OUT_OK;
	int ret;

	pw_fact_str(root, "spec", "Runtime", rt->spec);
	pw_fact_str(root, "version", "Version", version);
	pw_fact_str(root, "path", "Path", rt->path);
	pw_fact_str(root, "outcome", "A small module",
		    pw_outcome_name(reply->outcome));
	if (!ok && *reply->message)
		pw_fact_str(root, "message", "It said", reply->message);
	pw_fact_int(root, "compile", "CPU time to compile", reply->compile_ns,
		    PW_UNIT_NS);
	pw_fact_int(root, "cpu", "CPU time of the call", reply->cpu_ns,
		    PW_UNIT_NS);
	pw_fact_bool(root, "shows_code", "Shows its machine code",
		     rt->shows_code);
	pw_fact_bool(root, "samples", "Can sample itself", rt->samples);
	ret = cmd_report(r, &o->common);
	pw_report_free(r);
	return ok ? ret : CMD_FAILED;
}

/* Runs the small module in a directory of its own. */
static int check_in(const struct runtimes_opts *o, const struct pw_runtime *rt,
		    const char *box, struct pw_err *err)
{
	const struct pw_session_opts opts = { .box_dir = box };
	struct pw_host_request req = { .id = 1, .wall_limit_ns = 30000000000 };
	struct pw_host_reply reply = { 0 };
	char *path = pw_asprintf("%s/tiny.wasm", box);
	struct pw_session *s = NULL;
	int ret = CMD_FAILED;

	req.module_path = path;
	if (!pw_file_write(path, tiny, sizeof(tiny) - 1, err))
		s = pw_session_open(rt, &opts, err);
	if (!s || pw_session_run(s, &req, &reply, err))
		cmd_fail(err);
	else
		ret = report_check(o, rt, pw_session_version(s), &reply);
	pw_session_close(s);
	free(path);
	return ret;
}

static int check(const struct runtimes_opts *o)
{
	const char *tmp = getenv("TMPDIR");
	char *box = pw_asprintf("%s/perf-wasm-XXXXXX", tmp ? tmp : "/tmp");
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_runtime rt;
	int ret;

	if (pw_runtime_find(&rt, o->spec, &err)) {
		free(box);
		return cmd_fail(&err);
	}
	if (mkdtemp(box)) {
		ret = check_in(o, &rt, box, &err);
		pw_remove_tree(box, NULL);
	} else {
		cmd_error("cannot make a directory like '%s': %s", box,
			  strerror(errno));
		ret = CMD_FAILED;
	}
	pw_runtime_release(&rt);
	free(box);
	return ret;
}

int cmd_runtimes(int argc, char **argv)
{
	struct runtimes_opts o = { 0 };

	cmd_parse(&argp, &o, &o.common, argc, argv);
	if (!o.verb || !strcmp(o.verb, "list"))
		return list(&o.common);
	if (!strcmp(o.verb, "add"))
		return add(&o);
	if (!strcmp(o.verb, "remove"))
		return drop(&o);
	return check(&o);
}
