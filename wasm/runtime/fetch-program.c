// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fetches by a program of its own for each kind of package, fetch-FROM beside
 * the hosts:
 *
 *	fetch-FROM PACKAGE VERSION DIR		VERSION "" is the newest
 *
 * It fills DIR and prints lines: "version V"; "sha256 H", of the package file;
 * "main PATH", the program, relative to DIR; "need PATH", what a sandbox must
 * show besides. When it fails, its last words on standard error are the
 * reason. Knows no kind of package.
 */
#include "fetch-program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIMEOUT_NS 1800000000000ull
#define MAX_OUTPUT 65536

struct said {
	char *version, *sha256, *main;
	struct pw_buf needs;
};

static void take_line(struct said *s, const char *line)
{
	const struct {
		const char *word;
		char **to;
	} words[] = {
		{ "version ", &s->version },
		{ "sha256 ", &s->sha256 },
		{ "main ", &s->main },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t n = strlen(words[i].word);

		if (strncmp(line, words[i].word, n))
			continue;
		free(*words[i].to);
		*words[i].to = pw_strdup(line + n);
	}
	if (!strncmp(line, "need ", 5))
		pw_buf_printf(&s->needs, "%s\n", line + 5);
}

static const char *last_line(char *text)
{
	size_t n = strlen(text);
	char *line;

	while (n && strchr(" \n", text[n - 1]))
		text[--n] = 0;
	line = strrchr(text, '\n');
	return line ? line + 1 : text;
}

static int run(const struct conf *c, const char *version, const char *dir,
	       struct said *s, struct pw_err *err)
{
	char *relative = pw_asprintf("libexec/perf-wasm/fetch-%s", c->from);
	char *path = pw_own_path(relative);
	const char *argv[] = { path, c->package, version ?: "", dir, NULL };
	struct pw_buf out = { 0 }, errout = { 0 };
	int status = 0, rc = 0;
	char *rest, *line;

	if (!path)
		rc = pw_err_set(err, ENOENT,
				"this installation lacks %s, which fetches %s",
				relative, c->name);
	if (!rc)
		rc = pw_child_run(argv, TIMEOUT_NS, &out, &errout, MAX_OUTPUT,
				  &status, err);
	if (!rc && status)
		rc = pw_err_set(err, EIO, "cannot fetch %s%s%s: %.300s",
				c->name, version ? "@" : "", version ?: "",
				last_line((char *)pw_buf_str(&errout)));
	rest = (char *)pw_buf_str(&out);
	while (!rc && (line = strsep(&rest, "\n")))
		take_line(s, line);
	pw_buf_release(&out);
	pw_buf_release(&errout);
	free(relative);
	free(path);
	return rc;
}

static int keep(const struct said *s, const char *dir, struct pw_err *err)
{
	char *link = pw_asprintf("%s/main", dir);
	char *needs = pw_asprintf("%s/needs", dir);
	int rc = 0;

	if (symlink(s->main, link))
		rc = pw_err_set(err, errno, "cannot make %s: %s", link,
				strerror(errno));
	if (!rc && s->needs.len)
		rc = pw_file_write(needs, s->needs.data, s->needs.len, err);
	free(link);
	free(needs);
	return rc;
}

int fetch_by_program(const struct conf *c, const char *version, const char *dir,
		     char **got_version, char **sha256, struct pw_err *err)
{
	struct said s = { 0 };
	int rc = run(c, version, dir, &s, err);

	if (!rc && (!s.version || !s.sha256 || !s.main ||
		    strspn(s.sha256, "0123456789abcdef") != 64))
		rc = pw_err_set(
			err, EPROTO,
			"fetch-%s ended well but did not tell version, sha256 and main",
			c->from);
	if (!rc)
		rc = keep(&s, dir, err);
	if (!rc) {
		*got_version = pw_strdup(s.version);
		*sha256 = pw_strdup(s.sha256);
	}
	free(s.version);
	free(s.sha256);
	free(s.main);
	pw_buf_release(&s.needs);
	return rc;
}
