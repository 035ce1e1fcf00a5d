// SPDX-License-Identifier: GPL-2.0-only
/*
 * From hits to machine instructions: the code of a piece is disassembled
 * once, and each hit is put on the instruction that covers it.
 */
#include <stdlib.h>
#include <string.h>

#include "machine.h"

static int hit_order(const void *a, const void *b, void *arg)
{
	const struct pw_profile *p = arg;
	const struct hit *x = &p->hits[*(const uint32_t *)a];
	const struct hit *y = &p->hits[*(const uint32_t *)b];

	if (x->piece != y->piece)
		return x->piece < y->piece ? -1 : 1;
	return x->off < y->off ? -1 : x->off > y->off;
}

uint32_t *hits_sorted(const struct pw_profile *p)
{
	uint32_t *order = pw_alloc((p->n_hits + 1) * sizeof(*order)), i;

	for (i = 0; i < p->n_hits; i++)
		order[i] = i;
	if (p->n_hits)
		qsort_r(order, p->n_hits, sizeof(*order), hit_order, (void *)p);
	return order;
}

int machine_open(struct machine *m, struct pw_profile *p,
		 const struct pw_piece *piece, struct pw_err *err)
{
	const struct pw_code_func *f;
	const struct pw_code *c =
		pw_space_code(p->space, piece, &f, &m->base, err);

	m->insns = NULL;
	m->n = 0;
	if (!c)
		return -1;
	return pw_code_disasm(c, f, &m->insns, &m->n, err);
}

void machine_close(struct machine *m)
{
	free(m->insns);
	memset(m, 0, sizeof(*m));
}

uint32_t machine_insn(const struct machine *m, uint64_t off)
{
	uint64_t at = m->base + off;
	uint32_t lo = 0, hi = m->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (m->insns[mid].text_off <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo ||
	    at - m->insns[lo - 1].text_off >= m->insns[lo - 1].size_bytes)
		return UINT32_MAX;
	return lo - 1;
}
