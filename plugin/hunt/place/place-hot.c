// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is worth moving: the function with most samples, and in it the loop
 * that holds most. A part of the place step.
 */
#include "place.h"

#include <stdlib.h>

/* A function with a smaller share of the samples is not worth moving. */
#define HOT_FUNCTION 0.3
/* An inner loop with such a share of what the loop around it holds is where
 * the time goes: it is turned more often for each sample. */
#define INNER_SHARE 0.3

/* The samples between a loop's ends. */
static double held_by(const struct hunt *h, const struct pw_minsn *insns,
		      const struct pw_loop *l)
{
	const struct pw_minsn *last = &insns[l->last];

	return hunt_share_between(h, insns[l->first].text_off,
				  last->text_off + last->size_bytes);
}

/* Of the loops in `parent` the one that holds more than `least`, or
 * UINT32_MAX. */
static uint32_t hottest_in(const struct hunt *h, const struct pw_minsn *insns,
			   const struct pw_loop *loops, uint32_t n_loops,
			   uint32_t parent, double *least)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < n_loops; i++) {
		double held;

		if (loops[i].parent != parent)
			continue;
		held = held_by(h, insns, &loops[i]);
		if (held <= *least)
			continue;
		*least = held;
		best = i;
	}
	return best;
}

void place_hot_loop(struct hunt *h, const struct pw_minsn *insns, uint32_t n,
		    uint64_t func_off)
{
	struct pw_loop *loops = NULL;
	uint32_t n_loops = 0, next, hot = UINT32_MAX;
	double held = 0;

	pw_code_loops(insns, n, &loops, &n_loops);
	while ((next = hottest_in(h, insns, loops, n_loops, hot, &held)) !=
	       UINT32_MAX) {
		hot = next;
		held *= INNER_SHARE;
	}
	if (hot != UINT32_MAX) {
		const struct pw_minsn *last = &insns[loops[hot].last];

		h->place.loop_lo = insns[loops[hot].first].text_off - func_off;
		h->place.loop_hi = last->text_off + last->size_bytes - func_off;
	}
	free(loops);
}

bool place_hot_spot(struct hunt *h, const struct pw_code *code)
{
	const struct pw_code_func *f = hunt_hottest(h, code, HOT_FUNCTION);
	uint32_t first = pw_module_n_imported(h->module, PW_EXT_FUNC), n = 0;
	struct pw_minsn *insns = NULL;

	if (!f || f->wasm_idx < (int64_t)first)
		return false;
	h->place.func_idx = (uint32_t)f->wasm_idx;
	h->place.pad_idx = first;
	h->place.at[0].start = f->text_off;
	if (!pw_code_disasm(code, f, &insns, &n, NULL))
		place_hot_loop(h, insns, n, f->text_off);
	free(insns);
	return true;
}
