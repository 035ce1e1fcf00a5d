/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the report share: rows with a text for each column and
 * counts for each event, to be summed up, sorted and shown.
 */
#ifndef PLUGIN_PROFILE_REPORT_IMPL_H
#define PLUGIN_PROFILE_REPORT_IMPL_H

#include "profile-impl.h"

#define ROW_TEXTS 6

struct row {
	const char *texts[ROW_TEXTS];  /* NULL: nothing */
	struct pw_count *self, *total; /* [n_events] */
	double *blocks; /* of the main event's self; NULL: not known */
};

/* Rows by their texts; each text is borrowed. */
struct rows {
	const struct pw_profile *p;
	struct row *rows;
	uint32_t n, n_texts;
	struct index index;
	struct pw_count *counts;
};

void rows_init(struct rows *r, const struct pw_profile *p, uint32_t n_texts);
void rows_release(struct rows *r);
/* The row of these texts; valid until the next call. */
struct row *rows_get(struct rows *r, const char *const *texts);
/* The row's share of each block of time, to add to; NULL: there are none. */
double *row_blocks(const struct rows *r, struct row *row);
/* Hottest first, by period of event; by total when `children`. */
void rows_sort(struct rows *r, uint32_t event, bool children);

struct column {
	const char *key, *title;
	unsigned flags;
};
/* Adds a table: share and samples of the main event, the texts, the counts of
 * other events. `whole`: the period that is 100 %. */
void rows_show(const struct rows *r, const struct column *columns,
	       const struct pw_profile_report_opts *o, uint64_t whole,
	       struct pw_node *parent, const char *key, const char *title);

/* A column of sums of an event, as compare is to read it: which unit, and what
 * it is called. */
enum pw_unit period_unit(const struct pw_profile *p, uint32_t event);
const char *period_title(const struct pw_profile *p, uint32_t event);

/* source-lines.c: table source_lines. */
void report_lines(struct pw_profile *p, const struct pw_profile_report_opts *o,
		  struct pw_node *parent);
/* report-opcodes.c: tables wasm_opcodes and machine_opcodes. */
void report_opcodes(struct pw_profile *p,
		    const struct pw_profile_report_opts *o,
		    struct pw_node *parent);
/* report-hot-wasm.c: table hot_wasm. */
void report_hot_wasm(struct pw_profile *p, struct pw_node *parent);
/* report-off-cpu.c: tables off_cpu, waits and wakers. */
void report_off_cpu(struct pw_profile *p,
		    const struct pw_profile_report_opts *o,
		    struct pw_node *parent);
/* report-flame.c: table flame, which is only drawn. */
void page_flame(struct pw_profile *p, struct pw_node *parent);
/* report-time-line.c: tables time_line, task_line and off_line, which are
 * only drawn. */
void page_time_line(struct pw_profile *p, struct pw_node *parent);
/* report-page.c: what only the page has, and in which tab what stands. */
void page_parts(struct pw_profile *p, struct pw_report *r);
/* report-quality.c: sections capture and quality. */
void report_capture(struct pw_profile *p, struct pw_node *parent);
void report_quality(struct pw_profile *p,
		    const struct pw_profile_report_opts *o,
		    struct pw_node *parent);

#endif
