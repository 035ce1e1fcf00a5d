/* SPDX-License-Identifier: GPL-2.0-only */
/* family: a process and all below it. Internal to wasm/measure. */
#ifndef MEASURE_FAMILY_H
#define MEASURE_FAMILY_H

#include <stddef.h>
#include <sys/types.h>

/* first and all below it, parents before children: at most max into pids;
 * their number. */
size_t family_of(pid_t first, pid_t *pids, size_t max);

#endif
