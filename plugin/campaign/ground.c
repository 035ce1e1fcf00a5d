// SPDX-License-Identifier: GPL-2.0-only
/*
 * The directory of a campaign and what its guests get. Knows neither releases
 * nor cells.
 */
#include "ground.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define OUTPUT_LIMIT_BYTES (UINT64_C(64) << 20)

/* --- identity ------------------------------------------------------------------ */

uint64_t ground_hash(const char *s, uint64_t h)
{
	return pw_hash(s ? s : "", s ? strlen(s) + 1 : 0, h);
}

static uint64_t hash_list(const char *const *list, uint64_t h)
{
	for (; list && *list; list++)
		h = ground_hash(*list, h);
	return ground_hash(NULL, h);
}

uint64_t ground_hash_guest(const struct pw_guest *g, uint64_t h)
{
	h = ground_hash(g->invoke, h);
	h = hash_list(g->argv, h);
	h = hash_list(g->env, h);
	h = hash_list(g->dirs, h);
	h = ground_hash(g->stdin_path, h);
	return pw_hash(&g->memory_limit_bytes, sizeof(uint64_t), h);
}

static int check_identity(struct ground *g, uint64_t identity,
			  struct pw_err *err)
{
	const char *seen = pw_journal_find(g->journal, "campaign", "identity");
	char id[20];

	snprintf(id, sizeof(id), "%016" PRIx64, identity);
	if (!seen)
		return pw_journal_add(g->journal, "campaign", "identity", err,
				      "%s", id);
	if (!strcmp(seen, id))
		return 0;
	return pw_err_set(err, EEXIST,
			  "%s holds something else (modules, runtimes or "
			  "options differ): name another directory with --dir, "
			  "or remove this one",
			  g->dir);
}

/* --- the directory ---------------------------------------------------------------- */

static int make_dir(struct ground *g, const char *dir, struct pw_err *err)
{
	char *path;
	int ret = pw_mkdirs(dir, err);

	if (ret)
		return ret;
	g->dir = realpath(dir, NULL);
	if (!g->dir)
		return pw_err_set(err, errno, "cannot resolve %s: %s", dir,
				  strerror(errno));
	path = pw_asprintf("%s/journal", g->dir);
	g->journal = pw_journal_open(path, err);
	free(path);
	/* only with the journal's lock is what lies in the box ours */
	if (!g->journal)
		return -err->code;
	g->box = pw_asprintf("%s/box", g->dir);
	pw_remove_tree(g->box, NULL);
	return pw_mkdirs(g->box, err);
}

void ground_see(struct ground *g, char *dir)
{
	size_t n = 0;

	while (g->seen && g->seen[n])
		n++;
	g->seen = pw_realloc(g->seen, (n + 2) * sizeof(*g->seen));
	g->seen[n] = dir;
	g->seen[n + 1] = NULL;
}

/* "DIR[::GUEST]" to the absolute directory and what the guest calls it. */
static int take_dirs(struct ground *g, struct pw_err *err)
{
	size_t n = 0;

	while (g->guest->dirs && g->guest->dirs[n])
		n++;
	g->mounts = pw_zalloc((n + 1) * sizeof(*g->mounts));
	for (size_t i = 0; i < n; i++) {
		const char *given = g->guest->dirs[i];
		const char *as = strstr(given, "::");
		char *dir = pw_strndup(given, as ? (size_t)(as - given)
						 : strlen(given));
		char *real = realpath(dir, NULL);

		if (!real)
			pw_err_set(err, errno, "cannot mount %s: %s", dir,
				   strerror(errno));
		else
			g->mounts[i] =
				pw_asprintf("%s::%s", real, as ? as + 2 : dir);
		free(dir);
		if (!real)
			return -err->code;
		ground_see(g, real);
	}
	return 0;
}

char *ground_bring(struct ground *g, const char *path, const char *name,
		   struct pw_err *err)
{
	char *goal = pw_asprintf("%s/%s", g->box, name);
	struct pw_file f = { 0 };
	int ret = pw_file_open(&f, path, err);

	if (!ret)
		ret = pw_file_write(goal, f.data, f.size, err);
	pw_file_close(&f);
	if (!ret)
		return goal;
	free(goal);
	return NULL;
}

int ground_open(struct ground *g, const char *dir, const struct pw_guest *guest,
		uint64_t identity, struct pw_err *err)
{
	int ret;

	memset(g, 0, sizeof(*g));
	g->guest = guest;
	ret = make_dir(g, dir, err);
	if (!ret)
		ret = check_identity(g, identity, err);
	if (!ret)
		ret = take_dirs(g, err);
	if (!ret && guest->stdin_path) {
		g->stdin_path =
			ground_bring(g, guest->stdin_path, "stdin", err);
		ret = g->stdin_path ? 0 : -err->code;
	}
	return ret;
}

static void free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

void ground_release(struct ground *g)
{
	if (g->box)
		pw_remove_tree(g->box, NULL);
	pw_journal_close(g->journal);
	free(g->dir);
	free(g->box);
	free_list(g->seen);
	free_list(g->mounts);
	free(g->stdin_path);
	memset(g, 0, sizeof(*g));
}

/* --- runs ------------------------------------------------------------------------- */

void ground_request(const struct ground *g, struct pw_host_request *req,
		    const char *module_path)
{
	*req = (struct pw_host_request){
		.module_path = module_path,
		.invoke = g->guest->invoke,
		.argv = g->guest->argv,
		.env = g->guest->env,
		.dirs = (const char *const *)g->mounts,
		.stdin_path = g->stdin_path,
		.empty_imports = PW_EMPTY_IMPORTS,
		.wall_limit_ns = g->guest->wall_limit_ns,
		.memory_limit_bytes = g->guest->memory_limit_bytes,
		.output_limit_bytes = OUTPUT_LIMIT_BYTES,
	};
}

struct pw_session *ground_session(const struct ground *g,
				  const struct pw_runtime *rt,
				  struct pw_err *err)
{
	struct pw_session_opts opts = {
		.box_dir = g->box,
		.dirs = (const char *const *)g->seen,
		.dirs_writable = g->guest->dirs_writable,
	};
	struct pw_session *s = pw_session_open(rt, &opts, err);

	if (!s)
		pw_err_prefix(err, "%s", rt->spec);
	return s;
}

bool ground_ran(const struct pw_series *s)
{
	return s->n && (s->outcome == PW_OUT_OK || s->outcome == PW_OUT_EXIT);
}

char *ground_reason(const struct pw_series *s)
{
	return pw_asprintf("%s%s%s", pw_outcome_name(s->outcome),
			   s->last.message[0] ? ": " : "", s->last.message);
}
