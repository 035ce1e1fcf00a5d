/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of step 9 of a hunt. */
#ifndef HUNT_ISOLATE_H
#define HUNT_ISOLATE_H

#include "../steps.h"

/* --- hot-code.c ------------------------------------------------------------ */

/* The original's code of the i-th function of its image, disassembled when
 * first wanted; belongs to the hunt. */
int side_of(struct hunt *h, const struct pw_code *code, uint32_t i,
	    struct side **out, struct pw_err *err);
/* Share of samples on an instruction and the one behind it, where the
 * samples of a slow one land. */
double side_share_near(const struct side *s, uint32_t insn);

/* --- chain.c --------------------------------------------------------------- */

/* Fills the chains of the evidence; what cannot be compared is not known. */
void chain_compare(struct evidence *e, const struct pw_code *slow,
		   const struct pw_code *fast);
/*
 * Has the mutant less to wait for from turn to turn, and ends otherwise? Then
 * it is fast because work is gone, which neither counts of executions nor a
 * slow instruction tell. What ends the same has done the work.
 */
bool chain_is_cut(const struct group *g);

/* --- rank.c ------------------------------------------------------------------ */

/* Fills the suspicion of what judged groups accuse. */
void rank_suspicion(struct hunt *h);
/* Fills h->ranking and chooses h->findings. */
void rank_groups(struct hunt *h);

#endif
