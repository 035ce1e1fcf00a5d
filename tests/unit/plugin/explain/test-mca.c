// SPDX-License-Identifier: GPL-2.0-only
/*
 * llvm-mca on recorded loops, where it is installed; and what is said where
 * it is not.
 */
#include "explained.h"

#include <errno.h>

static int predict(const char *image, struct pw_mca *mca, struct pw_err *err)
{
	struct pw_loop_study *loops;
	struct recorded r;
	uint32_t n;
	int ret;

	recorded_open(&r, image);
	assert_int_equal(pw_explain_loops(r.code, r.insns, r.n, NULL, &loops,
					  &n, NULL),
			 0);
	assert_true(n > 0);
	ret = pw_explain_mca(r.insns, &loops[0], pw_code_arch(r.code), mca,
			     err);
	pw_loop_studies_free(loops, n);
	recorded_close(&r);
	return ret;
}

static void the_chain_is_in_the_cycles(void **state)
{
	struct pw_err err = { .msg = "" };
	struct pw_mca slow, fast;
	int ret = predict("false-dependence-13.0.0.elf:1", &slow, &err);

	(void)state;
	if (ret == -ENOENT) {
		print_message("%s\n", err.msg);
		skip();
	}
	if (ret)
		fail_msg("%s", err.msg);
	assert_int_equal(predict("false-dependence-50.0.1.elf:1", &fast, &err),
			 0);
	assert_true(slow.cycles > 3 * fast.cycles);
	assert_true(strlen(slow.cpu) > 0);
	assert_int_equal(slow.n_left_out, 0);
}

static void calls_are_left_out_and_counted(void **state)
{
	struct pw_err err = { .msg = "" };
	struct pw_mca mca;
	int ret = predict("library-call-45.0.0.elf:0", &mca, &err);

	(void)state;
	if (ret == -ENOENT)
		skip();
	assert_int_equal(ret, 0);
	assert_int_equal(mca.n_left_out, 1);
	assert_true(mca.cycles > 0);
}

static void without_it_one_sentence_says_so(void **state)
{
	char *path = pw_strdup(getenv("PATH"));
	struct pw_err err = { .msg = "" };
	struct pw_mca mca;

	(void)state;
	setenv("PATH", "/nowhere", 1);
	assert_int_equal(predict("invariant-14.0.0.elf:0", &mca, &err),
			 -ENOENT);
	assert_non_null(strstr(err.msg, "llvm-mca is not installed"));
	setenv("PATH", path, 1);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_chain_is_in_the_cycles),
		cmocka_unit_test(calls_are_left_out_and_counted),
		cmocka_unit_test(without_it_one_sentence_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
