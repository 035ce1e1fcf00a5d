// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whole bodies at once: what is asked of a module before anybody trusts it,
 * and the list of a function's locals.
 */
#include "walk.h"

static int check_body(struct pw_walk *w, uint32_t func_idx, struct pw_err *err)
{
	struct pw_insn insn;
	int rc = walk_start_body(w, func_idx, err);

	w->in = &insn;
	while (rc == 0 && !w->over)
		rc = walk_step(w);
	return rc;
}

int pw_module_check_bodies(const struct pw_module *m, struct pw_err *err)
{
	struct pw_walk w;
	int rc = 0;

	walk_init(&w, m);
	for (uint32_t i = m->n_imported[PW_EXT_FUNC];
	     i < m->n[PW_EXT_FUNC] && rc == 0; i++) {
		rc = check_body(&w, i, err);
		if (rc < 0)
			pw_err_prefix(err, "function %u", i);
	}
	walk_release(&w);
	return rc;
}

uint32_t *pw_module_locals(const struct pw_module *m, uint32_t func_idx,
			   uint32_t *n, struct pw_err *err)
{
	struct pw_walk w;
	uint32_t *locals = NULL;

	walk_init(&w, m);
	if (walk_start_body(&w, func_idx, err) == 0) {
		*n = w.n_locals;
		locals = w.locals ? w.locals : pw_alloc(1);
		w.locals = NULL;
	}
	walk_release(&w);
	return locals;
}
