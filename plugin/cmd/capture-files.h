/* SPDX-License-Identifier: GPL-2.0-only */
/* capture-files: names in the directory of a capture, and what its files are;
 * Kbuild-notes/formats.md has all of them. */
#ifndef PW_CMD_CAPTURE_FILES_H
#define PW_CMD_CAPTURE_FILES_H

#define CAPTURE_KALLSYMS "kallsyms"
/* Samples; of a ring its pieces: perf.data.1 and so on. */
#define CAPTURE_PERF "perf.data"
/* The folder of pieces until a capture is made of them. */
#define CAPTURE_RING "ring"
/* In it: 1.sched and so on become CAPTURE_SCHED. */
#define CAPTURE_SCHED_PIECE ".sched"
/* What record --bpf keeps. */
#define CAPTURE_SCHED "sched.series"
/* What record --system keeps. */
#define CAPTURE_SYSTEM  "system.series"
#define CAPTURE_MACHINE "machine.series"

/* What a file is by its name and first bytes: "module", "artifact", or NULL:
 * none of them. */
const char *capture_kind_of(const char *path);

#endif
