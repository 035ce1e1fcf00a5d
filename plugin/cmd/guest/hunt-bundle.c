// SPDX-License-Identifier: GPL-2.0-only
/* perf wasm hunt --bundle: the bundle's file, and the issue text beside it. */
#include "bundles.h"

#include <stdlib.h>
#include <string.h>

/* A word as a shell takes it. */
static void add_word(struct pw_buf *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789@%_+=:,./-";

	if (*word && !word[strspn(word, plain)]) {
		pw_buf_add(out, word, strlen(word));
		return;
	}
	pw_buf_add_u8(out, '\'');
	for (; *word; word++)
		if (*word == '\'')
			pw_buf_printf(out, "'\\''");
		else
			pw_buf_add_u8(out, (uint8_t)*word);
	pw_buf_add_u8(out, '\'');
}

void bundle_command(struct pw_bundle *b, int argc, char **argv)
{
	struct pw_buf text = { 0 };

	pw_buf_printf(&text, "perf wasm");
	for (int i = 0; i < argc; i++) {
		pw_buf_add_u8(&text, ' ');
		add_word(&text, argv[i]);
	}
	pw_bundle_set(b, "command", "%s", pw_buf_str(&text));
	pw_buf_release(&text);
}

static void put_report(struct pw_bundle *b, const struct pw_report *r)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return;
	pw_render_json(r, to);
	fclose(to);
	pw_bundle_put(b, "report.json", text, size);
	free(text);
}

/* "x.tar.zst" gives "x.md". */
static char *issue_path(const char *path)
{
	size_t len = strlen(path), ext = strlen(".tar.zst");

	if (len > ext && !strcmp(path + len - ext, ".tar.zst"))
		len -= ext;
	return pw_asprintf("%.*s.md", (int)len, path);
}

int bundle_write(struct pw_bundle *b, const struct pw_report *r,
		 const char *path, bool quiet)
{
	const char *name = strrchr(path, '/');
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_buf issue = { 0 };
	char *beside;
	int ret;

	if (!pw_bundle_get(b, "suspect", 0)) {
		cmd_error("no bundle is written: there is no gap");
		return CMD_FAILED;
	}
	pw_bundle_set_system(b);
	put_report(b, r);
	ret = pw_bundle_write(b, path, &err);
	beside = issue_path(path);
	pw_bundle_issue(b, r, name ? name + 1 : path, &issue);
	if (!ret)
		ret = pw_file_write(beside, issue.data, issue.len, &err);
	if (!ret && !quiet)
		cmd_error("wrote %s, and %s to paste into an issue", path,
			  beside);
	free(beside);
	pw_buf_release(&issue);
	return ret ? cmd_fail(&err) : CMD_DONE;
}
