// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes down what differs: a sentence for each group, which can be pasted, and
 * a table of all of it, group by group. Judges nothing.
 */
#include "compare-impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- words ------------------------------------------------------------------------ */

/* What it is called, without which figure of it is meant. */
static char *subject_text(const struct comparison *c, const struct figure *f)
{
	const struct table *t = &c->tables[f->table];
	const char *dot = strrchr(t->where, '.');

	if (t->is_facts)
		return pw_strdup(measure_of(c, f)->title);
	if (f->is_lone && f->kind->layer == LAYER_METRIC)
		return pw_asprintf("%s.%s%s%s", dot ? dot + 1 : t->where,
				   strchr(f->id, ':') + 1,
				   *f->entity ? " " : "", f->entity);
	return pw_strdup(*f->entity ? f->entity : t->title);
}

/* Which figure of it; "": the subject says it. */
static const char *aspect_text(const struct comparison *c,
			       const struct figure *f)
{
	if (c->tables[f->table].is_facts ||
	    (f->is_lone && f->kind->layer == LAYER_METRIC))
		return "";
	return f->is_lone ? strchr(f->id, ':') + 1 : measure_of(c, f)->title;
}

char *short_text(const struct comparison *c, const struct figure *f)
{
	const char *aspect = aspect_text(c, f);
	char *subject = subject_text(c, f);
	char *s = pw_asprintf("%s%s%s", subject, *aspect ? ": " : "", aspect);

	free(subject);
	return s;
}

static char *difference_text(const struct comparison *c, const struct found *x)
{
	return quantity_text(c, x->f, x->f->judged[x->side].difference.value,
			     true);
}

/* "(task, only in new)" */
static void add_word(const struct comparison *c, const struct found *x,
		     struct pw_buf *b)
{
	char *alone = alone_text(c, x->f);

	if (*x->f->kind->word || alone)
		pw_buf_printf(b, " (%s%s%s)", x->f->kind->word,
			      *x->f->kind->word && alone ? ", " : "",
			      alone ? alone : "");
	free(alone);
}

/* In a sentence; the table has all. */
#define MOST_FOLLOWERS 6u

static void add_followers(const struct comparison *c, const struct found *x,
			  uint32_t n, struct pw_buf *b)
{
	for (uint32_t i = 1; i < n && i <= MOST_FOLLOWERS; i++) {
		char *what = short_text(c, x[i].f);
		char *by = difference_text(c, &x[i]);

		pw_buf_printf(b, "%s%s %s", i == 1 ? "; with it " : ", ", what,
			      by);
		free(what);
		free(by);
	}
	if (n > MOST_FOLLOWERS + 1)
		pw_buf_printf(b, " and %u more", n - MOST_FOLLOWERS - 1);
}

/* "thrash (task, only in new): on CPU +99.8 % of a CPU, worse; with it ..." */
static void tell_group(const struct comparison *c, const struct found *x,
		       uint32_t n, struct pw_node *to)
{
	const struct figure *f = x->f;
	const char *aspect = aspect_text(c, f);
	char *what = subject_text(c, f), *by = difference_text(c, x), key[32];
	struct pw_buf b = { 0 };

	pw_buf_printf(&b, "%u. %s", x->group, what);
	add_word(c, x, &b);
	pw_buf_printf(&b, ": %s%s%s", aspect, *aspect ? " " : "", by);
	if (c->n_sides > 2)
		pw_buf_printf(&b, " in %s", c->sides[x->side].label);
	pw_buf_printf(&b, ", %s", verdict_name(f->judged[x->side].verdict));
	add_followers(c, x, n, &b);
	snprintf(key, sizeof(key), "group_%u", x->group);
	pw_note(to, key, "%s.", pw_buf_str(&b));
	pw_buf_release(&b);
	free(what);
	free(by);
}

/* Sentences; a page has a table besides. */
#define MOST_GROUPS 20u

static void tell_groups(const struct comparison *c, struct pw_node *root)
{
	struct pw_node *to =
		pw_section(root, "changes", "What changed, most first");
	uint32_t n = c->n_different, from, len;

	pw_page_tab(to, "Overview");
	for (from = 0; from < n; from += len) {
		len = 1;
		while (from + len < n &&
		       c->found[from + len].group == c->found[from].group)
			len++;
		if (c->found[from].group > MOST_GROUPS) {
			pw_note(to, "more",
				"And %u more; the table below has them.",
				c->n_groups - MOST_GROUPS);
			return;
		}
		tell_group(c, &c->found[from], len, to);
	}
}

/* --- all of it ------------------------------------------------------------------------ */

enum {
	COL_GROUP,
	COL_WHAT,
	COL_OF,
	COL_SIDE,
	COL_A,
	COL_B,
	COL_DIFFERENCE,
	COL_ERROR,
	COL_TIMES,
	COL_VERDICT,
	COL_NOTE,
	COL_ROLE,
	COL_EXPLAINED,
	COL_WEIGHT,
	COL_FROM,
	COL_TO,
	COL_LO,
	COL_HI,
	N_COLS
};

static struct pw_node *differences_table(const struct comparison *c,
					 struct pw_node *root)
{
	enum { FOR_PROGRAMS = PW_COL_JSON_ONLY };
	struct pw_node *t =
		pw_table(root, "differences", "What differs, group by group");
	bool two = c->n_sides == 2;

	pw_column(t, "group", "#", PW_UNIT_NONE, PW_COL_RIGHT);
	pw_column(t, "what", "What", PW_UNIT_NONE, 0);
	pw_column(t, "of", "Of", PW_UNIT_NONE, 0);
	pw_column(t, "side", "In", PW_UNIT_NONE, two ? PW_COL_JSON_ONLY : 0);
	pw_column(t, "first", c->sides[0].label, PW_UNIT_NONE, PW_COL_RIGHT);
	pw_column(t, "second", two ? c->sides[1].label : "There", PW_UNIT_NONE,
		  PW_COL_RIGHT);
	pw_column(t, "difference", "Difference", PW_UNIT_NONE, PW_COL_RIGHT);
	pw_column(t, "error", "+-", PW_UNIT_NONE, PW_COL_RIGHT);
	pw_column(t, "times", "Matters", PW_UNIT_RATIO, PW_COL_RIGHT);
	pw_column(t, "verdict", "Verdict", PW_UNIT_NONE, 0);
	pw_column(t, "note", "Where", PW_UNIT_NONE, 0);
	pw_column(t, "role", "In its group", PW_UNIT_NONE, FOR_PROGRAMS);
	pw_column(t, "explained", "Explained", PW_UNIT_PERCENT, FOR_PROGRAMS);
	pw_column(t, "weight", "Whole", PW_UNIT_PERCENT, FOR_PROGRAMS);
	pw_column(t, "from", "From", PW_UNIT_NONE, FOR_PROGRAMS);
	pw_column(t, "to", "To", PW_UNIT_NONE, FOR_PROGRAMS);
	pw_column(t, "lo", "at least", PW_UNIT_NONE, FOR_PROGRAMS);
	pw_column(t, "hi", "at most", PW_UNIT_NONE, FOR_PROGRAMS);
	return t;
}

/* "Tasks: on CPU, of a CPU" */
static char *of_text(const struct comparison *c, const struct figure *f)
{
	const struct table *t = &c->tables[f->table];
	const char *of = is_cpu_share(c, f) ? ", of a CPU" : "";

	if (t->is_facts)
		return pw_asprintf("%s%s", measure_of(c, f)->title, of);
	if (f->is_lone && f->kind->layer == LAYER_METRIC)
		return pw_asprintf("%s%s", t->title, of);
	if (f->is_lone)
		return pw_asprintf("%s: %s%s", t->title, aspect_text(c, f), of);
	return pw_asprintf("%s: %s%s", t->title, measure_of(c, f)->title, of);
}

static void tell_found(const struct comparison *c, struct pw_node *t,
		       const struct found *found)
{
	const struct figure *f = found->f;
	const struct judged *j = &f->judged[found->side];
	double half = (j->interval.hi - j->interval.lo) / 2;

	pw_row(t);
	pw_cell_int(t, COL_GROUP, found->group);
	cell_own(t, COL_WHAT,
		 f->is_lone ? subject_text(c, f)
			    : names_text(f, &c->tables[f->table]));
	cell_own(t, COL_OF, of_text(c, f));
	pw_cell_str(t, COL_SIDE, c->sides[found->side].label);
	cell_own(t, COL_A, number_text(c, f, f->sides[0].value, false));
	cell_own(t, COL_B,
		 number_text(c, f, f->sides[found->side].value, false));
	cell_own(t, COL_DIFFERENCE,
		 number_text(c, f, j->difference.value, true));
	cell_own(t, COL_ERROR, number_text(c, f, half, false));
	pw_cell_num(t, COL_TIMES, j->times);
	pw_cell_str(t, COL_VERDICT, verdict_name(j->verdict));
	cell_own(t, COL_NOTE, alone_text(c, f));
	pw_cell_str(t, COL_ROLE, found->parent < 0 ? "leads" : "follows");
	if (!isnan(found->explained))
		pw_cell_num(t, COL_EXPLAINED, found->explained);
	pw_cell_num(t, COL_WEIGHT, j->weight);
	pw_cell_num(t, COL_FROM, f->sides[0].value);
	pw_cell_num(t, COL_TO, f->sides[found->side].value);
	pw_cell_num(t, COL_LO, j->interval.lo);
	pw_cell_num(t, COL_HI, j->interval.hi);
}

/* On the page and in JSON; in text the rows of any table are fewer. */
#define MOST_TOLD 1000u

/* Figures of which no side says how they vary. */
static uint32_t n_unknown(const struct comparison *c)
{
	const struct figure *f, *next;
	uint32_t n = 0;

	HASH_ITER (hh, c->figures, f, next)
		for (uint32_t s = 1; s < c->n_sides; s++)
			n += f->judged[s].verdict == VERDICT_UNKNOWN;
	return n;
}

void tell_differences(struct comparison *c, struct pw_node *root)
{
	uint32_t n = c->n_different;
	struct pw_node *t;

	if (!n && !c->n_judged && n_unknown(c)) {
		pw_note(root, "nothing",
			"None of the %u figures can be told from noise: the runs are too short, or do not say how they went over time. Record for longer or read out more often (--interval), or give three runs a side (--base, --new).",
			n_unknown(c));
		return;
	}
	if (!n) {
		pw_note(root, "nothing",
			"Nothing differs by more than noise and the margin, of %u figure%s judged.",
			c->n_judged, c->n_judged == 1 ? "" : "s");
		return;
	}
	if (c->opts.max_rows && n > MOST_TOLD)
		n = MOST_TOLD;
	tell_groups(c, root);
	t = differences_table(c, root);
	for (uint32_t i = 0; i < n; i++)
		tell_found(c, t, &c->found[i]);
}
