// SPDX-License-Identifier: GPL-2.0-only
/*
 * Free space of file systems. Only of those on devices and in memory: one whose
 * server is away would hold up the recorder for good.
 */
#include "system-mounts.h"
#include "system-record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

struct mounts {
	int fd;            /* MOUNTINFO */
	uint64_t seen[64]; /* devices of this reading */
	uint32_t n_seen;
};

void mounts_free(struct mounts *m)
{
	if (m)
		close(m->fd);
	free(m);
}

/* One device may be mounted in many places: the first counts. */
static bool is_new(struct mounts *m, struct span device)
{
	uint64_t h = pw_hash(device.s, device.n, 0);

	for (uint32_t i = 0; i < m->n_seen; i++)
		if (m->seen[i] == h)
			return false;
	if (m->n_seen < sizeof(m->seen) / sizeof(*m->seen))
		m->seen[m->n_seen++] = h;
	return true;
}

static bool is_local(struct span type, struct span from)
{
	if (span_is(type, "tmpfs") || span_is(type, "zfs") ||
	    span_is(type, "bcachefs"))
		return true;
	return from.n && *from.s == '/' && (from.n < 2 || from.s[1] != '/') &&
	       !span_starts(type, "fuse") && !span_is(type, "cifs");
}

static void tell_space(struct pw_system *s, const struct mount *m,
		       const struct sink *k)
{
	char path[MAX_MOUNT_PATH];
	struct statvfs v;
	uint64_t kib;
	int fd, ret;

	if (!mount_path(m, path, sizeof(path)))
		return;
	fd = openat(s->root, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	ret = fstatvfs(fd, &v);
	close(fd);
	if (ret || !v.f_blocks)
		return;
	kib = v.f_frsize / 1024 ?: 1;
	k->row(k->ctx, TABLE_MOUNTS, m->where, NO_SPAN,
	       (uint64_t[]){ v.f_blocks * kib, v.f_bfree * kib,
			     v.f_bavail * kib, v.f_files, v.f_ffree });
}

int read_mounts(struct pw_system *s, const struct sink *k)
{
	struct span text;
	struct mount m;
	ssize_t n;

	if (!s->mounts) {
		int fd = openat(s->root, MOUNTINFO, O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			return -errno;
		s->mounts = pw_zalloc(sizeof(*s->mounts));
		s->mounts->fd = fd;
	}
	n = read_whole(&s->reading, s->mounts->fd);
	if (n < 0)
		return (int)n;
	s->mounts->n_seen = 0;
	text = (struct span){ s->reading.data, (uint32_t)n };
	while (take_mount(&text, &m))
		if (is_local(m.type, m.from) && is_new(s->mounts, m.device))
			tell_space(s, &m, k);
	return 0;
}
