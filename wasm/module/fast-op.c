// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tables of the fast check for one module: an opcode with an operand or
 * two gets its types from its signature, loads and stores those of memory 0.
 */
#include "fast-op.h"

static uint8_t letter_type(const struct pw_module *m, char letter)
{
	uint8_t type = type_of_letter(letter);

	if (type)
		return type;
	return m->memories[0].is64 ? PW_I64 : PW_I32;
}

static void set_memory(struct fast_op *f, const struct pw_module *m,
		       const struct pw_op_info *info)
{
	const char *sig = info->sig;

	if (!m->n[PW_EXT_MEMORY] || info->flags & PW_OPF_ATOMIC)
		return;
	f->a = letter_type(m, 'a');
	f->n = info->size_log2;
	if (!strncmp(sig, "a:", 2)) {
		f->class = FAST_LOAD;
		f->r = letter_type(m, sig[2]);
	} else if (sig[1] != ':' && sig[2] == ':' && !sig[3]) {
		f->class = FAST_STORE;
		f->b = letter_type(m, sig[1]);
	}
}

static void set_numeric(struct fast_op *f, const struct pw_module *m,
			const struct pw_op_info *info)
{
	const char *sig = info->sig;

	if (!strcmp(sig, ":")) {
		f->class = FAST_NOP;
	} else if (strlen(sig) == 3 && sig[1] == ':') {
		f->class = FAST_UNARY;
		f->a = letter_type(m, sig[0]);
		f->r = letter_type(m, sig[2]);
	} else if (strlen(sig) == 4 && sig[2] == ':') {
		f->class = FAST_BINARY;
		f->a = letter_type(m, sig[0]);
		f->b = letter_type(m, sig[1]);
		f->r = letter_type(m, sig[3]);
	}
}

static void set_constant(struct fast_op *f, const struct pw_module *m,
			 const struct pw_op_info *info, enum fast_class class,
			 uint8_t n)
{
	f->class = class;
	f->n = n;
	f->r = letter_type(m, info->sig[1]);
}

static void set_op(struct fast_op *f, const struct pw_module *m, enum pw_op op)
{
	static const uint8_t others[PW_N_OPS] = {
		[PW_OP_block] = FAST_BLOCK,
		[PW_OP_loop] = FAST_BLOCK,
		[PW_OP_if] = FAST_IF,
		[PW_OP_else] = FAST_ELSE,
		[PW_OP_end] = FAST_END,
		[PW_OP_br] = FAST_BR,
		[PW_OP_br_if] = FAST_BR_IF,
		[PW_OP_br_table] = FAST_BR_TABLE,
		[PW_OP_return] = FAST_RETURN,
		[PW_OP_unreachable] = FAST_UNREACHABLE,
		[PW_OP_call] = FAST_CALL,
		[PW_OP_call_indirect] = FAST_CALL_INDIRECT,
		[PW_OP_local_get] = FAST_LOCAL_GET,
		[PW_OP_local_set] = FAST_LOCAL_SET,
		[PW_OP_local_tee] = FAST_LOCAL_TEE,
		[PW_OP_global_get] = FAST_GLOBAL_GET,
		[PW_OP_global_set] = FAST_GLOBAL_SET,
		[PW_OP_drop] = FAST_DROP,
		[PW_OP_select] = FAST_SELECT,
	};
	const struct pw_op_info *info = pw_op_info(op);

	f->op = op; /* blocks only, which come first in the table */
	f->class = others[op];
	if (info->imm == PW_IMM_MEMARG)
		set_memory(f, m, info);
	else if (info->imm == PW_IMM_I32)
		set_constant(f, m, info, FAST_LEB, 4);
	else if (info->imm == PW_IMM_I64)
		set_constant(f, m, info, FAST_LEB, 8);
	else if (info->imm == PW_IMM_F32)
		set_constant(f, m, info, FAST_SKIP, 4);
	else if (info->imm == PW_IMM_F64)
		set_constant(f, m, info, FAST_SKIP, 8);
	else if (info->imm == PW_IMM_V128)
		set_constant(f, m, info, FAST_SKIP, 16);
	else if (info->imm == PW_IMM_NONE && info->sig[0] != '*')
		set_numeric(f, m, info);
}

void make_fast_tables(struct fast_tables *t, const struct pw_module *m)
{
	memset(t, 0, sizeof(*t));
	for (uint32_t i = 0; i < PW_N_OPS; i++) {
		const struct pw_op_info *info = pw_op_info(i);

		if (!info->prefix)
			set_op(&t->byte[info->code], m, i);
		else if (info->prefix == 0xfd)
			set_op(&t->fd[info->code], m, i);
	}
	t->byte[0xfd].class = FAST_PREFIX_FD;
}
