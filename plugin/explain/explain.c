// SPDX-License-Identifier: GPL-2.0-only
/*
 * The explanations of one function: every matcher on every hot loop of the
 * slow and of the fast code, then what speaks for each pattern.
 */
#include "explain-impl.h"

#include <stdlib.h>
#include <string.h>

/* --- the whole ------------------------------------------------------------------------ */

static void match_all(struct match *m)
{
	static void (*const matchers[])(struct match *,
					const struct region *) = {
		match_dependence, match_memory, match_division,
		match_invariant,  match_calls,  match_constants,
		match_checks,
	};

	match_tier(m);
	for (uint32_t i = 0; i < m->s->n_hot; i++)
		for (size_t k = 0; k < sizeof(matchers) / sizeof(*matchers);
		     k++)
			matchers[k](m, m->s->hot[i]);
}

static int by_confidence(const void *a, const void *b)
{
	const struct pw_explanation *x = a, *y = b;

	if (x->confidence != y->confidence)
		return x->confidence < y->confidence ? 1 : -1;
	return (int)x->pattern - (int)y->pattern;
}

/* Those with something in them, best first, at the front. */
static uint32_t sort_list(struct pw_explanation *list)
{
	uint32_t n = 0;

	for (uint32_t p = 0; p < PW_N_PATTERNS; p++)
		if (list[p].n_evidence)
			list[n++] = list[p];
	if (n)
		qsort(list, n, sizeof(*list), by_confidence);
	return n;
}

static void release_all(struct pw_explanation *list, uint32_t n)
{
	for (uint32_t i = 0; list && i < n; i++) {
		for (uint32_t k = 0; k < list[i].n_evidence; k++)
			free(list[i].evidence[k]);
		free(list[i].evidence);
		free(list[i].insns);
	}
	free(list);
}

static struct pw_explanation *new_list(void)
{
	struct pw_explanation *list = pw_zalloc(PW_N_PATTERNS * sizeof(*list));

	for (uint32_t p = 0; p < PW_N_PATTERNS; p++)
		list[p].pattern = (enum pw_pattern)p;
	return list;
}

/* Whether the function gives one result, so that no second register holds
 * another. */
static bool one_result(const struct pw_explain_input *in)
{
	const struct pw_functype *t;

	if (!in->module || in->func_idx >= pw_module_n(in->module, PW_EXT_FUNC))
		return false;
	t = pw_module_functype(in->module,
			       pw_module_func(in->module, in->func_idx)
				       ->type_idx);
	return t && t->n_results <= 1;
}

int pw_explain(const struct pw_explain_input *in, struct pw_explanation **list,
	       uint32_t *n, struct pw_err *err)
{
	struct subject slow = { .n_hot = 0 }, fast = { .n_hot = 0 };
	struct match m = { in, &slow, new_list(), true, false };
	struct match f = { in, &fast, new_list(), false, false };
	int ret = subject_init(&slow, &in->slow, err);

	slow.one_result = fast.one_result = one_result(in);
	if (!ret && in->fast.code)
		ret = subject_init(&fast, &in->fast, err);
	if (ret)
		goto out;
	fast.one_result = slow.one_result;
	match_all(&m);
	if (in->fast.code)
		match_all(&f);
	match_placement(&m, &slow, &fast);
	weigh(&m, &f);
	*n = sort_list(m.list);
	*list = m.list;
	m.list = NULL;
out:
	release_all(m.list, PW_N_PATTERNS);
	release_all(f.list, PW_N_PATTERNS);
	subject_release(&slow);
	subject_release(&fast);
	return ret;
}

void pw_explanations_free(struct pw_explanation *list, uint32_t n)
{
	release_all(list, n);
}

/* --- loops by themselves ------------------------------------------------------------- */

/* Takes the arrays out of the region. */
static void take_study(struct region *r, struct pw_loop_study *to)
{
	r->study.head = r->head;
	r->study.n_insns = r->n;
	r->study.insns = r->insns;
	r->study.share = r->share;
	r->study.has_calls = r->has_calls;
	*to = r->study;
	r->insns = NULL;
	memset(&r->study, 0, sizeof(r->study));
}

int pw_explain_loops(const struct pw_code *code, const struct pw_minsn *insns,
		     uint32_t n, const double *share,
		     struct pw_loop_study **loops, uint32_t *n_loops,
		     struct pw_err *err)
{
	struct pw_explain_side side = { code, insns, n, share };
	struct subject s = { .n_hot = 0 };
	int ret = subject_init(&s, &side, err);

	if (!ret) {
		*loops = pw_zalloc((s.n_hot + 1) * sizeof(**loops));
		for (uint32_t i = 0; i < s.n_hot; i++)
			take_study(s.hot[i], &(*loops)[i]);
		*n_loops = s.n_hot;
	}
	subject_release(&s);
	return ret;
}

void pw_loop_studies_free(struct pw_loop_study *loops, uint32_t n)
{
	for (uint32_t i = 0; loops && i < n; i++) {
		for (uint32_t k = 0; k < loops[i].n_chains; k++)
			free(loops[i].chains[k].insns);
		free(loops[i].chains);
		free(loops[i].slots);
		free(loops[i].invariant);
		free(loops[i].insns);
	}
	free(loops);
}
