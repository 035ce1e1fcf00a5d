// SPDX-License-Identifier: GPL-2.0-only
/*
 * What several steps of a hunt do with a runner: one request, one compiled
 * image, one round of times over all runners; and the progress they tell.
 */
#include "steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int hunt_open(struct hunt *h, struct runner *r, struct pw_err *err)
{
	if (!r->session)
		r->session = pw_guest_session(&h->box, &r->rt, err);
	return r->session ? 0 : -err->code;
}

int hunt_run(struct hunt *h, struct runner *r, struct pw_host_request *req,
	     struct pw_host_reply *reply, struct pw_err *err)
{
	int ret = hunt_open(h, r, err);

	if (ret)
		return ret;
	ret = pw_session_run(r->session, req, reply, err);
	if (!ret)
		h->spent_ns += reply->cpu_ns;
	return ret;
}

void hunt_spent(struct hunt *h, const struct pw_series *s)
{
	for (size_t i = 0; i < s->n; i++)
		h->spent_ns += (uint64_t)(s->cpu_ms[i] * 1e6);
}

static char *box_path(const struct hunt *h, const char *name)
{
	return pw_asprintf("%s/%s", h->box.dir, name);
}

int hunt_write_mutant(struct hunt *h, const struct pw_mutation *mut,
		      struct pw_err *err)
{
	char *path = box_path(h, HUNT_MUTANT);
	struct pw_buf bytes = { 0 };
	int ret = pw_mutation_apply(h->module, mut, &bytes, err);

	if (!ret)
		ret = pw_file_write(path, bytes.data, bytes.len, err);
	pw_buf_release(&bytes);
	free(path);
	return ret;
}

/* The image of a compilation that went well, read back from the box. */
static int load_image(struct hunt *h, const char *path, struct image *im,
		      struct pw_err *err)
{
	int ret = pw_file_open(&im->file, path, err);

	if (ret)
		return ret;
	im->code =
		pw_code_open(im->file.data, im->file.size,
			     pw_module_n_imported(h->module, PW_EXT_FUNC), err);
	return im->code ? 0 : -err->code;
}

int hunt_compile_on(struct hunt *h, struct runner *r, const char *module_path,
		    struct image *im, struct pw_err *err)
{
	char *path = box_path(h, "image.elf");
	struct pw_host_request req;
	struct pw_host_reply reply;
	int ret;

	memset(im, 0, sizeof(*im));
	pw_guest_request(&h->box, module_path, &req);
	req.compile_only = true;
	req.digest = false;
	req.artifact_path = path;
	ret = hunt_run(h, r, &req, &reply, err);
	im->outcome = reply.outcome;
	if (!ret && reply.outcome == PW_OUT_OK)
		ret = load_image(h, path, im, err);
	else if (!ret)
		memcpy(im->message, reply.message, sizeof(im->message) - 1);
	free(path);
	if (ret)
		hunt_image_release(im);
	return ret;
}

int hunt_compile(struct hunt *h, const char *module_path, struct image *im,
		 struct pw_err *err)
{
	return hunt_compile_on(h, &h->suspect, module_path, im, err);
}

void hunt_image_release(struct image *im)
{
	pw_code_close(im->code);
	pw_file_close(&im->file);
	memset(im, 0, sizeof(*im));
}

char *hunt_notation(const struct hunt *h, const struct pw_mutation *mut)
{
	struct pw_buf b = { 0 };
	char *s;

	pw_mutation_print(h->module, mut, &b);
	s = pw_strdup(pw_buf_str(&b));
	pw_buf_release(&b);
	return s;
}

static const struct group *best_group(const struct hunt *h)
{
	const struct group *best = NULL;

	for (size_t i = 0; i < h->n_groups; i++) {
		const struct group *g = &h->groups[i];

		if ((g->judged || g->effective) &&
		    (!best || g->closed > best->closed))
			best = g;
	}
	return best;
}

void hunt_progress(const struct hunt *h, const char *step, size_t done,
		   size_t total, uint64_t started_ns)
{
	const struct group *best = best_group(h);
	struct pw_hunt_progress p = {
		.step = step,
		.done = (uint32_t)done,
		.total = (uint32_t)total,
		.best_closed = best ? best->closed : -1,
	};
	char *notation = NULL;

	if (!h->o->progress)
		return;
	if (best)
		notation =
			hunt_notation(h, &h->candidates[best->candidate].mut);
	p.best = notation;
	if (done && total > done)
		p.left_ns = (pw_now_ns() - started_ns) / done * (total - done);
	h->o->progress(h->o->progress_ctx, &p);
	free(notation);
}

/* --- times of all runners --------------------------------------------------- */

/* "OUTCOME DIGEST N CPU-MS... WALL-MS... EXIT MESSAGE": a series as the
 * journal keeps it. */
static char *series_text(const struct pw_series *s)
{
	struct pw_buf b = { 0 };
	char *text;

	pw_buf_printf(&b, "%s %s %zu", pw_outcome_name(s->outcome),
		      s->last.digest[0] ? s->last.digest : "-", s->n);
	for (size_t i = 0; i < s->n; i++)
		pw_buf_printf(&b, " %.6f", s->cpu_ms[i]);
	for (size_t i = 0; i < s->n; i++)
		pw_buf_printf(&b, " %.6f", s->wall_ms[i]);
	pw_buf_printf(&b, " %d %s", s->last.exit_code, s->last.message);
	text = pw_strdup(pw_buf_str(&b));
	pw_buf_release(&b);
	return text;
}

static bool numbers_parse(const char *text, int *used, double *v, size_t n)
{
	int n_used = 0;

	for (size_t i = 0; i < n; i++, *used += n_used)
		if (sscanf(text + *used, "%lf%n", &v[i], &n_used) != 1)
			return false;
	return true;
}

static bool series_parse(struct pw_series *s, const char *text)
{
	char outcome[24], digest[68];
	int used = 0, n_used = 0;
	size_t n;

	if (sscanf(text, "%23s %67s %zu%n", outcome, digest, &n, &used) != 3 ||
	    n > 1000)
		return false;
	pw_series_release(s);
	s->outcome = pw_outcome_find(outcome);
	s->last.outcome = s->outcome;
	strcpy(s->last.digest, strcmp(digest, "-") ? digest : "");
	s->cpu_ms = pw_zalloc((n + 1) * sizeof(double));
	s->wall_ms = pw_zalloc((n + 1) * sizeof(double));
	if (!numbers_parse(text, &used, s->cpu_ms, n) ||
	    !numbers_parse(text, &used, s->wall_ms, n))
		return false;
	s->n = n;
	if (sscanf(text + used, "%d %n", &s->last.exit_code, &n_used) == 1)
		snprintf(s->last.message, sizeof(s->last.message), "%s",
			 text + used + n_used);
	return true;
}

static struct runner *runner_at(struct hunt *h, size_t i)
{
	return i ? &h->oracles[i - 1] : &h->suspect;
}

static char *series_key(struct hunt *h, const char *key, size_t i)
{
	return pw_asprintf("%s %zu %s", key, i, runner_at(h, i)->rt.spec);
}

static bool recall(struct hunt *h, const char *key)
{
	bool all = true;

	for (size_t i = 0; i <= h->n_oracles && all; i++) {
		char *k = series_key(h, key, i);
		const char *text = pw_journal_find(h->journal, "times", k);

		all = text && series_parse(&runner_at(h, i)->base, text);
		free(k);
	}
	for (size_t i = 0; i <= h->n_oracles && all; i++)
		hunt_spent(h, &runner_at(h, i)->base);
	return all;
}

static int note_down(struct hunt *h, const char *key, struct pw_err *err)
{
	int ret = 0;

	for (size_t i = 0; i <= h->n_oracles && !ret; i++) {
		char *k = series_key(h, key, i);
		char *text = series_text(&runner_at(h, i)->base);

		if (!pw_journal_find(h->journal, "times", k))
			ret = pw_journal_add(h->journal, "times", k, err, "%s",
					     text);
		free(text);
		free(k);
	}
	return ret;
}

static int measure_all(struct hunt *h, struct pw_err *err)
{
	struct pw_contestant *c = pw_zalloc((h->n_oracles + 1) * sizeof(*c));
	struct pw_interleave_opts opts = {
		.min_rounds = 3,
		.max_rounds = 9,
		.ratio_width = 0.05,
		.budget_ns = UINT64_C(20000000000),
		.seed = h->o->seed,
	};
	int ret = 0;

	for (size_t i = 0; i <= h->n_oracles && !ret; i++) {
		ret = hunt_open(h, runner_at(h, i), err);
		c[i].session = runner_at(h, i)->session;
		pw_guest_request(&h->box, h->module_path, &c[i].req);
	}
	if (!ret)
		ret = pw_interleave(c, h->n_oracles + 1, &opts, err);
	for (size_t i = 0; i <= h->n_oracles; i++) {
		struct runner *r = runner_at(h, i);

		pw_series_release(&r->base);
		r->base = c[i].series;
		hunt_spent(h, &r->base);
	}
	free(c);
	return ret;
}

int hunt_time_all(struct hunt *h, const char *key, struct pw_err *err)
{
	int ret;

	if (recall(h, key))
		return 0;
	ret = measure_all(h, err);
	return ret ? ret : note_down(h, key, err);
}
