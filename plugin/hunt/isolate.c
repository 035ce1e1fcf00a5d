// SPDX-License-Identifier: GPL-2.0-only
/*
 * Step 9 of a hunt, isolate: the machine instructions that the slow code has
 * and a good mutant's has not. Only hot ones are accused: those in loops that
 * hold samples. Of several good mutants the one with the fewest accused
 * wins; what many effective mutants change and few ineffective ones do counts
 * more (spectrum ranking, Ochiai coefficient).
 */
#include "steps.h"
#include "diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Loops with a smaller share of the samples are not hot. */
#define HOT_LOOP 0.05
/* Scores this close to the best are as good as it. */
#define AS_GOOD 0.06

/* --- the original's hot code ---------------------------------------------------- */

/* A sample lands on the instruction behind the slow one. */
static double share_near(const struct side *s, uint32_t i)
{
	return s->share[i] + (i + 1 < s->n ? s->share[i + 1] : 0);
}

static void place_samples(const struct hunt *h, struct side *s)
{
	size_t k = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t lo = s->insns[i].text_off;
		uint64_t hi = lo + s->insns[i].size_bytes;

		while (k < h->samples.n && h->samples.text_off[k] < lo)
			k++;
		for (; k < h->samples.n && h->samples.text_off[k] < hi; k++)
			s->share[i] += h->samples.share[k];
	}
}

/* The innermost loop of i that holds samples enough, UINT32_MAX none. */
static uint32_t hot_loop(const struct pw_loop *loops, const double *held,
			 uint32_t l)
{
	while (l != UINT32_MAX && held[l] < HOT_LOOP)
		l = loops[l].parent;
	return l;
}

/* Marks loops that hold samples; in a function without any, all of it: it is
 * called from one elsewhere. */
static void mark_loops(const struct hunt *h, struct side *s,
		       const struct pw_loop *loops, uint32_t n_loops,
		       const uint32_t *inner)
{
	double *held = pw_zalloc((n_loops + 1) * sizeof(*held));
	bool any = false;

	for (uint32_t i = 0; i < s->n; i++)
		for (uint32_t l = inner[i]; l != UINT32_MAX;
		     l = loops[l].parent)
			held[l] += h->samples.n ? s->share[i] : 1;
	for (uint32_t i = 0; i < s->n; i++) {
		s->hot[i] = hot_loop(loops, held, inner[i]) != UINT32_MAX;
		any |= s->hot[i];
	}
	for (uint32_t i = 0; i < s->n && !any; i++)
		s->hot[i] = true;
	free(held);
}

static int mark_hot(const struct hunt *h, struct side *s)
{
	uint32_t *inner = pw_zalloc((s->n + 1) * sizeof(*inner));
	struct pw_loop *loops = NULL;
	uint32_t n_loops = 0;
	int ret = pw_code_loops(s->insns, s->n, &loops, &n_loops);

	for (uint32_t i = 0; i < s->n && !ret; i++)
		inner[i] = pw_code_loop_of(loops, n_loops, i);
	if (!ret)
		mark_loops(h, s, loops, n_loops, inner);
	free(loops);
	free(inner);
	return ret;
}

/* The original's code of a function, disassembled when first wanted. */
static int side_of(struct hunt *h, const struct pw_code *code, uint32_t i,
		   struct side **out, struct pw_err *err)
{
	struct side *s = &h->sides[i];
	int ret;

	*out = s;
	if (s->insns)
		return 0;
	ret = pw_code_disasm(code, pw_code_func(code, i), &s->insns, &s->n,
			     err);
	if (ret)
		return ret;
	s->share = pw_zalloc((s->n + 1) * sizeof(*s->share));
	s->hot = pw_zalloc((s->n + 1) * sizeof(*s->hot));
	place_samples(h, s);
	return mark_hot(h, s);
}

/* --- one mutant against the original -------------------------------------------- */

static void accuse(struct evidence *e)
{
	const struct side *s = e->slow;

	e->accused = pw_zalloc((e->n_lines + 1) * sizeof(*e->accused));
	for (uint32_t i = 0; i < e->n_lines; i++) {
		const struct code_diff_line *l = &e->lines[i];
		struct accused *a = &e->accused[e->n_accused];

		if (l->side != CODE_DIFF_SLOW)
			continue;
		if (!s->hot[l->slow_idx]) {
			e->n_cold++;
			continue;
		}
		a->insn = (uint32_t)l->slow_idx;
		a->moved = l->moved_to >= 0;
		a->share = share_near(s, a->insn);
		e->n_accused++;
	}
}

/* Compares one function; NULL with 0 when the codes are the same. */
static int compare(struct hunt *h, const struct pw_code *slow, uint32_t i,
		   const struct pw_code *fast, struct evidence **out,
		   struct pw_err *err)
{
	const struct pw_code_func *f = pw_code_func(slow, i), *g;
	struct evidence *e;
	int ret;

	*out = NULL;
	if (f->wasm_idx < 0)
		return 0;
	g = pw_code_func_find(fast, (uint32_t)f->wasm_idx);
	if (!g || pw_code_func_hash(slow, f) == pw_code_func_hash(fast, g))
		return 0;
	e = pw_zalloc(sizeof(*e));
	e->func_idx = (uint32_t)f->wasm_idx;
	ret = side_of(h, slow, i, &e->slow, err);
	if (!ret)
		ret = pw_code_disasm(fast, g, &e->fast, &e->n_fast, err);
	if (!ret)
		ret = code_diff(e->slow->insns, e->slow->n, e->slow->share,
				e->fast, e->n_fast, &e->lines, &e->n_lines);
	if (!ret) {
		accuse(e);
		*out = e;
	} else {
		hunt_evidence_free(e);
	}
	return ret;
}

static double accused_share(const struct evidence *e)
{
	double sum = 0;

	for (uint32_t i = 0; e && i < e->n_accused; i++)
		sum += e->accused[i].share;
	return sum;
}

/* The function of a mutant's image with most accused samples. */
static int compare_all(struct hunt *h, const struct pw_code *slow,
		       const struct pw_code *fast, struct evidence **best,
		       struct pw_err *err)
{
	int ret = 0;

	for (uint32_t i = 0; i < pw_code_n_funcs(slow) && !ret; i++) {
		struct evidence *e, *worse;

		ret = compare(h, slow, i, fast, &e, err);
		if (ret || !e)
			continue;
		worse = *best && accused_share(*best) >= accused_share(e)
				? e
				: *best;
		*best = worse == e ? *best : e;
		hunt_evidence_free(worse);
	}
	return ret;
}

/* What both codes look like is kept for the findings only. */
static void shed(struct evidence *e)
{
	if (!e)
		return;
	free(e->fast);
	free(e->lines);
	e->fast = NULL;
	e->lines = NULL;
	e->n_fast = e->n_lines = 0;
}

static int gather(struct hunt *h, const struct pw_code *slow, struct group *g,
		  struct pw_err *err)
{
	char *path = pw_asprintf("%s/" HUNT_MUTANT, h->box);
	struct image im = { 0 };
	int ret = hunt_write_mutant(h, &h->candidates[g->candidate].mut, err);

	hunt_evidence_free(g->evidence);
	g->evidence = NULL;
	if (!ret)
		ret = hunt_compile(h, path, &im, err);
	if (!ret && im.code)
		ret = compare_all(h, slow, im.code, &g->evidence, err);
	hunt_image_release(&im);
	free(path);
	return ret;
}

void hunt_evidence_free(struct evidence *e)
{
	if (!e)
		return;
	free(e->fast);
	free(e->lines);
	free(e->accused);
	free(e);
}

/* --- the spectrum -------------------------------------------------------------------- */

static bool accuses(const struct evidence *e, uint32_t func, uint32_t insn)
{
	if (!e || e->func_idx != func)
		return false;
	for (uint32_t i = 0; i < e->n_accused; i++)
		if (e->accused[i].insn == insn)
			return true;
	return false;
}

/* Good mutants: those that end the same, or when none does, all that close
 * most of the gap. */
static bool is_good(const struct hunt *h, const struct group *g)
{
	return g->judged && g->closed > 0.5 && (g->same_digest || !h->any_same);
}

/* Ochiai: of the groups that change this instruction, how many are good. */
static double suspicion(const struct hunt *h, uint32_t func, uint32_t insn)
{
	double with_good = 0, with_bad = 0, n_good = 0;

	for (size_t i = 0; i < h->n_groups; i++) {
		const struct group *g = &h->groups[i];
		bool good = is_good(h, g);

		n_good += good;
		if (!accuses(g->evidence, func, insn))
			continue;
		with_good += good;
		with_bad += !good;
	}
	if (with_good <= 0)
		return 0;
	return with_good / sqrt(n_good * (with_good + with_bad));
}

static void suspect_all(struct hunt *h)
{
	for (size_t i = 0; i < h->n_groups; i++)
		h->any_same |= h->groups[i].judged &&
			       h->groups[i].closed > 0.5 &&
			       h->groups[i].same_digest;
	for (size_t i = 0; i < h->n_groups; i++) {
		struct evidence *e = h->groups[i].evidence;

		for (uint32_t k = 0;
		     e && h->groups[i].judged && k < e->n_accused; k++)
			e->accused[k].suspicion =
				suspicion(h, e->func_idx, e->accused[k].insn);
	}
}

static double top_suspicion(const struct evidence *e)
{
	double best = 0;

	for (uint32_t i = 0; e && i < e->n_accused; i++)
		if (e->accused[i].suspicion > best)
			best = e->accused[i].suspicion;
	return best;
}

/* --- the ranking ----------------------------------------------------------------------- */

/*
 * Judged groups best first: in classes of equal merit (a score AS_GOOD near
 * the best of those left), few accused before many, some before none.
 */
static uint32_t n_accused(const struct group *g)
{
	return g->evidence && g->evidence->n_accused ? g->evidence->n_accused
						     : UINT32_MAX;
}

static bool better(const struct hunt *h, const struct group *a,
		   const struct group *b)
{
	double sa = top_suspicion(a->evidence), sb = top_suspicion(b->evidence);

	if (n_accused(a) != n_accused(b))
		return n_accused(a) < n_accused(b);
	if (sa != sb)
		return sa > sb;
	if (a->score != b->score)
		return a->score > b->score;
	(void)h;
	return a->candidate < b->candidate;
}

static uint32_t pick(const struct hunt *h, const bool *taken)
{
	uint32_t best = UINT32_MAX;
	double top = -1;

	for (size_t i = 0; i < h->n_groups; i++)
		if (h->groups[i].judged && !taken[i] &&
		    h->groups[i].score > top)
			top = h->groups[i].score;
	for (size_t i = 0; i < h->n_groups; i++) {
		const struct group *g = &h->groups[i];

		if (!g->judged || taken[i] || g->score < top - AS_GOOD)
			continue;
		if (best == UINT32_MAX || better(h, g, &h->groups[best]))
			best = (uint32_t)i;
	}
	return best;
}

static void rank(struct hunt *h)
{
	bool *taken = pw_zalloc(h->n_groups + 1);
	uint32_t i;

	h->ranking = pw_zalloc((h->n_groups + 1) * sizeof(*h->ranking));
	while ((i = pick(h, taken)) != UINT32_MAX) {
		taken[i] = true;
		h->ranking[h->n_ranked++] = i;
	}
	free(taken);
}

/* Does an earlier finding accuse the same instructions, or the same place? */
static bool told_already(const struct hunt *h, const struct group *g)
{
	for (size_t f = 0; f < h->n_findings; f++) {
		const struct group *o = &h->groups[h->findings[f]];
		const struct pw_mutation *m = &h->candidates[o->candidate].mut;
		const struct pw_mutation *n = &h->candidates[g->candidate].mut;
		bool all = o->evidence && o->evidence->n_accused;

		if (m->insn_off == n->insn_off)
			return true;
		for (uint32_t k = 0; all && k < o->evidence->n_accused; k++)
			all = accuses(g->evidence, o->evidence->func_idx,
				      o->evidence->accused[k].insn);
		if (all)
			return true;
	}
	return false;
}

static void choose(struct hunt *h)
{
	h->findings =
		pw_zalloc((h->o->max_findings + 1) * sizeof(*h->findings));
	for (size_t i = 0;
	     i < h->n_ranked && h->n_findings < h->o->max_findings; i++) {
		const struct group *g = &h->groups[h->ranking[i]];

		if (g->closed >= 0.25 && !told_already(h, g))
			h->findings[h->n_findings++] = h->ranking[i];
	}
}

static int spectrum(struct hunt *h, const struct pw_code *code,
		    struct pw_err *err)
{
	uint64_t start = pw_now_ns();
	int ret = 0;

	for (size_t i = 0; i < h->n_groups && !ret; i++) {
		hunt_progress(h, "isolate", i, h->n_groups, start);
		ret = gather(h, code, &h->groups[i], err);
		shed(h->groups[i].evidence);
	}
	return ret;
}

/* The findings again, this time with both codes. */
static int both_codes(struct hunt *h, const struct pw_code *code,
		      struct pw_err *err)
{
	int ret = 0;

	for (size_t i = 0; i < h->n_findings && !ret; i++)
		ret = gather(h, code, &h->groups[h->findings[i]], err);
	suspect_all(h);
	return ret;
}

int hunt_isolate(struct hunt *h, struct pw_err *err)
{
	struct image im = { 0 };
	int ret = 0;

	if (h->suspect.rt.shows_code)
		ret = hunt_compile(h, h->module_path, &im, err);
	if (!ret && im.code) {
		h->n_sides = pw_code_n_funcs(im.code);
		h->sides = pw_zalloc((h->n_sides + 1) * sizeof(*h->sides));
		ret = spectrum(h, im.code, err);
	}
	if (!ret) {
		suspect_all(h);
		rank(h);
		choose(h);
	}
	if (!ret && im.code)
		ret = both_codes(h, im.code, err);
	hunt_image_release(&im);
	return ret;
}
