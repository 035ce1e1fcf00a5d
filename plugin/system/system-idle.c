// SPDX-License-Identifier: GPL-2.0-only
/*
 * A machine that idles has little to tell of its processes, and reading them
 * all is what costs most there. One that begins to work is noticed at the next
 * tick, by the times of its CPUs.
 */
#include "system-record.h"

/* Less than so much of one CPU is idling. */
#define BUSY_PART 10
/* Readings that may be left out, one after the other. */
#define LEFT_OUT 2

uint64_t cpus_busy_ns(const struct pw_system *s)
{
	const struct pw_series_table *def = table_def(TABLE_CPU);
	const struct roster *cpus = &s->rosters[TABLE_CPU];
	uint64_t ticks = 0;

	if (!s->sources[PW_SYSTEM_STAT].is_read || !cpus->n)
		return 0;
	/* the first row is that of all of them */
	for (uint32_t i = 0; i < def->n; i++)
		if (pw_system_is_work(def->columns[i].name))
			ticks += cpus->values[i];
	return ticks * 10000000;
}

/* Tasks that wait for a disk; of them more than of the CPUs is seen there. */
static bool has_blocked(const struct pw_system *s)
{
	const struct roster *kernel = &s->rosters[TABLE_KERNEL];
	uint32_t blocked = pw_series_column(table_def(TABLE_KERNEL), "blocked");

	return kernel->n && kernel->values[blocked];
}

bool may_wait(const struct pw_system *s, const struct clocked *c,
	      uint64_t tick_ns)
{
	uint64_t busy_ns = cpus_busy_ns(s);

	return c->busy_ns && busy_ns >= c->busy_ns && !has_blocked(s) &&
	       tick_ns < c->due_ns + LEFT_OUT * c->every_ns &&
	       busy_ns - c->busy_ns < (tick_ns - c->read_ns) / BUSY_PART;
}
