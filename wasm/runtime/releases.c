// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which releases of a runtime there are: what the package index told (asked
 * at most once a day), what is pinned and what was fetched. Fetches none.
 */
#include "find.h"
#include "pip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define KEPT_SECS 86400

struct releases {
	char **v; /* NULL-ended */
	size_t n;
};

static void add(struct releases *r, const char *version, size_t len)
{
	r->v = pw_realloc(r->v, (r->n + 2) * sizeof(*r->v));
	r->v[r->n++] = pw_strndup(version, len);
	r->v[r->n] = NULL;
}

/* --- what the index told --- */

static char *kept_path(const struct conf *c)
{
	char *dir = place_cache_dir();
	char *path = pw_asprintf("%s/%s.releases", dir, c->name);

	free(dir);
	return path;
}

static bool is_fresh(const char *path)
{
	struct stat st;

	return !stat(path, &st) && st.st_mtime + KEPT_SECS > time(NULL);
}

static void ask_index(const struct conf *c, const char *path)
{
	struct pw_buf text = { 0 };
	char *dir = place_cache_dir();

	if (!pip_versions(c->package, &text, NULL) && !pw_mkdirs(dir, NULL))
		pw_file_write(path, text.data, text.len, NULL);
	pw_buf_release(&text);
	free(dir);
}

/* Without an index what was told last, if ever, must do. */
static void add_told(struct releases *r, const struct conf *c)
{
	char *path = kept_path(c);
	struct pw_file f = { 0 };
	const char *p, *end;

	if (!is_fresh(path))
		ask_index(c, path);
	if (!pw_file_open(&f, path, NULL)) {
		p = (const char *)f.data;
		for (end = p + f.size; p < end; p++) {
			const char *nl = memchr(p, '\n', (size_t)(end - p));

			nl = nl ?: end;
			if (nl > p)
				add(r, p, (size_t)(nl - p));
			p = nl;
		}
		pw_file_close(&f);
	}
	free(path);
}

/* --- the whole --- */

static void add_fetched(struct releases *r, const struct conf *c)
{
	char **all = place_fetched(c->name);

	for (size_t i = 0; all[i]; i++)
		add(r, all[i], strlen(all[i]));
	pw_strings_free(all);
}

static int by_version(const void *a, const void *b)
{
	return version_compare(*(char *const *)a, *(char *const *)b);
}

/* Sorted, each once, none that is too old or is no number (a beta). */
static void tidy(struct releases *r, const struct conf *c)
{
	size_t kept = 0;

	if (r->n)
		qsort(r->v, r->n, sizeof(*r->v), by_version);
	for (size_t i = 0; i < r->n; i++) {
		char *v = r->v[i];
		bool old = c->oldest && version_compare(v, c->oldest) < 0;

		if (old || v[strspn(v, "0123456789.")] ||
		    (kept && !strcmp(r->v[kept - 1], v)))
			free(v);
		else
			r->v[kept++] = v;
	}
	r->n = kept;
	if (r->v)
		r->v[kept] = NULL;
}

static int collect(const struct conf *c, bool fetched_only, char ***versions,
		   struct pw_err *err)
{
	struct releases r = { 0 };

	if (!c->package || c->from)
		return pw_err_set(
			err, EINVAL,
			"%s has no releases to choose from: it comes in one version only, the one on this machine",
			c->name);
	if (!fetched_only) {
		add_told(&r, c);
		for (size_t i = 0; i < c->n_pins; i++)
			add(&r, c->pins[i].version, strlen(c->pins[i].version));
	}
	add_fetched(&r, c);
	tidy(&r, c);
	*versions = r.v ?: pw_zalloc(sizeof(*r.v));
	return 0;
}

int pw_runtime_releases(const char *name, bool fetched_only, char ***versions,
			struct pw_err *err)
{
	struct spec s;
	struct conf c;
	int rc = spec_parse(&s, name, err);

	if (rc)
		return rc;
	rc = find_conf(&c, s.name, err);
	if (!rc) {
		rc = collect(&c, fetched_only, versions, err);
		conf_release(&c);
	}
	spec_release(&s);
	return rc;
}

void pw_runtime_releases_free(char **versions)
{
	pw_strings_free(versions);
}

int pw_runtime_release_order(const char *a, const char *b)
{
	return version_compare(a, b);
}
