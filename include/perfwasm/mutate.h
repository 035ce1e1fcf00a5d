/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mutate: where a one-instruction change is possible, which, and its
 * one-line notation. The three kinds are those of the WarpL paper (ICSE
 * 2026, arXiv 2604.13693); deletion offers every local of the result's type
 * beside constants. Every mutant validates. Runs nothing, times nothing.
 *
 * operand   A constant, local.get, global.get or null reference becomes any
 *           of: a few constants (0, 1, -1, extremes, and a constant's
 *           neighbours, negative and power of two below; 0.5 and infinity,
 *           never NaN), every local and at most 16 globals of the same type.
 *           A load becomes another load of the same types, or reads at
 *           offset 0, one element before or after.
 * operator  Arithmetic, comparisons, conversions and vector operators become
 *           any other of the same operand and result types; stores, lane
 *           loads and atomics any other of their own sort. A proposal newer
 *           than sign extension and saturating conversions is not brought
 *           into a function by replacing an operator of an older one.
 * deletion  An operator with one result (a call, a load and local.tee too)
 *           goes together with the instructions that produce its operands;
 *           0, 1, a null reference or a local of the same type takes their
 *           place. Not offered when they hold a jump out of themselves, or
 *           an instruction without a result between the operands (it would
 *           go too).
 * Control flow is left alone, and so are atomic wait and notify.
 */
#ifndef PERFWASM_MUTATE_H
#define PERFWASM_MUTATE_H

#include <perfwasm/module.h>

enum pw_mutation_kind {
#define PW_MUTATION(id, name, help) PW_MUT_##id,
#include <perfwasm/mutations.def>
#undef PW_MUTATION
	PW_N_MUTATION_KINDS
};

#define PW_MUTATION_BYTES 24

/* A change of one place, complete in itself but for the module. */
struct pw_mutation {
	enum pw_mutation_kind kind;
	uint32_t func_idx;
	uint32_t insn_idx; /* the instruction changed */
	uint64_t insn_off; /* and its offset */
	enum pw_op old_op, new_op;
	/* the splice; for a deletion it begins at the first operand */
	uint64_t off;
	uint32_t old_size;
	uint8_t new_size;
	uint8_t new_bytes[PW_MUTATION_BYTES];
};

struct pw_mutate_filter {
	uint32_t kinds;        /* bit per kind; 0 means all */
	const uint32_t *funcs; /* only these; NULL means all */
	uint32_t n_funcs;
	uint64_t off_lo, off_hi; /* insn_off within [lo, hi); hi 0 means all */
};

/*
 * Calls cb for every mutation, in order of function, instruction and kind,
 * and within a kind always in the same order. No mutant equals the original
 * or another one, byte for byte or in meaning of its one instruction.
 * Unreachable code is left out. A non-zero return of cb ends the walk and is
 * returned. -EINVAL or -ENOTSUP with err when a body does not validate; what
 * was offered before then is not to be used.
 */
typedef int (*pw_mutate_cb)(void *ctx, const struct pw_mutation *mut);
int pw_mutate_each(const struct pw_module *m,
		   const struct pw_mutate_filter *filter, pw_mutate_cb cb,
		   void *ctx, struct pw_err *err);

/* Appends the mutant's bytes. */
int pw_mutation_apply(const struct pw_module *m, const struct pw_mutation *mut,
		      struct pw_buf *out, struct pw_err *err);

/*
 * The notation, one line without newline:
 *   f12 i345 operator i32.mul -> i32.div_u
 *   f12 i345 operand i32.const 7 -> i32.const 0
 *   f12 i345 deletion f64.convert_i32_s -> local.get 2
 * f is the function index (imports counted), i the instruction's index.
 * parse() finds the same mutation in the module again; a line that names
 * none fails with a sentence that says what stands at that place.
 */
void pw_mutation_print(const struct pw_module *m, const struct pw_mutation *mut,
		       struct pw_buf *out);
int pw_mutation_parse(const struct pw_module *m, const char *line,
		      struct pw_mutation *mut, struct pw_err *err);
/* "operator", ... ; PW_N_MUTATION_KINDS when no kind has this name. */
const char *pw_mutation_kind_name(enum pw_mutation_kind kind);
enum pw_mutation_kind pw_mutation_kind_find(const char *name);

#endif
