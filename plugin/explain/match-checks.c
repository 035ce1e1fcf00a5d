// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bounds checks: an unsigned comparison in a loop whose jump leads to a trap,
 * or on which an address is taken away.
 */
#include "explain-impl.h"

#include <string.h>

static bool is_one_of(const char *s, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(s, *list))
			return true;
	return false;
}

static bool is_unsigned(const char *opcode)
{
	static const char *const jumps[] = { "ja",   "jae",  "jb",   "jbe",
					     "b.hi", "b.hs", "b.lo", "b.ls",
					     "b.cs", "b.cc", NULL };

	return is_one_of(opcode, jumps);
}

static bool is_trap(const struct subject *s, uint64_t off)
{
	static const char *const traps[] = { "ud2", "ud0",  "udf", "brk",
					     "hlt", "int3", NULL };

	for (uint32_t i = 0; i < s->side.n; i++)
		if (s->side.insns[i].text_off == off)
			return is_one_of(s->side.insns[i].opcode, traps);
	return false;
}

/* What a check of a wasm instruction that is no access is about is another
 * thing: a division by zero, a conversion out of range. */
static bool is_access(const char *op)
{
	static const char *const words[] = { "load", "store",  "table", "array",
					     "call", "memory", "local", "const",
					     "i32.", "i64.",   NULL };

	for (int i = 0; op && words[i]; i++)
		if (strstr(op, words[i]))
			return !strstr(op, "div") && !strstr(op, "rem") &&
			       !strstr(op, "trunc");
	return !op;
}

/* A move on an unsigned condition (against speculation): the register that it
 * writes is an address behind it. */
static bool guards_address(const struct region *r, uint32_t insn)
{
	static const char *const moves[] = { "cmova", "cmovae", "cmovb",
					     "cmovbe", NULL };

	if (!is_one_of(r->s->side.insns[insn].opcode, moves))
		return false;
	for (uint32_t i = 0; i < r->n_links; i++) {
		const struct link *l = &r->links[i];
		const struct pw_mem_use *mem = &r->s->uses[l->use].mem;

		if (l->def == insn && !l->carried && mem->size_bytes &&
		    (mem->base == l->var || mem->index == l->var))
			return true;
	}
	return false;
}

static void tell(struct match *m, uint32_t insn, const char *what)
{
	const char *op = op_behind(m->in, m->s->side.insns[insn].wasm_off);
	char text[64];

	if (!is_access(op) || !match_insn(m, PW_PATTERN_bounds_check, insn))
		return;
	match_say(m, PW_PATTERN_bounds_check,
		  "%s in the loop %s when an index is too large%s%s.",
		  insn_words(m->s, insn, text, sizeof(text)), what,
		  op ? ", for " : "", op ? op : "");
}

void match_checks(struct match *m, const struct region *r)
{
	for (uint32_t k = 0; k < r->n; k++) {
		const struct pw_minsn *in = &m->s->side.insns[r->insns[k]];

		if (guards_address(r, r->insns[k]))
			tell(m, r->insns[k], "takes the address away");
		if (in->is_cond && in->target != PW_NO_OFF &&
		    is_unsigned(in->opcode) && is_trap(m->s, in->target))
			tell(m, r->insns[k], "leads to a trap");
	}
}
