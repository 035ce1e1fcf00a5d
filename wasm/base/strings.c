// SPDX-License-Identifier: GPL-2.0-only
/* Lists of strings that end with NULL, for a few of them. */
#include <perfwasm/base.h>

#include <stdlib.h>

void pw_strings_add(char ***list, char *s)
{
	size_t n = 0;

	while (*list && (*list)[n])
		n++;
	*list = pw_realloc(*list, (n + 2) * sizeof(**list));
	(*list)[n] = s;
	(*list)[n + 1] = NULL;
}

void pw_strings_free(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}
