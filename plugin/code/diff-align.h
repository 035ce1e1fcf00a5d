/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the machine-code diff share: two codes as keys. */
#ifndef PLUGIN_CODE_DIFF_ALIGN_H
#define PLUGIN_CODE_DIFF_ALIGN_H

#include <perfwasm/code.h>

/* Samples of the slow code in units of the score: less than any bonus. */
#define DIFF_ALL_SAMPLES (((int64_t)1 << 16) - 1)

/* An instruction as the alignment sees it. */
struct key {
	uint64_t opcode, operands; /* hashes; operands 0: says nothing */
	uint64_t wasm_off; /* in the fast code's module, after diff_shift() */
	int64_t weight;    /* samples, DIFF_ALL_SAMPLES in total */
};

struct diff {
	struct key *slow, *fast;
	uint32_t n_slow, n_fast;
	int32_t *pair; /* per slow instruction: the fast one or -1 */
};

/* diff-offsets.c: turns the slow code's wasm offsets into those of the fast
 * code's module; PW_NO_OFF when the mutation took the instruction out. */
void diff_shift(struct diff *d);

/* diff-align.c: fills pair[]. */
void diff_align(struct diff *d);

#endif
