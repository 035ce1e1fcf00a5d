// SPDX-License-Identifier: GPL-2.0-only
/* The hot function on both runtimes, as part of a hunt's report. */
#include "../explain/contrast.h"

#include <unistd.h>

#define OPCODES_MAX 12

static void present_sizes(const struct contrast *c, struct pw_node *s)
{
	static const char *const who[] = { "suspect", "oracle" };
	struct pw_node *t = pw_table(s, "sizes", NULL);
	int on = pw_column(t, "runtime", "on the", PW_UNIT_NONE, 0);
	int insns = pw_column(t, "insns", "instructions", PW_UNIT_COUNT,
			      PW_COL_RIGHT);
	int size = pw_column(t, "size_bytes", "bytes", PW_UNIT_COUNT,
			     PW_COL_RIGHT);
	int stack = pw_column(t, "by_stack", "through the stack", PW_UNIT_COUNT,
			      PW_COL_RIGHT);

	for (int i = 0; i < 2; i++) {
		pw_row(t);
		pw_cell_str(t, on, who[i]);
		pw_cell_int(t, insns, c->on[i].n_insns);
		pw_cell_int(t, size, (int64_t)c->on[i].size_bytes);
		pw_cell_int(t, stack, c->on[i].n_stack);
	}
}

static void present_opcodes(const struct contrast *c, struct pw_node *s)
{
	struct pw_node *t = pw_table(s, "opcodes", "Opcodes that differ most");
	int op = pw_column(t, "opcode", "opcode", PW_UNIT_NONE, 0);
	int slow =
		pw_column(t, "suspect", "suspect", PW_UNIT_COUNT, PW_COL_RIGHT);
	int fast =
		pw_column(t, "oracle", "oracle", PW_UNIT_COUNT, PW_COL_RIGHT);

	for (size_t i = 0; i < c->n_ops && i < OPCODES_MAX; i++) {
		const struct contrast_opcode *o = &c->ops[i];

		if (o->n[0] == o->n[1])
			break;
		pw_row(t);
		pw_cell_str(t, op, o->opcode);
		pw_cell_int(t, slow, o->n[0]);
		pw_cell_int(t, fast, o->n[1]);
	}
}

/* Code that is executed from end to end and does not fit is fetched from the
 * second level, turn by turn. */
static void present_cache(const struct contrast *c, struct pw_node *s)
{
	long l1i = sysconf(_SC_LEVEL1_ICACHE_SIZE);

	if (l1i <= 0 || c->on[0].size_bytes <= (uint64_t)l1i ||
	    c->on[1].size_bytes > (uint64_t)l1i)
		return;
	pw_note(s, "icache",
		"On the suspect it is larger than this processor's first "
		"instruction cache (%ld KiB), on the oracle it is not: if all "
		"of it is executed, that costs beside the instructions.",
		l1i / 1024);
}

static void present_inlined(const struct hunt *h, struct pw_node *root)
{
	const struct contrast *c = h->contrast;
	struct pw_node *t = pw_table(root, "inlined",
				     "Hot functions that the oracle inlined");
	int func = pw_column(t, "func", "", PW_UNIT_COUNT, PW_COL_RIGHT);
	int name = pw_column(t, "name", "function", PW_UNIT_NONE, 0);
	int share = pw_column(t, "samples", "samples", PW_UNIT_PERCENT,
			      PW_COL_RIGHT);

	for (size_t i = 0; i < c->n_inlined; i++) {
		const struct contrast_inlined *f = &c->inlined[i];
		char text[128];

		pw_module_func_name(h->given, f->func_idx, text, sizeof(text));
		pw_row(t);
		pw_cell_int(t, func, f->func_idx);
		pw_cell_str(t, name, text);
		pw_cell_num(t, share, f->share);
	}
}

static void present_counted(const struct hunt *h, struct pw_node *root)
{
	const struct contrast *c = h->contrast;
	struct pw_node *s =
		pw_section(root, "contrast", "The hot function on both");
	char name[128];

	pw_module_func_name(h->given, c->func_idx, name, sizeof(name));
	pw_fact_int(s, "func", "function", c->func_idx, PW_UNIT_NONE);
	pw_fact_str(s, "func_name", "its name", *name ? name : NULL);
	pw_fact_num(s, "share", "samples in it", c->share, PW_UNIT_PERCENT);
	pw_fact_str(s, "counted", "counted",
		    c->loops_only ? "what is in its loops" : "all of it");
	pw_fact_str(s, "oracle", "oracle", c->oracle->rt.spec);
	present_sizes(c, s);
	present_opcodes(c, s);
	present_cache(c, s);
}

void present_contrast(const struct hunt *h, struct pw_node *root)
{
	if (h->contrast && h->contrast->n_inlined)
		present_inlined(h, root);
	if (h->contrast && h->contrast->on[0].n_insns)
		present_counted(h, root);
}
