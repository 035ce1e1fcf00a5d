// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is worth moving: the function with most samples, and in it the loop
 * that holds most. A part of the place step.
 */
#include "place.h"

#include <stdlib.h>

/* A function with a smaller share of the samples is not worth moving. */
#define HOT_FUNCTION 0.3

static double share_between(const struct hunt *h, uint64_t lo, uint64_t hi)
{
	double sum = 0;

	for (size_t i = 0; i < h->samples.n; i++)
		if (h->samples.text_off[i] >= lo && h->samples.text_off[i] < hi)
			sum += h->samples.share[i];
	return sum;
}

static const struct pw_code_func *hottest(const struct hunt *h,
					  const struct pw_code *code)
{
	const struct pw_code_func *best = NULL;
	double most = HOT_FUNCTION;

	for (uint32_t i = 0; i < pw_code_n_funcs(code); i++) {
		const struct pw_code_func *f = pw_code_func(code, i);
		double share = share_between(h, f->text_off,
					     f->text_off + f->size_bytes);

		if (f->wasm_idx < 0 || share <= most)
			continue;
		most = share;
		best = f;
	}
	return best;
}

/* The innermost loop with most samples, as offsets in the function. */
static void hot_loop(struct hunt *h, const struct pw_minsn *insns, uint32_t n,
		     uint64_t func_off)
{
	struct pw_loop *loops = NULL;
	uint32_t n_loops = 0;
	double most = 0;

	pw_code_loops(insns, n, &loops, &n_loops);
	for (uint32_t i = 0; i < n_loops; i++) {
		const struct pw_minsn *last = &insns[loops[i].last];
		uint64_t lo = insns[loops[i].first].text_off;
		uint64_t hi = last->text_off + last->size_bytes;
		double share = share_between(h, lo, hi);

		/* an inner loop follows the one around it, and may hold all */
		if (share <= 0 || share < most * 0.95)
			continue;
		most = share > most ? share : most;
		h->place.loop_lo = lo - func_off;
		h->place.loop_hi = hi - func_off;
	}
	free(loops);
}

bool place_hot_spot(struct hunt *h, const struct pw_code *code)
{
	const struct pw_code_func *f = hottest(h, code);
	uint32_t first = pw_module_n_imported(h->module, PW_EXT_FUNC), n = 0;
	struct pw_minsn *insns = NULL;

	if (!f || f->wasm_idx < (int64_t)first)
		return false;
	h->place.func_idx = (uint32_t)f->wasm_idx;
	h->place.pad_idx = first;
	h->place.at[0].start = f->text_off;
	if (!pw_code_disasm(code, f, &insns, &n, NULL))
		hot_loop(h, insns, n, f->text_off);
	free(insns);
	return true;
}
