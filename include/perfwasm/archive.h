/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * archive: tar archives, compressed by gzip or zstd, read into memory and
 * written from it, by libarchive. Archives come from strangers: reading is
 * under limits, whatever sizes the headers tell, and nothing is unpacked to a
 * disk, so no name in one ever becomes a path.
 */
#ifndef PERFWASM_ARCHIVE_H
#define PERFWASM_ARCHIVE_H

#include <perfwasm/base.h>

/* --- reading ----------------------------------------------------------------- */

struct pw_archive_entry {
	const char *path; /* any bytes; NULL: it has none */
	bool is_file;     /* a plain one, no link */
	bool is_folder;
};

struct pw_archive_reader {
	uint64_t file_max, total_max; /* bytes, unpacked, of what is read */
	uint32_t entries_max;
	/* Is it wanted? 1: file() gets its bytes. 0: it is passed over. -errno
	 * with err: reading ends. */
	int (*entry)(void *ctx, const struct pw_archive_entry *e,
		     struct pw_err *err);
	/* May take the bytes over, leaving the buffer zeroed. 0 or -errno. */
	int (*file)(void *ctx, const char *path, struct pw_buf *bytes,
		    struct pw_err *err);
	/* A file is over file_max: 0: it is passed over, else reading ends with
	 * this. NULL: it ends with E2BIG. */
	int (*large)(void *ctx, const char *path, struct pw_err *err);
	void *ctx;
};

/*
 * All entries in their order. EBADMSG: it is no archive, or one that is cut
 * off or damaged; the message says why, as libarchive does. E2BIG: it is over
 * a limit.
 */
int pw_archive_read(const uint8_t *data, size_t size,
		    const struct pw_archive_reader *reader, struct pw_err *err);

/* --- writing ----------------------------------------------------------------- */

enum pw_archive_filter { PW_ARCHIVE_ZSTD, PW_ARCHIVE_GZIP };

struct pw_archive_out;

struct pw_archive_out *pw_archive_new(enum pw_archive_filter filter);
/* A plain file, mode 644, of no owner and no time: the same contents give the
 * same bytes. A failure is kept until the end. */
void pw_archive_add(struct pw_archive_out *a, const char *path,
		    const void *data, size_t size);
/* Adds the archive to `bytes` and frees it. */
int pw_archive_finish(struct pw_archive_out *a, struct pw_buf *bytes,
		      struct pw_err *err);

#endif
