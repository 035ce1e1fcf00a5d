// SPDX-License-Identifier: GPL-2.0-only
/*
 * A step of a hunt, isolate: the hot machine instructions that the slow code
 * has and a good mutant's has not. What only stands elsewhere in the same
 * loop is no difference; what left the loop is.
 */
#include "isolate.h"

#include <stdlib.h>
#include <string.h>

/* So many instructions of the slow code are compared with mutants in all:
 * a function of tens of thousands is not compared with hundreds of them. */
#define COMPARED_MAX UINT64_C(1000000)

/* --- one mutant against the original -------------------------------------------- */

/* Which instructions of the mutant's code are in a loop. */
static int loops_of(const struct evidence *e, bool **in_loop)
{
	struct pw_loop *loops = NULL;
	uint32_t n_loops = 0;
	int ret = pw_code_loops(e->fast, e->n_fast, &loops, &n_loops);

	*in_loop = pw_zalloc(e->n_fast + 1);
	for (uint32_t i = 0; i < e->n_fast && !ret; i++)
		(*in_loop)[i] = !n_loops || pw_code_loop_of(loops, n_loops,
							    i) != UINT32_MAX;
	free(loops);
	return ret;
}

static void accuse_one(struct evidence *e, const struct pw_code_diff_line *l,
		       const bool *in_loop)
{
	struct accused *a = &e->accused[e->n_accused];

	if (!e->slow->hot[l->slow_idx]) {
		e->n_cold++;
		return;
	}
	if (l->moved_to >= 0 && in_loop[l->moved_to])
		return;
	a->insn = (uint32_t)l->slow_idx;
	a->moved = l->moved_to >= 0;
	a->share = side_share_near(e->slow, a->insn);
	a->skid = a->share - e->slow->share[a->insn] / 2;
	e->n_accused++;
}

/* The likeliest first: where the samples are, then in code order. */
static int by_share(const void *a, const void *b)
{
	const struct accused *x = a, *y = b;

	int m = (int)(x->skid * 50), n = (int)(y->skid * 50);

	if (m != n) /* steps of 2 %: less is chance */
		return m < n ? 1 : -1;
	return (x->insn > y->insn) - (x->insn < y->insn);
}

static int accuse(struct evidence *e)
{
	bool *in_loop;
	int ret = loops_of(e, &in_loop);

	e->accused = pw_zalloc((e->n_lines + 1) * sizeof(*e->accused));
	for (uint32_t i = 0; i < e->n_lines && !ret; i++) {
		const struct pw_code_diff_line *l = &e->lines[i];

		if (l->side == PW_CODE_DIFF_SLOW)
			accuse_one(e, l, in_loop);
		else if (l->side == PW_CODE_DIFF_FAST && in_loop[l->fast_idx] &&
			 (l->moved_to < 0 || !e->slow->hot[l->moved_to]))
			e->n_added++;
	}
	free(in_loop);
	qsort(e->accused, e->n_accused, sizeof(*e->accused), by_share);
	return ret;
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
		ret = pw_code_diff(e->slow->insns, e->slow->n, e->slow->share,
				   e->fast, e->n_fast, &e->lines, &e->n_lines);
	if (!ret)
		ret = accuse(e);
	if (!ret)
		*out = e;
	else
		hunt_evidence_free(e);
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
	char *path = pw_asprintf("%s/" HUNT_MUTANT, h->box.dir);
	struct image im = { 0 };
	int ret = hunt_write_mutant(h, &h->candidates[g->candidate].mut, err);

	hunt_evidence_free(g->evidence);
	g->evidence = NULL;
	if (!ret)
		ret = hunt_compile(h, path, &im, err);
	if (!ret && im.code)
		ret = compare_all(h, slow, im.code, &g->evidence, err);
	if (!ret && g->evidence && g->judged)
		chain_compare(g->evidence, slow, im.code);
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

/* Gathers of the judged groups, or of the others as long as there is room. */
static int gather_some(struct hunt *h, const struct pw_code *code, bool judged,
		       uint64_t *room, struct pw_err *err)
{
	uint64_t start = pw_now_ns();
	int ret = 0;

	for (size_t i = 0; i < h->n_groups && !ret; i++) {
		struct group *g = &h->groups[i];
		uint64_t n = 0;

		if (g->judged != judged)
			continue;
		if (!judged && !*room)
			break;
		hunt_progress(h, "isolate", i, h->n_groups, start);
		ret = gather(h, code, g, err);
		if (g->evidence)
			n = g->evidence->slow->n;
		*room -= n < *room ? n : *room;
		shed(g->evidence);
	}
	return ret;
}

/* What the judged groups accuse is told apart by what the others change;
 * without judged ones there is nothing to tell. */
static int spectrum(struct hunt *h, const struct pw_code *code,
		    struct pw_err *err)
{
	uint64_t room = COMPARED_MAX;
	int ret = gather_some(h, code, true, &room, err);

	if (!ret && room < COMPARED_MAX)
		ret = gather_some(h, code, false, &room, err);
	return ret;
}

/* The findings again, this time with both codes. */
static int both_codes(struct hunt *h, const struct pw_code *code,
		      struct pw_err *err)
{
	int ret = 0;

	for (size_t i = 0; i < h->n_findings && !ret; i++)
		ret = gather(h, code, &h->groups[h->findings[i]], err);
	rank_suspicion(h);
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
		rank_suspicion(h);
		rank_groups(h);
	}
	if (!ret && im.code)
		ret = both_codes(h, im.code, err);
	hunt_image_release(&im);
	return ret;
}
