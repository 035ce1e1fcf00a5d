// SPDX-License-Identifier: GPL-2.0-only
/* Requests and replies come out of their lines as they went in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../../../wasm/host/host-parts.h"

#include <stdlib.h>
#include <string.h>

static const char *const some[] = { "a b", "", "tab\there", "100%", NULL };
static const char *const env[] = { "K=V", "E=", "\x7f\xc3\xa4=\n", NULL };
static const char *const dirs[] = { "/d::/guest", NULL };

static const struct pw_host_request full = {
	.id = UINT64_MAX,
	.module_path = "/box/m 7.wasm",
	.compile_only = true,
	.invoke = "run it",
	.argv = some,
	.env = env,
	.dirs = dirs,
	.stdin_path = "/in",
	.stdout_path = "/out",
	.empty_imports = "bench.start,bench.end",
	.artifact_path = "/a",
	.samples_path = "/s",
	.sample_period_ns = 1,
	.jitdump_dir = "/j",
	.counts_path = "/c",
	.clean_registers = true,
	.digest = true,
	.cpu_limit_ns = 2,
	.wall_limit_ns = 3,
	.memory_limit_bytes = 4,
	.output_limit_bytes = 5,
};

static void assert_lists_equal(const char *const *a, const char *const *b)
{
	size_t i = 0;

	for (; a[i] && b[i]; i++)
		assert_string_equal(a[i], b[i]);
	assert_ptr_equal(a[i], b[i]);
}

static void a_request_comes_back_whole(void **state)
{
	struct pw_buf line = { 0 };
	struct host_request r;
	struct pw_err err;

	(void)state;
	pw_host_request_print(&full, &line);
	assert_int_equal(host_request_parse(&r, pw_buf_str(&line), &err), 0);
	assert_true(r.req.id == full.id);
	assert_string_equal(r.req.module_path, full.module_path);
	assert_string_equal(r.req.invoke, full.invoke);
	assert_lists_equal(r.req.argv, some);
	assert_lists_equal(r.req.env, env);
	assert_lists_equal(r.req.dirs, dirs);
	assert_string_equal(r.req.stdin_path, "/in");
	assert_string_equal(r.req.stdout_path, "/out");
	assert_string_equal(r.req.empty_imports, full.empty_imports);
	assert_string_equal(r.req.artifact_path, "/a");
	assert_string_equal(r.req.samples_path, "/s");
	assert_string_equal(r.req.jitdump_dir, "/j");
	assert_string_equal(r.req.counts_path, "/c");
	assert_true(r.req.compile_only && r.req.digest);
	assert_true(r.req.clean_registers);
	assert_int_equal(r.req.sample_period_ns, 1);
	assert_int_equal(r.req.cpu_limit_ns, 2);
	assert_int_equal(r.req.wall_limit_ns, 3);
	assert_int_equal(r.req.memory_limit_bytes, 4);
	assert_int_equal(r.req.output_limit_bytes, 5);
	host_request_release(&r);
	pw_buf_release(&line);
}

static void a_request_is_one_line_whatever_is_in_it(void **state)
{
	struct pw_buf line = { 0 };

	(void)state;
	pw_host_request_print(&full, &line);
	assert_ptr_equal(strchr(pw_buf_str(&line), '\n'),
			 pw_buf_str(&line) + line.len - 1);
	pw_buf_release(&line);
}

static void what_a_request_leaves_out_is_null(void **state)
{
	struct pw_host_request small = { .module_path = "m" };
	struct pw_buf line = { 0 };
	struct host_request r;

	(void)state;
	pw_host_request_print(&small, &line);
	assert_string_equal(pw_buf_str(&line), "run\tid=0\tmodule=m\n");
	assert_int_equal(host_request_parse(&r, pw_buf_str(&line), NULL), 0);
	assert_null(r.req.invoke);
	assert_null(r.req.stdin_path);
	assert_null(r.req.argv[0]);
	host_request_release(&r);
	pw_buf_release(&line);
}

static void a_malformed_request_is_refused(void **state)
{
	static const char *const lines[] = {
		"",
		"walk\tid=1",
		"run\tid=1",
		"run\tid=x\tmodule=m",
		"run\tid=-1\tmodule=m",
		"run\tid=99999999999999999999\tmodule=m",
		"run\tid=1\tmodule=%4",
		"run\tid=1\tmodule=%00",
		"run\tid=1\tmodule=m\tcolour=red",
		"run\tid=1\tmodule=m\tdigest=2",
		"run\tid=1\tmodule=m\tnonsense",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct pw_err err = { .code = 0 };
		struct host_request r;

		assert_true(host_request_parse(&r, lines[i], &err) < 0);
		assert_true(err.code > 0 && err.msg[0]);
		assert_null(r.line);
	}
}

static void a_reply_comes_back_with_every_outcome(void **state)
{
	(void)state;
	for (int o = 0; o < PW_N_OUTCOMES; o++) {
		struct pw_host_reply in = {
			.id = 7,
			.outcome = o,
			.compile_ns = 1,
			.cpu_ns = 2,
			.wall_ns = 3,
			.begin_ns = 5,
			.exit_code = -4,
			.digest = "00ff",
			.message = "it = \t 100% off",
		};
		struct pw_host_reply out;
		struct pw_buf line = { 0 };

		host_reply_print(&in, &line);
		assert_int_equal(pw_host_reply_parse(&out, pw_buf_str(&line),
						     NULL),
				 0);
		assert_int_equal(out.id, 7);
		assert_int_equal(out.outcome, o);
		assert_int_equal(out.compile_ns, 1);
		assert_int_equal(out.cpu_ns, 2);
		assert_int_equal(out.wall_ns, 3);
		assert_int_equal(out.begin_ns, 5);
		assert_int_equal(out.exit_code, -4);
		assert_string_equal(out.digest, "00ff");
		assert_string_equal(out.message, "it =   100% off");
		pw_buf_release(&line);
	}
}

static void a_reply_of_a_newer_host_is_understood(void **state)
{
	struct pw_host_reply r;

	(void)state;
	assert_int_equal(
		pw_host_reply_parse(&r, "done\tid=3\tmood=good\toutcome=ok\n",
				    NULL),
		0);
	assert_int_equal(r.id, 3);
	assert_int_equal(r.outcome, PW_OUT_OK);
}

static void a_malformed_reply_is_refused_with_a_sentence(void **state)
{
	static const char *const lines[] = {
		"",
		"done",
		"ready\tversion=1",
		"done\tid=1",
		"done\tid=1\toutcome=splendid",
		"done\tid=1e3\toutcome=ok",
		"done\tid=1\toutcome=ok\tdigest=xyz",
		"done\tid=1\toutcome=ok\texit_code=99999999999",
		"done\tid=1\toutcome=ok\tmessage=%zz",
		"done\tid=1\toutcome=ok\tdigest=0123456789012345678901234567890123456789012345678901234567890123456789",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct pw_err err = { .code = 0 };
		struct pw_host_reply r;

		assert_true(pw_host_reply_parse(&r, lines[i], &err) < 0);
		assert_true(err.code > 0 && err.msg[0]);
	}
}

static void a_message_is_made_one_printable_line_and_cut(void **state)
{
	char line[2000];
	struct pw_host_reply r;

	(void)state;
	strcpy(line, "done\tid=1\toutcome=trap\tmessage=%1b[2J%0a");
	memset(line + strlen(line), 'x', 1000);
	line[1040] = 0;
	assert_int_equal(pw_host_reply_parse(&r, line, NULL), 0);
	assert_int_equal(strlen(r.message), sizeof(r.message) - 1);
	assert_int_equal(strncmp(r.message, " [2J xxx", 8), 0);
}

static void outcomes_have_the_names_of_their_table(void **state)
{
	(void)state;
	assert_string_equal(pw_outcome_name(PW_OUT_CPU), "cpu-limit");
	assert_int_equal(pw_outcome_find("cpu-limit"), PW_OUT_CPU);
	assert_int_equal(pw_outcome_find("cpu"), PW_N_OUTCOMES);
	assert_string_equal(pw_outcome_name(PW_N_OUTCOMES), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_comes_back_whole),
		cmocka_unit_test(a_request_is_one_line_whatever_is_in_it),
		cmocka_unit_test(what_a_request_leaves_out_is_null),
		cmocka_unit_test(a_malformed_request_is_refused),
		cmocka_unit_test(a_reply_comes_back_with_every_outcome),
		cmocka_unit_test(a_reply_of_a_newer_host_is_understood),
		cmocka_unit_test(a_malformed_reply_is_refused_with_a_sentence),
		cmocka_unit_test(a_message_is_made_one_printable_line_and_cut),
		cmocka_unit_test(outcomes_have_the_names_of_their_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
