// SPDX-License-Identifier: GPL-2.0-only
/* Hot loops by themselves: which are hot, what stays, what is handed on. */
#include "explained.h"

struct studied {
	struct recorded r;
	struct pw_loop_study *loops;
	uint32_t n;
};

static void study(struct studied *s, const char *image, const double *share)
{
	recorded_open(&s->r, image);
	assert_int_equal(pw_explain_loops(s->r.code, s->r.insns, s->r.n, share,
					  &s->loops, &s->n, NULL),
			 0);
}

static void study_end(struct studied *s)
{
	pw_loop_studies_free(s->loops, s->n);
	recorded_close(&s->r);
}

static const char *opcode(const struct studied *s, uint32_t insn)
{
	return s->r.insns[insn].opcode;
}

static bool is_invariant(const struct studied *s, const char *name)
{
	const struct pw_loop_study *l = &s->loops[0];

	for (uint32_t i = 0; i < l->n_invariant; i++)
		if (!strcmp(opcode(s, l->invariant[i]), name))
			return true;
	return false;
}

static void a_chain_is_shown_with_its_length(void **state)
{
	const struct pw_loop_chain *c;
	struct studied s;

	(void)state;
	study(&s, "false-dependence-13.0.0.elf:1", NULL);
	assert_int_equal(s.n, 1);
	c = &s.loops[0].chains[0];
	assert_int_equal(c->n, 12);
	assert_string_equal(opcode(&s, c->insns[0]), "vcvtsi2sd");
	assert_string_equal(opcode(&s, c->insns[11]), "vmulsd");
	assert_true(c->merges);
	assert_int_equal(c->merging, c->insns[0]);
	assert_int_equal(c->merged, c->insns[11]);
	assert_string_equal(pw_code_reg_name(s.r.code, c->merge_reg), "xmm4");
	/* conversion 6, seven products and four sums of 4 */
	assert_true(c->cycles == 50);
	assert_true(s.loops[0].cycles == 50);
	assert_true(s.loops[0].true_cycles == 4);
	study_end(&s);
}

static void operands_that_stay_make_an_invariant(void **state)
{
	struct studied s;

	(void)state;
	study(&s, "invariant-14.0.0.elf:0", NULL);
	assert_int_equal(s.loops[0].n_invariant, 4);
	assert_true(is_invariant(&s, "vsqrtsd"));
	assert_true(is_invariant(&s, "vmovq"));
	assert_false(is_invariant(&s, "vaddsd"));
	assert_false(is_invariant(&s, "sub"));
	study_end(&s);
}

/* A register that is written twice in the loop stays for neither reader. */
static void what_is_written_on_two_ways_does_not_stay(void **state)
{
	struct studied s;

	(void)state;
	study(&s, "vector-spill-28.0.0.elf:1", NULL);
	assert_false(is_invariant(&s, "add"));
	/* the load of the slot that the loop stores to */
	assert_false(is_invariant(&s, "movdqu"));
	study_end(&s);
}

static void a_load_stays_unless_something_stores_there(void **state)
{
	struct studied s;

	(void)state;
	/* stored to through the same base */
	study(&s, "shapes-50.0.1.elf:0", NULL);
	assert_int_equal(s.loops[0].n_invariant, 0);
	study_end(&s);
	/* put on the stack before the loop */
	study(&s, "integer-spill-22.0.0.elf:0", NULL);
	assert_int_equal(s.loops[0].n_invariant, 2);
	study_end(&s);
}

static void a_value_through_memory_is_a_link(void **state)
{
	const struct pw_loop_chain *c;
	struct studied s;

	(void)state;
	study(&s, "shapes-50.0.1.elf:0", NULL);
	c = &s.loops[0].chains[0];
	assert_true(c->memory);
	assert_int_equal(c->n, 3);
	assert_string_equal(opcode(&s, c->insns[1]), "lea");
	assert_true(c->load < c->store);
	study_end(&s);
}

static void an_address_that_moves_on_is_no_link(void **state)
{
	struct studied s;

	(void)state;
	study(&s, "shapes.o:unchecked", NULL);
	for (uint32_t i = 0; i < s.loops[0].n_chains; i++)
		assert_false(s.loops[0].chains[i].memory);
	study_end(&s);
}

static void slots_are_pairs_of_store_and_load(void **state)
{
	const struct pw_loop_study *l;
	struct studied s;

	(void)state;
	study(&s, "vector-spill-28.0.0.elf:1", NULL);
	l = &s.loops[0];
	assert_int_equal(l->n_slots, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_true(l->slots[i].vector);
		assert_int_equal(l->slots[i].size_bytes, 16);
		assert_int_equal(l->slots[i].disp, 0);
	}
	assert_true(l->slots[0].store != l->slots[1].store);
	study_end(&s);
	study(&s, "integer-spill-22.0.0.elf:0", NULL);
	l = &s.loops[0];
	assert_int_equal(l->n_slots, 2);
	assert_int_equal(l->slots[0].store, UINT32_MAX);
	assert_true(l->slots[1].store != UINT32_MAX);
	assert_false(l->slots[0].vector);
	study_end(&s);
}

static void samples_choose_the_loop(void **state)
{
	double share[2048] = { 0 };
	struct studied s, all;

	(void)state;
	study(&all, "library-call-50.0.1.elf:0", NULL);
	assert_true(all.n >= 2);
	share[all.loops[1].insns[0]] = 0.9;
	study(&s, "library-call-50.0.1.elf:0", share);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.loops[0].head, all.loops[1].head);
	assert_true(s.loops[0].share == 0.9);
	study_end(&s);
	/* most of the time is spent in what it calls */
	share[all.loops[1].insns[0]] = 0.001;
	study(&s, "library-call-50.0.1.elf:0", share);
	assert_int_equal(s.n, 1);
	study_end(&s);
	/* outside of every loop: none is hot */
	memset(share, 0, sizeof(share));
	share[0] = 1;
	study(&s, "library-call-50.0.1.elf:0", share);
	assert_int_equal(s.n, 0);
	study_end(&s);
	study_end(&all);
}

static void aarch64_is_studied_too(void **state)
{
	struct studied s;

	(void)state;
	study(&s, "shapes-arm64.o:spills", NULL);
	assert_int_equal(s.loops[0].n_slots, 1);
	assert_true(s.loops[0].chains[0].memory);
	assert_int_equal(s.loops[0].chains[0].n, 3);
	study_end(&s);
	study(&s, "shapes-arm64.o:divides", NULL);
	assert_string_equal(opcode(&s, s.loops[0].chains[0].insns[1]), "udiv");
	study_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_is_shown_with_its_length),
		cmocka_unit_test(operands_that_stay_make_an_invariant),
		cmocka_unit_test(what_is_written_on_two_ways_does_not_stay),
		cmocka_unit_test(a_load_stays_unless_something_stores_there),
		cmocka_unit_test(a_value_through_memory_is_a_link),
		cmocka_unit_test(an_address_that_moves_on_is_no_link),
		cmocka_unit_test(slots_are_pairs_of_store_and_load),
		cmocka_unit_test(samples_choose_the_loop),
		cmocka_unit_test(aarch64_is_studied_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
