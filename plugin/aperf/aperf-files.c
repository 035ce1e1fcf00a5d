// SPDX-License-Identifier: GPL-2.0-only
/* Which files a recording has. */
#include "aperf-impl.h"

#include <string.h>

static const struct file_def defs[] = {
#define APERF_FILE(name, shape, take, source, sign) \
	{ name, SHAPE_##shape, take, source, sign },
#define APERF_IGNORED(name, why) { name, SHAPE_OTHER, NULL, NULL, why },
#include "aperf-files.def"
#undef APERF_FILE
#undef APERF_IGNORED
};

#define N_DEFS (sizeof(defs) / sizeof(defs[0]))

const struct file_def *file_def_of(const char *name)
{
	size_t n = strlen(name);

	if (n < 4 || strcmp(name + n - 4, ".bin"))
		return NULL;
	for (size_t i = 0; i < N_DEFS; i++) {
		size_t k = strlen(defs[i].name);

		/* early versions put the time behind it */
		if (!strncmp(name, defs[i].name, k) &&
		    (n == k + 4 || (name[k] == '_' && name[k + 1] >= '0' &&
				    name[k + 1] <= '9')))
			return &defs[i];
	}
	return NULL;
}

bool source_has_file(const char *source)
{
	for (size_t i = 0; i < N_DEFS; i++)
		if (defs[i].source && !strcmp(defs[i].source, source))
			return true;
	/* those of memalloc */
	return !strcmp(source, "buddy") || !strcmp(source, "pagetype") ||
	       !strcmp(source, "slab");
}
