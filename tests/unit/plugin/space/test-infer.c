// SPDX-License-Identifier: GPL-2.0-only
/* The origin of instructions that the compiler's map does not tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../../../plugin/space/infer.h"

#define N 8

struct fixture {
	struct pw_minsn insns[N];
	struct pw_insn_uses uses[N];
	struct infer_op ops[N];
	uint64_t offs[N];
	bool is_inferred[N];
	uint32_t n, n_ops;
};

static void op(struct fixture *f, enum pw_op what, uint64_t constant)
{
	f->ops[f->n_ops] =
		(struct infer_op){ 10 * (f->n_ops + 1), what, constant };
	f->n_ops++;
}

/* off 0: not known. */
static void insn(struct fixture *f, const char *opcode, const char *operands,
		 uint64_t off)
{
	strcpy(f->insns[f->n].opcode, opcode);
	strcpy(f->insns[f->n].operands, operands);
	f->offs[f->n++] = off ? off : PW_NO_OFF;
}

/* Registers of the instruction that was added last, as bits. */
static void uses(struct fixture *f, uint64_t reads, uint64_t writes)
{
	f->uses[f->n - 1].reads = reads;
	f->uses[f->n - 1].writes = writes;
}

static void run(struct fixture *f)
{
	infer_offsets(f->insns, f->uses, f->n, f->ops, f->n_ops, f->offs,
		      f->is_inferred);
}

static void the_only_one_of_its_kind_between_is_the_origin(void **state)
{
	struct fixture f = { .n = 0 };

	(void)state;
	op(&f, PW_OP_i32_load, 0);  /* 10 */
	op(&f, PW_OP_f64_mul, 0);   /* 20 */
	op(&f, PW_OP_local_get, 0); /* 30 */
	op(&f, PW_OP_f64_add, 0);   /* 40 */
	op(&f, PW_OP_i32_store, 0); /* 50 */
	insn(&f, "mov", "(%rdi), %eax", 10);
	insn(&f, "vmulsd", "%xmm1, %xmm2, %xmm3", 0);
	insn(&f, "vaddsd", "%xmm3, %xmm2, %xmm3", 0);
	insn(&f, "mov", "%eax, (%rdi)", 50);
	run(&f);
	assert_int_equal(f.offs[1], 20);
	assert_int_equal(f.offs[2], 40);
	assert_true(f.is_inferred[1]);
	assert_false(f.is_inferred[0]);
}

static void what_another_is_from_is_taken(void **state)
{
	struct fixture f = { .n = 0 };

	(void)state;
	op(&f, PW_OP_f64_mul, 0); /* 10 */
	op(&f, PW_OP_f64_add, 0); /* 20 */
	op(&f, PW_OP_f64_add, 0); /* 30 */
	op(&f, PW_OP_f64_mul, 0); /* 40 */
	insn(&f, "mulsd", "%xmm1, %xmm2", 10);
	insn(&f, "addsd", "%xmm1, %xmm2", 0);
	insn(&f, "mulsd", "%xmm1, %xmm2", 40);
	insn(&f, "addsd", "%xmm1, %xmm2", 20);
	run(&f);
	assert_int_equal(f.offs[1], 30);
}

static void a_kind_that_is_not_there_says_nothing(void **state)
{
	struct fixture f = { .n = 0 };

	(void)state;
	op(&f, PW_OP_f64_mul, 0);
	op(&f, PW_OP_f64_sub, 0);
	op(&f, PW_OP_f64_mul, 0);
	insn(&f, "mulsd", "%xmm1, %xmm2", 10);
	insn(&f, "addsd", "%xmm1, %xmm2", 0);
	insn(&f, "mulsd", "%xmm1, %xmm2", 30);
	run(&f);
	assert_true(f.offs[1] == PW_NO_OFF);
	assert_false(f.is_inferred[1]);
}

static void before_and_behind_what_is_known_nothing_is_said(void **state)
{
	struct fixture f = { .n = 0 };

	(void)state;
	op(&f, PW_OP_i32_add, 0);
	op(&f, PW_OP_f64_mul, 0);
	op(&f, PW_OP_i32_add, 0);
	insn(&f, "add", "$8, %rsp", 0);
	insn(&f, "mulsd", "%xmm1, %xmm2", 20);
	insn(&f, "add", "$8, %rsp", 0);
	run(&f);
	assert_true(f.offs[0] == PW_NO_OFF);
	assert_true(f.offs[2] == PW_NO_OFF);
}

static void a_constant_is_known_by_its_value(void **state)
{
	struct fixture f = { .n = 0 };

	(void)state;
	op(&f, PW_OP_f64_const, 0x3ff0000000000000); /* 10 */
	op(&f, PW_OP_f64_const, 0x4000000000000000); /* 20 */
	op(&f, PW_OP_f64_mul, 0);                    /* 30 */
	insn(&f, "mulsd", "%xmm1, %xmm2", 30);
	insn(&f, "movabs", "$0x3ff0000000000000, %r11", 0);
	uses(&f, 0, 1 << 11);
	insn(&f, "vmovq", "%r11, %xmm5", 0);
	uses(&f, 1 << 11, 1ull << 37);
	run(&f);
	assert_int_equal(f.offs[1], 10);
	/* the copy is its constant's */
	assert_int_equal(f.offs[2], 10);
}

static void a_copy_is_of_what_takes_it(void **state)
{
	struct fixture f = { .n = 0 };

	(void)state;
	op(&f, PW_OP_i32_and, 0); /* 10 */
	op(&f, PW_OP_i32_add, 0); /* 20 */
	insn(&f, "mov", "%rdx, %rcx", 0);
	uses(&f, 1 << 2, 1 << 1);
	insn(&f, "add", "$1, %esi", 20);
	uses(&f, 1 << 6, 1 << 6);
	insn(&f, "and", "$-2, %ecx", 10);
	uses(&f, 1 << 1, 1 << 1);
	/* this one is lost: nobody takes it before it is written again */
	insn(&f, "mov", "%rdx, %rcx", 0);
	uses(&f, 1 << 2, 1 << 1);
	insn(&f, "mov", "(%rdi), %ecx", 0);
	uses(&f, 1 << 7, 1 << 1);
	insn(&f, "and", "$-2, %ecx", 10);
	uses(&f, 1 << 1, 1 << 1);
	run(&f);
	assert_int_equal(f.offs[0], 10);
	assert_true(f.is_inferred[0]);
	assert_true(f.offs[3] == PW_NO_OFF);
}

/* vmovapd from each register to the next, n times, then a sum of the last. */
static void add_chain(struct fixture *f, uint32_t n)
{
	uint32_t i;

	op(f, PW_OP_f64_mul, 0); /* 10 */
	op(f, PW_OP_f64_add, 0); /* 20 */
	insn(f, "vmulsd", "%xmm8, %xmm8, %xmm9", 10);
	uses(f, 1u << 8, 1u << 9);
	for (i = 0; i < n; i++) {
		insn(f, "vmovapd", "%xmm0, %xmm1", 0);
		uses(f, 1u << i, 2u << i);
	}
	insn(f, "vaddsd", "%xmm1, %xmm9, %xmm9", 20);
	uses(f, 1u << n | 1u << 9, 1u << 9);
}

static void a_copy_of_a_copy_is_of_what_takes_the_last(void **state)
{
	struct fixture f = { .n = 0 }, cut = { .n = 0 };
	struct fixture lone = { .n = 0 }, far = { .n = 0 };
	uint32_t i;

	(void)state;
	add_chain(&f, 4);
	run(&f);
	for (i = 1; i <= 4; i++) {
		assert_int_equal(f.offs[i], 20);
		assert_true(f.is_inferred[i]);
	}
	/* in the midst something else is put there */
	add_chain(&cut, 3);
	strcpy(cut.insns[2].opcode, "vxorpd");
	cut.uses[2].reads = 1u << 12;
	run(&cut);
	assert_int_equal(cut.offs[1], PW_NO_OFF);
	assert_int_equal(cut.offs[3], 20);
	/* nobody takes the last */
	add_chain(&lone, 2);
	lone.uses[3].reads = 1u << 9;
	run(&lone);
	assert_int_equal(lone.offs[1], PW_NO_OFF);
	/* a chain is not followed without end */
	add_chain(&far, 6);
	run(&far);
	assert_int_equal(far.offs[1], PW_NO_OFF);
	assert_int_equal(far.offs[2], 20);
}

static void nothing_known_gives_nothing(void **state)
{
	struct fixture f = { .n = 0 };

	(void)state;
	run(&f);
	insn(&f, "add", "$8, %rsp", 0);
	run(&f);
	assert_true(f.offs[0] == PW_NO_OFF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_only_one_of_its_kind_between_is_the_origin),
		cmocka_unit_test(what_another_is_from_is_taken),
		cmocka_unit_test(a_kind_that_is_not_there_says_nothing),
		cmocka_unit_test(
			before_and_behind_what_is_known_nothing_is_said),
		cmocka_unit_test(a_constant_is_known_by_its_value),
		cmocka_unit_test(a_copy_is_of_what_takes_it),
		cmocka_unit_test(a_copy_of_a_copy_is_of_what_takes_the_last),
		cmocka_unit_test(nothing_known_gives_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
