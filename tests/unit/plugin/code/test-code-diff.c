// SPDX-License-Identifier: GPL-2.0-only
/*
 * The difference of two codes. A code is a string, an instruction a word:
 * opcode, then operands behind a comma, then the wasm offset behind an @:
 * "mov,%eax@30 add ret".
 */
#include <perfwasm/code.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct code {
	struct pw_minsn *insn;
	uint32_t n;
};

static void code(struct code *c, const char *text)
{
	char *copy = pw_strdup(text), *rest = copy, *word;

	c->n = 0;
	c->insn = pw_zalloc((strlen(text) / 2 + 2) * sizeof(*c->insn));
	while ((word = strsep(&rest, " "))) {
		struct pw_minsn *m = &c->insn[c->n];
		char *at = strchr(word, '@'), *comma;

		if (!*word)
			continue;
		m->text_off = 4 * (uint64_t)c->n++;
		m->wasm_off = at ? strtoull(at + 1, NULL, 10) : PW_NO_OFF;
		m->target = PW_NO_OFF;
		if (at)
			*at = 0;
		comma = strchr(word, ',');
		if (comma)
			*comma++ = 0;
		snprintf(m->opcode, sizeof(m->opcode), "%s", word);
		snprintf(m->operands, sizeof(m->operands), "%s",
			 comma ? comma : "");
	}
	free(copy);
}

struct result {
	struct code slow, fast;
	struct pw_code_diff_line *line;
	uint32_t n;
};

static void diff(struct result *r, const char *slow, const double *weight,
		 const char *fast)
{
	code(&r->slow, slow);
	code(&r->fast, fast);
	assert_int_equal(pw_code_diff(r->slow.insn, r->slow.n, weight,
				      r->fast.insn, r->fast.n, &r->line, &r->n),
			 0);
}

static void release(struct result *r)
{
	free(r->slow.insn);
	free(r->fast.insn);
	free(r->line);
}

/* " " same, "-" slow only, "+" fast only. */
static void assert_marks(const struct result *r, const char *marks)
{
	char got[256] = "";
	uint32_t i;

	assert_true(r->n < sizeof(got));
	for (i = 0; i < r->n; i++)
		got[i] = " -+"[r->line[i].side];
	assert_string_equal(got, marks);
}

static void expect(const char *slow, const double *weight, const char *fast,
		   const char *marks)
{
	struct result r;

	diff(&r, slow, weight, fast);
	assert_marks(&r, marks);
	release(&r);
}

static void equal_codes_have_no_difference(void **state)
{
	(void)state;
	expect("mov add jmp ret", NULL, "mov add jmp ret", "    ");
	expect("", NULL, "", "");
}

static void registers_do_not_count(void **state)
{
	(void)state;
	expect("mov,%eax add,%ecx", NULL, "mov,%ebx add,%edx", "  ");
}

static void one_more_instruction_is_left_over(void **state)
{
	(void)state;
	expect("mov vcvtsi2sd vmulsd ret", NULL, "mov vmulsd ret", " -  ");
	expect("mov ret", NULL, "mov vxorpd ret", " + ");
	expect("mov", NULL, "", "-");
	expect("", NULL, "mov", "+");
}

static void slow_left_overs_stand_before_fast_ones(void **state)
{
	(void)state;
	expect("mov div ret", NULL, "mov mulx shr ret", " -++ ");
}

static void the_indexes_lead_into_both_codes(void **state)
{
	struct result r;

	(void)state;
	diff(&r, "a b c", NULL, "b x c");
	assert_marks(&r, "- + ");
	assert_int_equal(r.line[0].slow_idx, 0);
	assert_int_equal(r.line[0].fast_idx, -1);
	assert_int_equal(r.line[1].slow_idx, 1);
	assert_int_equal(r.line[1].fast_idx, 0);
	assert_int_equal(r.line[2].slow_idx, -1);
	assert_int_equal(r.line[2].fast_idx, 1);
	assert_int_equal(r.line[3].slow_idx, 2);
	assert_int_equal(r.line[3].fast_idx, 2);
	release(&r);
}

static void the_subsequence_is_longest_before_anything_else(void **state)
{
	(void)state;
	/* equal operands and wasm offsets would pair the lone `a` */
	expect("a,1@10 b,1 c,1 d,1", NULL, "b,2 c,2 d,2 a,1@10", "-   +");
}

static void of_equal_opcodes_the_one_with_other_operands_goes(void **state)
{
	(void)state;
	expect("mov,%eax mov,%ebx mov,%ecx", NULL, "mov,%eax mov,%ecx", " - ");
	expect("mov,%eax mov,%ebx mov,%ecx", NULL, "mov,%ebx mov,%ecx", "-  ");
}

static void of_equal_opcodes_the_one_of_another_wasm_insn_goes(void **state)
{
	(void)state;
	expect("mov,a@10 mov,b@12 mov,c@14", NULL, "mov,d@10 mov,d@14", " - ");
	/* the fast module is two bytes shorter before 12 */
	expect("mov,a@10 mov,b@12 mov,c@20", NULL, "mov,d@10 mov,d@18", " - ");
}

static void matches_are_kept_together(void **state)
{
	(void)state;
	/* mov of the left-over or mov of the rest: no gap within the rest */
	expect("mov,1 x mov,1 add ret", NULL, "mov,1 add ret", "--   ");
}

static void of_equal_ones_the_sampled_one_goes(void **state)
{
	static const double first[] = { 9, 1, 1, 1 };
	static const double middle[] = { 1, 9, 1, 1 };
	static const double last[] = { 1, 1, 9, 1 };

	(void)state;
	expect("mov mov mov ret", first, "mov mov ret", "-   ");
	expect("mov mov mov ret", last, "mov mov ret", "  - ");
	expect("mov mov mov ret", middle, "mov mov ret", " -  ");
	expect("ret mov mov mov", middle, "ret mov mov", " -  ");
}

static void jumps_may_go_elsewhere(void **state)
{
	struct result r;

	(void)state;
	code(&r.slow, "jne,0x40 jne,0x50 ret");
	code(&r.fast, "jne,0x50 ret");
	r.slow.insn[0].is_jump = r.slow.insn[1].is_jump = true;
	r.fast.insn[0].is_jump = true;
	r.slow.insn[0].target = 0x40;
	r.slow.insn[1].target = r.fast.insn[0].target = 0x50;
	r.slow.insn[0].wasm_off = r.fast.insn[0].wasm_off = 7;
	pw_code_diff(r.slow.insn, 3, NULL, r.fast.insn, 2, &r.line, &r.n);
	assert_marks(&r, " - ");
	release(&r);
}

static void expect_constant(const char *value, const char *marks)
{
	struct result r;

	code(&r.slow, "mulsd,0x10(%rip) mulsd,0x20(%rip) ret");
	code(&r.fast, "mulsd,0x30(%rip) ret");
	strcpy(r.slow.insn[0].note, "0.5");
	strcpy(r.slow.insn[1].note, "0.25");
	strcpy(r.fast.insn[0].note, value);
	pw_code_diff(r.slow.insn, 3, NULL, r.fast.insn, 2, &r.line, &r.n);
	assert_marks(&r, marks);
	release(&r);
}

static void constants_count_by_their_value(void **state)
{
	(void)state;
	expect_constant("0.5", " - ");
	expect_constant("0.25", "-  ");
}

static void unknown_instructions_are_their_bytes(void **state)
{
	(void)state;
	expect(".byte,1 ret", NULL, ".byte,2 ret", "-+ ");
	expect(".byte,1 ret", NULL, ".byte,1 ret", "  ");
}

static void what_stands_elsewhere_is_told_as_moved(void **state)
{
	static const double sqrt_only[] = { 0, 1, 0, 0, 0 };
	struct result r;

	(void)state;
	diff(&r, "loop sqrt add jne ret", sqrt_only, "sqrt loop add jne ret");
	assert_marks(&r, "+ -   ");
	assert_int_equal(r.line[0].moved_to, 1);
	assert_int_equal(r.line[2].moved_to, 0);
	assert_int_equal(r.line[1].moved_to, -1);
	release(&r);
}

static void the_like_is_moved_before_the_alike(void **state)
{
	struct result r;

	(void)state;
	diff(&r, "mov,1 mov,2 a b c d", NULL, "a b c d mov,2");
	assert_marks(&r, "--    +");
	assert_int_equal(r.line[0].moved_to, -1);
	assert_int_equal(r.line[1].moved_to, 4);
	assert_int_equal(r.line[6].moved_to, 1);
	release(&r);
}

/* The plainest longest common subsequence there is. */
static uint32_t reference_lcs(const struct code *a, const struct code *b)
{
	uint32_t *row = pw_zalloc((b->n + 1) * sizeof(*row)), i, j, lcs;

	for (i = 0; i < a->n; i++) {
		uint32_t diagonal = 0;

		for (j = 0; j < b->n; j++) {
			uint32_t up = row[j + 1];

			if (!strcmp(a->insn[i].opcode, b->insn[j].opcode))
				row[j + 1] = diagonal + 1;
			else if (row[j] > up)
				row[j + 1] = row[j];
			diagonal = up;
		}
	}
	lcs = row[b->n];
	free(row);
	return lcs;
}

static void random_code(struct code *c, struct pw_rng *rng, uint32_t n,
			uint32_t n_opcodes)
{
	uint32_t i;

	c->n = n;
	c->insn = pw_zalloc((n + 1) * sizeof(*c->insn));
	for (i = 0; i < n; i++) {
		struct pw_minsn *m = &c->insn[i];

		m->wasm_off = m->target = PW_NO_OFF;
		snprintf(m->opcode, sizeof(m->opcode), "op%u",
			 (unsigned)pw_rng_below(rng, n_opcodes));
		snprintf(m->operands, sizeof(m->operands), "%u",
			 (unsigned)pw_rng_below(rng, 3));
	}
}

/* Every instruction once and in order; the number of matches. */
static uint32_t check_lines(const struct result *r)
{
	uint32_t i, same = 0;
	int32_t slow = 0, fast = 0;

	for (i = 0; i < r->n; i++) {
		const struct pw_code_diff_line *l = &r->line[i];

		if (l->side != PW_CODE_DIFF_FAST)
			assert_int_equal(l->slow_idx, slow++);
		if (l->side != PW_CODE_DIFF_SLOW)
			assert_int_equal(l->fast_idx, fast++);
		if (l->side != PW_CODE_DIFF_SAME)
			continue;
		same++;
		assert_string_equal(r->slow.insn[l->slow_idx].opcode,
				    r->fast.insn[l->fast_idx].opcode);
	}
	assert_int_equal(slow, r->slow.n);
	assert_int_equal(fast, r->fast.n);
	return same;
}

static void random_codes_have_the_length_of_the_plain_method(void **state)
{
	struct pw_rng rng;
	uint32_t i;

	(void)state;
	pw_rng_init(&rng, 1);
	for (i = 0; i < 300; i++) {
		struct result r;

		random_code(&r.slow, &rng, (uint32_t)pw_rng_below(&rng, 60),
			    1 + i % 7);
		random_code(&r.fast, &rng, (uint32_t)pw_rng_below(&rng, 60),
			    1 + i % 7);
		pw_code_diff(r.slow.insn, r.slow.n, NULL, r.fast.insn, r.fast.n,
			     &r.line, &r.n);
		assert_int_equal(check_lines(&r),
				 reference_lcs(&r.slow, &r.fast));
		release(&r);
	}
}

/* 20,000 instructions, some taken out, some put in, all over. */
static void large_codes_are_cut_and_still_aligned(void **state)
{
	struct pw_rng rng;
	struct result r;
	uint32_t i, kept = 0;

	(void)state;
	pw_rng_init(&rng, 2);
	random_code(&r.slow, &rng, 20000, 40);
	random_code(&r.fast, &rng, 21000, 40);
	r.fast.n = 0;
	for (i = 0; i < r.slow.n; i++) {
		if (pw_rng_below(&rng, 50) == 0)
			continue;
		if (pw_rng_below(&rng, 50) == 0)
			r.fast.n++;
		r.fast.insn[r.fast.n++] = r.slow.insn[i];
		kept++;
	}
	pw_code_diff(r.slow.insn, r.slow.n, NULL, r.fast.insn, r.fast.n,
		     &r.line, &r.n);
	assert_true(check_lines(&r) >= kept);
	release(&r);
}

static void large_codes_with_nothing_in_common_end(void **state)
{
	struct pw_rng rng;
	struct result r;

	(void)state;
	pw_rng_init(&rng, 3);
	random_code(&r.slow, &rng, 5000, 2);
	random_code(&r.fast, &rng, 4000, 2);
	pw_code_diff(r.slow.insn, r.slow.n, NULL, r.fast.insn, r.fast.n,
		     &r.line, &r.n);
	assert_true(check_lines(&r) > 3000);
	release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_codes_have_no_difference),
		cmocka_unit_test(registers_do_not_count),
		cmocka_unit_test(one_more_instruction_is_left_over),
		cmocka_unit_test(slow_left_overs_stand_before_fast_ones),
		cmocka_unit_test(the_indexes_lead_into_both_codes),
		cmocka_unit_test(
			the_subsequence_is_longest_before_anything_else),
		cmocka_unit_test(
			of_equal_opcodes_the_one_with_other_operands_goes),
		cmocka_unit_test(
			of_equal_opcodes_the_one_of_another_wasm_insn_goes),
		cmocka_unit_test(matches_are_kept_together),
		cmocka_unit_test(of_equal_ones_the_sampled_one_goes),
		cmocka_unit_test(jumps_may_go_elsewhere),
		cmocka_unit_test(constants_count_by_their_value),
		cmocka_unit_test(unknown_instructions_are_their_bytes),
		cmocka_unit_test(what_stands_elsewhere_is_told_as_moved),
		cmocka_unit_test(the_like_is_moved_before_the_alike),
		cmocka_unit_test(
			random_codes_have_the_length_of_the_plain_method),
		cmocka_unit_test(large_codes_are_cut_and_still_aligned),
		cmocka_unit_test(large_codes_with_nothing_in_common_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
