// SPDX-License-Identifier: GPL-2.0-only
/*
 * The difference of two machine codes by opcode. Alignment by dynamic
 * programming over
 *   match(i, j)  slow i and fast j are aligned
 *   best(i, j)   the best of the codes before i and j
 * with a score that counts matches first, then what makes a match likely,
 * then samples left over. Large codes are cut at places that are in both
 * only once. Knows nothing of mutants.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"

#define MAX_CELLS ((uint64_t)9 << 20) /* a byte each */
#define CONTEXT   64 /* equal instructions kept around what differs */

/* The score: a match outweighs all bonuses, those all samples. */
#define MATCH       ((int64_t)1 << 37)
#define UNIT        ((int64_t)1 << 16)
#define BONUS_TEXT  (4 * UNIT) /* the same operands */
#define BONUS_WASM  (3 * UNIT) /* from the same wasm instruction */
#define BONUS_RUN   (2 * UNIT) /* the ones before are aligned too */
#define ALL_SAMPLES (UNIT - 1)

/* An instruction as the alignment sees it. */
struct key {
	uint64_t opcode, operands; /* hashes; operands 0: says nothing */
	uint64_t wasm_off;
	int64_t weight; /* samples, ALL_SAMPLES in total */
};

struct diff {
	struct key *slow, *fast;
	uint64_t cut;   /* wasm offsets up to here are the same in both, */
	uint64_t shift; /* those behind it are by this higher in the fast */
	int32_t *pair;  /* per slow instruction: the fast one or -1 */
};

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
			k[i].weight = (int64_t)(weight[i] / sum * ALL_SAMPLES);
	}
	return k;
}

/* --- wasm offsets ----------------------------------------------------------- */

/*
 * A mutation moves what follows it in the module, by a distance seen at the
 * function's last instructions. Where it is, is found: the cut that gives
 * most slow offsets a counterpart, the last such one.
 */
struct offsets {
	uint64_t *v; /* rising, each once */
	uint32_t n;
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void offsets_of(struct offsets *o, const struct pw_minsn *m, uint32_t n)
{
	uint32_t i, k = 0;

	o->v = pw_alloc(((size_t)n + 1) * sizeof(*o->v));
	for (i = 0; i < n; i++)
		if (m[i].wasm_off != PW_NO_OFF)
			o->v[k++] = m[i].wasm_off;
	qsort(o->v, k, sizeof(*o->v), by_value);
	for (i = 0, o->n = 0; i < k; i++)
		if (!i || o->v[i] != o->v[i - 1])
			o->v[o->n++] = o->v[i];
}

static bool has_offset(const struct offsets *o, uint64_t off)
{
	return bsearch(&off, o->v, o->n, sizeof(*o->v), by_value);
}

static uint64_t find_wasm_cut(const struct offsets *slow,
			      const struct offsets *fast, uint64_t shift)
{
	uint32_t *behind = pw_zalloc(((size_t)slow->n + 1) * sizeof(*behind));
	uint32_t i, j, before = 0, most = 0;
	uint64_t cut = UINT64_MAX;

	/* what a mutation takes out has no counterpart */
	for (i = slow->n; i--;)
		behind[i] =
			behind[i + 1] + has_offset(fast, slow->v[i] + shift);
	for (i = 0, j = 0; i < slow->n; i++) {
		uint64_t x = slow->v[i];

		before += has_offset(fast, x);
		while (j < slow->n &&
		       (slow->v[j] <= x || slow->v[j] + shift <= x))
			j++;
		if (before + behind[j] >= most) {
			most = before + behind[j];
			cut = x;
		}
	}
	free(behind);
	return cut;
}

static void find_shift(struct diff *d, const struct pw_minsn *slow,
		       uint32_t n_slow, const struct pw_minsn *fast,
		       uint32_t n_fast)
{
	struct offsets s, f;

	offsets_of(&s, slow, n_slow);
	offsets_of(&f, fast, n_fast);
	d->cut = UINT64_MAX;
	d->shift = 0;
	if (s.n && f.n) {
		d->shift = f.v[f.n - 1] - s.v[s.n - 1];
		d->cut = find_wasm_cut(&s, &f, d->shift);
	}
	free(s.v);
	free(f.v);
}

/* A slow wasm offset in the fast module; PW_NO_OFF when it has none. */
static uint64_t in_fast(const struct diff *d, uint64_t off)
{
	if (off == PW_NO_OFF || off <= d->cut)
		return off;
	return off + d->shift > d->cut ? off + d->shift : PW_NO_OFF;
}

/* --- scores ----------------------------------------------------------------- */

static int64_t pair_score(const struct diff *d, uint32_t i, uint32_t j)
{
	const struct key *s = &d->slow[i], *f = &d->fast[j];
	int64_t score = MATCH - s->weight;
	uint64_t off = in_fast(d, s->wasm_off);

	if (s->operands && s->operands == f->operands)
		score += BONUS_TEXT;
	if (off != PW_NO_OFF && off == f->wasm_off)
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

/* --- lines and what moved ----------------------------------------------------- */

static uint32_t write_lines(const struct diff *d, uint32_t n_slow,
			    uint32_t n_fast, struct code_diff_line *l)
{
	uint32_t i = 0, j = 0, n = 0;

	while (i < n_slow || j < n_fast) {
		struct code_diff_line *to = &l[n++];

		*to = (struct code_diff_line){ CODE_DIFF_SAME, -1, -1, -1 };
		if (i < n_slow && d->pair[i] < 0) {
			to->side = CODE_DIFF_SLOW;
			to->slow_idx = (int32_t)i++;
		} else if (j < n_fast &&
			   (i == n_slow || d->pair[i] > (int32_t)j)) {
			to->side = CODE_DIFF_FAST;
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
	struct code_diff_line *line;
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

static uint64_t stray_key(const struct diff *d, const struct code_diff_line *l,
			  int pass)
{
	const struct key *k = l->side == CODE_DIFF_SLOW ? &d->slow[l->slow_idx]
							: &d->fast[l->fast_idx];
	uint64_t wasm_off = k->wasm_off;

	if (l->side == CODE_DIFF_SLOW)
		wasm_off = in_fast(d, wasm_off);
	if (pass == BY_OPCODE)
		return k->opcode;
	return pw_hash(pass == BY_TEXT ? &k->operands : &wasm_off, 8,
		       k->opcode);
}

static void pair_strays(struct diff *d, struct code_diff_line *l, uint32_t n,
			struct stray *stray, int pass)
{
	uint32_t n_stray = 0, i, j;

	for (i = 0; i < n; i++)
		if (l[i].side != CODE_DIFF_SAME && l[i].moved_to < 0)
			stray[n_stray++] =
				(struct stray){ stray_key(d, &l[i], pass),
						&l[i] };
	qsort(stray, n_stray, sizeof(*stray), by_key);
	/* per key the slow ones come first: pair them with the fast ones */
	for (i = 0; i < n_stray; i = j) {
		uint32_t s = i, f = i;

		for (j = i; j < n_stray && stray[j].key == stray[i].key; j++)
			f += stray[j].line->side == CODE_DIFF_SLOW;
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

int code_diff(const struct pw_minsn *slow, uint32_t n_slow,
	      const double *slow_weight, const struct pw_minsn *fast,
	      uint32_t n_fast, struct code_diff_line **lines, uint32_t *n_lines)
{
	struct range r = { 0, n_slow, 0, n_fast };
	struct stray *stray;
	struct diff d;
	int pass;

	if (n_slow > 1u << 30 || n_fast > 1u << 30)
		return -E2BIG;
	d.slow = make_keys(slow, n_slow, slow_weight);
	d.fast = make_keys(fast, n_fast, NULL);
	find_shift(&d, slow, n_slow, fast, n_fast);
	d.pair = pw_alloc(((size_t)n_slow + 1) * sizeof(*d.pair));
	memset(d.pair, 0xff, ((size_t)n_slow + 1) * sizeof(*d.pair));
	trim(&d, &r);
	align(&d, &r);
	*lines = pw_alloc(((size_t)n_slow + n_fast + 1) * sizeof(**lines));
	*n_lines = write_lines(&d, n_slow, n_fast, *lines);
	stray = pw_alloc((*n_lines + (size_t)1) * sizeof(*stray));
	for (pass = BY_TEXT; pass < N_PASSES; pass++)
		pair_strays(&d, *lines, *n_lines, stray, pass);
	free(stray);
	free(d.pair);
	free(d.fast);
	free(d.slow);
	return 0;
}
