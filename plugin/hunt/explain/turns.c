// SPDX-License-Identifier: GPL-2.0-only
/*
 * A part of the step explain: how many turns the hottest loop of a finding
 * takes in one run, from the counted copy of the hunted module. The machine's
 * loop is known by the wasm instructions that its own came from; one that a
 * compiler unrolled has fewer turns than the module's.
 */
#include "explain-step.h"
#include "../judge.h"

#include <stdlib.h>

/* How often what stands at this offset is executed; 0: not known. */
static uint64_t executions(const struct hunt *h, uint64_t off)
{
	const struct pw_count_plan *plan = h->counts.plan;
	uint32_t lo = 0, hi = pw_count_plan_n(plan), func;

	while (lo < hi) { /* the last counter that is not behind it */
		uint32_t mid = lo + (hi - lo) / 2;

		if (pw_count_plan_point(plan, mid)->off <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || !pw_module_func_at(h->module, off, &func) ||
	    pw_count_plan_point(plan, lo - 1)->func_idx != func)
		return 0;
	return h->counts.base[lo - 1];
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The middle one of its instructions: some were moved in from elsewhere, or
 * stand behind a branch. */
static uint64_t turns_of(const struct hunt *h, const struct why *w)
{
	const struct pw_loop_study *l = &w->loops[0];
	uint64_t *v = pw_zalloc((l->n_insns + 1) * sizeof(*v)), turns;
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n_insns; i++) {
		const struct pw_minsn *in = &w->slow->insns[l->insns[i]];
		uint64_t off = in->wasm_off != PW_NO_OFF
				       ? in->wasm_off
				       : hunt_origin(h, in->text_off);

		v[n] = off != PW_NO_OFF ? executions(h, off) : 0;
		n += v[n] > 0;
	}
	qsort(v, n, sizeof(*v), by_value);
	turns = n ? v[n / 2] : 0;
	free(v);
	return turns;
}

int turns_take(struct hunt *h, struct why *w, struct pw_err *err)
{
	char *key;
	const char *seen;
	int ret = 0;

	if (!w->n_loops)
		return 0;
	key = pw_asprintf("loop at %llx",
			  (unsigned long long)w->slow->insns[w->loops[0].head]
				  .text_off);
	seen = pw_journal_find(h->journal, "turns", key);
	if (seen) {
		w->turns = strtoull(seen, NULL, 10);
		goto out;
	}
	ret = witness_original(h, err);
	if (!ret && h->counts.plan)
		w->turns = turns_of(h, w);
	if (!ret)
		ret = pw_journal_add(h->journal, "turns", key, err, "%llu",
				     (unsigned long long)w->turns);
out:
	free(key);
	return ret;
}
