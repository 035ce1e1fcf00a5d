// SPDX-License-Identifier: GPL-2.0-only
/*
 * Captures that are no events but what was kept of them: the figures of record
 * --bpf, beside a perf.data or without one, the metrics of record --system, and
 * the cdicts of perfwhiz.
 */
#include "capture-source.h"
#include "../capture-files.h"

#include <perfwasm/aperf.h>
#include <perfwasm/system.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char *series_path(const struct source *s)
{
	return pw_asprintf("%s/" CAPTURE_SCHED, s->box ?: s->path);
}

bool cmd_source_has_series(const struct source *s)
{
	char *path = series_path(s);
	bool has = !access(path, F_OK) || cmd_ring_left_sched(s->path);

	free(path);
	return has;
}

int cmd_source_join(struct source *s, struct pw_err *err)
{
	if (!s->dir || s->box || !cmd_ring_left_sched(s->path))
		return 0;
	s->box = cmd_ring_join_sched(s->path, err);
	return s->box ? 0 : -EIO;
}

int cmd_source_series(struct source *s, struct pw_err *err)
{
	char *path = series_path(s);
	struct pw_series *in = pw_series_open(path, err);
	int ret = in ? pw_sched_series(s->sched, in, err) : -EINVAL;

	if (in && ret)
		pw_err_prefix(err, "%s", path);
	pw_series_close(in);
	free(path);
	return ret;
}

bool cmd_source_has_system(const struct source *s)
{
	char *path = pw_asprintf("%s/" PW_SYSTEM_SERIES, s->path);
	bool has = !access(path, F_OK) || cmd_ring_was_left(s->path) ||
		   pw_aperf_is(s->path);

	free(path);
	return has;
}

bool cmd_source_is_other(const struct source *s, struct pw_err *err)
{
	bool sched = cmd_source_has_series(s);
	bool system = cmd_source_has_system(s);
	const char *what =
		!sched ? "the machine's metrics: 'perf wasm system' reads them"
		: !system
			? "the scheduler's figures: 'perf wasm sched' reads them"
			: "the scheduler's figures and the machine's metrics: 'perf wasm sched' and 'perf wasm system' read them";

	if (sched || system)
		pw_err_set(err, ENOENT,
			   "%s: there is nothing of perf record in it, only %s",
			   s->path, what);
	return sched || system;
}

int cmd_source_system(const struct source *s, struct pw_metrics *m,
		      struct pw_err *err)
{
	int ret = cmd_system_read(s->path, m, err);

	if (!ret)
		pw_metrics_end(m);
	return ret;
}

struct pw_waits *cmd_source_waits(const struct source *s, struct pw_err *err)
{
	char *path = series_path(s);
	struct pw_waits *w = NULL;

	if (s->dir && cmd_source_has_series(s)) {
		w = pw_profile_waits_open(path, err);
		if (!w)
			cmd_fail(err);
	}
	free(path);
	return w;
}

bool cmd_source_cdict(struct source *s, int *ret, struct pw_err *err)
{
	struct pw_file file = { 0 };
	struct stat st;
	bool is_one;

	/* a pipe is not to be read from here */
	if (!s->sched || stat(s->data, &st) || !S_ISREG(st.st_mode) ||
	    pw_file_open(&file, s->data, NULL))
		return false;
	is_one = pw_sched_is_cdict(file.data, file.size);
	if (is_one) {
		*ret = pw_sched_read_cdict(s->sched, file.data, file.size, err);
		if (*ret)
			pw_err_prefix(err, "%s", s->data);
		pw_sched_end(s->sched, NULL);
	}
	pw_file_close(&file);
	return is_one;
}
