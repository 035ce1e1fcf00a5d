// SPDX-License-Identifier: GPL-2.0-only
/*
 * What stands in braces in the words of a command line. Runs nothing.
 */
#include "command-line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static void add_for_each(char ***argv, const char *word, const char *name,
			 const char *const *list)
{
	for (; list && *list; list++)
		pw_strings_add(argv, replace(word, name, *list));
}

/* Once for each directory, HOST::GUEST or one name for both. */
static void add_for_dirs(char ***argv, const char *word,
			 const char *const *dirs)
{
	for (; dirs && *dirs; dirs++) {
		const char *cut = strstr(*dirs, "::");
		char *host = cut ? pw_strndup(*dirs, (size_t)(cut - *dirs))
				 : pw_strdup(*dirs);
		char *half = replace(word, "{host}", host);

		pw_strings_add(argv,
			       replace(half, "{guest}", cut ? cut + 2 : host));
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
	const char *const jitdump[] = { req->jitdump_dir, NULL };
	const struct {
		const char *name;
		const char *const *list;
	} lists[] = {
		{ "{jitdump}", jitdump }, { "{options}", options },
		{ "{args}", req->argv },  { "{dir}", req->dirs },
		{ "{env}", req->env },
	};
	size_t n_lists = sizeof(lists) / sizeof(*lists), i;
	char **list = NULL;
	int rc = check_places(words, req, err);

	if (rc)
		return rc;
	for (char *const *w = words; *w; w++) {
		char *b = fill_word(*w, req, artifact);

		for (i = 0; i < n_lists && !strstr(*w, lists[i].name); i++)
			;
		if (i < n_lists)
			add_for_each(&list, b, lists[i].name, lists[i].list);
		else if (strstr(*w, "{host}"))
			add_for_dirs(&list, b, req->dirs);
		else
			pw_strings_add(&list, pw_strdup(b));
		free(b);
	}
	if (!stands_in(words, "{args}"))
		add_for_each(&list, "{args}", "{args}", req->argv);
	*argv = list;
	return 0;
}
