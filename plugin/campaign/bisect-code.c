// SPDX-License-Identifier: GPL-2.0-only
/*
 * The machine codes of two neighbours: the slower one is sampled, and of each
 * function that holds samples the hot instructions are found that the faster
 * one's code has not, or has outside its loops.
 */
#include "bisect-impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_WANTED 2000
#define PERIOD_MIN_NS  UINT64_C(50000)
#define RUNS_MAX       10
/* Functions and loops with a smaller share of the samples are not hot. */
#define HOT 0.05

/* One release's image. */
struct built {
	struct pw_runtime rt;
	struct pw_session *session;
	struct pw_file file;
	struct pw_code *code;
};

struct samples {
	uint64_t *off;
	size_t n, cap, outside;
};

static void built_release(struct built *i)
{
	pw_code_close(i->code);
	pw_file_close(&i->file);
	pw_session_close(i->session);
	pw_runtime_release(&i->rt);
}

static int build(struct bisect *b, size_t release, struct built *im,
		 struct pw_err *err)
{
	char *path = pw_asprintf("%s/image.elf", b->ground.box.dir);
	struct pw_host_request req;
	struct pw_host_reply reply = { 0 };
	int ret = bisect_find(b, release, &im->rt, err);

	if (!ret && !im->rt.shows_code)
		ret = pw_err_set(err, ENOTSUP, "%s does not show its code",
				 im->rt.spec);
	if (!ret)
		im->session = pw_guest_session(&b->ground.box, &im->rt, err);
	if (!ret)
		ret = im->session ? 0 : -err->code;
	ground_request(&b->ground, b->module_path, &req);
	req.compile_only = true;
	req.artifact_path = path;
	if (!ret)
		ret = pw_session_run(im->session, &req, &reply, err);
	if (!ret && reply.outcome != PW_OUT_OK)
		ret = pw_err_set(err, EINVAL, "%s: %s", im->rt.spec,
				 reply.message);
	if (!ret)
		ret = pw_file_open(&im->file, path, err);
	if (!ret) {
		im->code = pw_code_open(im->file.data, im->file.size,
					b->n_imported, err);
		ret = im->code ? 0 : -err->code;
	}
	free(path);
	return ret;
}

/* --- samples --------------------------------------------------------------------- */

static void take_line(struct samples *s, const char *line)
{
	char *end;
	uint64_t off = strtoull(line, &end, 16);

	if (end == line) {
		s->outside += *line == '-';
		return;
	}
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 4096;
		s->off = pw_realloc(s->off, s->cap * sizeof(*s->off));
	}
	s->off[s->n++] = off;
}

static int read_samples(struct samples *s, const char *path, struct pw_err *err)
{
	struct pw_buf text = { 0 };
	struct pw_file f = { 0 };
	char *line, *save = NULL;
	int ret = pw_file_open(&f, path, err);

	if (ret)
		return ret;
	pw_buf_add(&text, f.data, f.size);
	pw_buf_str(&text);
	for (line = strtok_r((char *)text.data, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		if (strncmp(line, "period_ns", 9))
			take_line(s, line);
	pw_buf_release(&text);
	pw_file_close(&f);
	return 0;
}

static int sample(struct bisect *b, struct built *im, struct samples *s,
		  struct pw_err *err)
{
	char *path = pw_asprintf("%s/samples", b->ground.box.dir);
	struct pw_host_request req;
	struct pw_host_reply reply;
	uint64_t period = PERIOD_MIN_NS;
	int ret = 0;

	for (int i = 0; i < RUNS_MAX && !ret; i++) {
		if (s->n + s->outside >= SAMPLES_WANTED * 3 / 4)
			break;
		ground_request(&b->ground, b->module_path, &req);
		req.samples_path = path;
		req.sample_period_ns = period;
		ret = pw_session_run(im->session, &req, &reply, err);
		if (!ret && reply.outcome != PW_OUT_OK &&
		    reply.outcome != PW_OUT_EXIT)
			ret = pw_err_set(err, EINVAL, "%s: %s", im->rt.spec,
					 reply.message);
		if (!ret)
			ret = read_samples(s, path, err);
	}
	free(path);
	return ret;
}

/* --- what is hot --------------------------------------------------------------------- */

static double share_of(const struct samples *s, uint64_t lo, uint64_t hi)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->off[i] >= lo && s->off[i] < hi;
	return s->n ? (double)n / (double)s->n : 0;
}

/* Which instructions are in a loop; of the slow code (share) one that holds
 * samples enough. All, when none is: the loop is elsewhere. */
static bool *mark_loops(const struct pw_minsn *insns, uint32_t n,
			const double *share)
{
	bool *in = pw_zalloc(n + 1), any = false;
	struct pw_loop *loops = NULL;
	uint32_t n_loops = 0, l;
	double *held;

	pw_code_loops(insns, n, &loops, &n_loops);
	held = pw_zalloc((n_loops + 1) * sizeof(*held));
	for (uint32_t i = 0; i < n; i++)
		for (l = pw_code_loop_of(loops, n_loops, i); l != UINT32_MAX;
		     l = loops[l].parent)
			held[l] += share ? share[i] : 1;
	for (uint32_t i = 0; i < n; i++) {
		l = pw_code_loop_of(loops, n_loops, i);
		while (l != UINT32_MAX && held[l] < HOT)
			l = loops[l].parent;
		in[i] = l != UINT32_MAX;
		any |= in[i];
	}
	for (uint32_t i = 0; i < n && !any; i++)
		in[i] = true;
	free(held);
	free(loops);
	return in;
}

/* A slow instruction's samples land on the next one. */
static double near(const struct change *c, uint32_t i)
{
	return c->share[i] / 2 + (i + 1 < c->n_slow ? c->share[i + 1] : 0);
}

static int by_share(const void *a, const void *b, void *ctx)
{
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	int m = (int)(near(ctx, i) * 50), n = (int)(near(ctx, j) * 50);

	if (m != n) /* steps of 2 %: less is chance */
		return m < n ? 1 : -1;
	return (i > j) - (i < j);
}

/* Missing in the fast code's loops: gone, or before the loop there. */
static bool is_accused(const struct pw_code_diff_line *l, const bool *hot,
		       const bool *in_loop)
{
	int32_t at = l->side == PW_CODE_DIFF_SAME ? l->fast_idx : l->moved_to;

	return l->side != PW_CODE_DIFF_FAST && hot[l->slow_idx] &&
	       (at < 0 || !in_loop[at]);
}

static void accuse(struct change *c)
{
	bool *hot = mark_loops(c->slow_code, c->n_slow, c->share);
	bool *in_loop = mark_loops(c->fast_code, c->n_fast, NULL);

	c->accused = pw_zalloc((c->n_lines + 1) * sizeof(*c->accused));
	for (uint32_t i = 0; i < c->n_lines; i++)
		if (is_accused(&c->lines[i], hot, in_loop))
			c->accused[c->n_accused++] =
				(uint32_t)c->lines[i].slow_idx;
	qsort_r(c->accused, c->n_accused, sizeof(*c->accused), by_share, c);
	free(hot);
	free(in_loop);
}

/* --- one function of both ----------------------------------------------------------------- */

static void forget_codes(struct change *c)
{
	free(c->slow_code);
	free(c->fast_code);
	free(c->share);
	free(c->lines);
	free(c->accused);
	c->slow_code = c->fast_code = NULL;
	c->share = NULL;
	c->lines = NULL;
	c->accused = NULL;
	c->n_slow = c->n_fast = c->n_lines = c->n_accused = 0;
}

void change_release(struct change *c)
{
	forget_codes(c);
	free(c->why);
	c->why = NULL;
}

static int compare(const struct pw_code *slow, const struct pw_code_func *f,
		   const struct pw_code *fast, const struct samples *s,
		   struct change *c, struct pw_err *err)
{
	const struct pw_code_func *g =
		pw_code_func_find(fast, (uint32_t)f->wasm_idx);
	int ret =
		g ? pw_code_disasm(slow, f, &c->slow_code, &c->n_slow, err) : 0;

	if (!g)
		return 0;
	if (!ret)
		ret = pw_code_disasm(fast, g, &c->fast_code, &c->n_fast, err);
	if (ret)
		return ret;
	snprintf(c->func, sizeof(c->func), "%s", f->name);
	c->share = pw_zalloc((c->n_slow + 1) * sizeof(*c->share));
	for (uint32_t i = 0; i < c->n_slow; i++)
		c->share[i] = share_of(s, c->slow_code[i].text_off,
				       c->slow_code[i].text_off +
					       c->slow_code[i].size_bytes);
	ret = pw_code_diff(c->slow_code, c->n_slow, c->share, c->fast_code,
			   c->n_fast, &c->lines, &c->n_lines);
	if (!ret)
		accuse(c);
	return ret;
}

static double weight(const struct change *c)
{
	double sum = 0;

	for (uint32_t i = 0; i < c->n_accused; i++)
		sum += near(c, c->accused[i]);
	return sum;
}

/* Of the functions that hold samples the one whose accused hold most. */
static int compare_all(const struct pw_code *slow, const struct pw_code *fast,
		       const struct samples *s, struct change *c,
		       struct pw_err *err)
{
	double best = -1;
	int ret = 0;

	for (uint32_t i = 0; i < pw_code_n_funcs(slow) && !ret; i++) {
		const struct pw_code_func *f = pw_code_func(slow, i);
		struct change one = *c;

		if (f->wasm_idx < 0 ||
		    share_of(s, f->text_off, f->text_off + f->size_bytes) < HOT)
			continue;
		one.slow_code = one.fast_code = NULL;
		one.share = NULL;
		one.lines = NULL;
		one.accused = NULL;
		one.n_slow = one.n_fast = one.n_lines = one.n_accused = 0;
		ret = compare(slow, f, fast, s, &one, err);
		if (ret || weight(&one) <= best) {
			forget_codes(&one);
			continue;
		}
		best = weight(&one);
		forget_codes(c);
		*c = one;
	}
	return ret;
}

int bisect_code(struct bisect *b, struct change *c, struct pw_err *err)
{
	struct built slow = { 0 }, fast = { 0 };
	struct samples s = { 0 };
	struct pw_err why = { .off = PW_NO_OFF };
	int ret = build(b, c->slow, &slow, &why);

	if (!ret)
		ret = build(b, c->fast, &fast, &why);
	if (!ret)
		ret = sample(b, &slow, &s, &why);
	if (!ret)
		ret = compare_all(slow.code, fast.code, &s, c, &why);
	if (!ret && s.n + s.outside)
		c->in_code = (double)s.n / (double)(s.n + s.outside);
	if (ret == -EINTR)
		*err = why;
	else if (ret)
		c->why = pw_strdup(why.msg);
	free(s.off);
	built_release(&slow);
	built_release(&fast);
	return ret == -EINTR ? ret : 0;
}
