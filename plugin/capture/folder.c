// SPDX-License-Identifier: GPL-2.0-only
/*
 * What perf record --threads writes: a folder with `data`, a perf.data file,
 * and data.0, data.1, ...: the records of each of its threads, without a
 * header. `data` is read first; then always the file that lags behind all
 * others in time, so that what waits for its turn stays little. Only the file
 * that is read is open. Knows nothing of what is in a record but its time.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "session.h"

/* What of the capture is a file's own while another one is read. */
struct file {
	uint64_t number;
	char *path;
	uint64_t pos;
	struct stream outer, inner;
	struct inflate *inflate;
	uint64_t last_ns; /* of its records so far */
	bool at_end;
};

struct folder {
	struct file *files; /* `data` first */
	uint32_t n, now;
};

static bool number_of(const char *name, uint64_t *number)
{
	char *end;

	if (strncmp(name, "data.", 5) || name[5] < '0' || name[5] > '9')
		return false;
	*number = strtoull(name + 5, &end, 10);
	return !*end;
}

static int by_number(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static void add_file(struct folder *f, const char *folder, const char *name,
		     uint64_t number)
{
	if (!(f->n & (f->n - 1)))
		f->files = pw_realloc(f->files, (f->n ? 2 * f->n : 1) *
							sizeof(*f->files));
	f->files[f->n++] =
		(struct file){ .number = number,
			       .path = pw_asprintf("%s/%s", folder, name) };
}

int folder_open(struct pw_capture *c, const char *path, struct pw_err *err)
{
	struct folder *f = c->folder = pw_zalloc(sizeof(*f));
	DIR *dir = opendir(path);
	struct dirent *e;
	uint64_t number;

	if (!dir)
		return pw_err_set(err, errno, "%s: %s", path, strerror(errno));
	add_file(f, path, "data", 0);
	while ((e = readdir(dir)))
		if (number_of(e->d_name, &number))
			add_file(f, path, e->d_name, number);
	closedir(dir);
	qsort(f->files + 1, f->n - 1, sizeof(*f->files), by_number);
	if (!source_open(&c->src, f->files[0].path, NULL))
		return 0;
	return pw_err_set(
		err, EISDIR,
		"%s: no capture: a folder without a file 'data', as perf record --threads writes it, and without the perf.data of perf wasm record; name the folder or file that they wrote",
		path);
}

static void leave(struct pw_capture *c, bool at_end)
{
	struct file *file = &c->folder->files[c->folder->now];

	file->pos = c->src.pos;
	file->outer = c->outer;
	file->inner = c->inner;
	file->inflate = c->inflate;
	file->last_ns = c->arrived_ns;
	file->at_end = at_end;
	source_close(&c->src);
}

static int enter(struct pw_capture *c, uint32_t i, struct pw_err *err)
{
	struct file *file = &c->folder->files[i];

	c->folder->now = i;
	c->outer = file->outer;
	c->outer.pool = c->inner.pool = &c->pool;
	c->inner = file->inner;
	c->inflate = file->inflate;
	c->arrived_ns = file->last_ns;
	memset(&file->outer, 0, sizeof(file->outer));
	memset(&file->inner, 0, sizeof(file->inner));
	file->inflate = NULL;
	if (source_open(&c->src, file->path, err))
		return -EIO;
	c->src.pos = file->pos;
	return 1;
}

/* The file that lags most, or the number of files: none has more. */
static uint32_t last_of_all(const struct folder *f)
{
	uint32_t i, best = f->n;

	for (i = 0; i < f->n; i++)
		if (!f->files[i].at_end &&
		    (best == f->n ||
		     f->files[i].last_ns < f->files[best].last_ns))
			best = i;
	return best;
}

int folder_turn(struct pw_capture *c, struct pw_err *err)
{
	struct folder *f = c->folder;
	uint32_t to;

	if (!f || !f->now || c->opts.file_order)
		return 0;
	f->files[f->now].last_ns = c->arrived_ns;
	to = last_of_all(f);
	if (f->files[to].last_ns == c->arrived_ns)
		return 0;
	leave(c, false);
	return enter(c, to, err);
}

int folder_next(struct pw_capture *c, struct pw_err *err)
{
	struct folder *f = c->folder;
	uint32_t to;

	if (!f || f->files[f->now].at_end)
		return 0;
	leave(c, true);
	to = c->opts.file_order ? f->now + 1 : last_of_all(f);
	if (to < f->n)
		return enter(c, to, err);
	/* all that is left to do is to release what the last one had */
	memset(&c->outer, 0, sizeof(c->outer));
	memset(&c->inner, 0, sizeof(c->inner));
	c->inflate = NULL;
	return 0;
}

void folder_prefix(const struct pw_capture *c, struct pw_err *err)
{
	if (c->folder)
		pw_err_prefix(err, "%s", c->folder->files[c->folder->now].path);
}

void folder_release(struct pw_capture *c)
{
	struct folder *f = c->folder;
	uint32_t i;

	for (i = 0; f && i < f->n; i++) {
		struct file *file = &f->files[i];

		if (file->inflate)
			inflate_free(c, file->inflate);
		stream_release(&file->inner);
		stream_release(&file->outer);
		free(file->path);
	}
	if (f)
		free(f->files);
	free(f);
	c->folder = NULL;
}
