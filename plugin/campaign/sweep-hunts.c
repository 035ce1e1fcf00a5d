// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hunts of the cells that stand out most, each against the fastest other
 * runtime of its module. A hunt that fails is a reason, and the next follows.
 */
#include "sweep-impl.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t sweep_fastest_other(const struct sweep *s, size_t cell)
{
	size_t first = cell / s->n_rt * s->n_rt, best = SIZE_MAX;

	for (size_t i = first; i < first + s->n_rt; i++)
		if (i != cell && !s->cell[i].deleted && !isnan(s->cell[i].ms) &&
		    (best == SIZE_MAX || s->cell[i].ms < s->cell[best].ms))
			best = i;
	return best;
}

/* "hunt-1-bz2-benchmark-wasmtime": letters and digits of the names. */
static char *hunt_dir(const struct sweep *s, size_t k, size_t cell)
{
	const char *module = s->modules[cell / s->n_rt];
	char *name = pw_asprintf("hunt-%zu-%.*s-%s", k + 1,
				 (int)(strlen(module) - 5), module,
				 s->rt[cell % s->n_rt].spec);
	char *top = realpath(s->o->dir, NULL), *dir;

	for (char *p = name; *p; p++)
		if (strchr("/?&=@:. ", *p))
			*p = '-';
	dir = pw_asprintf("%s/%s", top ?: s->o->dir, name);
	free(top);
	free(name);
	return dir;
}

static int write_report(const struct pw_report *r, const char *dir, bool json,
			struct pw_err *err)
{
	char *path = pw_asprintf("%s/report.%s", dir, json ? "json" : "txt");
	struct pw_render_opts opts = { 0 };
	char *bytes = NULL;
	size_t size;
	FILE *to = open_memstream(&bytes, &size);
	int ret = 0;

	if (to && json)
		pw_render_json(r, to);
	else if (to)
		pw_render_text(r, &opts, to);
	if (!to || fclose(to))
		ret = pw_err_set(err, ENOMEM, "no room for %s", path);
	else
		ret = pw_file_write(path, bytes, size, err);
	free(bytes);
	free(path);
	return ret;
}

/* Must be the hunt's own words for its verdicts, shortened. */
static const char *say(enum pw_hunt_verdict v)
{
	switch (v) {
	case PW_HUNT_NO_GAP:
		return "no gap when hunted";
	case PW_HUNT_NOTHING:
		return "a gap, but no finding";
	default:
		return "see the hunt's report";
	}
}

static int hunt(struct sweep *s, struct sweep_hunt *h, struct pw_err *err)
{
	size_t m = h->cell / s->n_rt;
	const char *oracles[] = { NULL, NULL };
	char *path = pw_asprintf("%s/%s", s->root, s->modules[m]);
	char *folder = sweep_folder(s, m), *own = pw_asprintf("%s::.", folder);
	const char *dirs[] = { own, NULL };
	const struct pw_runtime *suspect = &s->rt[h->cell % s->n_rt];
	const struct pw_runtime *other =
		&s->rt[sweep_fastest_other(s, h->cell) % s->n_rt];
	struct pw_report *r = pw_report_new("hunt", NULL);
	enum pw_hunt_verdict verdict;
	struct pw_hunt_opts o;
	int ret;

	pw_hunt_opts_init(&o);
	o.module_path = path;
	o.suspect = suspect->spec;
	oracles[0] = other->spec;
	o.oracles = oracles;
	o.dir = h->dir;
	o.guest = s->o->guest;
	if (suspect->shows_dirs && other->shows_dirs)
		o.guest.read_only_dirs = dirs;
	o.seed = s->o->seed;
	o.progress = s->o->hunt_progress;
	o.progress_ctx = s->o->hunt_progress_ctx;
	ret = pw_hunt_run(&o, r, &verdict, err);
	if (!ret)
		ret = write_report(r, h->dir, false, err);
	if (!ret)
		ret = write_report(r, h->dir, true, err);
	if (!ret)
		h->said = say(verdict);
	pw_report_free(r);
	free(path);
	free(folder);
	free(own);
	return ret;
}

int sweep_hunts(struct sweep *s, struct pw_err *err)
{
	int ret = 0;

	s->hunts = pw_zalloc((s->o->n_hunts + 1) * sizeof(*s->hunts));
	for (size_t i = 0; i < s->n_order; i++) {
		struct sweep_hunt *h = &s->hunts[s->n_hunts];
		struct pw_err why = { .off = PW_NO_OFF };

		if (s->n_hunts == s->o->n_hunts)
			break;
		if (!s->rt[s->order[i] % s->n_rt].shows_code)
			continue;
		h->cell = s->order[i];
		h->dir = hunt_dir(s, s->n_hunts++, h->cell);
		ret = hunt(s, h, &why);
		if (ret == -EINTR) {
			*err = why;
			return ret;
		}
		if (ret)
			h->why = pw_strdup(why.msg);
	}
	return 0;
}
