// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why a finding is slow, as part of its report: the best explanations with
 * their evidence, and the hot loops with what they hand from turn to turn.
 */
#include "../explain/explain-step.h"

#include <inttypes.h>
#include <string.h>

#define SHOWN_MAX     3
#define SHOWN_LEAST   0.3
#define LOOPS_MAX     4
#define CHAIN_OPCODES 16

/* --- explanations ------------------------------------------------------------------ */

static void present_insns(struct pw_node *s, const struct why *w,
			  const struct pw_explanation *x)
{
	struct pw_buf b = { 0 };

	for (uint32_t i = 0; i < x->n_insns && i < 8; i++) {
		const struct pw_minsn *in = &w->slow->insns[x->insns[i]];

		pw_buf_printf(&b, "%s%s at 0x%" PRIx64, i ? ", " : "",
			      in->opcode, in->text_off);
	}
	if (x->n_insns > 8)
		pw_buf_printf(&b, " and %u more", x->n_insns - 8);
	if (x->n_insns)
		pw_fact_str(s, "insns", "instructions", pw_buf_str(&b));
	pw_buf_release(&b);
}

static void present_evidence(struct pw_node *s, const struct pw_explanation *x)
{
	struct pw_buf b = { 0 };

	for (uint32_t i = 0; i < x->n_evidence; i++)
		pw_buf_printf(&b, "%s%s", i ? " " : "", x->evidence[i]);
	pw_note(s, "evidence", "%s", pw_buf_str(&b));
	pw_buf_release(&b);
}

static void present_one(struct pw_node *s, const struct why *w,
			const struct pw_explanation *x, bool best)
{
	char title[96];
	struct pw_node *item;

	snprintf(title, sizeof(title), "%s: %s", best ? "Why" : "Or",
		 pw_pattern_name(x->pattern));
	item = pw_section_item(s, "why", title);
	pw_fact_str(item, "pattern", "pattern", pw_pattern_id(x->pattern));
	pw_fact_num(item, "confidence", "confidence", x->confidence,
		    PW_UNIT_NONE);
	present_insns(item, w, x);
	pw_fact_str(item, "probe", x->probed ? "probed by" : "a probe would be",
		    pw_pattern_probe(x->pattern));
	if (x->probed)
		pw_fact_str(item, "probe_result", "which",
			    x->result == PW_PROBE_CONFIRMED ? "confirmed it"
							    : "refuted it");
	present_evidence(item, x);
	if (best)
		pw_note(item, "help", "%s", pw_pattern_help(x->pattern));
}

/* --- loops -------------------------------------------------------------------------- */

static void chain_text(const struct why *w, const struct pw_loop_study *l,
		       struct pw_buf *b)
{
	const struct pw_loop_chain *c = &l->chains[0];

	for (uint32_t i = 0; i < c->n && i < CHAIN_OPCODES; i++)
		pw_buf_printf(b, "%s%s", i ? " > " : "",
			      w->slow->insns[c->insns[i]].opcode);
	if (c->n > CHAIN_OPCODES)
		pw_buf_printf(b, " > ...");
}

static void present_loop(struct pw_node *t, const struct why *w,
			 const struct pw_loop_study *l, bool sampled)
{
	struct pw_buf chain = { 0 };

	pw_row(t);
	pw_cell_int(t, 0, (int64_t)w->slow->insns[l->head].text_off);
	pw_cell_int(t, 1, l->n_insns);
	if (sampled)
		pw_cell_num(t, 2, l->share);
	pw_cell_int(t, 3, l->n_invariant);
	pw_cell_int(t, 4, l->n_slots);
	pw_cell_int(t, 5, l->n_chains ? l->chains[0].n : 0);
	pw_cell_num(t, 6, l->cycles);
	if (l->n_chains)
		chain_text(w, l, &chain);
	pw_cell_str(t, 7, pw_buf_str(&chain));
	pw_buf_release(&chain);
}

static void present_loops(const struct hunt *h, struct pw_node *s,
			  const struct why *w)
{
	struct pw_node *t = pw_table(s, "loops", "Its hot loops");

	pw_column(t, "head", "head", PW_UNIT_HEX, PW_COL_RIGHT);
	pw_column(t, "insns", "insns", PW_UNIT_COUNT, PW_COL_RIGHT);
	pw_column(t, "samples", "samples", PW_UNIT_PERCENT, PW_COL_RIGHT);
	pw_column(t, "invariant", "unchanging", PW_UNIT_COUNT, PW_COL_RIGHT);
	pw_column(t, "slots", "by stack", PW_UNIT_COUNT, PW_COL_RIGHT);
	pw_column(t, "chain_insns", "chain", PW_UNIT_COUNT, PW_COL_RIGHT);
	pw_column(t, "chain_cycles", "its cycles", PW_UNIT_NONE, PW_COL_RIGHT);
	pw_column(t, "chain", "from turn to turn", PW_UNIT_NONE, PW_COL_TRUNC);
	for (uint32_t i = 0; i < w->n_loops && i < LOOPS_MAX; i++)
		present_loop(t, w, &w->loops[i], h->samples.n);
}

/* What is predicted of all turns beside what they took. */
static void present_turns(struct pw_node *s, const struct why *w,
			  const struct group *g)
{
	double cycles = w->mca_slow.cycles * (double)w->turns;
	double ns = g->base_ms * 1e6 * w->loops[0].share;

	if (!w->turns)
		return;
	pw_fact_int(s, "turns", "turns of the loop in one run",
		    (int64_t)w->turns, PW_UNIT_COUNT);
	if (!(cycles > 0) || !(ns > 0))
		return;
	pw_fact_num(s, "mca_cycles_all", "predicted cycles of all of them",
		    cycles, PW_UNIT_COUNT);
	pw_fact_num(s, "loop_ns", "measured time in the loop", ns, PW_UNIT_NS);
	pw_fact_num(s, "mca_ghz", "GHz of a clock that fits both", cycles / ns,
		    PW_UNIT_NONE);
}

/* Predicted ratio beside the measured one. */
static void present_mca(struct pw_node *s, const struct why *w,
			const struct group *g)
{
	if (!(w->mca_slow.cycles > 0)) {
		if (w->n_loops)
			pw_note(s, "no_mca", "%s.", w->no_mca.msg);
		return;
	}
	pw_fact_num(s, "mca_cycles", "llvm-mca: cycles a turn",
		    w->mca_slow.cycles, PW_UNIT_NONE);
	pw_fact_str(s, "mca_cpu", "its processor", w->mca_slow.cpu);
	if (!(w->mca_fast.cycles > 0))
		return;
	pw_fact_num(s, "mca_cycles_after", "of the mutant", w->mca_fast.cycles,
		    PW_UNIT_NONE);
	pw_fact_num(s, "mca_ratio", "so it would be slower by",
		    w->mca_slow.cycles / w->mca_fast.cycles, PW_UNIT_RATIO);
	if (g->ms > 0)
		pw_fact_num(s, "measured_ratio", "measured", g->base_ms / g->ms,
			    PW_UNIT_RATIO);
}

const char *why_name(const struct hunt *h, size_t i)
{
	const struct why *w = i < h->n_whys ? &h->whys[i] : NULL;

	return w && w->n && w->list[0].confidence >= SHOWN_LEAST
		       ? pw_pattern_name(w->list[0].pattern)
		       : NULL;
}

void present_why(struct hunt *h, struct pw_node *s, size_t i)
{
	const struct why *w = i < h->n_whys ? &h->whys[i] : NULL;
	uint32_t shown = 0;

	pw_section_array(s, "why");
	if (!w || !w->slow)
		return;
	for (uint32_t k = 0; k < w->n && k < SHOWN_MAX; k++)
		if (!k || w->list[k].confidence >= SHOWN_LEAST) {
			present_one(s, w, &w->list[k], !k);
			shown++;
		}
	if (!shown)
		pw_note(s, "no_why",
			"The hot loops show no pattern that is known to be slow.");
	if (w->no_probe[0])
		pw_note(s, "no_probe", "%s", w->no_probe);
	if (w->n_loops)
		present_loops(h, s, w);
	present_mca(s, w, &h->groups[h->findings[i]]);
	present_turns(s, w, &h->groups[h->findings[i]]);
	if (h->no_counters[0] && !i) /* it holds for all */
		pw_note(s, "no_counters", "There are %s.", h->no_counters);
}
