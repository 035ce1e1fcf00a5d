// SPDX-License-Identifier: GPL-2.0-only
/* Lists of strings that own what they hold. Know not what they are for. */
#include "words.h"

#include <stdlib.h>
#include <string.h>

void words_add(struct words *w, const char *word)
{
	w->v = pw_realloc(w->v, (w->n + 2) * sizeof(*w->v));
	w->v[w->n++] = pw_strdup(word);
	w->v[w->n] = NULL;
}

void words_add_list(struct words *w, const char *const *list)
{
	for (; list && *list; list++)
		words_add(w, *list);
}

void words_release(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
	memset(w, 0, sizeof(*w));
}
