// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draws the largest differences over time, all sides in one chart, all charts
 * on one axis of time: the figures in the blocks of their captures.
 */
#include "compare-impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of groups what leads them, then what follows. */
#define MOST_LEADING 16u
#define MOST_DRAWN   24u

struct drawing {
	const struct comparison *c;
	struct pw_node *section;
	uint64_t *starts; /* [n_runs]: of each capture; UINT64_MAX: not told */
	uint32_t n;
};

/* Where the first part of each run begins. */
static void find_starts(struct drawing *d)
{
	struct figure *f, *next;

	memset(d->starts, 0xff, d->c->n_runs * sizeof(*d->starts));
	HASH_ITER (hh, d->c->figures, f, next) {
		for (uint32_t run = 0; run < d->c->n_runs; run++) {
			uint64_t start = f->runs[run].time.start_ns;

			if (start && start < d->starts[run])
				d->starts[run] = start;
		}
	}
}

/* What a block is multiplied by to be shown as the figure's values are. */
static double scale_of(const struct figure *f, const struct sum *s, int i,
		       bool is_cpu)
{
	uint64_t from = (uint64_t)i * s->time.block_ns;
	uint64_t ns = s->time.block_ns;

	if (f->amount != PW_AMOUNT_TOTAL)
		return 1;
	if (s->time.span_ns > from && s->time.span_ns - from < ns)
		ns = s->time.span_ns - from;
	return (is_cpu ? 1 : 1e9) / (double)ns;
}

static void draw_run(const struct drawing *d, const struct figure *f,
		     uint32_t side, bool is_cpu, struct pw_node *t)
{
	uint32_t run = first_run(d->c, side);
	const struct sum *s = &f->runs[run];
	uint64_t start = 0;

	if (s->time.start_ns && d->starts[run] != UINT64_MAX)
		start = s->time.start_ns - d->starts[run];
	for (int i = 0; s->blocks && i < s->n_blocks; i++) {
		uint64_t at = start + (uint64_t)i * s->time.block_ns;

		if (isnan(s->blocks[i]))
			continue;
		pw_row(t);
		pw_cell_int(t, 0, (int64_t)at);
		pw_cell_num(t, 1, s->blocks[i] * scale_of(f, s, i, is_cpu));
		pw_cell_str(t, 2, d->c->sides[side].label);
	}
}

static bool has_blocks(const struct comparison *c, const struct figure *f)
{
	for (uint32_t s = 0; s < c->n_sides; s++) {
		const struct sum *sum = &f->runs[first_run(c, s)];

		if (sum->blocks && sum->n_blocks > 1 && sum->time.block_ns)
			return true;
	}
	return false;
}

static char *title_of(const struct comparison *c, const struct figure *f,
		      bool is_cpu)
{
	char *what = short_text(c, f);
	char *title = pw_asprintf("%s%s", what,
				  is_cpu                         ? ", of a CPU"
				  : f->amount == PW_AMOUNT_TOTAL ? ", a second"
								 : "");

	free(what);
	return title;
}

static void draw(struct drawing *d, const struct figure *f)
{
	bool is_cpu = f->kind->of == OF_CPU && f->unit == PW_UNIT_NS &&
		      f->amount == PW_AMOUNT_TOTAL;
	struct pw_node *t, *chart;
	char key[32], *title;

	if (d->n == MOST_DRAWN || !has_blocks(d->c, f))
		return;
	snprintf(key, sizeof(key), "line_%u", ++d->n);
	title = title_of(d->c, f, is_cpu);
	t = pw_table(d->section, key, title);
	free(title);
	pw_column(t, "time", "Time", PW_UNIT_NS, PW_COL_RIGHT);
	pw_column(t, "value", "Value", is_cpu ? PW_UNIT_PERCENT : f->unit,
		  PW_COL_RIGHT);
	pw_column(t, "side", "Side", PW_UNIT_NONE, 0);
	pw_table_only_drawn(t);
	for (uint32_t s = 0; s < d->c->n_sides; s++)
		draw_run(d, f, s, is_cpu, t);
	chart = pw_chart(t, PW_CHART_LINES, NULL, PW_CHART_TIME);
	pw_chart_role(chart, PW_ROLE_X, 0);
	pw_chart_role(chart, PW_ROLE_Y, 1);
	pw_chart_role(chart, PW_ROLE_GROUP, 2);
}

static bool can_draw(const struct comparison *c)
{
	for (uint32_t i = 0; i < c->n_different; i++)
		if (has_blocks(c, c->found[i].f))
			return true;
	return false;
}

void tell_time(struct comparison *c, struct pw_node *root)
{
	struct drawing d = { .c = c };
	uint32_t n_leading = 0;

	if (!can_draw(c))
		return;
	d.section = pw_section(root, "over_time", "Over time");
	pw_page_only(d.section);
	d.starts = pw_alloc((c->n_runs + 1) * sizeof(*d.starts));
	find_starts(&d);
	for (uint32_t i = 0; i < c->n_different; i++)
		if (c->found[i].parent < 0 && n_leading++ < MOST_LEADING)
			draw(&d, c->found[i].f);
	for (uint32_t i = 0; i < c->n_different; i++)
		if (c->found[i].parent >= 0)
			draw(&d, c->found[i].f);
	free(d.starts);
}
