/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the fast check of bodies knows of an opcode: which handler of
 * fast-insn.h it has, and the types that handler compares. fast-op.c makes
 * the tables out of opcodes.def.
 */
#ifndef FAST_OP_H
#define FAST_OP_H

#include "module-impl.h"

enum fast_class {
	FAST_NONE, /* for walk_step() */
	FAST_UNARY,
	FAST_BINARY,
	FAST_NOP,
	FAST_LEB,  /* i32.const, i64.const */
	FAST_SKIP, /* f32.const, f64.const, v128.const, i8x16.shuffle */
	FAST_LOAD,
	FAST_STORE,
	FAST_LOCAL_GET,
	FAST_LOCAL_SET,
	FAST_LOCAL_TEE,
	FAST_GLOBAL_GET,
	FAST_GLOBAL_SET,
	FAST_DROP,
	FAST_SELECT,
	FAST_BLOCK,
	FAST_IF,
	FAST_ELSE,
	FAST_END,
	FAST_BR,
	FAST_BR_IF,
	FAST_BR_TABLE,
	FAST_RETURN,
	FAST_UNREACHABLE,
	FAST_CALL,
	FAST_CALL_INDIRECT,
	FAST_PREFIX_FD,
};

/* Operand types a (below) and b, result r; n: bytes to skip, or alignment. */
struct fast_op {
	uint8_t class, a, b, r;
	uint8_t n, op;
};

struct fast_tables {
	struct fast_op byte[256], fd[0x120];
};

void make_fast_tables(struct fast_tables *t, const struct pw_module *m);

#endif
