// SPDX-License-Identifier: GPL-2.0-only
/*
 * What was recorded, and what is wrong or missing in it: everything that the
 * figures of the tables depend on.
 */
#include <inttypes.h>

#include "report-impl.h"

static void fact(struct pw_node *n, const char *key, const char *label,
		 const char *value)
{
	if (!value)
		return;
	pw_fact_str(n, key, label, value);
	pw_fact_compared(n, PW_AMOUNT_NONE, PW_BETTER_NEITHER);
}

void report_capture(struct pw_profile *p, struct pw_node *parent)
{
	const struct facts *f = &p->facts;
	const struct pw_capture_counts *c = &p->counts;
	struct pw_node *n;

	if (!p->has_capture)
		return;
	n = pw_section(parent, "capture", "Capture");
	fact(n, "command", "Recorded by", f->command);
	fact(n, "hostname", "Machine", f->hostname);
	fact(n, "osrelease", "Kernel", f->osrelease);
	fact(n, "arch", "Architecture", f->arch);
	fact(n, "cpu", "CPU", f->cpudesc);
	fact(n, "perf_version", "perf", f->version);
	if (c->first_ns == PW_NO_TIME || c->last_ns < c->first_ns)
		return;
	pw_fact_int(n, "duration", "From first to last sample",
		    (int64_t)(c->last_ns - c->first_ns), PW_UNIT_NS);
	pw_fact_compared(n, PW_AMOUNT_LEVEL, PW_BETTER_NEITHER);
}

/* --- quality --------------------------------------------------------------------------- */

struct quality {
	struct pw_node *parent, *section, *table;
	int column;
};

static struct pw_node *section(struct quality *q)
{
	if (!q->section)
		q->section = pw_section(q->parent, "quality",
					"What these figures lack");
	return q->section;
}

static void count(struct quality *q, const char *key, const char *label,
		  uint64_t n)
{
	if (n)
		pw_fact_int(section(q), key, label, (int64_t)n, PW_UNIT_COUNT);
}

static void say(struct quality *q, const char *text)
{
	if (!text)
		return;
	if (!q->table) {
		q->table = pw_table(section(q), "remarks", NULL);
		q->column = pw_column(q->table, "remark", "Remark",
				      PW_UNIT_NONE, 0);
	}
	pw_row(q->table);
	pw_cell_str(q->table, q->column, text);
}

static void of_capture(struct quality *q, const struct pw_profile *p)
{
	const struct pw_capture_counts *c = &p->counts;

	count(q, "lost_events", "Events lost, by LOST records", c->lost);
	count(q, "lost_samples",
	      "Samples lost, by LOST_SAMPLES records (may be the same)",
	      c->lost_samples);
	count(q, "lost_chunks", "Times when events were lost",
	      c->n_lost_chunks);
	count(q, "malformed", "Records that do not fit their size",
	      c->malformed);
	count(q, "unknown_ids", "Records of an unknown event", c->unknown_ids);
	count(q, "out_of_order", "Records out of the order of time",
	      c->out_of_order);
	count(q, "tail_bytes", "Bytes at the end that are no whole record",
	      c->tail_bytes);
	count(q, "aux_bytes", "Bytes of AUX data passed over", c->aux_bytes);
	if (p->facts.is_killed)
		say(q,
		    "the recorder did not finish: the capture may end early and lacks what is written last");
	if (p->facts.is_cut)
		say(q, "the file ends before its data do");
}

static void of_profile(struct quality *q, const struct pw_profile *p)
{
	count(q, "cut_frames",
	      "Frames of call chains that were left out (too many)",
	      p->cut_frames);
	count(q, "cut_instructions",
	      "Samples of no instruction's own (too many)", p->cut_hits);
	if (p->n_tasks == TASKS_MAX)
		say(q,
		    "there are more tasks than can be told apart: later ones are \"(others)\"");
	say(q, p->field_remark);
	if (p->is_other_clock && pw_space_has_jitdump(p->space))
		say(q,
		    "times are not on the monotonic clock (perf record -k mono): which generated code was where when is uncertain");
}

/* A machine that runs tests makes hundreds of the same kind. */
#define REMARKS_IN_TEXT 8u

void report_quality(struct pw_profile *p,
		    const struct pw_profile_report_opts *o,
		    struct pw_node *parent)
{
	struct quality q = { .parent = parent };
	uint32_t i;

	if (p->has_capture)
		of_capture(&q, p);
	of_profile(&q, p);
	for (i = 0; i < pw_space_n_remarks(p->space); i++)
		say(&q, pw_space_remark(p->space, i));
	if (q.table && o->max_rows)
		pw_table_text_rows(q.table, REMARKS_IN_TEXT);
}
