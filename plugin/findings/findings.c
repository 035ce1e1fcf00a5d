// SPDX-License-Identifier: GPL-2.0-only
/* All rules of a capture, and the section that tells what came of them. */
#include "rule.h"

#include <stdlib.h>
#include <string.h>

const char *pw_severity_name(enum pw_severity s)
{
	static const char *const names[] = { "hint", "notable", "serious" };

	return names[s];
}

/* The weightiest first; rows of one rule stay together, where its first is. */
static int by_severity(const void *pa, const void *pb)
{
	const struct finding *a = pa, *b = pb;

	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	if (a->rule != b->rule)
		return a->rule < b->rule ? -1 : 1;
	return a->times > b->times ? -1 : a->times < b->times;
}

/* --- telling ------------------------------------------------------------------- */

struct columns {
	int severity, what, figure, instance, value, limit, when, meaning, next;
};

static struct columns add_columns(struct pw_node *t)
{
	struct columns c = {
		pw_column(t, "severity", "severity", PW_UNIT_NONE, 0),
		pw_column(t, "what", "what", PW_UNIT_NONE, 0),
		pw_column(t, "figure", "figure", PW_UNIT_NONE, PW_COL_TRUNC),
		pw_column(t, "instance", "of", PW_UNIT_NONE, PW_COL_TRUNC),
		pw_column(t, "value", "value", PW_UNIT_NONE, PW_COL_RIGHT),
		pw_column(t, "limit", "limit", PW_UNIT_NONE, PW_COL_RIGHT),
		pw_column(t, "when", "when", PW_UNIT_NONE, 0),
		pw_column(t, "meaning", "meaning", PW_UNIT_NONE,
			  PW_COL_JSON_ONLY),
		pw_column(t, "next", "next", PW_UNIT_NONE, PW_COL_JSON_ONLY),
	};

	return c;
}

static void add_row(struct pw_node *t, const struct columns *c,
		    const struct finding *f)
{
	char *of =
		f->more ? pw_asprintf("%s, and %u more", f->instance, f->more)
			: pw_strdup(f->instance);

	pw_row(t);
	pw_cell_str(t, c->severity, pw_severity_name(f->severity));
	pw_cell_str(t, c->what, f->rule->what);
	pw_cell_str(t, c->figure, f->figure);
	if (of[0])
		pw_cell_str(t, c->instance, of);
	pw_cell_str(t, c->value, f->value);
	pw_cell_str(t, c->limit, f->limit);
	if (f->when)
		pw_cell_str(t, c->when, f->when);
	pw_cell_str(t, c->meaning, f->rule->meaning);
	pw_cell_str(t, c->next, f->rule->next);
	free(of);
}

/* A paragraph for each rule, in the order of its first row. */
static void explain(struct pw_node *section, const struct findings *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		const struct rule *r = f->all[i].rule;
		char *key;

		key = pw_asprintf("about_%s", r->key);
		if (!pw_child(section, key))
			pw_note(section, key, "%c%s: %s Look at: %s.",
				r->what[0] & ~0x20, r->what + 1, r->meaning,
				r->next);
		free(key);
	}
}

static void tell(struct pw_node *section, const struct findings *f)
{
	struct pw_node *t;
	struct columns c;

	if (!f->n) {
		pw_note(section, "none",
			"No rule found anything that stands out.");
		return;
	}
	t = pw_table(section, "findings", NULL);
	c = add_columns(t);
	for (uint32_t i = 0; i < f->n; i++)
		add_row(t, &c, &f->all[i]);
	explain(section, f);
}

static bool judge(const struct pw_metrics *m, const struct rule *r,
		  struct findings *to)
{
	if (r->fact)
		return judge_fact(m, r, to);
	if (r->how == HOW_TOP)
		return judge_top(m, r, to);
	return judge_figure(m, r, to);
}

struct pw_findings_found pw_findings(const struct pw_metrics *m,
				     struct pw_report *report)
{
	struct pw_node *section =
		pw_section(pw_report_root(report), "findings", "Findings");
	struct pw_findings_found found = { 0 };
	struct findings f = { 0 };
	const struct rule *rules = rules_all(&found.n_rules);

	pw_page_tab(section, "Overview");
	for (uint32_t i = 0; i < found.n_rules; i++)
		found.n_unasked += !judge(m, &rules[i], &f);
	if (f.n)
		qsort(f.all, f.n, sizeof(*f.all), by_severity);
	for (uint32_t i = 0; i < f.n; i++)
		found.n[f.all[i].severity]++;
	tell(section, &f);
	pw_note(section, "rules",
		"%u rules; of %u the figures were not read here, so they say "
		"nothing.",
		found.n_rules, found.n_unasked);
	findings_release(&f);
	return found;
}
