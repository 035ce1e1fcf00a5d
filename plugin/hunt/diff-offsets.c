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

void diff_find_shift(struct diff *d)
{
	struct offsets s, f;

	offsets_of(&s, d->slow, d->n_slow);
	offsets_of(&f, d->fast, d->n_fast);
	d->cut = UINT64_MAX;
	d->shift = 0;
	if (s.n && f.n) {
		d->shift = f.v[f.n - 1] - s.v[s.n - 1];
		d->cut = find_wasm_cut(&s, &f, d->shift);
	}
	free(s.v);
	free(f.v);
}

uint64_t diff_in_fast(const struct diff *d, uint64_t off)
{
	if (off == PW_NO_OFF || off <= d->cut)
		return off;
	return off + d->shift > d->cut ? off + d->shift : PW_NO_OFF;
}
