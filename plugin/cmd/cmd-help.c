// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf wasm help: lists the commands, or explains one: on a terminal by the
 * manual page when man(1) has it, else by what COMMAND --help prints.
 */
#include "cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const char **command = state->input;

	if (key != ARGP_KEY_ARG || *command)
		return ARGP_ERR_UNKNOWN;
	*command = arg;
	return 0;
}

static const struct argp argp = {
	.parser = parse,
	.args_doc = "[COMMAND]",
	.doc = "Lists the commands, or explains one of them.",
};

/* Opens the page at the command's own section; returns when it cannot. */
static void open_manual(const char *command)
{
	char *page = pw_own_path("share/man/man1/perf-wasm.1");
	char *man = pw_find_program("man");
	char *less = pw_asprintf("+/^   *perf wasm %s", command);

	if (page && man && isatty(STDOUT_FILENO)) {
		setenv("LESS", less, 0);
		execl(man, man, page, (char *)NULL);
	}
	free(page);
	free(man);
	free(less);
}

int cmd_help(int argc, char **argv)
{
	const char *command = NULL;
	struct cmd_opts common = { 0 };
	const struct cmd *cmd;
	char *args[3] = { NULL, (char *)"--help", NULL };

	cmd_parse(&argp, &command, &common, argc, argv);
	if (!command) {
		cmd_list(stdout);
		if (!fflush(stdout))
			return CMD_DONE;
		cmd_error("cannot write: %s", strerror(errno));
		return CMD_FAILED;
	}
	cmd = cmd_find(command);
	if (!cmd)
		return CMD_USAGE;
	open_manual(command);
	args[0] = (char *)cmd->name;
	return cmd->run(2, args);
}
