// SPDX-License-Identifier: GPL-2.0-only
/*
 * The journal: what a long job has done already, a line for each unit of work.
 * Appended with one write() a line, so that a killed job leaves whole lines
 * and at most one cut one, which is dropped when the journal is opened again.
 */
#include <perfwasm/base.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include <uthash.h>

struct entry {
	char *id; /* "STEP\tKEY" */
	char *value;
	UT_hash_handle hh;
};

struct pw_journal {
	int fd;
	struct entry *entries;
};

static void remember(struct pw_journal *j, char *id, char *value)
{
	struct entry *e = pw_zalloc(sizeof(*e));

	e->id = id;
	e->value = value;
	HASH_ADD_KEYPTR(hh, j->entries, e->id, strlen(e->id), e);
}

static void load_line(struct pw_journal *j, const char *line, size_t len)
{
	const char *key = memchr(line, '\t', len);
	const char *value;
	char *id;

	if (!key)
		return;
	value = memchr(key + 1, '\t', len - (size_t)(key + 1 - line));
	if (!value)
		return;
	id = pw_strndup(line, (size_t)(value - line));
	value++;
	remember(j, id, pw_strndup(value, len - (size_t)(value - line)));
}

/* Loads the whole lines; gives the length they take. */
static size_t load(struct pw_journal *j, const struct pw_file *f)
{
	const char *p = (const char *)f->data, *end = p + f->size, *nl;

	while (p < end && (nl = memchr(p, '\n', (size_t)(end - p)))) {
		load_line(j, p, (size_t)(nl - p));
		p = nl + 1;
	}
	return f->size ? (size_t)(p - (const char *)f->data) : 0;
}

struct pw_journal *pw_journal_open(const char *path, struct pw_err *err)
{
	struct pw_journal *j = pw_zalloc(sizeof(*j));
	struct pw_file f = { 0 };
	size_t whole = 0;

	j->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (j->fd < 0) {
		pw_err_set(err, errno, "cannot open %s: %s", path,
			   strerror(errno));
		goto fail;
	}
	if (flock(j->fd, LOCK_EX | LOCK_NB)) {
		pw_err_set(
			err, EBUSY,
			"another process is at work with %s: wait for it, or "
			"name another directory with --dir",
			path);
		goto fail;
	}
	if (pw_file_open(&f, path, err))
		goto fail;
	whole = load(j, &f);
	if (whole < f.size && ftruncate(j->fd, (off_t)whole)) {
		pw_err_set(err, errno, "cannot cut %s: %s", path,
			   strerror(errno));
		pw_file_close(&f);
		goto fail;
	}
	pw_file_close(&f);
	return j;
fail:
	pw_journal_close(j);
	return NULL;
}

void pw_journal_close(struct pw_journal *j)
{
	struct entry *e, *next;

	if (!j)
		return;
	HASH_ITER (hh, j->entries, e, next) {
		HASH_DEL(j->entries, e);
		free(e->id);
		free(e->value);
		free(e);
	}
	if (j->fd >= 0)
		close(j->fd);
	free(j);
}

const char *pw_journal_find(const struct pw_journal *j, const char *step,
			    const char *key)
{
	char *id = pw_asprintf("%s\t%s", step, key);
	struct entry *e;

	HASH_FIND_STR(j->entries, id, e);
	free(id);
	return e ? e->value : NULL;
}

int pw_journal_each(const struct pw_journal *j, const char *step,
		    int (*f)(void *ctx, const char *key, const char *value),
		    void *ctx)
{
	size_t len = strlen(step);
	int ret = 0;

	for (const struct entry *e = j->entries; e && !ret; e = e->hh.next)
		if (!strncmp(e->id, step, len) && e->id[len] == '\t')
			ret = f(ctx, e->id + len + 1, e->value);
	return ret;
}

int pw_journal_add(struct pw_journal *j, const char *step, const char *key,
		   struct pw_err *err, const char *fmt, ...)
{
	struct pw_buf line = { 0 };
	char *value = NULL;
	va_list ap;
	ssize_t n;
	int ret = 0;

	va_start(ap, fmt);
	if (vasprintf(&value, fmt, ap) < 0)
		value = pw_strdup("");
	va_end(ap);
	pw_buf_printf(&line, "%s\t%s\t%s\n", step, key, value);
	n = write(j->fd, line.data, line.len);
	if (n != (ssize_t)line.len) {
		free(value);
		ret = pw_err_set(err, n < 0 ? errno : ENOSPC,
				 "cannot write the journal: %s",
				 n < 0 ? strerror(errno) : "no space");
	} else {
		remember(j, pw_asprintf("%s\t%s", step, key), value);
	}
	pw_buf_release(&line);
	return ret;
}

/* Is it new, or this one's? */
static int claim(struct pw_journal *j, const char *dir, const char *identity,
		 struct pw_err *err)
{
	const char *seen = pw_journal_find(j, "job", "identity");

	if (!seen && !j->entries)
		return pw_journal_add(j, "job", "identity", err, "%s",
				      identity);
	if (seen && !strcmp(seen, identity))
		return 0;
	return pw_err_set(err, EEXIST,
			  "%s holds something else (module, runtimes or "
			  "options differ): name another directory with --dir, "
			  "or remove this one",
			  dir);
}

struct pw_journal *pw_journal_claim(const char *dir, const char *job,
				    uint64_t identity, struct pw_err *err)
{
	char *path = pw_asprintf("%s/journal", dir);
	char *id = pw_asprintf("%s %016" PRIx64, job, identity);
	struct pw_journal *j = NULL;

	if (!pw_mkdirs(dir, err))
		j = pw_journal_open(path, err);
	if (j && claim(j, dir, id, err)) {
		pw_journal_close(j);
		j = NULL;
	}
	free(id);
	free(path);
	return j;
}
