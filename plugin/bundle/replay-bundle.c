// SPDX-License-Identifier: GPL-2.0-only
/*
 * A bundle on this machine: is the gap there, and do the mutants still close
 * it? Everything that the bundle says is a stranger's word: its guests run in
 * the sandbox, on runtimes that this machine has under the names given, with
 * directories that the user names and none that the bundle names.
 */
#include "replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The least share of the gap that a mutant must close, as in a hunt's race. */
#define CLOSE_MIN 0.25
/* No bundle makes a run longer or larger than these. */
#define WALL_MAX_NS      UINT64_C(600000000000)
#define MEMORY_MAX_BYTES (UINT64_C(8) << 30)

char *replay_path(const struct replay *r, const char *name)
{
	return pw_asprintf("%s/%s", r->box.dir, name);
}

/* --- what the bundle says --------------------------------------------------------- */

static uint64_t number(const struct pw_bundle *b, const char *key,
		       uint64_t otherwise, uint64_t max)
{
	const char *s = pw_bundle_get(b, key, 0);
	uint64_t v = s ? strtoull(s, NULL, 10) : otherwise;

	return v && v < max ? v : max;
}

static void take_list(const struct pw_bundle *b, const char *key,
		      struct replay_list *l)
{
	const char *s;

	while ((s = pw_bundle_get(b, key, l->n))) {
		l->v = pw_realloc(l->v, (l->n + 2) * sizeof(*l->v));
		l->v[l->n++] = s;
		l->v[l->n] = NULL;
	}
}

static void take_guest(struct replay *r)
{
	const struct pw_bundle *b = r->o->bundle;

	take_list(b, "arg", &r->argv);
	take_list(b, "env", &r->env);
	r->guest = (struct pw_guest){
		.invoke = pw_bundle_get(b, "invoke", 0),
		.argv = r->argv.v,
		.env = r->env.v,
		.dirs = r->o->dirs,
		.wall_limit_ns =
			number(b, "wall_limit_ns", WALL_MAX_NS, WALL_MAX_NS),
		.memory_limit_bytes =
			number(b, "memory_limit_bytes", MEMORY_MAX_BYTES,
			       MEMORY_MAX_BYTES),
	};
}

static int lacks(const char *what, struct pw_err *err)
{
	return pw_err_set(err, EINVAL, "the bundle lacks %s", what);
}

static int take_findings(struct replay *r, struct pw_err *err)
{
	const struct pw_bundle *b = r->o->bundle;
	const char *s;

	while (r->n_findings < FINDINGS_MAX &&
	       (s = pw_bundle_get(b, "finding", r->n_findings))) {
		struct replay_finding *f = &r->findings[r->n_findings];
		const char *closed = pw_bundle_get(b, "closed", r->n_findings);
		const char *func = pw_bundle_get(b, "code_func", r->n_findings);
		const char *space = strchr(s, ' ');

		if (!space || !closed || !func ||
		    sscanf(closed, "%*u %lf", &f->then_closed) != 1 ||
		    sscanf(func, "%*u %u", &f->code_func) != 1)
			return lacks("what it says of a finding", err);
		f->notation = space + 1;
		r->n_findings++;
	}
	return 0;
}

/* The runtimes; of the oracles those that may be run here. */
static int take_runtimes(struct replay *r, struct pw_err *err)
{
	const struct pw_bundle *b = r->o->bundle;
	const char *spec;

	r->suspect.spec = pw_bundle_get(b, "suspect", 0);
	for (uint32_t i = 0; r->n_oracles < ORACLES_MAX &&
			     (spec = pw_bundle_get(b, "oracle", i));
	     i++)
		if (pw_bundle_runtime_ok(spec))
			r->oracles[r->n_oracles++].spec = spec;
	if (!r->suspect.spec || !pw_bundle_get(b, "oracle", 0))
		return lacks("the names of its runtimes", err);
	if (pw_bundle_runtime_ok(r->suspect.spec) && r->n_oracles)
		return 0;
	return pw_err_set(err, EPERM,
			  "the bundle's hunt ran a command line as a runtime, "
			  "and a replay runs none that is not the user's own: "
			  "add it by name with perf wasm runtimes add and hunt "
			  "the module of the bundle");
}

static int take_facts(struct replay *r, struct pw_err *err)
{
	const struct pw_bundle *b = r->o->bundle;
	const char *min_gap = pw_bundle_get(b, "min_gap", 0);
	const char *gap = pw_bundle_get(b, "hunted_gap", 0);
	struct pw_ratio *x = &r->then_gap;
	int ret = take_runtimes(r, err);

	if (ret)
		return ret;
	r->min_gap = min_gap ? strtod(min_gap, NULL) : 1.25;
	if (!gap ||
	    sscanf(gap, "%lf %lf %lf", &x->ratio, &x->ci.lo, &x->ci.hi) != 3)
		return lacks("the gap that was measured", err);
	take_guest(r);
	return take_findings(r, err);
}

/* --- the box ----------------------------------------------------------------------- */

/* A file of the bundle under a name of ours. */
static int put(struct replay *r, const char *name, const char *to,
	       struct pw_err *err)
{
	size_t size;
	const uint8_t *data = pw_bundle_file(r->o->bundle, name, &size);

	return data ? pw_file_write(to, data, size, err) : lacks(name, err);
}

static int put_stdin(struct replay *r, struct pw_err *err)
{
	size_t size;

	if (!pw_bundle_file(r->o->bundle, "stdin", &size))
		return 0;
	r->stdin_file = pw_asprintf("%s.stdin", r->o->dir);
	r->guest.stdin_path = r->stdin_file;
	return put(r, "stdin", r->stdin_file, err);
}

static char *mutant_name(uint32_t i)
{
	return pw_asprintf("mutant-%u.wasm", i + 1);
}

static int fill_box(struct replay *r, struct pw_err *err)
{
	int ret = put_stdin(r, err);

	if (!ret)
		ret = pw_guest_box_open(&r->box, &r->guest, r->o->dir, err);
	if (ret)
		return ret;
	r->hunted = replay_path(r, "hunted.wasm");
	ret = put(r, "hunted.wasm", r->hunted, err);
	for (uint32_t i = 0; i < r->n_findings && !ret; i++) {
		char *name = mutant_name(i), *to = replay_path(r, name);

		ret = put(r, name, to, err);
		free(name);
		free(to);
	}
	return ret;
}

/* --- the runs ------------------------------------------------------------------------ */

static int open_runner(struct replay *r, struct replay_runner *x,
		       struct pw_err *err)
{
	int ret = pw_runtime_find(&x->rt, x->spec, err);

	if (ret)
		return ret;
	x->session = pw_guest_session(&r->box, &x->rt, err);
	return x->session ? 0 : -err->code;
}

/* Suspect, oracles, and each mutant on the suspect, in turn. */
static int run_all(struct replay *r, struct pw_err *err)
{
	struct pw_interleave_opts opts = { .min_rounds = 5,
					   .max_rounds = 9,
					   .ratio_width = 0.05,
					   .budget_ns = UINT64_C(120000000000),
					   .seed = r->o->seed };
	uint32_t n = 1 + r->n_oracles, all = n + r->n_findings;
	struct pw_contestant *c = pw_zalloc(all * sizeof(*c));
	char **paths = pw_zalloc(all * sizeof(*paths));
	int ret;

	for (uint32_t i = 0; i < all; i++) {
		char *name = i < n ? NULL : mutant_name(i - n);

		paths[i] = name ? replay_path(r, name) : pw_strdup(r->hunted);
		c[i].session = i && i < n ? r->oracles[i - 1].session
					  : r->suspect.session;
		pw_guest_request(&r->box, paths[i], &c[i].req);
		free(name);
	}
	ret = pw_interleave(c, all, &opts, err);
	r->suspect.series = c[0].series;
	for (uint32_t i = 0; i < r->n_oracles; i++)
		r->oracles[i].series = c[1 + i].series;
	for (uint32_t i = 0; i < r->n_findings; i++)
		r->findings[i].series = c[n + i].series;
	for (uint32_t i = 0; i < all; i++)
		free(paths[i]);
	free(paths);
	free(c);
	return ret;
}

static bool ran(const struct pw_series *s)
{
	return s->n && (s->outcome == PW_OUT_OK || s->outcome == PW_OUT_EXIT);
}

static int must_run(const struct replay_runner *x, struct pw_err *err)
{
	const struct pw_series *s = &x->series;

	if (ran(s))
		return 0;
	return pw_err_set(err, EINVAL,
			  "the bundle's module does not run on %s: %s%s%s",
			  x->spec, pw_outcome_name(s->outcome),
			  s->last.message[0] ? ": " : "", s->last.message);
}

static double median(const struct pw_series *s)
{
	return pw_median(s->cpu_ms, s->n);
}

static void judge(struct replay *r)
{
	const struct pw_series *s = &r->suspect.series;
	const struct pw_series *o = &r->oracles[0].series;
	double gap_ms = median(s) - median(o);
	const struct replay_finding *first = &r->findings[0];

	r->gap = pw_series_ratio(s, o, r->o->seed);
	r->has_gap = r->gap.ratio >= r->min_gap;
	for (uint32_t i = 0; i < r->n_findings; i++) {
		struct replay_finding *f = &r->findings[i];

		f->ran = ran(&f->series);
		if (f->ran && gap_ms > 0)
			f->closed = (median(s) - median(&f->series)) / gap_ms;
	}
	r->holds = r->has_gap && r->n_findings && first->ran &&
		   first->closed >= CLOSE_MIN &&
		   (!r->code_known || first->n_present == first->n_accused);
}

static int replay(struct replay *r, struct pw_err *err)
{
	int ret = take_facts(r, err);

	if (!ret)
		ret = fill_box(r, err);
	if (!ret)
		ret = open_runner(r, &r->suspect, err);
	for (uint32_t i = 0; i < r->n_oracles && !ret; i++)
		ret = open_runner(r, &r->oracles[i], err);
	if (!ret)
		ret = run_all(r, err);
	if (!ret)
		ret = must_run(&r->suspect, err);
	if (!ret)
		ret = must_run(&r->oracles[0], err);
	if (!ret)
		ret = replay_code(r, err);
	if (!ret)
		judge(r);
	return ret;
}

static void release_runner(struct replay_runner *x)
{
	pw_session_close(x->session);
	pw_series_release(&x->series);
	pw_runtime_release(&x->rt);
}

static void replay_release(struct replay *r)
{
	release_runner(&r->suspect);
	for (uint32_t i = 0; i < r->n_oracles; i++)
		release_runner(&r->oracles[i]);
	for (uint32_t i = 0; i < r->n_findings; i++)
		pw_series_release(&r->findings[i].series);
	pw_guest_box_release(&r->box);
	if (r->stdin_file)
		pw_remove_tree(r->stdin_file, NULL);
	free(r->stdin_file);
	free(r->hunted);
	free(r->argv.v);
	free(r->env.v);
}

int pw_replay_run(const struct pw_replay_opts *opts, struct pw_report *report,
		  bool *holds, struct pw_err *err)
{
	struct replay r = { .o = opts };
	struct pw_err own;
	int ret = replay(&r, err ? err : &own);

	if (!ret) {
		*holds = r.holds;
		replay_present(&r, report);
	}
	replay_release(&r);
	return ret;
}
