// SPDX-License-Identifier: GPL-2.0-only
/* Counters of the PMU as one more source of the system's recorder. */
#include "recorder-impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE "pmu"

/* Software events alone are read no more often. */
#define SOFTWARE_NS 1000000000ULL

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

/* Its place in the list, or NULL. */
static char **find(char **names)
{
	for (; names && *names; names++)
		if (!strcmp(*names, SOURCE))
			return names;
	return NULL;
}

/* Out of the list: the system knows no source that it was not given. */
static void drop(char **name)
{
	free(*name);
	do
		name[0] = name[1];
	while (*name++);
}

int recorder_pmu_open(struct recorder *r, struct pw_err *err)
{
	const struct recorder_opts *o = &r->o;
	const struct pw_pmu_opts opts = { .config = o->pmu_config };
	bool is_skipped = false;
	char **skip;

	if (o->sources && !find(o->sources))
		return 0;
	for (skip = find(o->skip); skip; skip = find(o->skip)) {
		drop(skip);
		is_skipped = true;
	}
	if (is_skipped)
		return 0;
	r->pmu = pw_pmu_open(&opts, err);
	if (!r->pmu)
		return -EINVAL;
	r->counters = (struct pw_system_extra){
		.name = SOURCE,
		.read = read_counts,
		.again = again,
		.ctx = r->pmu,
		.every_ns = pw_pmu_has_counters(r->pmu) ? 0 : SOFTWARE_NS,
	};
	r->counters.tables = pw_pmu_tables(r->pmu, &r->counters.n);
	recorder_note(r, "%s", pw_pmu_state(r->pmu));
	return 0;
}
