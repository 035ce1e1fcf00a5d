// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last TIME of samples and of the scheduler's figures, in pieces, as the
 * recorder of the system keeps its own beside them.
 *
 *   DIR/ring/perf.data.7 ... perf.data.14, perf.data   the last one grows
 *   DIR/ring/7.sched ... 15.sched                      the same
 *
 * perf ends a piece when it is asked to (SIGUSR2), gives it its name when it is
 * whole, and begins the next by telling anew what runs and what is mapped. What
 * is made of the pieces when the recorder says so is record-captures.c's.
 */
#include "ring.h"

#include "../capture-files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

/* As many as the recorder's. */
#define PIECES 8

/* perf may miss a signal that comes just before it sleeps. */
#define ANSWER_NS 1000000000ULL
#define MAX_ASKED 10

static void add_piece(struct ring_pieces *p)
{
	if (p->n == p->cap) {
		p->cap = 2 * p->cap + PIECES;
		p->at = pw_realloc(p->at, p->cap * sizeof(*p->at));
	}
	p->at[p->n++] = (struct ring_piece){ ++p->last, pw_now_ns() };
}

static uint64_t began_ns(const struct ring_pieces *p)
{
	return p->at[p->n - 1].begin_ns;
}

char *ring_samples_path(const char *dir, uint32_t number)
{
	return pw_asprintf("%s/" CAPTURE_PERF ".%u", dir, number);
}

char *ring_sched_path(const char *dir, uint32_t number)
{
	return pw_asprintf("%s/%u" CAPTURE_SCHED_PIECE, dir, number);
}

char *record_ring_sched(const struct record *r)
{
	return ring_sched_path(r->ring->dir, r->ring->sched.last);
}

int record_ring_open(struct record *r, struct pw_err *err)
{
	struct record_ring *ring;

	if (!r->ring_ns)
		return 0;
	ring = r->ring = pw_zalloc(sizeof(*ring));
	ring->dir = pw_asprintf("%s/" CAPTURE_RING, r->abs_dir);
	ring->keep_ns = r->ring_ns;
	ring->piece_ns = r->ring_ns / PIECES;
	add_piece(&ring->samples);
	add_piece(&ring->sched);
	ring->watch = -1;
	if (pw_mkdirs(ring->dir, err))
		return -EIO;
	if (r->no_samples)
		return 0;
	ring->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (ring->watch < 0 ||
	    inotify_add_watch(ring->watch, ring->dir, IN_MOVED_TO) < 0)
		return pw_err_set(err, errno, "cannot watch %s: %s", ring->dir,
				  strerror(errno));
	return 0;
}

void record_ring_begin(struct record *r, pid_t perf)
{
	if (!r->ring)
		return;
	r->ring->perf = r->no_samples ? 0 : perf;
	if (!r->common.quiet)
		cmd_error(
			"the last %g s are kept; kill -USR2 %d writes them to %s.N",
			(double)r->ring_ns / 1e9, (int)getpid(), r->dir);
}

/* --- pieces of perf --------------------------------------------------------------- */

void ring_ask_perf(struct record_ring *ring)
{
	if (!ring->perf || ring->has_ended || ring->asked == MAX_ASKED)
		return;
	ring->asked++;
	ring->asked_ns = pw_now_ns();
	kill(ring->perf, SIGUSR2);
}

void record_ring_perf_ended(struct record *r)
{
	if (r->ring)
		r->ring->has_ended = true;
}

/* perf.data.2026113021350276: the time when it was ended. */
static int is_ended_piece(const struct dirent *e)
{
	const char *stamp = e->d_name + strlen(CAPTURE_PERF ".");

	return !strncmp(e->d_name, CAPTURE_PERF ".",
			strlen(CAPTURE_PERF ".")) &&
	       strlen(stamp) > 12 && !stamp[strspn(stamp, "0123456789")];
}

/* The clock of these names may be set, so they get numbers of ours. */
static bool take_ended(struct record_ring *ring)
{
	struct dirent **all = NULL;
	int n = scandir(ring->dir, &all, is_ended_piece, versionsort);

	for (int i = 0; i < n; i++) {
		char *from = pw_asprintf("%s/%s", ring->dir, all[i]->d_name);
		char *to = ring_samples_path(ring->dir, ring->samples.last);

		if (!rename(from, to))
			add_piece(&ring->samples);
		free(from);
		free(to);
		free(all[i]);
	}
	free(all);
	return n > 0;
}

int record_ring_watch_fd(const struct record *r)
{
	return r->ring ? r->ring->watch : -1;
}

int record_ring_hear_fd(const struct record *r)
{
	return r->ring && r->has_recorder ? r->recorder.out : -1;
}

void record_ring_watch(struct record *r)
{
	struct record_ring *ring = r->ring;
	char buf[4096];

	if (!ring || ring->watch < 0)
		return;
	while (read(ring->watch, buf, sizeof(buf)) > 0)
		;
	if (!take_ended(ring))
		return;
	ring->asked = 0;
	ring_link_captures(r);
}

/* --- as time goes by ----------------------------------------------------------------- */

static void forget(const struct record_ring *ring, struct ring_pieces *p,
		   char *path_of(const char *dir, uint32_t number))
{
	uint64_t now = pw_now_ns();

	while (p->n > 1 && now - p->at[1].begin_ns >= ring->keep_ns) {
		char *path = path_of(ring->dir, p->at[0].number);

		unlink(path);
		free(path);
		memmove(p->at, p->at + 1, --p->n * sizeof(*p->at));
	}
}

static void turn_sched(struct record *r)
{
	struct record_ring *ring = r->ring;
	char *path = ring_sched_path(ring->dir, ring->sched.last + 1);

	if (record_bpf_turn(r, path))
		add_piece(&ring->sched);
	else /* told; until the next time */
		ring->sched.at[ring->sched.n - 1].begin_ns = pw_now_ns();
	free(path);
}

static void turn_samples(struct record *r)
{
	struct record_ring *ring = r->ring;
	uint64_t now = pw_now_ns();

	if (!ring->asked) {
		if (now - began_ns(&ring->samples) >= ring->piece_ns)
			ring_ask_perf(ring);
		return;
	}
	if (now - ring->asked_ns < ANSWER_NS)
		return;
	if (ring->asked < MAX_ASKED) {
		ring_ask_perf(ring);
		return;
	}
	/* what it is busy with may end */
	ring->asked = 0;
	ring->samples.at[ring->samples.n - 1].begin_ns = now;
	record_note(
		r,
		"perf does not end a piece of its samples: the last ones are not in what is written now");
	ring_link_captures(r);
}

/* What is left of `after` since `from`, in ms. */
static int left_ms(uint64_t from_ns, uint64_t after_ns)
{
	uint64_t past = pw_now_ns() - from_ns, left;

	left = past < after_ns ? (after_ns - past) / 1000000 + 1 : 0;
	return left > INT_MAX ? INT_MAX : (int)left;
}

int record_ring_tick(struct record *r)
{
	struct record_ring *ring = r->ring;
	int sched = -1, samples = -1;

	if (!ring)
		return -1;
	if (r->bpf && pw_now_ns() - began_ns(&ring->sched) >= ring->piece_ns)
		turn_sched(r);
	if (ring->perf)
		turn_samples(r);
	forget(ring, &ring->samples, ring_samples_path);
	forget(ring, &ring->sched, ring_sched_path);
	if (r->bpf)
		sched = left_ms(began_ns(&ring->sched), ring->piece_ns);
	if (ring->perf && ring->asked)
		samples = left_ms(ring->asked_ns, ANSWER_NS);
	else if (ring->perf)
		samples = left_ms(began_ns(&ring->samples), ring->piece_ns);
	if (sched < 0 || samples < 0)
		return sched < 0 ? samples : sched;
	return sched < samples ? sched : samples;
}

/* --- the end ------------------------------------------------------------------------------ */

/* One that was killed gave its last piece no name. */
static void take_left(struct record_ring *ring)
{
	char *from = pw_asprintf("%s/" CAPTURE_PERF, ring->dir);
	char *to = ring_samples_path(ring->dir, ring->samples.last);

	if (!rename(from, to))
		add_piece(&ring->samples);
	free(from);
	free(to);
}

/* perf has ended, and all its pieces have their names. False: there is none. */
static bool move_samples(struct record *r)
{
	struct record_ring *ring = r->ring;
	bool any = false;

	for (uint32_t i = 0; i < ring->samples.n; i++) {
		uint32_t number = ring->samples.at[i].number;
		char *from = ring_samples_path(ring->dir, number);
		char *to = ring_samples_path(r->abs_dir, number);

		any |= !rename(from, to);
		free(from);
		free(to);
	}
	if (!any)
		return false;
	free(r->data_path);
	r->data_path = pw_strdup(r->abs_dir);
	return true;
}

/* We asked it to be quiet, so it is when it fails, too. */
static void tell_failure(struct record *r, int status)
{
	if (!r->command && WIFEXITED(status) && WEXITSTATUS(status))
		record_note(
			r,
			"perf record failed (exit status %d) and the ring ended with it: is there no more room for %s?",
			WEXITSTATUS(status), r->dir);
}

static void join_sched(struct record *r)
{
	struct record_ring *ring = r->ring;
	struct pw_err err = { .off = PW_NO_OFF };

	if (ring_join_sched(ring->dir, r->abs_dir, &err)) {
		record_note(
			r,
			"the pieces of the scheduler's figures could not be joined: %s; they stay in %s/ring",
			err.msg, r->dir);
		r->has_failed = true;
	}
}

void record_ring_end(struct record *r, int status)
{
	struct record_ring *ring = r->ring;

	if (!ring)
		return;
	ring->perf = 0;
	take_ended(ring);
	take_left(ring);
	forget(ring, &ring->samples, ring_samples_path);
	ring_finish_captures(r);
	if (!r->no_samples && move_samples(r))
		tell_failure(r, status);
	join_sched(r);
	rmdir(ring->dir);
}

void record_ring_close(struct record *r)
{
	struct record_ring *ring = r->ring;

	if (!ring)
		return;
	if (ring->watch >= 0)
		close(ring->watch);
	for (size_t i = 0; i < ring->n_captures; i++)
		free(ring->captures[i].why);
	free(ring->captures);
	free(ring->samples.at);
	free(ring->sched.at);
	pw_buf_release(&ring->said);
	free(ring->dir);
	free(ring);
	r->ring = NULL;
}
