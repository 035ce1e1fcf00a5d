// SPDX-License-Identifier: GPL-2.0-only
/*
 * WASI preview 1 for a guest in this process: arguments, environment, chance,
 * exit, and reading and writing of open descriptors. Files are wasi-files.c's,
 * clocks and waiting wasi-clock.c's. Numbers and layouts are those of the preview 1 witx.
 * Every guest address is checked; nothing here trusts the guest.
 */
#include "wasi.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

/* --- the guest's memory ---------------------------------------------------------- */

void *wasi_mem(struct wasi *w, uint64_t at, uint64_t size)
{
	uint64_t memory_size;
	uint8_t *memory = w->memory(w->arg, &memory_size);

	at = (uint32_t)at;
	if (!memory || at > memory_size || size > memory_size - at)
		return NULL;
	return memory + at;
}

bool wasi_put(struct wasi *w, uint64_t at, const void *value, size_t size)
{
	void *to = wasi_mem(w, at, size);

	if (to)
		memcpy(to, value, size);
	return to;
}

uint32_t wasi_put_u32(struct wasi *w, uint64_t at, uint64_t value)
{
	uint32_t v = (uint32_t)value;

	return wasi_put(w, at, &v, sizeof(v)) ? 0 : WASI_FAULT;
}

uint32_t wasi_put_u64(struct wasi *w, uint64_t at, uint64_t v)
{
	return wasi_put(w, at, &v, sizeof(v)) ? 0 : WASI_FAULT;
}

/* --- errors -------------------------------------------------------------------------- */

uint32_t wasi_errno(int error)
{
	static const uint8_t numbers[] = {
		[EACCES] = 2,     [EAGAIN] = 6,        [EBADF] = 8,
		[EBUSY] = 10,     [EDQUOT] = 19,       [EEXIST] = 20,
		[EFAULT] = 21,    [EFBIG] = 22,        [EILSEQ] = 25,
		[EINTR] = 27,     [EINVAL] = 28,       [EIO] = 29,
		[EISDIR] = 31,    [ELOOP] = 32,        [EMFILE] = 33,
		[EMLINK] = 34,    [ENAMETOOLONG] = 37, [ENFILE] = 41,
		[ENODEV] = 43,    [ENOENT] = 44,       [ENOMEM] = 48,
		[ENOSPC] = 51,    [ENOSYS] = 52,       [ENOTDIR] = 54,
		[ENOTEMPTY] = 55, [EOPNOTSUPP] = 58,   [ENOTTY] = 59,
		[ENXIO] = 60,     [EOVERFLOW] = 61,    [EPERM] = 63,
		[EPIPE] = 64,     [ERANGE] = 68,       [EROFS] = 69,
		[ESPIPE] = 70,    [ETXTBSY] = 74,      [EXDEV] = 76,
	};
	size_t n = sizeof(numbers);

	return error > 0 && (size_t)error < n && numbers[error] ? numbers[error]
								: WASI_IO;
}

int wasi_host_fd(struct wasi *w, uint64_t fd)
{
	fd = (uint32_t)fd;
	return fd < WASI_MAX_FDS ? w->fds[fd].fd : -1;
}

/* --- arguments and environment ------------------------------------------------------- */

static uint32_t put_sizes(struct wasi *w, const struct wasi_strings *s,
			  const uint64_t *a)
{
	return wasi_put_u32(w, a[0], s->n) ?: wasi_put_u32(w, a[1], s->bytes);
}

static uint32_t put_strings(struct wasi *w, const struct wasi_strings *s,
			    const uint64_t *a)
{
	uint64_t at = a[1];

	for (size_t i = 0; i < s->n; i++) {
		size_t size = strlen(s->list[i]) + 1;

		if (wasi_put_u32(w, a[0] + 4 * i, at) ||
		    !wasi_put(w, at, s->list[i], size))
			return WASI_FAULT;
		at += size;
	}
	return 0;
}

static uint32_t args_sizes_get(struct wasi *w, const uint64_t *a)
{
	return put_sizes(w, &w->args, a);
}

static uint32_t args_get(struct wasi *w, const uint64_t *a)
{
	return put_strings(w, &w->args, a);
}

static uint32_t environ_sizes_get(struct wasi *w, const uint64_t *a)
{
	return put_sizes(w, &w->env, a);
}

static uint32_t environ_get(struct wasi *w, const uint64_t *a)
{
	return put_strings(w, &w->env, a);
}

/* --- chance, exit --------------------------------------------------------------- */

static uint32_t random_bytes(struct wasi *w, const uint64_t *a)
{
	uint64_t left = (uint32_t)a[1];
	uint8_t *to = wasi_mem(w, a[0], left);

	if (!to)
		return WASI_FAULT;
	while (left) {
		ssize_t n = getrandom(to, left < 256 ? left : 256, 0);

		if (n < 0 && errno != EINTR)
			return wasi_errno(errno);
		if (n > 0) {
			to += n;
			left -= (uint64_t)n;
		}
	}
	return 0;
}

static uint32_t proc_exit(struct wasi *w, const uint64_t *a)
{
	w->leave(w->arg, (int)(uint32_t)a[0]);
	return 0;
}

static uint32_t yield(struct wasi *w, const uint64_t *a)
{
	(void)w;
	(void)a;
	sched_yield();
	return 0;
}

/* --- reading and writing --------------------------------------------------------------------- */

#define MAX_IOVECS 64

/* At most MAX_IOVECS are taken: a short count is allowed, and the guest comes
 * back for the rest. */
static uint32_t get_iovecs(struct wasi *w, const uint64_t *a, struct iovec *v,
			   int *n)
{
	uint32_t want = (uint32_t)a[2], pair[2];
	void *from;

	*n = want < MAX_IOVECS ? (int)want : MAX_IOVECS;
	for (int i = 0; i < *n; i++) {
		from = wasi_mem(w, a[1] + 8 * (uint64_t)i, 8);
		if (!from)
			return WASI_FAULT;
		memcpy(pair, from, 8);
		v[i].iov_base = wasi_mem(w, pair[0], pair[1]);
		v[i].iov_len = pair[1];
		if (!v[i].iov_base)
			return WASI_FAULT;
	}
	return 0;
}

typedef ssize_t io_fn(int fd, const struct iovec *v, int n);

static uint32_t do_io(struct wasi *w, const uint64_t *a, io_fn *io)
{
	struct iovec v[MAX_IOVECS];
	int fd = wasi_host_fd(w, a[0]), n;
	uint32_t rc;
	ssize_t got;

	if (fd < 0)
		return WASI_BADF;
	rc = get_iovecs(w, a, v, &n);
	if (rc)
		return rc;
	do {
		got = io(fd, v, n);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return wasi_errno(errno);
	return wasi_put_u32(w, a[3], (uint64_t)got);
}

static uint32_t fd_read(struct wasi *w, const uint64_t *a)
{
	return do_io(w, a, readv);
}

static uint32_t fd_write(struct wasi *w, const uint64_t *a)
{
	return do_io(w, a, writev);
}

typedef ssize_t io_at_fn(int fd, const struct iovec *v, int n, off_t off);

static uint32_t do_io_at(struct wasi *w, const uint64_t *a, io_at_fn *io)
{
	struct iovec v[MAX_IOVECS];
	int fd = wasi_host_fd(w, a[0]), n;
	uint32_t rc;
	ssize_t got;

	if (fd < 0)
		return WASI_BADF;
	rc = get_iovecs(w, a, v, &n);
	if (rc)
		return rc;
	got = io(fd, v, n, (off_t)a[3]);
	if (got < 0)
		return wasi_errno(errno);
	return wasi_put_u32(w, a[4], (uint64_t)got);
}

static uint32_t fd_pread(struct wasi *w, const uint64_t *a)
{
	return do_io_at(w, a, preadv);
}

static uint32_t fd_pwrite(struct wasi *w, const uint64_t *a)
{
	return do_io_at(w, a, pwritev);
}

static uint32_t seek(struct wasi *w, uint64_t guest_fd, uint64_t delta,
		     uint64_t whence, uint64_t at)
{
	static const int whences[] = { SEEK_SET, SEEK_CUR, SEEK_END };
	int fd = wasi_host_fd(w, guest_fd);
	off_t pos;

	if (fd < 0)
		return WASI_BADF;
	if ((uint32_t)whence > 2)
		return WASI_INVAL;
	pos = lseek(fd, (off_t)delta, whences[(uint32_t)whence]);
	if (pos < 0)
		return wasi_errno(errno);
	return wasi_put_u64(w, at, (uint64_t)pos);
}

static uint32_t fd_seek(struct wasi *w, const uint64_t *a)
{
	return seek(w, a[0], a[1], a[2], a[3]);
}

static uint32_t fd_tell(struct wasi *w, const uint64_t *a)
{
	return seek(w, a[0], 0, 1, a[1]);
}

/* --- the table ------------------------------------------------------------------------------------ */

static uint32_t not_here(struct wasi *w, const uint64_t *a)
{
	(void)w;
	(void)a;
	return WASI_NOSYS;
}

static const struct wasi_func core_funcs[] = {
	{ "args_get", "ii", args_get },
	{ "args_sizes_get", "ii", args_sizes_get },
	{ "environ_get", "ii", environ_get },
	{ "environ_sizes_get", "ii", environ_sizes_get },
	{ "fd_pread", "iiiIi", fd_pread },
	{ "fd_pwrite", "iiiIi", fd_pwrite },
	{ "fd_read", "iiii", fd_read },
	{ "fd_seek", "iIii", fd_seek },
	{ "fd_tell", "ii", fd_tell },
	{ "fd_write", "iiii", fd_write },
	{ "proc_exit", "i", proc_exit },
	{ "random_get", "ii", random_bytes },
	{ "sched_yield", "", yield },
	/* there, so that a module links, and answered with "no such call" */
	{ "fd_advise", "iIIi", not_here },
	{ "fd_allocate", "iII", not_here },
	{ "fd_fdstat_set_rights", "iII", not_here },
	{ "fd_filestat_set_times", "iIIi", not_here },
	{ "fd_readdir", "iiiIi", not_here },
	{ "fd_renumber", "ii", not_here },
	{ "path_filestat_set_times", "iiiiIIi", not_here },
	{ "path_link", "iiiiiii", not_here },
	{ "path_readlink", "iiiiii", not_here },
	{ "path_rename", "iiiiii", not_here },
	{ "path_symlink", "iiiii", not_here },
	{ "proc_raise", "i", not_here },
	{ "sock_accept", "iii", not_here },
	{ "sock_recv", "iiiiii", not_here },
	{ "sock_send", "iiiii", not_here },
	{ "sock_shutdown", "ii", not_here },
	{ NULL, NULL, NULL },
};

static const struct wasi_func *find_in(const struct wasi_func *f,
				       const char *name, size_t len)
{
	for (; f->name; f++)
		if (strlen(f->name) == len && !memcmp(f->name, name, len))
			return f;
	return NULL;
}

const struct wasi_func *wasi_find(const char *name, size_t len)
{
	return find_in(core_funcs, name, len) ?:
	       find_in(wasi_file_funcs, name, len) ?:
	       find_in(wasi_clock_funcs, name, len);
}
