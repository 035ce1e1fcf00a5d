// SPDX-License-Identifier: GPL-2.0-only
/* The wasm instruction at a file offset, by a walk of its function. */
#include "explain-impl.h"

const char *op_behind(const struct pw_explain_input *in, uint64_t wasm_off)
{
	const char *name = NULL;
	struct pw_insn insn;
	struct pw_walk *w;
	uint32_t func;

	if (!in->module || wasm_off == PW_NO_OFF ||
	    !pw_module_func_at(in->module, wasm_off, &func))
		return NULL;
	w = pw_walk_new(in->module);
	if (!pw_walk_start(w, func, NULL))
		while (!name && pw_walk_next(w, &insn, NULL) == 1)
			if (insn.off == wasm_off)
				name = pw_op_info(insn.op)->name;
	pw_walk_free(w);
	return name;
}
