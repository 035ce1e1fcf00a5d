// SPDX-License-Identifier: GPL-2.0-only
/* The loop whose place in a line counts is the innermost hot one. */
#include "../../../../plugin/hunt/place/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define AT 0x100 /* where the function begins */
#define N  10

/* Of ten instructions of four bytes 1 to 8 are a loop, in it 2 to 3 and 5 to
 * 7 are loops. */
static void make_code(struct pw_minsn insns[N])
{
	static const struct {
		uint32_t from, to;
	} jumps[] = { { 3, 2 }, { 7, 5 }, { 8, 1 } };

	memset(insns, 0, N * sizeof(*insns));
	for (uint32_t i = 0; i < N; i++) {
		insns[i].text_off = AT + 4 * i;
		insns[i].size_bytes = 4;
		insns[i].target = PW_NO_OFF;
		strcpy(insns[i].opcode, i == N - 1 ? "ret" : "add");
	}
	for (size_t i = 0; i < sizeof(jumps) / sizeof(jumps[0]); i++) {
		struct pw_minsn *in = &insns[jumps[i].from];

		strcpy(in->opcode, "jne");
		in->is_jump = in->is_cond = true;
		in->target = AT + 4 * jumps[i].to;
	}
}

/* The hot loop when instruction i holds share[i] of the samples. */
static struct hunt hot_loop(double share[N])
{
	struct pw_minsn insns[N];
	uint64_t off[N];
	struct hunt h = { 0 };

	make_code(insns);
	for (uint32_t i = 0; i < N; i++)
		off[i] = AT + 4 * i;
	h.samples.text_off = off;
	h.samples.share = share;
	h.samples.n = N;
	place_hot_loop(&h, insns, N, AT);
	return h;
}

static void an_inner_loop_with_a_good_part_of_it_is_it(void **state)
{
	double share[N] = { [1] = 0.3, [2] = 0.1, [4] = 0.2, [6] = 0.4 };
	struct hunt h = hot_loop(share);

	(void)state;
	assert_int_equal(h.place.loop_lo, 4 * 5);
	assert_int_equal(h.place.loop_hi, 4 * 8);
}

static void one_whose_inner_loops_are_cold_is_it(void **state)
{
	double share[N] = { [1] = 0.4, [2] = 0.1, [4] = 0.4, [6] = 0.1 };
	struct hunt h = hot_loop(share);

	(void)state;
	assert_int_equal(h.place.loop_lo, 4 * 1);
	assert_int_equal(h.place.loop_hi, 4 * 9);
}

static void without_samples_in_loops_there_is_none(void **state)
{
	double share[N] = { [0] = 0.5, [9] = 0.5 };
	struct hunt h = hot_loop(share);

	(void)state;
	assert_int_equal(h.place.loop_lo, 0);
	assert_int_equal(h.place.loop_hi, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_inner_loop_with_a_good_part_of_it_is_it),
		cmocka_unit_test(one_whose_inner_loops_are_cold_is_it),
		cmocka_unit_test(without_samples_in_loops_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
