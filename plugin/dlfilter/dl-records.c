// SPDX-License-Identifier: GPL-2.0-only
/*
 * The records beside the samples: what was mapped where, names of tasks,
 * switches, what was lost. perf keeps them from a dlfilter, so they are read
 * from the capture a second time, which passes over the samples, and each is
 * given to the profile before the first sample that is not earlier.
 */
#include "dlfilter.h"

static void advance(struct dl_filter *f)
{
	struct pw_err err = { 0 };
	int ret = pw_capture_next(f->records, &f->record, &err);

	f->has_record = ret > 0;
	if (ret < 0)
		dl_note(f, "records after these were not read: %s", err.msg);
}

void dl_records_open(struct dl_filter *f)
{
	struct pw_capture_opts opts = { .no_samples = true };
	struct pw_err err = { 0 };

	f->records = pw_capture_open(f->path, &opts, &err);
	if (f->records)
		advance(f);
}

void dl_records_until(struct dl_filter *f, uint64_t time_ns)
{
	while (f->has_record && (f->record.time_ns <= time_ns ||
				 f->record.time_ns == PW_NO_TIME)) {
		pw_profile_event(f->profile, f->records, &f->record);
		advance(f);
	}
}
