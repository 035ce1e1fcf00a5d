// SPDX-License-Identifier: GPL-2.0-only
/*
 * How large a difference is, beside others: which part of its whole, and how
 * many times what matters, which has no unit. Judges nothing.
 */
#include "compare-impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The figure of the same row in the first total of its table, or NULL. */
static const struct figure *weight_of_row(const struct comparison *c,
					  const struct figure *f)
{
	const struct table *t = &c->tables[f->table];
	struct figure *have = NULL;
	uint32_t measure = 0;
	char *key;

	while (measure < (uint32_t)t->n_measures &&
	       t->measures[measure].amount != PW_AMOUNT_TOTAL)
		measure++;
	key = pw_alloc(f->hh.keylen);
	memcpy(key, f->key, f->hh.keylen);
	/* gather.c: the number of the table, then of the measure */
	memcpy(key + sizeof(measure), &measure, sizeof(measure));
	HASH_FIND(hh, c->figures, key, f->hh.keylen, have);
	free(key);
	return have;
}

static double share_of(const struct comparison *c, const struct figure *f,
		       uint32_t side, double value)
{
	double whole = fmax(whole_of(c, f, 0), whole_of(c, f, side));

	return whole > 0 ? fmin(fabs(value) / whole, 1) : 0;
}

/* Of a level: how much of the whole its row is; 1: not known. */
static double share_of_row(const struct comparison *c, const struct figure *f,
			   uint32_t side)
{
	const struct figure *row = weight_of_row(c, f);

	if (!row || row->is_lone)
		return 1;
	return share_of(c, row, side,
			fmax(row->sides[0].value, row->sides[side].value));
}

void rank(const struct comparison *c, struct figure *f, uint32_t side)
{
	double a = fabs(f->sides[0].value), b = fabs(f->sides[side].value);
	struct judged *j = &f->judged[side];
	double d = fabs(j->difference.value), larger = fmax(a, b), share;
	bool is_alone = f->is_lone || c->tables[f->table].is_facts;

	j->weight = j->times = 0;
	if (isnan(d) || d == 0)
		return;
	j->weight = larger > 0 ? d / larger : 0;
	j->times = j->margin > 0 ? d / j->margin : 0;
	if (is_alone)
		return;
	if (f->amount == PW_AMOUNT_TOTAL) {
		j->weight = share_of(c, f, side, d);
		return;
	}
	share = share_of_row(c, f, side);
	j->weight *= share;
	j->times *= share;
}
