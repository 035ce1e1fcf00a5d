// SPDX-License-Identifier: GPL-2.0-only
/*
 * Paths and listings of the registry. Reads directories, changes nothing.
 */
#include "places.h"

#include "spec.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *place_dir(enum place p)
{
	char *config, *dir;

	if (p == PLACE_BUILT_IN)
		return pw_own_path("share/perf-wasm/runtimes");
	config = pw_config_dir();
	dir = pw_asprintf("%s/runtimes.d", config);
	free(config);
	return dir;
}

char *place_conf_path(enum place p, const char *name)
{
	char *dir = place_dir(p), *path;

	if (!dir)
		return NULL;
	path = pw_asprintf("%s/%s.conf", dir, name);
	free(dir);
	return path;
}

/* --- lists of names --- */

struct names {
	char **list;
	size_t n;
};

static void add_name(struct names *l, const char *s, size_t len)
{
	l->list = pw_realloc(l->list, (l->n + 2) * sizeof(*l->list));
	l->list[l->n++] = pw_strndup(s, len);
	l->list[l->n] = NULL;
}

static int by_version(const void *a, const void *b)
{
	return version_compare(*(char *const *)a, *(char *const *)b);
}

static char **sorted(struct names *l)
{
	if (!l->list)
		l->list = pw_zalloc(sizeof(*l->list));
	qsort(l->list, l->n, sizeof(*l->list), by_version);
	return l->list;
}

char **place_names(enum place p)
{
	char *path = place_dir(p);
	DIR *dir = path ? opendir(path) : NULL;
	struct names l = { 0 };
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		size_t len = strlen(e->d_name);

		if (len > 5 && e->d_name[0] != '.' &&
		    !strcmp(e->d_name + len - 5, ".conf"))
			add_name(&l, e->d_name, len - 5);
	}
	if (dir)
		closedir(dir);
	free(path);
	return sorted(&l);
}

/* --- the cache --- */

char *place_cache_dir(void)
{
	char *cache = pw_cache_dir();
	char *dir = pw_asprintf("%s/runtimes", cache);

	free(cache);
	return dir;
}

char *place_cache_entry(const char *name, const char *version)
{
	char *dir = place_cache_dir();
	char *path = pw_asprintf("%s/%s@%s", dir, name, version);

	free(dir);
	return path;
}

char *place_cache_library(const char *name, const char *version)
{
	char *dir = place_cache_entry(name, version);
	char *path = pw_asprintf("%s/lib%s.so", dir, name);
	char *main = pw_asprintf("%s/main", dir);

	free(dir);
	if (access(main, R_OK)) {
		free(main);
		return path;
	}
	free(path);
	return main;
}

static bool is_fetched(const char *name, const char *version)
{
	char *path = place_cache_library(name, version);
	bool ok = !access(path, R_OK);

	free(path);
	return ok;
}

char **place_fetched(const char *name)
{
	size_t len = strlen(name);
	char *path = place_cache_dir();
	DIR *dir = opendir(path);
	struct names l = { 0 };
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		const char *version = e->d_name + len + 1;

		if (!strncmp(e->d_name, name, len) && e->d_name[len] == '@' &&
		    is_fetched(name, version))
			add_name(&l, version, strlen(version));
	}
	if (dir)
		closedir(dir);
	free(path);
	return sorted(&l);
}
