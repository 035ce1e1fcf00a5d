// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hunt's evidence as an issue text in Markdown: title, versions, the wasm
 * around the changed instruction, the commands, the report.
 */
#include "contents.h"

#include <stdlib.h>
#include <string.h>

/* The longest run of backquotes decides the fence around a text. */
static void add_fenced(struct pw_buf *out, const char *text, size_t len)
{
	size_t run = 0, longest = 2;

	for (size_t i = 0; i < len; i++) {
		run = text[i] == '`' ? run + 1 : 0;
		if (run > longest)
			longest = run;
	}
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i <= longest; i++)
			pw_buf_add_u8(out, '`');
		pw_buf_add_u8(out, '\n');
		if (side)
			break;
		pw_buf_add(out, text, len);
		if (len && text[len - 1] != '\n')
			pw_buf_add_u8(out, '\n');
	}
	pw_buf_add_u8(out, '\n');
}

/* The instruction of a notation: what stands behind its kind. */
static const char *what_of(const char *finding)
{
	for (int words = 0; words < 4 && finding; words++) {
		finding = strchr(finding, ' ');
		finding = finding ? finding + 1 : NULL;
	}
	return finding;
}

static void add_title(const struct pw_bundle *b, struct pw_buf *out)
{
	const char *finding = pw_bundle_get(b, "finding", 0);
	const char *what = finding ? what_of(finding) : NULL;
	const char *gap = pw_bundle_get(b, "given_gap", 0);
	const char *suspect = pw_bundle_get(b, "suspect", 0);
	const char *oracle = pw_bundle_get(b, "oracle", 0);
	const char *arrow = what ? strstr(what, " -> ") : NULL;

	pw_buf_printf(out, "# ");
	if (arrow)
		pw_buf_printf(out, "`%.*s` ", (int)(arrow - what), what);
	else
		pw_buf_printf(out, "A module ");
	pw_buf_printf(out, "is slow on %s: %.2fx the time of %s\n\n", suspect,
		      gap ? strtod(gap, NULL) : 0.0, oracle);
}

static void add_all(const struct pw_bundle *b, struct pw_buf *out,
		    const char *key, const char *label)
{
	const char *s;

	for (uint32_t i = 0; (s = pw_bundle_get(b, key, i)); i++)
		pw_buf_printf(out, "- %s: %s\n", label, s);
}

static void add_versions(const struct pw_bundle *b, struct pw_buf *out)
{
	const char *module = pw_bundle_get(b, "module", 0);
	const char *bytes = pw_bundle_get(b, "module_bytes", 0);

	pw_buf_printf(out, "## Versions\n\n");
	add_all(b, out, "runtime", "runtime");
	pw_buf_printf(out, "- module: %s, %s bytes\n", module ? module : "-",
		      bytes ? bytes : "-");
	add_all(b, out, "scaled", "hunted shorter");
	add_all(b, out, "system", "system");
	add_all(b, out, "cpu", "CPU");
	add_all(b, out, "perf_wasm", "perf wasm");
	pw_buf_add_u8(out, '\n');
}

static void add_commands(const struct pw_bundle *b, struct pw_buf *out,
			 const char *name)
{
	const char *command = pw_bundle_get(b, "command", 0);
	struct pw_buf text = { 0 };

	pw_buf_printf(out, "## To reproduce\n\nWith the bundle beside this "
			   "text, which holds the module:\n\n");
	pw_buf_printf(&text, "perf wasm replay %s\n", name);
	if (command)
		pw_buf_printf(&text, "# the hunt was\n%s\n", command);
	add_fenced(out, (const char *)text.data, text.len);
	pw_buf_release(&text);
}

static void add_wasm(const struct pw_bundle *b, struct pw_buf *out)
{
	size_t size;
	const uint8_t *text = pw_bundle_file(b, "wasm-1.txt", &size);

	if (!text || !size)
		return;
	pw_buf_printf(out, "## WebAssembly around the instruction\n\n");
	add_fenced(out, (const char *)text, size);
}

static void add_report(const struct pw_report *report, struct pw_buf *out)
{
	struct pw_render_opts opts = { .width = 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return;
	pw_render_text(report, &opts, to);
	fclose(to);
	pw_buf_printf(out, "## What perf wasm found\n\n");
	add_fenced(out, text, size);
	free(text);
}

void pw_bundle_issue(const struct pw_bundle *b, const struct pw_report *report,
		     const char *name, struct pw_buf *out)
{
	add_title(b, out);
	add_versions(b, out);
	add_commands(b, out, name);
	add_wasm(b, out);
	add_report(report, out);
}
