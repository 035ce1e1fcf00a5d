// SPDX-License-Identifier: GPL-2.0-only
/*
 * Archives: the only file that knows libarchive. Reading goes into memory,
 * entry by entry under limits; nothing is unpacked to a disk.
 */
#include <perfwasm/archive.h>

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- reading ------------------------------------------------------------------- */

static int damaged(struct archive *a, struct pw_err *err)
{
	const char *why = archive_error_string(a);

	return pw_err_set(err, EBADMSG, "%s", why ? why : "it cannot be read");
}

static int too_large(const char *path, struct pw_err *err)
{
	return pw_err_set(err, E2BIG,
			  "%.200s is larger than such an archive may hold",
			  path);
}

/* Reads at most file_max bytes, whatever size the header says.
 * EFBIG, without err: it has more, and that is not the end. */
static int read_bytes(struct archive *a, const struct pw_archive_reader *r,
		      const char *path, struct pw_buf *to, uint64_t *total,
		      struct pw_err *err)
{
	uint8_t block[65536];
	la_ssize_t n;

	while ((n = archive_read_data(a, block, sizeof(block))) > 0) {
		*total += (uint64_t)n;
		if (*total > r->total_max)
			return too_large(path, err);
		if (to->len + (size_t)n > r->file_max)
			return r->large ? -EFBIG : too_large(path, err);
		pw_buf_add(to, block, (size_t)n);
	}
	return n < 0 ? damaged(a, err) : 0;
}

static int read_entry(struct archive *a, struct archive_entry *e,
		      const struct pw_archive_reader *r, uint64_t *total,
		      struct pw_err *err)
{
	struct pw_archive_entry entry = {
		.path = archive_entry_pathname(e),
		.is_file = archive_entry_filetype(e) == AE_IFREG &&
			   !archive_entry_hardlink(e) &&
			   !archive_entry_symlink(e),
		.is_folder = archive_entry_filetype(e) == AE_IFDIR,
	};
	struct pw_buf bytes = { 0 };
	int ret = r->entry(r->ctx, &entry, err);

	if (ret <= 0)
		return ret;
	pw_buf_reserve(&bytes, 1);
	ret = read_bytes(a, r, entry.path ? entry.path : "a file", &bytes,
			 total, err);
	if (ret == -EFBIG)
		ret = r->large(r->ctx, entry.path, err);
	else if (!ret)
		ret = r->file(r->ctx, entry.path, &bytes, err);
	pw_buf_release(&bytes);
	return ret;
}

static int read_all(struct archive *a, const struct pw_archive_reader *r,
		    struct pw_err *err)
{
	struct archive_entry *e;
	uint64_t total = 0;
	uint32_t n = 0;
	int ret = 0, got;

	while (!ret && (got = archive_read_next_header(a, &e)) == ARCHIVE_OK)
		ret = n++ < r->entries_max
			      ? read_entry(a, e, r, &total, err)
			      : pw_err_set(err, E2BIG,
					   "it holds more than %u files",
					   r->entries_max);
	return !ret && got != ARCHIVE_EOF ? damaged(a, err) : ret;
}

int pw_archive_read(const uint8_t *data, size_t size,
		    const struct pw_archive_reader *reader, struct pw_err *err)
{
	struct archive *a = archive_read_new();
	int ret;

	archive_read_support_filter_zstd(a);
	archive_read_support_filter_gzip(a);
	archive_read_support_format_tar(a);
	if (archive_read_open_memory(a, data, size) != ARCHIVE_OK)
		ret = damaged(a, err);
	else
		ret = read_all(a, reader, err);
	archive_read_free(a);
	return ret;
}

/* --- writing ------------------------------------------------------------------- */

struct pw_archive_out {
	struct archive *a;
	struct pw_buf bytes;
	bool failed;
};

static la_ssize_t to_buffer(struct archive *a, void *ctx, const void *data,
			    size_t n)
{
	(void)a;
	pw_buf_add(ctx, data, n);
	return (la_ssize_t)n;
}

struct pw_archive_out *pw_archive_new(enum pw_archive_filter filter)
{
	struct pw_archive_out *o = pw_zalloc(sizeof(*o));

	o->a = archive_write_new();
	o->failed =
		archive_write_set_format_ustar(o->a) != ARCHIVE_OK ||
		(filter == PW_ARCHIVE_GZIP
			 ? archive_write_add_filter_gzip(o->a)
			 : archive_write_add_filter_zstd(o->a)) != ARCHIVE_OK ||
		archive_write_set_bytes_in_last_block(o->a, 1) != ARCHIVE_OK ||
		archive_write_open(o->a, &o->bytes, NULL, to_buffer, NULL) !=
			ARCHIVE_OK;
	return o;
}

void pw_archive_add(struct pw_archive_out *o, const char *path,
		    const void *data, size_t size)
{
	struct archive_entry *e = archive_entry_new();

	archive_entry_set_pathname(e, path);
	archive_entry_set_filetype(e, AE_IFREG);
	archive_entry_set_perm(e, 0644);
	archive_entry_set_size(e, (la_int64_t)size);
	archive_entry_set_mtime(e, 0, 0);
	if (!o->failed)
		o->failed = archive_write_header(o->a, e) != ARCHIVE_OK ||
			    (size && archive_write_data(o->a, data, size) !=
					     (la_ssize_t)size);
	archive_entry_free(e);
}

int pw_archive_finish(struct pw_archive_out *o, struct pw_buf *bytes,
		      struct pw_err *err)
{
	int ret = 0;

	if (o->failed || archive_write_close(o->a) != ARCHIVE_OK) {
		const char *why = archive_error_string(o->a);

		ret = pw_err_set(err, EIO, "cannot pack it: %s",
				 why ? why : "libarchive does not say why");
	} else {
		pw_buf_add(bytes, o->bytes.data, o->bytes.len);
	}
	archive_write_free(o->a);
	pw_buf_release(&o->bytes);
	free(o);
	return ret;
}
