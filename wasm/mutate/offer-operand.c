// SPDX-License-Identifier: GPL-2.0-only
/*
 * offer-operand: an instruction that only pushes a value pushes another one:
 * a constant, a local or a global of its type. A load keeps its address and
 * changes how or where it reads.
 */
#include "site.h"

static int offer_values(struct site *s, uint32_t type,
			const struct site_const *old, uint32_t local,
			uint32_t global)
{
	int rc = push_consts(s, type, old);

	if (!rc)
		rc = push_locals(s, type, local);
	if (!rc)
		rc = push_globals(s, type, global);
	return rc;
}

static int offer_references(struct site *s, const struct pw_insn *insn)
{
	uint32_t type = insn->results[0];
	int rc = insn->op == PW_OP_ref_null ? 0 : push_null(s, type);

	if (!rc)
		rc = push_locals(s, type,
				 insn->op == PW_OP_local_get ? insn->index
							     : SITE_NONE);
	if (!rc)
		rc = push_globals(s, type,
				  insn->op == PW_OP_global_get ? insn->index
							       : SITE_NONE);
	return rc;
}

/* The start of what the address points into, and both neighbours. */
static int offer_offsets(struct site *s, const struct pw_insn *insn)
{
	const struct pw_memory *mem = pw_module_memory(s->m, insn->index2);
	uint64_t max = mem && mem->is64 ? UINT64_MAX : UINT32_MAX;
	uint64_t step = 1ull << op_access_log2(insn->op);
	uint64_t old = insn->offset;
	int rc = 0;

	if (old) {
		new_access(s, insn, insn->op, 0);
		rc = site_emit(s);
	}
	if (!rc && old > step) {
		new_access(s, insn, insn->op, old - step);
		rc = site_emit(s);
	}
	if (!rc && old <= max - step) {
		new_access(s, insn, insn->op, old + step);
		rc = site_emit(s);
	}
	return rc;
}

static int offer_loads(struct site *s, const struct pw_insn *insn)
{
	const struct menu_row *row = menu_row(&s->menu, insn->op);
	int rc = 0;

	for (unsigned i = 0; i < row->n && !rc; i++) {
		new_access(s, insn, row->ops[i], insn->offset);
		rc = site_emit(s);
	}
	return rc ? rc : offer_offsets(s, insn);
}

static bool is_plain_load(const struct pw_insn *insn)
{
	const struct pw_op_info *info = pw_op_info(insn->op);

	return info->flags & PW_OPF_LOAD && !(info->flags & PW_OPF_STORE) &&
	       insn->n_operands == 1 && info->imm == PW_IMM_MEMARG;
}

int offer_operand(struct site *s, const struct pw_insn *insn)
{
	struct site_const old = { .i64 = insn->i64, .v128 = insn->imm };

	if (insn->n_results == 1 && op_only_pushes(insn->op) &&
	    insn->results[0] & PW_REF)
		return offer_references(s, insn);
	switch (insn->op) {
	case PW_OP_i32_const:
	case PW_OP_i64_const:
	case PW_OP_f32_const:
	case PW_OP_f64_const:
	case PW_OP_v128_const:
		return offer_values(s, insn->results[0], &old, SITE_NONE,
				    SITE_NONE);
	case PW_OP_local_get:
		return offer_values(s, insn->results[0], NULL, insn->index,
				    SITE_NONE);
	case PW_OP_global_get:
		return offer_values(s, insn->results[0], NULL, SITE_NONE,
				    insn->index);
	default:
		return is_plain_load(insn) ? offer_loads(s, insn) : 0;
	}
}
