// SPDX-License-Identifier: GPL-2.0-only
/* Questions to the samples that several steps of a hunt ask. */
#include "steps.h"

double hunt_share_between(const struct hunt *h, uint64_t lo, uint64_t hi)
{
	double sum = 0;

	for (size_t i = 0; i < h->samples.n; i++)
		if (h->samples.text_off[i] >= lo && h->samples.text_off[i] < hi)
			sum += h->samples.share[i];
	return sum;
}

double hunt_share_in(const struct hunt *h, const struct pw_code_func *f)
{
	return hunt_share_between(h, f->text_off, f->text_off + f->size_bytes);
}

const struct pw_code_func *
hunt_hottest(const struct hunt *h, const struct pw_code *code, double least)
{
	const struct pw_code_func *best = NULL;

	for (uint32_t i = 0; i < pw_code_n_funcs(code); i++) {
		const struct pw_code_func *f = pw_code_func(code, i);
		double share = f->wasm_idx < 0 ? 0 : hunt_share_in(h, f);

		if (share > least) {
			least = share;
			best = f;
		}
	}
	return best;
}
