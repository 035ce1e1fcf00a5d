// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-wasm: the program that `perf wasm ...` starts. It becomes the program of
 * the command: perf-wasm-NAME where there is one, linked with little as it stays
 * while something else is measured, else perf-wasm-commands. Knows nothing of
 * what commands there are.
 */
#include <perfwasm/base.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM  "libexec/perf-wasm/perf-wasm-"
#define COMMANDS PROGRAM "commands"

static bool is_name(const char *word)
{
	return *word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyz")];
}

/* Of the command itself; NULL when it has none. */
static char *own_program(const char *word)
{
	char *relative, *path;

	if (!is_name(word))
		return NULL;
	relative = pw_asprintf(PROGRAM "%s", word);
	path = pw_own_path(relative);
	free(relative);
	return path;
}

int main(int argc, char **argv)
{
	char *path = argc > 1 ? own_program(argv[1]) : NULL;

	if (!path)
		path = pw_own_path(COMMANDS);
	if (path)
		execv(path, argv);
	if (path)
		fprintf(stderr, "perf wasm: cannot start %s: %s\n", path,
			strerror(errno));
	else
		fprintf(stderr,
			"perf wasm: %s is missing from this installation: make install puts it there\n",
			COMMANDS);
	free(path);
	return 1;
}
