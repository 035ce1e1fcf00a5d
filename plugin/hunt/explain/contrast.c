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
/* Functions with less of the samples are not looked for on the oracle. */
#define HOT_SHARE 0.03
/* What inlined functions must hold to be the story. */
#define INLINED_SHARE 0.1
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

void contrast_count(struct contrast *c, const struct contrast_code code[2])
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
}

bool contrast_is_larger(const struct contrast *c)
{
	return c->on[1].n_insns &&
	       c->on[0].n_insns >= LARGER * c->on[1].n_insns;
}

void contrast_add_inlined(struct contrast *c, uint32_t func_idx, double share)
{
	size_t n = c->n_inlined++;

	c->inlined = pw_realloc(c->inlined, (n + 1) * sizeof(*c->inlined));
	c->inlined[n] = (struct contrast_inlined){ func_idx, share };
	c->inlined_share += share;
}

bool contrast_is_inlined(const struct contrast *c)
{
	return c->inlined_share >= INLINED_SHARE;
}

void contrast_release(struct contrast *c)
{
	if (c) {
		free(c->ops);
		free(c->inlined);
	}
	free(c);
}

/* --- the step ------------------------------------------------------------------- */

struct loaded {
	struct pw_minsn *insns;
	struct pw_insn_uses *uses;
	uint32_t n;
};

static int load(const struct pw_code *code, uint32_t func_idx, struct loaded *l,
		struct pw_err *err)
{
	const struct pw_code_func *f = pw_code_func_find(code, func_idx);
	int ret = pw_code_disasm(code, f, &l->insns, &l->n, err);

	if (!ret && l->n)
		ret = pw_code_uses(code, l->insns, l->n, &l->uses, err);
	return ret;
}

/* What of a function's samples is in none of its loops: what it costs to be
 * called. */
static int share_of_calls(const struct hunt *h, const struct pw_code *code,
			  const struct pw_code_func *f, double *share,
			  struct pw_err *err)
{
	struct pw_minsn *insns = NULL;
	struct contrast_code c = { 0 };
	uint32_t *depth = NULL;
	int ret = pw_code_disasm(code, f, &insns, &c.n, err);

	c.insns = insns;
	*share = 0;
	if (!ret)
		depths_of(&c, &depth);
	for (uint32_t i = 0; !ret && i < c.n; i++)
		if (!depth[i])
			*share +=
				hunt_share_between(h, insns[i].text_off,
						   insns[i].text_off +
							   insns[i].size_bytes);
	free(depth);
	free(insns);
	return ret;
}

bool contrast_is_wanted(const struct hunt *h)
{
	for (size_t i = 0; i < h->n_findings; i++)
		if (h->groups[h->findings[i]].closed_ci.lo >= CLOSES_MOST)
			return false;
	return true;
}

static struct runner *shown_oracle(struct hunt *h)
{
	const struct runner *ref = hunt_reference(h);

	for (size_t i = 0; i < h->n_oracles; i++)
		if (&h->oracles[i] == ref && ref->rt.shows_code)
			return &h->oracles[i];
	return NULL;
}

static int count_both(struct contrast *c, const struct pw_code *slow,
		      const struct pw_code *fast, struct pw_err *err)
{
	struct loaded l[2] = { 0 };
	int ret = load(slow, c->func_idx, &l[0], err);

	if (!ret)
		ret = load(fast, c->func_idx, &l[1], err);
	if (!ret) {
		const struct contrast_code code[2] = {
			{ l[0].insns, l[0].uses, l[0].n },
			{ l[1].insns, l[1].uses, l[1].n },
		};

		contrast_count(c, code);
	}
	for (int i = 0; i < 2; i++) {
		free(l[i].insns);
		free(l[i].uses);
	}
	return ret;
}

/* A function of the suspect that the oracle has no code for. */
static int look_at_inlined(const struct hunt *h, struct contrast *c,
			   const struct pw_code *slow,
			   const struct pw_code_func *f, struct pw_err *err)
{
	double share;
	int ret = share_of_calls(h, slow, f, &share, err);

	if (!ret && share >= HOT_SHARE)
		contrast_add_inlined(c, (uint32_t)f->wasm_idx, share);
	return ret;
}

/* Looks for the hot functions of the suspect on the oracle. */
static int look_for(struct hunt *h, struct contrast *c,
		    const struct pw_code *slow, const struct pw_code *fast,
		    struct pw_err *err)
{
	uint32_t n, *funcs = hunt_functions_by_share(h, &n);
	bool found = false;
	int ret = 0;

	for (uint32_t i = 0; i < n && !ret; i++) {
		const struct pw_code_func *f =
			pw_code_func_find(slow, funcs[i]);
		double share = f ? hunt_share_in(h, f) : 0;

		if (share < HOT_SHARE)
			continue;
		if (!pw_code_func_find(fast, funcs[i])) {
			ret = look_at_inlined(h, c, slow, f, err);
		} else if (!found) {
			found = true;
			c->func_idx = funcs[i];
			c->share = share;
		}
	}
	free(funcs);
	return found && !ret ? count_both(c, slow, fast, err) : ret;
}

int hunt_contrast(struct hunt *h, struct pw_err *err)
{
	struct runner *oracle = shown_oracle(h);
	struct image slow = { 0 }, fast = { 0 };
	int ret;

	if (!h->suspect.rt.shows_code || !oracle || !h->samples.n ||
	    !contrast_is_wanted(h))
		return 0;
	ret = hunt_compile(h, h->module_path, &slow, err);
	if (!ret)
		ret = hunt_compile_on(h, oracle, h->module_path, &fast, err);
	if (!ret && slow.code && fast.code) {
		h->contrast = pw_zalloc(sizeof(*h->contrast));
		h->contrast->oracle = oracle;
		ret = look_for(h, h->contrast, slow.code, fast.code, err);
	}
	hunt_image_release(&slow);
	hunt_image_release(&fast);
	return ret;
}
