// SPDX-License-Identifier: GPL-2.0-only
/* The name that somebody meant who wrote another. */
#include <perfwasm/base.h>

#include <stdlib.h>
#include <string.h>

static size_t min3(size_t a, size_t b, size_t c)
{
	a = b < a ? b : a;
	return c < a ? c : a;
}

/*
 * Edits that turn a into b: insert, delete, replace, swap neighbours (the
 * restricted distance of Damerau 1964). Three rows of the table are enough.
 */
static size_t distance(const char *a, const char *b)
{
	size_t n = strlen(b);
	size_t *rows = pw_zalloc(3 * (n + 1) * sizeof(*rows));
	size_t *before = rows, *last = rows + n + 1, *row = last + n + 1;
	size_t result;

	for (size_t j = 0; j <= n; j++)
		last[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t *free_row = before;

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			row[j] = min3(last[j] + 1, row[j - 1] + 1,
				      last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		before = last;
		last = row;
		row = free_row;
	}
	result = last[n];
	free(rows);
	return result;
}

const char *pw_nearest(const char *word, const char *const *all, size_t n)
{
	const char *best = NULL;
	size_t least = strlen(word) / 3 + 2;

	if (strlen(word) > 1000)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t d = distance(word, all[i]);

		if (d < least && d < strlen(all[i])) {
			least = d;
			best = all[i];
		}
	}
	return best;
}

char *pw_did_you_mean(char quote, const char *word, const char *const *names,
		      size_t n)
{
	const char *near = pw_nearest(word, names, n);

	/* of a word that is there something else is wrong */
	if (!near || !strcmp(near, word))
		return pw_strdup("");
	return pw_asprintf("; did you mean %c%s%c?", quote, near, quote);
}
