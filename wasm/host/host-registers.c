// SPDX-License-Identifier: GPL-2.0-only
/*
 * The vector registers, brought into one known state before a call. Some
 * instructions of x86-64 (cvtsi2sd, sqrtsd ...) merge into the old value of
 * their target; processors of AMD skip that wait while the upper half is
 * known to be zero. So how long a guest takes may depend on which code of the
 * host ran before it: on what a release does when it enters a guest, not on
 * the guest's code. With every upper half set, as in a program that computes,
 * a run is the same each time and such a wait is always seen.
 */
#include "host-parts.h"

#if defined(__x86_64__)

#define FILL(n)    "movupd %0, %%xmm" #n "\n\t"
#define CLOBBER(n) "xmm" #n

void host_registers_fill(void)
{
	static const double two[2] = { 1.5, 2.5 };

	__asm__ volatile(FILL(0) FILL(1) FILL(2) FILL(3) FILL(4) FILL(5) FILL(6)
				 FILL(7) FILL(8) FILL(9) FILL(10) FILL(11)
					 FILL(12) FILL(13) FILL(14) FILL(15)
			 :
			 : "m"(two)
			 : CLOBBER(0), CLOBBER(1), CLOBBER(2), CLOBBER(3),
			   CLOBBER(4), CLOBBER(5), CLOBBER(6), CLOBBER(7),
			   CLOBBER(8), CLOBBER(9), CLOBBER(10), CLOBBER(11),
			   CLOBBER(12), CLOBBER(13), CLOBBER(14), CLOBBER(15));
}

#define CLEAR(n) "pxor %%xmm" #n ", %%xmm" #n "\n\t"

void host_registers_clear(void)
{
	__asm__ volatile(CLEAR(0) CLEAR(1) CLEAR(2) CLEAR(3) CLEAR(4) CLEAR(5)
				 CLEAR(6) CLEAR(7) CLEAR(8) CLEAR(9) CLEAR(10)
					 CLEAR(11) CLEAR(12) CLEAR(13) CLEAR(14)
						 CLEAR(15)
			 :
			 :
			 : CLOBBER(0), CLOBBER(1), CLOBBER(2), CLOBBER(3),
			   CLOBBER(4), CLOBBER(5), CLOBBER(6), CLOBBER(7),
			   CLOBBER(8), CLOBBER(9), CLOBBER(10), CLOBBER(11),
			   CLOBBER(12), CLOBBER(13), CLOBBER(14), CLOBBER(15));
}

#else

/* AArch64 clears what a scalar instruction does not write. */
void host_registers_fill(void)
{
}

void host_registers_clear(void)
{
}

#endif
