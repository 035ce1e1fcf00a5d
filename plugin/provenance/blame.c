// SPDX-License-Identifier: GPL-2.0-only
/*
 * From many differences to one answer for each machine instruction: the wasm
 * instruction whose mutants change it most often, where a mutant that changes
 * little counts more than one that changes much. Knows nothing of wasm.
 */
#include <stdlib.h>
#include <string.h>

#include "trial.h"

/* What an instruction counts whose operands only are other ones. */
#define ALTERED 0.5
void blame_init(struct blame *b, uint32_t n_insns)
{
	memset(b, 0, sizeof(*b));
	b->n_insns = n_insns;
}

void blame_release(struct blame *b)
{
	free(b->v);
	free(b->mutants);
	memset(b, 0, sizeof(*b));
}

static void add_clue(struct blame *b, uint32_t insn, enum clue_kind kind)
{
	if (b->n == b->cap) {
		b->cap = b->cap ? 2 * b->cap : 1024;
		b->v = pw_realloc(b->v, b->cap * sizeof(*b->v));
	}
	b->v[b->n++] = (struct clue){ .insn = insn,
				      .site = b->mutants[b->n_mutants].site,
				      .mutant = b->n_mutants,
				      .kind = kind };
	b->mutants[b->n_mutants].n_clues[kind]++;
}

static bool altered(const struct pw_minsn *a, const struct pw_minsn *b)
{
	/* distances change with every length before them */
	if (a->is_jump && a->target != PW_NO_OFF)
		return false;
	if (a->note[0] || b->note[0])
		return strcmp(a->note, b->note);
	return strcmp(a->operands, b->operands);
}

int blame_add(struct blame *b, uint32_t site, enum pick_kind kind,
	      const struct pw_provenance_code *original,
	      const struct pw_provenance_code *mutant)
{
	struct pw_code_diff_line *lines;
	uint32_t n_lines, i;
	size_t before = b->n;
	int ret = pw_code_diff(original->insns, original->n, NULL,
			       mutant->insns, mutant->n, &lines, &n_lines);

	if (ret)
		return ret;
	if (b->n_mutants == b->cap_mutants) {
		b->cap_mutants = b->cap_mutants ? 2 * b->cap_mutants : 256;
		b->mutants = pw_realloc(b->mutants,
					b->cap_mutants * sizeof(*b->mutants));
	}
	memset(&b->mutants[b->n_mutants], 0, sizeof(*b->mutants));
	b->mutants[b->n_mutants].site = site;
	b->mutants[b->n_mutants].kind = kind;
	for (i = 0; i < n_lines; i++) {
		const struct pw_code_diff_line *l = &lines[i];

		if (l->side == PW_CODE_DIFF_SLOW && l->moved_to < 0)
			add_clue(b, (uint32_t)l->slow_idx, CLUE_LOST);
		else if (l->side == PW_CODE_DIFF_SAME &&
			 altered(&original->insns[l->slow_idx],
				 &mutant->insns[l->fast_idx]))
			add_clue(b, (uint32_t)l->slow_idx, CLUE_ALTERED);
	}
	free(lines);
	/* what is dropped may take much along, and has no other mutant */
	if (b->n - before > 16 + b->n_insns / (kind == PICK_DROP ? 2 : 4))
		b->n = before;
	else
		b->n_mutants++;
	return 0;
}

/* --- deciding ------------------------------------------------------------------- */

static int by_insn(const void *a, const void *b)
{
	const struct clue *x = a, *y = b;

	if (x->insn != y->insn)
		return x->insn < y->insn ? -1 : 1;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return x->mutant < y->mutant ? -1 : x->mutant > y->mutant;
}

/* What one clue says: the fewer a mutant changes, the more. */
static double weight(const struct blame *b, const struct clue *c)
{
	const uint32_t *n = b->mutants[c->mutant].n_clues;

	return (c->kind == CLUE_LOST ? 1.0 : ALTERED) /
	       (n[CLUE_LOST] + ALTERED * n[CLUE_ALTERED]);
}

/* What is known of one machine instruction and one site. */
struct suspect {
	uint32_t site;
	double score, from_leaves;
	double share; /* of the site's mutants */
};

static struct suspect *suspect_of(struct suspect *v, uint32_t n, uint32_t site)
{
	for (uint32_t i = 0; i < n; i++)
		if (v[i].site == site)
			return &v[i];
	return NULL;
}

/* Whether an instruction may do no more than bring a leaf's value. */
static bool brings_value(const struct pw_minsn *m)
{
	return strstr(m->opcode, "mov") || strstr(m->opcode, "xor") ||
	       !strncmp(m->opcode, "ldr", 3);
}

/* A constant into a register: the constant's own code. */
static bool brings_constant(const struct pw_minsn *m)
{
	const char *comma = strchr(m->operands, ',');

	return strstr(m->opcode, "mov") && m->operands[0] == '$' && comma &&
	       !strchr(comma, '(');
}

/*
 * Leaves speak for their users where the user's own mutants change the
 * instruction, too, or it does more than bring a value: then it is the
 * user's code with the leaf as operand. The number of suspects then.
 */
static uint32_t hand_on(struct suspect *v, uint32_t n,
			const struct sites *sites, const struct pw_minsn *m)
{
	uint32_t given = n;

	for (uint32_t i = 0; i < given; i++) {
		const struct site *s = &sites->v[v[i].site];
		struct suspect *user;

		if (!s->is_leaf || s->user == SITE_NONE || brings_constant(m))
			continue;
		user = suspect_of(v, n, s->user);
		if (!user && !brings_value(m)) {
			user = &v[n++];
			*user = (struct suspect){ .site = s->user,
						  .share = v[i].share };
		}
		if (user) {
			user->from_leaves += v[i].score;
			v[i].score = 0;
		}
	}
	for (uint32_t i = 0; i < n; i++)
		v[i].score += v[i].from_leaves;
	return n;
}

/* Clues of one machine instruction, by site. */
static uint32_t gather(const struct blame *b, const struct clue *c, size_t n,
		       const uint32_t *tried, const struct sites *sites,
		       struct suspect *v)
{
	uint32_t n_suspects = 0;
	size_t i, k;

	for (i = 0; i < n; i = k) {
		uint32_t site = c[i].site;
		struct suspect *s;
		double score = 0;

		for (k = i; k < n && c[k].site == c[i].site; k++)
			score += weight(b, &c[k]);
		/* what only hands a value on has no code */
		while (sites->v[site].is_tee &&
		       sites->v[site].operand != SITE_NONE)
			site = sites->v[site].operand;
		s = suspect_of(v, n_suspects, site);
		if (!s) {
			s = &v[n_suspects++];
			*s = (struct suspect){ .site = site };
		}
		score /= tried[c[i].site];
		if (s->score < score)
			s->score = score;
		if (s->share < (double)(k - i) / tried[c[i].site])
			s->share = (double)(k - i) / tried[c[i].site];
	}
	return n_suspects;
}

static int by_score(const void *a, const void *b)
{
	const struct suspect *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return x->site < y->site ? -1 : x->site > y->site;
}

/*
 * The likeliest suspects of one instruction. It came from one or two; what
 * the fifth has is what a change anywhere does to it, and none is better
 * than that.
 */
static void shortlist(struct suspect *v, uint32_t n, struct candidates *to)
{
	double background;

	qsort(v, n, sizeof(*v), by_score);
	background = n > CANDIDATES ? v[CANDIDATES].score : 0;
	for (to->n = 0; to->n < n && to->n < CANDIDATES; to->n++) {
		double score = v[to->n].score - background;

		to->v[to->n] = (struct candidate){ v[to->n].site, score,
						   v[to->n].share };
		to->sum += score;
	}
}

/* Only sets flags. */
static bool compares(const struct pw_minsn *m)
{
	const char *op = m->opcode + (m->opcode[0] == 'v');

	return !strncmp(op, "cmp", 3) || !strncmp(op, "test", 4) ||
	       !strncmp(op, "ucomis", 6) || !strncmp(op, "comis", 5) ||
	       !strncmp(op, "fcmp", 4) || !strncmp(op, "tst", 3);
}

/* Acts on flags. */
static bool takes_flags(const struct pw_minsn *m)
{
	return m->is_cond || !strncmp(m->opcode, "set", 3) ||
	       !strncmp(m->opcode, "cmov", 4) ||
	       !strncmp(m->opcode, "cset", 4) || !strcmp(m->opcode, "csel");
}

/*
 * A comparison and what takes its flags are one thing. Of mutants of the
 * comparison only the taker tells (another condition), of mutants of the
 * operands only the compare.
 */
static void join_flags(struct candidates *compare,
		       const struct candidates *taker)
{
	for (uint32_t i = 0; i < taker->n; i++) {
		uint32_t k = 0;

		while (k < compare->n && compare->v[k].site != taker->v[i].site)
			k++;
		if (k == CANDIDATES)
			continue;
		if (k == compare->n)
			compare->v[compare->n++] =
				(struct candidate){ .site = taker->v[i].site };
		compare->v[k].score += taker->v[i].score;
		if (compare->v[k].share < taker->v[i].share)
			compare->v[k].share = taker->v[i].share;
		compare->sum += taker->v[i].score;
	}
}

void blame_decide(struct blame *b, const struct pw_minsn *insns,
		  const struct sites *sites, struct candidates *to)
{
	uint32_t *tried = pw_zalloc((sites->n + 1) * sizeof(*tried));
	struct suspect *v = pw_alloc((sites->n + 1) * sizeof(*v));
	uint32_t n;
	size_t i, k;

	memset(to, 0, b->n_insns * sizeof(*to));
	for (i = 0; i < b->n_mutants; i++)
		tried[b->mutants[i].site]++;
	if (b->n)
		qsort(b->v, b->n, sizeof(*b->v), by_insn);
	for (i = 0; i < b->n; i = k) {
		for (k = i; k < b->n && b->v[k].insn == b->v[i].insn; k++)
			;
		n = gather(b, &b->v[i], k - i, tried, sites, v);
		n = hand_on(v, n, sites, &insns[b->v[i].insn]);
		shortlist(v, n, &to[b->v[i].insn]);
	}
	for (uint32_t m = 0; m + 1 < b->n_insns; m++)
		if (compares(&insns[m]) && takes_flags(&insns[m + 1]))
			join_flags(&to[m], &to[m + 1]);
	free(tried);
	free(v);
}
