// SPDX-License-Identifier: GPL-2.0-only
/* The fastest mutant is not the best when it does other work, whether an
 * oracle can tell or not. */
#include "../../../../plugin/hunt/judge.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

struct fixture {
	struct pw_hunt_opts opts;
	struct hunt h;
	struct runner oracles[2];
};

/* With or without an oracle whose time tells how much work is done. */
static void setup(struct fixture *f, bool help)
{
	memset(f, 0, sizeof(*f));
	f->opts.weight_perf = f->opts.weight_same = 0.5;
	f->h.o = &f->opts;
	f->h.oracles = f->oracles;
	f->h.n_oracles = 1;
	f->oracles[0].usable = true;
	f->oracles[0].tracks_work = help;
}

/* The score of a mutant that closes so much, with the same counts or not,
 * the same end or not, and this factor on the oracle's time. */
static double score(struct fixture *f, double closed, enum counted counts,
		    bool same_end, double oracle)
{
	struct verdict on[2] = {
		{ .ms = 10 * oracle, .base_ms = 10, .same_digest = same_end },
		{ .ms = 10 * oracle, .base_ms = 10, .same_digest = same_end },
	};
	struct group g = {
		.closed = closed,
		.counts = counts,
		.same_digest = same_end,
		.on = on,
	};

	score_group(&f->h, &g);
	return g.score;
}

static void a_broken_loop_is_the_fastest_and_not_the_best(void **state)
{
	struct fixture f;

	(void)state;
	for (int help = 0; help < 2; help++) {
		setup(&f, help);
		assert_true(score(&f, 1.0, COUNTS_SAME, true, 0.9) >
			    score(&f, 1.5, COUNTS_DIFFER, false, 0.05) + 0.2);
		/* and when no mutant ends the same */
		assert_true(score(&f, 0.9, COUNTS_SAME, false, 1) >
			    score(&f, 1.5, COUNTS_DIFFER, false, 0.05) + 0.2);
	}
}

static void a_shorter_chain_is_the_fastest_and_not_the_best(void **state)
{
	struct fixture f;

	(void)state;
	for (int help = 0; help < 2; help++) {
		setup(&f, help);
		assert_true(score(&f, 1.0, COUNTS_SAME, true, 0.9) >
			    score(&f, 1.2, COUNTS_SAME, false, 0.4) + 0.06);
	}
	/* when no mutant ends the same the oracle still knows */
	setup(&f, true);
	assert_true(score(&f, 1.0, COUNTS_SAME, false, 0.95) >
		    score(&f, 1.2, COUNTS_SAME, false, 0.4) + 0.06);
}

static void another_path_with_the_same_end_is_unmasked_by_counts(void **state)
{
	struct fixture f;

	(void)state;
	for (int help = 0; help < 2; help++) {
		setup(&f, help);
		assert_true(score(&f, 0.9, COUNTS_SAME, false, 1) >
			    score(&f, 1.0, COUNTS_DIFFER, true, 1) + 0.06);
		assert_true(score(&f, 1.0, COUNTS_UNKNOWN, true, 1) >
			    score(&f, 1.0, COUNTS_DIFFER, true, 1) + 0.2);
	}
}

static void a_clock_alone_does_not_overrule_the_witness(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, true);
	assert_true(score(&f, 1.0, COUNTS_SAME, true, 0.3) >
		    score(&f, 1.0, COUNTS_SAME, false, 1));
}

static void an_oracle_that_deleted_the_work_has_no_say(void **state)
{
	struct fixture f;
	double with, without;

	(void)state;
	setup(&f, false);
	with = score(&f, 1.0, COUNTS_SAME, true, 1000);
	without = score(&f, 1.0, COUNTS_SAME, true, 1);
	assert_true(fabs(with - without) < 1e-9);
}

static void weights_weigh(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, true);
	f.opts.weight_perf = 1;
	f.opts.weight_same = 0;
	assert_true(score(&f, 1.0, COUNTS_DIFFER, false, 0.1) >
		    score(&f, 0.9, COUNTS_SAME, true, 1));
	f.opts.weight_perf = 0;
	f.opts.weight_same = 1;
	assert_true(score(&f, 1.0, COUNTS_DIFFER, false, 0.1) <
		    score(&f, 0.3, COUNTS_SAME, true, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_broken_loop_is_the_fastest_and_not_the_best),
		cmocka_unit_test(
			a_shorter_chain_is_the_fastest_and_not_the_best),
		cmocka_unit_test(
			another_path_with_the_same_end_is_unmasked_by_counts),
		cmocka_unit_test(a_clock_alone_does_not_overrule_the_witness),
		cmocka_unit_test(an_oracle_that_deleted_the_work_has_no_say),
		cmocka_unit_test(weights_weigh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
