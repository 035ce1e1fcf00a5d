// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf has the capture mapped while it gives samples. What lies between
 * them is looked at there, right behind perf, when it is in the CPU's caches;
 * and what perf is done with is handed back to the page cache, which else
 * counts as memory of perf up to the size of the file.
 */
#include "dlfilter.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Where the file is mapped from its first byte on, only to be read. */
static const uint8_t *find(const char *path, size_t *size)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t start, end, off, ino;
	unsigned int major, minor;
	const uint8_t *p = NULL;
	char *line = NULL, perms[5];
	struct stat st;
	size_t cap = 0;

	if (!maps || stat(path, &st))
		goto out;
	while (!p && getline(&line, &cap, maps) > 0) {
		if (sscanf(line,
			   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64
			   " %x:%x %" SCNu64,
			   &start, &end, perms, &off, &major, &minor,
			   &ino) != 7 ||
		    strcmp(perms, "r--s") || off || ino != st.st_ino ||
		    makedev(major, minor) != st.st_dev)
			continue;
		p = (const uint8_t *)(uintptr_t)start;
		*size = (size_t)(end - start < (uint64_t)st.st_size
					 ? end - start
					 : (uint64_t)st.st_size);
	}
out:
	free(line);
	if (maps)
		fclose(maps);
	return p;
}

void dl_mapped_lend(struct dl_filter *f)
{
	size_t size;

	f->mapped = find(f->path, &size);
	if (f->mapped)
		pw_capture_lend(f->records, f->mapped, size);
}

/* perf may still want some: it then comes from the page cache again. */
#define STEP  (16ull << 20)
#define ALIGN (64ull << 10) /* a multiple of all page sizes */

void dl_mapped_done(struct dl_filter *f, uint64_t off)
{
	size_t size;

	if (!f->mapped || off < f->mapped_done + 2 * STEP)
		return;
	off = (off - STEP) / ALIGN * ALIGN;
	/* it is perf's: look whether it still is there */
	if (find(f->path, &size) == f->mapped && off <= size)
		madvise((void *)(f->mapped + f->mapped_done),
			off - f->mapped_done, MADV_DONTNEED);
	f->mapped_done = off;
}
