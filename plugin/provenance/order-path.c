// SPDX-License-Identifier: GPL-2.0-only
/*
 * The likeliest assignment of wasm instructions to machine instructions as a
 * whole: compilers lower instructions in order, so that the next machine
 * instruction mostly comes from the same wasm instruction or one soon after.
 * The best path over all candidates (Viterbi 1967), scores as logarithms.
 * What no mutant changes goes with its neighbours. Knows nothing of mutants.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trial.h"

/* A score that noise reaches. */
#define NOISE      0.15
#define MOVE_NOISE 3.0
/* That an instruction comes from none, against one that is only near. */
#define NOTHING 0.1
/* A move goes with what stands before it. */
#define ENTER_MOVE 1.5
/* A step to a later instruction, or to an earlier one, and what each
 * doubling of the distance costs. */
#define LATER        0.3
#define EARLIER      1.0
#define PER_DOUBLING 0.2
/* Behind a jump the order starts anew. */
#define ACROSS 0.3

/* The score of what is no guess. */
#define SURE 100.0

#define STATES (3 * CANDIDATES + 1)

struct state {
	uint32_t site;
	uint32_t from; /* state of the instruction before */
	double score;
};

struct column {
	struct state v[STATES];
	uint32_t n;
};

static void add_state(struct column *c, uint32_t site)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->v[i].site == site)
			return;
	c->v[c->n++] = (struct state){ .site = site };
}

static void add_states(struct column *c, const struct candidates *from)
{
	for (uint32_t i = 0; i < from->n; i++)
		add_state(c, from->v[i].site);
}

/*
 * A move between registers or to and from the stack: register allocation
 * made it, or it takes a value to where the next instruction wants it. Any
 * change of the function changes it.
 */
static bool is_move(const struct pw_minsn *m)
{
	const char *paren = strchr(m->operands, '(');

	const char *op = m->opcode + (m->opcode[0] == 'v');

	if (strncmp(op, "mov", 3) || op[3] == 'z' || op[3] == 's')
		return false;
	return !strchr(m->operands, '$') &&
	       (!paren || !strncmp(paren, "(%rsp)", 6) ||
		!strncmp(paren, "(%rbp)", 6));
}

/* How well a site explains an instruction. */
static double fit(const struct candidates *c, uint32_t site, double noise)
{
	double score = site == SITE_NONE ? -noise / STATES * (1 - NOTHING) : 0;

	for (uint32_t i = 0; i < c->n; i++)
		if (c->v[i].site == site)
			score = c->v[i].score;
	return log((score + noise / STATES) / (c->sum + noise));
}

static double step(uint32_t from, uint32_t to, bool across)
{
	double cost;

	if (from == to || from == SITE_NONE || to == SITE_NONE)
		return from == to ? 0 : LATER;
	cost = to > from ? LATER + PER_DOUBLING * log2(to - from)
			 : EARLIER + PER_DOUBLING * log2(from - to);
	return across ? ACROSS * cost : cost;
}

/* A return, said by path_returns(). */
static bool is_sure(const struct candidates *c)
{
	return c->n && c->v[0].score == SURE;
}

static void fill(struct column *c, const struct column *before,
		 const struct candidates *from, bool across, bool move)
{
	for (uint32_t i = 0; i < c->n; i++) {
		struct state *s = &c->v[i];

		s->score = -INFINITY;
		for (uint32_t k = 0; k < before->n; k++) {
			double score = before->v[k].score -
				       (move ? ENTER_MOVE : 1) *
					       step(before->v[k].site, s->site,
						    across);

			if (score > s->score) {
				s->score = score;
				s->from = k;
			}
		}
		if (!before->n)
			s->score = 0;
		s->score += fit(from, s->site, move ? MOVE_NOISE : NOISE);
	}
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Which instructions do not just follow the one before. */
static bool *block_starts(const struct pw_minsn *insns, uint32_t n)
{
	uint64_t *targets = pw_alloc((n + 1) * sizeof(*targets));
	bool *starts = pw_zalloc(n + 1);
	uint32_t n_targets = 0;

	for (uint32_t i = 0; i < n; i++)
		if (insns[i].is_jump && insns[i].target != PW_NO_OFF)
			targets[n_targets++] = insns[i].target;
	qsort(targets, n_targets, sizeof(*targets), by_value);
	for (uint32_t i = 0; i < n; i++)
		starts[i] =
			(i && insns[i - 1].is_jump && !insns[i - 1].is_cond) ||
			bsearch(&insns[i].text_off, targets, n_targets,
				sizeof(*targets), by_value);
	free(targets);
	return starts;
}

static void trace(const struct column *columns, uint32_t n, uint32_t *site)
{
	uint32_t best = 0;

	for (uint32_t k = 1; k < columns[n - 1].n; k++)
		if (columns[n - 1].v[k].score > columns[n - 1].v[best].score)
			best = k;
	for (uint32_t i = n; i--; best = columns[i].v[best].from)
		site[i] = columns[i].v[best].site;
}

static bool has(const struct pw_minsn *m, const char *opcode, const char *what)
{
	return !strcmp(m->opcode, opcode) &&
	       (!what || strstr(m->operands, what));
}

/* What takes a frame down: part of the return behind it. */
static bool leaves_frame(const struct pw_minsn *m)
{
	return has(m, "pop", NULL) || has(m, "leave", NULL) ||
	       has(m, "add", ", %rsp") || has(m, "mov", "(%rsp), ") ||
	       has(m, "mov", "%rbp, %rsp") || has(m, "movdqu", "(%rsp), ") ||
	       has(m, "ldp", "[sp") || has(m, "ldr", "[sp") ||
	       has(m, "add", "sp, sp");
}

/*
 * Which return is which, if there are several, the order says: the first
 * behind what stands before it. With more of them than candidates the
 * function's end gets all.
 */
static void exits_of(const struct sites *sites, struct candidates *c)
{
	memset(c, 0, sizeof(*c));
	for (uint32_t i = 0; i < sites->n; i++) {
		if (!sites->v[i].returns && i + 1 < sites->n)
			continue;
		if (c->n == CANDIDATES)
			c->n = 0;
		c->v[c->n++] = (struct candidate){ i, SURE, 1 };
	}
	c->sum = SURE * c->n;
}

void path_returns(const struct pw_minsn *insns, uint32_t n,
		  const struct sites *sites, struct candidates *c)
{
	struct candidates exits;

	exits_of(sites, &exits);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = i;

		if (strcmp(insns[i].opcode, "ret"))
			continue;
		do {
			c[k] = exits;
		} while (k-- && leaves_frame(&insns[k]));
	}
}

void path_choose(const struct pw_minsn *insns, uint32_t n,
		 const struct candidates *from, uint32_t *site)
{
	struct column *columns, none = { .n = 0 };
	bool *starts;

	if (!n)
		return;
	columns = pw_zalloc(n * sizeof(*columns));
	starts = block_starts(insns, n);
	for (uint32_t i = 0; i < n; i++) {
		add_states(&columns[i], &from[i]);
		if (i)
			add_states(&columns[i], &from[i - 1]);
		if (i + 1 < n)
			add_states(&columns[i], &from[i + 1]);
		add_state(&columns[i], SITE_NONE);
		fill(&columns[i], i ? &columns[i - 1] : &none, &from[i],
		     starts[i], is_move(&insns[i]) && !is_sure(&from[i]));
	}
	trace(columns, n, site);
	free(starts);
	free(columns);
}
