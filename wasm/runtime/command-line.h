/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * command-line: the line that a user added for a runtime, and the argument
 * vector it gives for one request. Internal to wasm/runtime.
 */
#ifndef PERFWASM_RUNTIME_COMMAND_LINE_H
#define PERFWASM_RUNTIME_COMMAND_LINE_H

#include <perfwasm/runtime.h>

/*
 * Cuts a line into words as a shell would: blanks separate, '...', "..." and
 * a backslash keep. Nothing else is special; there is no shell. NULL-ended,
 * for words_free(). EINVAL when a quote is open or the line is empty.
 */
int words_split(const char *line, char ***words, struct pw_err *err);
void words_free(char **words);

/*
 * The vector for a request. In every word {module} (or {wasm}), {invoke} and
 * {artifact}, which may be NULL, are replaced.
 * A word with {options}, {args}, {dir}, {host} or {env} stands once for each
 * option (KEY=VALUE), argument, directory or variable, and not at all when
 * there is none: --{options} gives --opt=none. {dir} is HOST::GUEST; {host}
 * and {guest} are its parts. Arguments go to the end when {args} is not
 * there. ENOTSUP when the request has something that the line has no place
 * for. For words_free().
 */
int words_fill(char *const *words, const char *const *options,
	       const struct pw_host_request *req, const char *artifact,
	       char ***argv, struct pw_err *err);

#endif
