/* SPDX-License-Identifier: GPL-2.0-only */
/* Doubles in tests: cmocka 1.1 compares floats only. */
#ifndef TEST_NEAR_H
#define TEST_NEAR_H

#include <math.h>

#define assert_near(got, want, eps)                                            \
	do {                                                                   \
		double got_ = (got), want_ = (want);                           \
                                                                               \
		if (!(fabs(got_ - want_) <= (eps)))                            \
			fail_msg("%s is %.17g, not %.17g", #got, got_, want_); \
	} while (0)

#endif
