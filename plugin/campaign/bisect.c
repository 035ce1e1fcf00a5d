// SPDX-License-Identifier: GPL-2.0-only
/*
 * A bisection as the list of its steps. What a release took is a line of the
 * journal, and what to try next follows from those lines alone.
 */
#include "bisect-impl.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void pw_bisect_opts_init(struct pw_bisect_opts *o)
{
	memset(o, 0, sizeof(*o));
	o->runtime = "wasmtime";
	o->grid = 7;
	o->min_change = 1.2;
	o->seed = 1;
	pw_guest_init(&o->guest);
}

static void tell(const struct bisect *b, const char *what)
{
	struct pw_campaign_progress p = { .what = what,
					  .done = (uint32_t)b->n_tried };

	if (b->o->progress)
		b->o->progress(b->o->progress_ctx, &p);
}

/* --- the ground --------------------------------------------------------------------- */

static uint64_t identity(const struct bisect *b, const struct pw_file *f)
{
	uint64_t id = pw_hash(f->data, f->size, 2);

	id = ground_hash(b->o->runtime, id);
	id = ground_hash(b->o->oracle ? b->o->oracle : b->v[0].spec, id);
	return pw_guest_hash(&b->o->guest, id);
}

static int prepare(struct bisect *b, struct pw_err *err)
{
	struct pw_file f = { 0 };
	struct pw_module *m = NULL;
	int ret = pw_file_open(&f, b->o->module_path, err);

	if (!ret) {
		m = pw_module_decode(f.data, f.size, err);
		ret = m ? 0 : -err->code;
	}
	if (ret)
		pw_err_prefix(err, "%s", b->o->module_path);
	if (!ret)
		b->n_imported = pw_module_n_imported(m, PW_EXT_FUNC);
	pw_module_free(m);
	if (!ret)
		ret = bisect_choose(b, err);
	if (!ret)
		ret = ground_open(&b->ground, b->o->dir, &b->o->guest, "bisect",
				  identity(b, &f), err);
	pw_file_close(&f);
	if (ret)
		return ret;
	b->module_path = pw_guest_box_bring(&b->ground.box, b->o->module_path,
					    "module.wasm", err);
	return b->module_path ? 0 : -err->code;
}

static int find_oracle(struct bisect *b, struct pw_err *err)
{
	if (b->o->code_only)
		return 0;
	return b->o->oracle ? pw_runtime_find(&b->oracle, b->o->oracle, err)
			    : bisect_find(b, 0, &b->oracle, err);
}

/* --- one release ----------------------------------------------------------------------- */

static void fail(struct bisect *b, size_t i, const char *why)
{
	b->probe[i] = (struct probe){ .done = true, .failed = true };
	free(b->v[i].why);
	b->v[i].why = pw_strdup(why);
}

/* "ok RATIO LO HI MS ORACLE_MS RUNS" or "failed REASON". */
static bool recall(struct bisect *b, size_t i)
{
	const char *text =
		pw_journal_find(b->ground.journal, "release", b->v[i].version);
	struct probe *p = &b->probe[i];
	struct release *r = &b->v[i];

	if (!text)
		return false;
	if (!strncmp(text, "failed ", 7)) {
		fail(b, i, text + 7);
		return true;
	}
	p->done = sscanf(text, "ok %lf %lf %lf %lf %lf %zu", &p->ratio, &p->lo,
			 &p->hi, &r->ms, &r->oracle_ms, &r->runs) == 6;
	return p->done;
}

static int note_down(struct bisect *b, size_t i, struct pw_err *err)
{
	const struct probe *p = &b->probe[i];
	const struct release *r = &b->v[i];

	if (p->failed)
		return pw_journal_add(b->ground.journal, "release", r->version,
				      err, "failed %s", r->why);
	return pw_journal_add(b->ground.journal, "release", r->version, err,
			      "ok %.6f %.6f %.6f %.6f %.6f %zu", p->ratio,
			      p->lo, p->hi, r->ms, r->oracle_ms, r->runs);
}

static int oracle_fails(struct bisect *b, const struct pw_series *s,
			struct pw_err *err)
{
	char *why = ground_reason(s);

	pw_err_set(err, EINVAL,
		   "the module does not run on %s: %s; name another one with "
		   "--oracle",
		   b->oracle.spec, why);
	free(why);
	return -EINVAL;
}

static int take_times(struct bisect *b, size_t i, const struct pw_contestant *c,
		      struct pw_err *err)
{
	const struct pw_series *own = &c[0].series, *oracle = &c[1].series;
	struct pw_ratio r;
	char *why;

	if (!ground_ran(oracle))
		return oracle_fails(b, oracle, err);
	if (!ground_ran(own)) {
		why = ground_reason(own);
		fail(b, i, why);
		free(why);
		return 0;
	}
	r = pw_series_ratio(own, oracle, b->o->seed);
	if (!(r.ratio > 0) || !isfinite(r.ratio))
		return pw_err_set(err, EINVAL,
				  "%s took no time at all for the module, so "
				  "that nothing can be compared with it; name "
				  "another oracle",
				  b->oracle.spec);
	b->v[i].ms = pw_median(own->cpu_ms, own->n);
	b->v[i].oracle_ms = pw_median(oracle->cpu_ms, oracle->n);
	b->v[i].runs = own->n;
	b->probe[i] = (struct probe){
		.done = true, .ratio = r.ratio, .lo = r.ci.lo, .hi = r.ci.hi
	};
	return 0;
}

static int time_both(struct bisect *b, size_t i, struct pw_session *session,
		     struct pw_err *err)
{
	struct pw_contestant c[2] = { { .session = session },
				      { .session = b->oracle_session } };
	struct pw_interleave_opts opts = {
		.min_rounds = 3,
		.max_rounds = 9,
		.ratio_width = 0.06,
		.budget_ns = UINT64_C(30000000000),
		.seed = b->o->seed,
	};
	int ret;

	ground_request(&b->ground, b->module_path, &c[0].req);
	ground_request(&b->ground, b->module_path, &c[1].req);
	ret = pw_interleave(c, 2, &opts, err);
	if (!ret)
		ret = take_times(b, i, c, err);
	pw_series_release(&c[0].series);
	pw_series_release(&c[1].series);
	return ret;
}

static int measure(struct bisect *b, size_t i, struct pw_err *err)
{
	struct pw_runtime rt = { 0 };
	struct pw_session *session = NULL;
	struct pw_err why = { .off = PW_NO_OFF };
	int ret = 0;

	if (!bisect_find(b, i, &rt, &why))
		session = pw_guest_session(&b->ground.box, &rt, &why);
	if (!b->oracle_session) {
		b->oracle_session =
			pw_guest_session(&b->ground.box, &b->oracle, err);
		ret = b->oracle_session ? 0 : -err->code;
	}
	if (!ret && pw_measure_interrupted())
		ret = pw_err_set(err, EINTR, "interrupted");
	else if (!ret && !session)
		fail(b, i, why.msg);
	else if (!ret)
		ret = time_both(b, i, session, err);
	pw_session_close(session);
	pw_runtime_release(&rt);
	return ret ? ret : note_down(b, i, err);
}

/* --- the search ---------------------------------------------------------------------------- */

static int search(struct bisect *b, struct pw_err *err)
{
	struct search s = { .probe = b->probe,
			    .n = b->n,
			    .grid = b->o->grid < 2 ? 2 : b->o->grid,
			    .min_change = b->o->min_change };
	struct step *steps;
	size_t i;
	int ret;

	while ((i = search_next(&s)) != SEARCH_DONE) {
		tell(b, b->v[i].spec);
		b->n_tried++;
		ret = recall(b, i) ? 0 : measure(b, i, err);
		if (ret)
			return ret;
	}
	b->n_changes = search_steps(&s, &steps);
	b->changes = pw_zalloc((b->n_changes + 1) * sizeof(*b->changes));
	for (i = 0; i < b->n_changes; i++) {
		struct change *c = &b->changes[i];

		c->step = steps[i];
		c->slow = c->step.factor > 1 ? c->step.after : c->step.before;
		c->fast = c->step.factor > 1 ? c->step.before : c->step.after;
	}
	free(steps);
	return 0;
}

static int compare_ends(struct bisect *b)
{
	b->n_changes = 1;
	b->changes = pw_zalloc(sizeof(*b->changes));
	b->changes[0] = (struct change){
		.step = { .before = 0, .after = b->n - 1 },
		.slow = 0,
		.fast = b->n - 1,
	};
	return 0;
}

static int run_steps(struct bisect *b, struct pw_err *err)
{
	int ret = prepare(b, err);

	if (!ret)
		ret = find_oracle(b, err);
	if (!ret)
		ret = b->o->code_only ? compare_ends(b) : search(b, err);
	for (size_t i = 0; i < b->n_changes && !ret; i++) {
		tell(b, "machine code");
		ret = bisect_code(b, &b->changes[i], err);
	}
	return ret;
}

static void release(struct bisect *b)
{
	for (size_t i = 0; i < b->n_changes; i++)
		change_release(&b->changes[i]);
	for (size_t i = 0; i < b->n; i++) {
		free(b->v[i].version);
		free(b->v[i].spec);
		free(b->v[i].why);
	}
	free(b->changes);
	free(b->v);
	free(b->probe);
	free(b->module_path);
	pw_session_close(b->oracle_session);
	pw_runtime_release(&b->oracle);
	ground_release(&b->ground);
}

int pw_bisect_run(const struct pw_bisect_opts *o, struct pw_report *report,
		  struct pw_err *err)
{
	struct bisect b = { .o = o };
	struct pw_err own;
	int ret = run_steps(&b, err ? err : &own);

	if (!ret)
		bisect_present(&b, report);
	release(&b);
	return ret;
}
