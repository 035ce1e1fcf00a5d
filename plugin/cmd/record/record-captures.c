// SPDX-License-Identifier: GPL-2.0-only
/*
 * Captures that are written of a ring while it goes on. The recorder of the
 * system makes DIR.N with its part of it, and says on its standard output
 *
 *   ring N<tab>WHY     it is there
 *   written N          and its part is done: what follows is ours alone
 *   broken N           the same, but its part is not there, and it said so
 *
 * Pieces are linked at the first, of perf when it has ended the one of this
 * moment; the rest is done after the second by a process of its own.
 */
#include "ring.h"

#include "../capture-files.h"

#include <perfwasm/capture.h>
#include <perfwasm/series.h>

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void link_into(const char *from, const char *to, const char *name)
{
	char *a = pw_asprintf("%s/%s", from, name);
	char *b = pw_asprintf("%s/%s", to, name);

	(void)!link(a, b); /* what could not be is missing later, and told */
	free(a);
	free(b);
}

/* --- pieces --------------------------------------------------------------------- */

static void link_pieces(const struct record_ring *ring, const char *dir)
{
	char *pieces = pw_asprintf("%s/" CAPTURE_RING, dir);

	for (uint32_t i = 0; i + 1 < ring->samples.n; i++) {
		uint32_t number = ring->samples.at[i].number;
		char *a = ring_samples_path(ring->dir, number);
		char *b = ring_samples_path(dir, number);

		(void)!link(a, b);
		free(a);
		free(b);
	}
	pw_mkdirs(pieces, NULL);
	for (uint32_t i = 0; i < ring->sched.n; i++) {
		uint32_t number = ring->sched.at[i].number;
		char *a = ring_sched_path(ring->dir, number);
		char *b = ring_sched_path(pieces, number);

		(void)!link(a, b);
		free(a);
		free(b);
	}
	rmdir(pieces); /* nobody had any */
	free(pieces);
}

static void start_writer(struct record *r);

void ring_link_captures(struct record *r)
{
	struct record_ring *ring = r->ring;

	for (size_t i = 0; i < ring->n_captures; i++) {
		struct ring_capture *c = &ring->captures[i];
		char *dir = pw_asprintf("%s.%u", r->abs_dir, c->number);

		if (!c->is_linked)
			link_pieces(ring, dir);
		c->is_linked = true;
		free(dir);
	}
	start_writer(r);
}

static int is_sched(const struct dirent *e)
{
	return !fnmatch("[0-9]*" CAPTURE_SCHED_PIECE, e->d_name, 0);
}

/* What is in the folder, and not what the ring has: it went on meanwhile. */
int ring_join_sched(const char *from, const char *dir, struct pw_err *err)
{
	char *to = pw_asprintf("%s/" CAPTURE_SCHED, dir);
	struct dirent **all = NULL;
	int n = scandir(from, &all, is_sched, versionsort), ret = 0;
	char **paths = NULL;

	for (int i = 0; i < n; i++) {
		pw_strings_add(&paths,
			       pw_asprintf("%s/%s", from, all[i]->d_name));
		free(all[i]);
	}
	if (n > 0)
		ret = pw_series_join(to, (const char *const *)paths, (size_t)n,
				     err);
	for (int i = 0; !ret && i < n; i++)
		unlink(paths[i]);
	pw_strings_free(paths);
	free(all);
	free(to);
	return ret;
}

/* --- the writer ------------------------------------------------------------------------ */

/* Modules, dumps and what else is in the capture that the ring will become. */
static void link_kept(const char *from, const char *to)
{
	static const char *const others[] = { "facts", CAPTURE_PERF "*",
					      "*.series" };
	DIR *dir = opendir(from);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		bool is_other = e->d_type != DT_REG;

		for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
			is_other |= !fnmatch(others[i], e->d_name, 0);
		if (!is_other)
			link_into(from, to, e->d_name);
	}
	if (dir)
		closedir(dir);
}

static int make_whole(struct record *r, const char *ring_dir,
		      struct pw_err *err)
{
	char *pieces = pw_asprintf("%s/" CAPTURE_RING, r->abs_dir);
	int ret;

	link_kept(ring_dir, r->abs_dir);
	ret = ring_join_sched(pieces, r->abs_dir, err);
	rmdir(pieces);
	if (!ret)
		ret = record_gather(r, err);
	link_into(r->abs_dir, ring_dir, CAPTURE_KALLSYMS); /* for the others */
	free(pieces);
	return ret;
}

/* Its life: it has our memory, and turns it to the capture DIR.N. What ends us
 * leaves it the time for that, so signals stay blocked. */
static void write_capture(struct record *r, const struct ring_capture *c)
{
	const char *ring_dir = r->abs_dir;
	struct pw_err err = { .off = PW_NO_OFF };

	r->common.quiet = true; /* what there is to say is in its facts */
	r->goes_on = true;
	r->abs_dir = pw_asprintf("%s.%u", ring_dir, c->number);
	r->data_path = r->abs_dir;
	r->no_samples |= !pw_capture_has_pieces(r->abs_dir);
	r->facts.len = 0;
	if (record_open_facts(r, &err) || make_whole(r, ring_dir, &err)) {
		cmd_error("%s.%u lacks what went with its pieces: %s", r->dir,
			  c->number, err.msg);
		record_fact(r, "note", err.msg);
		_exit(1);
	}
	_exit(0);
}

static void start_writer(struct record *r)
{
	struct record_ring *ring = r->ring;
	const struct ring_capture *c = ring->captures;

	if (ring->writer || !ring->n_captures || !c->is_linked ||
	    !c->is_written)
		return;
	ring->writer = fork();
	if (!ring->writer)
		write_capture(r, c);
	if (ring->writer > 0)
		return;
	ring->writer = 0;
	record_note(r, "cannot write %s.%u: %s", r->dir, c->number,
		    strerror(errno));
}

static void drop_first(struct record_ring *ring)
{
	free(ring->captures[0].why);
	memmove(ring->captures, ring->captures + 1,
		--ring->n_captures * sizeof(*ring->captures));
}

static void on_end(struct record *r, int status)
{
	struct record_ring *ring = r->ring;
	const struct ring_capture *c = ring->captures;

	ring->writer = 0;
	if (WIFSIGNALED(status))
		record_note(
			r,
			"the writer of %s.%u was ended by signal %d; its pieces are there",
			r->dir, c->number, WTERMSIG(status));
	else if (!r->common.quiet && !status && !c->is_broken)
		cmd_error("%s: what the ring held is in %s.%u", c->why, r->dir,
			  c->number);
	drop_first(ring);
	start_writer(r);
}

void record_ring_reap(struct record *r)
{
	int status;

	if (r->ring && r->ring->writer &&
	    waitpid(r->ring->writer, &status, WNOHANG) == r->ring->writer)
		on_end(r, status);
}

void ring_finish_captures(struct record *r)
{
	struct record_ring *ring = r->ring;
	int status;

	/* of a recorder that was ended, too */
	for (size_t i = 0; i < ring->n_captures; i++) {
		struct ring_capture *c = &ring->captures[i];

		c->is_broken |= !c->is_written;
		c->is_written = true;
	}
	ring_link_captures(r);
	while (ring->writer && waitpid(ring->writer, &status, 0) > 0)
		on_end(r, status);
}

/* --- what the recorder says ---------------------------------------------------------- */

static void on_capture(struct record *r, uint32_t number, const char *why)
{
	struct record_ring *ring = r->ring;

	ring->captures =
		pw_realloc(ring->captures,
			   (ring->n_captures + 1) * sizeof(*ring->captures));
	ring->captures[ring->n_captures++] =
		(struct ring_capture){ .number = number,
				       .why = pw_strdup(why) };
	record_bpf_read(r);
	if (!ring->perf)
		ring_link_captures(r);
	else if (!ring->asked)
		ring_ask_perf(ring);
}

static void on_line(struct record *r, const char *line)
{
	struct record_ring *ring = r->ring;
	uint32_t number;
	bool is_broken;
	int n = 0;

	if (sscanf(line, "ring %u\t%n", &number, &n) == 1 && n)
		on_capture(r, number, line + n);
	is_broken = sscanf(line, "broken %u", &number) == 1;
	if (!is_broken && sscanf(line, "written %u", &number) != 1)
		return;
	for (size_t i = 0; i < ring->n_captures; i++)
		if (ring->captures[i].number == number) {
			ring->captures[i].is_written = true;
			ring->captures[i].is_broken = is_broken;
		}
	start_writer(r);
}

bool record_ring_hear(struct record *r)
{
	struct record_ring *ring = r->ring;
	char buf[4096], *line, *end;
	bool goes_on;
	ssize_t n;

	while ((n = read(r->recorder.out, buf, sizeof(buf))) > 0)
		pw_buf_add(&ring->said, buf, (size_t)n);
	goes_on = n < 0 && errno == EAGAIN;
	line = (char *)pw_buf_str(&ring->said);
	for (; (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		on_line(r, line);
	}
	ring->said.len -= (size_t)(line - (char *)ring->said.data);
	memmove(ring->said.data, line, ring->said.len);
	return goes_on;
}
