/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a hunt that move machine code and see what that does. */
#ifndef HUNT_PLACE_H
#define HUNT_PLACE_H

#include "steps.h"

/* The processor fetches code in lines of so many bytes. */
#define LINE_BYTES 64

/* Writes this module, moved as placement `at` says, into the box, and runs
 * it; *ms is the least of `rounds` runs, NAN when it does not end as the
 * original does. The journal's key is KEY. */
int place_run(struct hunt *h, const struct pw_module *m, size_t at,
	      const char *key, unsigned rounds, double *ms, struct pw_err *err);
/* Runs at one placement: few of a long run. */
unsigned place_rounds(const struct hunt *h);
/* What the suspect could need, by its quickest oracle, ms. */
double place_ideal_ms(const struct hunt *h);

/* --- place-hot.c ----------------------------------------------------------- */

/* Finds the function with most samples and its hottest loop; false when
 * there is none. */
bool place_hot_spot(struct hunt *h, const struct pw_code *code);

#endif
