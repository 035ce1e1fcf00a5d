// SPDX-License-Identifier: GPL-2.0-only
/* Of good mutants the one that tells most comes first. */
#include "../../../../plugin/hunt/isolate/isolate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

/* A hunt with judged groups whose evidence the test fills in. */
struct fixture {
	struct pw_hunt_opts opts;
	struct hunt h;
	struct candidate candidates[8];
	struct group groups[8];
	struct evidence evidence[8];
	struct accused accused[8][8];
};

/* Adds a judged group of this score that accuses n instructions from
 * `first` on, each with this share of the samples. */
static void add(struct fixture *f, double score, uint32_t first, uint32_t n,
		uint32_t n_added, double share)
{
	size_t i = f->h.n_groups++;

	f->candidates[i].mut.insn_off = 100 + i;
	f->evidence[i] = (struct evidence){ .accused = f->accused[i],
					    .n_accused = n,
					    .n_added = n_added,
					    .chain_was = 4,
					    .chain_is = 4 };
	for (uint32_t k = 0; k < n; k++)
		f->accused[i][k] =
			(struct accused){ .insn = first + k, .share = share };
	f->groups[i] = (struct group){ .candidate = (uint32_t)i,
				       .judged = true,
				       .closed = 1,
				       .closed_ci = { 0.8, 1.1 },
				       .same_digest = true,
				       .same_time = 1,
				       .score = score,
				       .evidence = &f->evidence[i] };
}

static void setup(struct fixture *f)
{
	*f = (struct fixture){ 0 };
	f->opts.max_findings = 3;
	f->h.o = &f->opts;
	f->h.candidates = f->candidates;
	f->h.groups = f->groups;
	f->h.samples.n = 1;
}

static void rank_all(struct fixture *f)
{
	rank_suspicion(&f->h);
	rank_groups(&f->h);
}

static void release(struct fixture *f)
{
	free(f->h.ranking);
	free(f->h.findings);
}

static void the_smallest_difference_of_equal_merit_wins(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f);
	add(&f, 1.00, 0, 4, 0, 0.1);
	add(&f, 0.97, 10, 1, 0, 0.1);
	add(&f, 0.99, 20, 1, 5, 0.1);
	rank_all(&f);
	assert_int_equal(f.h.n_ranked, 3);
	assert_int_equal(f.h.ranking[0], 1);
	assert_int_equal(f.h.ranking[1], 0);
	assert_int_equal(f.h.ranking[2], 2);
	release(&f);
}

static void a_clearly_better_score_beats_a_small_difference(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f);
	add(&f, 0.75, 0, 1, 0, 0.5);
	add(&f, 1.00, 10, 4, 2, 0.5);
	rank_all(&f);
	assert_int_equal(f.h.ranking[0], 1);
	release(&f);
}

static void an_instruction_without_samples_comes_later(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f);
	add(&f, 1, 0, 1, 0, 0.0);
	add(&f, 1, 10, 3, 0, 0.1);
	rank_all(&f);
	assert_int_equal(f.h.ranking[0], 1);
	release(&f);
	/* when nothing was sampled, size decides */
	f.h.samples.n = f.h.n_ranked = f.h.n_findings = 0;
	rank_all(&f);
	assert_int_equal(f.h.ranking[0], 0);
	release(&f);
}

static void no_difference_is_the_worst_evidence(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f);
	add(&f, 1, 0, 0, 0, 0);
	add(&f, 1, 10, 7, 7, 0.001);
	f.h.samples.n = 0;
	rank_all(&f);
	assert_int_equal(f.h.ranking[0], 1);
	release(&f);
}

static void what_good_mutants_share_is_suspect(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f);
	add(&f, 1, 5, 1, 0, 0.1);
	add(&f, 1, 5, 1, 0, 0.1);
	add(&f, 1, 6, 1, 0, 0.1);
	add(&f, 0.3, 6, 1, 0, 0.1);
	f.groups[3].closed = 0.1;
	rank_suspicion(&f.h);
	/* Ochiai: 2 of 3 good ones and no bad one; 1 of 3 and one bad one */
	assert_float_equal(f.accused[0][0].suspicion, 0.8165, 0.001);
	assert_float_equal(f.accused[2][0].suspicion, 0.4082, 0.001);
}

static void findings_do_not_repeat_each_other(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f);
	add(&f, 1, 5, 1, 0, 0.1); /* first */
	add(&f, 1, 5, 2, 0, 0.1); /* accuses that one again, and more */
	add(&f, 1, 9, 3, 0, 0.1); /* another place: told */
	add(&f, 1, 20, 4, 0, 0.1);
	f.candidates[3].mut.insn_off = f.candidates[0].mut.insn_off;
	add(&f, 1, 30, 5, 0, 0.1);
	f.groups[4].closed = 0.1; /* closes too little */
	rank_all(&f);
	assert_int_equal(f.h.n_findings, 2);
	assert_int_equal(f.h.findings[0], 0);
	assert_int_equal(f.h.findings[1], 2);
	release(&f);
}

static void what_may_have_closed_nothing_is_counted_not_told(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f);
	add(&f, 1, 5, 1, 0, 0.1);
	f.groups[0].closed_ci.lo = -0.1;
	add(&f, 0.8, 10, 2, 0, 0.1);
	add(&f, 0.5, 20, 2, 0, 0.1);
	f.groups[2].closed_ci.lo = -0.3;
	add(&f, 0.3, 30, 2, 0, 0.1);
	f.groups[3].closed = 0.1; /* closes too little anyway */
	f.groups[3].closed_ci.lo = -0.3;
	rank_all(&f);
	assert_int_equal(f.h.n_findings, 1);
	assert_int_equal(f.h.findings[0], 1);
	assert_int_equal(f.h.n_unsure, 2);
	release(&f);
}

/* With counts and closing alike, without any word of an oracle. */
static void what_every_witness_says_does_other_work_is_not_told(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f);
	add(&f, 0.3, 0, 1, 0, 0.1);
	f.groups[0].counts = COUNTS_DIFFER;
	f.groups[0].same_digest = false;
	f.groups[0].same_time = 0.1;
	rank_all(&f);
	assert_int_equal(f.h.n_findings, 0);
	release(&f);
	/* one that the oracles take as long for may do the same */
	f.groups[0].same_time = 0.9;
	f.h.n_ranked = 0;
	rank_all(&f);
	assert_int_equal(f.h.n_findings, 1);
	release(&f);
}

static void what_leaves_the_oracles_nothing_to_do_is_not_told(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f);
	add(&f, 0.5, 0, 1, 0, 0.1);
	f.groups[0].counts = COUNTS_SAME;
	f.groups[0].same_digest = false;
	f.groups[0].same_time = 0;
	rank_all(&f);
	assert_int_equal(f.h.n_findings, 0);
	release(&f);
	/* with the same end the oracles are wrong to think so */
	f.groups[0].same_digest = true;
	f.h.n_ranked = 0;
	rank_all(&f);
	assert_int_equal(f.h.n_findings, 1);
	release(&f);
}

static void what_is_far_faster_than_the_oracle_is_not_told(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f);
	add(&f, 0.5, 0, 1, 0, 0.1);
	f.groups[0].closed = 3.4;
	f.groups[0].closed_ci = (struct pw_interval){ 3.2, 3.7 };
	f.groups[0].same_digest = false;
	rank_all(&f);
	assert_int_equal(f.h.n_findings, 0);
	release(&f);
	/* unless it does the very same */
	f.groups[0].same_digest = true;
	f.h.n_ranked = 0;
	rank_all(&f);
	assert_int_equal(f.h.n_findings, 1);
	release(&f);
}

static void a_cut_chain_is_not_first_for_its_small_difference(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f);
	add(&f, 0.90, 0, 1, 0, 0.5); /* the smallest change, most samples */
	f.groups[0].same_digest = false;
	f.evidence[0].chain_is = 1;
	add(&f, 0.88, 10, 6, 2, 0.1);
	f.groups[1].same_digest = false;
	rank_all(&f);
	assert_int_equal(f.h.ranking[0], 1);
	release(&f);
	/* one that ends the same has done the work */
	f.groups[0].same_digest = true;
	f.h.n_ranked = f.h.n_findings = 0;
	rank_all(&f);
	assert_int_equal(f.h.ranking[0], 0);
	release(&f);
}

static void a_cut_chain_is_not_told_beside_one_that_ends_the_same(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f);
	add(&f, 1, 0, 2, 0, 0.1);
	add(&f, 0.8, 10, 1, 0, 0.1);
	f.groups[1].same_digest = false;
	f.evidence[1].chain_is = 1;
	add(&f, 0.7, 20, 1, 0, 0.1);
	f.groups[2].same_digest = false; /* its chain is as long as before */
	rank_all(&f);
	assert_int_equal(f.h.n_findings, 2);
	assert_int_equal(f.h.findings[0], 0);
	assert_int_equal(f.h.findings[1], 2);
	release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_smallest_difference_of_equal_merit_wins),
		cmocka_unit_test(
			a_clearly_better_score_beats_a_small_difference),
		cmocka_unit_test(an_instruction_without_samples_comes_later),
		cmocka_unit_test(no_difference_is_the_worst_evidence),
		cmocka_unit_test(what_good_mutants_share_is_suspect),
		cmocka_unit_test(findings_do_not_repeat_each_other),
		cmocka_unit_test(
			what_every_witness_says_does_other_work_is_not_told),
		cmocka_unit_test(
			what_leaves_the_oracles_nothing_to_do_is_not_told),
		cmocka_unit_test(
			what_is_far_faster_than_the_oracle_is_not_told),
		cmocka_unit_test(
			a_cut_chain_is_not_first_for_its_small_difference),
		cmocka_unit_test(
			a_cut_chain_is_not_told_beside_one_that_ends_the_same),
		cmocka_unit_test(
			what_may_have_closed_nothing_is_counted_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
