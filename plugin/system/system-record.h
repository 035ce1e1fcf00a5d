/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recorder's state: a source with its files, its clock and what it cost;
 * its own tables, which stand before those of system-sources.def.
 */
#ifndef SYSTEM_RECORD_H
#define SYSTEM_RECORD_H

#include "system-impl.h"
#include "system-own.h"

/* A source of ours or of another room. */
struct clocked {
	bool wanted;
	bool is_read; /* in this readout */
	bool told_state;
	uint64_t every_ns; /* 0: at every tick */
	uint64_t due_ns;
	uint64_t reads, failures, cost_ns, read_ns;
	uint64_t usual_ns;  /* what a reading costs of late */
	uint64_t before_ns; /* what the one before cost */
	uint64_t
		busy_ns; /* of the CPUs then, where it may wait; 0: not known */
	uint64_t told[N_SOURCE_COLUMNS];
	char state[256]; /* why it can't be read; empty: it can */
	struct files files;
};

struct watch {
	char *instance, *metric;
	int8_t columns[N_TABLES]; /* -1: not of this table */
	bool is_known;
	uint64_t value, value_ns; /* at the last reading */
	double shown;
};

struct pw_system {
	struct pw_series_out *out;
	int root;
	bool is_this_machine; /* and no tree of a test */
	uint64_t interval_ns, next_ns;
	uint64_t (*now_ns)(void *ctx);
	void *now_ctx;
	bool started;
	bool is_fresh; /* a file of which nothing is written yet */
	uint64_t ticks, missed;
	uint64_t costs_told_ns;
	uint64_t before_ns; /* the tick before */
	struct clocked sources[PW_SYSTEM_N_SOURCES];
	struct roster rosters[N_TABLES];
	struct clocked *extras; /* n_extra */
	const struct pw_system_extra *extra;
	uint32_t n_extra;
	struct reading reading;
	uint64_t resident_kib;
	struct watch *watches;
	uint32_t n_watches;
	uint64_t reading_ns; /* when the source was read whose rows come */
	struct processes *processes;
	struct threads *threads;
	struct cgroups *cgroups;
	struct nics *nics;
	struct mounts *mounts;
	char **tasks;
};

/* Sources without paths. All rows go to the sink; -errno when there is none to
 * read. */
int read_processes(struct pw_system *s, const struct sink *k);
int read_threads(struct pw_system *s, const struct sink *k);
int read_cgroups(struct pw_system *s, const struct sink *k);
int read_nics(struct pw_system *s, const struct sink *k);
int read_mounts(struct pw_system *s, const struct sink *k);
void processes_free(struct processes *p);
void threads_free(struct threads *t);
void cgroups_free(struct cgroups *c);
void nics_free(struct nics *n);
void mounts_free(struct mounts *m);

/* The time that the CPUs worked up to now, where this tick read it
 * (system-idle.c); 0: it did not. */
uint64_t cpus_busy_ns(const struct pw_system *s);
/* They did next to nothing since a source was read, so that it may wait. */
bool may_wait(const struct pw_system *s, const struct clocked *c,
	      uint64_t tick_ns);

/* Watches (system-watch.c): looks at each row. */
void watch_row(struct pw_system *s, enum table table, struct span instance,
	       struct span metric, const uint64_t *values);
void watches_release(struct pw_system *s);

/* The choice of sources (system-choose.c). */
int choose_sources(struct pw_system *s, const struct pw_system_opts *o,
		   struct pw_err *err);

#endif
