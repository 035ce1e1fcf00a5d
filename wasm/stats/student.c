// SPDX-License-Identifier: GPL-2.0-only
/*
 * Student's distribution, by libRmath. A file of its own: Rmath.h makes macros
 * of words as short as df.
 */
#include "student.h"

#define MATHLIB_STANDALONE /* its names without R around them */
#include <Rmath.h>

double student_above(double t, double freedom)
{
	return pt(t, freedom, 0, 0);
}

double student_beyond(double p, double freedom)
{
	return qt(p, freedom, 0, 0);
}
