// SPDX-License-Identifier: GPL-2.0-only
/* perf wasm replay: reads a bundle, fetches the runtimes that it names and
 * tells whether its finding holds. The replay itself is in plugin/bundle. */
#include "guest/guest-options.h"

#include <perfwasm/bundle.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_MOUNT = 0x100, KEY_NO_FETCH, KEY_SEED };

static const struct argp_option options[] = {
	{ "mount", KEY_MOUNT, "DIR[::GUEST]", 0,
	  "Let the guest see this directory, read-only; may be repeated. A bundle holds no directories",
	  0 },
	{ "no-fetch", KEY_NO_FETCH, NULL, 0,
	  "Fetch no runtimes that are missing; name them and end", 0 },
	{ "seed", KEY_SEED, "S", 0, "Seed of all that is drawn (1)", 0 },
	{ 0 }
};

struct replay_cmd {
	struct cmd_opts common;
	const char *path;
	struct cmd_words mounts;
	bool no_fetch;
	uint64_t seed;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct replay_cmd *c = state->input;

	switch (key) {
	case KEY_MOUNT:
		cmd_words_add(&c->mounts, arg);
		return 0;
	case KEY_NO_FETCH:
		c->no_fetch = true;
		return 0;
	case KEY_SEED:
		c->seed = cmd_number(state, "--seed", arg, UINT64_MAX);
		return 0;
	case ARGP_KEY_ARG:
		if (c->path)
			argp_error(state,
				   "one bundle at a time: '%s' is a second",
				   arg);
		c->path = arg;
		return 0;
	case ARGP_KEY_END:
		if (!c->path)
			argp_error(
				state,
				"expected a bundle that perf wasm hunt --bundle wrote");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "BUNDLE",
	.doc = "Runs what a hunt packed with --bundle on this machine, in the sandbox, and tells whether its finding holds: is the gap there, does the mutant close it, are the accused instructions still in the code? Runtimes that are missing are fetched, after saying so. Exit status 0: it holds; 1: it does not.",
};

/* --- the runtimes --------------------------------------------------------------- */

static bool is_here(const char *spec, struct pw_err *err)
{
	struct pw_runtime rt = { 0 };
	bool here = !pw_runtime_find(&rt, spec, err);

	pw_runtime_release(&rt);
	return here;
}

/* NAME@VERSION of a spec, without options; the caller frees. */
static char *release_of(const char *spec)
{
	return pw_strndup(spec, strcspn(spec, "?"));
}

static int need_runtime(const struct replay_cmd *c, const char *spec)
{
	struct pw_err err = { .off = PW_NO_OFF };
	char *release, *resolved = NULL, *sha256 = NULL;
	bool pinned;
	int ret = CMD_DONE;

	if (!pw_bundle_runtime_ok(spec) || is_here(spec, &err))
		return CMD_DONE;
	release = release_of(spec);
	if (c->no_fetch || !strchr(release, '@')) {
		ret = cmd_fail(&err);
	} else {
		cmd_error(
			"fetches %s, which the bundle names and this machine lacks",
			release);
		if (pw_runtime_fetch(release, &resolved, &sha256, &pinned,
				     &err))
			ret = cmd_fail(&err);
		else
			cmd_error("fetched %s, sha256 %s (%s)", resolved,
				  sha256 ? sha256 : "-",
				  pinned ? "as pinned" : "not pinned");
	}
	free(resolved);
	free(sha256);
	free(release);
	return ret;
}

static int need_runtimes(const struct replay_cmd *c, const struct pw_bundle *b)
{
	const char *spec = pw_bundle_get(b, "suspect", 0);
	int ret = spec ? need_runtime(c, spec) : CMD_DONE;

	for (uint32_t i = 0; !ret && (spec = pw_bundle_get(b, "oracle", i));
	     i++)
		ret = need_runtime(c, spec);
	return ret;
}

/* --- the run ------------------------------------------------------------------------ */

static struct pw_bundle *open_bundle(const char *path)
{
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_bundle *b = NULL;
	struct pw_file f = { 0 };

	if (pw_file_open(&f, path, &err)) {
		cmd_fail(&err);
		return NULL;
	}
	b = pw_bundle_read(f.data, f.size, &err);
	if (!b) {
		pw_err_prefix(&err, "%s", path);
		cmd_fail(&err);
	}
	pw_file_close(&f);
	return b;
}

/* Directories are the user's own: the bundle only tells that there were. */
static void tell_mounts(const struct replay_cmd *c, const struct pw_bundle *b)
{
	const char *dir = pw_bundle_get(b, "mount", 0);

	if (dir && !c->mounts.n)
		cmd_error(
			"the hunt's guest saw the directory %s, which is not in the bundle: name yours with --mount",
			dir);
}

static int run(struct replay_cmd *c, const struct pw_bundle *b, const char *dir)
{
	struct pw_report *r = pw_report_new("replay", NULL);
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_replay_opts opts = {
		.bundle = b,
		.dir = dir,
		.dirs = c->mounts.v,
		.seed = c->seed,
	};
	bool holds = false;
	int ret;

	guest_begin(&c->common);
	if (pw_replay_run(&opts, r, &holds, &err))
		ret = cmd_fail(&err);
	else
		ret = cmd_report(r, &c->common) || !holds ? CMD_FAILED
							  : CMD_DONE;
	pw_report_free(r);
	return ret;
}

static int run_in_box(struct replay_cmd *c, const struct pw_bundle *b)
{
	const char *tmp = getenv("TMPDIR");
	char *top = pw_asprintf("%s/perf-wasm-replay-XXXXXX",
				tmp && *tmp ? tmp : "/tmp");
	char *dir;
	int ret;

	if (!mkdtemp(top)) {
		cmd_error("cannot make the directory %s: %s", top,
			  strerror(errno));
		free(top);
		return CMD_FAILED;
	}
	dir = pw_asprintf("%s/box", top);
	ret = run(c, b, dir);
	pw_remove_tree(top, NULL);
	free(dir);
	free(top);
	return ret;
}

int cmd_replay(int argc, char **argv)
{
	struct replay_cmd c = { .seed = 1 };
	struct pw_bundle *b;
	int ret = CMD_FAILED;

	cmd_parse(&argp, &c, &c.common, argc, argv);
	b = open_bundle(c.path);
	if (b) {
		tell_mounts(&c, b);
		ret = need_runtimes(&c, b);
	}
	if (b && !ret)
		ret = run_in_box(&c, b);
	pw_bundle_free(b);
	free(c.mounts.v);
	return ret;
}
