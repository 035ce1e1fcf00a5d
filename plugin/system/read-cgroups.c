// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control groups of version 2, wherever they are mounted, all below each other.
 * Those of version 1 have other files and are not read.
 */
#include "system-cgroup.h"
#include "system-mounts.h"
#include "system-record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define LOOK_NS 10000000000ULL

enum { MAX_GROUPS = 256, MAX_DEPTH = 16 };

struct group {
	char *path; /* below the mount point: "/", "/system.slice" */
	int fds[N_CGROUP_FILES];
	bool is_seen;
};

struct cgroups {
	int top; /* the mount point */
	struct group all[MAX_GROUPS];
	uint32_t n;
	uint64_t looked_ns;
};

static void group_release(struct group *g)
{
	for (uint32_t i = 0; i < N_CGROUP_FILES; i++)
		if (g->fds[i] >= 0)
			close(g->fds[i]);
	free(g->path);
}

void cgroups_free(struct cgroups *all)
{
	if (!all)
		return;
	for (uint32_t i = 0; i < all->n; i++)
		group_release(&all->all[i]);
	close(all->top);
	free(all);
}

/* --- which --------------------------------------------------------------------------- */

/* The mount point of version 2. */
static int open_top(struct pw_system *s)
{
	struct span text = read_path(&s->reading, s->root, MOUNTINFO);
	struct mount m;
	char path[MAX_MOUNT_PATH];
	int top = -ENOENT;

	while (top == -ENOENT && take_mount(&text, &m))
		if (span_is(m.type, "cgroup2") && m.where.n > 1 &&
		    mount_path(&m, path, sizeof(path))) {
			top = openat(s->root, path,
				     O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			top = top < 0 ? -errno : top;
		}
	return top;
}

static void add_group(struct cgroups *all, int dir, const char *path)
{
	struct group *g;

	for (uint32_t i = 0; i < all->n; i++)
		if (!strcmp(all->all[i].path, path)) {
			all->all[i].is_seen = true;
			return;
		}
	if (all->n == MAX_GROUPS)
		return;
	g = &all->all[all->n++];
	g->path = pw_strdup(path);
	g->is_seen = true;
	for (uint32_t i = 0; i < N_CGROUP_FILES; i++)
		g->fds[i] =
			openat(dir, cgroup_file(i)->name, O_RDONLY | O_CLOEXEC);
}

/* Takes over the descriptor. */
static void walk(struct cgroups *all, int fd, const char *path, int depth)
{
	DIR *dir = fdopendir(fd);
	struct dirent *d;

	if (!dir) {
		close(fd);
		return;
	}
	add_group(all, fd, *path ? path : "/");
	while (depth < MAX_DEPTH && all->n < MAX_GROUPS && (d = readdir(dir))) {
		int below;
		char *name;

		if (d->d_type != DT_DIR || *d->d_name == '.')
			continue;
		below = openat(fd, d->d_name,
			       O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (below < 0)
			continue;
		name = pw_asprintf("%s/%s", path, d->d_name);
		walk(all, below, name, depth + 1);
		free(name);
	}
	closedir(dir);
}

static void look(struct pw_system *s, struct cgroups *all)
{
	int fd = openat(all->top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uint32_t n = 0;

	all->looked_ns = s->reading_ns;
	for (uint32_t i = 0; i < all->n; i++)
		all->all[i].is_seen = false;
	if (fd >= 0)
		walk(all, fd, "", 0);
	for (uint32_t i = 0; i < all->n; i++) {
		if (all->all[i].is_seen)
			all->all[n++] = all->all[i];
		else
			group_release(&all->all[i]);
	}
	all->n = n;
}

/* --- reading ----------------------------------------------------------------------------- */

static bool read_group(struct pw_system *s, struct group *g,
		       const struct sink *k)
{
	bool any = false;

	for (uint32_t i = 0; i < N_CGROUP_FILES; i++) {
		const struct cgroup_file *f = cgroup_file(i);
		struct part p;
		ssize_t n;

		if (g->fds[i] < 0)
			continue;
		n = read_whole(&s->reading, g->fds[i]);
		if (n < 0)
			continue;
		p = (struct part){
			.left = { s->reading.data, (uint32_t)n },
			.instance = { g->path, (uint32_t)strlen(g->path) },
			.name = { f->name, (uint32_t)strlen(f->name) },
		};
		f->parse(&p, k);
		any = true;
	}
	return any;
}

int read_cgroups(struct pw_system *s, const struct sink *k)
{
	struct cgroups *all = s->cgroups;
	bool any = false;

	if (!all) {
		int top = open_top(s);

		if (top < 0)
			return top;
		all = s->cgroups = pw_zalloc(sizeof(*all));
		all->top = top;
	}
	if (!all->n || s->reading_ns - all->looked_ns >= LOOK_NS)
		look(s, all);
	for (uint32_t i = 0; i < all->n; i++)
		any |= read_group(s, &all->all[i], k);
	return any ? 0 : -ENOENT;
}
