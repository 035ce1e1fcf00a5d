// SPDX-License-Identifier: GPL-2.0-only
/* A guest's start function finds the vector registers as its call does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../../../wasm/host/host-parts.h"

#if defined(__x86_64__)

/* The upper half of a register that neither arguments nor results are in. */
static double upper_half(bool clean)
{
	struct pw_host_request req = { .clean_registers = clean };
	struct pw_host_run run = { .req = &req };
	double halves[2];

	__asm__ volatile("pcmpeqd %%xmm13, %%xmm13" ::: "xmm13");
	pw_host_start_begin(&run);
	__asm__ volatile("movupd %%xmm13, %0" : "=m"(halves));
	return halves[1];
}

static void a_start_function_finds_them_filled_or_clear(void **state)
{
	(void)state;
	assert_true(upper_half(false) > 2 && upper_half(false) < 3);
	assert_true(upper_half(true) == 0);
}

#else

static void a_start_function_finds_them_filled_or_clear(void **state)
{
	(void)state;
	skip();
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_start_function_finds_them_filled_or_clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
