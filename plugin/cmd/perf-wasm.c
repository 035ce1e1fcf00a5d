// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-wasm: the program that `perf wasm ...` starts. Finds the command and
 * hands over; knows nothing of what commands do.
 */
#include "cmd.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>

/* Names of functions are UTF-8 whatever the locale says; numbers are always
 * written in the C locale's way. */
static void use_utf8(void)
{
	if (!setlocale(LC_CTYPE, "") || strcmp(nl_langinfo(CODESET), "UTF-8"))
		setlocale(LC_CTYPE, "C.UTF-8");
}

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

	use_utf8();
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
