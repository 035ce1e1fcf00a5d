// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instances that come and go, so that a day of short processes takes no more
 * memory than an hour: of those that are gone the ones that were told most
 * often are kept, the others' counters are summed up.
 */
#include "metrics-impl.h"

#include <stdlib.h>
#include <string.h>

#define GONE_MAX  2048
#define GONE_NAME "[gone]"

static int seldom_first(const void *a, const void *b)
{
	const struct instance *x = *(struct instance *const *)a;
	const struct instance *y = *(struct instance *const *)b;

	if (x->n_told != y->n_told)
		return x->n_told < y->n_told ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* What a counter grew by goes to the common one; of levels nothing is said, as
 * a sum of what was never there together means nothing. */
static void merge(struct pw_metrics *m, struct series *to, struct series *from)
{
	struct bins *b;

	to->is_merged = true;
	to->pub.n += from->pub.n;
	to->pub.total += from->pub.total;
	if (!to->bins) {
		to->bins = pw_zalloc(sizeof(*to->bins));
		to->bins->shift = m->axis.shift;
	}
	if (!from->bins)
		return;
	b = series_bins(m, to);
	series_bins(m, from);
	for (uint32_t i = 0; i < N_BINS; i++)
		b->sum[i] += from->bins->sum[i];
}

static void fold(struct pw_metrics *m, struct instance *i)
{
	struct family *f = i->family;

	for (uint32_t k = 0; k < i->n; k++) {
		struct series *s = i->series[k];
		const struct pw_metric_def *def = s->pub.def;

		if (def->kind != PW_METRIC_COUNTER)
			continue;
		merge(m,
		      series_of(m, f, s->pub.name, GONE_NAME, def->kind,
				def->unit),
		      s);
	}
	f->n_gone--;
	f->n_folded++;
	instance_free(m, i);
}

void family_fold(struct pw_metrics *m, struct family *f)
{
	struct instance **gone, *i, *next;
	uint32_t n = 0;

	if (f->n_gone <= GONE_MAX)
		return;
	gone = pw_alloc(f->n_gone * sizeof(struct instance *));
	HASH_ITER (hh, f->instances, i, next)
		if (!i->n_alive)
			gone[n++] = i;
	qsort(gone, n, sizeof(struct instance *), seldom_first);
	for (uint32_t k = 0; k < n / 2; k++)
		fold(m, gone[k]);
	free(gone);
}
