// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a spec to a runtime: which .conf, which library or programs. Looks
 * only; nothing is run but the version commands of programs.
 */
#include "find.h"

#include <perfwasm/runtime.h>

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBEXEC    "libexec/perf-wasm"
#define NEWEST     "newest"
#define COMMAND    "command:"
#define VERSION_NS 10000000000ull

void pw_runtime_release(struct pw_runtime *rt)
{
	free(rt->spec);
	free(rt->name);
	free(rt->version);
	free(rt->kind);
	free(rt->path);
	free(rt->baseline);
	pw_strings_free(rt->host_argv);
	pw_strings_free(rt->needs);
	memset(rt, 0, sizeof(*rt));
}

/* --- which .conf --- */

/* Their names, and, as pw_did_you_mean(), the one that is most like a word. */
static void add_names(struct pw_buf *out, enum place p, const char *word,
		      char **near)
{
	char **names = place_names(p);
	size_t n = 0;

	for (; names[n]; n++)
		pw_buf_printf(out, "%s%s", out->len ? ", " : "", names[n]);
	if (!*near || !**near) {
		free(*near);
		*near = pw_did_you_mean('\'', word, (const char *const *)names,
					n);
	}
	pw_strings_free(names);
}

static int unknown_name(const char *name, struct pw_err *err)
{
	struct pw_buf all = { 0 };
	char *near = NULL;
	int rc;

	add_names(&all, PLACE_BUILT_IN, name, &near);
	add_names(&all, PLACE_USER, name, &near);
	if (*near)
		rc = pw_err_set(err, ENOENT,
				"there is no runtime %s%s There are %.200s",
				name, near, pw_buf_str(&all));
	else if (all.len)
		rc = pw_err_set(
			err, ENOENT,
			"there is no runtime %s; there are %.200s; 'perf wasm runtimes add %s --library PATH' adds one",
			name, pw_buf_str(&all), name);
	else
		rc = pw_err_set(
			err, ENOENT,
			"there is no runtime %s, as this installation lacks share/perf-wasm/runtimes",
			name);
	free(near);
	pw_buf_release(&all);
	return rc;
}

int find_conf(struct conf *c, const char *name, struct pw_err *err)
{
	for (enum place p = 0; p < N_PLACES; p++) {
		char *path = place_conf_path(p, name);
		bool there = path && !access(path, R_OK);
		int rc = there ? conf_read(c, path, err) : 0;

		free(path);
		if (there)
			return rc;
	}
	return unknown_name(name, err);
}

/* --- fetched libraries --- */

static const char *nearest_pin(const struct conf *c, const char *version,
			       bool above)
{
	const char *best = NULL;

	for (size_t i = 0; i < c->n_pins; i++) {
		const char *v = c->pins[i].version;

		if ((version_compare(v, version) > 0) == above &&
		    (!best || (version_compare(v, best) > 0) != above))
			best = v;
	}
	return best;
}

int find_no_release(const struct conf *c, const char *version,
		    struct pw_err *err)
{
	const char *below = nearest_pin(c, version, false);
	const char *above = nearest_pin(c, version, true);

	return pw_err_set(
		err, ENOENT,
		"%s has no release %s that is known here; near it there is %s%s%s",
		c->name, version, below ?: "", below && above ? " and " : "",
		above ?: "");
}

static int not_fetched(const struct conf *c, const char *version,
		       struct pw_err *err)
{
	if (version && c->n_pins && !conf_pin(c, version) &&
	    version_compare(version, c->pins[c->n_pins - 1].version) < 0)
		return find_no_release(c, version, err);
	return pw_err_set(
		err, ENOENT,
		"%s%s%s is not on this machine; 'perf wasm runtimes add %s@%s' fetches it",
		c->name, version ? "@" : "", version ?: "", c->name,
		version ?: NEWEST);
}

static char *newest_fetched(const char *name)
{
	char **all = place_fetched(name), *newest = NULL;

	for (size_t i = 0; all[i]; i++) {
		free(newest);
		newest = pw_strdup(all[i]);
	}
	pw_strings_free(all);
	return newest;
}

/* What the entry's link leads to, and no further: a program may look at the
 * name it was started by. */
static void follow_main(struct pw_runtime *rt)
{
	char target[PATH_MAX];
	ssize_t n = readlink(rt->path, target, sizeof(target) - 1);
	const char *slash = strrchr(rt->path, '/');

	char *program;

	if (n <= 0 || !slash)
		return;
	target[n] = 0;
	program = pw_asprintf("%.*s/%s", (int)(slash - rt->path), rt->path,
			      target);
	free(rt->path);
	rt->path = program;
}

/* A fetched program needs what came with it, and says what else. */
static void add_entry(struct pw_runtime *rt, const char *name,
		      const char *version)
{
	char *dir = place_cache_entry(name, version);
	char *path = pw_asprintf("%s/needs", dir);
	struct pw_file f;

	find_need(rt, dir);
	if (!pw_file_open(&f, path, NULL)) {
		char *text = pw_strndup((const char *)f.data, f.size);
		char *rest = text, *line;

		while ((line = strsep(&rest, "\n")))
			if (*line)
				find_need(rt, line);
		free(text);
		pw_file_close(&f);
	}
	free(path);
	free(dir);
}

/* No version means the newest, too. */
static int find_fetched(struct pw_runtime *rt, const struct conf *c,
			struct spec *s, struct pw_err *err)
{
	if (!s->version || !strcmp(s->version, NEWEST)) {
		free(s->version);
		s->version = newest_fetched(c->name);
		if (!s->version)
			return not_fetched(c, NULL, err);
	}
	rt->version = pw_strdup(s->version);
	rt->path = place_cache_library(c->name, s->version);
	if (access(rt->path, R_OK))
		return not_fetched(c, s->version, err);
	if (c->from) {
		follow_main(rt);
		add_entry(rt, c->name, s->version);
	}
	return 0;
}

/* --- programs --- */

/* The first number in what a program prints: "v20.20.2", "1.0.32". */
static char *first_version(const char *text)
{
	size_t n;

	while (*text && !isdigit((unsigned char)*text))
		text++;
	n = strspn(text, "0123456789.");
	return n ? pw_strndup(text, n) : NULL;
}

static char **split_words(const char *text)
{
	char **list = pw_zalloc(sizeof(*list));

	for (const char *p = text ?: ""; *(p += strspn(p, " "));) {
		size_t n = strcspn(p, " ");

		pw_strings_add(&list, pw_strndup(p, n));
		p += n;
	}
	return list;
}

static char *ask_version(const char *command)
{
	char **argv = split_words(command), *version = NULL;
	struct pw_buf out = { 0 };
	int status;

	if (argv[0] &&
	    !pw_child_run((const char *const *)argv, VERSION_NS, &out, NULL,
			  4096, &status, NULL) &&
	    !status)
		version = first_version(pw_buf_str(&out));
	pw_buf_release(&out);
	pw_strings_free(argv);
	return version;
}

static int find_programs(struct pw_runtime *rt, const struct conf *c,
			 struct pw_err *err)
{
	char **names = split_words(c->needs);
	int rc = 0;

	for (size_t i = 0; names[i] && !rc; i++) {
		char *path = pw_find_program(names[i]);

		if (path)
			find_need(rt, path);
		else
			rc = find_no_program(c, names[i], err);
		free(path);
	}
	pw_strings_free(names);
	return rc;
}

static int no_versions(const struct conf *c, struct pw_err *err)
{
	return pw_err_set(
		err, EINVAL,
		"%s comes in one version only, the one on this machine: leave the @ away",
		c->name);
}

/* --- one function a kind --- */

static int find_library(struct pw_runtime *rt, const struct conf *c,
			struct spec *s, struct pw_err *err)
{
	if (c->package)
		return find_fetched(rt, c, s, err);
	if (s->version)
		return no_versions(c, err);
	rt->path = pw_strdup(c->path ?: "");
	if (access(rt->path, R_OK))
		return pw_err_set(
			err, ENOENT,
			"the library of %s, '%s', cannot be read; 'perf wasm runtimes remove %s' forgets it",
			c->name, rt->path, c->name);
	return 0;
}

/* The first word of an added command line, which must be a program, and the
 * files that it names. */
static int find_command(struct pw_runtime *rt, const struct conf *c,
			struct pw_err *err)
{
	char **words;
	int rc = pw_words_split(c->command, &words, err);

	if (rc)
		return rc;
	rt->path = pw_find_program(words[0]);
	if (!rt->path)
		rc = pw_err_set(err, ENOENT,
				"the program of %s, '%s', cannot be run",
				c->name, words[0]);
	else
		find_need(rt, rt->path);
	for (size_t i = 1; !rc && words[i]; i++)
		if (*words[i] == '/' && !access(words[i], R_OK))
			find_need(rt, words[i]);
	pw_strings_free(words);
	return rc;
}

static int find_built_in(struct pw_runtime *rt, const struct conf *c,
			 struct spec *s, struct pw_err *err)
{
	int rc;

	if (s->version)
		return no_versions(c, err);
	rc = find_programs(rt, c, err);
	if (!rc && c->version_command)
		rt->version = ask_version(c->version_command);
	return rc;
}

static int find_by_kind(struct pw_runtime *rt, const struct conf *c,
			struct spec *s, struct pw_err *err)
{
	if (c->from)
		return find_fetched(rt, c, s, err);
	if (!strcmp(c->kind, "library"))
		return find_library(rt, c, s, err);
	if (!strcmp(c->kind, "command") && c->command) {
		if (s->version)
			return no_versions(c, err);
		return find_command(rt, c, err);
	}
	return find_built_in(rt, c, s, err);
}

/* --- the whole --- */

/* A command line shows those that it has a place for. */
static bool shows_dirs(const struct conf *c)
{
	return !c->hides_dirs && (!c->command || strstr(c->command, "{dir}") ||
				  strstr(c->command, "{host}"));
}

int find_with_conf(struct pw_runtime *rt, const struct conf *c, struct spec *s,
		   struct pw_err *err)
{
	int rc;

	memset(rt, 0, sizeof(*rt));
	rt->needs = pw_zalloc(sizeof(*rt->needs));
	rt->name = pw_strdup(c->name);
	rt->kind = pw_strdup(c->kind);
	rt->shows_code = c->shows_code;
	rt->samples = c->samples;
	rt->shows_dirs = shows_dirs(c);
	rt->baseline = c->baseline ? pw_strdup(c->baseline) : NULL;
	rc = find_by_kind(rt, c, s, err);
	if (!rc)
		rc = find_host_line(rt, c, s, err);
	if (rc) {
		pw_runtime_release(rt);
		return rc;
	}
	rt->spec = spec_print(s);
	if (!rt->version)
		rt->version = pw_strdup("");
	return 0;
}

/* A command line that was never added, under no name. */
static int find_line(struct pw_runtime *rt, const char *text,
		     struct pw_err *err)
{
	char *line = pw_strdup(text + strlen(COMMAND));
	char kind[] = "command", *no_options[] = { NULL };
	struct conf c = { .name = kind, .kind = kind, .command = line };
	struct spec s = { .name = kind, .opts = no_options };
	int rc = find_check_command(line, err);

	if (!rc)
		rc = find_with_conf(rt, &c, &s, err);
	if (!rc) {
		free(rt->spec);
		rt->spec = pw_strdup(text);
	}
	free(line);
	return rc;
}

int pw_runtime_find(struct pw_runtime *rt, const char *text, struct pw_err *err)
{
	struct spec s;
	struct conf c;
	int rc;

	memset(rt, 0, sizeof(*rt));
	if (!strncmp(text, COMMAND, strlen(COMMAND)))
		return find_line(rt, text, err);
	rc = spec_parse(&s, text, err);
	if (rc)
		return rc;
	rc = find_conf(&c, s.name, err);
	if (!rc) {
		rc = find_with_conf(rt, &c, &s, err);
		conf_release(&c);
	}
	spec_release(&s);
	return rc;
}
