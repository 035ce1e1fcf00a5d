/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * time-bins: what was on the CPU and off it over the capture's time, in a
 * fixed number of bins that grow wider as the capture grows longer.
 */
#ifndef PLUGIN_PROFILE_TIME_BINS_H
#define PLUGIN_PROFILE_TIME_BINS_H

#include <perfwasm/profile.h>
#include <perfwasm/stats.h>

#define TIME_BINS  256u
#define BINS_TASKS 256u /* of each of those that come first */

/* Samples by kind of place. */
struct kind_bins {
	uint64_t kinds[PW_N_PLACE_KINDS][TIME_BINS];
};

struct time_bins {
	struct pw_axis axis; /* n_max 0: nothing came yet */
	uint32_t n;          /* used */
	struct kind_bins all;
	uint64_t off_ns[PW_N_OFF_REASONS][TIME_BINS];
	struct kind_bins **tasks; /* by number of task; NULL: none */
	uint32_t n_tasks, n_kept;
};

static inline uint64_t bins_width_ns(const struct time_bins *b)
{
	return 1ull << b->axis.shift;
}
void bins_sample(struct time_bins *b, uint32_t task, enum pw_place_kind kind,
		 uint64_t time_ns, uint64_t n);
/* from < to */
void bins_off(struct time_bins *b, enum pw_off_reason reason, uint64_t from_ns,
	      uint64_t to_ns);
void bins_free(struct time_bins *b);

#endif
