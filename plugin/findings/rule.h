/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules, and what came of one. */
#ifndef FINDINGS_RULE_H
#define FINDINGS_RULE_H

#include <perfwasm/findings.h>

/* Which number of a figure is held against the limit. */
enum rule_how {
	HOW_MEAN,  /* by time; of a counter its rate */
	HOW_TOTAL, /* what a counter grew by in all; of a level its greatest */
	HOW_WHILE, /* the mean of the times at which it was over the limit */
	HOW_TOP,   /* the share that the greatest of all instances has */
};

/* The columns of rules.def, where they are explained. */
struct rule {
	const char *key;
	enum pw_severity severity;
	const char *what;
	/* of figures */
	const char *figure, *on, *per, *per_fact;
	double fact_unit;
	enum rule_how how;
	double over, under, serious;
	double time;
	uint32_t instances;
	const char *only;
	double only_over;
	enum pw_unit unit;
	/* of facts */
	const char *fact, *is, *is_not, *has, *absent;
	const char *but_fact, *but_is;
	/* of both */
	const char *meaning, *next;
};

const struct rule *rules_all(uint32_t *n);

/* What a figure or a sum of figures of one instance is over time; of a counter
 * its rate. */
struct curve {
	const char *family, *instance; /* borrowed */
	char *metric; /* "a+b": of a sum, those that are not 0 */
	enum pw_unit unit;
	bool per_second, is_counter;
	double mean, total, greatest;
	double *bins; /* the mean of each; NAN where nothing is known */
	uint32_t n_bins;
};

struct finding {
	const struct rule *rule;
	enum pw_severity severity;
	char *figure; /* "disk.await" */
	char *instance;
	char *value, *limit, *when;
	double times;  /* of the limit: what sorts findings of one severity */
	uint32_t more; /* instances that are not told */
};

struct findings {
	struct finding *all;
	uint32_t n;
};

/* --- figure-name.c --- */
/* "family.a+b@instance", "family.pattern". */
struct figure_name {
	char family[64];
	char *names[16]; /* of a sum, or one pattern */
	uint32_t n;
	bool is_pattern;
	const char *instance; /* behind the @, or NULL */
	char *text;
};
void figure_name_init(struct figure_name *f, const char *text);
void figure_name_release(struct figure_name *f);
bool figure_name_has(const struct figure_name *f, const struct pw_metric *x);

/* --- curves.c --- */
/* All curves of a figure, of instances that are like `on` (NULL: of all):
 * *n of them, which the caller frees with curves_free(). */
struct curve *curves_of(const struct pw_metrics *m, const char *figure,
			const char *on, uint32_t *n);
/* Divides each by the figure of the same instance, or by that of "", and drops
 * those for which there is none. */
void curves_divide(const struct pw_metrics *m, struct curve *c, uint32_t *n,
		   const char *per);
/* Divides each by a number that is a fact ("group/key"), times its unit; *n is 0
 * where that is not known. */
void curves_divide_by_fact(const struct pw_metrics *m, struct curve *c,
			   uint32_t *n, const char *fact, double unit);
void curves_free(struct curve *c, uint32_t n);
/* The mean of a figure of this instance; NULL: of all instances together. NAN:
 * it was not read. */
double curves_mean(const struct pw_metrics *m, const char *figure,
		   const char *instance);

/* --- finding.c --- */
/* Beyond the limit; NAN never is. */
bool is_beyond(const struct rule *r, double value);
/* Is it as big as it must be? instance NULL: of all together. */
bool matters(const struct pw_metrics *m, const struct rule *r,
	     const char *instance);
/* When a curve was beyond the limit, in bins. */
struct times {
	uint32_t known, beyond, first, last;
	double mean; /* while beyond */
};
/* The share of the known time that it was. */
double times_share(const struct times *t);
/* t NULL: nothing is known of when. */
void add_finding(const struct pw_metrics *m, const struct rule *r,
		 const struct curve *c, double value, const struct times *t,
		 struct findings *to);
void findings_release(struct findings *f);
/* A new one, of which only rule and severity are set. */
struct finding *findings_add(struct findings *f, const struct rule *r,
			     enum pw_severity severity);
/* Keeps the worst of those that one rule added to `before` others. */
void findings_keep_few(struct findings *f, uint32_t before);

/* --- judge-*.c: a kind of rules each. False: its figures or facts were not
 * read. --- */
bool judge_figure(const struct pw_metrics *m, const struct rule *r,
		  struct findings *to);
bool judge_top(const struct pw_metrics *m, const struct rule *r,
	       struct findings *to);
bool judge_fact(const struct pw_metrics *m, const struct rule *r,
		struct findings *to);

#endif
