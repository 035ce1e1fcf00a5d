// SPDX-License-Identifier: GPL-2.0-only
/* Counters of the PMU as one more source of the system's recorder. */
#include "recorder-impl.h"

#include <errno.h>
#include <string.h>

#define SOURCE "pmu"

static int read_counts(void *ctx, struct pw_series_out *out, uint32_t first,
		       struct pw_err *err)
{
	if (pw_pmu_read(ctx, out, first))
		return 0;
	return pw_err_set(err, EIO, "some counters could not be read");
}

static void again(void *ctx, struct pw_series_out *out, uint32_t first)
{
	(void)out;
	(void)first;
	pw_pmu_again(ctx);
}

static bool is_among(char *const *names)
{
	for (; *names; names++)
		if (!strcmp(*names, SOURCE))
			return true;
	return false;
}

int recorder_pmu_open(struct recorder *r, struct pw_err *err)
{
	const struct recorder_opts *o = &r->o;
	const struct pw_pmu_opts opts = { .config = o->pmu_config };

	/* its descriptors are not for nothing */
	if ((o->sources && !is_among(o->sources)) ||
	    (o->skip && is_among(o->skip)))
		return 0;
	r->pmu = pw_pmu_open(&opts, err);
	if (!r->pmu)
		return -EINVAL;
	r->counters = (struct pw_system_extra){
		.name = SOURCE,
		.read = read_counts,
		.again = again,
		.ctx = r->pmu,
	};
	r->counters.tables = pw_pmu_tables(r->pmu, &r->counters.n);
	recorder_note(r, "%s", pw_pmu_state(r->pmu));
	return 0;
}
