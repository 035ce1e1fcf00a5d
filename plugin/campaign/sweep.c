// SPDX-License-Identifier: GPL-2.0-only
/*
 * A sweep as the list of its steps. The times of a cell are a line of the
 * journal; a cell that fails is a reason, and the sweep goes on.
 */
#include "sweep-impl.h"

#include "interaction.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void pw_sweep_opts_init(struct pw_sweep_opts *o)
{
	memset(o, 0, sizeof(*o));
	o->min_excess = 1.25;
	o->seed = 1;
	pw_guest_init(&o->guest);
}

/* --- the ground --------------------------------------------------------------------- */

static int find_runtimes(struct sweep *s, struct pw_err *err)
{
	size_t n = 0;
	int ret = 0;

	while (s->o->runtimes && s->o->runtimes[n])
		n++;
	if (n < 2)
		return pw_err_set(
			err, EINVAL,
			"a sweep compares at least two runtimes; name "
			"them with --runtimes A,B");
	s->rt = pw_zalloc(n * sizeof(*s->rt));
	s->session = pw_zalloc(n * sizeof(*s->session));
	for (size_t i = 0; i < n && !ret; i++) {
		ret = pw_runtime_find(&s->rt[i], s->o->runtimes[i], err);
		s->n_rt = i + 1;
	}
	return ret;
}

/* Modules are compared by name and are not read here: many are large. */
static uint64_t identity(const struct sweep *s)
{
	uint64_t id = 3;

	for (size_t i = 0; i < s->n_modules; i++)
		id = ground_hash(s->modules[i], id);
	id = ground_hash(s->root, id);
	for (size_t i = 0; i < s->n_rt; i++)
		id = ground_hash(s->rt[i].spec, id);
	return pw_guest_hash(&s->o->guest, id);
}

static int prepare(struct sweep *s, struct pw_err *err)
{
	size_t n;
	int ret = find_runtimes(s, err);

	if (ret)
		return ret;
	s->root = realpath(s->o->modules_dir, NULL);
	if (!s->root)
		return pw_err_set(err, errno, "cannot read %s: %s",
				  s->o->modules_dir, strerror(errno));
	ret = sweep_find_modules(s, err);
	if (!ret)
		ret = ground_open(&s->ground, s->o->dir, &s->o->guest, "sweep",
				  identity(s), err);
	if (ret)
		return ret;
	pw_guest_box_see(&s->ground.box, s->root, false);
	n = s->n_modules * s->n_rt;
	s->cell = pw_zalloc(n * sizeof(*s->cell));
	s->excess = pw_zalloc(n * sizeof(*s->excess));
	s->order = pw_zalloc(n * sizeof(*s->order));
	s->factor = pw_zalloc(s->n_rt * sizeof(*s->factor));
	return 0;
}

/* --- a cell and the journal ------------------------------------------------------------ */

static char *cell_key(const struct sweep *s, size_t m, size_t r)
{
	return pw_asprintf("%s %s", s->rt[r].spec, s->modules[m]);
}

static void settle(struct cell *c)
{
	bool ran = ground_ran(&c->series);

	c->ms = ran ? pw_median(c->series.cpu_ms, c->series.n) : NAN;
	free(c->why);
	c->why = ran ? NULL : ground_reason(&c->series);
}

/* "OUTCOME EXIT N MS... MESSAGE" */
static bool recall_cell(struct sweep *s, size_t m, size_t r)
{
	struct pw_series *series = &s->cell[m * s->n_rt + r].series;
	char *key = cell_key(s, m, r), outcome[24];
	const char *text = pw_journal_find(s->ground.journal, "cell", key);
	int used = 0, more = 0;
	size_t n;

	free(key);
	if (!text ||
	    sscanf(text, "%23s %d %zu%n", outcome, &series->last.exit_code, &n,
		   &used) != 3 ||
	    n > 1000)
		return false;
	pw_series_release(series);
	series->outcome = pw_outcome_find(outcome);
	series->cpu_ms = pw_zalloc((n + 1) * sizeof(double));
	for (; series->n < n; series->n++, used += more)
		if (sscanf(text + used, "%lf%n", &series->cpu_ms[series->n],
			   &more) != 1)
			return false;
	snprintf(series->last.message, sizeof(series->last.message), "%s",
		 text + used + (text[used] == ' '));
	settle(&s->cell[m * s->n_rt + r]);
	return true;
}

static int note_cell(struct sweep *s, size_t m, size_t r, struct pw_err *err)
{
	const struct pw_series *series = &s->cell[m * s->n_rt + r].series;
	char *key = cell_key(s, m, r), *p;
	struct pw_buf b = { 0 };
	int ret = 0;

	pw_buf_printf(&b, "%s %d %zu", pw_outcome_name(series->outcome),
		      series->last.exit_code, series->n);
	for (size_t i = 0; i < series->n; i++)
		pw_buf_printf(&b, " %.6f", series->cpu_ms[i]);
	pw_buf_printf(&b, " %s", series->last.message);
	for (p = (char *)pw_buf_str(&b); *p; p++)
		if (*p == '\n' || *p == '\r')
			*p = ' ';
	if (!pw_journal_find(s->ground.journal, "cell", key))
		ret = pw_journal_add(s->ground.journal, "cell", key, err, "%s",
				     pw_buf_str(&b));
	pw_buf_release(&b);
	free(key);
	return ret;
}

/* --- one module on all runtimes ------------------------------------------------------------ */

static int open_sessions(struct sweep *s, struct pw_err *err)
{
	for (size_t i = 0; i < s->n_rt; i++) {
		if (!s->session[i])
			s->session[i] = pw_guest_session(&s->ground.box,
							 &s->rt[i], err);
		if (!s->session[i])
			return -err->code;
	}
	return 0;
}

/* What the guest sees: its own folder, then what all see. Nobody asked for its
 * own one, so a runtime that shows no directories goes without. */
static const char **mounts_of(const struct sweep *s, const char *own)
{
	char **mounts = s->ground.box.mounts;
	size_t n = 0;
	const char **list;

	while (mounts && mounts[n])
		n++;
	list = pw_zalloc((n + 2) * sizeof(*list));
	list[0] = own;
	for (size_t i = 0; i < n; i++)
		list[i + 1] = mounts[i];
	return list;
}

static int run_all(struct sweep *s, size_t m, const char *path,
		   const char **mounts, struct pw_err *err)
{
	struct pw_contestant *c = pw_zalloc(s->n_rt * sizeof(*c));
	struct pw_interleave_opts opts = {
		.min_rounds = 3,
		.max_rounds = 5,
		.ratio_width = 0.05,
		/* one may take all of its time to compile, and then fail */
		.budget_ns =
			2 * s->o->guest.wall_limit_ns + UINT64_C(60000000000),
		.seed = s->o->seed,
	};
	int ret;

	for (size_t r = 0; r < s->n_rt; r++) {
		c[r].session = s->session[r];
		ground_request(&s->ground, path, &c[r].req);
		c[r].req.dirs = mounts + !s->rt[r].shows_dirs;
	}
	ret = pw_interleave(c, s->n_rt, &opts, err);
	for (size_t r = 0; r < s->n_rt; r++) {
		pw_series_release(&s->cell[m * s->n_rt + r].series);
		s->cell[m * s->n_rt + r].series = c[r].series;
		settle(&s->cell[m * s->n_rt + r]);
	}
	free(c);
	for (size_t r = 0; r < s->n_rt && !ret; r++)
		ret = note_cell(s, m, r, err);
	return ret;
}

static int measure(struct sweep *s, size_t m, struct pw_err *err)
{
	char *from = pw_asprintf("%s/%s", s->root, s->modules[m]);
	char *folder = sweep_folder(s, m);
	char *own = pw_asprintf("%s::.", folder), *path;
	const char **mounts = mounts_of(s, own);
	int ret = open_sessions(s, err);

	path = ret ? NULL
		   : pw_guest_box_bring(&s->ground.box, from, "module.wasm",
					err);
	if (!ret)
		ret = path ? run_all(s, m, path, mounts, err) : -err->code;
	free(mounts);
	free(path);
	free(own);
	free(folder);
	free(from);
	return ret;
}

static int measure_all(struct sweep *s, struct pw_err *err)
{
	int ret = 0;

	for (size_t m = 0; m < s->n_modules && !ret; m++) {
		struct pw_campaign_progress p = {
			.what = s->modules[m],
			.done = (uint32_t)m,
			.total = (uint32_t)s->n_modules,
		};
		bool all = true;

		for (size_t r = 0; r < s->n_rt && all; r++)
			all = recall_cell(s, m, r);
		if (s->o->progress)
			s->o->progress(s->o->progress_ctx, &p);
		if (!all)
			ret = measure(s, m, err);
	}
	return ret;
}

/* --- what stands out -------------------------------------------------------------------------- */

/* Shorter than this a call is mostly its beginning and end. */
#define MIN_MS 1.0

/* Less than this share of what the slowest takes is no work. */
#define DELETED_SHARE 0.01

static void mark_deleted(struct sweep *s, size_t m)
{
	struct cell *row = s->cell + m * s->n_rt;
	double most = 0;

	for (size_t r = 0; r < s->n_rt; r++)
		if (row[r].ms > most)
			most = row[r].ms;
	for (size_t r = 0; r < s->n_rt; r++)
		row[r].deleted =
			most >= MIN_MS && row[r].ms < DELETED_SHARE * most;
}

/* Certainly slower than another, by more than one run of each. */
static bool is_certain(const struct sweep *s, size_t cell)
{
	size_t other = sweep_fastest_other(s, cell);
	const struct pw_series *a = &s->cell[cell].series, *b;

	if (other == SIZE_MAX)
		return false;
	b = &s->cell[other].series;
	return a->n >= 2 && b->n >= 2 &&
	       pw_series_ratio(a, b, s->o->seed).ci.lo > 1;
}

static int rank(struct sweep *s)
{
	size_t n = s->n_modules * s->n_rt, all, kept = 0;
	double *ms = pw_zalloc(n * sizeof(*ms));

	for (size_t m = 0; m < s->n_modules; m++)
		mark_deleted(s, m);
	for (size_t i = 0; i < n; i++)
		ms[i] = s->cell[i].deleted ? NAN : s->cell[i].ms;
	interaction_polish(ms, s->n_modules, s->n_rt, s->excess, s->factor);
	all = interaction_rank(s->excess, n, s->o->min_excess, s->order);
	for (size_t i = 0; i < all; i++)
		if (ms[s->order[i]] >= MIN_MS && is_certain(s, s->order[i]))
			s->order[kept++] = s->order[i];
	s->n_order = kept;
	free(ms);
	return 0;
}

/* --- the whole ----------------------------------------------------------------------------------- */

static int run_steps(struct sweep *s, struct pw_err *err)
{
	int ret = prepare(s, err);

	if (!ret)
		ret = measure_all(s, err);
	if (!ret)
		ret = rank(s);
	/* the hunts have hosts of their own */
	for (size_t i = 0; i < s->n_rt; i++) {
		pw_session_close(s->session[i]);
		s->session[i] = NULL;
	}
	return ret ? ret : sweep_hunts(s, err);
}

static void release(struct sweep *s)
{
	for (size_t i = 0; s->cell && i < s->n_modules * s->n_rt; i++) {
		pw_series_release(&s->cell[i].series);
		free(s->cell[i].why);
	}
	for (size_t i = 0; i < s->n_hunts; i++) {
		free(s->hunts[i].dir);
		free(s->hunts[i].why);
	}
	for (size_t i = 0; i < s->n_modules; i++)
		free(s->modules[i]);
	for (size_t i = 0; i < s->n_rt; i++)
		pw_runtime_release(&s->rt[i]);
	free(s->hunts);
	free(s->cell);
	free(s->excess);
	free(s->factor);
	free(s->order);
	free(s->modules);
	free(s->rt);
	free(s->session);
	free(s->root);
	ground_release(&s->ground);
}

int pw_sweep_run(const struct pw_sweep_opts *o, struct pw_report *report,
		 struct pw_err *err)
{
	struct sweep s = { .o = o };
	struct pw_err own;
	int ret = run_steps(&s, err ? err : &own);

	if (!ret)
		sweep_present(&s, report);
	release(&s);
	return ret;
}
