/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hot function on the suspect beside the same function on the oracle,
 * counted by opcode: what there is to say of a slowness that is spread over
 * a function and that no single change cures.
 */
#ifndef HUNT_CONTRAST_H
#define HUNT_CONTRAST_H

#include "../steps.h"

/* What is counted of one code. */
struct contrast_side {
	uint64_t size_bytes; /* of the counted instructions */
	uint32_t n_insns;
	uint32_t n_stack; /* that read or write the stack's memory */
};

struct contrast_opcode {
	char opcode[24];
	uint32_t n[2]; /* suspect, oracle */
};

/* A hot function that the oracle has no code for: it was inlined there. What
 * the suspect spends in its loops it would spend inlined, too. */
struct contrast_inlined {
	uint32_t func_idx;
	double share; /* of all samples, on the suspect, outside its loops */
};

struct contrast {
	struct contrast_inlined *inlined; /* most samples first */
	size_t n_inlined;
	double inlined_share; /* of them all */
	/* the hottest function that both have; without one on[] is empty */
	uint32_t func_idx;
	double share; /* of all samples, in the function */
	const struct runner *oracle;
	bool loops_only; /* both have loops: only what is in them counts */
	struct contrast_side on[2];  /* suspect, oracle */
	struct contrast_opcode *ops; /* the largest differences first */
	size_t n_ops;
};

/* One code of the two; uses may be NULL: the stack is not looked at. */
struct contrast_code {
	const struct pw_minsn *insns;
	const struct pw_insn_uses *uses;
	uint32_t n;
};

/* Does no finding surely close half of the gap? */
bool contrast_is_wanted(const struct hunt *h);
/* Fills loops_only, on and ops. */
void contrast_count(struct contrast *c, const struct contrast_code code[2]);
/* Files a function that is hot on the suspect under inlined. */
void contrast_add_inlined(struct contrast *c, uint32_t func_idx, double share);
/* Do functions that the oracle inlined hold a good part of the samples? */
bool contrast_is_inlined(const struct contrast *c);
/* Is one code so much larger that this alone may be the gap? */
bool contrast_is_larger(const struct contrast *c);
void contrast_release(struct contrast *c);

/* The section of the report; nothing when nothing was counted. */
void present_contrast(const struct hunt *h, struct pw_node *root);

#endif
