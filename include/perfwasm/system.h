/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * system: the figures of a machine as /proc, /sys and ioctls tell them
 * (system-sources.def), recorded into a series file, each source by its own
 * clock and with the time of its reading; what the machine is; and such files
 * read into pw_metrics. Knows nothing of commands, signals and processes. The
 * file: Kbuild-notes/formats.md.
 *
 * A recorder's process:
 *
 *   s = pw_system_open(&opts, &err);
 *   while (!done) {
 *           sleep until pw_system_next_ns(s);
 *           pw_system_tick(s, &err);
 *   }
 *   pw_system_last(s, &err);
 *   pw_system_close(s, &err);
 */
#ifndef PERFWASM_SYSTEM_H
#define PERFWASM_SYSTEM_H

#include <perfwasm/report.h>
#include <perfwasm/series.h>

struct pw_metrics;

#define PW_SYSTEM_SERIES  "system.series"
#define PW_SYSTEM_MACHINE "machine.series"

/* --- sources ---------------------------------------------------------------- */

enum pw_system_source_id {
#define PW_SOURCE(id, name, every_ms, flags) PW_SYSTEM_##id,
#include <perfwasm/system-sources.def>
	PW_SYSTEM_N_SOURCES
};

struct pw_system_source {
	const char *name;
	uint64_t every_ns; /* its own clock; 0: at every tick */
};
/* All there are, by their ids, in the order in which they are read. */
const struct pw_system_source *pw_system_sources(uint32_t *n);

/* What the unit of a column says ("10ms+"): a stored number times factor is in
 * `unit`, and whether it counts up. One that is not known is a plain number. */
struct pw_system_unit {
	double factor;
	enum pw_unit unit;
	bool counts;
};
struct pw_system_unit pw_system_unit(const char *name);

/* Whether a column of family cpu is time in which a CPU works: it neither idles
 * nor waits for a disk or its host. */
bool pw_system_is_work(const char *column);

/* --- recording --------------------------------------------------------------- */

/* A source of another room (counters of the PMU): its tables are put behind
 * ours in the file. */
struct pw_system_extra {
	const char *name;  /* in table `sources` */
	uint64_t every_ns; /* 0: at every tick */
	const struct pw_series_table *tables;
	uint32_t n;
	/* Between begin and end of a readout; its first table is number `first`
	 * of the series. -errno and err: it is told as not readable. */
	int (*read)(void *ctx, struct pw_series_out *out, uint32_t first,
		    struct pw_err *err);
	/* A new file begins: what is only told once is told again. May be
	 * NULL. */
	void (*again)(void *ctx, struct pw_series_out *out, uint32_t first);
	void *ctx;
};

struct pw_system_opts {
	const char *path;         /* of the series */
	uint64_t interval_ns;     /* at least 10 ms */
	const char *const *only;  /* sources, NULL-ended; NULL: all */
	const char *const *skip;  /* not these; may be NULL */
	const char *const *tasks; /* patterns (fnmatch) of process names whose
				     threads are read at every tick, or a number:
				     a pid. NULL: none */
	const struct pw_system_extra *extra; /* n_extra of them */
	uint32_t n_extra;
	/* Of tests: another tree than "/", another clock. */
	const char *root;
	uint64_t (*now_ns)(void *ctx);
	void *now_ctx;
};

struct pw_system;

/*
 * Opens what can be read and makes the file; nothing is read yet. The options
 * need not outlive the call, but what `extra` points to. NULL with EINVAL for
 * an unknown source (its message names near ones) or interval, and when the
 * file can't be made. What cannot be read is no error: table `sources` says why.
 */
struct pw_system *pw_system_open(const struct pw_system_opts *o,
				 struct pw_err *err);
/* When the next tick is due: the first at once. */
uint64_t pw_system_next_ns(const struct pw_system *s);
/*
 * Reads what is due and appends a readout; ticks that were due long ago are
 * counted as missed. -errno: it could not be written (ENOSPC), with a sentence
 * that says what to do; the file holds all readouts before.
 */
int pw_system_tick(struct pw_system *s, struct pw_err *err);
/* A tick at the end, whatever the time: also reads what counts and is read
 * rarely. */
int pw_system_last(struct pw_system *s, struct pw_err *err);
/*
 * Ends the file and goes on in a new one (a ring's next piece), which tells all
 * that is known anew and so can be read alone. Reads nothing. On an error of
 * the new one the old goes on. What the old one could not take is an error of
 * its tick.
 */
int pw_system_rotate(struct pw_system *s, const char *path, struct pw_err *err);
/* NULL is fine. */
int pw_system_close(struct pw_system *s, struct pw_err *err);

struct pw_system_cost {
	uint64_t ticks, missed;
	uint64_t size_bytes; /* of the file so far */
	uint64_t cpu_ns;     /* of this process */
};
struct pw_system_cost pw_system_get_cost(const struct pw_system *s);

/*
 * A figure that is looked at while it is recorded (a trigger's): "psi", "some",
 * "cpu". pw_system_watch() gives its number, at any time; pw_system_watched()
 * its value at its last reading, a counter's growth per second between its last
 * two, in ns, bytes or a count. False: it is not there, or was read once only.
 */
uint32_t pw_system_watch(struct pw_system *s, const char *family,
			 const char *metric, const char *instance);
bool pw_system_watched(const struct pw_system *s, uint32_t watch,
		       double *value);

/* --- the machine ------------------------------------------------------------------ */

/*
 * What does not change while it is recorded: CPUs, memory, kernel, its
 * configuration, sysctl (no secrets), mounts, disks, network cards, versions:
 * facts "GROUP/KEY" in a series of their own at `path`. Nothing is asked of the
 * network. root as in pw_system_opts.
 */
int pw_system_machine(const char *path, const char *root, struct pw_err *err);

/* --- reading ---------------------------------------------------------------------- */

/* A series, or a directory with PW_SYSTEM_SERIES, PW_SYSTEM_MACHINE or both:
 * into m. A file that was cut gives all its whole readouts. pw_metrics_end() is
 * the caller's. The bytes are untrusted; ENOENT for a directory with neither. */
int pw_system_read(const char *path, struct pw_metrics *m, struct pw_err *err);

/*
 * The texts of such sources that others kept (archives), through the same
 * parsers into m. `path` says which it is: "proc/stat", "proc/1234/stat",
 * "sys/devices/system/node/node0/numastat". The parts of one source come in one
 * call: what of it is not in it is gone. The texts are untrusted. ENOENT for a
 * path of no source, and then nothing was read. Freeing tells m the sources.
 */
struct pw_system_text {
	const char *path, *text;
	size_t size;
};
struct pw_system_texts;
struct pw_system_texts *pw_system_texts_new(struct pw_metrics *m);
int pw_system_texts_add(struct pw_system_texts *t, uint64_t time_ns,
			const struct pw_system_text *parts, uint32_t n,
			struct pw_err *err);
void pw_system_texts_free(struct pw_system_texts *t); /* NULL is fine */

#endif
