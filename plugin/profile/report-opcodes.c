// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tables of opcodes: samples in wasm code by the wasm instruction and by
 * the machine instruction they are on. What has no known instruction is a row
 * of its own, so that the shares are true.
 */
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "report-impl.h"

#define NO_OFFSET "(offset not known)"
#define NO_MODULE "(module not given)"
#define NO_INSN   "(function entry)"
#define NO_CODE   "(code not known)"

struct opcodes {
	struct pw_profile *p;
	struct rows wasm, machine;
	struct machine code; /* of piece */
	uint32_t piece;
	uint64_t in_wasm, by_source[PW_N_OFF_SOURCES]; /* of the main event */
	/* names of machine opcodes: rows borrow their texts */
	char **names;
	uint32_t n_names;
};

static void add(struct opcodes *o, struct rows *r, const char *text,
		uint32_t hit)
{
	struct row *row = rows_get(r, &text);
	uint32_t e;

	for (e = 0; e < o->p->n_events; e++) {
		struct pw_count c = count_get(&o->p->events[e]->hits, hit);

		count_add(&row->self[e], c.samples, c.period);
	}
	if (!o->p->blocks.lacks_hits && row_blocks(r, row))
		blocks_get(&o->p->blocks, BLOCK_HIT,
			   pw_profile_main_event(o->p), hit, row->blocks, NULL);
}

static void add_wasm(struct opcodes *o, const struct pw_piece *piece,
		     uint64_t off, uint32_t hit)
{
	enum pw_off_source source;
	uint64_t at = pw_space_wasm_off(o->p->space, piece, off, &source);
	uint32_t event = pw_profile_main_event(o->p);
	uint64_t period = count_get(&o->p->events[event]->hits, hit).period;
	enum pw_op op;
	char text[8];

	o->in_wasm += period;
	o->by_source[source] += period;
	if (at == PW_NO_OFF) {
		add(o, &o->wasm, NO_OFFSET, hit);
		return;
	}
	op = pw_space_insn(o->p->space, piece->sym->module, at, text,
			   sizeof(text));
	add(o, &o->wasm,
	    op != PW_N_OPS           ? pw_op_info(op)->name
	    : piece->sym->module < 0 ? NO_MODULE
				     : NO_INSN,
	    hit);
}

static const char *keep_name(struct opcodes *o, const char *name)
{
	uint32_t i;

	for (i = 0; i < o->n_names; i++)
		if (!strcmp(o->names[i], name))
			return o->names[i];
	o->names = pw_realloc(o->names, (i + 1) * sizeof(*o->names));
	o->names[i] = pw_strdup(name);
	return o->names[o->n_names++];
}

static void add_machine(struct opcodes *o, const struct pw_piece *piece,
			uint64_t off, uint32_t hit)
{
	uint32_t i;

	if (o->piece != piece->id) {
		machine_close(&o->code);
		machine_open(&o->code, o->p, piece, NULL);
		o->piece = piece->id;
	}
	i = machine_insn(&o->code, off);
	add(o, &o->machine,
	    i == UINT32_MAX ? NO_CODE : keep_name(o, o->code.insns[i].opcode),
	    hit);
}

static void sum_up(struct opcodes *o)
{
	uint32_t *order = hits_sorted(o->p), i;

	for (i = 0; i < o->p->n_hits; i++) {
		const struct hit *h = &o->p->hits[order[i]];
		const struct pw_piece *piece =
			pw_space_piece(o->p->space, h->piece);

		if (piece->sym->kind != PW_PLACE_WASM)
			continue;
		add_wasm(o, piece, h->off, order[i]);
		add_machine(o, piece, h->off, order[i]);
	}
	free(order);
}

static void show_sources(const struct opcodes *o, struct pw_node *parent)
{
	struct pw_node *n = pw_section(parent, "wasm_offsets",
				       "How the wasm instruction is known");
	static const char *const labels[PW_N_OFF_SOURCES] = {
		"not known", "by the compiler's map",
		"by mutants that change it",
		"inferred from its kind and place (may be wrong)"
	};
	int i;

	for (i = PW_N_OFF_SOURCES; i-- > 0;)
		if (o->by_source[i] || i == PW_OFF_NONE)
			pw_fact_num(n, pw_off_source_name(i), labels[i],
				    (double)o->by_source[i] /
					    (double)o->in_wasm,
				    PW_UNIT_PERCENT);
	if (2 * o->by_source[PW_OFF_NONE] > o->in_wasm)
		pw_note(n, "more",
			"More is known with --runtime, the runtime that ran (v8 for node), --provenance and --wasm with the module, where the capture has none: then the module is compiled again.");
}

static void show(struct opcodes *o, const struct pw_profile_report_opts *opts,
		 struct pw_node *parent)
{
	static const struct column opcode[] = { { "opcode", "Opcode",
						  PW_COL_KEY } };
	struct pw_profile_report_opts plain = *opts;
	uint32_t event = pw_profile_main_event(o->p);

	plain.children = false;
	rows_sort(&o->wasm, event, false);
	rows_sort(&o->machine, event, false);
	rows_show(&o->wasm, opcode, &plain, o->in_wasm, parent, "wasm_opcodes",
		  "WebAssembly opcodes (share of the samples in wasm code)");
	rows_show(&o->machine, opcode, &plain, o->in_wasm, parent,
		  "machine_opcodes",
		  "Machine opcodes (share of the samples in wasm code)");
	if (!o->in_wasm)
		return;
	show_sources(o, parent);
	pw_note(parent, "skid",
		"A sample is on the instruction that was next when the CPU stopped: often the one behind the slow one.");
}

void report_opcodes(struct pw_profile *p,
		    const struct pw_profile_report_opts *o,
		    struct pw_node *parent)
{
	struct opcodes ops = { .p = p, .piece = UINT32_MAX };
	uint32_t i;

	if (pw_profile_main_event(p) == UINT32_MAX)
		return;
	rows_init(&ops.wasm, p, 1);
	rows_init(&ops.machine, p, 1);
	sum_up(&ops);
	if (ops.wasm.n)
		show(&ops, o, parent);
	machine_close(&ops.code);
	rows_release(&ops.wasm);
	rows_release(&ops.machine);
	for (i = 0; i < ops.n_names; i++)
		free(ops.names[i]);
	free(ops.names);
}
