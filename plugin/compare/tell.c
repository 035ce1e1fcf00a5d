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

static bool is_share(const struct comparison *c, const struct table *t,
		     const struct measure *m)
{
	return c->opts.per == PW_PER_WHOLE && !t->is_facts &&
	       m->amount == PW_AMOUNT_TOTAL;
}

enum pw_unit unit_of(const struct comparison *c, const struct table *t,
		     const struct measure *m)
{
	return is_share(c, t, m) ? PW_UNIT_PERCENT : m->unit;
}

char *quantity_text(const struct comparison *c, const struct table *t,
		    const struct measure *m, double value, bool is_change)
{
	bool is_rate =
		m->amount == PW_AMOUNT_TOTAL && c->opts.per == PW_PER_SECOND;
	enum pw_unit unit = unit_of(c, t, m);
	char text[64];

	/* of a rate, parts of a thing are no more than noise */
	if (unit == PW_UNIT_COUNT || unit == PW_UNIT_NS)
		value = fabs(value) >= 10 ? round(value) : value;
	pw_quantity(text, sizeof(text), value, unit);
	return pw_asprintf("%s%s%s", is_change && value > 0 ? "+" : "", text,
			   is_rate ? "/s" : "");
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

static bool has_it(const struct comparison *c, const struct figure *f,
		   uint32_t side)
{
	uint32_t run = first_run(c, side);

	for (uint32_t i = 0; i < c->sides[side].n_runs; i++)
		if (f->runs[run + i].n_rows)
			return true;
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

/* --- what differs --------------------------------------------------------------------- */

struct found {
	const struct figure *f;
	uint32_t side;
	double weight;
};

static int heavier(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->f->number != y->f->number)
		return x->f->number < y->f->number ? -1 : 1;
	return x->side < y->side ? -1 : x->side > y->side;
}

static struct found *find_all(struct comparison *c, uint32_t *n)
{
	struct found *all = pw_alloc((c->n_different + 1) * sizeof(*all));
	struct figure *f, *next;

	*n = 0;
	HASH_ITER (hh, c->figures, f, next) {
		for (uint32_t s = 1; s < c->n_sides; s++)
			if (is_different(f->judged[s].verdict))
				all[(*n)++] =
					(struct found){ f, s,
							f->judged[s].weight };
	}
	qsort(all, *n, sizeof(*all), heavier);
	return all;
}

enum {
	COL_WHAT,
	COL_OF,
	COL_SIDE,
	COL_A,
	COL_B,
	COL_DIFFERENCE,
	COL_ERROR,
	COL_WEIGHT,
	COL_VERDICT,
	COL_NOTE,
	COL_FROM,
	COL_TO,
	COL_LO,
	COL_HI,
	N_COLS
};

static struct pw_node *differences_table(const struct comparison *c,
					 struct pw_node *root)
{
	struct pw_node *t =
		pw_table(root, "differences", "What differs, most first");
	bool two = c->n_sides == 2;

	pw_column(t, "what", "What", PW_UNIT_NONE, 0);
	pw_column(t, "of", "Of", PW_UNIT_NONE, 0);
	pw_column(t, "side", "In", PW_UNIT_NONE, two ? PW_COL_JSON_ONLY : 0);
	pw_column(t, "first", c->sides[0].label, PW_UNIT_NONE, PW_COL_RIGHT);
	pw_column(t, "second", two ? c->sides[1].label : "There", PW_UNIT_NONE,
		  PW_COL_RIGHT);
	pw_column(t, "difference", "Difference", PW_UNIT_NONE, PW_COL_RIGHT);
	pw_column(t, "error", "+-", PW_UNIT_NONE, PW_COL_RIGHT);
	pw_column(t, "weight", "Whole", PW_UNIT_PERCENT, PW_COL_RIGHT);
	pw_column(t, "verdict", "Verdict", PW_UNIT_NONE, 0);
	pw_column(t, "note", "Where", PW_UNIT_NONE, 0);
	pw_column(t, "from", "From", PW_UNIT_NONE, PW_COL_JSON_ONLY);
	pw_column(t, "to", "To", PW_UNIT_NONE, PW_COL_JSON_ONLY);
	pw_column(t, "lo", "at least", PW_UNIT_NONE, PW_COL_JSON_ONLY);
	pw_column(t, "hi", "at most", PW_UNIT_NONE, PW_COL_JSON_ONLY);
	return t;
}

static void cell_own(struct pw_node *t, int col, char *text)
{
	pw_cell_str(t, col, text);
	free(text);
}

static void tell_found(const struct comparison *c, struct pw_node *t,
		       const struct found *found)
{
	const struct figure *f = found->f;
	const struct judged *j = &f->judged[found->side];
	const struct table *table = &c->tables[f->table];
	const struct measure *m = measure_of(c, f);

	pw_row(t);
	cell_own(t, COL_WHAT, names_text(f, table));
	cell_own(t, COL_OF,
		 table->is_facts
			 ? pw_strdup(m->title)
			 : pw_asprintf("%s: %s", table->title, m->title));
	pw_cell_str(t, COL_SIDE, c->sides[found->side].label);
	cell_own(t, COL_A,
		 quantity_text(c, table, m, f->sides[0].value, false));
	cell_own(t, COL_B,
		 quantity_text(c, table, m, f->sides[found->side].value,
			       false));
	cell_own(t, COL_DIFFERENCE,
		 quantity_text(c, table, m, j->difference.value, true));
	cell_own(t, COL_ERROR,
		 quantity_text(c, table, m,
			       (j->interval.hi - j->interval.lo) / 2, false));
	pw_cell_num(t, COL_WEIGHT, j->weight);
	pw_cell_str(t, COL_VERDICT, verdict_name(j->verdict));
	cell_own(t, COL_NOTE, alone_text(c, f));
	pw_cell_num(t, COL_FROM, f->sides[0].value);
	pw_cell_num(t, COL_TO, f->sides[found->side].value);
	pw_cell_num(t, COL_LO, j->interval.lo);
	pw_cell_num(t, COL_HI, j->interval.hi);
}

static void tell_differences(struct comparison *c, struct pw_node *root)
{
	struct found *all;
	struct pw_node *t;
	uint32_t n;

	if (!c->n_different) {
		pw_note(root, "nothing",
			"Nothing differs by more than noise and the margin, of %u figure%s judged.",
			c->n_judged, c->n_judged == 1 ? "" : "s");
		return;
	}
	all = find_all(c, &n);
	t = differences_table(c, root);
	for (uint32_t i = 0;
	     i < n && (!c->opts.max_rows || i < c->opts.max_rows); i++)
		tell_found(c, t, &all[i]);
	free(all);
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
		    "An interval misses the truth, of 1", 1 - c->interval_level,
		    PW_UNIT_NONE);
	if (least < 3)
		pw_note(root, "few_runs",
			"There %s: noise is judged by how the figures vary within a run. What differs from run to run, whatever the cause, looks like a change. With three or more runs a side it is told apart.",
			least == 1 ? "is one run on a side"
				   : "are only two runs on a side");
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
				pw_report_get_time(c->sides[s].runs[i]);

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

	for (uint32_t i = 0; i < c->n_texts; i++) {
		if (!texts_differ(c, &c->texts[i]))
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
		pw_cell_str(t, 0, c->texts[i].title);
		for (uint32_t s = 0; s < c->n_sides; s++)
			cell_own(t, (int)s + 1, side_text(c, &c->texts[i], s));
	}
}

/* --- all ------------------------------------------------------------------------------------ */

void tell(struct comparison *c, struct pw_report *to)
{
	struct pw_node *root = pw_report_root(to);

	tell_differences(c, root);
	tell_method(c, root);
	tell_sides(c, root);
	tell_texts(c, root);
	tell_tables(c, root);
}
