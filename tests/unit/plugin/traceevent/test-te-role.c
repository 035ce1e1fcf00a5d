// SPDX-License-Identifier: GPL-2.0-only
/* What the names of threads say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../../../plugin/traceevent/traceevent.h"

static void a_runtime_is_known_by_the_begin_of_its_name(void **state)
{
	(void)state;
	assert_string_equal(te_role_of("wasmtime")->runtime, "Wasmtime");
	assert_string_equal(te_role_of("node22")->runtime, "V8");
	assert_string_equal(te_role_of("node-MainThread")->runtime, "V8");
	assert_string_equal(te_role_of("V8 DefaultWorke")->runtime, "V8");
	assert_string_equal(te_role_of("JITWorker")->role, "compiler");
	assert_string_equal(te_role_of("jsc")->role, "");
}

static void a_longer_word_is_another_name(void **state)
{
	(void)state;
	assert_null(te_role_of("nodejsproxy"));
	assert_null(te_role_of("bundler"));
	assert_null(te_role_of("d8x"));
	assert_null(te_role_of("js"));
	assert_null(te_role_of(""));
	assert_null(te_role_of("swapper/0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_runtime_is_known_by_the_begin_of_its_name),
		cmocka_unit_test(a_longer_word_is_another_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
