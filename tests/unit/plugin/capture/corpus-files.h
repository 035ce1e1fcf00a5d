/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the corpus lies, for tests that read captures of it. */
#ifndef CORPUS_FILES_H
#define CORPUS_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include <perfwasm/base.h>

/* A folder of the corpus, which the caller frees; the test is skipped when it
 * is not there. */
static inline char *corpus_or_skip(const char *below)
{
	const char *dir = getenv("PERF_WASM_CORPUS");
	char *path = pw_asprintf("%s/%s",
				 dir && *dir ? dir : "../shared/corpus", below);

	if (!access(path, R_OK))
		return path;
	print_message("no corpus at %s: name it in PERF_WASM_CORPUS\n", path);
	free(path);
	skip();
	return NULL;
}

#endif
