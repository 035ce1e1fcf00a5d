// SPDX-License-Identifier: GPL-2.0-only
/*
 * rm -rf of a tree that a hostile guest may have built: links are never
 * followed, directories without permissions are opened up, and depth costs
 * neither stack nor descriptors: what lies too deep is moved to the top.
 */
#include <perfwasm/base.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_DEPTH 32

struct remover {
	int top_fd;
	unsigned long n_moved;
	bool again; /* something was moved to the top */
};

static int open_dir_at(int at, const char *name)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(at, name, flags);

	if (fd < 0 && errno == EACCES && !fchmodat(at, name, 0700, 0))
		fd = openat(at, name, flags);
	return fd;
}

static bool is_dots(const char *s)
{
	return s[0] == '.' && (!s[1] || (s[1] == '.' && !s[2]));
}

static int remove_entries(struct remover *r, int fd, int depth);

static int move_to_top(struct remover *r, int at, const char *name)
{
	char new_name[40];

	do {
		snprintf(new_name, sizeof(new_name), ".removed-%lu",
			 r->n_moved++);
		if (!renameat(at, name, r->top_fd, new_name)) {
			r->again = true;
			return 0;
		}
	} while (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR);
	return -errno;
}

static int remove_one(struct remover *r, int at, const char *name, int depth)
{
	int fd, ret;

	if (!unlinkat(at, name, 0) || errno == ENOENT)
		return 0;
	ret = -errno;
	fd = open_dir_at(at, name);
	if (fd < 0)
		return errno == ENOTDIR || errno == ELOOP ? ret : -errno;
	if (depth >= MAX_DEPTH) {
		close(fd);
		return move_to_top(r, at, name);
	}
	ret = remove_entries(r, fd, depth + 1);
	if (!ret && unlinkat(at, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		ret = -errno;
	return ret;
}

/* Takes fd over. */
static int remove_entries(struct remover *r, int fd, int depth)
{
	struct dirent *e;
	struct stat st;
	DIR *d;
	int ret = 0;

	if (!fstat(fd, &st) && (st.st_mode & 0700) != 0700)
		(void)!fchmod(fd, 0700);
	d = fdopendir(fd);
	if (!d) {
		ret = -errno;
		close(fd);
		return ret;
	}
	while (!ret && (e = readdir(d)))
		if (!is_dots(e->d_name))
			ret = remove_one(r, dirfd(d), e->d_name, depth);
	closedir(d);
	return ret;
}

static int empty_dir(int fd)
{
	struct remover r = { .top_fd = fd };
	int ret;

	do {
		r.again = false;
		ret = remove_entries(&r, openat(fd, ".", O_RDONLY | O_CLOEXEC),
				     0);
	} while (!ret && r.again);
	return ret;
}

static int remove_tree(const char *path)
{
	int fd, ret;

	if (!unlink(path) || errno == ENOENT)
		return 0;
	ret = -errno;
	fd = open_dir_at(AT_FDCWD, path);
	if (fd < 0)
		return errno == ENOTDIR || errno == ELOOP ? ret : -errno;
	ret = empty_dir(fd);
	close(fd);
	if (!ret && rmdir(path) < 0 && errno != ENOENT)
		ret = -errno;
	return ret;
}

int pw_remove_tree(const char *path, struct pw_err *err)
{
	size_t len = strlen(path);
	char *bare;
	int ret;

	/* "link/" would be followed. */
	while (len > 1 && path[len - 1] == '/')
		len--;
	bare = pw_strndup(path, len);
	ret = remove_tree(bare);
	free(bare);
	if (ret)
		pw_err_set(err, -ret, "cannot remove '%s': %s", path,
			   strerror(-ret));
	return ret;
}
