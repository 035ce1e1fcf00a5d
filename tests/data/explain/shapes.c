/* SPDX-License-Identifier: GPL-2.0-only */
/* Loops as C compilers make them: shapes.o is gcc -O1 -fcf-protection=none. */

int checked(const int *a, unsigned n, unsigned limit)
{
	int sum = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned at = i * 7 & 1023;

		if (at >= limit)
			__builtin_trap();
		sum += a[at];
	}
	return sum;
}

int unchecked(const int *a, unsigned n)
{
	int sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += a[i * 7 & 1023];
	return sum;
}

__attribute__((optimize("O0"))) int baseline(const int *a, int n)
{
	int sum = 0, odd = 0;

	for (int i = 0; i < n; i++) {
		odd ^= sum;
		sum += a[i] + odd;
	}
	return sum;
}

int optimised(const int *a, int n)
{
	int sum = 0, odd = 0;

	for (int i = 0; i < n; i++) {
		odd ^= sum;
		sum += a[i] + odd;
	}
	return sum;
}
