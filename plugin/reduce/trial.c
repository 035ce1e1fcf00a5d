// SPDX-License-Identifier: GPL-2.0-only
/*
 * One candidate of a reduction: does it still show the fault? A run on the
 * suspect tells most that do not, one on the oracle the others; only what
 * is near the border is run more often.
 */
#include "passes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How much longer than the original a candidate may run on the suspect. */
#define LONGER_MAX 1.3
/* The kernel's timer ticks. */
#define GRACE_MS 4.0
/* Within these shares of the gap that is needed one run does not decide. */
#define BORDER_LO 0.75
#define BORDER_HI 1.2
#define PAIRS_MAX 3
/* Samples of one run. */
#define SAMPLES_WANTED 1000
#define PERIOD_MIN_NS  50000

struct times {
	double suspect_ms[PAIRS_MAX], oracle_ms[PAIRS_MAX];
	size_t n;
};

bool reduce_over(const struct reduce *r)
{
	return r->n_trials >= r->o->budget;
}

/* An exit with status 0 is an end like any other. */
static enum pw_outcome outcome_of(const struct pw_host_reply *p)
{
	return p->outcome == PW_OUT_EXIT && !p->exit_code ? PW_OUT_OK
							  : p->outcome;
}

bool reduce_ends_alike(const struct reduce *r, const struct pw_host_reply *p)
{
	return outcome_of(p) == r->outcome &&
	       (r->outcome != PW_OUT_EXIT || p->exit_code == r->exit_code);
}

static char *box_path(const struct reduce *r, const char *name)
{
	return pw_asprintf("%s/%s", r->box.dir, name);
}

static bool is_sampled(const struct reduce *r)
{
	return r->suspect.rt.samples && r->suspect.rt.shows_code;
}

static void ask(const struct reduce *r, const struct side_runner *s,
		struct pw_host_request *req, char **elf, char **samples)
{
	double period_ns = r->suspect.base_ms * 1e6 / SAMPLES_WANTED;

	pw_guest_request(&r->box, r->path, req);
	req->digest = false;
	*elf = *samples = NULL;
	if (s != &r->suspect || !is_sampled(r))
		return;
	req->artifact_path = *elf = box_path(r, "image.elf");
	req->samples_path = *samples = box_path(r, "samples");
	req->sample_period_ns =
		period_ns > PERIOD_MIN_NS ? (uint64_t)period_ns : PERIOD_MIN_NS;
}

int reduce_run_on(struct reduce *r, struct side_runner *s,
		  struct pw_host_request *req, struct pw_host_reply *reply,
		  struct pw_err *err)
{
	int ret = pw_session_run(s->session, req, reply, err);

	if (!ret) {
		s->n_runs++;
		r->spent_ns += reply->cpu_ns;
	}
	return ret;
}

/* One run of the candidate; *ms < 0: it does not end alike, or too late. */
static int run_once(struct reduce *r, struct side_runner *s, double limit_ms,
		    double *ms, struct pw_err *err)
{
	struct pw_host_request req;
	struct pw_host_reply reply;
	char *elf, *samples;
	int ret;

	ask(r, s, &req, &elf, &samples);
	req.cpu_limit_ns = (uint64_t)((limit_ms + GRACE_MS) * 1e6);
	ret = reduce_run_on(r, s, &req, &reply, err);
	*ms = !ret && reduce_ends_alike(r, &reply) ? (double)reply.cpu_ns / 1e6
						   : -1;
	if (*ms > limit_ms)
		*ms = -1;
	free(elf);
	free(samples);
	return ret;
}

/* A run on each side; *clear: no need to look further, it is out. */
static int run_pair(struct reduce *r, struct times *t, double need_ms,
		    bool *clear, struct pw_err *err)
{
	double s, o;
	int ret = run_once(r, &r->suspect, r->suspect.base_ms * LONGER_MAX, &s,
			   err);

	*clear = true;
	if (ret || s < BORDER_LO * need_ms)
		return ret;
	ret = run_once(r, &r->oracle, s - BORDER_LO * need_ms, &o, err);
	if (ret || o < 0)
		return ret;
	*clear = false;
	t->suspect_ms[t->n] = s;
	t->oracle_ms[t->n++] = o;
	return 0;
}

static double lost_ms(const struct times *t)
{
	return pw_median(t->suspect_ms, t->n) - pw_median(t->oracle_ms, t->n);
}

static bool is_slow(const struct reduce *r, const struct times *t)
{
	double least = 1 + r->o->keep * (r->ratio - 1);

	if (least < r->o->min_gap)
		least = r->o->min_gap;
	return lost_ms(t) >= r->o->keep * r->gap_ms &&
	       pw_median(t->suspect_ms, t->n) >=
		       least * pw_median(t->oracle_ms, t->n);
}

/* Runs until it is clear whether the gap is there. */
static int run_pairs(struct reduce *r, struct times *t, bool *slow,
		     struct pw_err *err)
{
	double need_ms = r->o->keep * r->gap_ms;
	bool clear;
	int ret;

	*slow = false;
	do {
		ret = run_pair(r, t, need_ms, &clear, err);
		if (ret || clear)
			return ret;
	} while (t->n < PAIRS_MAX && lost_ms(t) < BORDER_HI * need_ms);
	*slow = is_slow(r, t);
	return 0;
}

/* The opcodes under the samples of the run before. */
static int read_hot(struct reduce *r, const struct pw_module *m,
		    struct hot *hot, struct pw_err *err)
{
	char *elf = box_path(r, "image.elf"), *samples = box_path(r, "samples");
	int ret = hot_read(hot, elf, samples, m, err);

	free(elf);
	free(samples);
	return ret;
}

int reduce_take(struct reduce *r, struct pw_buf *bytes, struct pw_err *err)
{
	struct pw_module *m = pw_module_decode(bytes->data, bytes->len, err);

	if (!m)
		return -err->code;
	pw_module_free(r->m);
	pw_buf_release(&r->bytes);
	r->bytes = *bytes;
	r->m = m;
	memset(bytes, 0, sizeof(*bytes));
	return 0;
}

uint32_t reduce_count_insns(const struct pw_module *m, uint32_t *n_funcs)
{
	uint32_t first = pw_module_n_imported(m, PW_EXT_FUNC), n = 0;
	struct pw_walk *w = pw_walk_new(m);
	struct pw_insn in;

	*n_funcs = pw_module_n(m, PW_EXT_FUNC) - first;
	for (uint32_t i = 0; i < *n_funcs; i++)
		if (!pw_walk_start(w, first + i, NULL))
			while (pw_walk_next(w, &in, NULL) == 1)
				n++;
	pw_walk_free(w);
	return n;
}

static void tell(struct reduce *r)
{
	struct pw_reduce_progress p = {
		.pass = r->pass,
		.trials = r->n_trials,
		.size_bytes = (uint32_t)r->bytes.len,
	};
	uint32_t n_funcs;

	if (!r->o->progress)
		return;
	p.n_insns = reduce_count_insns(r->m, &n_funcs);
	r->o->progress(r->o->progress_ctx, &p);
}

static bool is_valid(struct pw_buf *bytes, struct pw_module **m)
{
	*m = pw_module_decode(bytes->data, bytes->len, NULL);
	if (*m && !pw_module_check_bodies(*m, NULL))
		return true;
	pw_module_free(*m);
	*m = NULL;
	return false;
}

/* Runs the candidate, which validates. */
static int judge(struct reduce *r, const struct pw_buf *bytes,
		 const struct pw_module *m, const char *key, bool *kept,
		 struct pw_err *err)
{
	uint64_t runs[2] = { r->suspect.n_runs, r->oracle.n_runs };
	uint64_t spent = r->spent_ns;
	struct times t = { 0 };
	struct hot hot = { 0 };
	int ret = pw_file_write(r->path, bytes->data, bytes->len, err);

	if (!ret)
		ret = run_pairs(r, &t, kept, err);
	if (!ret && *kept && is_sampled(r)) {
		ret = read_hot(r, m, &hot, err);
		*kept = !ret && hot_alike(&r->hot, &hot);
	}
	if (!ret && *kept) {
		hot_release(&r->here);
		r->here = hot;
		memset(&hot, 0, sizeof(hot));
	}
	hot_release(&hot);
	if (ret)
		return ret;
	return pw_journal_add(r->journal, "try", key, err, "%d %llu %llu %llu",
			      *kept,
			      (unsigned long long)(r->suspect.n_runs - runs[0]),
			      (unsigned long long)(r->oracle.n_runs - runs[1]),
			      (unsigned long long)(r->spent_ns - spent));
}

/* Later rounds propose again what did not go before. */
static bool is_new(struct reduce *r, uint64_t hash)
{
	for (uint32_t i = 0; i < r->n_trials; i++)
		if (r->seen[i] == hash)
			return false;
	r->seen = pw_realloc(r->seen, (r->n_trials + 1) * sizeof(*r->seen));
	r->seen[r->n_trials++] = hash;
	return true;
}

/* The verdict of before, with what it cost an earlier process. */
static bool recall(struct reduce *r, const char *key, bool first, bool *kept)
{
	const char *seen = pw_journal_find(r->journal, "try", key);
	unsigned long long s, o, ns;
	int yes;

	if (!seen || sscanf(seen, "%d %llu %llu %llu", &yes, &s, &o, &ns) != 4)
		return false;
	*kept = yes;
	if (!first)
		return true;
	r->suspect.n_runs += s;
	r->oracle.n_runs += o;
	r->spent_ns += ns;
	return true;
}

int reduce_try(struct reduce *r, struct pw_buf *bytes, bool *kept,
	       struct pw_err *err)
{
	struct pass_row *row = &r->rows[r->n_rows - 1];
	struct pw_module *m = NULL;
	uint64_t hash;
	char key[20];
	int ret = 0;
	bool first;

	*kept = false;
	if (reduce_over(r))
		return 0;
	if (!is_valid(bytes, &m)) {
		row->invalid++;
		return 0;
	}
	hash = pw_hash(bytes->data, bytes->len, 0);
	snprintf(key, sizeof(key), "%016llx", (unsigned long long)hash);
	first = is_new(r, hash);
	row->trials += first;
	if (!recall(r, key, first, kept))
		ret = judge(r, bytes, m, key, kept, err);
	pw_module_free(m);
	if (!ret && *kept) {
		row->kept++;
		ret = reduce_take(r, bytes, err);
	}
	tell(r);
	return ret;
}

/* --- what candidates are compared with -------------------------------------------- */

static bool recall_times(struct reduce *r, const char *key)
{
	const char *seen = pw_journal_find(r->journal, "times", key);
	struct pw_ratio *x = &r->last_ratio;
	int outcome;

	return seen &&
	       sscanf(seen, "%lf %lf %lf %lf %lf %d %d", &r->suspect.base_ms,
		      &r->oracle.base_ms, &x->ratio, &x->ci.lo, &x->ci.hi,
		      &outcome, &r->exit_code) == 7 &&
	       (r->outcome = (enum pw_outcome)outcome, true);
}

static int must_run(const struct side_runner *s, struct pw_err *err)
{
	const struct pw_series *b = &s->base;

	if (b->n && (b->outcome == PW_OUT_OK || b->outcome == PW_OUT_EXIT))
		return 0;
	return pw_err_set(err, EINVAL, "the module does not run on %s: %s%s%s",
			  s->rt.spec, pw_outcome_name(b->outcome),
			  b->last.message[0] ? ": " : "", b->last.message);
}

static void take_series(struct reduce *r, struct side_runner *s,
			struct pw_contestant *c)
{
	pw_series_release(&s->base);
	s->base = c->series;
	s->base_ms = pw_median(s->base.cpu_ms, s->base.n);
	s->n_runs += s->base.n_runs;
	for (size_t i = 0; i < s->base.n; i++)
		r->spent_ns += (uint64_t)(s->base.cpu_ms[i] * 1e6);
}

static int time_both(struct reduce *r, struct pw_err *err)
{
	struct pw_contestant c[2] = { { .session = r->suspect.session },
				      { .session = r->oracle.session } };
	struct pw_interleave_opts opts = {
		.min_rounds = 3,
		.max_rounds = 9,
		.ratio_width = 0.05,
		.budget_ns = UINT64_C(20000000000),
		.seed = r->o->seed,
	};
	char *paths[4];
	int ret;

	ask(r, &r->suspect, &c[0].req, &paths[0], &paths[1]);
	ask(r, &r->oracle, &c[1].req, &paths[2], &paths[3]);
	ret = pw_interleave(c, 2, &opts, err);
	take_series(r, &r->suspect, &c[0]);
	take_series(r, &r->oracle, &c[1]);
	for (int i = 0; i < 4; i++)
		free(paths[i]);
	if (!ret)
		ret = must_run(&r->suspect, err);
	if (!ret)
		ret = must_run(&r->oracle, err);
	if (ret)
		return ret;
	r->outcome = outcome_of(&r->suspect.base.last);
	r->exit_code = r->suspect.base.last.exit_code;
	r->last_ratio =
		pw_series_ratio(&r->suspect.base, &r->oracle.base, r->o->seed);
	return 0;
}

/* A sampled run: what the interleaved ones say is of the last round, and a
 * resumed reduction has none. */
static int sample_here(struct reduce *r, struct pw_err *err)
{
	double ms;
	int ret;

	if (!is_sampled(r))
		return 0;
	ret = run_once(r, &r->suspect, r->suspect.base_ms * 3, &ms, err);
	hot_release(&r->here);
	return ret ? ret : read_hot(r, r->m, &r->here, err);
}

int reduce_measure(struct reduce *r, const char *key, struct pw_err *err)
{
	const struct pw_ratio *x = &r->last_ratio;
	int ret = pw_file_write(r->path, r->bytes.data, r->bytes.len, err);

	if (!ret && !recall_times(r, key)) {
		ret = time_both(r, err);
		if (!ret)
			ret = pw_journal_add(r->journal, "times", key, err,
					     "%.6f %.6f %.6f %.6f %.6f %d %d",
					     r->suspect.base_ms,
					     r->oracle.base_ms, x->ratio,
					     x->ci.lo, x->ci.hi,
					     (int)r->outcome, r->exit_code);
	}
	return ret ? ret : sample_here(r, err);
}
