// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fetches a release into the cache: everything happens in a directory of its
 * own beside the goal and ends with one rename, so that an interrupted fetch
 * leaves nothing that looks whole and several at once do not meet. What such a
 * one leaves is swept a day later.
 */
#include "fetch-program.h"
#include "find.h"
#include "pip.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NEWEST     "newest"
#define WORK       ".fetch-"
#define STALE_SECS 86400

struct fetch {
	const struct conf *conf;
	char *version; /* NULL until the newest is known */
	char *work;    /* the directory of this fetch */
	char *wheel, *sha256;
	bool pinned;
};

static void release(struct fetch *f)
{
	if (f->work)
		pw_remove_tree(f->work, NULL);
	free(f->version);
	free(f->work);
	free(f->wheel);
	free(f->sha256);
}

/* --- the working directory --- */

static void sweep(const char *cache)
{
	DIR *dir = opendir(cache);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		struct stat st;
		char *path;

		if (strncmp(e->d_name, WORK, strlen(WORK)))
			continue;
		path = pw_asprintf("%s/%s", cache, e->d_name);
		if (!lstat(path, &st) && st.st_mtime + STALE_SECS < time(NULL))
			pw_remove_tree(path, NULL);
		free(path);
	}
	if (dir)
		closedir(dir);
}

static int make_work(struct fetch *f, struct pw_err *err)
{
	char *cache = place_cache_dir(), *work;
	int rc = pw_mkdirs(cache, err);

	if (!rc) {
		sweep(cache);
		work = pw_asprintf("%s/" WORK "XXXXXX", cache);
		if (mkdtemp(work))
			f->work = work;
		else
			rc = pw_err_set(err, errno, "cannot make %s: %s", work,
					strerror(errno));
		if (rc)
			free(work);
	}
	free(cache);
	return rc;
}

/* --- steps --- */

static int check_version(const struct conf *c, const char *version,
			 struct pw_err *err)
{
	if (c->oldest && version_compare(version, c->oldest) < 0)
		return pw_err_set(
			err, ENOTSUP,
			"%s %s is too old: releases from %s on can be driven",
			c->name, version, c->oldest);
	return 0;
}

static int download(struct fetch *f, struct pw_err *err)
{
	const struct conf *c = f->conf;
	const char *pin = f->version ? conf_pin(c, f->version) : NULL;
	char *got = NULL;
	int rc = pip_download(c->package, f->version, pin, f->work, &f->wheel,
			      &got, err);

	if (rc == -ENOENT && f->version && c->n_pins)
		return find_no_release(c, f->version, err);
	if (rc)
		return rc;
	free(f->version);
	f->version = got;
	rc = check_version(c, got, err);
	if (!rc && pin)
		f->sha256 = pw_strdup(pin);
	else if (!rc)
		rc = pip_sha256(f->wheel, &f->sha256, err);
	f->pinned = pin != NULL;
	return rc;
}

/* The newest may turn out to be a release that is pinned. */
static int check_late_pin(struct fetch *f, struct pw_err *err)
{
	const char *pin = conf_pin(f->conf, f->version);

	if (!pin || f->pinned)
		return 0;
	if (strcmp(pin, f->sha256))
		return pip_explain("DO NOT MATCH THE HASHES", f->conf->package,
				   f->version, err);
	f->pinned = true;
	return 0;
}

static int write_hash(const struct fetch *f, const char *entry,
		      struct pw_err *err)
{
	char *path = pw_asprintf("%s/sha256", entry);
	char *text = pw_asprintf("%s\n", f->sha256);
	int rc = pw_file_write(path, text, strlen(text), err);

	free(path);
	free(text);
	return rc;
}

/* WORK/files is unpacked, WORK/entry is what goes into the cache. */
static int unpack(struct fetch *f, struct pw_err *err)
{
	char *files = pw_asprintf("%s/files", f->work);
	char *entry = pw_asprintf("%s/entry", f->work);
	char *from = pw_asprintf("%s/%s", files, f->conf->library);
	char *to = pw_asprintf("%s/lib%s.so", entry, f->conf->name);
	int rc = pip_unpack(f->wheel, files, err);

	if (!rc)
		rc = pw_mkdirs(entry, err);
	if (!rc && rename(from, to))
		rc = pw_err_set(err, ENOENT,
				"the package file of %s %s has no %s",
				f->conf->name, f->version, f->conf->library);
	if (!rc)
		rc = write_hash(f, entry, err);
	free(files);
	free(entry);
	free(from);
	free(to);
	return rc;
}

/* All at once, into WORK/entry; what was pinned is compared later. */
static int run_program(struct fetch *f, struct pw_err *err)
{
	char *entry = pw_asprintf("%s/entry", f->work), *got = NULL;
	int rc = pw_mkdirs(entry, err);

	if (!rc)
		rc = fetch_by_program(f->conf, f->version, entry, &got,
				      &f->sha256, err);
	if (!rc && f->version && strcmp(got, f->version))
		rc = pw_err_set(
			err, ENOENT,
			"%s has no release %s now; 'perf wasm runtimes add %s' fetches %s",
			f->conf->name, f->version, f->conf->name, got);
	if (!rc) {
		free(f->version);
		f->version = got;
		got = NULL;
		rc = check_version(f->conf, f->version, err);
	}
	if (!rc)
		rc = write_hash(f, entry, err);
	free(got);
	free(entry);
	return rc;
}

static bool is_here(const char *name, const char *version)
{
	char *path = place_cache_library(name, version);
	bool here = !access(path, R_OK);

	free(path);
	return here;
}

/* One process at a time looks and renames. Whoever comes second leaves what is
 * there, as it may be in use; a directory without a library in it is not of
 * ours and goes. */
static int publish(struct fetch *f, struct pw_err *err)
{
	char *cache = place_cache_dir();
	char *entry = pw_asprintf("%s/entry", f->work);
	char *goal = place_cache_entry(f->conf->name, f->version);
	int lock = open(cache, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = 0;

	if (lock >= 0)
		flock(lock, LOCK_EX);
	if (!is_here(f->conf->name, f->version)) {
		pw_remove_tree(goal, NULL);
		if (rename(entry, goal))
			rc = pw_err_set(err, errno, "cannot make %s: %s", goal,
					strerror(errno));
	}
	if (lock >= 0)
		close(lock);
	free(cache);
	free(entry);
	free(goal);
	return rc;
}

/* --- the whole --- */

static char *kept_hash(const char *name, const char *version)
{
	char *entry = place_cache_entry(name, version);
	char *path = pw_asprintf("%s/sha256", entry), *hash = NULL;
	struct pw_file f;

	if (!pw_file_open(&f, path, NULL)) {
		if (f.size >= 64)
			hash = pw_strndup((const char *)f.data, 64);
		pw_file_close(&f);
	}
	free(entry);
	free(path);
	return hash ?: pw_strdup("");
}

static int fetch(struct fetch *f, struct pw_err *err)
{
	int rc;

	if (f->version && is_here(f->conf->name, f->version)) {
		const char *pin = conf_pin(f->conf, f->version);

		f->sha256 = kept_hash(f->conf->name, f->version);
		f->pinned = pin && !strcmp(pin, f->sha256);
		return 0;
	}
	rc = make_work(f, err);
	if (!rc)
		rc = f->conf->from ? run_program(f, err) : download(f, err);
	if (!rc)
		rc = check_late_pin(f, err);
	if (!rc && !f->conf->from)
		rc = unpack(f, err);
	if (!rc)
		rc = publish(f, err);
	return rc;
}

static int check_spec(const struct spec *s, const struct conf *c,
		      struct pw_err *err)
{
	if (!c->package)
		return pw_err_set(
			err, EINVAL,
			"%s is not fetched: it is a %s on this machine%s%s",
			c->name,
			strcmp(c->kind, "library") ? "program" : "library",
			c->install ? "; install " : "", c->install ?: "");
	if (!c->library && !c->from)
		return pw_err_set(
			err, ENOTSUP,
			"the package of %s has no library for this kind of machine",
			c->name);
	if (s->opts[0])
		return pw_err_set(
			err, EINVAL,
			"a release is fetched without options; leave '?%s' away and give it where the runtime is used",
			s->opts[0]);
	return s->version && strcmp(s->version, NEWEST)
		       ? check_version(c, s->version, err)
		       : 0;
}

static int fetch_spec(struct spec *s, const struct conf *c, char **resolved,
		      char **sha256, bool *pinned, struct pw_err *err)
{
	struct fetch f = { .conf = c };
	int rc = check_spec(s, c, err);

	if (rc)
		return rc;
	if (s->version && strcmp(s->version, NEWEST))
		f.version = pw_strdup(s->version);
	rc = fetch(&f, err);
	if (!rc) {
		*resolved = pw_asprintf("%s@%s", c->name, f.version);
		*sha256 = pw_strdup(f.sha256);
		*pinned = f.pinned;
	}
	release(&f);
	return rc;
}

int pw_runtime_fetch(const char *text, char **resolved, char **sha256,
		     bool *pinned, struct pw_err *err)
{
	struct spec s;
	struct conf c;
	int rc = spec_parse(&s, text, err);

	if (rc)
		return rc;
	rc = find_conf(&c, s.name, err);
	if (!rc) {
		rc = fetch_spec(&s, &c, resolved, sha256, pinned, err);
		conf_release(&c);
	}
	spec_release(&s);
	return rc;
}
