// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command line that starts the host program of a runtime, and the paths
 * that it must be able to see.
 */
#include "find.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LIBEXEC "libexec/perf-wasm"

/* A path and what it is a link to. A link of the system's is in every sandbox
 * already, and cannot be put where it is: it leads somewhere else. */
void find_need(struct pw_runtime *rt, const char *path)
{
	char *real = realpath(path, NULL);
	bool is_link = real && strcmp(real, path);

	if (!is_link || strncmp(path, "/usr/", 5))
		pw_strings_add(&rt->needs, pw_strdup(path));
	if (is_link)
		pw_strings_add(&rt->needs, pw_strdup(real));
	free(real);
}

/* Added runtimes are driven by the host of their kind. */
static const char *host_name(const struct conf *c)
{
	if (c->host)
		return c->host;
	return strcmp(c->kind, "command") ? "host-wasmtime" : "host-command";
}

int find_no_program(const struct conf *c, const char *program,
		    struct pw_err *err)
{
	return pw_err_set(err, ENOENT,
			  "%s needs the program %s, which is not on PATH%s%s",
			  c->name, program, c->install ? ": install " : "",
			  c->install ?: "");
}

static int find_interpreter(struct pw_runtime *rt, const struct conf *c,
			    struct pw_err *err)
{
	char *path;

	if (!c->interpreter)
		return 0;
	if (!strcmp(c->interpreter, "{main}")) {
		pw_strings_add(&rt->host_argv, pw_strdup(rt->path));
		return 0;
	}
	path = pw_find_program(c->interpreter);
	if (!path)
		return find_no_program(c, c->interpreter, err);
	find_need(rt, path);
	pw_strings_add(&rt->host_argv, path);
	return 0;
}

static int find_host(struct pw_runtime *rt, const struct conf *c,
		     struct pw_err *err)
{
	char *relative = pw_asprintf(LIBEXEC "/%s", host_name(c));
	char *path = pw_own_path(relative), *dir = pw_own_path(LIBEXEC);
	int rc = find_interpreter(rt, c, err);

	if (!rc && !path)
		rc = pw_err_set(err, ENOENT,
				"this installation lacks %s, which drives %s",
				relative, c->name);
	if (!rc) {
		find_need(rt, dir);
		pw_strings_add(&rt->host_argv, pw_strdup(path));
	}
	free(relative);
	free(path);
	free(dir);
	return rc;
}

static int check_option(const struct conf *c, const char *option,
			struct pw_err *err)
{
	char *key = pw_strndup(option, strcspn(option, "="));
	bool known = conf_has_option(c, key) || !c->options;

	if (!known)
		pw_err_set(err, EINVAL, "%s has no option %s; it has %.300s",
			   c->name, key, c->options);
	free(key);
	return known ? 0 : -EINVAL;
}

/* The line with {main} replaced by the quoted path of the program. */
static char *with_main(const struct pw_runtime *rt, const char *line)
{
	static const char name[] = "{main}";
	struct pw_buf out = { 0 };
	char *whole;
	const char *at;

	while ((at = strstr(line, name))) {
		pw_buf_add(&out, line, (size_t)(at - line));
		pw_buf_printf(&out, "'%s'", rt->path);
		line = at + strlen(name);
	}
	pw_buf_add(&out, line, strlen(line));
	whole = pw_strdup(pw_buf_str(&out));
	pw_buf_release(&out);
	return whole;
}

static void add_named(struct pw_runtime *rt, const char *name,
		      const char *value)
{
	if (!value || !*value)
		return;
	pw_strings_add(&rt->host_argv, pw_strdup(name));
	pw_strings_add(&rt->host_argv, with_main(rt, value));
}

static int add_arguments(struct pw_runtime *rt, const struct conf *c,
			 const struct spec *s, struct pw_err *err)
{
	if (c->command) {
		pw_strings_add(&rt->host_argv, with_main(rt, c->command));
		add_named(rt, "--compile", c->compile);
		add_named(rt, "--code", c->code);
		add_named(rt, "--version", rt->version);
	} else if (!strcmp(c->kind, "shell")) {
		pw_strings_add(&rt->host_argv, pw_strdup(c->name));
		add_named(rt, "--version", rt->version);
	} else if (rt->path && !strcmp(c->kind, "library")) {
		pw_strings_add(&rt->host_argv, pw_strdup(rt->path));
	}
	if (rt->version && !strcmp(c->kind, "library"))
		pw_strings_add(&rt->host_argv,
			       pw_asprintf("version=%s", rt->version));
	for (size_t i = 0; s->opts[i]; i++) {
		int rc = check_option(c, s->opts[i], err);

		if (rc)
			return rc;
		pw_strings_add(&rt->host_argv, pw_strdup(s->opts[i]));
	}
	return 0;
}

int find_host_line(struct pw_runtime *rt, const struct conf *c,
		   const struct spec *s, struct pw_err *err)
{
	int rc = find_host(rt, c, err);

	return rc ?: add_arguments(rt, c, s, err);
}
