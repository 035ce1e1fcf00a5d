/* SPDX-License-Identifier: GPL-2.0-only */
/* Two machine codes of one function and what tells them apart. */
#ifndef HUNT_DIFF_H
#define HUNT_DIFF_H

#include <perfwasm/code.h>

enum code_diff_side {
	CODE_DIFF_SAME, /* an opcode of both codes */
	CODE_DIFF_SLOW, /* left over in the slow code */
	CODE_DIFF_FAST, /* left over in the fast code */
};

struct code_diff_line {
	enum code_diff_side side;
	int32_t slow_idx, fast_idx; /* instruction, or -1 on the other side */
	/* of a left-over: the left-over of the other code that does the same,
	 * so that it only stands in another place; or -1. */
	int32_t moved_to;
};

/*
 * The longest common subsequence of the opcodes: registers, immediates and
 * distances do not count, so that another register allocation is no
 * difference. Of several the one with most equal operands and wasm
 * instructions, then with the fewest gaps, then the one that leaves over
 * the instructions with most samples. slow_weight: samples (or their share)
 * per slow instruction, or NULL. Exact up to 3,000 instructions that differ;
 * beyond, the codes are cut first where they agree. *lines has the code in
 * order, left-overs of the slow before those of the fast code; the caller
 * frees. 0, or -E2BIG above 2^30 instructions.
 */
int code_diff(const struct pw_minsn *slow, uint32_t n_slow,
	      const double *slow_weight, const struct pw_minsn *fast,
	      uint32_t n_fast, struct code_diff_line **lines,
	      uint32_t *n_lines);

#endif
