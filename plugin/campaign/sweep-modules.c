// SPDX-License-Identifier: GPL-2.0-only
/* Which modules a sweep has: every *.wasm file in a directory and below. */
#include "sweep-impl.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

static void take(struct sweep *s, const char *path)
{
	size_t len = strlen(path);

	if (len < 6 || strcmp(path + len - 5, ".wasm"))
		return;
	s->modules = pw_realloc(s->modules,
				(s->n_modules + 1) * sizeof(*s->modules));
	s->modules[s->n_modules++] =
		pw_strdup(path + strlen(s->root) + (s->root[1] != 0));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int sweep_find_modules(struct sweep *s, struct pw_err *err)
{
	char *const paths[] = { s->root, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *e;

	while (fts && (e = fts_read(fts)))
		if (e->fts_info == FTS_F)
			take(s, e->fts_path);
	if (fts)
		fts_close(fts);
	if (!s->n_modules)
		return pw_err_set(err, EINVAL,
				  "there is no *.wasm file in %s or below",
				  s->o->modules_dir);
	qsort(s->modules, s->n_modules, sizeof(*s->modules), by_name);
	return 0;
}

char *sweep_folder(const struct sweep *s, size_t module)
{
	const char *slash = strrchr(s->modules[module], '/');

	if (!slash)
		return pw_strdup(s->root);
	return pw_asprintf("%s/%.*s", s->root,
			   (int)(slash - s->modules[module]),
			   s->modules[module]);
}
