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
	char *near;

	for (size_t i = 0; i < N(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	near = pw_did_you_mean('\'', name, names, N(names));
	cmd_error("'%s' is not a command%s", name,
		  *near ? near : "; 'perf wasm help' lists them");
	free(near);
	return NULL;
}
