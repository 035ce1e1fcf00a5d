// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bundles as archives: which files one may hold. The archive itself is
 * plugin/archive's matter.
 */
#include "contents.h"

#include <perfwasm/archive.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The one folder that all entries are in. */
#define TOP "perf-wasm-bundle/"

/* --- writing ------------------------------------------------------------------- */

static void add(struct pw_archive_out *a, const char *name,
		const struct pw_buf *bytes)
{
	char *path = pw_asprintf(TOP "%s", name);

	pw_archive_add(a, path, bytes->data, bytes->len);
	free(path);
}

int pw_bundle_write(const struct pw_bundle *b, const char *path,
		    struct pw_err *err)
{
	struct pw_archive_out *a = pw_archive_new(PW_ARCHIVE_ZSTD);
	struct pw_buf bytes = { 0 }, manifest = { 0 };
	int ret;

	manifest_print(b, &manifest);
	add(a, MANIFEST, &manifest);
	for (uint32_t i = 0; i < b->n_files; i++)
		add(a, b->files[i].name, &b->files[i].bytes);
	ret = pw_archive_finish(a, &bytes, err);
	if (!ret)
		ret = pw_file_write(path, bytes.data, bytes.len, err);
	pw_buf_release(&manifest);
	pw_buf_release(&bytes);
	return ret;
}

/* --- reading ------------------------------------------------------------------------ */

struct reading {
	struct pw_bundle *b;
	struct pw_buf manifest;
};

/* The name of an entry below the one folder; NULL after a refusal. */
static const char *name_of(const struct pw_archive_entry *e, struct pw_err *err)
{
	if (!e->is_file) {
		pw_err_set(err, EINVAL,
			   "the bundle holds %s, which is no plain file",
			   e->path ? e->path : "an entry");
		return NULL;
	}
	if (!e->path || strncmp(e->path, TOP, strlen(TOP)) ||
	    !bundle_name_ok(e->path + strlen(TOP))) {
		pw_err_set(err, EINVAL,
			   "the bundle holds a file with a name that none has: "
			   "%.100s",
			   e->path ? e->path : "(none)");
		return NULL;
	}
	return e->path + strlen(TOP);
}

static int is_wanted(void *ctx, const struct pw_archive_entry *e,
		     struct pw_err *err)
{
	struct reading *r = ctx;
	const char *name;

	/* the folder itself: archivers of others write it down */
	if (e->is_folder && e->path && !strcmp(e->path, TOP))
		return 0;
	name = name_of(e, err);
	if (!name)
		return -EINVAL;
	if (r->b->n_files >= PW_BUNDLE_FILES_MAX)
		return pw_err_set(err, EINVAL,
				  "the bundle holds more than %d files",
				  PW_BUNDLE_FILES_MAX);
	if (!strcmp(name, MANIFEST) ? r->manifest.data != NULL
				    : bundle_find(r->b, name) != NULL)
		return pw_err_set(err, EINVAL, "the bundle holds %s twice",
				  name);
	return 1;
}

static int take(void *ctx, const char *path, struct pw_buf *bytes,
		struct pw_err *err)
{
	struct reading *r = ctx;
	const char *name = path + strlen(TOP);

	(void)err;
	if (strcmp(name, MANIFEST))
		bundle_add(r->b, name)->bytes = *bytes;
	else
		r->manifest = *bytes;
	*bytes = (struct pw_buf){ 0 };
	return 0;
}

struct pw_bundle *pw_bundle_read(const uint8_t *data, size_t size,
				 struct pw_err *err)
{
	struct reading r = { .b = pw_bundle_new() };
	struct pw_archive_reader reader = {
		.file_max = PW_BUNDLE_FILE_MAX,
		.total_max = PW_BUNDLE_TOTAL_MAX,
		.entries_max = PW_BUNDLE_FILES_MAX + 3,
		.entry = is_wanted,
		.file = take,
		.ctx = &r,
	};
	int ret = pw_archive_read(data, size, &reader, err);

	if (ret == -EBADMSG) {
		pw_err_prefix(err, "this is no bundle of perf wasm hunt "
				   "--bundle");
	} else if (ret == -E2BIG) {
		pw_err_prefix(err, "the bundle cannot be read");
	} else if (!ret && !r.manifest.len) {
		ret = pw_err_set(err, EINVAL,
				 "this is no bundle of perf wasm hunt "
				 "--bundle: it has no manifest");
	}
	if (!ret)
		ret = manifest_parse(r.b, &r.manifest, err);
	if (err && ret)
		err->code = EINVAL;
	pw_buf_release(&r.manifest);
	if (!ret)
		return r.b;
	pw_bundle_free(r.b);
	return NULL;
}
