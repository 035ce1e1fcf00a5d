// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pieces of a ring whose recorder was killed before it could make a capture
 * of them: joined for those who read them, in a folder of their own. The capture
 * stays as it is.
 */
#include "capture-source.h"

#include <perfwasm/aperf.h>
#include <perfwasm/system.h>

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_piece(const struct dirent *e)
{
	size_t n = strspn(e->d_name, "0123456789");

	return n && !strcmp(e->d_name + n, ".series");
}

/* The oldest first, as paths; NULL: there is none. */
static char **find_pieces(const char *capture)
{
	char *dir = pw_asprintf("%s/ring", capture);
	struct dirent **all = NULL;
	char **paths = NULL;
	int n = scandir(dir, &all, is_piece, versionsort);

	for (int i = 0; i < n; i++) {
		pw_strings_add(&paths,
			       pw_asprintf("%s/%s", dir, all[i]->d_name));
		free(all[i]);
	}
	free(all);
	free(dir);
	return paths;
}

bool cmd_ring_was_left(const char *capture)
{
	char *path = pw_asprintf("%s/" PW_SYSTEM_SERIES, capture);
	char **pieces = access(path, F_OK) ? find_pieces(capture) : NULL;
	bool was_left = pieces;

	pw_strings_free(pieces);
	free(path);
	return was_left;
}

static int join_into(const char *dir, const char *capture, struct pw_err *err)
{
	char *to = pw_asprintf("%s/" PW_SYSTEM_SERIES, dir);
	char *machine = pw_asprintf("%s/" PW_SYSTEM_MACHINE, dir);
	char *real = realpath(capture, NULL);
	char *target = pw_asprintf("%s/" PW_SYSTEM_MACHINE, real ?: capture);
	char **pieces = find_pieces(capture);
	size_t n = 0;
	int ret;

	while (pieces && pieces[n])
		n++;
	ret = pw_series_join(to, (const char *const *)pieces, n, err);
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
	const char *tmp = getenv("TMPDIR");
	char *dir = pw_asprintf("%s/perf-wasm-XXXXXX", tmp ?: "/tmp");
	int ret;

	if (!mkdtemp(dir)) {
		ret = pw_err_set(err, errno, "%s: %s", dir, strerror(errno));
		free(dir);
		return ret;
	}
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
