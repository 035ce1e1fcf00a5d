// SPDX-License-Identifier: GPL-2.0-only
/* The table of commands: finds one by name, lists all. */
#include "cmd.h"

#include <stdlib.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof(*(a)))

static const struct cmd commands[] = {
#define PW_COMMAND(id, name, help) { name, help, cmd_##id },
#include "commands.def"
#undef PW_COMMAND
};

static const char *const names[] = {
#define PW_COMMAND(id, name, help) name,
#include "commands.def"
#undef PW_COMMAND
};

void cmd_list(FILE *to)
{
	fprintf(to, "Usage: perf wasm COMMAND [OPTION...]\n\n"
		    "What perf is to native code, for WebAssembly.\n\n");
	for (size_t i = 0; i < N(commands); i++)
		fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].help);
	fprintf(to, "\nSee 'perf wasm help COMMAND' for one of them.\n");
}

const struct cmd *cmd_find(const char *name)
{
	const char *near;

	for (size_t i = 0; i < N(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	near = cmd_nearest(name, names, N(names));
	if (near)
		cmd_error("'%s' is not a command; did you mean '%s'?", name,
			  near);
	else
		cmd_error("'%s' is not a command; 'perf wasm help' lists them",
			  name);
	return NULL;
}

/* --- the nearest name ------------------------------------------------------ */

static size_t min3(size_t a, size_t b, size_t c)
{
	a = b < a ? b : a;
	return c < a ? c : a;
}

/*
 * Edits that turn a into b: insert, delete, replace, swap neighbours (the
 * restricted distance of Damerau 1964). Three rows of the table are enough.
 */
static size_t distance(const char *a, const char *b)
{
	size_t n = strlen(b);
	size_t *rows = pw_zalloc(3 * (n + 1) * sizeof(*rows));
	size_t *before = rows, *last = rows + n + 1, *row = last + n + 1;
	size_t result;

	for (size_t j = 0; j <= n; j++)
		last[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t *free_row = before;

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			row[j] = min3(last[j] + 1, row[j - 1] + 1,
				      last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		before = last;
		last = row;
		row = free_row;
	}
	result = last[n];
	free(rows);
	return result;
}

const char *cmd_nearest(const char *word, const char *const *all, size_t n)
{
	const char *best = NULL;
	size_t least = strlen(word) / 3 + 2;

	if (strlen(word) > 1000)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t d = distance(word, all[i]);

		if (d < least && d < strlen(all[i])) {
			least = d;
			best = all[i];
		}
	}
	return best;
}
