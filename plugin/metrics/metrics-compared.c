// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is compared of a capture's metrics: a table for each family, a row for
 * each figure, with its values in blocks of time. Judges nothing.
 */
#include <perfwasm/metrics.h>

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer readings tell nothing of how a figure varies. */
#define LEAST_READINGS 8u
#define MOST_BLOCKS    64u

struct blocks {
	uint32_t n, bins_a_block;
	struct pw_metrics_span span;
	double *v;
};

/* The least difference that matters where metrics.def does not know it. */
static double usual_least(const struct pw_metric *m)
{
	if (m->def->kind != PW_METRIC_COUNTER)
		return 0;
	switch (m->unit) {
	case PW_UNIT_BYTES:
		return 65536;
	case PW_UNIT_COUNT:
		return 20;
	default:
		return 0.01;
	}
}

/* A counter is compared in the unit it counts in, its mean may be a share. */
static struct pw_cell_how how_of(const struct pw_metric *m)
{
	bool is_counter = m->def->kind == PW_METRIC_COUNTER;
	struct pw_cell_how how = {
		.unit = is_counter ? m->def->unit : m->unit,
		.amount = is_counter         ? PW_AMOUNT_TOTAL
			  : m->def->is_state ? PW_AMOUNT_STATE
					     : PW_AMOUNT_LEVEL,
		.better = m->def->better,
		.least = m->def->matters > 0 ? m->def->matters : usual_least(m),
	};

	if (is_counter && how.unit == PW_UNIT_NS)
		how.least *= 1e9;
	return how;
}

static void fill(struct blocks *b, const struct pw_metric *m, bool is_counter)
{
	for (uint32_t i = 0; i < b->n; i++) {
		double sum = 0;
		uint32_t n = 0;

		for (uint32_t k = 0; k < b->bins_a_block; k++) {
			uint32_t bin = i * b->bins_a_block + k;

			if (bin >= b->span.n_bins || isnan(m->bins[bin]))
				continue;
			sum += m->bins[bin];
			n++;
		}
		/* a process that is not there yet grows by nothing */
		b->v[i] = is_counter ? sum : n ? sum / n : NAN;
	}
}

static void add(struct pw_node *t, const struct pw_metric *m, struct blocks *b)
{
	bool is_counter = m->def->kind == PW_METRIC_COUNTER;

	pw_row(t);
	pw_cell_str(t, 0, m->name);
	pw_cell_str(t, 1, m->instance);
	pw_cell_num(t, 2, is_counter ? m->total : m->mean);
	pw_cell_compared(t, 2, how_of(m));
	if (!m->bins || m->n < LEAST_READINGS)
		return;
	fill(b, m, is_counter);
	pw_cell_blocks(t, 2, b->v, (int)b->n);
}

static struct pw_node *table(struct pw_node *root, const char *family)
{
	struct pw_node *t = pw_table(root, family, family);

	pw_column(t, "metric", "Metric", PW_UNIT_NONE, PW_COL_KEY);
	pw_column(t, "instance", "Of", PW_UNIT_NONE, PW_COL_KEY);
	pw_column(t, "value", "Value", PW_UNIT_NONE, PW_COL_RIGHT);
	pw_column_compared(t, 2, PW_AMOUNT_TOTAL, PW_BETTER_NEITHER);
	return t;
}

/* --- what the machine is --------------------------------------------------------- */

/* What is never the same twice. */
static bool is_changing(struct pw_metrics_known k)
{
	static const char *const changing[][2] = {
#define CHANGING(group, key) { group, key },
#include "changing.def"
#undef CHANGING
	};

	for (size_t i = 0; i < sizeof(changing) / sizeof(*changing); i++)
		if (!fnmatch(changing[i][0], k.group, 0) &&
		    !fnmatch(changing[i][1], k.key, 0))
			return true;
	return false;
}

static void add_facts(const struct pw_metrics *m, struct pw_node *root)
{
	struct pw_node *to = NULL;

	for (uint32_t i = 0; i < pw_metrics_n_facts(m); i++) {
		struct pw_metrics_known k = pw_metrics_get_fact(m, i);
		char *name;

		if (is_changing(k))
			continue;
		if (!to)
			to = pw_section(root, "machine", "Machine");
		name = pw_asprintf("%s/%s", k.group, k.key);
		pw_fact_str(to, name, name, k.value);
		pw_fact_compared(to, PW_AMOUNT_NONE, PW_BETTER_NEITHER);
		free(name);
	}
}

/* --- all ---------------------------------------------------------------------------- */

void pw_metrics_compared(const struct pw_metrics *m, struct pw_report *r)
{
	struct blocks b = { .span = pw_metrics_get_span(m) };
	const char *family = NULL;
	struct pw_node *t = NULL;
	bool is_first;

	b.bins_a_block = (b.span.n_bins + MOST_BLOCKS - 1) / MOST_BLOCKS;
	if (b.bins_a_block)
		b.n = (b.span.n_bins + b.bins_a_block - 1) / b.bins_a_block;
	b.v = pw_alloc((b.n + 1) * sizeof(*b.v));
	pw_report_time(r, b.span.to_ns - b.span.from_ns,
		       b.span.bin_ns * b.bins_a_block);
	pw_report_start(r, b.span.from_ns);
	for (uint32_t i = 0; i < pw_metrics_count(m); i++) {
		const struct pw_metric *one = pw_metrics_get(m, i);

		is_first = !t || strcmp(family, one->family) != 0;
		if (is_first)
			t = table(pw_report_root(r), one->family);
		family = one->family;
		/* a counter that did not grow is nothing, as one that was
		 * never there; but a family that was read has a row */
		if (is_first || one->def->kind != PW_METRIC_COUNTER ||
		    one->total != 0)
			add(t, one, &b);
	}
	free(b.v);
	add_facts(m, pw_report_root(r));
}
