// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loops of small programs. A program is a string, an instruction a letter:
 *   .  goes on             a-z  a label that goes on
 *   J  jumps: the letter behind it is the label (C: conditional)
 *   R  returns             I    indirect jump
 *   T  entry of a jump table: the letter behind it is the label
 */
#include <perfwasm/code.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MAX 400

struct program {
	struct pw_minsn insn[MAX];
	uint32_t n;
	struct pw_loop *loops;
	uint32_t n_loops;
	uint32_t depth[MAX];
};

static void spell(struct pw_minsn *m, const char *opcode)
{
	snprintf(m->opcode, sizeof(m->opcode), "%s", opcode);
}

static void write_insns(struct program *p, const char *text)
{
	char label[MAX] = "", wants[MAX] = "";
	const char *s;
	uint32_t i, k;

	for (s = text; *s; s++) {
		struct pw_minsn *m = &p->insn[p->n];

		m->text_off = 4 * (uint64_t)p->n;
		m->size_bytes = 4;
		m->target = PW_NO_OFF;
		spell(m, *s == 'R' ? "ret" : *s == 'T' ? ".long" : "nop");
		m->is_jump = *s == 'J' || *s == 'C' || *s == 'I';
		m->is_cond = *s == 'C';
		if (*s == 'J' || *s == 'C' || *s == 'T')
			wants[p->n] = *++s;
		else if (*s >= 'a' && *s <= 'z')
			label[p->n] = *s;
		p->n++;
	}
	for (i = 0; i < p->n; i++)
		for (k = 0; wants[i] && k < p->n; k++)
			if (label[k] == wants[i])
				p->insn[i].target = p->insn[k].text_off;
}

static void program(struct program *p, const char *text)
{
	memset(p, 0, sizeof(*p));
	write_insns(p, text);
	pw_code_loops(p->insn, p->n, &p->loops, &p->n_loops);
	pw_code_loop_depths(p->insn, p->n, p->loops, p->n_loops, p->depth);
}

static void assert_depths(const struct program *p, const char *digits)
{
	char got[MAX + 1] = "";
	uint32_t i;

	for (i = 0; i < p->n; i++)
		got[i] = (char)('0' + p->depth[i]);
	assert_string_equal(got, digits);
}

static void straight_code_has_no_loop(void **state)
{
	struct program p;

	(void)state;
	program(&p, ".Ca..aR");
	assert_int_equal(p.n_loops, 0);
	assert_null(p.loops);
	assert_depths(&p, "000000");
	program(&p, "");
	assert_int_equal(p.n_loops, 0);
}

static void a_jump_back_makes_a_loop(void **state)
{
	struct program p;

	(void)state;
	program(&p, ".a..Ca.R");
	assert_int_equal(p.n_loops, 1);
	assert_int_equal(p.loops[0].first, 1);
	assert_int_equal(p.loops[0].last, 4);
	assert_int_equal(p.loops[0].head, 1);
	assert_int_equal(p.loops[0].n_insns, 4);
	assert_true(p.loops[0].parent == UINT32_MAX);
	assert_depths(&p, "0111100");
	free(p.loops);
}

static void a_single_instruction_may_be_a_loop(void **state)
{
	struct program p;

	(void)state;
	program(&p, ".CxR");
	p.insn[1].target = p.insn[1].text_off;
	pw_code_loops(p.insn, p.n, &p.loops, &p.n_loops);
	assert_int_equal(p.n_loops, 1);
	assert_int_equal(p.loops[0].n_insns, 1);
	free(p.loops);
}

static void loops_nest(void **state)
{
	struct program p;

	(void)state;
	program(&p, ".a.b.c.Cc.Cb.Ca.R");
	assert_int_equal(p.n_loops, 3);
	assert_int_equal(p.loops[0].depth, 1);
	assert_int_equal(p.loops[1].depth, 2);
	assert_int_equal(p.loops[2].depth, 3);
	assert_int_equal(p.loops[2].parent, 1);
	assert_int_equal(p.loops[1].parent, 0);
	assert_int_equal(pw_code_loop_of(p.loops, 3, 6), 2);
	assert_true(pw_code_loop_of(p.loops, 3, 0) == UINT32_MAX);
	assert_depths(&p, "01122333221100");
	free(p.loops);
}

static void loops_in_a_row_are_told_apart(void **state)
{
	struct program p;

	(void)state;
	program(&p, "a.Ca.b.CbR");
	assert_int_equal(p.n_loops, 2);
	assert_int_equal(p.loops[0].first, 0);
	assert_int_equal(p.loops[1].first, 4);
	assert_depths(&p, "11101110");
	free(p.loops);
}

/* Two jumps to one place are one loop, as `continue` is. */
static void two_jumps_to_one_head_are_one_loop(void **state)
{
	struct program p;

	(void)state;
	program(&p, ".a.Ca..CaR");
	assert_int_equal(p.n_loops, 1);
	assert_int_equal(p.loops[0].last, 6);
	free(p.loops);
}

/* A cold block behind the function's return that jumps back in belongs to
 * the loop; one that traps does not. */
static void a_block_out_of_line_counts_when_it_comes_back(void **state)
{
	struct program p;

	(void)state;
	program(&p, ".a.Cx.yCz.CaR.x..Jyz.R");
	assert_int_equal(p.n_loops, 1);
	assert_int_equal(p.loops[0].first, 1);
	assert_int_equal(p.loops[0].last, 14);
	assert_depths(&p, "011111111"
			  "0"
			  "0"
			  "1111"
			  "000");
	free(p.loops);
}

/* A loop turned round: entered by a jump to the test at its end. */
static void the_head_is_where_the_loop_is_entered(void **state)
{
	struct program p;

	(void)state;
	program(&p, ".Jtb..t.CbR");
	assert_int_equal(p.n_loops, 1);
	assert_int_equal(p.loops[0].first, 2);
	assert_int_equal(p.loops[0].head, 5);
	assert_depths(&p, "001111110");
	free(p.loops);
}

static void a_jump_into_the_middle_makes_one_loop_all_the_same(void **state)
{
	struct program p;

	(void)state;
	program(&p, ".Cma..m..CaR");
	assert_int_equal(p.n_loops, 1);
	assert_depths(&p, "0011111110");
	free(p.loops);
}

static void a_jump_table_closes_loops(void **state)
{
	struct program p;

	(void)state;
	program(&p, ".a.ITaTbTc"
		    "b.Ja"
		    "c.R");
	assert_int_equal(p.n_loops, 1);
	assert_depths(&p, "0111000"
			  "111"
			  "000");
	free(p.loops);
}

static void an_unknown_table_leads_to_the_blocks_behind(void **state)
{
	struct program p;

	(void)state;
	program(&p, ".a.I..Ja..R");
	assert_int_equal(p.n_loops, 1);
	assert_depths(&p, "0111111000");
	free(p.loops);
}

static void deep_nests_end_at_64(void **state)
{
	struct program p = { .n = 0 };
	uint32_t i, deepest = 0;

	(void)state;
	/* 90 heads, then 90 jumps back, inner loops first */
	for (i = 0; i < 180; i++) {
		p.insn[i] = (struct pw_minsn){ .text_off = i,
					       .size_bytes = 1,
					       .target = PW_NO_OFF };
		spell(&p.insn[i], "nop");
		if (i >= 90) {
			p.insn[i].is_jump = p.insn[i].is_cond = true;
			p.insn[i].target = 179 - i;
		}
	}
	p.n = 180;
	pw_code_loops(p.insn, p.n, &p.loops, &p.n_loops);
	pw_code_loop_depths(p.insn, p.n, p.loops, p.n_loops, p.depth);
	for (i = 0; i < p.n; i++)
		deepest = p.depth[i] > deepest ? p.depth[i] : deepest;
	assert_int_equal(deepest, 64);
	free(p.loops);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(straight_code_has_no_loop),
		cmocka_unit_test(a_jump_back_makes_a_loop),
		cmocka_unit_test(a_single_instruction_may_be_a_loop),
		cmocka_unit_test(loops_nest),
		cmocka_unit_test(loops_in_a_row_are_told_apart),
		cmocka_unit_test(two_jumps_to_one_head_are_one_loop),
		cmocka_unit_test(a_block_out_of_line_counts_when_it_comes_back),
		cmocka_unit_test(the_head_is_where_the_loop_is_entered),
		cmocka_unit_test(
			a_jump_into_the_middle_makes_one_loop_all_the_same),
		cmocka_unit_test(a_jump_table_closes_loops),
		cmocka_unit_test(an_unknown_table_leads_to_the_blocks_behind),
		cmocka_unit_test(deep_nests_end_at_64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
