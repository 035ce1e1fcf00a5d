// SPDX-License-Identifier: GPL-2.0-only
/* Counters stand where executions may differ, validate, and are read back
 * from a text that nobody vouches for. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <perfwasm/count.h>

/* i32 -> i32: (block (loop (br_if 1 p0) (if p0 (then) (else)) (br 0))) p0 */
static const uint8_t loopy[] = {
	0x02, 0x40, /* 0 block */
	0x03, 0x40, /* 1 loop */
	0x20, 0x00, /* 2 */
	0x0d, 0x01, /* 3 br_if 1 */
	0x20, 0x00, /* 4 */
	0x04, 0x40, /* 5 if */
	0x01,       /* 6 nop */
	0x05,       /* 7 else */
	0x01,       /* 8 nop */
	0x0b,       /* 9 end */
	0x0c, 0x00, /* 10 br 0 */
	0x01,       /* 11 nop, never reached */
	0x0b,       /* 12 end */
	0x0b,       /* 13 end */
	0x20, 0x00, /* 14 */
};

struct counted {
	struct pw_buf bytes;
	struct pw_module *m;
	struct pw_count_plan *c;
};

/* Function 0 is imported, function 1, of the same type, is this code. */
static void counted_open(struct counted *s, const uint8_t *code, size_t n,
			 const struct pw_count_opts *o)
{
	static const uint8_t head[] = {
		0,    'a', 's', 'm', 1, 0,   0, 0,   1, 6, 1, 0x60, 1, 0x7f, 1,
		0x7f, 2,   7,   1,   1, 'e', 1, 'f', 0, 0, 3, 2,    1, 0,
	};
	struct pw_err err = { 0 };

	memset(s, 0, sizeof(*s));
	pw_buf_add(&s->bytes, head, sizeof(head));
	pw_buf_add_u8(&s->bytes, 10);
	pw_buf_add_uleb(&s->bytes, n + 4);
	pw_buf_add_u8(&s->bytes, 1);
	pw_buf_add_uleb(&s->bytes, n + 2);
	pw_buf_add_u8(&s->bytes, 0);
	pw_buf_add(&s->bytes, code, n);
	pw_buf_add_u8(&s->bytes, 0x0b);
	s->m = pw_module_decode(s->bytes.data, s->bytes.len, &err);
	if (!s->m || pw_module_check_bodies(s->m, &err))
		fail_msg("the test's own module: %s", err.msg);
	s->c = pw_count_plan_new(s->m, o, &err);
	if (!s->c)
		fail_msg("%s", err.msg);
}

static void loopy_open(struct counted *s, const struct pw_count_opts *o)
{
	counted_open(s, loopy, sizeof(loopy), o);
}

static void counted_close(struct counted *s)
{
	pw_count_plan_free(s->c);
	pw_module_free(s->m);
	pw_buf_release(&s->bytes);
}

static void check_valid(const struct pw_buf *out)
{
	struct pw_err err = { 0 };
	struct pw_module *m = pw_module_decode(out->data, out->len, &err);

	if (!m || pw_module_check_bodies(m, &err))
		fail_msg("%s at %llu", err.msg, (unsigned long long)err.off);
	pw_module_free(m);
}

static void a_counter_stands_where_executions_may_differ(void **state)
{
	/* entry, loop, behind br_if, then, else, behind the if and both ends */
	static const uint32_t expected[] = { 0, 2, 4, 6, 8, 10, 13, 14 };
	struct counted s;

	(void)state;
	loopy_open(&s, NULL);
	assert_int_equal(pw_count_plan_n(s.c), 8);
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(pw_count_plan_point(s.c, i)->insn_idx,
				 expected[i]);
	assert_true(pw_count_plan_has_func(s.c, 1));
	assert_false(pw_count_plan_has_func(s.c, 0));
	counted_close(&s);
}

static void the_copy_validates_and_keeps_its_instructions(void **state)
{
	struct pw_buf out = { 0 };
	struct pw_module *m;
	struct pw_insn in;
	struct pw_walk *w;
	struct counted s;
	unsigned n = 0;

	(void)state;
	loopy_open(&s, NULL);
	assert_int_equal(pw_count_plan_apply(s.c, NULL, &out, NULL), 0);
	check_valid(&out);
	m = pw_module_decode(out.data, out.len, NULL);
	assert_int_equal(pw_module_n(m, PW_EXT_GLOBAL),
			 pw_module_n(s.m, PW_EXT_GLOBAL) + 8);
	w = pw_walk_new(m);
	assert_int_equal(pw_walk_start(w, 1, NULL), 0);
	while (pw_walk_next(w, &in, NULL) == 1)
		n++;
	assert_int_equal(n, 16 + 4 * 8);
	pw_walk_free(w);
	pw_module_free(m);
	pw_buf_release(&out);
	counted_close(&s);
}

static unsigned n_applied;

static int apply_one(void *ctx, const struct pw_mutation *mut)
{
	const struct counted *s = ctx;
	struct pw_buf out = { 0 };

	assert_int_equal(pw_count_plan_apply(s->c, mut, &out, NULL), 0);
	check_valid(&out);
	pw_buf_release(&out);
	n_applied++;
	return 0;
}

static void every_mutant_can_be_counted(void **state)
{
	struct counted s;

	(void)state;
	loopy_open(&s, NULL);
	assert_int_equal(pw_mutate_each(s.m, NULL, apply_one, &s, NULL), 0);
	assert_true(n_applied > 10);
	counted_close(&s);
}

/* Deletes an if that gives a value: what was counted in it is gone. */
static void counters_go_with_what_a_mutation_deletes(void **state)
{
	static const uint8_t code[] = { 0x20, 0,    0x04, 0x7f, 0x41, 1,
					0x05, 0x41, 2,    0x0b, 0x45 };
	struct pw_mutation mut;
	struct pw_buf out = { 0 }, whole = { 0 };
	struct counted s;
	struct pw_err err = { 0 };

	(void)state;
	counted_open(&s, code, sizeof(code), NULL);
	assert_int_equal(pw_count_plan_n(s.c), 4);
	if (pw_mutation_parse(s.m, "f1 i6 deletion i32.eqz -> i32.const 0",
			      &mut, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(pw_count_plan_apply(s.c, &mut, &out, NULL), 0);
	assert_int_equal(pw_count_plan_apply(s.c, NULL, &whole, NULL), 0);
	check_valid(&out);
	assert_int_equal(whole.len - out.len, 11 - 2 + 3 * 7);
	pw_buf_release(&out);
	pw_buf_release(&whole);
	counted_close(&s);
}

static void a_function_is_counted_whole_or_not_at_all(void **state)
{
	struct pw_count_opts o = { .max_counters = 7 };
	struct counted s;

	(void)state;
	loopy_open(&s, &o);
	assert_int_equal(pw_count_plan_n(s.c), 0);
	assert_int_equal(pw_count_plan_n_left_out(s.c), 1);
	assert_false(pw_count_plan_has_func(s.c, 1));
	counted_close(&s);
}

static void values_come_back_in_the_order_of_their_offsets(void **state)
{
	struct pw_buf text = { 0 };
	uint64_t values[8];
	struct counted s;

	(void)state;
	loopy_open(&s, NULL);
	for (uint32_t i = 8; i-- > 0;)
		pw_buf_printf(&text, "pw:count %llx %u\n",
			      (unsigned long long)pw_count_plan_point(s.c, i)
				      ->off,
			      i * 3);
	assert_int_equal(pw_count_plan_parse(s.c, text.data, text.len, values,
					     NULL),
			 0);
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(values[i], i * 3);
	/* the last line is missing */
	while (text.data[text.len - 2] != '\n')
		text.len--;
	text.len--;
	assert_int_equal(pw_count_plan_parse(s.c, text.data, text.len, values,
					     NULL),
			 -EBADMSG);
	pw_buf_release(&text);
	counted_close(&s);
}

static void a_false_text_is_refused(void **state)
{
	static const char *const texts[] = {
		"pw:count 1 1\n", "pw:count zz 1\n",
		"other 1\n",      "pw:count",
		"\n\n",           "",
	};
	uint64_t values[8];
	struct counted s;

	(void)state;
	loopy_open(&s, NULL);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(pw_count_plan_parse(s.c, texts[i],
						     strlen(texts[i]), values,
						     NULL),
				 -EBADMSG);
	counted_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_counter_stands_where_executions_may_differ),
		cmocka_unit_test(the_copy_validates_and_keeps_its_instructions),
		cmocka_unit_test(every_mutant_can_be_counted),
		cmocka_unit_test(counters_go_with_what_a_mutation_deletes),
		cmocka_unit_test(a_function_is_counted_whole_or_not_at_all),
		cmocka_unit_test(
			values_come_back_in_the_order_of_their_offsets),
		cmocka_unit_test(a_false_text_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
