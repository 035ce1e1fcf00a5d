// SPDX-License-Identifier: GPL-2.0-only
/* A loop whose work is in a function that is inlined: line 11 in line 20. */

__attribute__((export_name("untouched"))) int untouched(int x)
{
	return x + 1;
}

static inline __attribute__((always_inline)) double square(double x)
{
	return (x + 1.0) * (x - 1.0) / (x * x + 2.0);
}

__attribute__((export_name("sum"), noinline)) double sum(unsigned n)
{
	double s = 0;
	unsigned i;

	for (i = 0; i < n; i++)
		s += square(i);
	return s;
}

static volatile double result;

__attribute__((export_name("_start"))) void start(void)
{
	result = sum(20000000);
}
