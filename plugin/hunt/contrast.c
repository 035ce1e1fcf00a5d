// SPDX-License-Identifier: GPL-2.0-only
/*
 * A step of a hunt, contrast: where no finding closes most of the gap and
 * both runtimes show their code, the hot function of both is counted.
 */
#include "contrast.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* A finding that closes so much is the story. */
#define CLOSES_MOST 0.5
/* A code this much larger takes longer for that alone. */
#define LARGER 1.2

/* --- counting ------------------------------------------------------------------ */

struct tally {
	char opcode[24];
	uint32_t n[2];
	UT_hash_handle hh;
};

static void tally_add(struct tally **all, const char *opcode, int who)
{
	struct tally *t;

	HASH_FIND_STR(*all, opcode, t);
	if (!t) {
		t = pw_zalloc(sizeof(*t));
		snprintf(t->opcode, sizeof(t->opcode), "%s", opcode);
		HASH_ADD_STR(*all, opcode, t);
	}
	t->n[who]++;
}

static bool uses_stack(const struct contrast_code *c, uint32_t i)
{
	return c->uses && c->uses[i].mem.size_bytes && c->uses[i].mem.stack;
}

static void count_side(struct contrast *c, const struct contrast_code *code,
		       const uint32_t *depth, int who, struct tally **all)
{
	struct contrast_side *s = &c->on[who];

	for (uint32_t i = 0; i < code->n; i++) {
		if (c->loops_only && !depth[i])
			continue;
		s->n_insns++;
		s->size_bytes += code->insns[i].size_bytes;
		s->n_stack += uses_stack(code, i);
		tally_add(all, code->insns[i].opcode, who);
	}
}

static uint32_t difference(const struct contrast_opcode *o)
{
	return o->n[0] > o->n[1] ? o->n[0] - o->n[1] : o->n[1] - o->n[0];
}

static int by_difference(const void *a, const void *b)
{
	uint32_t x = difference(a), y = difference(b);

	return x != y ? (x < y ? 1 : -1)
		      : strcmp(((const struct contrast_opcode *)a)->opcode,
			       ((const struct contrast_opcode *)b)->opcode);
}

static void take_tally(struct contrast *c, struct tally *all)
{
	struct tally *t, *next;

	c->ops = pw_zalloc((HASH_COUNT(all) + 1) * sizeof(*c->ops));
	HASH_ITER (hh, all, t, next) {
		struct contrast_opcode *o = &c->ops[c->n_ops++];

		memcpy(o->opcode, t->opcode, sizeof(o->opcode));
		o->n[0] = t->n[0];
		o->n[1] = t->n[1];
		HASH_DEL(all, t);
		free(t);
	}
	qsort(c->ops, c->n_ops, sizeof(*c->ops), by_difference);
}

/* In how many loops each instruction is; true when there is a loop. */
static bool depths_of(const struct contrast_code *code, uint32_t **depth)
{
	struct pw_loop *loops = NULL;
	uint32_t n = 0;

	*depth = pw_zalloc((code->n + 1) * sizeof(**depth));
	if (!pw_code_loops(code->insns, code->n, &loops, &n))
		pw_code_loop_depths(code->insns, code->n, loops, n, *depth);
	free(loops);
	return n > 0;
}

int contrast_count(struct contrast *c, const struct contrast_code code[2])
{
	struct tally *all = NULL;
	uint32_t *depth[2];

	c->loops_only = depths_of(&code[0], &depth[0]);
	c->loops_only &= depths_of(&code[1], &depth[1]);
	for (int who = 0; who < 2; who++)
		count_side(c, &code[who], depth[who], who, &all);
	take_tally(c, all);
	free(depth[0]);
	free(depth[1]);
	return 0;
}

bool contrast_is_larger(const struct contrast *c)
{
	return c->on[1].n_insns &&
	       c->on[0].n_insns >= LARGER * c->on[1].n_insns;
}

void contrast_release(struct contrast *c)
{
	if (c)
		free(c->ops);
	free(c);
}

/* --- the step ------------------------------------------------------------------- */

struct loaded {
	struct image im;
	struct pw_minsn *insns;
	struct pw_insn_uses *uses;
	uint32_t n;
};

static int load(struct hunt *h, struct runner *r, uint32_t func_idx,
		struct loaded *l, struct pw_err *err)
{
	const struct pw_code_func *f;
	int ret = hunt_compile_on(h, r, h->module_path, &l->im, err);

	if (ret || !l->im.code)
		return ret;
	f = pw_code_func_find(l->im.code, func_idx);
	if (f)
		ret = pw_code_disasm(l->im.code, f, &l->insns, &l->n, err);
	if (!ret && l->n)
		ret = pw_code_uses(l->im.code, l->insns, l->n, &l->uses, err);
	return ret;
}

static void unload(struct loaded *l)
{
	free(l->insns);
	free(l->uses);
	hunt_image_release(&l->im);
}

static double share_of(const struct hunt *h, const struct pw_code *code,
		       uint32_t func_idx)
{
	const struct pw_code_func *f = pw_code_func_find(code, func_idx);
	double sum = 0;

	for (size_t i = 0; f && i < h->samples.n; i++)
		if (h->samples.text_off[i] - f->text_off < f->size_bytes)
			sum += h->samples.share[i];
	return sum;
}

/* A finding that is believed and closes most of the gap? */
static bool is_told(const struct hunt *h)
{
	for (size_t i = 0; i < h->n_findings; i++)
		if (h->groups[h->findings[i]].closed_ci.lo >= CLOSES_MOST)
			return true;
	return false;
}

static struct runner *shown_oracle(struct hunt *h)
{
	const struct runner *ref = hunt_reference(h);

	for (size_t i = 0; i < h->n_oracles; i++)
		if (&h->oracles[i] == ref && ref->rt.shows_code)
			return &h->oracles[i];
	return NULL;
}

static int count_both(struct hunt *h, struct runner *oracle, uint32_t func_idx,
		      struct pw_err *err)
{
	struct loaded l[2] = { 0 };
	int ret = load(h, &h->suspect, func_idx, &l[0], err);

	if (!ret)
		ret = load(h, oracle, func_idx, &l[1], err);
	if (!ret && l[0].n && l[1].n) {
		const struct contrast_code code[2] = {
			{ l[0].insns, l[0].uses, l[0].n },
			{ l[1].insns, l[1].uses, l[1].n },
		};

		h->contrast = pw_zalloc(sizeof(*h->contrast));
		h->contrast->func_idx = func_idx;
		h->contrast->oracle = oracle;
		h->contrast->share = share_of(h, l[0].im.code, func_idx);
		ret = contrast_count(h->contrast, code);
	}
	unload(&l[0]);
	unload(&l[1]);
	return ret;
}

int hunt_contrast(struct hunt *h, struct pw_err *err)
{
	struct runner *oracle = shown_oracle(h);
	uint32_t *funcs, n;
	int ret = 0;

	if (!h->suspect.rt.shows_code || !oracle || !h->samples.n || is_told(h))
		return 0;
	funcs = hunt_functions_by_share(h, &n);
	if (n)
		ret = count_both(h, oracle, funcs[0], err);
	free(funcs);
	return ret;
}
