// SPDX-License-Identifier: GPL-2.0-only
/*
 * The conversation with a host: non-blocking pipes, one deadline. Knows
 * lines, not what they say (session.c).
 */
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_LINE_BYTES 65536
#define KEPT_ERR_BYTES 4096
#define MAX_ERR_BYTES  (16u << 20)
#define READ_BYTES     16384

void wire_init(struct wire *w, const struct pw_child *c)
{
	memset(w, 0, sizeof(*w));
	w->child = *c;
	fcntl(c->in, F_SETFL, O_NONBLOCK);
	fcntl(c->out, F_SETFL, O_NONBLOCK);
	fcntl(c->err_fd, F_SETFL, O_NONBLOCK);
}

void wire_release(struct wire *w)
{
	pw_child_kill(&w->child);
	pw_buf_release(&w->in);
	pw_buf_release(&w->err);
	memset(w, 0, sizeof(*w));
}

int wire_wait(struct wire *w, uint64_t timeout_ns)
{
	if (!w->ended && pw_child_wait(&w->child, timeout_ns, &w->status))
		return -ETIMEDOUT;
	w->ended = true;
	return 0;
}

/* --- from the host ---------------------------------------------------------- */

static void cut_front(struct pw_buf *b, size_t n)
{
	if (!n)
		return;
	b->len -= n;
	memmove(b->data, b->data + n, b->len);
}

/* One read; 0 bytes when there is nothing, -EPIPE at the end. */
static ssize_t read_some(int fd, struct pw_buf *b)
{
	ssize_t n;

	pw_buf_reserve(b, READ_BYTES);
	n = read(fd, b->data + b->len, READ_BYTES);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -EPIPE;
	if (!n)
		return -EPIPE;
	b->len += n;
	return n;
}

static int take_err(struct wire *w)
{
	ssize_t n = read_some(w->child.err_fd, &w->err);

	if (n < 0) {
		close(w->child.err_fd);
		w->child.err_fd = -1;
		return 0;
	}
	w->n_err_bytes += n;
	if (w->err.len > KEPT_ERR_BYTES)
		cut_front(&w->err, w->err.len - KEPT_ERR_BYTES);
	return w->n_err_bytes > MAX_ERR_BYTES ? -EOVERFLOW : 0;
}

static int slice_ms(uint64_t deadline)
{
	uint64_t now = pw_now_ns();

	if (now >= deadline)
		return 0;
	if (deadline - now > WAIT_SLICE_MS * 1000000ULL)
		return WAIT_SLICE_MS;
	return (int)((deadline - now + 999999) / 1000000);
}

/*
 * Waits a slice at most and takes what has come. *writable: in, whether that
 * is waited for too; out, whether it is so.
 */
static int step(struct wire *w, uint64_t deadline, bool *writable)
{
	struct pollfd fds[3] = {
		{ w->silent ? -1 : w->child.out, POLLIN, 0 },
		{ w->child.err_fd, POLLIN, 0 },
		{ *writable ? w->child.in : -1, POLLOUT, 0 },
	};
	bool past = pw_now_ns() >= deadline;
	ssize_t n = 0;
	int ret = 0;

	if (pw_measure_interrupted())
		return -EINTR;
	poll(fds, 3, past ? 0 : slice_ms(deadline));
	*writable = fds[2].revents;
	if (fds[1].revents)
		ret = take_err(w);
	if (fds[0].revents)
		n = read_some(w->child.out, &w->in);
	if (n < 0)
		w->silent = true;
	if (ret || n > 0 || *writable)
		return ret;
	/* What a dead host left in the pipe is read before its death tells:
	 * the death was seen, then nothing was there. */
	if (w->silent || w->ended)
		return -EPIPE;
	if (!wire_wait(w, 0))
		return 0;
	return past ? -ETIMEDOUT : 0;
}

int wire_line(struct wire *w, uint64_t deadline, const char **line)
{
	bool no_write = false;
	size_t seen = 0;
	uint8_t *end;
	int ret;

	cut_front(&w->in, w->line_bytes);
	w->line_bytes = 0;
	for (;;) {
		end = w->in.len > seen ? memchr(w->in.data + seen, '\n',
						w->in.len - seen)
				       : NULL;
		if (end)
			break;
		seen = w->in.len;
		if (seen > MAX_LINE_BYTES)
			return -EMSGSIZE;
		no_write = false;
		ret = step(w, deadline, &no_write);
		if (ret)
			return ret;
	}
	*end = 0;
	*line = (const char *)w->in.data;
	w->line_bytes = end + 1 - w->in.data;
	return 0;
}

bool wire_is_quiet(struct wire *w)
{
	bool no_write = false;

	cut_front(&w->in, w->line_bytes);
	w->line_bytes = 0;
	return step(w, 0, &no_write) == -ETIMEDOUT && !w->in.len && !w->ended;
}

/* --- to the host ------------------------------------------------------------ */

/* Without a SIGPIPE: the process's handling of it is not ours to change. */
static ssize_t write_some(int fd, const uint8_t *p, size_t n)
{
	const struct timespec now = { 0 };
	sigset_t set, old, pending;
	int saved;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	n = (size_t)write(fd, p, n);
	saved = errno;
	if ((ssize_t)n < 0 && saved == EPIPE && !sigismember(&pending, SIGPIPE))
		while (sigtimedwait(&set, NULL, &now) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = saved;
	return (ssize_t)n;
}

int wire_send(struct wire *w, const void *data, size_t n, uint64_t deadline)
{
	const uint8_t *p = data;

	while (n) {
		ssize_t k = write_some(w->child.in, p, n);
		bool writable = true;
		int ret;

		if (k > 0) {
			p += k;
			n -= k;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return -EPIPE;
		ret = step(w, deadline, &writable);
		if (ret)
			return ret;
		if (w->in.len > MAX_LINE_BYTES)
			return -EMSGSIZE;
	}
	return 0;
}

/* --- its end ---------------------------------------------------------------- */

char *wire_last_words(struct wire *w)
{
	const char *s, *from;
	size_t n;

	wire_wait(w, 200000000);
	while (w->child.err_fd >= 0 && !take_err(w)) {
		struct pollfd p = { w->child.err_fd, POLLIN, 0 };

		if (poll(&p, 1, 0) <= 0)
			break;
	}
	s = pw_buf_str(&w->err);
	n = strlen(s);
	while (n && (s[n - 1] == '\n' || s[n - 1] == '\r' || s[n - 1] == ' '))
		n--;
	for (from = s + n; from > s && from[-1] != '\n'; from--)
		;
	return pw_strndup(from, s + n - from);
}
