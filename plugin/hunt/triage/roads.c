// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wasm instructions, other than calls, that the suspect compiled to a call:
 * the roads from generated code to the runtime's own. Those in the loops with
 * most samples come first.
 */
#include "triage-step.h"

#include <stdlib.h>
#include <string.h>

#define ROADS_MAX 8

/* --- what the wasm says ------------------------------------------------------- */

static bool is_call_op(enum pw_op op)
{
	return strstr(pw_op_info(op)->name, "call") != NULL;
}

/* The instruction at a file offset of the hunted module; false: none, or one
 * that calls a function of the module's choice. */
static bool describe(const struct hunt *h, uint32_t func_idx, uint64_t off,
		     char *dst, size_t size)
{
	struct pw_walk *w = pw_walk_new(h->module);
	struct pw_insn in;
	bool found = false;

	if (!pw_walk_start(w, func_idx, NULL))
		while (!found && pw_walk_next(w, &in, NULL) == 1)
			found = in.off == off;
	found = found && !is_call_op(in.op);
	if (found) {
		struct pw_buf b = { 0 };

		pw_insn_print(h->module, &in, &b);
		snprintf(dst, size, "@0x%llx %s",
			 (unsigned long long)(off - h->shift), pw_buf_str(&b));
		pw_buf_release(&b);
	}
	pw_walk_free(w);
	return found;
}

/* --- samples around ------------------------------------------------------------- */

/* Of the innermost loop around an instruction, or of the function. */
static double near(const struct hunt *h, const struct pw_minsn *v, uint32_t n,
		   const struct pw_loop *loops, uint32_t n_loops, uint32_t i)
{
	uint32_t l = pw_code_loop_of(loops, n_loops, i);
	uint32_t first = l == UINT32_MAX ? 0 : loops[l].first;
	uint32_t last = l == UINT32_MAX ? n - 1 : loops[l].last;

	return hunt_share_between(h, v[first].text_off,
				  v[last].text_off + v[last].size_bytes);
}

/* --- the list ----------------------------------------------------------------------- */

static void keep(struct hunt *h, const struct road *r)
{
	struct triage *t = &h->triage;
	size_t i = t->n_roads;

	for (size_t k = 0; k < t->n_roads; k++)
		if (!strcmp(t->roads[k].insn, r->insn))
			return;
	if (!t->roads)
		t->roads = pw_zalloc(ROADS_MAX * sizeof(*t->roads));
	if (t->n_roads < ROADS_MAX)
		t->n_roads++;
	else if (r->share <= t->roads[--i].share)
		return;
	for (; i && t->roads[i - 1].share < r->share; i--)
		t->roads[i] = t->roads[i - 1];
	t->roads[i] = *r;
}

static int look_at(struct hunt *h, const struct pw_code *code,
		   const struct pw_code_func *f, struct pw_err *err)
{
	struct pw_loop *loops = NULL;
	struct pw_minsn *v;
	uint32_t n, n_loops = 0;
	int ret = pw_code_disasm(code, f, &v, &n, err);

	if (ret)
		return ret;
	ret = pw_code_loops(v, n, &loops, &n_loops);
	for (uint32_t i = 0; i < n && !ret; i++) {
		struct road r = { .func_idx = (uint32_t)f->wasm_idx,
				  .text_off = v[i].text_off };

		if (!v[i].is_call || v[i].wasm_off == PW_NO_OFF ||
		    !describe(h, r.func_idx, v[i].wasm_off, r.insn,
			      sizeof(r.insn)))
			continue;
		snprintf(r.call, sizeof(r.call), "%s %s", v[i].opcode,
			 v[i].operands);
		r.share = near(h, v, n, loops, n_loops, i);
		if (r.share > 0)
			keep(h, &r);
	}
	free(loops);
	free(v);
	return ret;
}

int hunt_roads(struct hunt *h, const struct pw_code *code, struct pw_err *err)
{
	struct triage *t = &h->triage;
	int ret = 0;

	t->n_roads = 0;
	if (!t->is_known || t->gap.where == PW_EXCESS_CODE ||
	    t->gap.where == PW_EXCESS_NONE)
		return 0;
	for (uint32_t i = 0; i < pw_code_n_funcs(code) && !ret; i++) {
		const struct pw_code_func *f = pw_code_func(code, i);

		if (f->wasm_idx >= 0 &&
		    hunt_share_between(h, f->text_off,
				       f->text_off + f->size_bytes) > 0)
			ret = look_at(h, code, f, err);
	}
	return ret;
}

/* The function of the runtime with most time of those behind instructions,
 * without its path: "table_init". */
static const char *hottest_builtin(const struct pw_triage *t)
{
	for (size_t i = 0; i < t->n_symbols; i++) {
		const char *name = t->symbols[i].name, *colon;

		if (t->symbols[i].spent != PW_SPENT_BUILTIN)
			continue;
		colon = strrchr(name, ':');
		return colon ? colon + 1 : name;
	}
	return NULL;
}

const struct road *hunt_lead(const struct hunt *h)
{
	const struct triage *t = &h->triage;
	const char *name = hottest_builtin(&t->recorded[0]);

	if (!t->n_roads || t->gap.where != PW_EXCESS_BUILTIN)
		return NULL;
	for (size_t i = 0; name && i < t->n_roads; i++)
		if (strstr(t->roads[i].call, name))
			return &t->roads[i];
	return &t->roads[0];
}
