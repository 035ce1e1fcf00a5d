// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as an image of machine code: its functions are explained, each
 * against the next. What is told lies within the code, confidences between 0
 * and 1, the best first.
 */
#include <perfwasm/explain.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* More is left out of the hot loops anyway, and slow under sanitizers. */
#define MAX_INSNS 2000

static void check_loops(const struct pw_explain_side *s)
{
	struct pw_loop_study *loops;
	uint32_t n, i, k;

	if (pw_explain_loops(s->code, s->insns, s->n, NULL, &loops, &n, NULL))
		abort();
	for (i = 0; i < n; i++) {
		if (!loops[i].n_insns || loops[i].head >= s->n ||
		    loops[i].true_cycles > loops[i].cycles)
			abort();
		for (k = 0; k < loops[i].n_invariant; k++)
			if (loops[i].invariant[k] >= s->n)
				abort();
		for (k = 0; k < loops[i].n_chains; k++)
			if (!loops[i].chains[k].n ||
			    loops[i].chains[k].cycles > loops[i].cycles)
				abort();
	}
	pw_loop_studies_free(loops, n);
}

static void check_pair(const struct pw_explain_side *slow,
		       const struct pw_explain_side *fast)
{
	struct pw_explain_input in = { .slow = *slow, .fast = *fast };
	struct pw_code_diff_line *lines = NULL;
	struct pw_explanation *list;
	uint32_t n, i, k;

	if (pw_code_diff(slow->insns, slow->n, NULL, fast->insns, fast->n,
			 &lines, &in.n_lines))
		abort();
	in.lines = lines;
	if (pw_explain(&in, &list, &n, NULL))
		abort();
	for (i = 0; i < n; i++) {
		if (!(list[i].confidence >= 0 && list[i].confidence <= 1) ||
		    (i && list[i].confidence > list[i - 1].confidence) ||
		    !list[i].n_evidence)
			abort();
		for (k = 0; k < list[i].n_insns; k++)
			if (list[i].insns[k] >= slow->n)
				abort();
	}
	pw_explanations_free(list, n);
	free(lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pw_explain_side last = { .code = NULL };
	struct pw_code *c = pw_code_open(data, size, 0, NULL);
	struct pw_minsn *insns;
	uint32_t n;

	for (uint32_t i = 0; c && i < pw_code_n_funcs(c) && i < 8; i++) {
		struct pw_explain_side side = { .code = c };

		if (pw_code_disasm(c, pw_code_func(c, i), &insns, &n, NULL))
			abort();
		side.insns = insns;
		side.n = n < MAX_INSNS ? n : MAX_INSNS;
		check_loops(&side);
		if (last.code)
			check_pair(&side, &last);
		free((void *)last.insns);
		last = side;
	}
	free((void *)last.insns);
	pw_code_close(c);
	return 0;
}
