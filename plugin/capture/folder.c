// SPDX-License-Identifier: GPL-2.0-only
/*
 * Folders with several files of one recording, of which only the one that is
 * read is open. Knows nothing of what is in a record but its time.
 *
 * perf record --threads: `data`, a perf.data file, and data.0, data.1, ...: the
 * records of each of its threads, without a header. `data` is read first; then
 * always the file that lags behind all others in time, so that what waits for
 * its turn stays little.
 *
 * perf record --switch-output: perf.data.N, each a perf.data file of a piece of
 * time, in the order of their numbers, and perf.data, which perf had not
 * finished. Ends of rounds go on counting from piece to piece, as what a CPU
 * had to say last may be in the next one.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

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
	bool has_pieces;
	/* what stands before the data of the first piece, and so of all */
	uint8_t *head;
	uint64_t head_size;
};

static bool number_of(const char *name, const char *prefix, uint64_t *number)
{
	size_t n = strlen(prefix);
	char *end;

	if (strncmp(name, prefix, n) || name[n] < '0' || name[n] > '9')
		return false;
	*number = strtoull(name + n, &end, 10);
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

static int find_files(struct folder *f, const char *path, const char *prefix,
		      struct pw_err *err)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	uint64_t number;
	uint32_t from = f->n;

	if (!dir)
		return pw_err_set(err, errno, "%s: %s", path, strerror(errno));
	while ((e = readdir(dir)))
		if (number_of(e->d_name, prefix, &number))
			add_file(f, path, e->d_name, number);
	closedir(dir);
	if (f->n > from)
		qsort(f->files + from, f->n - from, sizeof(*f->files),
		      by_number);
	return 0;
}

static bool has_file(const char *folder, const char *name)
{
	char *path = pw_asprintf("%s/%s", folder, name);
	bool has = !access(path, F_OK);

	free(path);
	return has;
}

bool pw_capture_has_pieces(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	uint64_t number;
	bool any = false;

	while (dir && !any && (e = readdir(dir)))
		any = number_of(e->d_name, "perf.data.", &number);
	if (dir)
		closedir(dir);
	return any;
}

static int find_all(struct folder *f, const char *path, struct pw_err *err)
{
	int ret = 0;

	if (!has_file(path, "data")) {
		ret = find_files(f, path, "perf.data.", err);
		f->has_pieces = f->n;
	}
	if (ret)
		return ret;
	if (f->has_pieces) {
		if (has_file(path, "perf.data"))
			add_file(f, path, "perf.data", UINT64_MAX);
		return 0;
	}
	add_file(f, path, "data", 0);
	return find_files(f, path, "data.", err);
}

int folder_open(struct pw_capture *c, const char *path, struct pw_err *err)
{
	struct folder *f = c->folder = pw_zalloc(sizeof(*f));
	int ret = find_all(f, path, err);

	if (ret)
		return ret;
	if (!source_open(&c->src, f->files[0].path, f->has_pieces ? err : NULL))
		return 0;
	if (f->has_pieces)
		return -EIO;
	return pw_err_set(
		err, EISDIR,
		"%s: no capture: a folder without a file 'data', as perf record --threads writes it, and without the perf.data of perf wasm record; name the folder or file that they wrote",
		path);
}

/* --- pieces --------------------------------------------------------------------- */

/* Behind the header proper, which tells the size of the data, all is the same
 * in each piece: the events and their ids. */
#define HEADER_END 104u

/* The ids of some ten thousand events on a thousand CPUs are less. */
#define MOST_HEAD_BYTES (256ull << 20)

int folder_opened(struct pw_capture *c, struct pw_err *err)
{
	struct folder *f = c->folder;

	if (!f || !f->has_pieces)
		return 0;
	if (c->facts.is_pipe)
		return pw_err_at(err, EINVAL, 8,
				 "a piece of a recording is a stream");
	/* those are of the first piece alone */
	c->facts.first_sample_ns = c->facts.last_sample_ns = 0;
	f->head_size = c->src.pos;
	if (f->head_size > MOST_HEAD_BYTES)
		return pw_err_at(
			err, EINVAL, 40,
			"the data begin at byte %llu: no recording has so much before them",
			(unsigned long long)f->head_size);
	f->head = pw_alloc(f->head_size + 1);
	return source_read_at(&c->src, f->head, f->head_size, 0, err);
}

static bool is_all_zero(const uint8_t *p, size_t n)
{
	while (n && !*p)
		p++, n--;
	return !n;
}

/* The header of a piece is written last: of one that was not finished it is
 * a hole. */
static int piece_begin(struct pw_capture *c, struct pw_err *err)
{
	const struct folder *f = c->folder;
	uint64_t size = source_size(&c->src);
	uint8_t *head;
	int ret;

	c->src.pos = f->head_size < size ? f->head_size : size;
	if (f->head_size >= size) {
		c->facts.is_killed = true;
		return 0;
	}
	head = pw_alloc(f->head_size);
	ret = source_read_at(&c->src, head, f->head_size, 0, err);
	if (!ret && is_all_zero(head, f->head_size))
		c->facts.is_killed = true;
	else if (!ret &&
		 (f->head_size < HEADER_END || memcmp(head, f->head, 40) ||
		  memcmp(head + HEADER_END, f->head + HEADER_END,
			 f->head_size - HEADER_END)))
		ret = pw_err_at(
			err, EINVAL, 0,
			"is of another recording than the piece before it: read it alone, by its own name");
	else if (!ret)
		ret = header_data(c, head, err);
	free(head);
	return ret;
}

/* --- one after the other ------------------------------------------------------------ */

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
	if (c->folder->has_pieces)
		return piece_begin(c, err) ?: 1;
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

	if (!f || !f->now || f->has_pieces || c->opts.file_order)
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
	to = c->opts.file_order || f->has_pieces ? f->now + 1 : last_of_all(f);
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
	if (f) {
		free(f->files);
		free(f->head);
	}
	free(f);
	c->folder = NULL;
}
