// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compiled modules kept by content: one directory each, which appears whole.
 * Its time of modification is when it was last used. Knows nothing of what
 * is in an entry.
 */
#include "w2c.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_BYTES (512ull << 20)

char *w2c_cache_find(const struct w2c_tools *t, const char *key,
		     const char *file)
{
	char *dir, *path;

	if (!t->cache_dir)
		return NULL;
	dir = pw_asprintf("%s/%s", t->cache_dir, key);
	path = pw_asprintf("%s/%s", dir, file);
	if (access(path, R_OK)) {
		free(path);
		path = NULL;
	} else {
		utimensat(AT_FDCWD, dir, NULL, 0);
	}
	free(dir);
	return path;
}

int w2c_cache_put(const struct w2c_tools *t, const char *key, const char *from)
{
	char *to;
	int rc = 0;

	if (!t->cache_dir)
		return -ENOENT;
	to = pw_asprintf("%s/%s", t->cache_dir, key);
	if (rename(from, to))
		rc = errno == EEXIST || errno == ENOTEMPTY ? -EEXIST : -errno;
	if (rc == -EEXIST)
		rc = pw_remove_tree(from, NULL);
	free(to);
	return rc;
}

/* --- pruning ----------------------------------------------------------------- */

struct entry {
	char *path;
	uint64_t bytes;
	time_t used;
};

static uint64_t tree_bytes(const char *path)
{
	DIR *d = opendir(path);
	uint64_t sum = 0;
	struct dirent *e;
	struct stat st;

	while (d && (e = readdir(d)))
		if (!fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			sum += (uint64_t)st.st_blocks * 512;
	if (d)
		closedir(d);
	return sum;
}

static int by_use(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->used > y->used) - (x->used < y->used);
}

static size_t read_entries(const char *dir, struct entry **entries)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	struct stat st;
	size_t n = 0;

	*entries = NULL;
	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.' ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		*entries = pw_realloc(*entries, (n + 1) * sizeof(**entries));
		(*entries)[n].path = pw_asprintf("%s/%s", dir, e->d_name);
		(*entries)[n].bytes = tree_bytes((*entries)[n].path);
		(*entries)[n++].used = st.st_mtime;
	}
	if (d)
		closedir(d);
	return n;
}

/* Work that was killed before it was an entry. */
static bool is_left_over(const struct entry *e)
{
	return strstr(e->path, "/tmp-") && time(NULL) - e->used > 3600;
}

void w2c_cache_prune(const struct w2c_tools *t)
{
	uint64_t max_bytes = MAX_BYTES;
	struct entry *entries;
	uint64_t sum = 0;
	size_t n;

	if (!t->cache_dir)
		return;
	n = read_entries(t->cache_dir, &entries);
	for (size_t i = 0; i < n; i++)
		sum += entries[i].bytes;
	if (n)
		qsort(entries, n, sizeof(*entries), by_use);
	/* down to three quarters, so that it is not done at every start */
	if (sum > max_bytes)
		max_bytes = max_bytes / 4 * 3;
	for (size_t i = 0; i < n; i++) {
		if (sum > max_bytes || is_left_over(&entries[i])) {
			pw_remove_tree(entries[i].path, NULL);
			sum -= entries[i].bytes;
		}
		free(entries[i].path);
	}
	free(entries);
}
