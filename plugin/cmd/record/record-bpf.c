// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scheduler's figures beside perf record: kept by a program in the kernel,
 * read out once an interval into the capture. Where that is not allowed, perf
 * records the events instead.
 */
#include "record.h"
#include "../capture-files.h"

#include <perfwasm/bpf.h>

#include <stdlib.h>
#include <string.h>

struct record_bpf {
	struct pw_bpf *kernel;
	struct pw_series_out *series;
	uint64_t next_ns;
	bool has_failed;
	bool cannot_turn; /* it was told */
};

void record_bpf_open(struct record *r)
{
	const struct pw_bpf_opts opts = {
		.is_filtered = !r->all_cpus,
		.has_stacks = r->graph || r->call_graph,
	};
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_bpf *kernel = pw_bpf_open(&opts, &err);

	if (!kernel) {
		r->sched = !r->system || !r->no_samples;
		record_note(
			r, "%s; %s", err.msg,
			r->sched ? "perf records the scheduler's events instead"
				 : "the scheduler's figures are left out");
		return;
	}
	r->bpf = pw_zalloc(sizeof(*r->bpf));
	r->bpf->kernel = kernel;
}

/* One that fails is told; what was written before can be read. */
static void read_out(struct record *r, bool is_last)
{
	struct pw_err err = { .off = PW_NO_OFF };
	struct record_bpf *b = r->bpf;

	if (b->has_failed || !b->series ||
	    !pw_bpf_read(b->kernel, b->series, is_last, &err))
		return;
	b->has_failed = true;
	record_note(r, "the scheduler's figures end early: %s", err.msg);
}

int record_bpf_start(struct record *r, struct pw_err *err)
{
	struct record_bpf *b = r->bpf;
	const struct pw_series_table *tables;
	uint32_t n;
	char *path;
	int ret = 0;

	if (!b)
		return 0;
	if (r->pid && !r->all_cpus)
		ret = pw_bpf_add_process(b->kernel,
					 (uint32_t)strtoul(r->pid, NULL, 10),
					 err);
	else if (!r->all_cpus)
		ret = pw_bpf_add_children(b->kernel, r->no_samples ? 0 : 1,
					  err);
	if (ret)
		return ret;
	tables = pw_bpf_tables(&n);
	path = r->ring ? record_ring_sched(r)
		       : pw_asprintf("%s/%s", r->abs_dir, CAPTURE_SCHED);
	b->series = pw_series_create(path, tables, n, err);
	free(path);
	if (!b->series)
		return -EIO;
	record_fact(r, "series", CAPTURE_SCHED);
	b->next_ns = pw_now_ns() + r->interval_ns;
	read_out(r, false); /* tells when it began */
	return 0;
}

int record_bpf_tick(struct record *r)
{
	uint64_t now = pw_now_ns();

	if (!r->bpf)
		return -1;
	if (now >= r->bpf->next_ns) {
		read_out(r, false);
		/* one that was missed is not made up for */
		r->bpf->next_ns += r->interval_ns;
		if (r->bpf->next_ns <= now)
			r->bpf->next_ns = now + r->interval_ns;
		now = pw_now_ns();
	}
	if (now >= r->bpf->next_ns)
		return 0;
	return (int)((r->bpf->next_ns - now + 999999) / 1000000);
}

void record_bpf_read(struct record *r)
{
	if (r->bpf)
		read_out(r, false);
}

bool record_bpf_turn(struct record *r, const char *path)
{
	struct pw_err err = { .off = PW_NO_OFF };
	struct record_bpf *b = r->bpf;

	if (pw_bpf_rotate(b->kernel, b->series, path, &err)) {
		if (!b->cannot_turn)
			record_note(
				r,
				"%s: the ring grows until a new piece of it can be made",
				err.msg);
		b->cannot_turn = true;
		return false;
	}
	b->cannot_turn = false;
	read_out(r, false); /* all there is */
	return true;
}

void record_bpf_stop(struct record *r)
{
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_bpf_cost cost;

	if (!r->bpf)
		return;
	read_out(r, true);
	pw_bpf_cost(r->bpf->kernel, &cost);
	if (cost.missed)
		record_note(
			r,
			"%llu events of the scheduler came while another was counted, and were missed",
			(unsigned long long)cost.missed);
	if (pw_series_finish(r->bpf->series, &err))
		record_note(r, "the scheduler's figures end early: %s",
			    err.msg);
	pw_bpf_close(r->bpf->kernel);
	free(r->bpf);
	r->bpf = NULL;
}
