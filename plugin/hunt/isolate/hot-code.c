// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which instructions of a function are hot: those in loops that hold
 * samples. A part of the step isolate.
 */
#include "isolate.h"

#include <stdlib.h>

/* Loops with a smaller share of the samples are not hot. */
#define HOT_LOOP 0.05

/* A sample lands on the instruction behind the slow one. */
double side_share_near(const struct side *s, uint32_t i)
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
int side_of(struct hunt *h, const struct pw_code *code, uint32_t i,
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
	for (uint32_t k = 0; k < s->n; k++)
		if (s->insns[k].wasm_off == PW_NO_OFF)
			s->insns[k].wasm_off =
				hunt_origin(h, s->insns[k].text_off);
	s->share = pw_zalloc((s->n + 1) * sizeof(*s->share));
	s->hot = pw_zalloc((s->n + 1) * sizeof(*s->hot));
	place_samples(h, s);
	return mark_hot(h, s);
}
