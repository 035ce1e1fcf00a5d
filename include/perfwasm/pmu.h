/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pmu: what processors count. Which events and figures there are for a family
 * of CPUs (plugin/pmu/pmu-*.def) or by the user's file, in groups that the counters hold,
 * counted on every CPU into the tables of a series; and from such a series the
 * figures. What is stored are counts: figures are computed when it is read.
 * A machine without hardware counters counts the kernel's software events.
 *
 * Tables, a row for a CPU under its number, its text `instance` "cpu3":
 *   pmu.software   cpu-clock ns+, context-switches count+, ...
 *   pmu.G          a group: enabled ns+, running ns+, then an event a column.
 *                  All of a group count at the same time; running is less than
 *                  enabled when groups took turns.
 * Facts: "pmu/state", "pmu/family", "pmu/config" (the user's file), for each
 * event "pmu/event NAME" with its code, for each figure "pmu/metric NAME" with
 * its table and formula.
 */
#ifndef PERFWASM_PMU_H
#define PERFWASM_PMU_H

#include <perfwasm/base.h>
#include <perfwasm/series.h>

struct pw_metrics;

/* How names of its tables begin. */
#define PW_PMU_TABLES "pmu."

/* --- counting ------------------------------------------------------------------ */

struct perf_event_attr;

/* What is asked of the kernel: perf_event_open(2) for a CPU, enabling a group
 * by its leader, read(2) and close(2), with -errno for -1. Tests give their
 * own. */
struct pw_pmu_kernel {
	int (*open)(void *ctx, struct perf_event_attr *attr, int cpu,
		    int group_fd);
	int (*enable)(void *ctx, int fd);
	ssize_t (*read)(void *ctx, int fd, void *to, size_t size_bytes);
	void (*close)(void *ctx, int fd);
	void *ctx;
};

struct pw_pmu_opts {
	const char *root;   /* where proc and sys are; NULL: "/" */
	const char *config; /* the user's file, added to what the family has */
	const struct pw_pmu_kernel *kernel; /* NULL: the real one */
};

struct pw_pmu;

/* Opens what can be counted here. That nothing can is no error (see state); a
 * fault in the user's file is: NULL, EINVAL with its line, or ENOENT. Keeps
 * descriptors (the soft limit on them is raised), a few KB a CPU. */
struct pw_pmu *pw_pmu_open(const struct pw_pmu_opts *o, struct pw_err *err);
void pw_pmu_close(struct pw_pmu *p); /* NULL is fine */
/* One line for the user: what is counted, or why not and what took its
 * place. */
const char *pw_pmu_state(const struct pw_pmu *p);
/* Whether any of it is a counter of hardware. The kernel's software events cost
 * an interrupt of each CPU at each reading, and /proc has most of them, too. */
bool pw_pmu_has_counters(const struct pw_pmu *p);
/* For pw_series_create(), beside others': at most 24 tables. Borrowed. */
const struct pw_series_table *pw_pmu_tables(const struct pw_pmu *p,
					    uint32_t *n);
/* Between pw_series_begin() and end. first: the index that the first of the
 * tables has in the series. The first reading of a series, and the first after
 * pw_pmu_again(), holds facts and names. One read a group and CPU. A CPU that
 * went is dropped, one that came is opened. False: some group or CPU could not
 * be read. */
bool pw_pmu_read(struct pw_pmu *p, struct pw_series_out *out, uint32_t first);
/* Another series file begins: facts and names are told anew. */
void pw_pmu_again(struct pw_pmu *p);

/* Whether the formulas of a user's file are such; for the command line, before
 * anything is recorded. pw_pmu_open() looks only at what they name, since a
 * small recorder has no parser of formulas. */
int pw_pmu_check(const char *config, struct pw_err *err);

/* --- which figures there are ------------------------------------------------------ */

struct pw_pmu_figure {
	const char *name, *unit, *formula, *about;
	const char *missing; /* why it cannot be counted here, or NULL */
};
uint32_t pw_pmu_n_figures(const struct pw_pmu *p);
struct pw_pmu_figure pw_pmu_figure(const struct pw_pmu *p, uint32_t i);
/* Lines of text for --pmu-config help: state, figures, how to write a file. */
void pw_pmu_describe(const struct pw_pmu *p, struct pw_buf *out);

/* --- names of libpfm ------------------------------------------------------------- */

/* Of perf_event_attr. */
struct pw_pmu_code {
	uint32_t type;
	uint64_t config, config1, config2;
};

/* An event by libpfm's name ("skl::LD_BLOCKS:STORE_FORWARD"), for this machine.
 * The library is loaded when it is first needed. 0, or -ENOENT and why. */
int pw_pmu_encode(const char *name, struct pw_pmu_code *out,
		  struct pw_err *err);
/* Whether this machine has a PMU that libpfm calls so. */
bool pw_pmu_is_here(const char *pmu);
/* Whether libpfm knows "EVENT" or "EVENT:UMASK" of it, here or not. */
bool pw_pmu_knows(const char *pmu, const char *event);

/* --- reading ---------------------------------------------------------------------- */

/*
 * Figures of a series' counts into metrics: family "pmu", instances "cpu3" and
 * "all" (formulas over the counts of all CPUs), and family "software". What a
 * CPU did not count, or what divides by zero, is not told, never zero. m is
 * borrowed.
 */
struct pw_pmu_reader;

struct pw_pmu_reader *pw_pmu_reader_new(struct pw_metrics *m);
void pw_pmu_reader_free(struct pw_pmu_reader *r); /* NULL is fine */
/* Every item of the series; true when it was one of these tables' or facts. */
bool pw_pmu_reader_item(struct pw_pmu_reader *r, const struct pw_series *s,
			const struct pw_series_item *item);
/* When all items of a readout were given: time_ns is when the counts were
 * read. */
void pw_pmu_reader_end(struct pw_pmu_reader *r, uint64_t time_ns);
/* After the last readout: facts of each figure, in group "pmu" its formula, in
 * "pmu_whole" what it was over the whole capture (of the sums, where the mean of
 * intervals counts an idle one like a busy one) and how much of the time it was
 * counted. */
void pw_pmu_reader_sum_up(struct pw_pmu_reader *r);

/* What the figures are whose names the tables have, for captures of others that
 * use them: units, which is better, a sentence. Before their first series. */
void pw_pmu_define(struct pw_metrics *m);

#endif
