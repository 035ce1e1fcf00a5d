/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of this room share. A family has instances, an instance has
 * series; a reading is of a family. Nothing is done for a series that is not
 * told: what it held is accounted for when it is told again.
 *
 *   readings of the family   |-----|-----|-----|-----|
 *                            s           p     t
 *   told at s, then at t: held from s to p, then another value from p to t
 */
#ifndef PERFWASM_METRICS_IMPL_H
#define PERFWASM_METRICS_IMPL_H

#include <perfwasm/metrics.h>
#include <perfwasm/stats.h>

#include <uthash.h>

#include "spread.h"

#define N_BINS 128

struct bins {
	double sum[N_BINS];   /* growth, or value times ns */
	double known[N_BINS]; /* ns of which it is known */
	uint8_t shift;        /* of the axis when these were last touched */
};

enum series_state { SERIES_NEW, SERIES_HELD, SERIES_GONE };

struct series {
	struct pw_metric pub;
	struct instance *of;
	enum series_state state;
	uint32_t id;
	bool is_born, is_merged; /* is_merged: figures from the bins alone */
	double last;
	uint64_t since_ns;          /* told, or held, up to */
	uint64_t first_ns, done_ns; /* in the window: accounted from, to */
	double x;                   /* its figure in reading x_reading */
	uint64_t x_reading, n_at;   /* n_at: pub.n counts readings up to it */
	struct spread spread;
	struct bins *bins; /* NULL while it is constant */
};

struct instance {
	UT_hash_handle hh;
	struct family *family;
	struct series **series;
	uint32_t n, room, n_alive; /* derived ones do not count as alive */
	uint64_t n_told;
	uint64_t touched; /* the reading in which something was told of it */
	bool is_active;
	struct use *uses; /* metrics-derive.c */
	uint32_t n_uses, n_resolved;
	char name[];
};

/* A metric of a family, whatever the instance. */
struct metric_name {
	struct pw_metric_def def;
	char *own_title, *own_about; /* of pw_metrics_define() */
	bool is_derived;
	char name[];
};

struct family {
	char *name;
	struct metric_name **metrics;
	uint32_t n_metrics, idx;
	struct instance *instances; /* uthash */
	uint32_t n_gone;            /* instances without living series */
	struct instance **active;   /* told of in this reading or the last */
	uint32_t n_active, active_room;
	uint64_t n_readings, first_ns, prev_ns, now_ns, n_folded;
};

struct fact {
	UT_hash_handle hh;
	const char *key, *value;
	char *own_value;
	size_t id_len;
	char group[]; /* then the key, each with its zero */
};

struct source {
	char *name, *state;
	uint64_t reads, cost_ns;
};

struct pw_metrics {
	struct family **families;
	uint32_t n_families;
	struct series **series; /* by number; NULL: free */
	uint32_t n_series, room;
	uint32_t *free_ids;
	uint32_t n_free, free_room;
	struct source *sources;
	uint32_t n_sources;
	struct fact *facts; /* uthash, in the order of telling */
	struct fact **fact_list;
	uint32_t n_facts;
	struct pw_formula **formulas; /* of derived.def, once needed */
	struct pw_axis axis;
	uint64_t from_ns, to_ns, missed;
	/* pw_metrics_window(), relative until the first reading is told */
	uint64_t window_from_ns, window_to_ns;
	struct series **sorted;
	uint32_t n_sorted;
	bool is_ended, was_read;
};

struct family *metric_family(struct pw_metrics *m, const char *name);
struct series *series_of(struct pw_metrics *m, struct family *f,
			 const char *metric, const char *instance,
			 enum pw_metric_kind kind, enum pw_unit unit);
struct series *series_derived(struct pw_metrics *m, struct instance *of,
			      const char *metric,
			      const struct pw_metric_def *def);
void series_free(struct pw_metrics *m, struct series *s);
struct instance *instance_find(const struct family *f, const char *name);
void instance_free(struct pw_metrics *m, struct instance *i);

/* metrics-known.c: what metrics.def says of it; kind and unit as told. */
struct pw_metric_def metric_known(const char *family, const char *metric,
				  enum pw_metric_kind kind, enum pw_unit unit);

/* metrics-feed.c */
void series_tell(struct pw_metrics *m, struct series *s, double value);
void series_end(struct pw_metrics *m, struct series *s);
/* Its bins, as wide as those of the axis now. */
struct bins *series_bins(const struct pw_metrics *m, struct series *s);
/* What a growth per ns is multiplied by to be shown. */
double rate_scale(const struct series *s);

/* metrics-derive.c: something was told of an instance, or it is freed; at the
 * end of a reading. */
void instance_touch(struct instance *i);
void instance_forget(struct instance *i);
void family_derive(struct pw_metrics *m, struct family *f);
void formulas_free(struct pw_metrics *m);

/* metrics-fold.c: too many instances that are gone become one. */
void family_fold(struct pw_metrics *m, struct family *f);

#endif
