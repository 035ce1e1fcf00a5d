// SPDX-License-Identifier: GPL-2.0-only
/*
 * Child processes, with the shell as the child. Limits are either never
 * reached or reached by something that never ends, so no timing decides.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <perfwasm/base.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEVER UINT64_MAX
#define SOON  50000000ULL

static int sh(const char *script, uint64_t timeout_ns, struct pw_buf *out,
	      struct pw_buf *errout, size_t max, int *status)
{
	const char *const argv[] = { "sh", "-c", script, NULL };

	return pw_child_run(argv, timeout_ns, out, errout, max, status, NULL);
}

static struct pw_child start(const char *script, int in, int out)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct pw_child_opts o = { argv, NULL, NULL, in, out, -1, NULL, NULL };
	struct pw_child c;

	assert_int_equal(pw_child_start(&c, &o, NULL), 0);
	return c;
}

static size_t n_open(void)
{
	DIR *d = opendir("/proc/self/fd");
	size_t n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* A process that is gone, or dead and not yet collected by init. */
static bool is_gone(pid_t pid)
{
	char *path = pw_asprintf("/proc/%d/stat", (int)pid);
	struct pw_file f;
	bool gone = pw_file_open(&f, path, NULL) < 0;

	if (!gone) {
		const char *p = memrchr(f.data, ')', f.size);

		gone = !p || p[2] == 'Z' || p[2] == 'X';
		pw_file_close(&f);
	}
	free(path);
	return gone;
}

static void wait_until_gone(pid_t pid)
{
	/* a killed process dies when the kernel gets to it */
	for (int i = 0; i < 10000 && !is_gone(pid); i++)
		usleep(1000);
	assert_true(is_gone(pid));
}

static pid_t read_pid(int fd)
{
	char line[32] = "";

	for (size_t i = 0; i < sizeof(line) - 1; i++)
		if (read(fd, line + i, 1) != 1 || line[i] == '\n')
			break;
	return atoi(line);
}

static void output_and_status_are_gathered(void **state)
{
	struct pw_buf out = { 0 }, errout = { 0 };
	int status;

	(void)state;
	assert_int_equal(sh("echo hello; echo oops >&2; exit 3", NEVER, &out,
			    &errout, 100, &status),
			 0);
	assert_string_equal(pw_buf_str(&out), "hello\n");
	assert_string_equal(pw_buf_str(&errout), "oops\n");
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
	pw_buf_release(&out);
	pw_buf_release(&errout);
}

static void output_may_be_dropped(void **state)
{
	int status;

	(void)state;
	assert_int_equal(sh("echo x; echo y >&2; kill -9 $$", NEVER, NULL, NULL,
			    0, &status),
			 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void more_output_than_asked_for_does_not_block(void **state)
{
	struct pw_buf out = { 0 };
	int status;

	(void)state;
	pw_buf_add(&out, "kept", 4);
	assert_int_equal(sh("head -c 3000000 /dev/zero", NEVER, &out, NULL,
			    1000, &status),
			 0);
	assert_int_equal(status, 0);
	assert_int_equal(out.len, 1004);
	assert_memory_equal(out.data, "kept\0\0", 6);
	pw_buf_release(&out);
}

static void standard_input_is_empty_unless_given(void **state)
{
	struct pw_buf out = { 0 };
	int status;

	(void)state;
	assert_int_equal(sh("cat; echo end", NEVER, &out, NULL, 100, &status),
			 0);
	assert_string_equal(pw_buf_str(&out), "end\n");
	pw_buf_release(&out);
}

static void a_child_that_never_ends_is_ended(void **state)
{
	const char *const argv[] = { "sleep", "1000", NULL };
	struct pw_err err;

	(void)state;
	assert_int_equal(pw_child_run(argv, SOON, NULL, NULL, 0, NULL, &err),
			 -ETIMEDOUT);
	assert_non_null(strstr(err.msg, "'sleep'"));
}

static void endless_output_is_ended_too(void **state)
{
	struct pw_buf out = { 0 };

	(void)state;
	/* a busy machine may end it before it wrote at all */
	for (uint64_t ns = SOON; !out.len && ns < 1000 * SOON; ns *= 2)
		assert_int_equal(sh("yes", ns, &out, NULL, 10, NULL),
				 -ETIMEDOUT);
	assert_int_equal(out.len, 10);
	pw_buf_release(&out);
}

static void a_missing_program_is_said_by_name(void **state)
{
	const char *const argv[] = { "no-such-program-here", NULL };
	struct pw_err err;

	(void)state;
	assert_int_equal(pw_child_run(argv, NEVER, NULL, NULL, 0, NULL, &err),
			 -ENOENT);
	assert_string_equal(
		err.msg, "cannot run 'no-such-program-here': no such program");
}

static void what_cannot_be_executed_is_an_error_not_a_status(void **state)
{
	const char *const argv[] = { "sh", NULL };
	struct pw_child_opts o = { argv, NULL, "/no/such/folder", -1, -1, -1,
				   NULL, NULL };
	struct pw_child c;
	struct pw_err err;

	(void)state;
	assert_int_equal(pw_child_start(&c, &o, &err), -ENOENT);
	pw_child_kill(&c);
}

static void a_conversation_goes_through_pipes(void **state)
{
	struct pw_child c =
		start("read x; echo got $x", PW_CHILD_PIPE, PW_CHILD_PIPE);
	char line[32] = "";
	int status;

	(void)state;
	assert_int_equal(write(c.in, "this\n", 5), 5);
	assert_int_equal(read(c.out, line, sizeof(line) - 1), 9);
	assert_string_equal(line, "got this\n");
	assert_int_equal(pw_child_wait(&c, NEVER, &status), 0);
	assert_int_equal(status, 0);
	pw_child_kill(&c);
}

static void a_running_child_is_still_there_after_a_wait(void **state)
{
	struct pw_child c = start("read x", PW_CHILD_PIPE, -1);

	(void)state;
	assert_int_equal(pw_child_wait(&c, 0, NULL), -ETIMEDOUT);
	assert_int_equal(pw_child_wait(&c, 1000000, NULL), -ETIMEDOUT);
	assert_int_equal(kill(c.pid, 0), 0);
	pw_child_kill(&c);
	assert_int_equal(pw_child_wait(&c, 0, NULL), -ECHILD);
}

static void killing_ends_the_whole_group(void **state)
{
	struct pw_child c = start("sleep 1000 & echo $!; trap '' TERM; "
				  "sleep 1000",
				  -1, PW_CHILD_PIPE);
	pid_t leader = c.pid, other = read_pid(c.out);

	(void)state;
	assert_true(other > 1);
	assert_int_equal(getpgid(other), leader);
	pw_child_kill(&c);
	wait_until_gone(other);
	assert_int_equal(kill(leader, 0), -1);
}

static void what_a_child_leaves_behind_ends_with_it(void **state)
{
	struct pw_buf out = { 0 };
	int status;

	(void)state;
	/* the sleeper holds the pipe open: its end is not waited for */
	assert_int_equal(sh("sleep 1000 & echo $!", NEVER, &out, NULL, 100,
			    &status),
			 0);
	assert_true(atoi(pw_buf_str(&out)) > 1);
	wait_until_gone(atoi(pw_buf_str(&out)));
	pw_buf_release(&out);
}

static void a_child_gets_no_other_descriptors_and_default_signals(void **state)
{
	int leak = open("/dev/null", O_RDONLY); /* no O_CLOEXEC */
	struct pw_buf out = { 0 };
	unsigned long long ignored;
	char *has;
	int status;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	has = pw_asprintf("test -e /proc/self/fd/%d && echo leak; "
			  "grep SigIgn /proc/self/status",
			  leak);
	assert_int_equal(sh(has, NEVER, &out, NULL, 100, &status), 0);
	/* signals 1 to 31; the two behind belong to the C library */
	assert_memory_equal(pw_buf_str(&out), "SigIgn:\t", 8);
	ignored = strtoull(pw_buf_str(&out) + 8, NULL, 16);
	assert_int_equal(ignored & 0x7fffffff, 0);
	signal(SIGPIPE, SIG_DFL);
	close(leak);
	free(has);
	pw_buf_release(&out);
}

static void the_environment_and_folder_are_the_callers_choice(void **state)
{
	const char *const argv[] = { "sh", "-c", "echo $A$HOME; pwd", NULL };
	const char *const envp[] = { "A=b", NULL };
	struct pw_child_opts o = { argv,          envp, "/usr", -1,
				   PW_CHILD_PIPE, -1,   NULL,   NULL };
	struct pw_child c;
	char text[32] = "";
	int status;

	(void)state;
	assert_int_equal(pw_child_start(&c, &o, NULL), 0);
	assert_int_equal(pw_child_wait(&c, NEVER, &status), 0);
	assert_true(read(c.out, text, sizeof(text) - 1) > 0);
	assert_string_equal(text, "b\n/usr\n");
	pw_child_kill(&c);
}

static int say_and_refuse(void *ctx)
{
	(void)!write(1, ctx, 3);
	return -EXDEV;
}

static int say(void *ctx)
{
	return write(1, ctx, 3) == 3 ? 0 : -EIO;
}

static void the_caller_may_prepare_the_child(void **state)
{
	const char *const argv[] = { "echo", "end", NULL };
	struct pw_child_opts o = { argv,          NULL, NULL, -1,
				   PW_CHILD_PIPE, -1,   say,  NULL };
	char pre[] = "pre";
	struct pw_child c;
	char text[32] = "";

	(void)state;
	o.ctx = pre;
	assert_int_equal(pw_child_start(&c, &o, NULL), 0);
	assert_int_equal(pw_child_wait(&c, NEVER, NULL), 0);
	assert_int_equal(read(c.out, text, sizeof(text) - 1), 7);
	assert_string_equal(text, "preend\n");
	pw_child_kill(&c);
	o.prepare = say_and_refuse;
	assert_int_equal(pw_child_start(&c, &o, NULL), -EXDEV);
	pw_child_kill(&c);
}

static void descriptors_that_trade_places_arrive(void **state)
{
	/* our 1 and 2 become its 2 and 1 */
	const char *const argv[] = { "sh", "-c", "echo a; echo b >&2", NULL };
	int keep1 = dup(1), keep2 = dup(2), a[2], b[2], ret;
	struct pw_child_opts o = { argv, NULL, NULL, -1, 2, 1, NULL, NULL };
	struct pw_child c;
	char x[4] = "", y[4] = "";

	(void)state;
	assert_int_equal(pipe(a) | pipe(b), 0);
	dup2(a[1], 1);
	dup2(b[1], 2);
	ret = pw_child_start(&c, &o, NULL);
	dup2(keep1, 1);
	dup2(keep2, 2);
	assert_int_equal(ret, 0);
	assert_int_equal(pw_child_wait(&c, NEVER, NULL), 0);
	assert_int_equal(read(a[0], x, 3), 2);
	assert_int_equal(read(b[0], y, 3), 2);
	assert_string_equal(x, "b\n");
	assert_string_equal(y, "a\n");
	for (int i = 0; i < 2; i++) {
		close(a[i]);
		close(b[i]);
	}
	close(keep1);
	close(keep2);
}

static void zeroed_storage_was_never_started(void **state)
{
	struct pw_child c = { 0 };

	(void)state;
	pw_child_kill(NULL);
	pw_child_kill(&c);
	assert_true(fcntl(0, F_GETFD) >= 0);
}

static void no_descriptor_is_left_open(void **state)
{
	const char *const missing[] = { "no-such-program-here", NULL };
	struct pw_buf out = { 0 }, errout = { 0 };
	size_t before = n_open();

	(void)state;
	for (int i = 0; i < 30; i++) {
		struct pw_child c =
			start("read x", PW_CHILD_PIPE, PW_CHILD_PIPE);

		pw_child_kill(&c);
		sh("echo a", NEVER, &out, &errout, 10, NULL);
		pw_child_run(missing, NEVER, &out, NULL, 0, NULL, NULL);
	}
	sh("sleep 1000", SOON, &out, &errout, 10, NULL);
	assert_int_equal(n_open(), before);
	pw_buf_release(&out);
	pw_buf_release(&errout);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_and_status_are_gathered),
		cmocka_unit_test(output_may_be_dropped),
		cmocka_unit_test(more_output_than_asked_for_does_not_block),
		cmocka_unit_test(standard_input_is_empty_unless_given),
		cmocka_unit_test(a_child_that_never_ends_is_ended),
		cmocka_unit_test(endless_output_is_ended_too),
		cmocka_unit_test(a_missing_program_is_said_by_name),
		cmocka_unit_test(
			what_cannot_be_executed_is_an_error_not_a_status),
		cmocka_unit_test(a_conversation_goes_through_pipes),
		cmocka_unit_test(a_running_child_is_still_there_after_a_wait),
		cmocka_unit_test(killing_ends_the_whole_group),
		cmocka_unit_test(what_a_child_leaves_behind_ends_with_it),
		cmocka_unit_test(
			a_child_gets_no_other_descriptors_and_default_signals),
		cmocka_unit_test(
			the_environment_and_folder_are_the_callers_choice),
		cmocka_unit_test(the_caller_may_prepare_the_child),
		cmocka_unit_test(descriptors_that_trade_places_arrive),
		cmocka_unit_test(zeroed_storage_was_never_started),
		cmocka_unit_test(no_descriptor_is_left_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
