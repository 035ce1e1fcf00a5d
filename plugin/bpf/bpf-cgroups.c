// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of control groups. An id is the inode of the group's directory
 * in the cgroup2 file system, so a walk there finds it.
 */
#include "bpf-impl.h"

#include <dirent.h>
#include <string.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MAX_DEPTH = 16, MAX_CGROUPS = 4096 };

/* The path below `dir` of the directory with this inode; the caller frees. */
static char *find(const char *dir, uint64_t id, int depth)
{
	DIR *d = depth < MAX_DEPTH ? opendir(dir) : NULL;
	char *found = NULL;
	struct dirent *e;

	while (!found && d && (e = readdir(d))) {
		char *path;

		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		path = pw_asprintf("%s/%s", dir, e->d_name);
		if (e->d_ino == id)
			return closedir(d), path;
		found = find(path, id, depth + 1);
		free(path);
	}
	if (d)
		closedir(d);
	return found;
}

static char *path_of(uint64_t id)
{
	static const char *const roots[] = { "/sys/fs/cgroup",
					     "/sys/fs/cgroup/unified" };
	char *path = NULL, *below;
	struct stat st;

	for (size_t i = 0; !path && i < 2; i++) {
		char *procs = pw_asprintf("%s/cgroup.controllers", roots[i]);
		bool is_it = !stat(procs, &st) && !stat(roots[i], &st);

		free(procs);
		if (!is_it)
			continue;
		if (st.st_ino == id)
			return pw_strdup("/");
		path = find(roots[i], id, 0);
		if (path) {
			below = pw_strdup(path + strlen(roots[i]));
			free(path);
			path = below;
		}
	}
	return path;
}

void cgroup_tell(struct pw_bpf *b, struct pw_series_out *s, uint64_t id)
{
	const uint64_t seen = 1;
	char *path;

	for (size_t i = 0; i < b->n_cgroups; i++)
		if (b->cgroups_told[i] == id)
			return;
	if (!id || b->n_cgroups == MAX_CGROUPS)
		return;
	if (!(b->n_cgroups & (b->n_cgroups + 1)))
		b->cgroups_told =
			pw_realloc(b->cgroups_told,
				   2 * (b->n_cgroups + 1) * sizeof(uint64_t));
	b->cgroups_told[b->n_cgroups++] = id;
	path = path_of(id);
	pw_series_row(s, PW_BPF_CGROUP, id, &seen);
	if (path)
		pw_series_text(s, PW_BPF_CGROUP, id, "path", path);
	free(path);
}
