// SPDX-License-Identifier: GPL-2.0-only
/*
 * The records beside the samples: what was mapped where, names of tasks,
 * switches, what was lost. perf keeps them from a dlfilter, so they are read
 * from the capture a second time, which passes over the samples, and each is
 * given to the profile before the first sample that is not earlier.
 */
#include "dlfilter.h"

#include <fnmatch.h>
#include <string.h>

#include <linux/perf_event.h>

static void advance(struct dl_filter *f)
{
	struct pw_err err = { 0 };
	int ret = pw_capture_next(f->records, &f->record, &err);

	f->has_record = ret > 0;
	f->has_ended = !f->has_record;
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

static bool is_jitdump(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !fnmatch("jit-*.dump", slash ? slash + 1 : path, 0);
}

/* A pipe that was kept in a file tells its facts before the first record of a
 * task. */
static void tell_facts(struct dl_filter *f)
{
	if (!f->has_facts)
		pw_space_facts(f->space, pw_capture_facts(f->records));
	f->has_facts = true;
}

/* What is looked up by what the record changes came before it. */
static void give(struct dl_filter *f, const struct pw_event *ev)
{
	if (ev->type < 64)
		tell_facts(f);
	switch (ev->type) {
	case PW_REC_MMAP:
	case PW_REC_MMAP2:
		f->is_timed |= is_jitdump(ev->mmap.filename);
		if ((ev->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
		    PERF_RECORD_MISC_USER)
			dl_batch_give_task(f->batch, ev->mmap.pid, ev->mmap.tid,
					   f->profile);
		else
			dl_batch_give(f->batch, f->profile);
		break;
	case PW_REC_COMM:
		dl_batch_give_task(f->batch, ev->comm.pid, ev->comm.tid,
				   f->profile);
		break;
	case PW_REC_FORK:
		dl_batch_give_task(f->batch, ev->task.pid, ev->task.tid,
				   f->profile);
		break;
	case PW_REC_EXIT:
		dl_batch_end_task(f->batch, ev->task.pid, ev->task.tid,
				  f->profile);
		break;
	case PW_REC_KSYMBOL:
		dl_batch_give(f->batch, f->profile);
		break;
	case PW_REC_FINISHED_ROUND:
		dl_mapped_done(f, ev->off);
		break;
	}
	pw_profile_event(f->profile, f->records, ev);
}

void dl_records_rest(struct dl_filter *f)
{
	/* perf's memory is not known to be there any more */
	pw_capture_lend(f->records, NULL, 0);
	f->mapped = NULL;
	dl_records_until(f, UINT64_MAX);
}

void dl_records_until(struct dl_filter *f, uint64_t time_ns)
{
	while (!f->has_ended) {
		if (!f->has_record) {
			f->quiet_ns = pw_capture_past_ns(f->records);
			if (time_ns <= f->quiet_ns && f->has_facts)
				return;
			advance(f);
			continue;
		}
		if (f->record.time_ns > time_ns &&
		    f->record.time_ns != PW_NO_TIME)
			break;
		give(f, &f->record);
		f->has_record = false;
	}
	f->quiet_ns = f->has_ended        ? UINT64_MAX
		      : f->record.time_ns ? f->record.time_ns - 1
					  : 0;
	tell_facts(f);
}
