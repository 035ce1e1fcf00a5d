// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whole files: read, write, and the trees they lie in. Small and special
 * files are read, large ones are mapped; a written file appears whole or not
 * at all. Knows no format and no place of ours (path.c does).
 */
#include <perfwasm/base.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* From here on mapping is worth its page faults. */
#define MAP_FROM_BYTES (1u << 20)
/* Of a pipe or a device, which may never end: no module, report or bundle is
 * as long. */
#define READ_MOST_BYTES (512u << 20)

/* --- read ----------------------------------------------------------------- */

static int read_all(struct pw_file *f, int fd, const char *path,
		    struct pw_err *err)
{
	struct pw_buf b = { 0 };
	ssize_t n = 0;

	while (b.len <= READ_MOST_BYTES) {
		pw_buf_reserve(&b, 65536);
		n = read(fd, b.data + b.len, 65536);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		b.len += n;
	}
	if (n < 0) {
		n = pw_err_set(err, errno, "cannot read '%s': %s", path,
			       strerror(errno));
		pw_buf_release(&b);
		return n;
	}
	if (n > 0) {
		pw_buf_release(&b);
		return pw_err_set(
			err, EFBIG,
			"cannot read '%s': more than %u MiB came without an end; name a file",
			path, READ_MOST_BYTES >> 20);
	}
	f->data = b.data;
	f->size = b.len;
	f->mapped = false;
	return 0;
}

static int map_all(struct pw_file *f, int fd, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	f->data = p;
	f->size = size;
	f->mapped = true;
	return 0;
}

int pw_file_open(struct pw_file *f, const char *path, struct pw_err *err)
{
	struct stat st;
	int fd, ret;

	memset(f, 0, sizeof(*f));
	if (!strcmp(path, "-"))
		return read_all(f, STDIN_FILENO, "standard input", err);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return pw_err_set(err, errno, "cannot open '%s': %s", path,
				  strerror(errno));
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    st.st_size >= MAP_FROM_BYTES && !map_all(f, fd, st.st_size))
		ret = 0;
	else
		ret = read_all(f, fd, path, err);
	close(fd);
	return ret;
}

void pw_file_close(struct pw_file *f)
{
	if (!f)
		return;
	if (f->mapped)
		munmap((void *)f->data, f->size);
	else
		free((void *)f->data);
	memset(f, 0, sizeof(*f));
}

ssize_t pw_file_peek(int dir, const char *path, char *to, size_t size)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t n;

	*to = 0;
	if (fd < 0)
		return -errno;
	do
		n = read(fd, to, size - 1);
	while (n < 0 && errno == EINTR);
	n = n < 0 ? -errno : n;
	close(fd);
	to[n > 0 ? n : 0] = 0;
	return n;
}

/* --- write ---------------------------------------------------------------- */

int pw_write_all(int fd, const void *data, size_t n)
{
	const uint8_t *p = data;

	while (n) {
		ssize_t k = write(fd, p, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return k ? -errno : -EIO;
		p += k;
		n -= (size_t)k;
	}
	return 0;
}

static int write_and_close(int fd, const void *data, size_t n)
{
	int ret;

	if (fd < 0)
		return -errno;
	ret = pw_write_all(fd, data, n);
	if (close(fd) < 0 && !ret)
		ret = -errno;
	return ret;
}

static int write_beside(const char *path, const void *data, size_t n)
{
	char *tmp;
	int fd, ret;

	do {
		tmp = pw_asprintf("%s.%d-%llx.tmp", path, (int)getpid(),
				  (unsigned long long)pw_now_ns());
		fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0 || errno != EEXIST)
			break;
		free(tmp);
	} while (true);
	if (fd < 0) {
		ret = -errno;
		free(tmp);
		return ret;
	}
	ret = write_and_close(fd, data, n);
	if (!ret && rename(tmp, path) < 0)
		ret = -errno;
	if (ret)
		unlink(tmp);
	free(tmp);
	return ret;
}

int pw_file_write(const char *path, const void *data, size_t n,
		  struct pw_err *err)
{
	struct stat st;
	char *real;
	int ret;

	/* A link is written through and a device or a pipe is written to:
	 * renaming over them would destroy them. */
	real = realpath(path, NULL);
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		ret = write_and_close(open(path, O_WRONLY | O_CLOEXEC), data,
				      n);
	else
		ret = write_beside(real ? real : path, data, n);
	free(real);
	if (ret)
		pw_err_set(err, -ret, "cannot write '%s': %s", path,
			   strerror(-ret));
	return ret;
}

/* --- trees ------------------------------------------------------------------ */

static int make_dir(const char *path, struct pw_err *err)
{
	struct stat st;

	if (!mkdir(path, 0777))
		return 0;
	if (errno == EEXIST || errno == EROFS || errno == EACCES) {
		int saved = errno;

		if (!stat(path, &st))
			saved = S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
		errno = saved;
	}
	if (!errno)
		return 0;
	return pw_err_set(err, errno, "cannot make directory '%s': %s", path,
			  strerror(errno));
}

int pw_mkdirs(const char *path, struct pw_err *err)
{
	char *copy = pw_strdup(path), *p = copy;
	int ret = 0;

	while (!ret && *p) {
		p += strspn(p, "/");
		p += strcspn(p, "/");
		if (p > copy) {
			char kept = *p;

			*p = 0;
			ret = make_dir(copy, err);
			*p = kept;
		}
	}
	free(copy);
	return ret;
}
