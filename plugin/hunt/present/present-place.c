// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a hunt's report says of placement: where the hot loop lies, what it
 * takes there, and at how many placements a finding held.
 */
#include "../place/place.h"
#include "present.h"

#include <math.h>

/* One line more is told of a loop of no more than so many: of a longer one
 * it is too little to explain anything. */
#define FEW_LINES 4

/* How many lines of the instruction cache a loop touches. */
static uint64_t lines_of(const struct hunt *h, size_t at)
{
	uint64_t lo = h->place.at[at].start + h->place.loop_lo;
	uint64_t hi = h->place.at[at].start + h->place.loop_hi;

	return (hi - 1) / LINE_BYTES - lo / LINE_BYTES + 1;
}

static bool has_loop(const struct hunt *h)
{
	return h->place.loop_hi > h->place.loop_lo;
}

static void present_table(const struct hunt *h, struct pw_node *s,
			  const struct group *g)
{
	struct pw_node *t = pw_table(s, "places", "At other placements");
	int start =
		pw_column(t, "start", "function at", PW_UNIT_HEX, PW_COL_RIGHT);
	int line = pw_column(t, "start_mod_64", "mod 64", PW_UNIT_HEX,
			     PW_COL_RIGHT);
	int loop =
		pw_column(t, "loop", "its loop at", PW_UNIT_HEX, PW_COL_RIGHT);
	int lines = pw_column(t, "lines", "64-byte lines of the loop",
			      PW_UNIT_COUNT, PW_COL_RIGHT);
	int before = pw_column(t, "original_ms", "original", PW_UNIT_MS,
			       PW_COL_RIGHT);
	int after =
		pw_column(t, "mutant_ms", "mutant", PW_UNIT_MS, PW_COL_RIGHT);

	for (size_t i = 0; i < h->place.n; i++) {
		const struct placement *p = &h->place.at[i];

		pw_row(t);
		pw_cell_int(t, start, (int64_t)p->start);
		pw_cell_int(t, line, (int64_t)(p->start % LINE_BYTES));
		if (has_loop(h)) {
			pw_cell_int(t, loop,
				    (int64_t)(p->start + h->place.loop_lo));
			pw_cell_int(t, lines, (int64_t)lines_of(h, i));
		}
		pw_cell_num(t, before, p->ms);
		if (g && !isnan(g->at_ms[i]))
			pw_cell_num(t, after, g->at_ms[i]);
	}
}

void present_held(const struct hunt *h, struct pw_node *s,
		  const struct group *g)
{
	if (h->place.n < 2)
		return;
	pw_fact_int(s, "places_tried", "placements with a gap", g->n_places,
		    PW_UNIT_COUNT);
	pw_fact_int(s, "places_held", "of them, it held at", g->n_held,
		    PW_UNIT_COUNT);
	if (hunt_is_placement(g))
		pw_note(s, "placement",
			"This is placement: the mutant is quick where it moved "
			"the code, and not elsewhere. Its instructions are not "
			"the cause.");
	present_table(h, s, g);
}

/* The placement that closes the gap, as a finding of its own. */
void present_placement(struct hunt *h, struct pw_node *root, size_t i)
{
	const struct placement *slow = &h->place.at[0];
	const struct placement *fast = &h->place.at[h->place.best];
	struct pw_node *s;
	char title[64], name[160];

	snprintf(title, sizeof(title), "Finding %zu: code placement", i + 1);
	s = pw_section_item(root, "findings", title);
	pw_module_func_name(h->given, h->place.func_idx, name, sizeof(name));
	pw_fact_str(s, "cause", "cause", "code placement");
	pw_fact_int(s, "func_idx", "function", h->place.func_idx, PW_UNIT_NONE);
	pw_fact_str(s, "func_name", "its name", *name ? name : NULL);
	pw_fact_num(s, "closed_by_moving", "gap closed by moving it",
		    h->place.gain, PW_UNIT_PERCENT);
	pw_fact_int(s, "slow_start_mod_64", "slow at, mod 64",
		    (int64_t)(slow->start % LINE_BYTES), PW_UNIT_HEX);
	pw_fact_int(s, "fast_start_mod_64", "fast at, mod 64",
		    (int64_t)(fast->start % LINE_BYTES), PW_UNIT_HEX);
	if (has_loop(h) && lines_of(h, 0) > lines_of(h, h->place.best) &&
	    lines_of(h, 0) <= FEW_LINES)
		pw_note(s, "crossing",
			"Where it is slow the hot loop of %llu bytes crosses a "
			"64-byte line more than where it is fast.",
			(unsigned long long)(h->place.loop_hi -
					     h->place.loop_lo));
	pw_note(s, "same_code",
		"The machine code of the function is the same at every "
		"placement; only what stands in front of it is longer.");
	present_table(h, s, NULL);
}
