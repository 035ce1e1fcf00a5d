// SPDX-License-Identifier: GPL-2.0-only
/* Two codes of one function, counted side by side. */
#include "../../../../plugin/hunt/explain/contrast.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define OPCODES_MAX 16

/* Instructions of four bytes, one word each; "jump" goes to the first. */
static uint32_t code_of(struct pw_minsn *insns, const char *const *words)
{
	uint32_t n = 0;

	memset(insns, 0, OPCODES_MAX * sizeof(*insns));
	for (; words[n]; n++) {
		struct pw_minsn *in = &insns[n];

		in->text_off = 4 * n;
		in->size_bytes = 4;
		in->wasm_off = PW_NO_OFF;
		in->target = PW_NO_OFF;
		strcpy(in->opcode, words[n]);
		if (!strcmp(words[n], "jump")) {
			in->is_jump = in->is_cond = true;
			in->target = 0;
		}
	}
	return n;
}

static struct contrast *count(const char *const *slow, const char *const *fast,
			      const struct pw_insn_uses *slow_uses)
{
	struct pw_minsn insns[2][OPCODES_MAX];
	const struct contrast_code code[2] = {
		{ insns[0], slow_uses, code_of(insns[0], slow) },
		{ insns[1], NULL, code_of(insns[1], fast) },
	};
	struct contrast *c = pw_zalloc(sizeof(*c));

	contrast_count(c, code);
	return c;
}

static void the_largest_difference_stands_first(void **state)
{
	static const char *const slow[] = { "xor", "mov", "mov", "mov",
					    "xor", "ret", NULL };
	static const char *const fast[] = { "xor", "mov", "ret", NULL };
	struct contrast *c = count(slow, fast, NULL);

	(void)state;
	assert_false(c->loops_only);
	assert_int_equal(c->on[0].n_insns, 6);
	assert_int_equal(c->on[0].size_bytes, 24);
	assert_int_equal(c->on[1].n_insns, 3);
	assert_int_equal(c->n_ops, 3);
	assert_string_equal(c->ops[0].opcode, "mov");
	assert_int_equal(c->ops[0].n[0], 3);
	assert_int_equal(c->ops[0].n[1], 1);
	assert_string_equal(c->ops[1].opcode, "xor");
	contrast_release(c);
}

static void an_opcode_of_the_oracle_alone_counts_too(void **state)
{
	static const char *const slow[] = { "mov", "ret", NULL };
	static const char *const fast[] = { "mov", "andn", "ret", NULL };
	struct contrast *c = count(slow, fast, NULL);

	(void)state;
	assert_string_equal(c->ops[0].opcode, "andn");
	assert_int_equal(c->ops[0].n[0], 0);
	assert_int_equal(c->ops[0].n[1], 1);
	contrast_release(c);
}

static void where_both_have_loops_only_those_count(void **state)
{
	static const char *const slow[] = { "add", "jump", "mov", "ret", NULL };
	static const char *const fast[] = { "jump", "ret", NULL };
	static const char *const none[] = { "add", "ret", NULL };
	struct contrast *c = count(slow, fast, NULL);

	(void)state;
	assert_true(c->loops_only);
	assert_int_equal(c->on[0].n_insns, 2);
	assert_int_equal(c->on[1].n_insns, 1);
	contrast_release(c);
	c = count(slow, none, NULL);
	assert_false(c->loops_only);
	assert_int_equal(c->on[0].n_insns, 4);
	contrast_release(c);
}

static void what_goes_through_the_stack_is_counted(void **state)
{
	static const char *const slow[] = { "mov", "mov", "ret", NULL };
	struct pw_insn_uses uses[3] = {
		{ .mem = { .size_bytes = 8, .stack = true } },
		{ .mem = { .size_bytes = 8 } },
	};
	struct contrast *c = count(slow, slow, uses);

	(void)state;
	assert_int_equal(c->on[0].n_stack, 1);
	contrast_release(c);
}

static void a_fifth_more_is_larger(void **state)
{
	struct contrast c = { .on = { { .n_insns = 12 }, { .n_insns = 10 } } };

	(void)state;
	assert_true(contrast_is_larger(&c));
	c.on[0].n_insns = 11;
	assert_false(contrast_is_larger(&c));
	c.on[1].n_insns = 0;
	assert_false(contrast_is_larger(&c));
}

static void inlined_functions_are_told_when_they_hold_a_good_part(void **state)
{
	struct contrast *c = pw_zalloc(sizeof(*c));

	(void)state;
	assert_false(contrast_is_inlined(c));
	contrast_add_inlined(c, 7, 0.06);
	assert_false(contrast_is_inlined(c));
	contrast_add_inlined(c, 9, 0.05);
	assert_true(contrast_is_inlined(c));
	assert_int_equal(c->n_inlined, 2);
	assert_int_equal(c->inlined[1].func_idx, 9);
	contrast_release(c);
}

static void it_is_wanted_unless_a_finding_surely_closes_half(void **state)
{
	struct group groups[2] = { { .closed_ci = { 0.1, 0.6 } },
				   { .closed_ci = { 0.6, 1.1 } } };
	uint32_t findings[2] = { 0, 1 };
	struct hunt h = { .groups = groups, .findings = findings };

	(void)state;
	assert_true(contrast_is_wanted(&h));
	h.n_findings = 1;
	assert_true(contrast_is_wanted(&h));
	h.n_findings = 2;
	assert_false(contrast_is_wanted(&h));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_difference_stands_first),
		cmocka_unit_test(an_opcode_of_the_oracle_alone_counts_too),
		cmocka_unit_test(where_both_have_loops_only_those_count),
		cmocka_unit_test(what_goes_through_the_stack_is_counted),
		cmocka_unit_test(a_fifth_more_is_larger),
		cmocka_unit_test(
			it_is_wanted_unless_a_finding_surely_closes_half),
		cmocka_unit_test(
			inlined_functions_are_told_when_they_hold_a_good_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
