// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls in a loop: of the runtime's own functions, and of small wasm
 * functions. Which is which, the callee's symbol tells, and for a call through
 * a pointer the wasm instruction behind it.
 */
#include "explain-impl.h"

#include <string.h>

/* As many bytes of machine code are small. */
#define SMALL_BYTES 192

static const struct pw_code_func *by_name(const struct pw_code *c,
					  const char *name)
{
	for (uint32_t i = 0; i < pw_code_n_funcs(c); i++)
		if (!strcmp(pw_code_func(c, i)->name, name))
			return pw_code_func(c, i);
	return NULL;
}

/* The callee where its code is known; *named: the operand is its name. */
static const struct pw_code_func *callee(const struct match *m,
					 const struct pw_minsn *in, bool *named)
{
	char c = in->operands[0];

	*named = c && c != '*' && c != '%' && c != '0' && c != '-' && c != 'x';
	if (in->target != PW_NO_OFF)
		return pw_code_func_at(m->s->side.code, in->target);
	return *named ? by_name(m->s->side.code, in->operands) : NULL;
}

static void tell_library(struct match *m, uint32_t insn, const char *name,
			 const char *op)
{
	char text[64];

	if (!match_insn(m, PW_PATTERN_library_call, insn))
		return;
	insn_words(m->s, insn, text, sizeof(text));
	match_say(m, PW_PATTERN_library_call,
		  "%s in the loop goes to %s, a function of the runtime%s%s.",
		  text, name ? name : "where a pointer says",
		  op ? ", for " : "", op ? op : "");
}

static void tell_inline(struct match *m, uint32_t insn,
			const struct pw_code_func *f)
{
	char text[64];

	if (f->size_bytes > SMALL_BYTES ||
	    !match_insn(m, PW_PATTERN_missed_inlining, insn))
		return;
	match_say(m, PW_PATTERN_missed_inlining,
		  "%s in the loop calls %s, of %llu bytes of machine code.",
		  insn_words(m->s, insn, text, sizeof(text)), f->name,
		  (unsigned long long)f->size_bytes);
}

/* Whether a call stands for a wasm call. */
static bool is_wasm_call(const char *op)
{
	return op && strstr(op, "call");
}

static bool has_wasm_calls(const struct pw_explain_input *in)
{
	struct pw_walk *w = in->module ? pw_walk_new(in->module) : NULL;
	struct pw_insn insn;
	bool found = false;

	if (w && !pw_walk_start(w, in->func_idx, NULL))
		while (!found && pw_walk_next(w, &insn, NULL) == 1)
			found = is_wasm_call(pw_op_info(insn.op)->name);
	pw_walk_free(w);
	return found;
}

/* A call that may as well be one of the function's own wasm calls: nothing
 * tells where it goes, nor what it stands for. */
static bool may_be_wasm(const struct match *m, const struct pw_minsn *in,
			const char *op)
{
	return !strcmp(in->operands, PW_CODE_ELSEWHERE) &&
	       (op ? is_wasm_call(op) : has_wasm_calls(m->in));
}

void match_calls(struct match *m, const struct region *r)
{
	for (uint32_t k = 0; k < r->n; k++) {
		const struct pw_minsn *in = &m->s->side.insns[r->insns[k]];
		const struct pw_code_func *f;
		const char *op;
		bool named;

		if (!in->is_call)
			continue;
		f = callee(m, in, &named);
		op = op_behind(m->in, in->wasm_off);
		if (f && f->wasm_idx >= 0)
			tell_inline(m, r->insns[k], f);
		else if (!f && may_be_wasm(m, in, op))
			continue;
		else if (f || named)
			tell_library(m, r->insns[k], f ? f->name : in->operands,
				     op);
		else if (op ? !is_wasm_call(op) : !m->of_slow)
			tell_library(m, r->insns[k], NULL, op);
	}
}
