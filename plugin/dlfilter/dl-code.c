// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the code that a process made is told of. perf shows a dlfilter
 * samples only, so the records that name jitdumps are read from the capture
 * itself, and only when a sample is in memory that no file was mapped to.
 */
#include "dlfilter.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int dl_code_add_named(struct dl_filter *f, struct pw_err *err)
{
	const struct dl_options *o = &f->opts;
	int ret = 0;

	for (size_t i = 0; ret >= 0 && o->wasms[i]; i++)
		ret = pw_space_add_module(f->space, o->wasms[i], err);
	for (size_t i = 0; ret >= 0 && o->artifacts[i]; i++)
		ret = pw_space_add_artifact(f->space, o->artifacts[i], -1, err);
	for (size_t i = 0; ret >= 0 && o->jitdumps[i]; i++)
		ret = pw_space_add_jitdump(f->space, o->jitdumps[i], 0, err);
	return ret < 0 ? ret : 0;
}

static bool is_marker(const struct pw_event *ev)
{
	const char *base;

	if (ev->type != PW_REC_MMAP && ev->type != PW_REC_MMAP2)
		return false;
	base = strrchr(ev->mmap.filename, '/');
	return !fnmatch("jit-*.dump", base ? base + 1 : ev->mmap.filename, 0);
}

static void see(uint32_t **list, uint32_t *n, uint32_t pid)
{
	if (!(*n & (*n - 1)))
		*list = pw_realloc(*list, (*n ? 2 * *n : 1) * sizeof(**list));
	(*list)[(*n)++] = pid;
}

static bool seen(const uint32_t *list, uint32_t n, uint32_t pid)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i] == pid)
			return true;
	return false;
}

/* The conversion of times comes before the dumps that need it. */
static void read_markers(struct dl_filter *f)
{
	struct pw_capture_opts opts = { .file_order = true };
	struct pw_err err = { 0 };
	struct pw_capture *c;
	struct pw_event ev;
	int ret = 0;

	f->has_markers = true;
	c = f->path ? pw_capture_open(f->path, &opts, &err) : NULL;
	while (c && (ret = pw_capture_next(c, &ev, &err)) > 0) {
		if (ev.type == PW_REC_TIME_CONV)
			pw_space_event(f->space, &ev);
		if (!is_marker(&ev))
			continue;
		pw_space_event(f->space, &ev);
		see(&f->dumped, &f->n_dumped, ev.mmap.pid);
	}
	if (f->path && (!c || ret < 0))
		dl_note(f,
			"jitdumps that the capture names were looked for in a part of it only: %s",
			err.msg);
	pw_capture_close(c);
}

static bool add_dump(struct dl_filter *f, const char *dir, uint32_t pid)
{
	char *path = pw_asprintf("%s/jit-%u.dump", dir, pid);
	bool is_there = !access(path, R_OK);

	/* one that does not fit is the space's to remark on */
	if (is_there)
		is_there = !pw_space_add_jitdump(f->space, path, pid, NULL);
	free(path);
	return is_there;
}

bool dl_code_look(struct dl_filter *f, uint32_t pid)
{
	if (seen(f->looked, f->n_looked, pid))
		return false;
	see(&f->looked, &f->n_looked, pid);
	if (!f->has_markers)
		read_markers(f);
	/* some runtimes don't map their dump */
	if (!seen(f->dumped, f->n_dumped, pid) &&
	    !(f->opts.dir && add_dump(f, f->opts.dir, pid)) &&
	    !(f->dir && add_dump(f, f->dir, pid)))
		add_dump(f, ".", pid);
	return true;
}
