// SPDX-License-Identifier: GPL-2.0-only
/* What was read and what that cost; what the machine is. */
#include <stdlib.h>
#include <string.h>

#include "metrics-report.h"

#define TEXT_FACTS 40u /* a group with more is not in text */

/* --- sources ----------------------------------------------------------------------------- */

struct source_columns {
	struct pw_node *t;
	int source, state, reads, each, cost;
};

static void source_row(const struct source_columns *c,
		       const struct pw_metrics_read *s)
{
	pw_row(c->t);
	pw_cell_str(c->t, c->source, s->source);
	pw_cell_str(c->t, c->state, s->state ? s->state : "read");
	if (!s->reads)
		return;
	pw_cell_int(c->t, c->reads, (int64_t)s->reads);
	pw_cell_num(c->t, c->each, (double)s->cost_ns / (double)s->reads);
	pw_cell_int(c->t, c->cost, (int64_t)s->cost_ns);
}

void show_sources(const struct report_view *v)
{
	struct source_columns c;
	struct pw_node *n;
	uint64_t cost = 0;

	if (!pw_metrics_n_sources(v->m))
		return;
	n = pw_section(pw_report_root(v->r), "sources", "Sources");
	c.t = pw_table(n, "sources", "What was read, and its cost");
	c.source = pw_column(c.t, "source", "Source", PW_UNIT_NONE, 0);
	c.state = pw_column(c.t, "state", "State", PW_UNIT_NONE, PW_COL_TRUNC);
	c.reads = number_column(c.t, "reads", "Read", PW_UNIT_COUNT, 0);
	c.each = number_column(c.t, "each", "Each", PW_UNIT_NS, 0);
	c.cost = number_column(c.t, "cost", "CPU time", PW_UNIT_NS, 0);
	for (uint32_t i = 0; i < pw_metrics_n_sources(v->m); i++) {
		struct pw_metrics_read s = pw_metrics_get_source(v->m, i);

		source_row(&c, &s);
		cost += s.cost_ns;
	}
	pw_fact_int(n, "cost", "CPU time of all reading", (int64_t)cost,
		    PW_UNIT_NS);
}

/* --- facts ---------------------------------------------------------------------------------- */

static uint32_t group_size(const struct pw_metrics *m, const char *group)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < pw_metrics_n_facts(m); i++)
		n += !strcmp(pw_metrics_get_fact(m, i).group, group);
	return n;
}

static bool was_before(const struct pw_metrics *m, uint32_t i)
{
	const char *group = pw_metrics_get_fact(m, i).group;

	/* most stand behind one of their own */
	for (uint32_t k = i; k-- > 0;)
		if (!strcmp(pw_metrics_get_fact(m, k).group, group))
			return true;
	return false;
}

static void facts_table(const struct pw_metrics *m, const char *group,
			struct pw_node *section)
{
	struct pw_node *t = pw_table(section, "facts", NULL);
	bool is_long = group_size(m, group) > TEXT_FACTS;
	int key = pw_column(t, "key", "What", PW_UNIT_NONE, 0);
	int value = pw_column(t, "value", "Is", PW_UNIT_NONE, PW_COL_TRUNC);

	if (is_long)
		pw_table_only_drawn(t);
	for (uint32_t i = 0; i < pw_metrics_n_facts(m); i++) {
		struct pw_metrics_known f = pw_metrics_get_fact(m, i);

		if (strcmp(f.group, group))
			continue;
		pw_row(t);
		pw_cell_str(t, key, f.key);
		pw_cell_str(t, value, f.value);
	}
}

static void show_group(const struct report_view *v, const char *group)
{
	char *key = key_of("machine", group);
	struct pw_node *n = pw_section(pw_report_root(v->r), key, group);

	pw_page_tab(n, "Machine");
	facts_table(v->m, group, n);
	if (group_size(v->m, group) > TEXT_FACTS)
		pw_page_only(n);
	free(key);
}

void show_facts(const struct report_view *v)
{
	for (uint32_t i = 0; i < pw_metrics_n_facts(v->m); i++)
		if (!was_before(v->m, i))
			show_group(v, pw_metrics_get_fact(v->m, i).group);
}
