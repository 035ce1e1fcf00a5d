// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runtimes of the user's own: adds and removes their .conf, and removes what
 * was fetched.
 */
#include "find.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 150 /* inih reads lines of at most 200 */

/* --- checks --- */

static int check_name(const char *name, struct pw_err *err)
{
	char *path;
	struct spec s;
	bool taken;
	int rc = spec_parse(&s, name, err);

	if (rc)
		return rc;
	if (s.version || s.opts[0])
		rc = pw_err_set(
			err, EINVAL,
			"a runtime is added under a plain name, not '%s'",
			name);
	spec_release(&s);
	if (rc)
		return rc;
	path = place_conf_path(PLACE_BUILT_IN, name);
	taken = path && !access(path, F_OK);
	free(path);
	if (taken)
		return pw_err_set(
			err, EEXIST,
			"%s is the name of a built-in runtime; take another",
			name);
	return 0;
}

/* The library is only looked at: loading one runs its code. */
static int check_library(const char *path, struct pw_err *err)
{
	struct pw_file f;
	bool elf;
	int rc = pw_file_open(&f, path, err);

	if (rc)
		return rc;
	elf = f.size > 64 && !memcmp(f.data, "\177ELF", 4) &&
	      memmem(f.data, f.size, "wasmtime_module_new", 19);
	pw_file_close(&f);
	if (!elf)
		return pw_err_set(
			err, EINVAL,
			"%s is no libwasmtime.so: it has no function wasmtime_module_new",
			path);
	return 0;
}

int find_check_command(const char *command, struct pw_err *err)
{
	char *program = pw_strndup(command, strcspn(command, " "));
	char *path = pw_find_program(program);
	int rc = 0;

	if (!strstr(command, "{module}") && !strstr(command, "{wasm}"))
		rc = pw_err_set(
			err, EINVAL,
			"the command line must have {module} where the module's path goes, as 'wasmtime run {options} {module}'");
	else if (strpbrk(command, "\n\r"))
		rc = pw_err_set(err, EINVAL,
				"the command line must be one line");
	else if (!path)
		rc = pw_err_set(
			err, ENOENT,
			"the program '%s' is not on PATH or cannot be run",
			program);
	free(path);
	free(program);
	return rc;
}

/* --- writing --- */

/* A long value goes on in indented lines, cut at single spaces. */
static int add_value(struct pw_buf *out, const char *key, const char *value,
		     struct pw_err *err)
{
	if (strstr(value, " ;") || *value == ';' || strstr(value, "  ") ||
	    strchr(value, '\t'))
		return pw_err_set(
			err, EINVAL,
			"'%s' cannot be kept: it has two spaces, a tab or a ; after a space",
			value);
	pw_buf_printf(out, "%s =", key);
	while (*value) {
		size_t n = strlen(value), skip = 0;

		if (n > LINE_BYTES) {
			for (n = LINE_BYTES; n && value[n] != ' '; n--)
				;
			skip = 1;
		}
		if (!n)
			return pw_err_set(
				err, EINVAL,
				"a word of the command line is longer than %d bytes",
				LINE_BYTES);
		pw_buf_printf(out, " %.*s\n", (int)n, value);
		value += n + skip;
		if (*value)
			pw_buf_printf(out, "   ");
	}
	return 0;
}

static int write_conf(const char *name, const char *text, size_t n,
		      struct pw_err *err)
{
	char *dir = place_dir(PLACE_USER);
	char *path = place_conf_path(PLACE_USER, name);
	int rc = pw_mkdirs(dir, err);

	if (!rc)
		rc = pw_file_write(path, text, n, err);
	free(dir);
	free(path);
	return rc;
}

static int add_checked(const char *name, const char *kind, const char *value,
		       struct pw_err *err)
{
	bool library = !strcmp(kind, "library");
	struct pw_buf out = { 0 };
	int rc;

	pw_buf_printf(
		&out,
		"[runtime]\nname = %s\nkind = %s\nshows_code = %s\nsamples = %s\n",
		name, kind, library ? "yes" : "no", library ? "yes" : "no");
	rc = add_value(&out, library ? "path" : "command", value, err);
	if (!rc)
		rc = write_conf(name, pw_buf_str(&out), out.len, err);
	pw_buf_release(&out);
	return rc;
}

int pw_runtime_add(const char *name, const char *kind, const char *value,
		   struct pw_err *err)
{
	char *real = NULL;
	int rc = check_name(name, err);

	if (rc)
		return rc;
	if (!strcmp(kind, "command")) {
		rc = find_check_command(value, err);
		return rc ?: add_checked(name, kind, value, err);
	}
	if (strcmp(kind, "library"))
		return pw_err_set(
			err, EINVAL,
			"a runtime is added as library or command, not %s",
			kind);
	real = realpath(value, NULL);
	if (!real)
		rc = pw_err_set(err, errno, "cannot find %s: %s", value,
				strerror(errno));
	if (!rc)
		rc = check_library(real, err);
	if (!rc)
		rc = add_checked(name, kind, real, err);
	free(real);
	return rc;
}

/* --- removing --- */

static int remove_fetched(const struct spec *s, struct pw_err *err)
{
	char *dir = place_cache_entry(s->name, s->version);
	int rc;

	if (access(dir, F_OK))
		rc = pw_err_set(
			err, ENOENT,
			"%s@%s is not on this machine; there is nothing to remove",
			s->name, s->version);
	else
		rc = pw_remove_tree(dir, err);
	free(dir);
	return rc;
}

static int remove_added(const struct spec *s, struct pw_err *err)
{
	char *path = place_conf_path(PLACE_USER, s->name);
	int rc = unlink(path) ? -errno : 0;

	free(path);
	if (rc == -ENOENT)
		return pw_err_set(
			err, ENOENT,
			"%s was not added, so it cannot be removed; a fetched one is removed by NAME@VERSION",
			s->name);
	if (rc)
		return pw_err_set(err, -rc, "cannot remove %s: %s", s->name,
				  strerror(-rc));
	return 0;
}

int pw_runtime_remove(const char *text, struct pw_err *err)
{
	struct spec s;
	int rc = spec_parse(&s, text, err);

	if (rc)
		return rc;
	rc = s.version ? remove_fetched(&s, err) : remove_added(&s, err);
	spec_release(&s);
	return rc;
}
