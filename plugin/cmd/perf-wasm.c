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

#define COMMANDS "libexec/perf-wasm/perf-wasm-commands"

static bool is_name(const char *word)
{
	return *word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyz")];
}

/* That of the command, beside the one of all; NULL when it has none. */
static char *own_program(const char *commands, const char *word)
{
	int dir = (int)(strrchr(commands, '/') - commands);
	char *path;

	if (!is_name(word))
		return NULL;
	path = pw_asprintf("%.*s/perf-wasm-%s", dir, commands, word);
	if (!access(path, X_OK))
		return path;
	free(path);
	return NULL;
}

int main(int argc, char **argv)
{
	char *commands = pw_own_path(COMMANDS), *own = NULL;

	if (!commands) {
		fprintf(stderr,
			"perf wasm: %s is missing from this installation: make install puts it there\n",
			COMMANDS);
		return 1;
	}
	if (argc > 1)
		own = own_program(commands, argv[1]);
	execv(own ?: commands, argv);
	fprintf(stderr, "perf wasm: cannot start %s: %s\n", own ?: commands,
		strerror(errno));
	free(own);
	free(commands);
	return 1;
}
