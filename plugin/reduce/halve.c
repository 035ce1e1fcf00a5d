// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes away as many items as can be. All that no sample fell on at once,
 * then the others; a group that cannot go as a whole is halved. What has
 * gone stays gone, so that the last single items are tried on the smallest
 * module.
 */
#include "passes.h"

#include <stdlib.h>
#include <string.h>

struct halving {
	struct reduce *r;
	const struct items *it;
	struct pw_buf bytes; /* the module that the edits speak of */
	struct pw_module *m;
	bool *gone;      /* by item */
	uint32_t *order; /* items, the cold first */
	uint32_t n_cold;
};

static int by_off(const void *a, const void *b)
{
	const struct pw_edit *x = a, *y = b;

	return (x->off > y->off) - (x->off < y->off);
}

/* The module without what is gone and without order[lo, hi). */
static int build(const struct halving *h, uint32_t lo, uint32_t hi,
		 struct pw_buf *out, struct pw_err *err)
{
	const struct items *it = h->it;
	struct pw_edit *edits = pw_zalloc((it->n_edits + 1) * sizeof(*edits));
	bool *go = pw_zalloc(it->n + 1);
	size_t n = 0;
	int ret;

	memcpy(go, h->gone, it->n);
	for (uint32_t i = lo; i < hi; i++)
		go[h->order[i]] = true;
	for (uint32_t i = 0; i < it->n; i++)
		for (uint32_t k = 0; go[i] && k < it->v[i].n_edits; k++) {
			edits[n] = it->edits[it->v[i].first_edit + k];
			edits[n].new_bytes = items_bytes(it, &edits[n]);
			n++;
		}
	if (n)
		qsort(edits, n, sizeof(*edits), by_off);
	ret = pw_splice_edits(h->m, edits, n, out, err);
	free(edits);
	free(go);
	return ret;
}

static int try_range(struct halving *h, uint32_t lo, uint32_t hi,
		     struct pw_err *err)
{
	struct pw_buf bytes = { 0 };
	bool kept = false;
	int ret = 0;

	if (lo >= hi || reduce_over(h->r))
		return 0;
	/* items that stand in each other cannot go together */
	if (!build(h, lo, hi, &bytes, NULL))
		ret = reduce_try(h->r, &bytes, &kept, err);
	pw_buf_release(&bytes);
	for (uint32_t i = lo; kept && i < hi; i++)
		h->gone[h->order[i]] = true;
	if (ret || kept || hi - lo < 2)
		return ret;
	ret = try_range(h, lo, lo + (hi - lo) / 2, err);
	return ret ? ret : try_range(h, lo + (hi - lo) / 2, hi, err);
}

static int begin(struct halving *h, struct pw_err *err)
{
	const struct items *it = h->it;
	uint32_t n = 0;

	h->gone = pw_zalloc(it->n + 1);
	h->order = pw_zalloc((it->n + 1) * sizeof(*h->order));
	for (uint32_t i = 0; i < it->n; i++)
		if (!(it->v[i].share > 0))
			h->order[n++] = i;
	h->n_cold = n;
	for (uint32_t i = 0; i < it->n; i++)
		if (it->v[i].share > 0)
			h->order[n++] = i;
	pw_buf_add(&h->bytes, h->r->bytes.data, h->r->bytes.len);
	h->m = pw_module_decode(h->bytes.data, h->bytes.len, err);
	return h->m ? 0 : -err->code;
}

int halve(struct reduce *r, struct items *it, uint32_t *gone,
	  struct pw_err *err)
{
	struct halving h = { .r = r, .it = it };
	int ret = begin(&h, err);

	if (!ret)
		ret = try_range(&h, 0, h.n_cold, err);
	if (!ret)
		ret = try_range(&h, h.n_cold, it->n, err);
	for (uint32_t i = 0; i < it->n; i++)
		*gone += h.gone[i];
	pw_module_free(h.m);
	pw_buf_release(&h.bytes);
	free(h.gone);
	free(h.order);
	return ret;
}
