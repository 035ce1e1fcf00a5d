/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics: figures of a machine over time, as they were read out of /proc,
 * /sys and counters: which there are, in which unit, what is better, how much
 * matters; and of a capture each one's rate or level over time, in memory that
 * does not grow with the capture. Knows nothing of files: plugin/system reads
 * them, plugin/aperf reads others' archives.
 *
 * A figure is told by three names: family, metric and an instance,
 *   cpu         user     cpu3        a column of a row
 *   vmstat      pgfault  ""          of the whole machine
 *   interrupts  LOC      cpu0
 *   process     run      "1234 node" pid and name
 */
#ifndef PERFWASM_METRICS_H
#define PERFWASM_METRICS_H

#include <perfwasm/report.h>

enum pw_metric_kind {
	PW_METRIC_COUNTER, /* only grows; shown as a rate per second. Where it
			      is less than half of before it began anew */
	PW_METRIC_LEVEL,   /* is what it is at that moment */
};

/* What is known of a figure beforehand (metrics.def), by family and metric. */
struct pw_metric_def {
	enum pw_metric_kind kind;
	enum pw_unit unit; /* of the value */
	enum pw_better better;
	bool is_state;  /* a level that was there before the capture and stays
			   (memory used): its mean is its value, more or less */
	bool is_rate;   /* a level that is so much per second */
	double matters; /* the least difference of the figures of pw_metric
			   (mean, ...) that is worth a reader's time, in their
			   unit; 0: not known */
	const char *title, *about; /* a sentence; NULL: none */
};

struct pw_metrics;

/* --- filling ------------------------------------------------------------------ */

struct pw_metrics *pw_metrics_new(void);
void pw_metrics_free(struct pw_metrics *m);
/* Only this part of the time since the first reading, before which there is
 * none; UINT64_MAX: to the end. Readings around it are told all the same. */
void pw_metrics_window(struct pw_metrics *m, uint64_t from_ns, uint64_t to_ns);
/* A source that was read or could not be: state NULL is fine, else why not
 * ("no such file"). cost_ns: CPU time that reading it took in all. Told again
 * it replaces what was told. Strings are copied, here and below. */
void pw_metrics_source(struct pw_metrics *m, const char *source,
		       const char *state, uint64_t reads, uint64_t cost_ns);
/* "cpu", "model name", "AMD EPYC"; groups: cpu, kernel, config, sysctl, ... */
void pw_metrics_fact(struct pw_metrics *m, const char *group, const char *key,
		     const char *value);
/* A number for a figure, from now on and until it is gone; a new one unless it
 * is there. kind and unit as the file says them; metrics.def may know more. */
uint32_t pw_metrics_series(struct pw_metrics *m, const char *family,
			   const char *metric, const char *instance,
			   enum pw_metric_kind kind, enum pw_unit unit);
/* What a figure is, in place of what metrics.def knows (PMU metrics, which are
 * data of their own); before its first series. Strings are copied. */
void pw_metrics_define(struct pw_metrics *m, const char *family,
		       const char *metric, const struct pw_metric_def *def);
/*
 * Begins a reading of all figures of a family at a time, which ends with the
 * next call; values belong to it, also those of other families' figures that
 * are told meanwhile: they belong to their own family's latest reading. A
 * figure that is not told keeps its value, which costs nothing. Times of a
 * family do not go back: one that does is taken for the latest.
 */
void pw_metrics_begin(struct pw_metrics *m, const char *family,
		      uint64_t time_ns);
/* NAN: there is no value just now. */
void pw_metrics_value(struct pw_metrics *m, uint32_t series, double value);
/* A counter that began at 0 since the family's reading before, with what it
 * counts (a process that started): all of its value is growth. Before its
 * first value. */
void pw_metrics_born(struct pw_metrics *m, uint32_t series);
/* It is not there any more (a CPU taken away, a process that ended), from the
 * family's reading before on; its number is void. */
void pw_metrics_gone(struct pw_metrics *m, uint32_t series);
void pw_metrics_missed(struct pw_metrics *m, uint64_t ticks);
/* After the last; needed before anything is read. */
void pw_metrics_end(struct pw_metrics *m);

/* --- reading -------------------------------------------------------------------- */

/*
 * A figure over the whole capture. A reading stands for the time since the
 * reading before. A counter's mean, min, ... are of its rate: per second, of a
 * counter of nanoseconds (PW_UNIT_NS) a share of the time, so 1 is all of one
 * CPU; of a level they are in its unit.
 */
struct pw_metric {
	const char *family, *name, *instance;
	const struct pw_metric_def *def; /* never NULL */
	enum pw_unit unit;               /* of mean, min, max, ... */
	bool per_second;                 /* they are so much per second */
	bool is_derived;
	bool is_constant; /* a level that was always the same, a counter that
			     did not grow */
	uint64_t n;       /* readings of which it is known, told or kept */
	uint64_t span_ns; /* the time that is known of it */
	double total;     /* of a counter: its growth */
	double mean, std; /* by time */
	/* quantiles by time: exact when few values differed, else off by at
	 * most 1/32 */
	double min, max, p50, p90, p99;
	double last;
	/* By equal pieces of time from the start (pw_metrics_span): a
	 * counter's growth in it, a level's mean; NAN where it was not read.
	 * NULL when it is constant. */
	const double *bins;
};
uint32_t pw_metrics_count(const struct pw_metrics *m);
/* In the order of families, then metrics, then instances (cpu2 before cpu10);
 * families and metrics in the order in which they were first told, derived ones
 * first. */
const struct pw_metric *pw_metrics_get(const struct pw_metrics *m, uint32_t i);
const struct pw_metric *pw_metrics_find(const struct pw_metrics *m,
					const char *family, const char *name,
					const char *instance);
struct pw_metrics_span {
	uint64_t from_ns, to_ns; /* first and last reading of all families */
	uint64_t bin_ns; /* not less than the quickest family's interval */
	uint64_t missed;
	uint32_t n_bins; /* at most 128; the last may be shorter */
};
struct pw_metrics_span pw_metrics_get_span(const struct pw_metrics *m);

/* What the figure was in a bin, as mean and max are; NAN: not known. */
double pw_metrics_bin(const struct pw_metrics *m, const struct pw_metric *p,
		      uint32_t bin);

struct pw_metrics_family {
	const char *name;
	uint64_t n_readings, from_ns, to_ns;
	/* Instances that were gone and seldom changed are not kept when there
	 * are many: their counters are summed up as the instance "[gone]". */
	uint64_t n_folded;
};
uint32_t pw_metrics_n_families(const struct pw_metrics *m);
struct pw_metrics_family pw_metrics_get_family(const struct pw_metrics *m,
					       uint32_t i);

struct pw_metrics_read {
	const char *source, *state; /* NULL: it was read */
	uint64_t reads, cost_ns;
};
uint32_t pw_metrics_n_sources(const struct pw_metrics *m);
struct pw_metrics_read pw_metrics_get_source(const struct pw_metrics *m,
					     uint32_t i);

/* Groups in the order of their first facts, then as told. */
struct pw_metrics_known {
	const char *group, *key, *value;
};
uint32_t pw_metrics_n_facts(const struct pw_metrics *m);
struct pw_metrics_known pw_metrics_get_fact(const struct pw_metrics *m,
					    uint32_t i);
/* A value, or NULL. */
const char *pw_metrics_find_fact(const struct pw_metrics *m, const char *group,
				 const char *key);

/* --- comparing ------------------------------------------------------------------ */

/* What is compared of a capture's metrics (report.h, "comparing"): its time,
 * and below the root a table for each family, named so, with a row for each
 * figure; and what the machine is. Counters that did not grow are left out. */
void pw_metrics_compared(const struct pw_metrics *m, struct pw_report *r);

/* --- report ----------------------------------------------------------------------- */

struct pw_metrics_view {
	/* Patterns of fnmatch(3), NULL-ended, of families, and of metrics
	 * ("pgfault", "net.rx_*"); NULL: all. */
	const char *const *families, *const *metrics;
	/* For programs and perf wasm compare: all figures that were read, and
	 * pw_metrics_compared() besides, no charts; else figures that never
	 * changed are listed apart, and a table has at most max_rows. */
	bool whole;
	uint32_t max_rows; /* 0: 600 */
};
/*
 * Sections of the report: what was recorded, a section for each family with
 * changes (figures and charts, on one axis of time), the sources, the machine.
 * False: no figure is as the patterns say.
 */
bool pw_metrics_report(const struct pw_metrics *m,
		       const struct pw_metrics_view *v, struct pw_report *r);

#endif
