// SPDX-License-Identifier: GPL-2.0-only
/* A recording of APerf: a directory or an archive, file by file. */
#include "aperf-impl.h"

#include <perfwasm/archive.h>
#include <perfwasm/pmu.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX    (UINT64_C(512) << 20)
#define TOTAL_MAX   (UINT64_C(2) << 30)
#define ENTRIES_MAX 4096

#define METADATA   "metadata.json"
#define PMU_CONFIG "pmu_config.json"

/* --- what a recording has ---------------------------------------------------------- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What every version has. */
static bool is_mark(const char *name)
{
	const struct file_def *d = file_def_of(name);

	return d && d->take;
}

struct reading {
	struct recording r;
	bool is_second; /* of two passes: first what says how to read */
	char *run;      /* the folder that it is in */
	uint32_t n_read;
};

static bool is_wanted(const struct reading *x, const char *name)
{
	bool is_first = !strcmp(name, METADATA) || !strcmp(name, PMU_CONFIG);

	return x->is_second ? file_def_of(name) != NULL : is_first;
}

static void take_file(struct reading *x, const char *name,
		      const struct pw_buf *bytes)
{
	const struct file_def *d = file_def_of(name);

	if (!strcmp(name, METADATA))
		read_metadata(&x->r, bytes);
	else if (!strcmp(name, PMU_CONFIG))
		pmu_configure(x->r.pmu, bytes);
	else if (d)
		read_file(&x->r, d, bytes);
	x->n_read += d && d->take && bytes->len;
}

static void tell_large(struct reading *x, const char *name)
{
	const struct file_def *d = file_def_of(name);

	if (d)
		pw_metrics_source(x->r.m, d->source ? d->source : d->name,
				  "more than 512 MiB, which are not read", 0,
				  0);
}

/* Our sources of which APerf has nothing. */
static void tell_missing(struct pw_metrics *m)
{
	uint32_t n;
	const struct pw_system_source *s = pw_system_sources(&n);

	for (uint32_t i = 0; i < n; i++)
		pw_metrics_source(m, s[i].name,
				  source_has_file(s[i].name)
					  ? "not in this recording"
					  : "APerf does not record it",
				  0, 0);
}

static void reading_init(struct reading *x, struct pw_metrics *m)
{
	*x = (struct reading){ .r = { .m = m, .pmu = pmu_new() } };
	tell_missing(m);
	pw_pmu_define(m);
}

static int reading_end(struct reading *x, int ret, struct pw_err *err)
{
	if (!ret && !x->n_read)
		ret = pw_err_set(err, EINVAL,
				 "nothing in it is a file of a recording of "
				 "APerf that is known");
	pmu_free(x->r.pmu);
	free(x->run);
	return ret;
}

/* --- archives ---------------------------------------------------------------------------- */

/* One archive, one recording; a report has them in it as archives. */
static int check_folder(struct reading *x, const char *path, struct pw_err *err)
{
	size_t n = (size_t)(base_name(path) - path);

	if (strstr(path, "/data/archive/"))
		return pw_err_set(
			err, EINVAL,
			"this is a report of APerf; unpack it and "
			"give data/archive/NAME.tar.gz that is in it");
	if (!x->run)
		x->run = pw_strndup(path, n);
	if (strlen(x->run) != n || strncmp(x->run, path, n))
		return pw_err_set(err, EINVAL,
				  "the archive holds more than one recording; "
				  "give one");
	return 0;
}

static int entry(void *ctx, const struct pw_archive_entry *e,
		 struct pw_err *err)
{
	struct reading *x = ctx;
	const char *name = e->path ? base_name(e->path) : "";
	int ret;

	if (!e->is_file || !e->path)
		return 0;
	if (!is_mark(name) && !strstr(e->path, "/data/archive/"))
		return is_wanted(x, name);
	ret = check_folder(x, e->path, err);
	return ret ? ret : is_wanted(x, name);
}

static int file(void *ctx, const char *path, struct pw_buf *bytes,
		struct pw_err *err)
{
	(void)err;
	take_file(ctx, base_name(path), bytes);
	return 0;
}

static int large(void *ctx, const char *path, struct pw_err *err)
{
	(void)err;
	tell_large(ctx, base_name(path));
	return 0;
}

static int read_archive(struct reading *x, const uint8_t *data, size_t size,
			struct pw_err *err)
{
	struct pw_archive_reader reader = {
		.file_max = FILE_MAX,
		.total_max = TOTAL_MAX,
		.entries_max = ENTRIES_MAX,
		.entry = entry,
		.file = file,
		.large = large,
		.ctx = x,
	};
	int ret = pw_archive_read(data, size, &reader, err);

	x->is_second = true;
	if (!ret)
		ret = pw_archive_read(data, size, &reader, err);
	if (ret == -EBADMSG)
		pw_err_prefix(err, "no archive of APerf can be read here");
	return ret;
}

int pw_aperf_read_bytes(const uint8_t *data, size_t size, struct pw_metrics *m,
			struct pw_err *err)
{
	struct reading x;

	reading_init(&x, m);
	return reading_end(&x, read_archive(&x, data, size, err), err);
}

/* --- directories ---------------------------------------------------------------------------- */

/* A plain file; others are passed over. */
static int open_plain(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -1;
}

static void read_plain(struct reading *x, int dir, const char *name)
{
	int fd = open_plain(dir, name);
	struct pw_buf bytes = { 0 };
	ssize_t n;

	if (fd < 0)
		return;
	do {
		pw_buf_reserve(&bytes, 65536);
		n = read(fd, bytes.data + bytes.len, 65536);
		bytes.len += n > 0 ? (size_t)n : 0;
	} while (n > 0 && bytes.len <= FILE_MAX);
	close(fd);
	if (bytes.len > FILE_MAX)
		tell_large(x, name);
	else
		take_file(x, name, &bytes);
	pw_buf_release(&bytes);
}

static void read_pass(struct reading *x, DIR *d)
{
	struct dirent *e;

	rewinddir(d);
	while ((e = readdir(d)))
		if (is_wanted(x, e->d_name))
			read_plain(x, dirfd(d), e->d_name);
}

static int read_directory(const char *path, struct pw_metrics *m,
			  struct pw_err *err)
{
	DIR *d = opendir(path);
	struct reading x;

	if (!d)
		return pw_err_set(err, errno, "cannot open %s: %s", path,
				  strerror(errno));
	reading_init(&x, m);
	read_pass(&x, d);
	x.is_second = true;
	read_pass(&x, d);
	closedir(d);
	return reading_end(&x, 0, err);
}

/* --- either ------------------------------------------------------------------------------ */

int pw_aperf_read(const char *path, struct pw_metrics *m, struct pw_err *err)
{
	struct pw_file f;
	struct stat st;
	int ret;

	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		ret = read_directory(path, m, err);
	} else {
		ret = pw_file_open(&f, path, err);
		if (ret)
			return ret;
		ret = pw_aperf_read_bytes(f.data, f.size, m, err);
		pw_file_close(&f);
	}
	if (ret)
		pw_err_prefix(err, "%s", path);
	return ret;
}

static int entry_is_mark(void *ctx, const struct pw_archive_entry *e,
			 struct pw_err *err)
{
	(void)err;
	if (!e->is_file || !e->path || !is_mark(base_name(e->path)))
		return 0;
	*(bool *)ctx = true;
	return -ECANCELED;
}

static bool is_archive(const char *path)
{
	bool found = false;
	struct pw_archive_reader reader = {
		.entries_max = ENTRIES_MAX,
		.entry = entry_is_mark,
		.ctx = &found,
	};
	struct stat st;
	struct pw_file f;

	if (stat(path, &st) || !S_ISREG(st.st_mode) ||
	    pw_file_open(&f, path, NULL))
		return false;
	/* what gzip begins with, so that captures are not searched */
	if (f.size > 2 && f.data[0] == 0x1f && f.data[1] == 0x8b)
		pw_archive_read(f.data, f.size, &reader, NULL);
	pw_file_close(&f);
	return found;
}

bool pw_aperf_is(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	bool found = false;

	if (!d)
		return is_archive(path);
	while (!found && (e = readdir(d)))
		found = is_mark(e->d_name);
	closedir(d);
	return found;
}
