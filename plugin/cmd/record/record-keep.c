// SPDX-License-Identifier: GPL-2.0-only
/*
 * The directory of a capture: perf.data and what it takes to read it later or
 * elsewhere: jitdumps, perf maps, modules, kernel symbols, facts.
 */
#include "record.h"
#include "seen.h"
#include "../capture-files.h"

#include <perfwasm/capture.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- making it ------------------------------------------------------------------ */

static bool has_file(const char *dir, const char *name)
{
	char *path = pw_asprintf("%s/%s", dir, name);
	bool has = !access(path, F_OK);

	free(path);
	return has;
}

/* As perf does with perf.data: one that is there is kept once. */
static int move_old(const char *dir, struct pw_err *err)
{
	char *old = pw_asprintf("%s.old", dir);
	int ret = 0;

	if (!rmdir(dir) || errno == ENOENT)
		goto out;
	if (!has_file(dir, "facts")) {
		ret = pw_err_set(
			err, EEXIST,
			"%s is there and is no capture of ours: name another with --dir, or remove it",
			dir);
		goto out;
	}
	if (!access(old, F_OK) && !has_file(old, "facts"))
		ret = pw_err_set(
			err, EEXIST,
			"%s would become %s, which is there and is no capture: remove one of them",
			dir, old);
	else
		ret = pw_remove_tree(old, err);
	if (!ret && rename(dir, old))
		ret = pw_err_set(err, errno, "cannot rename %s to %s: %s", dir,
				 old, strerror(errno));
out:
	free(old);
	return ret;
}

int record_make_dir(struct record *r, struct pw_err *err)
{
	int ret = move_old(r->dir, err);

	if (!ret)
		ret = pw_mkdirs(r->dir, err);
	if (ret)
		return ret;
	r->abs_dir = realpath(r->dir, NULL);
	if (!r->abs_dir)
		return pw_err_set(err, errno, "%s: %s", r->dir,
				  strerror(errno));
	r->data_path =
		pw_asprintf(r->ring_ns ? "%s/" CAPTURE_RING "/" CAPTURE_PERF
				       : "%s/" CAPTURE_PERF,
			    r->abs_dir);
	return record_open_facts(r, err);
}

/* --- copies ------------------------------------------------------------------------ */

static int copy_fd(int from, int to)
{
	char buf[65536];
	ssize_t n, k;

	while ((n = read(from, buf, sizeof(buf))) > 0)
		for (ssize_t at = 0; at < n; at += k) {
			k = write(to, buf + at, (size_t)(n - at));
			if (k < 0)
				return -errno;
		}
	return n < 0 ? -errno : 0;
}

/* Files of /proc too, whose size is not known. A part of a file is not left:
 * it would be taken for the whole. */
static int copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out, ret;

	if (in < 0)
		return -errno;
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	ret = out < 0 ? -errno : copy_fd(in, out);
	if (out >= 0 && close(out) && !ret)
		ret = -errno;
	if (out >= 0 && ret)
		unlink(to);
	close(in);
	return ret;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A name in the directory that is free; NULL when this very file is there. */
static char *free_name(const struct record *r, const char *path)
{
	char *name = pw_strdup(base_of(path));

	for (unsigned i = 2; has_file(r->abs_dir, name); i++) {
		free(name);
		name = pw_asprintf("%u-%s", i, base_of(path));
	}
	return name;
}

static int keep_module(struct record *r, const char *path, const char *kind,
		       struct pw_err *err)
{
	char *name = free_name(r, path);
	char *to = pw_asprintf("%s/%s", r->abs_dir, name);
	int ret = copy_file(path, to);

	if (ret)
		ret = pw_err_set(err, -ret, "cannot copy %s to %s: %s", path,
				 r->abs_dir, strerror(-ret));
	else
		record_fact(r, kind, name);
	if (!ret && r->has_rt && r->rt.shows_code && !r->artifact &&
	    path == r->command[0])
		r->artifact = pw_asprintf("%s.elf", name);
	free(name);
	free(to);
	return ret;
}

int record_keep_modules(struct record *r, struct pw_err *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < r->modules.n; i++) {
		const char *kind = capture_kind_of(r->modules.v[i]);

		ret = keep_module(r, r->modules.v[i], kind ?: "module", err);
	}
	for (char **a = r->command; !ret && a && *a; a++) {
		const char *kind = capture_kind_of(*a);

		if (r->has_rt && a == r->command)
			kind = "module";
		if (kind)
			ret = keep_module(r, *a, kind, err);
		if (r->has_rt)
			break; /* the rest is the guest's */
	}
	return ret;
}

/* --- afterwards ----------------------------------------------------------------------- */

/* The process that a jit-PID.dump or jit-TID-PID.dump is of is still there. */
static bool is_running(const char *dump)
{
	const char *p = strrchr(dump, '-');
	long pid = p ? strtol(p + 1, NULL, 10) : 0;

	return pid > 0 && (!kill((pid_t)pid, 0) || errno == EPERM);
}

static bool is_in_capture(const char *path)
{
	char *dir = pw_strndup(path, (size_t)(base_of(path) - path));
	bool is = has_file(dir, "facts") &&
		  (has_file(dir, CAPTURE_PERF) || has_file(dir, CAPTURE_RING) ||
		   pw_capture_has_pieces(dir));

	free(dir);
	return is;
}

/*
 * Only what our own command has written and nobody else wants. A recording of
 * the whole machine sees the dumps of all programs, also of those that others
 * record at the same time.
 */
static bool may_move(const struct record *r, const struct seen *seen,
		     const struct seen_dump *d, const struct stat *st)
{
	return !r->goes_on && seen_is_own(seen, d->pid, r->perf_pid) &&
	       !is_in_capture(d->path) && !is_running(d->path) &&
	       st->st_uid == geteuid() && st->st_mtime >= r->from_s;
}

static int move_file(const char *from, const char *to)
{
	int ret;

	if (!rename(from, to))
		return 0;
	ret = copy_file(from, to);
	if (!ret)
		unlink(from);
	return ret;
}

/* A recording of the whole machine may see hundreds: one note is of all. */
struct dumps {
	size_t n;
	const char *first;
};

static void count_dump(struct dumps *d, const char *path)
{
	if (!d->n++)
		d->first = path;
}

static char *dumps_name(const struct dumps *d)
{
	return d->n == 1 ? pw_strdup(d->first)
			 : pw_asprintf("%zu jitdumps (%s and others)", d->n,
				       d->first);
}

static void tell_dumps(struct record *r, const struct dumps *gone,
		       const struct dumps *growing)
{
	char *name;

	if (gone->n) {
		name = dumps_name(gone);
		record_note(
			r,
			"recorded, and not there any more: %s; the code in them has no names, unless a report is given them with --jitdump",
			name);
		free(name);
	}
	if (growing->n) {
		name = dumps_name(growing);
		record_note(
			r,
			"of programs that still run: %s; they may lack what is not written yet: report the capture when the programs have ended",
			name);
		free(name);
	}
}

/* Into the directory; what stays where it is gets a second name there. */
static void take_dump(struct record *r, const struct seen *seen,
		      const struct seen_dump *d, struct dumps *gone,
		      struct dumps *growing)
{
	char *to = pw_asprintf("%s/%s", r->abs_dir, base_of(d->path));
	struct stat st, there;
	int ret = 0;

	if (lstat(d->path, &st) || !S_ISREG(st.st_mode)) {
		count_dump(gone, d->path);
		free(to);
		return;
	}
	if (stat(to, &there) || there.st_ino != st.st_ino ||
	    there.st_dev != st.st_dev) {
		if (may_move(r, seen, d, &st))
			ret = move_file(d->path, to);
		else
			ret = link(d->path, to) ? copy_file(d->path, to) : 0;
		if (!ret && is_running(d->path))
			count_dump(growing, base_of(d->path));
	} /* else it was written where it belongs */
	if (ret)
		record_note(r, "%s is not in the capture: %s", d->path,
			    strerror(-ret));
	else
		record_fact(r, "jitdump", base_of(d->path));
	free(to);
}

/* A map that is older than the recording is of an earlier process, unless
 * processes were recorded that ran before. */
static bool take_map(struct record *r, uint32_t pid)
{
	char *path = pw_asprintf("/tmp/perf-%u.map", pid);
	char *to = pw_asprintf("%s/perf-%u.map", r->abs_dir, pid);
	struct stat st;
	bool taken = false;

	if (!stat(path, &st) && S_ISREG(st.st_mode) &&
	    (r->pid || r->all_cpus || st.st_mtime >= r->from_s))
		taken = !copy_file(path, to);
	free(path);
	free(to);
	return taken;
}

static void take_kallsyms(struct record *r)
{
	char *to = pw_asprintf("%s/" CAPTURE_KALLSYMS, r->abs_dir);
	char first[17] = "";
	FILE *f = fopen("/proc/kallsyms", "re");
	int ret = 0;

	if (f) {
		if (fread(first, 1, 16, f) != 16)
			first[0] = 0;
		fclose(f);
	}
	if (!strtoull(first, NULL, 16))
		record_note(
			r,
			"the kernel's symbols cannot be read (kernel.kptr_restrict): its functions stay unnamed");
	else if (access(to, F_OK)) /* of a ring it may be there */
		ret = copy_file("/proc/kallsyms", to);
	if (ret)
		record_note(
			r,
			"the kernel's symbols were not copied (%s): only this machine, until it starts anew, can name its functions",
			strerror(-ret));
	free(to);
}

static void tell(struct record *r, const struct seen *seen, size_t n_maps)
{
	r->n_samples = seen->n_samples;
	if (!seen->n_dumps && !n_maps)
		record_note(
			r,
			"no jitdump and no perf map was written: code made at run time stays unnamed");
	if (!seen->n_samples)
		record_note(
			r,
			"there is no sample: the command ran too short, or did not run");
	if (seen->n_lost)
		record_note(
			r,
			"%llu records were lost: sample less often (-F), or let perf hold more (--perf-option=--mmap-pages=1024)",
			(unsigned long long)seen->n_lost);
}

int record_gather(struct record *r, struct pw_err *err)
{
	struct seen seen = { 0 };
	struct dumps gone = { 0 }, growing = { 0 };
	struct seen_process *p;
	size_t n_maps = 0;
	int ret = r->no_samples ? 0 : seen_read(&seen, r->data_path, err);

	for (size_t i = 0; i < seen.n_dumps; i++)
		take_dump(r, &seen, &seen.dumps[i], &gone, &growing);
	tell_dumps(r, &gone, &growing);
	for (p = seen.processes; p; p = p->hh.next)
		n_maps += take_map(r, p->pid);
	if (!r->no_kernel)
		take_kallsyms(r);
	if (!ret) {
		if (!r->no_samples)
			tell(r, &seen, n_maps);
		ret = record_write_facts(r, err);
	}
	seen_release(&seen);
	return ret;
}
