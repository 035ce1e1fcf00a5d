/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * command-compile: a command line that compiles a module ahead of its run.
 * Internal to wasm/host-command.
 */
#ifndef PW_HOST_COMMAND_COMMAND_COMPILE_H
#define PW_HOST_COMMAND_COMMAND_COMPILE_H

#include <perfwasm/runtime.h>

/*
 * Runs the words with {module} and {artifact} in them. *artifact is what they
 * made, in the folder for temporary files, for command_forget(); *cpu_ns what
 * that cost. -EBADMSG, with the program's last words, when it refuses the
 * module; it leaves nothing then.
 */
int command_compile(char *const *words, const char *const *options,
		    const char *module_path, char **artifact, uint64_t *cpu_ns,
		    struct pw_err *err);
/* Removes it; NULL is fine. */
void command_forget(char *artifact);

#endif
