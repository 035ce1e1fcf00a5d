// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of a WASI guest: the directories of the request are opened ahead,
 * and every path is resolved beneath one of them by the kernel (openat2), so
 * no path of a guest leads out. What cannot be done beneath is refused.
 */
#include "wasi.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIRST_PREOPEN 3

enum { RIGHT_READ = 1 << 1, RIGHT_WRITE = 1 << 6 };

/* --- before the call ------------------------------------------------------------ */

static void take_strings(struct wasi_strings *to, const char *first,
			 const char *const *rest)
{
	size_t n = 0;

	while (rest && rest[n])
		n++;
	to->list = pw_zalloc((n + 1) * sizeof(*to->list));
	if (first)
		to->list[to->n++] = first;
	for (size_t i = 0; i < n; i++)
		to->list[to->n++] = rest[i];
	for (size_t i = 0; i < to->n; i++)
		to->bytes += strlen(to->list[i]) + 1;
}

/* "host::guest", or one path for both. */
static int preopen(struct wasi *w, size_t i, const char *dir,
		   struct pw_err *err)
{
	const char *sep = strstr(dir, "::");
	char *host = pw_strndup(dir, sep ? (size_t)(sep - dir) : strlen(dir));
	int rc = 0;

	if (i >= WASI_MAX_FDS)
		rc = pw_err_set(err, EMFILE, "too many folders for the guest");
	else
		w->fds[i].fd = open(host, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!rc && w->fds[i].fd < 0)
		rc = pw_err_set(err, errno,
				"cannot open the folder %s for the guest: %s",
				host, strerror(errno));
	if (!rc)
		w->fds[i].dir = pw_strdup(sep ? sep + 2 : dir);
	free(host);
	return rc;
}

int wasi_init(struct wasi *w, const struct pw_host_request *req,
	      struct pw_err *err)
{
	const char *slash = strrchr(req->module_path, '/');
	int rc = 0;

	for (int i = 0; i < WASI_MAX_FDS; i++)
		w->fds[i] = (struct wasi_fd){ .fd = i < 3 ? i : -1 };
	w->args = w->env = (struct wasi_strings){ 0 };
	take_strings(&w->args, slash ? slash + 1 : req->module_path, req->argv);
	take_strings(&w->env, NULL, req->env);
	for (size_t i = 0; req->dirs && req->dirs[i] && !rc; i++)
		rc = preopen(w, FIRST_PREOPEN + i, req->dirs[i], err);
	return rc;
}

void wasi_release(struct wasi *w)
{
	for (int i = 3; i < WASI_MAX_FDS; i++) {
		if (w->fds[i].fd >= 0)
			close(w->fds[i].fd);
		free(w->fds[i].dir);
	}
	free(w->args.list);
	free(w->env.list);
	memset(w, 0, sizeof(*w));
}

/* --- preopened directories --------------------------------------------------------- */

static const struct wasi_fd *preopened(struct wasi *w, uint64_t fd)
{
	fd = (uint32_t)fd;
	if (fd >= WASI_MAX_FDS || w->fds[fd].fd < 0 || !w->fds[fd].dir)
		return NULL;
	return &w->fds[fd];
}

static uint32_t fd_prestat_get(struct wasi *w, const uint64_t *a)
{
	const struct wasi_fd *d = preopened(w, a[0]);
	uint32_t prestat[2] = { 0, 0 }; /* a directory, length of its name */

	if (!d)
		return WASI_BADF;
	prestat[1] = (uint32_t)strlen(d->dir);
	return wasi_put(w, a[1], prestat, sizeof(prestat)) ? 0 : WASI_FAULT;
}

static uint32_t fd_prestat_dir_name(struct wasi *w, const uint64_t *a)
{
	const struct wasi_fd *d = preopened(w, a[0]);
	size_t n;

	if (!d)
		return WASI_BADF;
	n = strlen(d->dir);
	if (n > (uint32_t)a[2])
		return WASI_NAMETOOLONG;
	return wasi_put(w, a[1], d->dir, n) ? 0 : WASI_FAULT;
}

/* --- what a descriptor is ------------------------------------------------------------ */

static uint8_t file_type(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFBLK:
		return 1;
	case S_IFCHR:
		return 2;
	case S_IFDIR:
		return 3;
	case S_IFREG:
		return 4;
	case S_IFSOCK:
		return 6;
	case S_IFLNK:
		return 7;
	default:
		return 0;
	}
}

struct fdstat {
	uint8_t type;
	uint8_t pad;
	uint16_t flags;
	uint32_t pad2;
	uint64_t rights, inheriting;
};

/* Every right: what a call may do is the kernel's to say. */
static uint32_t fd_fdstat_get(struct wasi *w, const uint64_t *a)
{
	struct fdstat s = { .rights = (1u << 30) - 1,
			    .inheriting = (1u << 30) - 1 };
	int fd = wasi_host_fd(w, a[0]), flags;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return WASI_BADF;
	s.type = file_type(st.st_mode);
	flags = fcntl(fd, F_GETFL);
	s.flags = (flags & O_APPEND ? 1 : 0) | (flags & O_NONBLOCK ? 4 : 0);
	if (s.type == 2) /* no seeking: how libc tells a terminal */
		s.rights &= ~(uint64_t)(1 << 2 | 1 << 5);
	return wasi_put(w, a[1], &s, sizeof(s)) ? 0 : WASI_FAULT;
}

static uint32_t fd_fdstat_set_flags(struct wasi *w, const uint64_t *a)
{
	int fd = wasi_host_fd(w, a[0]);
	int flags = (a[1] & 1 ? O_APPEND : 0) | (a[1] & 4 ? O_NONBLOCK : 0);

	if (fd < 3)
		return fd < 0 ? WASI_BADF : WASI_NOTCAPABLE;
	return fcntl(fd, F_SETFL, flags) ? wasi_errno(errno) : 0;
}

struct filestat {
	uint64_t dev, ino;
	uint8_t type;
	uint8_t pad[7];
	uint64_t n_links, size, atime, mtime, ctime;
};

static uint64_t to_ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}

static uint32_t put_filestat(struct wasi *w, uint64_t at, const struct stat *st)
{
	struct filestat f = { .dev = st->st_dev,
			      .ino = st->st_ino,
			      .type = file_type(st->st_mode),
			      .n_links = st->st_nlink,
			      .size = (uint64_t)st->st_size,
			      .atime = to_ns(&st->st_atim),
			      .mtime = to_ns(&st->st_mtim),
			      .ctime = to_ns(&st->st_ctim) };

	return wasi_put(w, at, &f, sizeof(f)) ? 0 : WASI_FAULT;
}

static uint32_t fd_filestat_get(struct wasi *w, const uint64_t *a)
{
	int fd = wasi_host_fd(w, a[0]);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return WASI_BADF;
	return put_filestat(w, a[1], &st);
}

static uint32_t fd_filestat_set_size(struct wasi *w, const uint64_t *a)
{
	int fd = wasi_host_fd(w, a[0]);

	if (fd < 3)
		return fd < 0 ? WASI_BADF : WASI_NOTCAPABLE;
	return ftruncate(fd, (off_t)a[1]) ? wasi_errno(errno) : 0;
}

static uint32_t fd_sync(struct wasi *w, const uint64_t *a)
{
	int fd = wasi_host_fd(w, a[0]);

	if (fd < 0)
		return WASI_BADF;
	/* pipes and devices have nothing to sync */
	return fdatasync(fd) && errno != EINVAL ? wasi_errno(errno) : 0;
}

/* 0, 1 and 2 are the process's: they are only forgotten. */
static uint32_t fd_close(struct wasi *w, const uint64_t *a)
{
	int fd = wasi_host_fd(w, a[0]);

	if (fd < 0)
		return WASI_BADF;
	if (fd > 2)
		close(fd);
	w->fds[(uint32_t)a[0]].fd = -1;
	return 0;
}

/* --- paths ----------------------------------------------------------------------------- */

struct path {
	int dir;
	char name[4096];
};

static uint32_t get_path(struct wasi *w, uint64_t fd, uint64_t at, uint64_t len,
			 struct path *p)
{
	const char *from = wasi_mem(w, at, (uint32_t)len);

	len = (uint32_t)len;
	p->dir = wasi_host_fd(w, fd);
	if (p->dir < 0)
		return WASI_BADF;
	if (!from)
		return WASI_FAULT;
	if (len >= sizeof(p->name))
		return WASI_NAMETOOLONG;
	if (memchr(from, 0, len))
		return WASI_INVAL;
	memcpy(p->name, from, len);
	p->name[len] = 0;
	return 0;
}

/* O_PATH goes with few other flags: openat2 is strict. */
static int open_beneath(const struct path *p, int flags, bool follow)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC |
				    (follow ? 0 : O_NOFOLLOW)),
		.mode = flags & O_CREAT ? 0666 : 0,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};

	return (int)syscall(SYS_openat2, p->dir, p->name, &how, sizeof(how));
}

static uint32_t path_error(void)
{
	return errno == EXDEV ? WASI_NOTCAPABLE : wasi_errno(errno);
}

static int open_flags(uint64_t oflags, uint64_t rights, uint64_t fdflags)
{
	bool writes = rights & RIGHT_WRITE, reads = rights & RIGHT_READ;
	int flags = !writes ? O_RDONLY : reads ? O_RDWR : O_WRONLY;

	flags |= oflags & 1 ? O_CREAT : 0;
	flags |= oflags & 2 ? O_DIRECTORY : 0;
	flags |= oflags & 4 ? O_EXCL : 0;
	flags |= oflags & 8 ? O_TRUNC : 0;
	flags |= fdflags & 1 ? O_APPEND : 0;
	flags |= fdflags & 4 ? O_NONBLOCK : 0;
	if (oflags & 2)
		flags &= ~O_ACCMODE;
	return flags;
}

/* directory, follow, path, oflags, rights, inheriting, flags, where to put */
static uint32_t path_open(struct wasi *w, const uint64_t *a)
{
	struct path p;
	uint32_t rc = get_path(w, a[0], a[2], a[3], &p), new_fd;

	if (rc)
		return rc;
	for (new_fd = FIRST_PREOPEN; new_fd < WASI_MAX_FDS; new_fd++)
		if (w->fds[new_fd].fd < 0)
			break;
	if (new_fd == WASI_MAX_FDS)
		return WASI_MFILE;
	w->fds[new_fd].fd =
		open_beneath(&p, open_flags(a[4], a[5], a[7]), a[1] & 1);
	if (w->fds[new_fd].fd < 0)
		return path_error();
	free(w->fds[new_fd].dir);
	w->fds[new_fd].dir = NULL;
	return wasi_put(w, a[8], &new_fd, sizeof(new_fd)) ? 0 : WASI_FAULT;
}

static uint32_t path_filestat_get(struct wasi *w, const uint64_t *a)
{
	struct path p;
	uint32_t rc = get_path(w, a[0], a[2], a[3], &p);
	struct stat st;
	int fd;

	if (rc)
		return rc;
	fd = open_beneath(&p, O_PATH, a[1] & 1);
	if (fd < 0)
		return path_error();
	rc = fstat(fd, &st) ? wasi_errno(errno) : put_filestat(w, a[4], &st);
	close(fd);
	return rc;
}

/* Calls that change a directory: its parent is opened beneath, then the last
 * name of the path is used in it, which holds no slash. */
static int open_parent(struct path *p, char **last)
{
	char *slash;
	size_t n = strlen(p->name);

	while (n > 1 && p->name[n - 1] == '/')
		p->name[--n] = 0;
	slash = strrchr(p->name, '/');
	*last = slash ? slash + 1 : p->name;
	if (!strcmp(*last, "..") || !**last) {
		errno = EINVAL;
		return -1;
	}
	if (!slash)
		return fcntl(p->dir, F_DUPFD_CLOEXEC, 3);
	*slash = 0;
	return open_beneath(p, O_PATH | O_DIRECTORY, true);
}

static int make_dir(int dir, const char *name)
{
	return mkdirat(dir, name, 0777);
}

static int remove_dir(int dir, const char *name)
{
	return unlinkat(dir, name, AT_REMOVEDIR);
}

static int remove_file(int dir, const char *name)
{
	return unlinkat(dir, name, 0);
}

static uint32_t in_parent(struct wasi *w, const uint64_t *a,
			  int (*change)(int dir, const char *name))
{
	struct path p;
	uint32_t rc = get_path(w, a[0], a[1], a[2], &p);
	char *last;
	int dir;

	if (rc)
		return rc;
	dir = open_parent(&p, &last);
	if (dir < 0)
		return path_error();
	rc = change(dir, last) ? wasi_errno(errno) : 0;
	close(dir);
	return rc;
}

static uint32_t path_create_directory(struct wasi *w, const uint64_t *a)
{
	return in_parent(w, a, make_dir);
}

static uint32_t path_remove_directory(struct wasi *w, const uint64_t *a)
{
	return in_parent(w, a, remove_dir);
}

static uint32_t path_unlink_file(struct wasi *w, const uint64_t *a)
{
	return in_parent(w, a, remove_file);
}

const struct wasi_func wasi_file_funcs[] = {
	{ "fd_close", "i", fd_close },
	{ "fd_datasync", "i", fd_sync },
	{ "fd_sync", "i", fd_sync },
	{ "fd_fdstat_get", "ii", fd_fdstat_get },
	{ "fd_fdstat_set_flags", "ii", fd_fdstat_set_flags },
	{ "fd_filestat_get", "ii", fd_filestat_get },
	{ "fd_filestat_set_size", "iI", fd_filestat_set_size },
	{ "fd_prestat_get", "ii", fd_prestat_get },
	{ "fd_prestat_dir_name", "iii", fd_prestat_dir_name },
	{ "path_create_directory", "iii", path_create_directory },
	{ "path_filestat_get", "iiiii", path_filestat_get },
	{ "path_open", "iiiiiIIii", path_open },
	{ "path_remove_directory", "iii", path_remove_directory },
	{ "path_unlink_file", "iii", path_unlink_file },
	{ NULL, NULL, NULL },
};
