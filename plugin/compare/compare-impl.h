/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inside of compare: gather.c matches the figures of all runs, kinds.c
 * tells what each is of, verdict.c what differs, how-large.c by how much, hang-together.c
 * which of it hangs together; tell*.c write it down.
 */
#ifndef PLUGIN_COMPARE_COMPARE_IMPL_H
#define PLUGIN_COMPARE_COMPARE_IMPL_H

#include <perfwasm/compare.h>
#include <perfwasm/stats.h>

#include <stdlib.h>
#include <uthash.h>

/* What a figure is in one run. */
struct sum {
	double value;
	double *blocks; /* NULL: not known */
	int n_blocks;
	uint32_t n_rows; /* that were added up; 0: none had it */
	bool lacks_blocks;
	struct pw_report_time time;
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
	bool is_mixed; /* its rows have units of their own */
	bool is_of_tasks;
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
	double times;  /* how many times what matters */
};

struct figure {
	UT_hash_handle hh;
	uint32_t table, measure, number;
	enum pw_unit unit;
	enum pw_amount amount;
	enum pw_better better;
	double least;
	bool is_lone; /* no part of a whole */
	const struct figure_kind *kind;
	char *id, *entity; /* kinds.c */
	const char *owner; /* the task or function among its names; else the
			      entity */
	char **names;
	struct sum *runs;          /* [n_runs] */
	struct pw_estimate *sides; /* [n_sides] */
	struct judged *judged;     /* [n_sides]; of the first: nothing */
	char *key;                 /* what it is found by */
};

/* A difference, and what explains it. */
struct found {
	struct figure *f;
	uint32_t side;
	double times;
	int parent;       /* while groups are made; negative: none explains it,
			     it leads its group */
	double explained; /* this share of it, by the parent; NAN: not told */
	uint32_t group;   /* from 1, most first */
	double of_group;  /* times, of the largest in it */
};

/* A text that the sides may differ in. */
struct text {
	UT_hash_handle hh;
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
	struct text *texts; /* uthash */
	uint32_t n_judged, n_different;
	double interval_level;
	struct found *found; /* [n_different], group by group */
	uint32_t n_groups;
};

/* gather.c */
void gather(struct comparison *c);
void comparison_release(struct comparison *c);
/* The run has another row with this one's first name. */
bool has_kin(const struct comparison *c, const struct figure *f, uint32_t run);
uint32_t first_run(const struct comparison *c, uint32_t side);
static inline const struct measure *measure_of(const struct comparison *c,
					       const struct figure *f)
{
	return &c->tables[f->table].measures[f->measure];
}

/* kinds.c */

/* The most specific first: of two that explain each other the first is the
 * cause. */
enum layer { LAYER_OPCODE, LAYER_FUNCTION, LAYER_TASK, LAYER_METRIC };

/* A line of figure-kinds.def. */
struct figure_kind {
	const char *pattern; /* of the figure's id */
	enum layer layer;
	const char *word; /* "task" */
	enum { OF_CPU, OF_WORK, OF_WAIT } of;
	enum { ONE_RUN_TELLS, ONE_RUN_NEVER, ONE_RUN_NOT_OF_A_CPU } one_run;
};

/* For each figure its kind; its id, "WHERE:METRIC" or "WHERE:COLUMN"; and its
 * entity, what else it is called: "main", "sda". */
void find_kinds(struct comparison *c);
/* A table of this place names tasks. */
bool is_of_tasks(const struct comparison *c, const char *where);
/* False: runs of the same differ in it by chance, and one can't show how much. */
bool one_run_tells(const struct figure *f);
/* It is of what records, or of an idle CPU: its cost is no difference. */
bool is_recorder(const struct figure *f);

/* verdict.c */
void judge(struct comparison *c);
bool is_different(enum verdict v);
const char *verdict_name(enum verdict v);
/* The whole of a figure's measure on a side, a second; NAN: none. */
double whole_of(const struct comparison *c, const struct figure *f,
		uint32_t side);
/* Totals are shown as shares of their whole. */
static inline bool is_share(const struct comparison *c, const struct figure *f)
{
	return c->opts.per == PW_PER_WHOLE && !c->tables[f->table].is_facts &&
	       !f->is_lone && f->amount == PW_AMOUNT_TOTAL;
}

/* how-large.c: weight and times of a difference whose margin is known. */
void rank(const struct comparison *c, struct figure *f, uint32_t side);

/* time-course.c: how much two figures of a run go up and down together, -1 to
 * 1; NAN: they hold still, or it is not known. */
double course(const struct figure *a, const struct figure *b, uint32_t run);

/* hang-together.c: fills found. */
void group(struct comparison *c);

/* tell.c */
void tell(struct comparison *c, struct pw_report *to);
/* tell-table.c */
void tell_tables(struct comparison *c, struct pw_node *root);
/* One of a side against the first: with more sides than two, keys and titles
 * say of which. Gives its number. */
int side_column(const struct comparison *c, struct pw_node *t, uint32_t side,
		const char *key, const char *title, enum pw_unit unit,
		unsigned flags);
/* As its values are shown: of rates by second, of shares a percentage. */
enum pw_unit unit_of(const struct comparison *c, const struct table *t,
		     const struct measure *m);
/* "+1.5 KiB/s", "+12 % of a CPU"; is_change: with its sign. The caller frees. */
char *quantity_text(const struct comparison *c, const struct figure *f,
		    double value, bool is_change);
/* The same without "of a CPU", where is_cpu_share() is said elsewhere. */
char *number_text(const struct comparison *c, const struct figure *f,
		  double value, bool is_change);
bool is_cpu_share(const struct comparison *c, const struct figure *f);
/* Whether a run of the side has the row. */
bool has_it(const struct comparison *c, const struct figure *f, uint32_t side);
/* tell-differences.c: what differs, group by group. */
void tell_differences(struct comparison *c, struct pw_node *root);
/* "cpu.user cpu0", "main: CPU time": in a sentence. The caller frees. */
char *short_text(const struct comparison *c, const struct figure *f);
/* tell-advice.c: what the first of them mean. */
void tell_advice(struct comparison *c, struct pw_node *root);
/* tell-time.c: the largest differences as charts. */
void tell_time(struct comparison *c, struct pw_node *root);
/* tell-metrics.c: what has a unit of its own. */
void tell_metrics(struct comparison *c, struct pw_node *root);
/* A cell of a text, which is freed. */
static inline void cell_own(struct pw_node *t, int col, char *text)
{
	pw_cell_str(t, col, text);
	free(text);
}
/* "main, app.wasm" */
char *names_text(const struct figure *f, const struct table *t);
/* "only in A"; NULL: on all sides. The caller frees. */
char *alone_text(const struct comparison *c, const struct figure *f);

#endif
