/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * command-line: the argument vector that the line a user added for a runtime
 * gives for one request. Internal to wasm/host-command.
 */
#ifndef PW_HOST_COMMAND_COMMAND_LINE_H
#define PW_HOST_COMMAND_COMMAND_LINE_H

#include <perfwasm/runtime.h>

/*
 * The vector for a request. In every word {module} (or {wasm}), {invoke} and
 * {artifact}, which may be NULL, are replaced.
 * A word with {options}, {args}, {dir}, {host} or {env} stands once for each
 * option (KEY=VALUE), argument, directory or variable, and not at all when
 * there is none: --{options} gives --opt=none. {dir} is HOST::GUEST; {host}
 * and {guest} are its parts. Arguments go to the end when {args} is not
 * there. {jitdump} is the folder for a jitdump; the word is not there when
 * none is asked for. ENOTSUP when the request has something that the line has
 * no place for. For pw_strings_free().
 */
int words_fill(char *const *words, const char *const *options,
	       const struct pw_host_request *req, const char *artifact,
	       char ***argv, struct pw_err *err);

#endif
