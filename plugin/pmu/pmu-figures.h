/* SPDX-License-Identifier: GPL-2.0-only */
/* A series' counts on their way to figures. */
#ifndef PMU_FIGURES_H
#define PMU_FIGURES_H

#include <perfwasm/metrics.h>
#include <perfwasm/stats.h>

#include "pmu-impl.h"

/* A group's counts on a CPU. */
struct counts {
	uint32_t cpu;
	bool is_new, is_known;   /* told in this readout; growth is known */
	double enabled, running; /* growth in this readout, ns */
	double *growth;          /* a value a column; scaled to enabled */
	uint64_t *last;
};

struct count_table {
	char *name;
	bool is_software;
	uint32_t first, n; /* columns of events */
	char **columns;
	struct counts *rows;
	uint32_t n_rows, next;   /* next: whose row probably comes */
	double enabled, running; /* of the whole capture */
	uint32_t share;          /* series of its counted share */
};

/* Where a name of a formula comes from. */
struct input {
	uint32_t table, column; /* table UINT32_MAX: constant */
	enum { SECONDS, TIME, WIDTH, THREADS } constant;
};

struct shown {
	char *name, *unit, *formula, *about, *better;
	struct pw_formula *f; /* NULL: not looked at, or no formula */
	struct input *inputs;
	uint32_t main; /* the table whose rows it has */
	double *whole; /* growth of each input over the capture */
	double whole_time;
	uint32_t *ids;       /* series by CPU, UINT32_MAX: none */
	uint32_t n_ids, all; /* of all CPUs */
	bool is_compiled;
};

struct pw_pmu_reader {
	struct pw_metrics *m;
	struct count_table *tables; /* by index of the series */
	uint32_t n_tables, n_seen;
	struct shown *shown;
	uint32_t n_shown;
	double width, threads;
	uint64_t last_ns;
};

/* --- pmu-counts.c ------------------------------------------------------------------------ */

/* NULL: none of these. */
struct count_table *counts_table(struct pw_pmu_reader *r,
				 const struct pw_series *s, uint32_t table);
void counts_row(struct count_table *t, const struct pw_series_item *item);
/* Whether there was such a row. */
bool counts_drop(struct count_table *t, uint32_t cpu);
const struct counts *counts_find(const struct count_table *t, uint32_t cpu);
/* A readout is over. */
void counts_settle(struct count_table *t);
void counts_release(struct count_table *t);

/* --- pmu-figures.c ------------------------------------------------------------------------ */

struct shown *shown_find(struct pw_pmu_reader *r, const char *name);
/* Of every CPU and of all. time: since the last readout, s. */
void shown_tell(struct pw_pmu_reader *r, struct shown *f, double time);
void shown_gone(struct pw_pmu_reader *r, struct shown *f, uint32_t cpu);
/* "1.34, counted 17 % of the time (group 1)" and the formula, as facts. */
void shown_sum_up(struct pw_pmu_reader *r, struct shown *f);
void shown_release(struct shown *f);

#endif
