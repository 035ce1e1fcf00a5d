/* SPDX-License-Identifier: GPL-2.0-only */
/* A growing, NULL-ended list of strings: a command line or an environment.
 * Zeroed storage is an empty list. */
#ifndef MEASURE_WORDS_H
#define MEASURE_WORDS_H

#include <perfwasm/base.h>

struct words {
	char **v; /* NULL-ended when n > 0 */
	size_t n;
};

void words_add(struct words *w, const char *word); /* copied */
/* Several, NULL-ended; NULL adds none. */
void words_add_list(struct words *w, const char *const *list);
void words_release(struct words *w);

#endif
