// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes a comparison down: what differs most, how it was judged, what the
 * sides are. Its tables are in tell-table.c. Judges nothing.
 */
#include "compare-impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- words ------------------------------------------------------------------------- */

enum pw_unit unit_of(const struct comparison *c, const struct table *t,
		     const struct measure *m)
{
	return c->opts.per == PW_PER_WHOLE && !t->is_facts && !t->is_mixed &&
			       m->amount == PW_AMOUNT_TOTAL
		       ? PW_UNIT_PERCENT
		       : m->unit;
}

static bool is_rate(const struct comparison *c, const struct figure *f)
{
	return f->amount == PW_AMOUNT_TOTAL && !is_share(c, f) &&
	       c->opts.per != PW_PER_RUN;
}

bool is_cpu_share(const struct comparison *c, const struct figure *f)
{
	return is_rate(c, f) && f->kind->of == OF_CPU && f->unit == PW_UNIT_NS;
}

char *number_text(const struct comparison *c, const struct figure *f,
		  double value, bool is_change)
{
	bool is_cpu = is_cpu_share(c, f);
	enum pw_unit unit =
		is_share(c, f) || is_cpu ? PW_UNIT_PERCENT : f->unit;
	char text[64];

	if (is_cpu)
		value /= 1e9;
	/* of a rate, parts of a thing are no more than noise */
	if (unit == PW_UNIT_COUNT || unit == PW_UNIT_NS)
		value = fabs(value) >= 10 ? round(value) : value;
	pw_quantity(text, sizeof(text), value, unit);
	return pw_asprintf("%s%s%s", is_change && value > 0 ? "+" : "", text,
			   is_rate(c, f) && !is_cpu ? "/s" : "");
}

char *quantity_text(const struct comparison *c, const struct figure *f,
		    double value, bool is_change)
{
	char *number = number_text(c, f, value, is_change), *s;

	if (!is_cpu_share(c, f))
		return number;
	s = pw_asprintf("%s of a CPU", number);
	free(number);
	return s;
}

char *names_text(const struct figure *f, const struct table *t)
{
	struct pw_buf b = { 0 };

	for (int i = 0; i < t->n_names; i++)
		if (*f->names[i])
			pw_buf_printf(&b, "%s%s", b.len ? ", " : "",
				      f->names[i]);
	if (!b.len)
		pw_buf_printf(&b, "%s", t->n_names ? "(no name)" : t->title);
	pw_buf_str(&b);
	return (char *)b.data;
}

bool has_it(const struct comparison *c, const struct figure *f, uint32_t side)
{
	uint32_t run = first_run(c, side);

	for (uint32_t i = 0; i < c->sides[side].n_runs; i++) {
		const struct sum *s = &f->runs[run + i];

		/* a process that does nothing is as one that is not there */
		if (s->n_rows && !(f->is_lone && s->value == 0))
			return true;
	}
	return false;
}

char *alone_text(const struct comparison *c, const struct figure *f)
{
	struct pw_buf b = { 0 };
	uint32_t n = 0;

	for (uint32_t s = 0; s < c->n_sides; s++) {
		if (!has_it(c, f, s))
			continue;
		pw_buf_printf(&b, "%s%s", n++ ? ", " : "only in ",
			      c->sides[s].label);
	}
	if (n == c->n_sides) {
		pw_buf_release(&b);
		return NULL;
	}
	pw_buf_str(&b);
	return (char *)b.data;
}

/* --- how it was judged ------------------------------------------------------------------- */

static uint32_t fewest_runs(const struct comparison *c)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t s = 0; s < c->n_sides; s++)
		if (c->sides[s].n_runs < least)
			least = c->sides[s].n_runs;
	return least;
}

static void tell_method(const struct comparison *c, struct pw_node *root)
{
	uint32_t least = fewest_runs(c);

	pw_fact_int(root, "judged", "Figures judged", c->n_judged,
		    PW_UNIT_COUNT);
	pw_fact_int(root, "different", "Of them different", c->n_different,
		    PW_UNIT_COUNT);
	pw_fact_num(root, "false_share", "Of those false, on average at most",
		    1 - c->opts.level, PW_UNIT_PERCENT);
	pw_fact_num(root, "min_share", "A difference is at least, of the whole",
		    c->opts.min_share, PW_UNIT_PERCENT);
	pw_fact_num(root, "min_change", "and of the larger value",
		    c->opts.min_change, PW_UNIT_PERCENT);
	pw_fact_str(root, "per", "Totals are compared",
		    c->opts.per == PW_PER_RUN     ? "as they are, by run"
		    : c->opts.per == PW_PER_WHOLE ? "as shares of their whole"
						  : "by second of the capture");
	pw_fact_num(root, "interval_misses",
		    "Chance that an interval misses the truth",
		    1 - c->interval_level, PW_UNIT_NONE);
	if (least < 3)
		pw_note(root, "few_runs",
			"There %s: noise is judged by how the figures vary within a run. What differs from run to run, whatever the cause, looks like a change. With three or more runs a side it is told apart.",
			least == 1 ? "is one run on a side"
				   : "are only two runs on a side");
}

/* The time of a run, or of the longest of its parts. */
static struct pw_report_time time_of(const struct comparison *c, uint32_t run)
{
	struct pw_report_time time = pw_report_get_time(c->runs[run]);
	const struct figure *f, *next;

	if (time.span_ns)
		return time;
	HASH_ITER (hh, c->figures, f, next) {
		if (f->runs[run].time.span_ns > time.span_ns)
			time = f->runs[run].time;
	}
	return time;
}

/* Runs of one length are of a period that was told; of others each may have
 * done the same work. */
#define SAME_TIME 1.1

static double mean_time(const struct comparison *c, uint32_t side)
{
	double sum = 0;

	for (uint32_t i = 0; i < c->sides[side].n_runs; i++)
		sum += (double)time_of(c, first_run(c, side) + i).span_ns;
	return sum / c->sides[side].n_runs;
}

static void tell_times(const struct comparison *c, struct pw_node *root)
{
	double first = mean_time(c, 0);
	char a[32], b[32];

	for (uint32_t s = 1; s < c->n_sides; s++) {
		double its = mean_time(c, s);

		if (c->opts.per != PW_PER_SECOND || !(first > 0 && its > 0) ||
		    (its < SAME_TIME * first && first < SAME_TIME * its))
			continue;
		pw_quantity(a, sizeof(a), first, PW_UNIT_NS);
		pw_quantity(b, sizeof(b), its, PW_UNIT_NS);
		pw_note(root, "times_differ",
			"A run of %s took %s, of %s %s. What is judged is how much of a second each thing took; where every run did the same work, --per run judges what it took for that.",
			c->sides[0].label, a, c->sides[s].label, b);
		return;
	}
}

static void tell_sides(const struct comparison *c, struct pw_node *root)
{
	struct pw_node *t = pw_table(root, "sides", "What is compared");
	int side = pw_column(t, "side", "Side", PW_UNIT_NONE, PW_COL_TRUNC);
	int run = pw_column(t, "run", "Run", PW_UNIT_COUNT, PW_COL_RIGHT);
	int span =
		pw_column(t, "span", "Time captured", PW_UNIT_NS, PW_COL_RIGHT);
	int block =
		pw_column(t, "block", "In blocks of", PW_UNIT_NS, PW_COL_RIGHT);

	for (uint32_t s = 0; s < c->n_sides; s++) {
		for (uint32_t i = 0; i < c->sides[s].n_runs; i++) {
			struct pw_report_time time =
				time_of(c, first_run(c, s) + i);

			pw_row(t);
			pw_cell_str(t, side, c->sides[s].label);
			pw_cell_int(t, run, i + 1);
			if (time.span_ns)
				pw_cell_int(t, span, (int64_t)time.span_ns);
			if (time.block_ns)
				pw_cell_int(t, block, (int64_t)time.block_ns);
		}
	}
}

/* --- texts -------------------------------------------------------------------------------- */

static bool texts_differ(const struct comparison *c, const struct text *t)
{
	for (uint32_t run = 1; run < c->n_runs; run++)
		if (!t->of_run[run] != !t->of_run[0] ||
		    (t->of_run[run] && strcmp(t->of_run[run], t->of_run[0])))
			return true;
	return false;
}

/* The texts of a side's runs, each once. */
static char *side_text(const struct comparison *c, const struct text *t,
		       uint32_t side)
{
	uint32_t n = c->sides[side].n_runs, first = first_run(c, side);
	struct pw_buf b = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		const char *s = t->of_run[first + i];
		bool is_new = s != NULL;

		for (uint32_t k = 0; k < i && is_new; k++)
			is_new = !t->of_run[first + k] ||
				 strcmp(t->of_run[first + k], s);
		if (is_new)
			pw_buf_printf(&b, "%s%s", b.len ? "; " : "", s);
	}
	pw_buf_str(&b);
	return (char *)b.data;
}

static void tell_texts(const struct comparison *c, struct pw_node *root)
{
	struct pw_node *t = NULL;
	struct text *text, *next;

	HASH_ITER (hh, c->texts, text, next) {
		if (!texts_differ(c, text))
			continue;
		if (!t) {
			t = pw_table(root, "recorded",
				     "What else is not the same");
			pw_column(t, "what", "What", PW_UNIT_NONE, 0);
			for (uint32_t s = 0; s < c->n_sides; s++) {
				char key[32];

				snprintf(key, sizeof(key), "side_%u", s + 1);
				pw_column(t, key, c->sides[s].label,
					  PW_UNIT_NONE, PW_COL_TRUNC);
			}
		}
		pw_row(t);
		pw_cell_str(t, 0, text->title);
		for (uint32_t s = 0; s < c->n_sides; s++)
			cell_own(t, (int)s + 1, side_text(c, text, s));
	}
}

/* --- all ------------------------------------------------------------------------------------ */

void tell(struct comparison *c, struct pw_report *to)
{
	struct pw_node *root = pw_report_root(to);

	pw_report_text_rows(to, c->opts.max_rows, true);
	tell_differences(c, root);
	tell_advice(c, root);
	tell_method(c, root);
	tell_sides(c, root);
	tell_times(c, root);
	tell_texts(c, root);
	tell_time(c, root);
	tell_metrics(c, root);
	tell_tables(c, root);
}
