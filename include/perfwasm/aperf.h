/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * aperf: recordings of APerf (Apache-2.0, github.com/aws/aperf), as the figures
 * of metrics.h. A recording is a directory, or a .tar.gz of it, with a file for
 * each kind of data, which holds texts of /proc as they were. Its files do not
 * say what they hold, so each is taken for what its name says, and what does not
 * look like it is told as not read. The texts are parsed by plugin/system.
 * Knows the forms of 0.1.2 to 1.3.0. Form: Kbuild-notes/formats.md.
 */
#ifndef PERFWASM_APERF_H
#define PERFWASM_APERF_H

#include <perfwasm/metrics.h>

/* Does it look like one: a directory, or an archive, that begins with a file of
 * one? Cheap; false for what cannot be read. */
bool pw_aperf_is(const char *path);

/*
 * Reads one into m: figures with the times of the recorder's real-time clock in
 * ns, facts ("recorder", "kernel", "config", "sysctl"), and for each source
 * whether it was recorded, or why it was not read. pw_metrics_end() is the
 * caller's. Archives come from strangers: limits hold, nothing is unpacked to a
 * disk. EINVAL: it is none, or nothing of it is known; a report of APerf, which
 * has recordings in it, is refused with a word on where they are.
 */
int pw_aperf_read(const char *path, struct pw_metrics *m, struct pw_err *err);
/* The same of an archive in memory. */
int pw_aperf_read_bytes(const uint8_t *data, size_t size, struct pw_metrics *m,
			struct pw_err *err);

#endif
