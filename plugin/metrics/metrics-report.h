/* SPDX-License-Identifier: GPL-2.0-only */
/* What the report's files share: which figures of a family are shown how. */
#ifndef PERFWASM_METRICS_REPORT_H
#define PERFWASM_METRICS_REPORT_H

#include <perfwasm/metrics.h>

struct report_view {
	const struct pw_metrics *m;
	const struct pw_metrics_view *v;
	struct pw_report *r;
	struct pw_metrics_span span;
	uint32_t n_shown, n_changed;
	bool all; /* also what never changed */
};

/* The figures of one family that the patterns want, in the order of
 * pw_metrics_get(). */
struct family_rows {
	struct pw_metrics_family family;
	const struct pw_metric **rows;
	uint32_t n, n_changed;
	const char *title;
	bool has_name; /* an instance is "PID NAME" */
	bool has_instances;
};

static inline int number_column(struct pw_node *t, const char *key,
				const char *title, enum pw_unit unit,
				unsigned int flags)
{
	return pw_column(t, key, title, unit, PW_COL_RIGHT | flags);
}
/* Whether one of the patterns, with | between, fits. */
bool one_fits(const char *patterns, const char *s);
/* A key of the report, "WHAT_NAME" of letters, digits and _; the caller frees. */
char *key_of(const char *what, const char *name);

/* The first things that one wants to know. */
void show_glance(const struct report_view *v, struct pw_node *section);
void show_figures(const struct report_view *v, const struct family_rows *f,
		  struct pw_node *section);
void show_charts(const struct report_view *v, const struct family_rows *f,
		 struct pw_node *section);
/* The first chart of the family only, in a section that is not its own. */
void show_first_chart(const struct report_view *v, const struct family_rows *f,
		      struct pw_node *section);
/* False: this family has none. */
bool show_processes(const struct report_view *v, const struct family_rows *f,
		    struct pw_node *section);
void show_still(const struct report_view *v);
void show_sources(const struct report_view *v);
void show_facts(const struct report_view *v);

#endif
