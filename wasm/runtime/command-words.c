// SPDX-License-Identifier: GPL-2.0-only
/* The words of a command line that a user gave for a runtime. */
#include <perfwasm/runtime.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One word from *s on; false when a quote stays open. */
static bool take_word(const char **s, struct pw_buf *word)
{
	char quote = 0;

	for (; **s && (quote || !strchr(" \t\n", **s)); ++*s) {
		char c = **s;

		if (quote ? c == quote : c == '\'' || c == '"') {
			quote = quote ? 0 : c;
			continue;
		}
		if (c == '\\' && quote != '\'' && (*s)[1])
			c = *++*s;
		pw_buf_add_u8(word, (uint8_t)c);
	}
	return !quote;
}

int pw_words_split(const char *line, char ***words, struct pw_err *err)
{
	char **list = NULL;

	for (;;) {
		struct pw_buf word = { 0 };
		bool closed;

		line += strspn(line, " \t\n");
		if (!*line)
			break;
		closed = take_word(&line, &word);
		pw_strings_add(&list, pw_strdup(pw_buf_str(&word)));
		pw_buf_release(&word);
		if (!closed) {
			pw_strings_free(list);
			return pw_err_set(
				err, EINVAL,
				"a quote in the command line is not closed");
		}
	}
	*words = list;
	return list ? 0 : pw_err_set(err, EINVAL, "the command line is empty");
}
