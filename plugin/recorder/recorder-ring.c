// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last TIME of a recording: pieces, each a series that can be read alone,
 * of which the oldest goes when the others suffice.
 *
 *   DIR/ring/7.series  8.series ... 15.series   the last one grows
 *   DIR.1, DIR.2 ...                            captures that were written
 *
 * A capture is made of links to the pieces by a process of its own, so that
 * neither ticks nor memory of the recorder suffer.
 */
#include "recorder-impl.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* More of them waste less of the disk: between TIME and TIME / N more is
 * kept. But each tells all there is anew. */
#define PIECES 8

/* One that fires for ever fills no disk. */
#define MAX_CAPTURES 100

struct piece {
	uint32_t number;
	uint64_t begin_ns;
};

struct ring {
	char *dir; /* DIR/ring */
	uint64_t keep_ns, piece_ns;
	struct piece *pieces; /* the oldest first */
	uint32_t n, cap, next;
	uint32_t n_written, last; /* captures; number of the last one */
	pid_t writer;             /* 0: none is at work */
	char *waiting;            /* why one more is wanted, or NULL */
	bool cannot_turn;         /* it was told */
};

static char *piece_path(const char *dir, uint32_t number)
{
	return pw_asprintf("%s/%u.series", dir, number);
}

static void add_piece(struct ring *ring)
{
	if (ring->n == ring->cap) {
		ring->cap = 2 * ring->cap + PIECES;
		ring->pieces = pw_realloc(ring->pieces,
					  ring->cap * sizeof(*ring->pieces));
	}
	ring->pieces[ring->n++] = (struct piece){ ring->next++, pw_now_ns() };
}

struct ring *ring_open(const struct recorder_opts *o, char **path,
		       struct pw_err *err)
{
	struct ring *ring = pw_zalloc(sizeof(*ring));

	ring->dir = pw_asprintf("%s/ring", o->dir);
	ring->keep_ns = o->ring_ns;
	ring->piece_ns = o->ring_ns / PIECES;
	if (pw_mkdirs(ring->dir, err)) {
		ring_close(ring);
		return NULL;
	}
	ring->next = 1;
	add_piece(ring);
	*path = piece_path(ring->dir, 1);
	return ring;
}

/* --- as time goes by ------------------------------------------------------------ */

static void turn(struct recorder *r)
{
	struct ring *ring = r->ring;
	char *path = piece_path(ring->dir, ring->next);
	struct pw_err err = { .off = PW_NO_OFF };

	if (!pw_system_rotate(r->system, path, &err)) {
		add_piece(ring);
		ring->cannot_turn = false;
	} else if (!ring->cannot_turn) {
		ring->cannot_turn = true;
		recorder_fault(
			r,
			"%s: the ring grows until a new piece of it can be made",
			err.msg);
	}
	free(path);
}

static void forget(struct ring *ring)
{
	uint64_t now = pw_now_ns();

	while (ring->n > 1 && now - ring->pieces[1].begin_ns >= ring->keep_ns) {
		char *path = piece_path(ring->dir, ring->pieces[0].number);

		unlink(path);
		free(path);
		memmove(ring->pieces, ring->pieces + 1,
			--ring->n * sizeof(*ring->pieces));
	}
}

void ring_tick(struct recorder *r)
{
	struct ring *ring = r->ring;

	if (!ring)
		return;
	if (pw_now_ns() - ring->pieces[ring->n - 1].begin_ns >= ring->piece_ns)
		turn(r);
	forget(ring);
}

/* --- a capture of it ---------------------------------------------------------------- */

/* Its pieces under their names in another directory; the number of links. */
static uint32_t link_pieces(const struct ring *ring, const char *to)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < ring->n; i++) {
		char *a = piece_path(ring->dir, ring->pieces[i].number);
		char *b = piece_path(to, ring->pieces[i].number);

		n += !link(a, b);
		free(a);
		free(b);
	}
	return n;
}

/* Makes the capture of the pieces in `pieces`, which go when it is made. */
static int join(const struct ring *ring, const char *pieces, const char *dir,
		struct pw_err *err)
{
	char *to = pw_asprintf("%s/" PW_SYSTEM_SERIES, dir);
	char **paths = NULL;
	int ret;

	for (uint32_t i = 0; i < ring->n; i++)
		pw_strings_add(&paths,
			       piece_path(pieces, ring->pieces[i].number));
	ret = pw_series_join(to, (const char *const *)paths, ring->n, err);
	for (uint32_t i = 0; !ret && i < ring->n; i++)
		unlink(paths[i]);
	rmdir(pieces); /* unless pieces of another are there */
	pw_strings_free(paths);
	free(to);
	return ret;
}

static void copy_facts(const char *from, const char *to)
{
	char *a = pw_asprintf("%s/facts", from),
	     *b = pw_asprintf("%s/facts", to);
	struct pw_file f;

	if (!pw_file_open(&f, a, NULL)) {
		pw_file_write(b, f.data, f.size, NULL);
		pw_file_close(&f);
	}
	free(a);
	free(b);
}

static void link_machine(const char *from, const char *to)
{
	char *a = pw_asprintf("%s/" PW_SYSTEM_MACHINE, from);
	char *b = pw_asprintf("%s/" PW_SYSTEM_MACHINE, to);

	(void)!link(a, b); /* without it the capture lacks these facts only */
	free(a);
	free(b);
}

/* The writer's life: it has the recorder's memory, but none of its duties. What
 * ends the recorder (a terminal's Ctrl-C is for all of them) leaves it the time
 * to do its part, so signals stay blocked. */
static void write_capture(const struct recorder *r, const char *dir,
			  const char *name, const char *why)
{
	char *pieces = pw_asprintf("%s/ring", dir);
	struct pw_err err = { .off = PW_NO_OFF };

	copy_facts(r->o.dir, dir);
	recorder_fact(dir, "written", why);
	if (join(r->ring, pieces, dir, &err)) {
		recorder_fault(
			r,
			"%s could not be written whole: %s; its pieces stay in %s/ring",
			name, err.msg, name);
		_exit(1);
	}
	if (!r->o.is_beside) /* it is not whole yet */
		recorder_tell(r, "%s: what the ring held is in %s", why, name);
	_exit(0);
}

/* DIR.N, where nothing is yet; NULL: there can be none. */
static char *new_dir(struct recorder *r, uint32_t *number)
{
	for (uint32_t i = r->ring->last + 1; i < UINT_MAX; i++) {
		char *dir = pw_asprintf("%s.%u", r->o.dir, i);
		char *pieces = pw_asprintf("%s/ring", dir);
		bool is_new = !mkdir(dir, 0755);
		int why = errno;

		if (is_new && !mkdir(pieces, 0755) &&
		    link_pieces(r->ring, pieces)) {
			free(pieces);
			*number = i;
			return dir;
		}
		why = is_new ? errno : why;
		if (is_new) {
			rmdir(pieces);
			rmdir(dir);
		}
		free(pieces);
		free(dir);
		if (why == EEXIST)
			continue;
		recorder_fault(r, "cannot make %s.%u: %s", r->o.name, i,
			       strerror(why));
		return NULL;
	}
	return NULL;
}

static void start_writer(struct recorder *r, const char *why)
{
	struct ring *ring = r->ring;
	uint32_t number;
	char *dir, *name;

	if (ring->n_written == MAX_CAPTURES) {
		ring->n_written++;
		recorder_fault(
			r,
			"%d captures were written: no more are, for the disk's sake",
			MAX_CAPTURES);
	}
	if (ring->n_written > MAX_CAPTURES)
		return;
	dir = new_dir(r, &number);
	if (!dir)
		return;
	name = pw_asprintf("%s.%u", r->o.name, number);
	link_machine(r->o.dir, dir);
	ring->last = number;
	ring->n_written++;
	recorder_hand_on(r, "ring %u\t%s\n", number, why);
	ring->writer = fork();
	if (!ring->writer)
		write_capture(r, dir, name, why);
	if (ring->writer < 0) {
		ring->writer = 0;
		recorder_hand_on(r, "broken %u\n", number);
		recorder_fault(r, "cannot write %s: %s", name, strerror(errno));
	}
	free(name);
	free(dir);
}

void ring_write(struct recorder *r, const char *why)
{
	struct ring *ring = r->ring;

	if (!ring)
		return;
	if (!ring->writer) {
		start_writer(r, why);
	} else if (!ring->waiting) {
		ring->waiting = pw_strdup(why);
	}
}

bool ring_reap(struct recorder *r, pid_t pid, int status)
{
	struct ring *ring = r->ring;
	char *why;

	if (!ring || pid != ring->writer)
		return false;
	ring->writer = 0;
	recorder_hand_on(r, status ? "broken %u\n" : "written %u\n",
			 ring->last);
	if (WIFSIGNALED(status))
		recorder_fault(
			r,
			"the writer of %s.%u was ended by signal %d; its pieces stay in %s.%u/ring",
			r->o.name, ring->last, WTERMSIG(status), r->o.name,
			ring->last);
	why = ring->waiting;
	ring->waiting = NULL;
	if (why)
		start_writer(r, why);
	free(why);
	return true;
}

void ring_end(struct recorder *r)
{
	struct ring *ring = r->ring;
	struct pw_err err = { .off = PW_NO_OFF };
	pid_t pid;
	int status;

	if (!ring)
		return;
	while (ring->writer && waitpid(ring->writer, &status, 0) > 0)
		ring_reap(r, ring->writer, status);
	pid = fork();
	if (!pid)
		_exit(join(ring, ring->dir, r->o.dir, &err) ? 1 : 0);
	if (pid > 0 && waitpid(pid, &status, 0) == pid && !status)
		return;
	r->has_failed = true;
	recorder_fault(
		r,
		"the pieces of the ring could not be joined; they stay in %s/ring",
		r->o.name);
}

void ring_close(struct ring *ring)
{
	if (!ring)
		return;
	free(ring->dir);
	free(ring->pieces);
	free(ring->waiting);
	free(ring);
}
