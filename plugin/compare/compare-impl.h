/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inside of compare: gather.c matches the figures of all runs, verdict.c
 * tells what differs, tell.c and tell-table.c write it down.
 */
#ifndef PLUGIN_COMPARE_COMPARE_IMPL_H
#define PLUGIN_COMPARE_COMPARE_IMPL_H

#include <perfwasm/compare.h>
#include <perfwasm/stats.h>

#include <uthash.h>

/* What a figure is in one run. */
struct sum {
	double value;
	double *blocks; /* NULL: not known */
	int n_blocks;
	uint32_t n_rows; /* that were added up; 0: none had it */
	bool lacks_blocks;
};

/* A column of a table, or a fact. */
struct measure {
	char *key, *title;
	enum pw_unit unit;
	enum pw_amount amount;
	enum pw_better better;
	double *wholes;   /* [n_runs]; NAN: not told */
	struct sum *sums; /* [n_runs]: of the rows */
};

/* A table of the reports, or the facts of a section. */
struct table {
	char *where, *title;
	bool is_facts;
	char **name_keys, **name_titles;
	int n_names;
	struct measure *measures;
	int n_measures;
	bool *in_run, *cut_in_run; /* [n_runs] */
};

enum verdict {
	VERDICT_WORSE,
	VERDICT_BETTER,
	VERDICT_CHANGED,
	VERDICT_NOISE, /* not distinguishable */
	VERDICT_SAME,
	VERDICT_SMALL,
	VERDICT_UNKNOWN,
};

/* A side against the first. */
struct judged {
	struct pw_estimate difference;
	double margin, p;
	struct pw_interval interval;
	enum verdict verdict;
	double weight; /* how much of the whole it explains */
};

struct figure {
	UT_hash_handle hh;
	uint32_t table, measure, number;
	char **names;
	struct sum *runs;          /* [n_runs] */
	struct pw_estimate *sides; /* [n_sides] */
	struct judged *judged;     /* [n_sides]; of the first: nothing */
	char *key;                 /* what it is found by */
};

/* A text that the sides may differ in. */
struct text {
	char *title, **of_run; /* [n_runs]; NULL: not told */
};

struct comparison {
	const struct pw_compare_side *sides;
	uint32_t n_sides, n_runs;
	struct pw_compare_opts opts;
	const struct pw_report **runs; /* of all sides, in order */
	struct table *tables;
	uint32_t n_tables;
	struct figure *figures; /* uthash, in the order of the reports */
	uint32_t n_figures;
	struct text *texts;
	uint32_t n_texts;
	uint32_t n_judged, n_different;
	double interval_level;
};

/* gather.c */
void gather(struct comparison *c);
void comparison_release(struct comparison *c);
uint32_t first_run(const struct comparison *c, uint32_t side);
static inline const struct measure *measure_of(const struct comparison *c,
					       const struct figure *f)
{
	return &c->tables[f->table].measures[f->measure];
}

/* verdict.c */
void judge(struct comparison *c);
bool is_different(enum verdict v);
const char *verdict_name(enum verdict v);
/* The whole of a figure's measure on a side, a second; NAN: none. */
double whole_of(const struct comparison *c, const struct figure *f,
		uint32_t side);

/* tell.c */
void tell(struct comparison *c, struct pw_report *to);
/* tell-table.c */
void tell_tables(struct comparison *c, struct pw_node *root);
/* As its values are shown: of rates by second, of shares a percentage. */
enum pw_unit unit_of(const struct comparison *c, const struct table *t,
		     const struct measure *m);
/* "+1.5 ms/s"; is_change: with its sign. The caller frees. */
char *quantity_text(const struct comparison *c, const struct table *t,
		    const struct measure *m, double value, bool is_change);
/* "main, app.wasm" */
char *names_text(const struct figure *f, const struct table *t);
/* "only in A"; NULL: on all sides. The caller frees. */
char *alone_text(const struct comparison *c, const struct figure *f);

#endif
