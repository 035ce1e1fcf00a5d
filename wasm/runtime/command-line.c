// SPDX-License-Identifier: GPL-2.0-only
/*
 * Words of a command line and what stands in braces in them. Runs nothing.
 */
#include "command-line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- a growing vector ------------------------------------------------------- */

struct vector {
	char **list;
	size_t n;
};

static void add(struct vector *v, char *word)
{
	v->list = pw_realloc(v->list, (v->n + 2) * sizeof(*v->list));
	v->list[v->n++] = word;
	v->list[v->n] = NULL;
}

void words_free(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

/* --- splitting --------------------------------------------------------------- */

/* One word from *s on; false when a quote stays open. */
static bool take_word(const char **s, struct pw_buf *word)
{
	char quote = 0;

	for (; **s && (quote || !strchr(" \t\n", **s)); ++*s) {
		char c = **s;

		if (quote ? c == quote : c == '\'' || c == '"') {
			quote = quote ? 0 : c;
			continue;
		}
		if (c == '\\' && quote != '\'' && (*s)[1])
			c = *++*s;
		pw_buf_add_u8(word, (uint8_t)c);
	}
	return !quote;
}

int words_split(const char *line, char ***words, struct pw_err *err)
{
	struct vector v = { 0 };

	for (;;) {
		struct pw_buf word = { 0 };
		bool closed;

		line += strspn(line, " \t\n");
		if (!*line)
			break;
		closed = take_word(&line, &word);
		add(&v, pw_strdup(pw_buf_str(&word)));
		pw_buf_release(&word);
		if (!closed) {
			words_free(v.list);
			return pw_err_set(
				err, EINVAL,
				"a quote in the command line is not closed");
		}
	}
	*words = v.list;
	return v.n ? 0 : pw_err_set(err, EINVAL, "the command line is empty");
}

/* --- filling -------------------------------------------------------------------- */

/* The word with every `name` in it replaced. */
static char *replace(const char *word, const char *name, const char *value)
{
	struct pw_buf out = { 0 };
	const char *at;
	char *filled;

	while ((at = strstr(word, name))) {
		pw_buf_add(&out, word, (size_t)(at - word));
		pw_buf_add(&out, value, strlen(value));
		word = at + strlen(name);
	}
	pw_buf_add(&out, word, strlen(word));
	filled = pw_strdup(pw_buf_str(&out));
	pw_buf_release(&out);
	return filled;
}

static void add_for_each(struct vector *v, const char *word, const char *name,
			 const char *const *list)
{
	for (; list && *list; list++)
		add(v, replace(word, name, *list));
}

/* Once for each directory, HOST::GUEST or one name for both. */
static void add_for_dirs(struct vector *v, const char *word,
			 const char *const *dirs)
{
	for (; dirs && *dirs; dirs++) {
		const char *cut = strstr(*dirs, "::");
		char *host = cut ? pw_strndup(*dirs, (size_t)(cut - *dirs))
				 : pw_strdup(*dirs);
		char *half = replace(word, "{host}", host);

		add(v, replace(half, "{guest}", cut ? cut + 2 : host));
		free(half);
		free(host);
	}
}

static bool stands_in(char *const *words, const char *name)
{
	for (; *words; words++)
		if (strstr(*words, name))
			return true;
	return false;
}

static int check_places(char *const *words, const struct pw_host_request *req,
			struct pw_err *err)
{
	const struct {
		const char *name, *what;
		bool asked;
	} places[] = {
		{ stands_in(words, "{host}") ? "{host}" : "{dir}",
		  "directories", req->dirs && req->dirs[0] },
		{ "{env}", "an environment", req->env && req->env[0] },
		{ "{invoke}", "a function to be called",
		  req->invoke && strcmp(req->invoke, "_start") },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (places[i].asked && !stands_in(words, places[i].name))
			return pw_err_set(
				err, ENOTSUP,
				"the command line has no %s to take %s",
				places[i].name, places[i].what);
	return 0;
}

static char *fill_word(const char *word, const struct pw_host_request *req,
		       const char *artifact)
{
	const struct {
		const char *name, *value;
	} once[] = {
		{ "{module}", req->module_path },
		{ "{wasm}", req->module_path },
		{ "{invoke}", req->invoke ?: "_start" },
		{ "{artifact}", artifact ?: "" },
	};
	char *filled = pw_strdup(word), *next;

	for (size_t i = 0; i < sizeof(once) / sizeof(*once); i++) {
		next = replace(filled, once[i].name, once[i].value);
		free(filled);
		filled = next;
	}
	return filled;
}

int words_fill(char *const *words, const char *const *options,
	       const struct pw_host_request *req, const char *artifact,
	       char ***argv, struct pw_err *err)
{
	const struct {
		const char *name;
		const char *const *list;
	} lists[] = {
		{ "{options}", options },
		{ "{args}", req->argv },
		{ "{dir}", req->dirs },
		{ "{env}", req->env },
	};
	size_t n_lists = sizeof(lists) / sizeof(*lists), i;
	struct vector v = { 0 };
	int rc = check_places(words, req, err);

	if (rc)
		return rc;
	for (char *const *w = words; *w; w++) {
		char *b = fill_word(*w, req, artifact);

		for (i = 0; i < n_lists && !strstr(*w, lists[i].name); i++)
			;
		if (i < n_lists)
			add_for_each(&v, b, lists[i].name, lists[i].list);
		else if (strstr(*w, "{host}"))
			add_for_dirs(&v, b, req->dirs);
		else
			add(&v, pw_strdup(b));
		free(b);
	}
	if (!stands_in(words, "{args}"))
		add_for_each(&v, "{args}", "{args}", req->argv);
	*argv = v.list;
	return 0;
}
