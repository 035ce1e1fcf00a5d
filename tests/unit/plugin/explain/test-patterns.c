// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each pattern on recorded machine code that has it, with the instruction it
 * is about, and on code that does the same without it.
 */
#include "explained.h"

static bool concerns(const struct recorded *r, const struct pw_explanation *x,
		     const char *opcode)
{
	for (uint32_t i = 0; i < x->n_insns; i++)
		if (!strcmp(r->insns[x->insns[i]].opcode, opcode))
			return true;
	return false;
}

static void all_of(const struct pw_explanation *list, uint32_t n,
		   struct pw_buf *b)
{
	for (uint32_t i = 0; i < n; i++) {
		pw_buf_printf(b, " %s", pw_pattern_id(list[i].pattern));
		for (uint32_t k = 0; k < list[i].n_evidence; k++)
			pw_buf_printf(b, "\n  %s", list[i].evidence[k]);
	}
}

/* The image shows the pattern on an instruction and says so in these words;
 * opcode NULL: it does not show it. */
static void check(enum pw_pattern p, const char *image, const char *opcode,
		  const char *words)
{
	struct pw_explain_input in = { .n_lines = 0 };
	const struct pw_explanation *x;
	struct pw_explanation *list;
	struct pw_buf all = { 0 };
	struct recorded r;
	uint32_t n;

	recorded_open(&r, image);
	in.slow = side_of(&r);
	assert_int_equal(pw_explain(&in, &list, &n, NULL), 0);
	x = explanation(list, n, p);
	all_of(list, n, &all);
	if (!opcode && x)
		fail_msg("%s shows %s:%s", image, pw_pattern_id(p),
			 pw_buf_str(&all));
	if (opcode && (!x || !concerns(&r, x, opcode) || !says(x, words)))
		fail_msg("%s: not %s on %s with \"%s\" but:%s", image,
			 pw_pattern_id(p), opcode, words, pw_buf_str(&all));
	pw_buf_release(&all);
	pw_explanations_free(list, n);
	recorded_close(&r);
}

static void has(enum pw_pattern p, const char *image, const char *opcode,
		const char *words)
{
	check(p, image, opcode, words);
}

static void lacks(enum pw_pattern p, const char *image)
{
	check(p, image, NULL, NULL);
}

static void a_false_dependence(void **state)
{
	const enum pw_pattern p = PW_PATTERN_false_dependence;

	(void)state;
	has(p, "false-dependence-13.0.0.elf:1", "vcvtsi2sd",
	    "a chain of 12 instructions");
	/* cleared before the loop; no chain goes through the merge */
	lacks(p, "false-dependence-50.0.1.elf:1");
}

static void loop_invariant_work(void **state)
{
	const enum pw_pattern p = PW_PATTERN_invariant_work;

	(void)state;
	has(p, "invariant-14.0.0.elf:0", "vsqrtsd", "No operand of vsqrtsd");
	has(p, "invariant-14.0.0.elf:0", "vdivsd", "No operand of vdivsd");
	lacks(p, "invariant-50.0.1.elf:0");
	has(p, "shapes-arm64.o:invariant", "fsqrt", "No operand of fsqrt");
	lacks(p, "shapes-arm64.o:clean");
}

static void a_kept_dead_division(void **state)
{
	const enum pw_pattern p = PW_PATTERN_dead_division;

	(void)state;
	has(p, "dead-division-32.0.0.elf:0", "div", "Its divisor is 1");
	lacks(p, "dead-division-50.0.1.elf:0");
	lacks(p, "remainder-34.0.0.elf:0");
}

static void a_division_by_a_constant(void **state)
{
	const enum pw_pattern p = PW_PATTERN_constant_division;

	(void)state;
	has(p, "remainder-34.0.0.elf:0", "div", "is 13 in each turn");
	lacks(p, "remainder-50.0.1.elf:0"); /* reduced */
	lacks(p, "shapes-50.0.1.elf:10");   /* by a variable */
	has(p, "shapes-arm64.o:divides", "udiv", "is 13 in each turn");
	lacks(p, "shapes-arm64.o:clean");
}

static void a_vector_spill(void **state)
{
	const enum pw_pattern p = PW_PATTERN_spill_vector;

	(void)state;
	has(p, "vector-spill-28.0.0.elf:1", "movdqu",
	    "16 bytes goes through the stack each turn");
	lacks(p, "vector-spill-50.0.1.elf:1");
	has(p, "shapes-arm64.o:spills", "ldr", "8 bytes goes through");
	lacks(p, "integer-spill-22.0.0.elf:0");
}

static void an_integer_spill(void **state)
{
	const enum pw_pattern p = PW_PATTERN_spill_integer;

	(void)state;
	has(p, "integer-spill-22.0.0.elf:0", "mov",
	    "they were put there before the loop");
	has(p, "integer-spill-22.0.0.elf:0", "mov",
	    "8 bytes goes through the stack each turn");
	lacks(p, "integer-spill-50.0.1.elf:0");
	lacks(p, "vector-spill-28.0.0.elf:1");
}

static void a_store_to_load_chain(void **state)
{
	const enum pw_pattern p = PW_PATTERN_store_forward;

	(void)state;
	has(p, "shapes-50.0.1.elf:0", "mov", "in the turn before");
	lacks(p, "shapes-50.0.1.elf:1");
	lacks(p, "shapes-50.0.1.elf:3");
}

static void a_blocked_store(void **state)
{
	const enum pw_pattern p = PW_PATTERN_store_block;

	(void)state;
	has(p, "shapes-50.0.1.elf:2", "mov",
	    "loads 8 bytes of which mov at 0x4d stored only some (4 bytes)");
	lacks(p, "shapes-50.0.1.elf:0");
	lacks(p, "shapes-50.0.1.elf:3");
}

static void a_subnormal_operand(void **state)
{
	const enum pw_pattern p = PW_PATTERN_subnormal;

	(void)state;
	has(p, "subnormal-14.0.0.elf:0", "vmulsd", "0x9216c13225");
	has(p, "shapes-50.0.1.elf:11", "vmulsd", "0x10");
	lacks(p, "shapes-50.0.1.elf:9");
	lacks(p, "invariant-14.0.0.elf:0");
}

static void a_library_call(void **state)
{
	const enum pw_pattern p = PW_PATTERN_library_call;

	(void)state;
	has(p, "library-call-45.0.0.elf:0", "call",
	    "wasmtime_builtin_table_init");
	lacks(p, "shapes-50.0.1.elf:7"); /* a call of the module's own */
	lacks(p, "shapes-50.0.1.elf:5");
}

static void a_call_to_inline(void **state)
{
	const enum pw_pattern p = PW_PATTERN_missed_inlining;

	(void)state;
	has(p, "shapes-50.0.1.elf:7", "call", "small");
	lacks(p, "shapes-50.0.1.elf:8"); /* before the loop */
	lacks(p, "library-call-45.0.0.elf:0");
}

static void a_rematerialised_constant(void **state)
{
	const enum pw_pattern p = PW_PATTERN_remat_constant;

	(void)state;
	has(p, "invariant-14.0.0.elf:0", "movabs", "0x401e000000000000");
	lacks(p, "invariant-50.0.1.elf:0");
	/* a small one costs little */
	lacks(p, "remainder-34.0.0.elf:0");
}

static void a_missing_tier_up(void **state)
{
	const enum pw_pattern p = PW_PATTERN_missing_tier_up;

	(void)state;
	has(p, "shapes.o:baseline", "addl", "as baseline compilers do");
	lacks(p, "shapes.o:optimised");
	lacks(p, "integer-spill-22.0.0.elf:0");
	/* its spills are the way of the compiler, no finding */
	lacks(PW_PATTERN_spill_integer, "shapes.o:baseline");
}

static void a_bounds_check(void **state)
{
	const enum pw_pattern p = PW_PATTERN_bounds_check;

	(void)state;
	has(p, "shapes.o:checked", "jae", "leads to a trap");
	lacks(p, "shapes.o:unchecked");
	has(p, "shapes-50.0.1.elf:4", "cmovae", "takes the address away");
	lacks(p, "shapes-50.0.1.elf:5"); /* by guard pages */
}

/* Placement needs both codes. */
static void placement(const char *slow, const char *fast, bool expected)
{
	struct pw_explain_input in = { .n_lines = 0 };
	struct pw_explanation *list;
	struct recorded s, f;
	uint32_t n;

	recorded_open(&s, slow);
	recorded_open(&f, fast);
	in.slow = side_of(&s);
	in.fast = side_of(&f);
	assert_int_equal(pw_explain(&in, &list, &n, NULL), 0);
	assert_int_equal(expected,
			 says(explanation(list, n, PW_PATTERN_placement),
			      "lies on 2 lines"));
	pw_explanations_free(list, n);
	recorded_close(&s);
	recorded_close(&f);
}

/* Whether a loop with a call that goes nobody knows where shows a library
 * call, in a function whose wasm is these bytes. */
static bool calls_library(const uint8_t *body, uint8_t size)
{
	static const uint8_t head[] = { 0, 'a',  's', 'm', 1, 0, 0, 0, 1, 4,
					1, 0x60, 0,   0,   3, 2, 1, 0, 10 };
	struct pw_explain_input in = { .n_lines = 0 };
	struct pw_explanation *list;
	struct pw_buf bytes = { 0 };
	struct pw_module *m;
	struct recorded r;
	struct pw_minsn *call;
	uint32_t n;
	bool found;

	pw_buf_add(&bytes, head, sizeof(head));
	pw_buf_add_u8(&bytes, size + 2);
	pw_buf_add_u8(&bytes, 1);
	pw_buf_add_u8(&bytes, size);
	pw_buf_add(&bytes, body, size);
	m = pw_module_decode(bytes.data, bytes.len, NULL);
	assert_non_null(m);
	recorded_open(&r, "shapes-50.0.1.elf:7");
	call = &r.insns[insn_named(&r, "call")];
	call->target = call->wasm_off = PW_NO_OFF;
	strcpy(call->operands, PW_CODE_ELSEWHERE);
	in.slow = side_of(&r);
	in.module = m;
	assert_int_equal(pw_explain(&in, &list, &n, NULL), 0);
	found = explanation(list, n, PW_PATTERN_library_call);
	pw_explanations_free(list, n);
	recorded_close(&r);
	pw_module_free(m);
	pw_buf_release(&bytes);
	return found;
}

static void a_call_of_a_jump_table_is_no_library_call(void **state)
{
	static const uint8_t calls[] = { 0, 0x10, 0, 0x0b };
	static const uint8_t none[] = { 0, 0x01, 0x0b };

	(void)state;
	assert_false(calls_library(calls, sizeof(calls)));
	assert_true(calls_library(none, sizeof(none)));
}

static void a_loop_on_one_line_more(void **state)
{
	(void)state;
	placement("placement-slow-21.0.0.elf:1", "placement-fast-21.0.0.elf:1",
		  true);
	placement("placement-fast-21.0.0.elf:1", "placement-slow-21.0.0.elf:1",
		  false);
	placement("placement-slow-21.0.0.elf:1", "placement-slow-21.0.0.elf:1",
		  false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_false_dependence),
		cmocka_unit_test(loop_invariant_work),
		cmocka_unit_test(a_kept_dead_division),
		cmocka_unit_test(a_division_by_a_constant),
		cmocka_unit_test(a_vector_spill),
		cmocka_unit_test(an_integer_spill),
		cmocka_unit_test(a_store_to_load_chain),
		cmocka_unit_test(a_blocked_store),
		cmocka_unit_test(a_subnormal_operand),
		cmocka_unit_test(a_library_call),
		cmocka_unit_test(a_call_of_a_jump_table_is_no_library_call),
		cmocka_unit_test(a_call_to_inline),
		cmocka_unit_test(a_rematerialised_constant),
		cmocka_unit_test(a_missing_tier_up),
		cmocka_unit_test(a_bounds_check),
		cmocka_unit_test(a_loop_on_one_line_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
