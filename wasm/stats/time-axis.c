// SPDX-License-Identifier: GPL-2.0-only
/* Bins of time that double in width when time outgrows them. */
#include <perfwasm/stats.h>

#include <string.h>

unsigned int pw_axis_reach(struct pw_axis *a, uint64_t time_ns)
{
	unsigned int times = 0;

	if (!a->is_started) {
		a->is_started = true;
		a->start_ns = time_ns;
	}
	while (time_ns > a->start_ns &&
	       (time_ns - a->start_ns) >> a->shift >= a->n_max) {
		a->shift++;
		times++;
	}
	return times;
}

void pw_bins_fold(double *bins, uint32_t n, unsigned int times)
{
	for (; times; times--) {
		for (uint32_t i = 0; i < n / 2; i++)
			bins[i] = bins[2 * i] + bins[2 * i + 1];
		memset(bins + n / 2, 0, (n - n / 2) * sizeof(*bins));
	}
}

void pw_counts_fold(uint64_t *bins, uint32_t n, unsigned int times)
{
	for (; times; times--) {
		for (uint32_t i = 0; i < n / 2; i++)
			bins[i] = bins[2 * i] + bins[2 * i + 1];
		memset(bins + n / 2, 0, (n - n / 2) * sizeof(*bins));
	}
}

void pw_bins_spread(double *bins, const struct pw_axis *a, uint64_t from_ns,
		    uint64_t to_ns, double rate)
{
	uint32_t bin, last;

	if (from_ns >= to_ns)
		return;
	last = pw_axis_bin(a, to_ns - 1);
	for (bin = pw_axis_bin(a, from_ns); bin < last; bin++) {
		uint64_t end = pw_axis_end_ns(a, bin);

		bins[bin] += rate * (double)(end - from_ns);
		from_ns = end;
	}
	bins[last] += rate * (double)(to_ns - from_ns);
}
