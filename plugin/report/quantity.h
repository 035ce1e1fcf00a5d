/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * quantity: how a number with a unit is written for people. Three
 * significant digits; the cells of one column share one scale, so that they
 * can be compared at a glance.
 */
#ifndef PW_REPORT_QUANTITY_H
#define PW_REPORT_QUANTITY_H

#include <perfwasm/report.h>

/* Shown as value / divisor with so many decimals, and the suffix. */
struct scale {
	enum pw_unit unit;
	double divisor;
	int decimals;
	const char *suffix;
};

/* The scale that suits `largest` (its sign does not matter); `whole` when all
 * values to be shown are whole numbers. */
struct scale scale_for(enum pw_unit unit, double largest, bool whole);
bool is_whole(double v);
void quantity_add_int(struct pw_buf *out, const struct scale *s, int64_t v);
/* Not a number is "-"; the infinities are "inf" and "-inf". */
void quantity_add_num(struct pw_buf *out, const struct scale *s, double v);

/* The unit's name in JSON, or NULL for plain numbers. */
const char *unit_name(enum pw_unit unit);
/* "bytes", "count/s": of a row, see ROW_PER_SECOND; dst holds it. */
const char *row_unit_name(char dst[16], unsigned int row_unit);

#endif
