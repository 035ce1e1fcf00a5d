/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a hunt that move machine code and see what that does. */
#ifndef HUNT_PLACE_H
#define HUNT_PLACE_H

#include "../steps.h"

/* The processor fetches code in lines of so many bytes. */
#define LINE_BYTES 64

/* Runs this module at all placements, in turn: least_ms, NAN at first, is
 * the least of the runs at each; it stays NAN when none ends as the original
 * does. The journal's key begins with KEY. */
int place_run(struct hunt *h, const struct pw_module *m, const char *key,
	      unsigned rounds, double least_ms[PLACES_MAX], struct pw_err *err);
/* Runs at one placement: few of a long run. */
unsigned place_rounds(const struct hunt *h);
/* What the suspect could need, by its quickest oracle, ms. */
double place_ideal_ms(const struct hunt *h);

/* --- place-hot.c ----------------------------------------------------------- */

/* Finds the function with most samples and its hottest loop; false when
 * there is none. */
bool place_hot_spot(struct hunt *h, const struct pw_code *code);
/* Its hottest loop, as offsets from its start: the innermost that still holds
 * a good part of what the loop around it does. */
void place_hot_loop(struct hunt *h, const struct pw_minsn *insns, uint32_t n,
		    uint64_t func_off);

#endif
