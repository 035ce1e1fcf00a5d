// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts samples and time off the CPU in bins of time: see time-bins.h. Knows
 * nothing of events; its memory does not grow with the capture.
 */
#include "time-bins.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SHIFT 20 /* a millisecond */

static void fold_kinds(struct kind_bins *b, unsigned int times)
{
	for (uint32_t k = 0; k < PW_N_PLACE_KINDS; k++)
		pw_counts_fold(b->kinds[k], TIME_BINS, times);
}

static void widen(struct time_bins *b, unsigned int times)
{
	uint32_t i;

	fold_kinds(&b->all, times);
	for (i = 0; i < PW_N_OFF_REASONS; i++)
		pw_counts_fold(b->off_ns[i], TIME_BINS, times);
	for (i = 0; i < b->n_tasks; i++)
		if (b->tasks[i])
			fold_kinds(b->tasks[i], times);
	for (; times; times--)
		b->n = (b->n + 1) / 2;
}

/* The bin of a time; what is before the first is in the first. */
static uint32_t bin_of(struct time_bins *b, uint64_t time_ns)
{
	unsigned int times;
	uint32_t bin;

	if (!b->axis.n_max)
		b->axis = (struct pw_axis){ .n_max = TIME_BINS,
					    .shift = FIRST_SHIFT };
	times = pw_axis_reach(&b->axis, time_ns);
	if (times)
		widen(b, times);
	bin = pw_axis_bin(&b->axis, time_ns);
	if (bin >= b->n)
		b->n = bin + 1;
	return bin;
}

static struct kind_bins *of_task(struct time_bins *b, uint32_t task)
{
	uint32_t n = b->n_tasks ? b->n_tasks : 16;

	while (n <= task)
		n *= 2;
	if (n != b->n_tasks) {
		b->tasks = pw_realloc(b->tasks, n * sizeof(struct kind_bins *));
		memset(b->tasks + b->n_tasks, 0,
		       (n - b->n_tasks) * sizeof(struct kind_bins *));
		b->n_tasks = n;
	}
	if (!b->tasks[task] && b->n_kept < BINS_TASKS) {
		b->tasks[task] = pw_zalloc(sizeof(struct kind_bins));
		b->n_kept++;
	}
	return b->tasks[task];
}

void bins_sample(struct time_bins *b, uint32_t task, enum pw_place_kind kind,
		 uint64_t time_ns, uint64_t n)
{
	struct kind_bins *of = of_task(b, task);
	uint32_t bin = bin_of(b, time_ns);

	b->all.kinds[kind][bin] += n;
	if (of)
		of->kinds[kind][bin] += n;
}

void bins_off(struct time_bins *b, enum pw_off_reason reason, uint64_t from_ns,
	      uint64_t to_ns)
{
	uint32_t first, last, i;

	/* before the first sample: not on this axis */
	if (!b->axis.n_max || to_ns <= b->axis.start_ns)
		return;
	if (from_ns < b->axis.start_ns)
		from_ns = b->axis.start_ns;
	last = bin_of(b, to_ns - 1); /* first: it may widen */
	first = bin_of(b, from_ns);
	for (i = first; i <= last; i++) {
		uint64_t end = pw_axis_end_ns(&b->axis, i);
		uint64_t begin = end - bins_width_ns(b);

		b->off_ns[reason][i] += (to_ns < end ? to_ns : end) -
					(from_ns > begin ? from_ns : begin);
	}
}

void bins_free(struct time_bins *b)
{
	uint32_t i;

	if (!b)
		return;
	for (i = 0; i < b->n_tasks; i++)
		free(b->tasks[i]);
	free(b->tasks);
	free(b);
}
