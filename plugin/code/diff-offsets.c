// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wasm offsets of two modules of which one is a mutant of the other. The
 * mutation moves what follows it, by a distance seen at the function's last
 * instructions. Where it is, is found: the cut that gives most slow offsets
 * a counterpart, the last such one. Knows nothing of machine code.
 */
#include <stdlib.h>

#include "diff-align.h"

/* Rising, each once. */
struct offsets {
	uint64_t *v;
	uint32_t n;
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void offsets_of(struct offsets *o, const struct key *m, uint32_t n)
{
	uint32_t i, k = 0;

	o->v = pw_alloc(((size_t)n + 1) * sizeof(*o->v));
	for (i = 0; i < n; i++)
		if (m[i].wasm_off != PW_NO_OFF)
			o->v[k++] = m[i].wasm_off;
	qsort(o->v, k, sizeof(*o->v), by_value);
	for (i = 0, o->n = 0; i < k; i++)
		if (!i || o->v[i] != o->v[i - 1])
			o->v[o->n++] = o->v[i];
}

static bool has_offset(const struct offsets *o, uint64_t off)
{
	return bsearch(&off, o->v, o->n, sizeof(*o->v), by_value);
}

static uint64_t find_wasm_cut(const struct offsets *slow,
			      const struct offsets *fast, uint64_t shift)
{
	uint32_t *behind = pw_zalloc(((size_t)slow->n + 1) * sizeof(*behind));
	uint32_t i, j, before = 0, most = 0;
	uint64_t cut = UINT64_MAX;

	/* what a mutation takes out has no counterpart */
	for (i = slow->n; i--;)
		behind[i] =
			behind[i + 1] + has_offset(fast, slow->v[i] + shift);
	for (i = 0, j = 0; i < slow->n; i++) {
		uint64_t x = slow->v[i];

		before += has_offset(fast, x);
		while (j < slow->n &&
		       (slow->v[j] <= x || slow->v[j] + shift <= x))
			j++;
		if (before + behind[j] >= most) {
			most = before + behind[j];
			cut = x;
		}
	}
	free(behind);
	return cut;
}

/* A slow offset in the fast module. */
static uint64_t in_fast(uint64_t off, uint64_t cut, uint64_t shift)
{
	if (off == PW_NO_OFF || off <= cut)
		return off;
	return off + shift > cut ? off + shift : PW_NO_OFF;
}

void diff_shift(struct diff *d)
{
	struct offsets s, f;
	uint64_t shift, cut;
	uint32_t i;

	offsets_of(&s, d->slow, d->n_slow);
	offsets_of(&f, d->fast, d->n_fast);
	if (s.n && f.n) {
		shift = f.v[f.n - 1] - s.v[s.n - 1];
		cut = find_wasm_cut(&s, &f, shift);
		for (i = 0; i < d->n_slow; i++)
			d->slow[i].wasm_off =
				in_fast(d->slow[i].wasm_off, cut, shift);
	}
	free(s.v);
	free(f.v);
}
