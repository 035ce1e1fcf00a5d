// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-wasm-commands: finds the command and hands over; knows nothing of what
 * commands do.
 */
#include "cmd.h"

#include <string.h>

/* --help and --version are how programs are asked everywhere. */
static const char *command_of(const char *word)
{
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return "help";
	if (!strcmp(word, "--version"))
		return "version";
	return word;
}

int main(int argc, char **argv)
{
	const struct cmd *cmd;

	cmd_begin();
	if (argc < 2) {
		cmd_list(stdout);
		return CMD_FAILED;
	}
	cmd = cmd_find(command_of(argv[1]));
	if (!cmd)
		return CMD_USAGE;
	argv[1] = (char *)cmd->name;
	return cmd->run(argc - 1, argv + 1);
}
