/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What /proc/PID/mountinfo says of a mount.
 */
#ifndef SYSTEM_MOUNTS_H
#define SYSTEM_MOUNTS_H

#include "system-impl.h"

#define MOUNTINFO "proc/self/mountinfo"

enum { MAX_MOUNT_PATH = 512 };

/* Spans of the text; blanks in them are as there, "\040". */
struct mount {
	struct span device; /* "8:1" */
	struct span where;  /* "/", "/my\040disk" */
	struct span options;
	struct span type;
	struct span from, super_options; /* may be empty */
};

/* The next mount of the text; lines that are none are passed over. False: no
 * more. */
bool take_mount(struct span *text, struct mount *m);
/* Where it is, below an open root, by its real name: "my disk", "." for the
 * root. False: that is no such path, or longer than size. */
bool mount_path(const struct mount *m, char *path, size_t size);

#endif
