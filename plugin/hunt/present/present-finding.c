// SPDX-License-Identifier: GPL-2.0-only
/*
 * One finding of a hunt's report: the wasm instruction, the mutation that
 * cured it, what that did to every clock, and both machine codes around the
 * instructions that went away.
 */
#include "../explain/explain-step.h"
#include "../isolate/isolate.h"
#include "../judge.h"
#include "present.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ACCUSED_SHOWN 40 /* instructions */
/* Lines of code shown around an accused instruction. */
#define CONTEXT 6

/* --- wasm instructions by offset ------------------------------------------------- */

struct wasm_line {
	uint64_t off;
	char text[64];
};

struct wasm_text {
	struct wasm_line *v;
	size_t n, cap;
};

static void wasm_text_add(const struct hunt *h, struct wasm_text *t,
			  const struct pw_insn *in)
{
	struct pw_buf b = { 0 };

	if (t->n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 256;
		t->v = pw_realloc(t->v, t->cap * sizeof(*t->v));
	}
	pw_insn_print(h->module, in, &b);
	t->v[t->n].off = in->off;
	snprintf(t->v[t->n].text, sizeof(t->v[t->n].text), "%s",
		 pw_buf_str(&b));
	t->n++;
	pw_buf_release(&b);
}

static void wasm_text_init(const struct hunt *h, struct wasm_text *t,
			   uint32_t func_idx)
{
	struct pw_walk *w = pw_walk_new(h->module);
	struct pw_insn in;

	memset(t, 0, sizeof(*t));
	if (!pw_walk_start(w, func_idx, NULL))
		while (pw_walk_next(w, &in, NULL) == 1)
			wasm_text_add(h, t, &in);
	pw_walk_free(w);
}

/* "@0x1c f64.mul", or "" */
static void wasm_note(const struct hunt *h, const struct wasm_text *t,
		      uint64_t off, char *dst, size_t size)
{
	*dst = 0;
	for (size_t i = 0; i < t->n && off != PW_NO_OFF; i++)
		if (t->v[i].off == off) {
			snprintf(dst, size, "@0x%llx %s",
				 (unsigned long long)(off - h->shift),
				 t->v[i].text);
			return;
		}
}

/* --- machine instructions --------------------------------------------------------- */

static void insn_text(const struct pw_minsn *in, char *dst, size_t size)
{
	snprintf(dst, size, "%s%s%s%s%s", in->opcode,
		 in->operands[0] ? " " : "", in->operands,
		 in->note[0] ? " # " : "", in->note);
}

/* --- the facts ---------------------------------------------------------------------- */

/* The origin of the first accused, or of one that has nearly its samples:
 * what a register allocator puts in has none. */
static void note_of_slow(struct hunt *h, const struct evidence *e,
			 const struct wasm_text *t, char *note, size_t size)
{
	double least = e->accused[0].skid * 0.75;

	*note = 0;
	for (uint32_t i = 0; i < e->n_accused && !*note; i++)
		if (e->accused[i].skid >= least)
			wasm_note(h, t,
				  e->slow->insns[e->accused[i].insn].wasm_off,
				  note, size);
}

static void present_slow(struct hunt *h, struct pw_node *s,
			 const struct evidence *e, const struct wasm_text *t)
{
	char text[192];

	if (!e || !e->n_accused)
		return;
	insn_text(&e->slow->insns[e->accused[0].insn], text, sizeof(text));
	pw_fact_str(s, "slow_code", "slow machine instruction", text);
	note_of_slow(h, e, t, text, sizeof(text));
	pw_fact_str(s, "slow", "slow wasm instruction",
		    *text ? text : "none: the compiler's own");
}

static void present_place(struct hunt *h, struct pw_node *s,
			  const struct pw_mutation *mut,
			  const struct evidence *e, const struct wasm_text *t)
{
	char name[160], what[128];
	char *text = hunt_notation(h, mut);

	pw_module_func_name(h->given, mut->func_idx, name, sizeof(name));
	wasm_note(h, t, mut->insn_off, what, sizeof(what));
	present_slow(h, s, e, t);
	pw_fact_int(s, "func_idx", "function", mut->func_idx, PW_UNIT_NONE);
	pw_fact_str(s, "func_name", "its name", *name ? name : NULL);
	pw_fact_int(s, "insn_idx", "mutated instruction", mut->insn_idx,
		    PW_UNIT_NONE);
	pw_fact_int(s, "offset", "its offset in the file",
		    (int64_t)(mut->insn_off - h->shift), PW_UNIT_HEX);
	pw_fact_str(s, "instruction", "it is",
		    strchr(what, ' ') ? strchr(what, ' ') + 1
				      : pw_op_info(mut->old_op)->name);
	pw_fact_str(s, "mutation", "cured by", text);
	free(text);
}

/* What the counts say; the block that differs most is named. */
static void present_counts(struct hunt *h, struct pw_node *s,
			   const struct group *g, const struct wasm_text *t)
{
	char text[256], note[96];

	if (g->counts == COUNTS_UNKNOWN)
		return;
	if (g->counts == COUNTS_SAME) {
		snprintf(text, sizeof(text),
			 "every block is executed as often as before%s",
			 h->counts.n_left_out ? ", of those counted" : "");
	} else {
		wasm_note(h, t, g->block_off, note, sizeof(note));
		snprintf(text, sizeof(text),
			 "other: the block at %s%s is executed %llu times, "
			 "before it was %llu",
			 *note ? "" : "an offset of another function", note,
			 (unsigned long long)g->block_is,
			 (unsigned long long)g->block_was);
	}
	pw_fact_str(s, "counts", "its paths", text);
}

/* Only what speaks against the mutant. */
static void present_chain(struct pw_node *s, const struct group *g)
{
	char text[192];

	if (!chain_is_cut(g))
		return;
	snprintf(
		text, sizeof(text),
		"cut: what it hands from turn to turn takes %.0f cycles where it was %.0f, so it may be fast for doing less",
		g->evidence->chain_is, g->evidence->chain_was);
	pw_fact_str(s, "chain", "its chains", text);
}

static void present_effect(struct hunt *h, struct pw_node *s,
			   const struct group *g, const struct wasm_text *t)
{
	pw_fact_interval(s, "closed", "gap closed", g->closed, g->closed_ci.lo,
			 g->closed_ci.hi, PW_UNIT_PERCENT);
	pw_fact_num(s, "suspect_before_ms", "suspect before", g->base_ms * 1e6,
		    PW_UNIT_NS);
	pw_fact_num(s, "suspect_after_ms", "suspect after", g->ms * 1e6,
		    PW_UNIT_NS);
	pw_fact_str(s, "witness", "the work",
		    g->same_digest
			    ? "memories, globals and output end as before"
			    : "memories, globals or output end otherwise");
	present_counts(h, s, g, t);
	present_chain(s, g);
	pw_fact_num(s, "score", "score", g->score, PW_UNIT_NONE);
	pw_fact_int(s, "members", "mutants of this machine code", g->n_members,
		    PW_UNIT_COUNT);
}

static const char clock_same[] = "the same work";
static const char clock_other[] = "other work";

/* What an oracle's clock says of the mutant's work. */
static const char *clock_says(const struct runner *r, const struct verdict *v)
{
	if (!r->tracks_work)
		return "not believed";
	return score_same_time(v->ms, v->base_ms) >= 0.5 ? clock_same
							 : clock_other;
}

static void present_oracles(struct hunt *h, struct pw_node *s,
			    const struct group *g)
{
	struct pw_node *t = pw_table(s, "oracles", "The same mutant elsewhere");
	int who = pw_column(t, "runtime", "oracle", PW_UNIT_NONE, 0);
	int before = pw_column(t, "before_ms", "before ms", PW_UNIT_MS,
			       PW_COL_RIGHT);
	int after =
		pw_column(t, "after_ms", "after ms", PW_UNIT_MS, PW_COL_RIGHT);
	int same = pw_column(t, "ends_same", "ends the same", PW_UNIT_NONE, 0);
	int work = pw_column(t, "work", "its clock", PW_UNIT_NONE, 0);
	bool kept = false, lost = false;

	for (size_t i = 0; i < h->n_oracles; i++) {
		const char *says = clock_says(&h->oracles[i], &g->on[i]);

		if (!h->oracles[i].usable)
			continue;
		kept |= says == clock_same;
		lost |= says == clock_other;
		pw_row(t);
		pw_cell_str(t, who, h->oracles[i].rt.spec);
		pw_cell_num(t, before, g->on[i].base_ms);
		if (g->on[i].outcome == h->oracles[i].base.outcome)
			pw_cell_num(t, after, g->on[i].ms);
		pw_cell_str(t, same, g->on[i].same_digest ? "yes" : "no");
		pw_cell_str(t, work, says);
	}
	if (kept && lost)
		pw_note(s, "disagreement",
			"The oracles disagree: by the clock of one the work is "
			"the same, by that of another it is not.");
}

/* --- machine code ------------------------------------------------------------------- */

/* Where a mutant makes a whole function another there are thousands; those
 * with most samples are told. */
static uint32_t n_shown(const struct evidence *e)
{
	return e->n_accused < ACCUSED_SHOWN ? e->n_accused : ACCUSED_SHOWN;
}

static void present_accused(struct hunt *h, struct pw_node *s,
			    const struct evidence *e,
			    const struct wasm_text *wt)
{
	struct pw_node *t = pw_table(s, "machine_code",
				     "Machine instructions that only the slow "
				     "code has, in its hot loop");
	int addr =
		pw_column(t, "text_off", "offset", PW_UNIT_HEX, PW_COL_RIGHT);
	int text = pw_column(t, "insn", "instruction", PW_UNIT_NONE, 0);
	int share = pw_column(t, "samples", "samples", PW_UNIT_PERCENT,
			      PW_COL_RIGHT);
	int susp = pw_column(t, "suspicion", "suspicion", PW_UNIT_NONE,
			     PW_COL_RIGHT);
	int wasm = pw_column(t, "wasm", "from", PW_UNIT_NONE, 0);
	int moved = pw_column(t, "moved", "", PW_UNIT_NONE, 0);

	for (uint32_t i = 0; i < n_shown(e); i++) {
		const struct accused *a = &e->accused[i];
		const struct pw_minsn *in = &e->slow->insns[a->insn];
		char line[192], note[96];

		insn_text(in, line, sizeof(line));
		wasm_note(h, wt, in->wasm_off, note, sizeof(note));
		pw_row(t);
		pw_cell_int(t, addr, (int64_t)in->text_off);
		pw_cell_str(t, text, line);
		if (h->samples.n)
			pw_cell_num(t, share, a->share);
		pw_cell_num(t, susp, a->suspicion);
		pw_cell_str(t, wasm, note);
		if (a->moved)
			pw_cell_str(t, moved,
				    "moved: the fast code has it elsewhere");
	}
	if (e->n_accused > n_shown(e))
		pw_note(s, "more_accused",
			"And %u more: the mutant is compiled in another way as "
			"a whole.",
			e->n_accused - n_shown(e));
}

static bool is_accused(const struct evidence *e, int32_t insn)
{
	for (uint32_t i = 0; i < n_shown(e); i++)
		if ((int32_t)e->accused[i].insn == insn)
			return true;
	return false;
}

/* Lines near an accused one; without any, near every difference. */
static bool *lines_shown(const struct evidence *e)
{
	bool *shown = pw_zalloc(e->n_lines + 1);

	for (uint32_t i = 0; i < e->n_lines; i++) {
		const struct pw_code_diff_line *l = &e->lines[i];
		uint32_t lo = i > CONTEXT ? i - CONTEXT : 0;
		bool centre = e->n_accused ? l->side == PW_CODE_DIFF_SLOW &&
						     is_accused(e, l->slow_idx)
					   : l->side != PW_CODE_DIFF_SAME;

		for (uint32_t k = lo;
		     centre && k <= i + CONTEXT && k < e->n_lines; k++)
			shown[k] = true;
	}
	return shown;
}

static void add_line(struct hunt *h, struct pw_node *listing,
		     const struct evidence *e,
		     const struct pw_code_diff_line *l,
		     const struct wasm_text *wt)
{
	char texts[2][192], addrs[2][24], note[96];
	struct pw_line left = { .share = -1 }, right = { .share = -1 };
	bool guilty =
		l->side == PW_CODE_DIFF_SLOW && is_accused(e, l->slow_idx);

	if (l->side != PW_CODE_DIFF_FAST) {
		const struct pw_minsn *in = &e->slow->insns[l->slow_idx];

		insn_text(in, texts[0], sizeof(texts[0]));
		snprintf(addrs[0], sizeof(addrs[0]), "0x%llx",
			 (unsigned long long)in->text_off);
		wasm_note(h, wt, in->wasm_off, note, sizeof(note));
		left = (struct pw_line){
			addrs[0], texts[0], *note ? note : NULL,
			h->samples.n ? e->slow->share[l->slow_idx] : -1
		};
	}
	if (l->side != PW_CODE_DIFF_SLOW) {
		const struct pw_minsn *in = &e->fast[l->fast_idx];

		insn_text(in, texts[1], sizeof(texts[1]));
		snprintf(addrs[1], sizeof(addrs[1]), "0x%llx",
			 (unsigned long long)in->text_off);
		right = (struct pw_line){ addrs[1], texts[1], NULL, -1 };
	}
	pw_listing_add(listing,
		       guilty                         ? PW_MARK_GUILTY
		       : l->side == PW_CODE_DIFF_SLOW ? PW_MARK_LEFT
		       : l->side == PW_CODE_DIFF_FAST ? PW_MARK_RIGHT
						      : PW_MARK_SAME,
		       left.text ? &left : NULL, right.text ? &right : NULL);
}

static bool any_shown(const bool *shown, uint32_t n)
{
	return n && memchr(shown, true, n);
}

static void present_codes(struct hunt *h, struct pw_node *s,
			  const struct evidence *e, const struct wasm_text *wt)
{
	bool *shown = lines_shown(e);
	bool gap = false;
	struct pw_node *l;

	if (!any_shown(shown, e->n_lines))
		goto out;
	l = pw_listing(s, "code", "Machine code on the suspect", "original",
		       "mutant");
	for (uint32_t i = 0; i < e->n_lines; i++) {
		if (shown[i])
			add_line(h, l, e, &e->lines[i], wt);
		else if (!gap)
			pw_listing_add(l, PW_MARK_GAP, NULL, NULL);
		gap = !shown[i];
	}
out:
	free(shown);
}

void present_finding(struct hunt *h, struct pw_node *root, size_t i,
		     size_t number)
{
	const struct group *g = &h->groups[h->findings[i]];
	const struct pw_mutation *mut = &h->candidates[g->candidate].mut;
	const struct evidence *e = g->evidence;
	struct wasm_text wt;
	char title[96];
	struct pw_node *s;

	snprintf(title, sizeof(title), "Finding %zu: %s", number,
		 hunt_is_placement(g) ? "code placement"
				      : why_name(h, i)
				      ?: pw_op_info(mut->old_op)->name);
	s = pw_section_item(root, "findings", title);
	wasm_text_init(h, &wt, mut->func_idx);
	present_place(h, s, mut, e, &wt);
	present_effect(h, s, g, &wt);
	present_oracles(h, s, g);
	present_held(h, s, g);
	if (e && e->func_idx != mut->func_idx) {
		free(wt.v);
		wasm_text_init(h, &wt, e->func_idx);
	}
	if (e && e->n_accused)
		present_accused(h, s, e, &wt);
	else
		pw_note(s, "no_accused",
			"No opcode of the hot code went away: registers, an "
			"immediate, operands or the place of the code make the "
			"difference.");
	present_why(h, s, i);
	if (e)
		present_codes(h, s, e, &wt);
	free(wt.v);
}
