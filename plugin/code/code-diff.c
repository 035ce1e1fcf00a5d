// SPDX-License-Identifier: GPL-2.0-only
/*
 * The difference of two machine codes by opcode: instructions become keys,
 * diff-align.c aligns them, and the left-overs of both sides are paired when
 * they only stand in another place. Knows nothing of mutants.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "diff-align.h"

/* --- keys ---------------------------------------------------------------- */

/* Operands without what the code's place decides. */
static uint64_t operands_key(const struct pw_minsn *m)
{
	const char *rip = strstr(m->operands, "(%rip)");
	uint64_t note = pw_hash(m->note, strlen(m->note), 1);

	if (m->is_jump && m->target != PW_NO_OFF)
		return 0;
	if (!strcmp(m->opcode, ".long"))
		return 0;
	if (rip) /* the distance stands first or behind ", " */
		return pw_hash(rip, strlen(rip), note);
	if (m->note[0] && m->operands[0]) {
		const char *comma = strchr(m->operands, ',');
		size_t n = comma ? (size_t)(comma - m->operands) : 0;

		return pw_hash(m->operands, n, note);
	}
	return pw_hash(m->operands, strlen(m->operands), 2);
}

static struct key *make_keys(const struct pw_minsn *m, uint32_t n,
			     const double *weight)
{
	struct key *k = pw_zalloc((n + 1) * sizeof(*k));
	double sum = 0;
	uint32_t i;

	for (i = 0; weight && i < n; i++)
		sum += weight[i] > 0 ? weight[i] : 0;
	for (i = 0; i < n; i++) {
		k[i].opcode = pw_hash(m[i].opcode, strlen(m[i].opcode), 0);
		k[i].operands = operands_key(&m[i]);
		/* an unknown instruction is its bytes */
		if (!strcmp(m[i].opcode, ".byte"))
			k[i].opcode = k[i].operands;
		k[i].wasm_off = m[i].wasm_off;
		if (sum > 0 && weight[i] > 0)
			k[i].weight =
				(int64_t)(weight[i] / sum * DIFF_ALL_SAMPLES);
	}
	return k;
}

/* --- lines and what moved ----------------------------------------------------- */

static uint32_t write_lines(const struct diff *d, struct pw_code_diff_line *l)
{
	uint32_t i = 0, j = 0, n = 0;

	while (i < d->n_slow || j < d->n_fast) {
		struct pw_code_diff_line *to = &l[n++];

		*to = (struct pw_code_diff_line){ PW_CODE_DIFF_SAME, -1, -1,
						  -1 };
		if (i < d->n_slow && d->pair[i] < 0) {
			to->side = PW_CODE_DIFF_SLOW;
			to->slow_idx = (int32_t)i++;
		} else if (j < d->n_fast &&
			   (i == d->n_slow || d->pair[i] > (int32_t)j)) {
			to->side = PW_CODE_DIFF_FAST;
			to->fast_idx = (int32_t)j++;
		} else {
			to->slow_idx = (int32_t)i++;
			to->fast_idx = (int32_t)j++;
		}
	}
	return n;
}

/* A left-over in search of its counterpart. */
struct stray {
	uint64_t key;
	struct pw_code_diff_line *line;
};

static int by_key(const void *a, const void *b)
{
	const struct stray *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->line->side != y->line->side)
		return x->line->side < y->line->side ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* What must be equal, from strict to lax. */
enum { BY_TEXT, BY_WASM, BY_OPCODE, N_PASSES };

static uint64_t stray_key(const struct diff *d,
			  const struct pw_code_diff_line *l, int pass)
{
	const struct key *k = l->side == PW_CODE_DIFF_SLOW
				      ? &d->slow[l->slow_idx]
				      : &d->fast[l->fast_idx];
	if (pass == BY_OPCODE)
		return k->opcode;
	return pw_hash(pass == BY_TEXT ? &k->operands : &k->wasm_off, 8,
		       k->opcode);
}

static void pair_strays(struct diff *d, struct pw_code_diff_line *l, uint32_t n,
			struct stray *stray, int pass)
{
	uint32_t n_stray = 0, i, j;

	for (i = 0; i < n; i++)
		if (l[i].side != PW_CODE_DIFF_SAME && l[i].moved_to < 0)
			stray[n_stray++] =
				(struct stray){ stray_key(d, &l[i], pass),
						&l[i] };
	qsort(stray, n_stray, sizeof(*stray), by_key);
	/* per key the slow ones come first: pair them with the fast ones */
	for (i = 0; i < n_stray; i = j) {
		uint32_t s = i, f = i;

		for (j = i; j < n_stray && stray[j].key == stray[i].key; j++)
			f += stray[j].line->side == PW_CODE_DIFF_SLOW;
		for (j = f;
		     s < f && j < n_stray && stray[j].key == stray[i].key;
		     s++, j++) {
			stray[s].line->moved_to = stray[j].line->fast_idx;
			stray[j].line->moved_to = stray[s].line->slow_idx;
		}
		for (j = i; j < n_stray && stray[j].key == stray[i].key; j++)
			;
	}
}

int pw_code_diff(const struct pw_minsn *slow, uint32_t n_slow,
		 const double *slow_weight, const struct pw_minsn *fast,
		 uint32_t n_fast, struct pw_code_diff_line **lines,
		 uint32_t *n_lines)
{
	struct diff d = { .n_slow = n_slow, .n_fast = n_fast };
	struct stray *stray;
	int pass;

	if (n_slow > 1u << 30 || n_fast > 1u << 30)
		return -E2BIG;
	d.slow = make_keys(slow, n_slow, slow_weight);
	d.fast = make_keys(fast, n_fast, NULL);
	d.pair = pw_alloc(((size_t)n_slow + 1) * sizeof(*d.pair));
	diff_shift(&d);
	diff_align(&d);
	*lines = pw_alloc(((size_t)n_slow + n_fast + 1) * sizeof(**lines));
	*n_lines = write_lines(&d, *lines);
	stray = pw_alloc((*n_lines + (size_t)1) * sizeof(*stray));
	for (pass = BY_TEXT; pass < N_PASSES; pass++)
		pair_strays(&d, *lines, *n_lines, stray, pass);
	free(stray);
	free(d.pair);
	free(d.fast);
	free(d.slow);
	return 0;
}
