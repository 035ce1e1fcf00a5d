// SPDX-License-Identifier: GPL-2.0-only
/*
 * offer-deletion: an operator with one result and the instructions that
 * produce its operands go; 0, 1 or a local of the result's type takes their
 * place. Calls count as operators. An expression that holds a jump out of
 * itself or a statement between its operands stays.
 */
#include "site.h"

static bool is_operator(const struct pw_insn *insn)
{
	return insn->n_results == 1 && !op_only_pushes(insn->op) &&
	       !(pw_op_info(insn->op)->flags & PW_OPF_CONTROL);
}

int offer_deletion(struct site *s, const struct pw_insn *insn)
{
	uint32_t type;
	int rc;

	if (!is_operator(insn) || !span_removable(&s->span, insn))
		return 0;
	type = insn->results[0];
	s->mut.off = insn->expr_off;
	s->mut.old_size = (uint32_t)(insn->off + insn->size - insn->expr_off);
	rc = push_few_consts(s, type);
	return rc ? rc : push_locals(s, type, SITE_NONE);
}
