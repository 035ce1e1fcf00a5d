// SPDX-License-Identifier: GPL-2.0-only
/*
 * One function as a listing: its machine code with the share of its samples
 * on each line and the wasm instruction each came from.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "report-impl.h"

/* Lines that are shown around one that has samples. */
#define CONTEXT 4u

struct annotation {
	struct pw_profile *p;
	const struct pw_annotate_opts *o;
	const struct pw_piece *piece;
	uint32_t event;
	struct machine code;
	uint64_t *periods;         /* by instruction */
	uint64_t whole;            /* of the function */
	uint64_t unplaced;         /* on no instruction */
	struct pw_line_frame line; /* told last */
	struct pw_node *listing;
};

static void collect(struct annotation *a)
{
	const struct pw_profile *p = a->p;
	uint32_t i, at;

	for (i = 0; i < p->n_hits; i++) {
		struct pw_count c = count_get(&p->events[a->event]->hits, i);

		if (p->hits[i].piece != a->piece->id || !c.samples)
			continue;
		at = machine_insn(&a->code, p->hits[i].off);
		if (at == UINT32_MAX)
			a->unplaced += c.period;
		else
			a->periods[at] += c.period;
	}
}

static bool is_hot(const struct annotation *a, uint32_t i)
{
	return a->periods[i] &&
	       (double)a->periods[i] >= a->o->min_share * (double)a->whole;
}

static bool is_shown(const struct annotation *a, uint32_t i)
{
	uint32_t k = i > CONTEXT ? i - CONTEXT : 0;

	if (a->o->min_share <= 0)
		return true;
	for (; k < a->code.n && k <= i + CONTEXT; k++)
		if (is_hot(a, k))
			return true;
	return false;
}

static uint64_t wasm_off_of(struct annotation *a, uint32_t i,
			    enum pw_off_source *source)
{
	return pw_space_wasm_off(a->p->space, a->piece,
				 a->code.insns[i].text_off - a->code.base,
				 source);
}

/* The samples of the machine instructions in a row that came from one wasm
 * instruction, from the first of them. */
static uint64_t row_period(struct annotation *a, uint32_t i, uint64_t off)
{
	uint64_t sum = 0;

	for (; i < a->code.n && wasm_off_of(a, i, NULL) == off; i++)
		sum += a->periods[i];
	return sum;
}

static double share(const struct annotation *a, uint64_t period)
{
	return a->whole ? (double)period / (double)a->whole : -1;
}

/* Where the source line of instruction i differs from the one before. */
static void line_note(struct annotation *a, uint32_t i, char *dst, size_t size)
{
	uint64_t off = a->code.insns[i].text_off - a->code.base;
	const char *slash;
	struct pw_line_frame f;

	if (!pw_profile_line(a->p, a->piece, off, &f) || !f.file || !f.line ||
	    (a->line.file && !strcmp(a->line.file, f.file) &&
	     a->line.line == f.line))
		return;
	a->line = f;
	slash = strrchr(f.file, '/');
	snprintf(dst, size, "%s:%u", slash ? slash + 1 : f.file, f.line);
}

/* The wasm instruction beside line i, told once a row. */
static bool wasm_line(struct annotation *a, uint32_t i, char addr[32],
		      char text[160], char note[80], struct pw_line *line)
{
	enum pw_off_source source;
	uint64_t off = wasm_off_of(a, i, &source);

	if (off == PW_NO_OFF || (i && wasm_off_of(a, i - 1, NULL) == off))
		return false;
	snprintf(addr, 32, "0x%" PRIx64, off);
	pw_space_insn(a->p->space, a->piece->sym->module, off, text, 160);
	if (source == PW_OFF_INFERRED && !*note)
		strcpy(note, "inferred");
	if (!*text)
		strcpy(text, a->piece->sym->module < 0 ? "(module not given)"
						       : "(function entry)");
	*line = (struct pw_line){ addr, text, *note ? note : NULL,
				  share(a, row_period(a, i, off)) };
	return true;
}

static void show_line(struct annotation *a, uint32_t i)
{
	const struct pw_minsn *insn = &a->code.insns[i];
	char addr[32], text[256], wasm_addr[32], wasm_text[160], note[80] = "";
	struct pw_line line = { addr, text, NULL, share(a, a->periods[i]) };
	struct pw_line wasm;
	bool has_wasm;

	line_note(a, i, note, sizeof(note));
	has_wasm = wasm_line(a, i, wasm_addr, wasm_text, note, &wasm);
	if (!has_wasm && *note)
		line.note = note;
	snprintf(addr, sizeof(addr), "0x%" PRIx64,
		 insn->text_off - a->code.base);
	snprintf(text, sizeof(text), "%s%s%s%s%s", insn->opcode,
		 *insn->operands ? " " : "", insn->operands,
		 *insn->note ? "  # " : "", insn->note);
	pw_listing_add(a->listing, PW_MARK_SAME, &line,
		       has_wasm ? &wasm : NULL);
}

static void show_gap(struct annotation *a, uint32_t n)
{
	char text[64];
	struct pw_line line = { NULL, text, NULL, -1 };

	snprintf(text, sizeof(text), "%u instructions", n);
	pw_listing_add(a->listing, PW_MARK_GAP, &line, NULL);
}

static void show_code(struct annotation *a)
{
	uint32_t i, gap = 0;

	for (i = 0; i < a->code.n; i++) {
		if (!is_shown(a, i)) {
			gap++;
			continue;
		}
		if (gap)
			show_gap(a, gap);
		gap = 0;
		show_line(a, i);
	}
	if (gap)
		show_gap(a, gap);
}

static void show_piece(struct annotation *a, struct pw_node *parent)
{
	const struct pw_symbol *sym = a->piece->sym;
	struct pw_node *n = pw_section_item(parent, "annotate", sym->name);

	pw_page_tab(n, "Hot code");
	if (a->o->page_only)
		pw_page_only(n);
	pw_fact_str(n, "function", "Function", sym->name);
	pw_fact_str(n, "symbol", "Symbol", sym->raw_name);
	pw_fact_str(n, "kind", "Kind", pw_place_kind_name(sym->kind));
	if (sym->tier != PW_TIER_NONE)
		pw_fact_str(n, "tier", "Tier", pw_jit_tier_name(sym->tier));
	if (sym->func_idx >= 0)
		pw_fact_int(n, "func_idx", "Wasm function", sym->func_idx,
			    PW_UNIT_NONE);
	pw_fact_str(n, "module", "Module",
		    pw_space_module_name(a->p->space, sym->module));
	pw_fact_str(n, "dso", "Shared object", sym->dso);
	pw_fact_int(n, "addr", "Address", (int64_t)a->piece->addr, PW_UNIT_HEX);
	pw_fact_str(n, "event", "Event", a->p->events[a->event]->name);
	if (a->unplaced)
		pw_fact_num(n, "unplaced", "On no instruction",
			    (double)a->unplaced / (double)a->whole,
			    PW_UNIT_PERCENT);
	a->listing =
		pw_listing(n, "code", NULL, "machine code",
			   sym->kind == PW_PLACE_WASM ? "WebAssembly" : NULL);
	show_code(a);
}

static bool has_hits(const struct annotation *a)
{
	const struct pw_profile *p = a->p;
	uint32_t i;

	for (i = 0; i < p->n_hits; i++)
		if (p->hits[i].piece == a->piece->id &&
		    count_get(&p->events[a->event]->hits, i).samples)
			return true;
	return false;
}

static int annotate_piece(struct annotation *a, struct pw_node *parent,
			  struct pw_err *err)
{
	if (machine_open(&a->code, a->p, a->piece, err))
		return -ENODATA;
	a->periods = pw_zalloc((a->code.n + 1) * sizeof(*a->periods));
	a->unplaced = 0;
	collect(a);
	show_piece(a, parent);
	free(a->periods);
	machine_close(&a->code);
	return 0;
}

int pw_profile_annotate(struct pw_profile *p, uint32_t function,
			const struct pw_annotate_opts *o, struct pw_report *r,
			struct pw_err *err)
{
	static const struct pw_annotate_opts none = { .event = UINT32_MAX };
	struct annotation a = { .p = p, .o = o ? o : &none };
	struct pw_function f;
	uint32_t i, n_shown = 0;

	a.event = a.o->event == UINT32_MAX ? pw_profile_main_event(p)
					   : a.o->event;
	if (a.event >= p->n_events)
		return pw_err_set(err, ENODATA, "the profile has no samples");
	pw_profile_function(p, function, &f);
	a.whole = f.self[a.event].period;
	pw_section_array(pw_report_root(r), "annotate");
	pw_err_set(err, ENODATA, "%s has no samples", f.sym->name);
	for (i = 0; i < pw_space_n_pieces(p->space); i++) {
		a.piece = pw_space_piece(p->space, i);
		if (a.piece->sym != f.sym || !has_hits(&a))
			continue;
		n_shown += !annotate_piece(&a, pw_report_root(r), err);
	}
	if (!n_shown)
		return -ENODATA;
	if (!a.o->page_only)
		pw_note(pw_report_root(r), "skid",
			"A sample is on the instruction that was next when the CPU stopped: often the one behind the slow one.");
	return 0;
}
