/* SPDX-License-Identifier: GPL-2.0-only */
/* What the report's files share: which tasks are shown, and in which order. */
#ifndef PLUGIN_SCHED_SCHED_REPORT_H
#define PLUGIN_SCHED_SCHED_REPORT_H

#include "sched-impl.h"

#define DRAWN_TASKS 40u /* of a chart with a row for each */
#define ROWS_MOST   2000u

struct sched_view {
	struct pw_sched *s;
	struct pw_report *r;
	uint32_t max_rows; /* of a table */
	/* tasks that the options want and that did something, those with the
	 * most time on a CPU first, without idle */
	struct task **tasks;
	uint32_t n_tasks;
	uint64_t span_ns;                        /* never 0 */
	uint32_t n_bins, bins_a_block, n_blocks; /* n_blocks 0: too short */
};

static inline double of_span(const struct sched_view *v, uint64_t ns)
{
	return (double)ns / (double)v->span_ns;
}
static inline uint32_t rows_of(const struct sched_view *v, uint32_t n)
{
	return v->max_rows && n > v->max_rows ? v->max_rows : n;
}
static inline int number_column(struct pw_node *t, const char *key,
				const char *title, enum pw_unit unit)
{
	return pw_column(t, key, title, unit, PW_COL_RIGHT);
}
/* A name that tells tasks of one name apart: "node:1234"; the caller frees. */
char *task_label(const struct sched_view *v, const struct task *t);
/* Time since the first event, for axes. */
static inline int64_t axis_ns(const struct pw_sched *s, uint32_t bin)
{
	return (int64_t)((uint64_t)bin << s->axis.shift);
}
uint64_t task_bin(const struct task *t, uint32_t bin);

/* Each adds its section, or nothing. */
void show_overview(const struct sched_view *v);
void show_tasks(const struct sched_view *v);
void show_latencies(const struct sched_view *v);
void show_core_map(const struct sched_view *v);
void show_locality(const struct sched_view *v);
void show_heat(const struct sched_view *v);
void show_time_line(const struct sched_view *v);
void show_pairs(const struct sched_view *v);
void show_kvm(const struct sched_view *v);
/* After the overview's facts: what the kernel's figures lack. */
void note_kernel(const struct sched_view *v, struct pw_node *n);
void show_kernel(const struct sched_view *v);
void show_machine(const struct sched_view *v);
void show_left(const struct sched_view *v, struct pw_profile *p);

#endif
