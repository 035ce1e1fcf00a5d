// SPDX-License-Identifier: GPL-2.0-only
/*
 * Alignment of two codes by dynamic programming over
 *   match(i, j)  slow i and fast j are aligned
 *   best(i, j)   the best of the codes before i and j
 * with a score that counts matches first, then what makes a match likely,
 * then samples left over. Large codes are cut at places that are in both
 * only once. Knows keys only, no instructions.
 */
#include <stdlib.h>
#include <string.h>

#include "diff-align.h"

#define MAX_CELLS ((uint64_t)9 << 20) /* a byte each */
#define CONTEXT   64 /* equal instructions kept around what differs */

/* The score: a match outweighs all bonuses, those all samples. */
#define MATCH      ((int64_t)1 << 37)
#define UNIT       (DIFF_ALL_SAMPLES + 1)
#define BONUS_TEXT (4 * UNIT) /* the same operands */
#define BONUS_WASM (3 * UNIT) /* from the same wasm instruction */
#define BONUS_RUN  (2 * UNIT) /* the ones before are aligned too */

static int64_t pair_score(const struct diff *d, uint32_t i, uint32_t j)
{
	const struct key *s = &d->slow[i], *f = &d->fast[j];
	int64_t score = MATCH - s->weight;

	if (s->operands && s->operands == f->operands)
		score += BONUS_TEXT;
	if (s->wasm_off != PW_NO_OFF && s->wasm_off == f->wasm_off)
		score += BONUS_WASM;
	return score;
}

/* --- alignment of two ranges ---------------------------------------------- */

struct range {
	uint32_t s, n_s, f, n_f; /* first and number, slow and fast */
};

enum {
	FROM_SLOW = 0, /* best(i, j) = best(i - 1, j) */
	FROM_FAST = 1,
	FROM_MATCH = 2,
	FROM_MASK = 3,
	RUN = 4, /* match(i, j) goes on from match(i - 1, j - 1) */
};

/* Follows the choices back from the end; in_run: begin with a match. */
static void trace(struct diff *d, const struct range *r, const uint8_t *cell,
		  bool in_run)
{
	uint32_t i = r->n_s, j = r->n_f;

	while (i && j) {
		uint8_t c = cell[(size_t)i * (r->n_f + 1) + j];
		unsigned from = in_run ? FROM_MATCH : c & FROM_MASK;

		if (from == FROM_MATCH) {
			d->pair[r->s + i - 1] = (int32_t)(r->f + j - 1);
			in_run = c & RUN;
			i--;
			j--;
		} else if (from == FROM_SLOW) {
			i--;
		} else {
			j--;
		}
	}
}

/* One cell; the rows hold the scores of i - 1 (prev) and i. Slow left-overs
 * are to stand before fast ones, so seen from the end fast ones come first. */
static uint8_t fill_cell(const struct diff *d, const struct range *r,
			 uint32_t i, uint32_t j, const int64_t *prev_best,
			 const int64_t *prev_match, int64_t *best,
			 int64_t *match)
{
	uint32_t s = r->s + i - 1, f = r->f + j - 1;
	uint8_t c = FROM_FAST;

	match[j] = -1;
	best[j] = best[j - 1];
	if (prev_best[j] > best[j]) {
		best[j] = prev_best[j];
		c = FROM_SLOW;
	}
	if (d->slow[s].opcode != d->fast[f].opcode)
		return c;
	match[j] = pair_score(d, s, f) + prev_best[j - 1];
	if (prev_match[j - 1] >= 0 &&
	    prev_match[j - 1] + BONUS_RUN >= prev_best[j - 1]) {
		match[j] += prev_match[j - 1] + BONUS_RUN - prev_best[j - 1];
		c |= RUN;
	}
	if (match[j] >= best[j]) {
		best[j] = match[j];
		c = FROM_MATCH | (c & RUN);
	}
	return c;
}

static void align_exactly(struct diff *d, const struct range *r)
{
	size_t width = (size_t)r->n_f + 1;
	uint8_t *cell = pw_alloc(((size_t)r->n_s + 1) * width);
	int64_t *rows = pw_zalloc(4 * width * sizeof(*rows));
	int64_t *best = rows, *match = rows + width;
	int64_t *prev_best = rows + 2 * width, *prev_match = rows + 3 * width;
	uint32_t i, j;

	/* what lies before and behind the range counts as a match, so that
	 * a left-over at an end is a gap like any other */
	for (j = 1; j <= r->n_f; j++)
		prev_match[j] = -1;
	match[0] = -1;
	for (i = 1; i <= r->n_s; i++) {
		int64_t *t;

		for (j = 1; j <= r->n_f; j++)
			cell[i * width + j] =
				fill_cell(d, r, i, j, prev_best, prev_match,
					  best, match);
		t = best, best = prev_best, prev_best = t;
		t = match, match = prev_match, prev_match = t;
		best[0] = 0;
		match[0] = -1;
	}
	trace(d, r, cell,
	      prev_match[r->n_f] >= 0 &&
		      prev_match[r->n_f] + BONUS_RUN >= prev_best[r->n_f]);
	free(rows);
	free(cell);
}

/* --- cutting large ranges --------------------------------------------------- */

/* k opcodes in a row, from `at` on. */
struct gram {
	uint64_t hash;
	uint32_t at;
	bool fast;
};

static int by_hash(const void *a, const void *b)
{
	const struct gram *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	if (x->fast != y->fast)
		return x->fast ? 1 : -1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static uint32_t add_grams(struct gram *g, const struct key *k, uint32_t n,
			  uint32_t len, bool fast)
{
	uint32_t i, j;

	for (i = 0; i + len <= n; i++) {
		uint64_t h = 0;

		for (j = 0; j < len; j++)
			h = (h ^ k[i + j].opcode) * 0x9e3779b97f4a7c15u;
		g[i] = (struct gram){ .hash = h, .at = i, .fast = fast };
	}
	return i;
}

/*
 * A place (i, j) to cut at: grams that each code has just once, of those the
 * nearest to the middle of both. Cuts at places far from the diagonal would
 * tear a moved block's surroundings apart.
 */
static bool find_cut(const struct diff *d, const struct range *r, uint32_t len,
		     uint32_t *i, uint32_t *j)
{
	struct gram *g = pw_alloc(((size_t)r->n_s + r->n_f + 2) * sizeof(*g));
	uint32_t n = add_grams(g, d->slow + r->s, r->n_s, len, false), k;
	double off, least = 0.25;

	n += add_grams(g + n, d->fast + r->f, r->n_f, len, true);
	qsort(g, n, sizeof(*g), by_hash);
	for (k = 0; k + 1 < n; k++) {
		double x, y;

		if ((k && g[k - 1].hash == g[k].hash) || g[k].fast ||
		    !g[k + 1].fast || g[k + 1].hash != g[k].hash ||
		    (k + 2 < n && g[k + 2].hash == g[k].hash))
			continue;
		x = (double)g[k].at / r->n_s - 0.5;
		y = (double)g[k + 1].at / r->n_f - 0.5;
		off = (x < 0 ? -x : x) + (x < y ? y - x : x - y);
		if (off < least) {
			least = off;
			*i = g[k].at + len / 2;
			*j = g[k + 1].at + len / 2;
		}
	}
	free(g);
	return least < 0.25;
}

static void align(struct diff *d, const struct range *r)
{
	struct range a = *r, b = *r;
	uint32_t i = r->n_s / 2, j = r->n_f / 2;

	if (!r->n_s || !r->n_f)
		return;
	if (((uint64_t)r->n_s + 1) * ((uint64_t)r->n_f + 1) <= MAX_CELLS) {
		align_exactly(d, r);
		return;
	}
	if (!find_cut(d, r, 16, &i, &j) && !find_cut(d, r, 4, &i, &j))
		find_cut(d, r, 1, &i, &j);
	a.n_s = i;
	a.n_f = j;
	b.s += i;
	b.n_s -= i;
	b.f += j;
	b.n_f -= j;
	align(d, &a);
	align(d, &b);
}

static bool same(const struct diff *d, uint32_t i, uint32_t j)
{
	return d->slow[i].opcode == d->fast[j].opcode &&
	       d->slow[i].operands == d->fast[j].operands;
}

/* Pairs what is equal at both ends, but for CONTEXT instructions, so that
 * the alignment of what differs can still choose. */
static void trim(struct diff *d, struct range *r)
{
	uint32_t n = r->n_s < r->n_f ? r->n_s : r->n_f, head = 0, tail = 0, i;

	while (head < n && same(d, head, head))
		head++;
	while (tail < n - head && same(d, r->n_s - 1 - tail, r->n_f - 1 - tail))
		tail++;
	/* nothing differs: all is paired */
	if (head < n || r->n_s != r->n_f) {
		head = head > CONTEXT ? head - CONTEXT : 0;
		tail = tail > CONTEXT ? tail - CONTEXT : 0;
	}
	for (i = 0; i < head; i++)
		d->pair[i] = (int32_t)i;
	for (i = 0; i < tail; i++)
		d->pair[r->n_s - 1 - i] = (int32_t)(r->n_f - 1 - i);
	*r = (struct range){ head, r->n_s - head - tail, head,
			     r->n_f - head - tail };
}

void diff_align(struct diff *d)
{
	struct range r = { 0, d->n_slow, 0, d->n_fast };

	memset(d->pair, 0xff, ((size_t)d->n_slow + 1) * sizeof(*d->pair));
	trim(d, &r);
	align(d, &r);
}
