// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a bisection found as a report model: the releases that were tried, and
 * for each change the hot instructions of the slower neighbour.
 */
#include "bisect-impl.h"

#include <stdlib.h>
#include <string.h>

#define ACCUSED_SHOWN 40 /* instructions */
/* Lines of code shown around each. */
#define CONTEXT 4

static void insn_text(const struct pw_minsn *in, char *dst, size_t size)
{
	snprintf(dst, size, "%s%s%s%s%s", in->opcode,
		 in->operands[0] ? " " : "", in->operands,
		 in->note[0] ? " # " : "", in->note);
}

/* --- the releases --------------------------------------------------------------- */

static const char *mark_of(const struct bisect *b, size_t i)
{
	for (size_t k = 0; k < b->n_changes; k++)
		if (b->changes[k].step.after == i)
			return b->changes[k].step.factor > 1
				       ? "slower from here on"
				       : "faster from here on";
	return "";
}

static void present_releases(const struct bisect *b, struct pw_node *root)
{
	struct pw_node *t = pw_table(root, "releases", "Releases tried");
	int who = pw_column(t, "release", "release", PW_UNIT_NONE, 0);
	int ms = pw_column(t, "cpu_ms", "CPU ms", PW_UNIT_MS, PW_COL_RIGHT);
	int ref = pw_column(t, "oracle_ms", "oracle ms", PW_UNIT_MS,
			    PW_COL_RIGHT);
	int ratio =
		pw_column(t, "slower", "ratio", PW_UNIT_RATIO, PW_COL_RIGHT);
	int lo = pw_column(t, "lo", "from", PW_UNIT_RATIO, PW_COL_RIGHT);
	int hi = pw_column(t, "hi", "to", PW_UNIT_RATIO, PW_COL_RIGHT);
	int runs = pw_column(t, "runs", "runs", PW_UNIT_COUNT, PW_COL_RIGHT);
	int note = pw_column(t, "note", "", PW_UNIT_NONE, 0);

	for (size_t i = 0; i < b->n; i++) {
		const struct probe *p = &b->probe[i];

		if (!p->done)
			continue;
		pw_row(t);
		pw_cell_str(t, who, b->v[i].version);
		pw_cell_str(t, note, p->failed ? b->v[i].why : mark_of(b, i));
		if (p->failed)
			continue;
		pw_cell_num(t, ms, b->v[i].ms);
		pw_cell_num(t, ref, b->v[i].oracle_ms);
		pw_cell_num(t, ratio, p->ratio);
		pw_cell_num(t, lo, p->lo);
		pw_cell_num(t, hi, p->hi);
		pw_cell_int(t, runs, (int64_t)b->v[i].runs);
	}
}

/* --- a change -------------------------------------------------------------------- */

/* Where a whole function is another there are thousands; those with most
 * samples are told. */
static uint32_t n_shown(const struct change *c)
{
	return c->n_accused < ACCUSED_SHOWN ? c->n_accused : ACCUSED_SHOWN;
}

static void present_accused(const struct change *c, struct pw_node *s)
{
	struct pw_node *t =
		pw_table(s, "machine_code",
			 "Hot machine instructions of the slower release "
			 "that the faster one has not, or not in a loop");
	int addr =
		pw_column(t, "text_off", "offset", PW_UNIT_HEX, PW_COL_RIGHT);
	int text = pw_column(t, "insn", "instruction", PW_UNIT_NONE, 0);
	int share = pw_column(t, "samples", "samples", PW_UNIT_PERCENT,
			      PW_COL_RIGHT);
	int wasm = pw_column(t, "wasm_off", "wasm offset", PW_UNIT_HEX,
			     PW_COL_RIGHT);

	for (uint32_t i = 0; i < n_shown(c); i++) {
		const struct pw_minsn *in = &c->slow_code[c->accused[i]];
		char line[192];

		insn_text(in, line, sizeof(line));
		pw_row(t);
		pw_cell_int(t, addr, (int64_t)in->text_off);
		pw_cell_str(t, text, line);
		pw_cell_num(t, share, c->share[c->accused[i]]);
		if (in->wasm_off != PW_NO_OFF)
			pw_cell_int(t, wasm, (int64_t)in->wasm_off);
	}
}

static bool is_accused(const struct change *c, int32_t insn)
{
	for (uint32_t i = 0; i < n_shown(c); i++)
		if ((int32_t)c->accused[i] == insn)
			return true;
	return false;
}

/* Lines near an accused one; without any, near every difference. */
static bool *lines_shown(const struct change *c)
{
	bool *shown = pw_zalloc(c->n_lines + 1);

	for (uint32_t i = 0; i < c->n_lines; i++) {
		uint32_t lo = i > CONTEXT ? i - CONTEXT : 0;

		if (c->n_accused ? !is_accused(c, c->lines[i].slow_idx)
				 : c->lines[i].side == PW_CODE_DIFF_SAME)
			continue;
		for (uint32_t k = lo; k <= i + CONTEXT && k < c->n_lines; k++)
			shown[k] = true;
	}
	return shown;
}

static void add_line(const struct change *c, struct pw_node *listing,
		     const struct pw_code_diff_line *l)
{
	char texts[2][192], addrs[2][24];
	struct pw_line left = { .share = -1 }, right = { .share = -1 };
	enum pw_mark mark = PW_MARK_SAME;

	if (l->side != PW_CODE_DIFF_FAST) {
		const struct pw_minsn *in = &c->slow_code[l->slow_idx];

		insn_text(in, texts[0], sizeof(texts[0]));
		snprintf(addrs[0], sizeof(addrs[0]), "0x%llx",
			 (unsigned long long)in->text_off);
		left = (struct pw_line){ addrs[0], texts[0], NULL,
					 c->share[l->slow_idx] };
	}
	if (l->side != PW_CODE_DIFF_SLOW) {
		const struct pw_minsn *in = &c->fast_code[l->fast_idx];

		insn_text(in, texts[1], sizeof(texts[1]));
		snprintf(addrs[1], sizeof(addrs[1]), "0x%llx",
			 (unsigned long long)in->text_off);
		right = (struct pw_line){ addrs[1], texts[1], NULL, -1 };
	}
	if (l->side == PW_CODE_DIFF_FAST)
		mark = PW_MARK_RIGHT;
	else if (is_accused(c, l->slow_idx))
		mark = PW_MARK_GUILTY;
	else if (l->side == PW_CODE_DIFF_SLOW)
		mark = PW_MARK_LEFT;
	pw_listing_add(listing, mark, left.text ? &left : NULL,
		       right.text ? &right : NULL);
}

static void present_codes(const struct bisect *b, const struct change *c,
			  struct pw_node *s)
{
	struct pw_node *l =
		pw_listing(s, "code", "Machine code", b->v[c->slow].version,
			   b->v[c->fast].version);
	bool *shown = lines_shown(c), gap = false;

	for (uint32_t i = 0; i < c->n_lines; i++) {
		if (shown[i])
			add_line(c, l, &c->lines[i]);
		else if (!gap)
			pw_listing_add(l, PW_MARK_GAP, NULL, NULL);
		gap = !shown[i];
	}
	free(shown);
}

static void present_code(const struct bisect *b, const struct change *c,
			 struct pw_node *s)
{
	if (c->why) {
		pw_note(s, "no_code", "No machine code to compare: %s.",
			c->why);
		return;
	}
	pw_fact_num(s, "in_code", "samples in generated code", c->in_code,
		    PW_UNIT_PERCENT);
	if (c->in_code < 0.5)
		pw_note(s, "outside",
			"Most of the time of %s is outside the generated code, "
			"in the runtime's own functions or the kernel: what "
			"differs below need not be the cause.",
			b->v[c->slow].version);
	if (!c->n_accused) {
		pw_note(s, "no_accused",
			"No opcode of the hot loops of %s is missing in those "
			"of %s: registers, operands, the place of the code or "
			"the runtime itself make the difference.",
			b->v[c->slow].version, b->v[c->fast].version);
	}
	if (!c->n_lines)
		return;
	pw_fact_str(s, "func", "function", c->func);
	if (c->n_accused)
		present_accused(c, s);
	if (c->n_accused > n_shown(c))
		pw_note(s, "more",
			"And %u more: the function as a "
			"whole is compiled in another way, %u instructions "
			"against %u.",
			c->n_accused - n_shown(c), c->n_slow, c->n_fast);
	present_codes(b, c, s);
}

static void present_change(const struct bisect *b, const struct change *c,
			   struct pw_node *root)
{
	const char *before = b->v[c->step.before].version;
	const char *after = b->v[c->step.after].version;
	struct pw_node *s;
	char title[128];

	if (b->o->code_only)
		snprintf(title, sizeof(title), "%s against %s", before, after);
	else
		snprintf(title, sizeof(title), "%s in %s",
			 c->step.factor > 1 ? "Slower" : "Faster", after);
	s = pw_section_item(root, "changes", title);
	pw_fact_str(s, "before", "the release before", before);
	pw_fact_str(s, "after", "the first with the change", after);
	if (!b->o->code_only) {
		pw_fact_str(s, "direction", "a slowness was",
			    c->step.factor > 1 ? "brought in" : "removed");
		pw_fact_num(s, "ratio_before", "ratio before",
			    b->probe[c->step.before].ratio, PW_UNIT_RATIO);
		pw_fact_num(s, "ratio_after", "ratio after",
			    b->probe[c->step.after].ratio, PW_UNIT_RATIO);
	}
	present_code(b, c, s);
}

/* --- the whole ---------------------------------------------------------------------- */

static void present_verdict(const struct bisect *b, struct pw_node *root)
{
	struct pw_buf text = { 0 };

	for (size_t i = 0; i < b->n_changes; i++) {
		const struct step *s = &b->changes[i].step;

		pw_buf_printf(&text, "%s%s by %s (%.2fx to %.2fx)",
			      i ? "; " : "",
			      s->factor > 1 ? "brought in" : "removed",
			      b->v[s->after].version, b->probe[s->before].ratio,
			      b->probe[s->after].ratio);
	}
	if (b->o->code_only)
		pw_note(root, "verdict",
			"Nothing was timed: the hot machine code of both "
			"releases is compared.");
	else if (b->n_changes)
		pw_note(root, "verdict", "A slowness was %s.",
			pw_buf_str(&text));
	else
		pw_note(root, "verdict",
			"No change: the time of the module against the oracle "
			"stays within %.2fx from release to release.",
			b->o->min_change);
	pw_buf_release(&text);
}

void bisect_present(struct bisect *b, struct pw_report *report)
{
	struct pw_node *root = pw_report_root(report);

	present_verdict(b, root);
	pw_fact_str(root, "module", "module", b->o->module_path);
	pw_fact_str(root, "runtime", "runtime", b->o->runtime);
	pw_fact_int(root, "known", "releases in the range", (int64_t)b->n,
		    PW_UNIT_COUNT);
	if (!b->o->code_only) {
		pw_fact_str(root, "oracle", "oracle", b->oracle.spec);
		pw_fact_int(root, "tried", "of them tried", (int64_t)b->n_tried,
			    PW_UNIT_COUNT);
		present_releases(b, root);
	}
	pw_section_array(root, "changes");
	for (size_t i = 0; i < b->n_changes; i++)
		present_change(b, &b->changes[i], root);
}
