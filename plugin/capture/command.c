// SPDX-License-Identifier: GPL-2.0-only
/* perf's command line as a sentence. */
#include "session.h"

#include <fnmatch.h>
#include <string.h>

/* How many words of argv[i...] say where the capture was written to. The
 * command that was recorded may have an -o of its own, of something else. */
static uint32_t output_words(const struct pw_capture_facts *f, uint32_t i)
{
	const char *s = f->argv[i];

	if (!fnmatch("--output=*", s, 0))
		return 1;
	if ((!strcmp(s, "-o") || !strcmp(s, "--output")) && i + 1 < f->n_argv &&
	    (!strcmp(f->argv[i + 1], "-") ||
	     !fnmatch("*.data", f->argv[i + 1], 0)))
		return 2;
	return 0;
}

char *pw_capture_command(const struct pw_capture_facts *f)
{
	struct pw_buf b = { 0 };
	bool is_perf = true;
	char *text;

	for (uint32_t i = 0; i < f->n_argv; i++) {
		uint32_t n = is_perf ? output_words(f, i) : 0;

		is_perf &= strcmp(f->argv[i], "--") != 0 && !n;
		if (n)
			i += n - 1;
		else
			pw_buf_printf(&b, "%s%s", b.len ? " " : "", f->argv[i]);
	}
	text = b.len ? pw_strdup(pw_buf_str(&b)) : NULL;
	pw_buf_release(&b);
	return text;
}
