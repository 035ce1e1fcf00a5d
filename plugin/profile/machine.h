/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hits of a profile by piece of code, and the instruction each is on.
 */
#ifndef PLUGIN_PROFILE_MACHINE_H
#define PLUGIN_PROFILE_MACHINE_H

#include "profile-impl.h"

/* Hit numbers by piece, then by offset; the caller frees. */
uint32_t *hits_sorted(const struct pw_profile *p);

/* The disassembled code of a piece; zeroed storage is that of none. */
struct machine {
	struct pw_minsn *insns;
	uint32_t n;
	uint64_t base; /* text_off of the piece's first byte */
};
int machine_open(struct machine *m, struct pw_profile *p,
		 const struct pw_piece *piece, struct pw_err *err);
void machine_close(struct machine *m);
/* The instruction that covers an offset in the piece, or UINT32_MAX. */
uint32_t machine_insn(const struct machine *m, uint64_t off);

#endif
