/* SPDX-License-Identifier: GPL-2.0-only */
/* Student's t: what a difference by its standard error is distributed as. */
#ifndef STATS_STUDENT_H
#define STATS_STUDENT_H

/* The probability of more than t; an infinite freedom is the normal. */
double student_above(double t, double freedom);
/* The t that is exceeded with probability p. */
double student_beyond(double p, double freedom);

#endif
