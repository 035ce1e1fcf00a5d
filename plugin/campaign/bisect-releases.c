// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which releases a bisection may try, from the first to the last that the user
 * named, and how one is had.
 */
#include "bisect-impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* "13" is the beginning of 13 and 13.0.2, not of 130. */
static bool begins(const char *version, const char *with)
{
	size_t n = strlen(with);

	return !strncmp(version, with, n) && (!version[n] || version[n] == '.');
}

static bool is_open(const char *end)
{
	return !end || !strcmp(end, "newest") || !strcmp(end, "oldest");
}

static bool in_range(const char *v, const char *from, const char *to)
{
	return (is_open(from) || begins(v, from) ||
		pw_runtime_release_order(v, from) >= 0) &&
	       (is_open(to) || begins(v, to) ||
		pw_runtime_release_order(v, to) <= 0);
}

/* "NAME@VERSION?OPTIONS" of "NAME?OPTIONS". */
static char *spec_at(const char *runtime, const char *version)
{
	size_t n = strcspn(runtime, "?");

	return pw_asprintf("%.*s@%s%s", (int)n, runtime, version, runtime + n);
}

static void add_release(struct bisect *b, const char *version)
{
	b->v = pw_realloc(b->v, (b->n + 1) * sizeof(*b->v));
	b->v[b->n++] = (struct release){
		.version = pw_strdup(version),
		.spec = spec_at(b->o->runtime, version),
	};
}

int bisect_choose(struct bisect *b, struct pw_err *err)
{
	const struct pw_bisect_opts *o = b->o;
	char **all;
	int ret;

	if (strchr(o->runtime, '@'))
		return pw_err_set(
			err, EINVAL,
			"--runtime %s: leave the version away; --from "
			"and --to say which releases",
			o->runtime);
	ret = pw_runtime_releases(o->runtime, o->fetched_only, &all, err);
	if (ret)
		return ret;
	for (size_t i = 0; all[i]; i++)
		if (in_range(all[i], o->from, o->to))
			add_release(b, all[i]);
	pw_runtime_releases_free(all);
	b->probe = pw_zalloc((b->n + 1) * sizeof(*b->probe));
	if (b->n >= 2)
		return 0;
	return pw_err_set(err, EINVAL,
			  "from %s to %s there %s of %s%s; two are needed",
			  o->from ? o->from : "the oldest",
			  o->to ? o->to : "the newest",
			  b->n ? "is one release" : "is no release", o->runtime,
			  o->fetched_only ? " on this machine" : "");
}

int bisect_find(struct bisect *b, size_t i, struct pw_runtime *rt,
		struct pw_err *err)
{
	char *plain, *resolved = NULL, *sha256 = NULL;
	bool pinned;
	int ret = pw_runtime_find(rt, b->v[i].spec, err);

	if (ret != -ENOENT || b->o->fetched_only)
		return ret;
	plain = pw_strndup(b->v[i].spec, strcspn(b->v[i].spec, "?"));
	ret = pw_runtime_fetch(plain, &resolved, &sha256, &pinned, err);
	free(plain);
	free(resolved);
	free(sha256);
	return ret ? ret : pw_runtime_find(rt, b->v[i].spec, err);
}
