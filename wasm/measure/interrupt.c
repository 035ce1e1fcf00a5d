// SPDX-License-Identifier: GPL-2.0-only
/*
 * One flag of the process that ends every run in progress. The one writable
 * variable of the library: a signal handler has nothing else to hold on to.
 * Those who wait look at it every WAIT_SLICE_MS, so no descriptor is needed.
 */
#include <perfwasm/measure.h>

#include <stdatomic.h>

static atomic_bool interrupted;

void pw_measure_interrupt(void)
{
	atomic_store_explicit(&interrupted, true, memory_order_relaxed);
}

bool pw_measure_interrupted(void)
{
	return atomic_load_explicit(&interrupted, memory_order_relaxed);
}
