// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pieces of a ring, in the capture that was made of them or where they were
 * left when its recorder was killed: then those that are series are joined for
 * those who read them, in a folder of their own. The capture stays as it is.
 */
#include "capture-source.h"
#include "../capture-files.h"

#include <perfwasm/aperf.h>
#include <perfwasm/system.h>

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_piece(const char *name, const char *end)
{
	size_t n = strspn(name, "0123456789");

	return n && !strcmp(name + n, end);
}

static int is_system_piece(const struct dirent *e)
{
	return is_piece(e->d_name, ".series");
}

static int is_sched_piece(const struct dirent *e)
{
	return is_piece(e->d_name, CAPTURE_SCHED_PIECE);
}

/* The oldest first, as paths; NULL: there is none. */
static char **find_pieces(const char *capture,
			  int is_one(const struct dirent *e))
{
	char *dir = pw_asprintf("%s/" CAPTURE_RING, capture);
	struct dirent **all = NULL;
	char **paths = NULL;
	int n = scandir(dir, &all, is_one, versionsort);

	for (int i = 0; i < n; i++) {
		pw_strings_add(&paths,
			       pw_asprintf("%s/%s", dir, all[i]->d_name));
		free(all[i]);
	}
	free(all);
	free(dir);
	return paths;
}

static bool was_left(const char *capture, const char *name,
		     int is_one(const struct dirent *e))
{
	char *path = pw_asprintf("%s/%s", capture, name);
	char **pieces =
		access(path, F_OK) ? find_pieces(capture, is_one) : NULL;
	bool any = pieces;

	pw_strings_free(pieces);
	free(path);
	return any;
}

static int join_pieces(const char *to, char **pieces, struct pw_err *err)
{
	size_t n = 0;

	while (pieces && pieces[n])
		n++;
	return pw_series_join(to, (const char *const *)pieces, n, err);
}

/* A folder of our own; the caller removes it and frees the path. */
static char *make_box(struct pw_err *err)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = pw_asprintf("%s/perf-wasm-XXXXXX", tmp ?: "/tmp");

	if (mkdtemp(dir))
		return dir;
	pw_err_set(err, errno, "%s: %s", dir, strerror(errno));
	free(dir);
	return NULL;
}

/* --- samples -------------------------------------------------------------------- */

char *cmd_ring_samples(const char *capture)
{
	char *path = pw_asprintf("%s/" CAPTURE_PERF, capture);
	char *ring = pw_asprintf("%s/" CAPTURE_RING, capture);
	char *last = pw_asprintf("%s/" CAPTURE_PERF, ring);
	const char *found = NULL;

	if (access(path, F_OK)) {
		if (pw_capture_has_pieces(capture))
			found = capture;
		else if (pw_capture_has_pieces(ring))
			found = ring;
		else if (!access(last, F_OK))
			found = last;
	}
	if (found) {
		free(path);
		path = pw_strdup(found);
	}
	free(last);
	free(ring);
	return path;
}

/* --- the scheduler's figures ---------------------------------------------------------- */

bool cmd_ring_left_sched(const char *capture)
{
	return was_left(capture, CAPTURE_SCHED, is_sched_piece);
}

char *cmd_ring_join_sched(const char *capture, struct pw_err *err)
{
	char *box = make_box(err), *to;
	char **pieces;
	int ret;

	if (!box)
		return NULL;
	to = pw_asprintf("%s/" CAPTURE_SCHED, box);
	pieces = find_pieces(capture, is_sched_piece);
	ret = join_pieces(to, pieces, err);
	pw_strings_free(pieces);
	free(to);
	if (!ret)
		return box;
	pw_remove_tree(box, NULL);
	free(box);
	return NULL;
}

/* --- the system's metrics ----------------------------------------------------------------- */

bool cmd_ring_was_left(const char *capture)
{
	return was_left(capture, PW_SYSTEM_SERIES, is_system_piece);
}

static int join_into(const char *dir, const char *capture, struct pw_err *err)
{
	char *to = pw_asprintf("%s/" PW_SYSTEM_SERIES, dir);
	char *machine = pw_asprintf("%s/" PW_SYSTEM_MACHINE, dir);
	char *real = realpath(capture, NULL);
	char *target = pw_asprintf("%s/" PW_SYSTEM_MACHINE, real ?: capture);
	char **pieces = find_pieces(capture, is_system_piece);
	int ret = join_pieces(to, pieces, err);

	if (!ret && !access(target, F_OK) && symlink(target, machine))
		ret = pw_err_set(err, errno, "%s: %s", machine,
				 strerror(errno));
	pw_strings_free(pieces);
	free(target);
	free(real);
	free(machine);
	free(to);
	return ret;
}

static int read_pieces(const char *capture, struct pw_metrics *m,
		       struct pw_err *err)
{
	char *dir = make_box(err);
	int ret;

	if (!dir)
		return -EIO;
	ret = join_into(dir, capture, err);
	if (!ret)
		ret = pw_system_read(dir, m, err);
	pw_remove_tree(dir, NULL);
	free(dir);
	return ret;
}

int cmd_system_read(const char *capture, struct pw_metrics *m,
		    struct pw_err *err)
{
	if (pw_aperf_is(capture))
		return pw_aperf_read(capture, m, err);
	return cmd_ring_was_left(capture) ? read_pieces(capture, m, err)
					  : pw_system_read(capture, m, err);
}
