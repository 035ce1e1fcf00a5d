// SPDX-License-Identifier: GPL-2.0-only
/*
 * What was when, by the bins of one axis of time (perfwasm/stats.h): sums that
 * take room only where something is, and lengths by powers of two. Knows
 * nothing of tasks but where they keep these.
 */
#include <stdlib.h>

#include "sched-impl.h"

/* --- bins -------------------------------------------------------------------------- */

static uint64_t *bin_at(struct bins *b, uint32_t bin)
{
	uint64_t **chunk = &b->chunks[bin / CHUNK];

	if (!*chunk)
		*chunk = pw_zalloc(CHUNK * sizeof(**chunk));
	return &(*chunk)[bin % CHUNK];
}

void bins_add(struct pw_sched *s, struct bins *b, uint64_t from, uint64_t to)
{
	uint32_t bin, last;
	uint64_t end;

	if (from < s->axis.start_ns)
		from = s->axis.start_ns;
	if (from >= to)
		return;
	last = pw_axis_bin(&s->axis, to - 1);
	for (bin = pw_axis_bin(&s->axis, from); bin < last; bin++) {
		end = pw_axis_end_ns(&s->axis, bin);
		*bin_at(b, bin) += end - from;
		from = end;
	}
	*bin_at(b, last) += to - from;
}

void bins_spread(struct pw_sched *s, struct bins *b, uint64_t from, uint64_t to,
		 uint64_t n)
{
	uint64_t done = 0, upto;
	uint32_t bin, last;

	if (from < s->axis.start_ns)
		from = s->axis.start_ns;
	if (!n || from >= to)
		return;
	last = pw_axis_bin(&s->axis, to - 1);
	for (bin = pw_axis_bin(&s->axis, from); bin <= last; bin++) {
		uint64_t end = pw_axis_end_ns(&s->axis, bin);
		double share = (double)(end - from) / (double)(to - from);

		upto = bin == last ? n : (uint64_t)((double)n * share);
		if (upto > done)
			*bin_at(b, bin) += upto - done;
		done = upto > done ? upto : done;
	}
}

uint64_t bins_get(const struct bins *b, uint32_t bin)
{
	const uint64_t *chunk = b->chunks[bin / CHUNK];

	return chunk ? chunk[bin % CHUNK] : 0;
}

void bins_release(struct bins *b)
{
	for (uint32_t i = 0; i < N_CHUNKS; i++)
		free(b->chunks[i]);
}

/* Two bins become one, and so two chunks. */
static void bins_fold(struct bins *b)
{
	uint64_t *one, *two;

	for (uint32_t i = 0; i < N_CHUNKS / 2; i++) {
		one = b->chunks[2 * i];
		two = b->chunks[2 * i + 1];
		b->chunks[2 * i] = b->chunks[2 * i + 1] = NULL;
		if (two && !one)
			one = pw_zalloc(CHUNK * sizeof(*one));
		if (one)
			pw_counts_fold(one, CHUNK, 1);
		if (two) {
			pw_counts_fold(two, CHUNK, 1);
			memcpy(one + CHUNK / 2, two, CHUNK / 2 * sizeof(*two));
		}
		free(two);
		b->chunks[i] = one;
	}
}

uint32_t bins_used(const struct pw_sched *s)
{
	if (!s->axis.is_started || s->last_ns <= s->axis.start_ns)
		return 0;
	return pw_axis_bin(&s->axis, s->last_ns - 1) + 1;
}

/* --- heat --------------------------------------------------------------------------- */

static void heat_fold(struct heat *h)
{
	for (uint32_t r = 0; r < h->n; r++) {
		uint32_t *row = h->cells + r * HEAT_COLUMNS;

		for (uint32_t k = 0; k < HEAT_COLUMNS / 2; k++)
			row[k] = row[2 * k] + row[2 * k + 1];
		memset(row + HEAT_COLUMNS / 2, 0,
		       HEAT_COLUMNS / 2 * sizeof(*row));
	}
}

static uint64_t heat_size(const struct heat *h)
{
	return (uint64_t)h->n * HEAT_COLUMNS * sizeof(*h->cells);
}

static void heat_grow(struct pw_sched *s, struct heat *h, uint32_t row)
{
	uint32_t first = h->n && h->first < row ? h->first : row;
	uint32_t end =
		h->n && h->first + h->n > row + 1u ? h->first + h->n : row + 1u;
	const size_t row_bytes = HEAT_COLUMNS * sizeof(*h->cells);
	uint32_t *cells = pw_zalloc((end - first) * row_bytes);

	if (h->n)
		memcpy(cells + (h->first - first) * HEAT_COLUMNS, h->cells,
		       heat_size(h));
	s->heat_bytes -= heat_size(h);
	free(h->cells);
	h->cells = cells;
	h->first = (uint8_t)first;
	h->n = (uint8_t)(end - first);
	s->heat_bytes += heat_size(h);
}

void heats_release(struct pw_sched *s, struct heat *h)
{
	for (int i = 0; i < N_HEATS; i++) {
		s->heat_bytes -= heat_size(&h[i]);
		free(h[i].cells);
		h[i] = (struct heat){ 0 };
	}
}

static int fewer(const void *a, const void *b)
{
	const struct task *x = *(struct task *const *)a;
	const struct task *y = *(struct task *const *)b;

	if (x->pub.n_in != y->pub.n_in)
		return x->pub.n_in < y->pub.n_in ? -1 : 1;
	return x->idx < y->idx ? -1 : x->idx > y->idx;
}

/* Tasks with the fewest switches give theirs up, until half is free. */
static void heats_prune(struct pw_sched *s)
{
	struct task **by = pw_alloc(s->n_tasks * sizeof(struct task *));

	memcpy(by, s->tasks, s->n_tasks * sizeof(struct task *));
	qsort(by, s->n_tasks, sizeof(struct task *), fewer);
	for (uint32_t i = 0; i < s->n_tasks && s->heat_bytes > HEAT_BYTES / 2;
	     i++) {
		if (by[i]->is_stale_heat)
			continue;
		heats_release(s, by[i]->heat);
		by[i]->is_stale_heat = true;
		s->n_stale_heats++;
	}
	free(by);
}

static inline void heat_count(struct pw_sched *s, struct heat *h, uint32_t row,
			      uint32_t column, uint32_t n)
{
	if (row - h->first >= h->n)
		heat_grow(s, h, row);
	h->cells[(row - h->first) * HEAT_COLUMNS + column] += n;
}

void heat_add(struct pw_sched *s, struct task *t, enum heat_kind kind,
	      uint64_t at_ns, uint64_t length_ns)
{
	heat_add_n(s, t, kind, at_ns, length_ns, 1);
}

void heat_add_n(struct pw_sched *s, struct task *t, enum heat_kind kind,
		uint64_t at_ns, uint64_t length_ns, uint32_t n)
{
	uint32_t row = pw_bucket_of(length_ns) / PW_BUCKET_SUB;
	uint32_t column;

	if (at_ns < s->axis.start_ns)
		return;
	column = pw_axis_bin(&s->axis, at_ns) >> HEAT_SHIFT;
	heat_count(s, &s->all_heat[kind], row, column, n);
	if (t->is_stale_heat)
		return;
	heat_count(s, &t->heat[kind], row, column, n);
	if (s->heat_bytes > HEAT_BYTES)
		heats_prune(s);
}

/* --- wider ---------------------------------------------------------------------------- */

static void fold_all(struct pw_sched *s)
{
	for (uint32_t i = 0; i < s->n_tasks; i++) {
		struct task *t = s->tasks[i];

		for (uint32_t k = 0; k < t->n_cores; k++)
			bins_fold(&t->cores[k].bins);
		for (int k = 0; k < N_HEATS; k++)
			heat_fold(&t->heat[k]);
	}
	for (uint32_t i = 0; i < s->n_cpus; i++)
		bins_fold(&s->cpus[s->cpu_list[i]]->busy);
	for (int k = 0; k < N_SUMS; k++)
		bins_fold(&s->sums[k]);
	for (int k = 0; k < N_HEATS; k++)
		heat_fold(&s->all_heat[k]);
}

void bins_widen(struct pw_sched *s, uint64_t time_ns)
{
	if (!s->axis.is_started) {
		s->from_ns += time_ns;
		if (s->to_ns <= UINT64_MAX - time_ns)
			s->to_ns += time_ns;
	}
	for (unsigned int times = pw_axis_reach(&s->axis, time_ns); times;
	     times--)
		fold_all(s);
}
