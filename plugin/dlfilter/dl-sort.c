// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addresses with their counts, brought into order: by digits where there are
 * many, since comparing them would cost more than all the rest.
 */
#include "dlfilter.h"

#include <stdlib.h>
#include <string.h>

#define DIGIT_BITS 11
#define DIGITS     (1u << DIGIT_BITS)
#define FEW        256u

static int by_ip(const void *a, const void *b)
{
	const struct pw_alike *x = a, *y = b;

	return x->ip < y->ip ? -1 : x->ip > y->ip;
}

/* From a to b by one digit of the address. */
static void by_digit(const struct pw_alike *a, uint32_t n, struct pw_alike *b,
		     unsigned int shift)
{
	uint32_t at[DIGITS] = { 0 }, sum = 0, i;

	for (i = 0; i < n; i++)
		at[a[i].ip >> shift & (DIGITS - 1)]++;
	for (i = 0; i < DIGITS; i++) {
		uint32_t here = at[i];

		at[i] = sum;
		sum += here;
	}
	for (i = 0; i < n; i++)
		b[at[a[i].ip >> shift & (DIGITS - 1)]++] = a[i];
}

static void by_digits(struct pw_alike *a, uint32_t n, struct pw_alike *spare)
{
	struct pw_alike *from = a, *to = spare, *swap;
	uint64_t differs = 0;
	unsigned int shift;
	uint32_t i;

	for (i = 1; i < n; i++)
		differs |= a[i].ip ^ a[0].ip;
	for (shift = 0; shift < 64; shift += DIGIT_BITS) {
		if (!(differs >> shift & (DIGITS - 1)))
			continue;
		by_digit(from, n, to, shift);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != a)
		memcpy(a, from, n * sizeof(*a));
}

uint32_t dl_alike_sort(struct pw_alike *a, uint32_t n, struct pw_alike *spare)
{
	uint32_t i, n_left = 0;

	if (n > FEW)
		by_digits(a, n, spare);
	else if (n > 1)
		qsort(a, n, sizeof(*a), by_ip);
	for (i = 0; i < n; i++) {
		struct pw_alike *last = n_left ? &a[n_left - 1] : NULL;

		if (!last || !dl_alike_add(last, &a[i]))
			a[n_left++] = a[i];
	}
	return n_left;
}
