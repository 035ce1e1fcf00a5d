// SPDX-License-Identifier: GPL-2.0-only
/*
 * What speaks for a pattern besides its shape: the accused, the fast code,
 * samples, counters (recorded ones) and probes.
 */
#include "explained.h"

#include <math.h>

struct question {
	struct recorded slow, fast;
	struct pw_explain_input in;
	struct pw_explanation *list;
	uint32_t n;
};

static void ask(struct question *q, const char *slow, const char *fast)
{
	memset(q, 0, sizeof(*q));
	recorded_open(&q->slow, slow);
	q->in.slow = side_of(&q->slow);
	if (!fast)
		return;
	recorded_open(&q->fast, fast);
	q->in.fast = side_of(&q->fast);
}

static const struct pw_explanation *answer(struct question *q,
					   enum pw_pattern p)
{
	pw_explanations_free(q->list, q->n);
	assert_int_equal(pw_explain(&q->in, &q->list, &q->n, NULL), 0);
	return explanation(q->list, q->n, p);
}

static void ask_end(struct question *q)
{
	pw_explanations_free(q->list, q->n);
	recorded_close(&q->slow);
	recorded_close(&q->fast);
}

static void assert_confidence(const struct pw_explanation *x, double want)
{
	assert_non_null(x);
	if (fabs(x->confidence - want) > 1e-9)
		fail_msg("%s: %g, not %g", pw_pattern_id(x->pattern),
			 x->confidence, want);
}

static void the_accused_and_the_fast_code_speak(void **state)
{
	const enum pw_pattern p = PW_PATTERN_dead_division;
	struct question q;
	uint32_t div;

	(void)state;
	ask(&q, "dead-division-32.0.0.elf:0", NULL);
	assert_confidence(answer(&q, p), 0.6);
	div = insn_named(&q.slow, "div");
	q.in.accused = &div;
	q.in.n_accused = 1;
	assert_confidence(answer(&q, p), 1 - 0.4 * 0.6);
	ask_end(&q);

	ask(&q, "dead-division-32.0.0.elf:0", "dead-division-50.0.1.elf:0");
	assert_confidence(answer(&q, p), 1 - 0.4 * 0.7);
	ask_end(&q);
	/* the fast code has as much */
	ask(&q, "dead-division-32.0.0.elf:0", "dead-division-32.0.0.elf:0");
	assert_confidence(answer(&q, p), 0.3);
	ask_end(&q);
}

static void samples_speak_on_the_next_instruction_too(void **state)
{
	const enum pw_pattern p = PW_PATTERN_dead_division;
	double share[64] = { 0 };
	struct question q;
	uint32_t div;

	(void)state;
	ask(&q, "dead-division-32.0.0.elf:0", NULL);
	div = insn_named(&q.slow, "div");
	q.in.slow.share = share;
	share[div + 1] = 0.7;
	assert_confidence(answer(&q, p), 1 - 0.4 * 0.8);
	assert_true(says(answer(&q, p), "70 % of the samples are on it"));
	/* hot elsewhere in the loop */
	share[div + 1] = 0;
	share[div + 3] = 0.7;
	assert_confidence(answer(&q, p), 0.3);
	ask_end(&q);
}

static void a_probe_decides(void **state)
{
	struct pw_explain_probe probe = { PW_PATTERN_false_dependence,
					  PW_PROBE_CONFIRMED,
					  "With clean registers it is fast." };
	const struct pw_explanation *x;
	struct question q;

	(void)state;
	ask(&q, "false-dependence-13.0.0.elf:1", NULL);
	q.in.probes = &probe;
	q.in.n_probes = 1;
	x = answer(&q, PW_PATTERN_false_dependence);
	assert_confidence(x, 0.95);
	assert_true(x->probed && x->result == PW_PROBE_CONFIRMED);
	assert_true(says(x, "With clean registers"));
	probe.result = PW_PROBE_REFUTED;
	x = answer(&q, PW_PATTERN_false_dependence);
	assert_confidence(x, 0.1);
	assert_true(x->result == PW_PROBE_REFUTED);
	/* confirmed, it is no matter that the fast code has it, too */
	probe.result = PW_PROBE_CONFIRMED;
	q.in.fast = q.in.slow;
	assert_confidence(answer(&q, PW_PATTERN_false_dependence), 0.95);
	ask_end(&q);
}

/* Counts of a run of 100 million turns on Zen 4 by its manual: 12 cycles more
 * a turn, the divider busy for most of them. */
static void counters_agree_or_contradict(void **state)
{
	const enum pw_pattern p = PW_PATTERN_constant_division;
	struct pw_explain_count counts[] = {
		{ "cycles", 1900000000, 700000000 },
		{ "instructions", 1100000000, 900000000 },
		{ "DIV_CYCLES_BUSY_COUNT", 1000000000, 0 },
	};
	struct question q;

	(void)state;
	ask(&q, "remainder-34.0.0.elf:0", NULL);
	q.in.pmu = "amd64_fam19h_zen4";
	q.in.counts = counts;
	q.in.n_counts = 3;
	assert_confidence(answer(&q, p), 0.75);
	assert_true(says(answer(&q, p), "they account for the extra cycles"));
	assert_true(says(answer(&q, p), "0.58 against 1.29"));
	counts[2].slow = 1000;
	assert_confidence(answer(&q, p), 0.25);
	assert_true(says(answer(&q, p), "they do not account"));
	/* a little says nothing */
	counts[2].slow = 100000000;
	assert_confidence(answer(&q, p), 0.5);
	/* an event of another family's says nothing */
	counts[2].slow = 1000000000;
	q.in.pmu = "skl";
	assert_confidence(answer(&q, p), 0.5);
	ask_end(&q);
}

/* Assists cost so much that few count. */
static void assists_count_for_many_cycles(void **state)
{
	struct pw_explain_count counts[] = {
		{ "cycles", 12000000000, 700000000 },
		{ "FP_ASSIST:ANY", 75000000, 12 },
	};
	struct question q;

	(void)state;
	ask(&q, "subnormal-14.0.0.elf:0", NULL);
	q.in.pmu = "skl";
	q.in.counts = counts;
	q.in.n_counts = 2;
	assert_confidence(answer(&q, PW_PATTERN_subnormal), 1 - 0.6 * 0.5);
	ask_end(&q);
}

static void a_call_counts_when_time_is_outside(void **state)
{
	const enum pw_pattern p = PW_PATTERN_library_call;
	double share[64] = { 0 };
	struct question q;

	(void)state;
	ask(&q, "library-call-45.0.0.elf:0", "library-call-45.0.0.elf:0");
	assert_confidence(answer(&q, p), 0.25);
	q.in.outside = 0.8;
	assert_confidence(answer(&q, p), 0.75);
	q.in.slow.share = share;
	share[insn_named(&q.slow, "test")] = 0.06;
	assert_confidence(answer(&q, p), 0.75);
	assert_true(says(answer(&q, p), "80 % of the samples are outside"));
	ask_end(&q);
}

static void optimised_code_spills_and_is_of_no_lower_tier(void **state)
{
	struct question q;

	(void)state;
	ask(&q, "shapes.o:baseline", NULL);
	assert_non_null(answer(&q, PW_PATTERN_missing_tier_up));
	q.in.optimised = true;
	assert_null(answer(&q, PW_PATTERN_missing_tier_up));
	assert_non_null(answer(&q, PW_PATTERN_spill_integer));
	ask_end(&q);
}

static void what_is_told_is_evidence(void **state)
{
	struct question q;

	(void)state;
	ask(&q, "invariant-50.0.1.elf:0", NULL);
	assert_null(answer(&q, PW_PATTERN_missing_tier_up));
	q.in.baseline_tier = "Liftoff";
	assert_true(says(answer(&q, PW_PATTERN_missing_tier_up), "Liftoff"));
	assert_null(answer(&q, PW_PATTERN_placement));
	q.in.moves_with_place = true;
	assert_true(says(answer(&q, PW_PATTERN_placement), "address"));
	ask_end(&q);
}

/* The same opcode before the loop: moved, not extra. */
static void what_moved_out_of_the_loop_is_called_so(void **state)
{
	struct pw_code_diff_line *lines;
	struct question q;
	uint32_t n;

	(void)state;
	ask(&q, "invariant-14.0.0.elf:0", "invariant-50.0.1.elf:0");
	assert_int_equal(pw_code_diff(q.slow.insns, q.slow.n, NULL,
				      q.fast.insns, q.fast.n, &lines, &n),
			 0);
	for (uint32_t i = 0; i < n; i++)
		if (lines[i].side == PW_CODE_DIFF_SLOW &&
		    lines[i].slow_idx ==
			    (int32_t)insn_named(&q.slow, "vsqrtsd"))
			lines[i].moved_to = 2;
	q.in.lines = lines;
	q.in.n_lines = n;
	assert_true(says(answer(&q, PW_PATTERN_invariant_work),
			 "not extra but moved"));
	free(lines);
	ask_end(&q);
}

static void the_best_comes_first_and_none_twice(void **state)
{
	struct question q;
	uint32_t accused[2];

	(void)state;
	ask(&q, "remainder-34.0.0.elf:0", "remainder-50.0.1.elf:0");
	accused[0] = insn_named(&q.slow, "div");
	accused[1] = accused[0] - 2;
	q.in.accused = accused;
	q.in.n_accused = 2;
	answer(&q, PW_PATTERN_constant_division);
	assert_true(q.n >= 2);
	assert_true(q.list[0].pattern == PW_PATTERN_constant_division);
	for (uint32_t i = 1; i < q.n; i++) {
		assert_true(q.list[i].confidence <= q.list[i - 1].confidence);
		assert_true(q.list[i].pattern != q.list[i - 1].pattern);
	}
	ask_end(&q);
}

static void every_pattern_has_words(void **state)
{
	(void)state;
	for (int p = 0; p < PW_N_PATTERNS; p++) {
		assert_true(strlen(pw_pattern_id((enum pw_pattern)p)) > 3);
		assert_true(strlen(pw_pattern_name((enum pw_pattern)p)) > 3);
		assert_true(strlen(pw_pattern_help((enum pw_pattern)p)) > 40);
		assert_true(strlen(pw_pattern_probe((enum pw_pattern)p)) > 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_accused_and_the_fast_code_speak),
		cmocka_unit_test(samples_speak_on_the_next_instruction_too),
		cmocka_unit_test(a_probe_decides),
		cmocka_unit_test(counters_agree_or_contradict),
		cmocka_unit_test(assists_count_for_many_cycles),
		cmocka_unit_test(a_call_counts_when_time_is_outside),
		cmocka_unit_test(what_is_told_is_evidence),
		cmocka_unit_test(optimised_code_spills_and_is_of_no_lower_tier),
		cmocka_unit_test(what_moved_out_of_the_loop_is_called_so),
		cmocka_unit_test(the_best_comes_first_and_none_twice),
		cmocka_unit_test(every_pattern_has_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
