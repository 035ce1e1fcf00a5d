// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is said where the sandbox does not work, or not all of it: a script
 * called bwrap that refuses what a machine may refuse stands in for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fake-host.h"

#include <errno.h>
#include <sys/stat.h>

struct fixture {
	char dir[40];
	char *program, *box, *log;
	struct fake_runtime fake;
};

static int setup(void **state)
{
	struct fixture *f = pw_zalloc(sizeof(*f));

	strcpy(f->dir, "/tmp/pw-test-probe.XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	f->program = pw_asprintf("%s/bwrap", f->dir);
	f->box = pw_asprintf("%s/box", f->dir);
	f->log = pw_asprintf("%s/log", f->dir);
	fake_runtime_init(&f->fake, "ready");
	setenv("PATH", f->dir, 1);
	*state = f;
	return pw_mkdirs(f->box, NULL);
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	int ret = pw_remove_tree(f->dir, NULL);

	fake_runtime_release(&f->fake);
	free(f->program);
	free(f->box);
	free(f->log);
	free(f);
	return ret;
}

/*
 * A bwrap that notes its words, complains when one of them is REFUSED (an
 * option, or --- for all), and else runs what stands behind "--".
 */
static void put_bwrap(struct fixture *f, const char *refused, const char *help)
{
	char *text = pw_asprintf(
		"#!/bin/sh\n"
		"echo \"$*\" >>%s\n"
		"[ \"$1\" != --help ] || { echo '%s' >&2; exit 0; }\n"
		"case \" $* \" in *' %s '*)\n"
		"	echo 'a warning' >&2; echo 'bwrap: no %s here' >&2\n"
		"	exit 1;; esac\n"
		"while [ \"$1\" != -- ]; do shift; done\n"
		"shift; [ \"$1\" != true ] || exit 0; exec \"$@\"\n",
		f->log, help, refused, refused);

	assert_int_equal(pw_file_write(f->program, text, strlen(text), NULL),
			 0);
	assert_int_equal(chmod(f->program, 0755), 0);
	free(text);
}

/* Probes, wants REFUSAL as a session does when it needs the sandbox. */
static struct pw_err refusal(struct fixture *f)
{
	struct pw_session_opts o = { .box_dir = f->box, .need_sandbox = true };
	struct pw_err err = { 0 }, again = { 0 };

	int ret = pw_sandbox_probe(&err);

	assert_true(ret < 0);
	assert_int_equal(ret, -err.code);
	assert_null(pw_session_open(&f->fake.rt, &o, &again));
	assert_string_equal(err.msg, again.msg);
	return err;
}

static void assert_runs_anyhow(struct fixture *f)
{
	struct pw_session_opts o = { .box_dir = f->box };
	struct pw_host_request req = { .module_path = "/ok:5" };
	struct pw_host_reply reply;
	struct pw_err err = { 0 };
	struct pw_session *s = pw_session_open(&f->fake.rt, &o, &err);

	if (!s)
		fail_msg("%s", err.msg);
	assert_int_equal(pw_session_run(s, &req, &reply, NULL), 0);
	assert_int_equal(reply.outcome, PW_OUT_OK);
	assert_int_equal(reply.cpu_ns, 5);
	pw_session_close(s);
}

static bool last_start_says(struct fixture *f, const char *words)
{
	struct pw_file file;
	char *all, *line;
	bool says;

	assert_int_equal(pw_file_open(&file, f->log, NULL), 0);
	all = pw_strndup((const char *)file.data, file.size - 1);
	line = strrchr(all, '\n');
	says = strstr(line ? line : all, words);
	pw_file_close(&file);
	free(all);
	return says;
}

static void a_missing_bubblewrap_is_said_with_its_cure(void **state)
{
	struct pw_err err = refusal(*state);

	assert_int_equal(err.code, ENOENT);
	assert_non_null(strstr(err.msg, "apt install bubblewrap"));
	assert_runs_anyhow(*state);
}

static void one_that_works_is_no_complaint(void **state)
{
	struct fixture *f = *state;

	put_bwrap(f, "---", "--size BYTES --disable-userns Disable");
	assert_int_equal(pw_sandbox_probe(NULL), 0);
	assert_runs_anyhow(f);
	assert_true(last_start_says(f, "--unshare-net"));
	assert_true(last_start_says(f, "--unshare-pid"));
	assert_true(last_start_says(f, "--disable-userns"));
	assert_true(last_start_says(f, "--size"));
}

static void an_old_one_is_not_asked_for_what_it_lacks(void **state)
{
	struct fixture *f = *state;

	put_bwrap(f, "---", "usage: bwrap");
	assert_int_equal(pw_sandbox_probe(NULL), 0);
	assert_runs_anyhow(f);
	assert_false(last_start_says(f, "--disable-userns"));
	assert_false(last_start_says(f, "--size"));
}

static void one_that_fails_is_quoted(void **state)
{
	struct fixture *f = *state;
	struct pw_err err;

	put_bwrap(f, "--unshare-ipc", "usage: bwrap");
	err = refusal(f);
	assert_int_equal(err.code, EPERM);
	assert_non_null(strstr(err.msg, "(bwrap: no --unshare-ipc here)"));
	assert_runs_anyhow(f);
}

static void a_shared_network_is_said(void **state)
{
	struct fixture *f = *state;
	struct pw_err err;

	put_bwrap(f, "--unshare-net", "usage: bwrap");
	err = refusal(f);
	assert_non_null(strstr(err.msg, "shares network with this machine"));
	assert_non_null(strstr(err.msg, "(bwrap: no --unshare-net here)"));
	assert_runs_anyhow(f);
	assert_true(last_start_says(f, "--unshare-pid"));
	assert_false(last_start_says(f, "--unshare-net"));
}

static void shared_processes_are_said(void **state)
{
	struct fixture *f = *state;
	struct pw_err err;

	put_bwrap(f, "--unshare-pid", "usage: bwrap");
	err = refusal(f);
	assert_non_null(strstr(err.msg, "shares processes with this machine"));
	assert_runs_anyhow(f);
	assert_true(last_start_says(f, "--ro-bind /proc /proc"));
}

static void nested_user_namespaces_are_the_first_to_be_let_go(void **state)
{
	struct fixture *f = *state;

	put_bwrap(f, "--disable-userns", "--disable-userns Disable");
	assert_int_equal(pw_sandbox_probe(NULL), 0);
	assert_runs_anyhow(f);
	assert_true(last_start_says(f, "--unshare-user "));
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		T(a_missing_bubblewrap_is_said_with_its_cure),
		T(one_that_works_is_no_complaint),
		T(an_old_one_is_not_asked_for_what_it_lacks),
		T(one_that_fails_is_quoted),
		T(a_shared_network_is_said),
		T(shared_processes_are_said),
		T(nested_user_namespaces_are_the_first_to_be_let_go),
	};

	if (argc == 3 && !strcmp(argv[1], "host"))
		return fake_host_main(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
