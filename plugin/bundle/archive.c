// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bundles as archives: the only file that knows libarchive. Reading goes into
 * memory, entry by entry under limits; nothing is unpacked to a disk.
 */
#include "contents.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The one folder that all entries are in. */
#define TOP "perf-wasm-bundle/"

/* --- writing ------------------------------------------------------------------- */

static int write_entry(struct archive *a, const char *name, const void *data,
		       size_t size)
{
	struct archive_entry *e = archive_entry_new();
	char *path = pw_asprintf(TOP "%s", name);
	bool ok;

	archive_entry_set_pathname(e, path);
	archive_entry_set_filetype(e, AE_IFREG);
	archive_entry_set_perm(e, 0644);
	archive_entry_set_size(e, (la_int64_t)size);
	/* no time and no owner: the same hunt gives the same bytes */
	archive_entry_set_mtime(e, 0, 0);
	ok = archive_write_header(a, e) == ARCHIVE_OK &&
	     (!size || archive_write_data(a, data, size) == (la_ssize_t)size);
	archive_entry_free(e);
	free(path);
	return ok ? 0 : -EIO;
}

static la_ssize_t to_buffer(struct archive *a, void *ctx, const void *data,
			    size_t n)
{
	(void)a;
	pw_buf_add(ctx, data, n);
	return (la_ssize_t)n;
}

static int write_all(const struct pw_bundle *b, struct archive *a,
		     struct pw_buf *bytes)
{
	struct pw_buf manifest = { 0 };
	int ret = 0;

	if (archive_write_set_format_ustar(a) != ARCHIVE_OK ||
	    archive_write_add_filter_zstd(a) != ARCHIVE_OK ||
	    archive_write_set_bytes_in_last_block(a, 1) != ARCHIVE_OK ||
	    archive_write_open(a, bytes, NULL, to_buffer, NULL) != ARCHIVE_OK)
		return -EIO;
	manifest_print(b, &manifest);
	ret = write_entry(a, MANIFEST, manifest.data, manifest.len);
	for (uint32_t i = 0; i < b->n_files && !ret; i++)
		ret = write_entry(a, b->files[i].name, b->files[i].bytes.data,
				  b->files[i].bytes.len);
	pw_buf_release(&manifest);
	if (!ret && archive_write_close(a) != ARCHIVE_OK)
		ret = -EIO;
	return ret;
}

int pw_bundle_write(const struct pw_bundle *b, const char *path,
		    struct pw_err *err)
{
	struct archive *a = archive_write_new();
	struct pw_buf bytes = { 0 };
	int ret = write_all(b, a, &bytes);

	if (ret) {
		const char *why = archive_error_string(a);

		pw_err_set(err, -ret, "cannot pack the bundle: %s",
			   why ? why : strerror(-ret));
	} else {
		ret = pw_file_write(path, bytes.data, bytes.len, err);
	}
	archive_write_free(a);
	pw_buf_release(&bytes);
	return ret;
}

/* --- reading ------------------------------------------------------------------------ */

static int not_a_bundle(struct archive *a, struct pw_err *err)
{
	const char *why = archive_error_string(a);

	return pw_err_set(err, EINVAL,
			  "this is no bundle of perf wasm hunt --bundle%s%s",
			  why ? ": " : "", why ? why : "");
}

/* The name of an entry below the one folder; NULL after a refusal. */
static const char *name_of(struct archive_entry *e, struct pw_err *err)
{
	const char *path = archive_entry_pathname(e);

	if (archive_entry_filetype(e) != AE_IFREG ||
	    archive_entry_hardlink(e) || archive_entry_symlink(e)) {
		pw_err_set(err, EINVAL,
			   "the bundle holds %s, which is no plain file",
			   path ? path : "an entry");
		return NULL;
	}
	if (!path || strncmp(path, TOP, strlen(TOP)) ||
	    !bundle_name_ok(path + strlen(TOP))) {
		pw_err_set(err, EINVAL,
			   "the bundle holds a file with a name that none has: "
			   "%.100s",
			   path ? path : "(none)");
		return NULL;
	}
	return path + strlen(TOP);
}

/* Reads at most FILE_MAX bytes, whatever size the header says. */
static int read_bytes(struct archive *a, const char *name, struct pw_buf *to,
		      uint64_t *total, struct pw_err *err)
{
	uint8_t block[65536];
	la_ssize_t n;

	while ((n = archive_read_data(a, block, sizeof(block))) > 0) {
		*total += (uint64_t)n;
		if (to->len + (size_t)n > PW_BUNDLE_FILE_MAX ||
		    *total > PW_BUNDLE_TOTAL_MAX)
			return pw_err_set(err, EINVAL,
					  "%s in the bundle is larger than a "
					  "bundle may hold",
					  name);
		pw_buf_add(to, block, (size_t)n);
	}
	return n < 0 ? not_a_bundle(a, err) : 0;
}

/* The folder itself: archivers of others write it down. */
static bool is_top(struct archive_entry *e)
{
	const char *path = archive_entry_pathname(e);

	return archive_entry_filetype(e) == AE_IFDIR && path &&
	       !strcmp(path, TOP);
}

static int read_entry(struct archive *a, struct archive_entry *e,
		      struct pw_bundle *b, struct pw_buf *manifest,
		      uint64_t *total, struct pw_err *err)
{
	const char *name;
	struct pw_buf *to;

	if (is_top(e))
		return 0;
	name = name_of(e, err);
	if (!name)
		return -EINVAL;
	if (b->n_files >= PW_BUNDLE_FILES_MAX)
		return pw_err_set(err, EINVAL,
				  "the bundle holds more than %d files",
				  PW_BUNDLE_FILES_MAX);
	if (!strcmp(name, MANIFEST) ? manifest->data != NULL
				    : bundle_find(b, name) != NULL)
		return pw_err_set(err, EINVAL, "the bundle holds %s twice",
				  name);
	to = strcmp(name, MANIFEST) ? &bundle_add(b, name)->bytes : manifest;
	pw_buf_reserve(to, 1);
	return read_bytes(a, name, to, total, err);
}

static int read_all(struct archive *a, struct pw_bundle *b,
		    struct pw_buf *manifest, struct pw_err *err)
{
	struct archive_entry *e;
	uint64_t total = 0;
	int ret = 0, got;

	while (!ret && (got = archive_read_next_header(a, &e)) == ARCHIVE_OK)
		ret = read_entry(a, e, b, manifest, &total, err);
	if (!ret && got != ARCHIVE_EOF)
		ret = not_a_bundle(a, err);
	if (!ret && !manifest->len)
		ret = pw_err_set(err, EINVAL,
				 "this is no bundle of perf wasm hunt "
				 "--bundle: it has no manifest");
	return ret ? ret : manifest_parse(b, manifest, err);
}

struct pw_bundle *pw_bundle_read(const uint8_t *data, size_t size,
				 struct pw_err *err)
{
	struct archive *a = archive_read_new();
	struct pw_bundle *b = pw_bundle_new();
	struct pw_buf manifest = { 0 };
	int ret = 0;

	archive_read_support_filter_zstd(a);
	archive_read_support_format_tar(a);
	if (archive_read_open_memory(a, data, size) != ARCHIVE_OK)
		ret = not_a_bundle(a, err);
	if (!ret)
		ret = read_all(a, b, &manifest, err);
	archive_read_free(a);
	pw_buf_release(&manifest);
	if (!ret)
		return b;
	pw_bundle_free(b);
	return NULL;
}
