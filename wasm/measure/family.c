// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which processes a session consists of, by the kernel's lists of children.
 * Looks only; starting and killing are session.c's and keeper.c's.
 */
#include "family.h"

#include <dirent.h>
#include <stdio.h>

/* The children that one thread has: "PID PID PID ". */
static size_t add_children(const char *path, pid_t *pids, size_t n, size_t max)
{
	FILE *f = fopen(path, "re");
	int pid;

	while (f && n < max && fscanf(f, "%d", &pid) == 1)
		pids[n++] = pid;
	if (f)
		fclose(f);
	return n;
}

static size_t add_of(pid_t parent, pid_t *pids, size_t n, size_t max)
{
	char path[320];
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)parent);
	dir = opendir(path);
	while (dir && (d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/children",
			 (int)parent, d->d_name);
		n = add_children(path, pids, n, max);
	}
	if (dir)
		closedir(dir);
	return n;
}

size_t family_of(pid_t first, pid_t *pids, size_t max)
{
	size_t n = 0;

	if (first > 0 && max)
		pids[n++] = first;
	for (size_t i = 0; i < n; i++)
		n = add_of(pids[i], pids, n, max);
	return n;
}
