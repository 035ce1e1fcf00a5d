// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that are read again and again: found by their patterns, opened once,
 * read from their start each time.
 */
#include "system-impl.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

static void file_close(struct open_file *f)
{
	close(f->fd);
	free(f->instance);
	free(f->name);
}

void files_release(struct files *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		file_close(&f->all[i]);
	free(f->all);
	memset(f, 0, sizeof(*f));
}

/* --- finding --------------------------------------------------------------------- */

/* One walk along a pattern: what its parts with a * were so far. */
struct walk {
	struct files *to;
	const struct path_def *def;
	int error; /* of the first file that is not there */
};

static void add_file(struct walk *w, int dir, const char *name,
		     const char *instance, const char *last)
{
	struct files *f = w->to;
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		w->error = w->error ?: -errno;
		return;
	}
	f->all = pw_realloc(f->all, (f->n + 1) * sizeof(*f->all));
	f->all[f->n++] = (struct open_file){
		.fd = fd,
		.def = w->def,
		.instance = pw_strdup(instance),
		.name = pw_strdup(last),
	};
}

static void walk(struct walk *w, int dir, const char *pattern,
		 const char *instance, const char *last);

/* name below dir, and then the rest of the pattern. */
static void step(struct walk *w, int dir, const char *name, const char *rest,
		 const char *instance, const char *last)
{
	int fd;

	if (!*rest) {
		add_file(w, dir, name, instance, last);
		return;
	}
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		w->error = w->error ?: -errno;
		return;
	}
	walk(w, fd, rest, instance, last);
	close(fd);
}

/* "cpu2" comes before "cpu10". */
static int by_version(const struct dirent **a, const struct dirent **b)
{
	return versionsort(a, b);
}

static void step_each(struct walk *w, int dir, const char *part,
		      const char *rest, const char *instance)
{
	struct dirent **names = NULL;
	int n = scandirat(dir, ".", &names, NULL, by_version);

	for (int i = 0; i < n; i++) {
		const char *name = names[i]->d_name;

		if (*name != '.' && !fnmatch(part, name, 0)) {
			char *both = pw_asprintf("%s%s%s", instance,
						 *instance ? " " : "", name);

			step(w, dir, name, rest, both, name);
			free(both);
		}
		free(names[i]);
	}
	free(names);
}

static void walk(struct walk *w, int dir, const char *pattern,
		 const char *instance, const char *last)
{
	const char *star = strchr(pattern, '*'), *from = star, *end;
	char *part;

	if (!star) {
		step(w, dir, pattern, "", instance, last);
		return;
	}
	while (from > pattern && from[-1] != '/')
		from--;
	if (from > pattern) {
		part = pw_strndup(pattern, (size_t)(from - pattern));
		step(w, dir, part, from, instance, last);
		free(part);
		return;
	}
	end = strchrnul(star, '/');
	part = pw_strndup(from, (size_t)(end - from));
	step_each(w, dir, part, end + (*end == '/'), instance);
	free(part);
}

int files_look(struct files *f, enum pw_system_source_id s, int root)
{
	struct walk w = { .to = f };
	uint64_t looked_ns = f->looked_ns;
	bool has_path = false;

	files_release(f);
	f->looked_ns = looked_ns;
	for (const struct path_def *d = path_defs(); d->pattern; d++) {
		if (d->source != s)
			continue;
		has_path = true;
		w.def = d;
		f->may_change |= strchr(d->pattern, '*') != NULL;
		walk(&w, root, d->pattern, "", "");
	}
	return f->n || !has_path ? 0 : w.error ?: -ENOENT;
}

/* --- reading ---------------------------------------------------------------------- */

static void make_room(struct reading *r, size_t at)
{
	if (r->cap - at >= 4096)
		return;
	r->cap = r->cap ? 2 * r->cap : 16384;
	r->data = pw_realloc(r->data, r->cap);
}

ssize_t read_once(struct reading *r, int fd)
{
	ssize_t n;

	make_room(r, 0);
	do
		n = pread(fd, r->data, r->cap, 0);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

ssize_t read_whole(struct reading *r, int fd)
{
	size_t at = 0;
	ssize_t n;

	for (;;) {
		make_room(r, at);
		n = pread(fd, r->data + at, r->cap - at, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += (size_t)n;
		if (!n || at >= MAX_TEXT)
			return (ssize_t)at;
	}
}

struct span read_path(struct reading *r, int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read_whole(r, fd);

	if (fd >= 0)
		close(fd);
	return (struct span){ r->data, n > 0 ? (uint32_t)n : 0 };
}
