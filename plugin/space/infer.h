/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which wasm instruction a machine instruction is from, where the compiler's
 * own map does not tell: by its kind and its place between those that are
 * told.
 */
#ifndef PLUGIN_SPACE_INFER_H
#define PLUGIN_SPACE_INFER_H

#include <perfwasm/code.h>
#include <perfwasm/module.h>

/* A wasm instruction of the function. */
struct infer_op {
	uint64_t off;
	enum pw_op op;
	uint64_t constant; /* of a const: its bits */
};

/* A function longer than this is left as it is: time is squared in it. */
#define INFER_MAX 20000u

/*
 * offs[i] of insns[i], whose registers are uses[i]: the file offset that is
 * known, or PW_NO_OFF; filled where it can be told. is_inferred[i] is set for
 * those. ops are all wasm instructions of the function, by offset.
 */
void infer_offsets(const struct pw_minsn *insns,
		   const struct pw_insn_uses *uses, uint32_t n,
		   const struct infer_op *ops, uint32_t n_ops, uint64_t *offs,
		   bool *is_inferred);

#endif
