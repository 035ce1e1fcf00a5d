// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions with a host that misbehaves in every way (fake-host.h), each test
 * once inside the sandbox, where there is one, and once without. Limits are
 * either far away or reached by what never ends: no timing decides.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fake-host.h"

#include <dirent.h>
#include <errno.h>
#include <sys/wait.h>

#define SECOND 1000000000ULL
#define SOON   100000000ULL

struct fixture {
	char *box;
	char *lock;
	struct fake_runtime fake;
	struct pw_session *s;
};

static bool has_sandbox;

static int setup(void **state)
{
	struct fixture *f = pw_zalloc(sizeof(*f));

	f->box = pw_strdup("/tmp/pw-test-session.XXXXXX");
	if (!mkdtemp(f->box))
		return -1;
	f->lock = pw_asprintf("%s/lock", f->box);
	fake_runtime_init(&f->fake, "ready");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	int ret;

	pw_session_close(f->s);
	ret = pw_remove_tree(f->box, NULL);
	fake_runtime_release(&f->fake);
	free(f->box);
	free(f->lock);
	free(f);
	return ret;
}

static void open_session(struct fixture *f)
{
	struct pw_session_opts o = { .box_dir = f->box,
				     .need_sandbox = has_sandbox,
				     .grace_ns = 1 };
	struct pw_err err = { 0 };

	f->s = pw_session_open(&f->fake.rt, &o, &err);
	if (!f->s)
		fail_msg("%s", err.msg);
}

static struct pw_host_reply run(struct fixture *f, const char *path,
				uint64_t wall_ns)
{
	struct pw_host_request req = { .id = 42,
				       .module_path = path,
				       .wall_limit_ns = wall_ns };
	struct pw_host_reply reply;
	struct pw_err err = { 0 };

	if (!f->s)
		open_session(f);
	if (pw_session_run(f->s, &req, &reply, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(reply.id, 42);
	return reply;
}

/* The next request finds a host that works, its `n`th. */
static void assert_works(struct fixture *f, unsigned n)
{
	struct pw_host_reply r = run(f, "/count", 60 * SECOND);

	assert_int_equal(r.outcome, PW_OUT_OK);
	assert_int_equal(r.cpu_ns, n);
}

static void assert_crash(struct fixture *f, const char *path, const char *say)
{
	struct pw_host_reply r = run(f, path, 60 * SECOND);

	assert_int_equal(r.outcome, PW_OUT_CRASH);
	if (!strstr(r.message, say))
		fail_msg("'%s' does not say '%s'", r.message, say);
	assert_works(f, 1);
}

static void a_reply_comes_back(void **state)
{
	struct fixture *f = *state;
	struct pw_host_reply r = run(f, "/ok:12345", 60 * SECOND);

	assert_int_equal(r.outcome, PW_OUT_OK);
	assert_int_equal(r.cpu_ns, 12345);
	assert_string_equal(pw_session_version(f->s), "1.2 b");
	r = run(f, "/end:trap:0", 60 * SECOND);
	assert_int_equal(r.outcome, PW_OUT_TRAP);
	r = run(f, "/end:exit:3", 60 * SECOND);
	assert_int_equal(r.outcome, PW_OUT_EXIT);
	assert_int_equal(r.exit_code, 3);
	assert_works(f, 4);
}

static bool is_program(pid_t pid, const char *program)
{
	char *link = pw_asprintf("/proc/%d/exe", (int)pid);
	char path[4096] = "";
	ssize_t n = readlink(link, path, sizeof(path) - 1);

	free(link);
	return n > 0 && !strcmp(path, program);
}

static void its_processes_are_known(void **state)
{
	struct fixture *f = *state;
	pid_t pids[16];
	size_t n, n_hosts = 0;

	assert_works(f, 1);
	n = pw_session_pids(f->s, pids, 16);
	assert_true(n >= 1 && n < 16);
	assert_int_equal(pids[0], pw_session_pid(f->s));
	assert_int_equal(pw_session_pids(f->s, pids, 1), 1);
	for (size_t i = 0; i < pw_session_pids(f->s, pids, 16); i++)
		n_hosts += is_program(pids[i], f->fake.argv[0]);
	assert_true(n_hosts >= 1);
	run(f, "/garbage", 60 * SECOND);
	assert_int_equal(pw_session_pid(f->s), 0);
	assert_int_equal(pw_session_pids(f->s, pids, 16), 0);
}

static void a_large_request_arrives(void **state)
{
	struct fixture *f = *state;
	char *big = pw_alloc(300000);
	const char *argv[] = { big, NULL };
	struct pw_host_request req = { .module_path = "/ok:5", .argv = argv };
	struct pw_host_reply r;

	memset(big, 'a', 299999);
	big[299999] = 0;
	open_session(f);
	assert_int_equal(pw_session_run(f->s, &req, &r, NULL), 0);
	assert_int_equal(r.outcome, PW_OUT_OK);
	assert_int_equal(r.cpu_ns, 5);
	free(big);
}

static void a_death_is_a_crash_told_with_its_last_words(void **state)
{
	assert_crash(*state, "/die", "signal 6 (Aborted): last words");
}

static void leaving_is_a_crash_too(void **state)
{
	assert_crash(*state, "/leave:7", "status 7");
}

static void silence_is_a_wall_limit(void **state)
{
	struct fixture *f = *state;
	struct pw_host_reply r = run(f, "/silent", SOON);

	assert_int_equal(r.outcome, PW_OUT_WALL);
	assert_true(r.wall_ns >= SOON);
	assert_works(f, 1);
}

static void a_closed_mouth_is_noticed(void **state)
{
	struct fixture *f = *state;

	/* bwrap itself holds the host's stdout open */
	if (has_sandbox)
		assert_int_equal(run(f, "/close", SOON).outcome, PW_OUT_WALL);
	else
		assert_crash(f, "/close", "stopped talking");
	assert_works(f, has_sandbox ? 1 : 2);
}

static void garbage_is_a_crash(void **state)
{
	assert_crash(*state, "/garbage", "out of protocol");
}

static void an_endless_line_is_cut(void **state)
{
	assert_crash(*state, "/huge", "no end");
}

static void a_flood_of_complaints_is_stopped(void **state)
{
	assert_crash(*state, "/flood", "flooded");
}

static void an_answer_to_another_request_is_refused(void **state)
{
	assert_crash(*state, "/wrongid", "another request");
}

static void a_second_answer_does_not_reach_the_next_request(void **state)
{
	struct fixture *f = *state;
	struct pw_host_reply r = run(f, "/twice", 60 * SECOND);

	assert_int_equal(r.outcome, PW_OUT_OK);
	assert_int_equal(r.cpu_ns, 0);
	r = run(f, "/ok:9", 60 * SECOND);
	assert_int_equal(r.outcome, PW_OUT_OK);
	assert_int_equal(r.cpu_ns, 9);
}

static void a_death_between_requests_harms_nobody(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 3; i++) {
		struct pw_host_reply r = run(f, "/idle-die", 60 * SECOND);

		assert_int_equal(r.outcome, PW_OUT_OK);
	}
}

static void a_host_that_does_not_listen_is_a_wall_limit(void **state)
{
	struct fixture *f = *state;
	char *big = pw_alloc(300000);
	const char *argv[] = { big, NULL };
	struct pw_host_request req = { .module_path = "/ok",
				       .argv = argv,
				       .wall_limit_ns = SOON };
	struct pw_host_reply r = run(f, "/deaf", 60 * SECOND);

	assert_int_equal(r.outcome, PW_OUT_OK);
	memset(big, 'a', 299999);
	big[299999] = 0;
	assert_int_equal(pw_session_run(f->s, &req, &r, NULL), 0);
	assert_int_equal(r.outcome, PW_OUT_WALL);
	assert_works(f, 1);
	free(big);
}

/* Whoever holds the lock is alive. */
static bool can_lock(const char *file, bool wait)
{
	int fd = open(file, O_RDWR), ret = -1;

	assert_true(fd >= 0);
	for (int i = 0; ret && (!i || (wait && i < 10000)); i++) {
		ret = flock(fd, LOCK_EX | LOCK_NB);
		if (ret)
			usleep(1000);
	}
	close(fd);
	return !ret;
}

static void a_daemon_ends_with_the_session(void **state)
{
	struct fixture *f = *state;
	char *path = pw_asprintf("/daemon:%s", f->lock);
	struct pw_host_reply r = run(f, path, 60 * SECOND);

	assert_int_equal(r.outcome, PW_OUT_OK);
	assert_false(can_lock(f->lock, false));
	pw_session_close(f->s);
	f->s = NULL;
	assert_true(can_lock(f->lock, true));
	free(path);
}

static void a_daemon_ends_with_its_dead_host(void **state)
{
	struct fixture *f = *state;
	char *path = pw_asprintf("/daemon-die:%s", f->lock);
	struct pw_host_reply r = run(f, path, 60 * SECOND);

	assert_int_equal(r.outcome, PW_OUT_CRASH);
	assert_true(can_lock(f->lock, true));
	assert_works(f, 1);
	free(path);
}

static void a_daemon_ends_when_its_host_is_silenced(void **state)
{
	struct fixture *f = *state;
	char *path = pw_asprintf("/daemon:%s", f->lock);

	assert_int_equal(run(f, path, 60 * SECOND).outcome, PW_OUT_OK);
	assert_int_equal(run(f, "/silent", SOON).outcome, PW_OUT_WALL);
	assert_true(can_lock(f->lock, true));
	free(path);
}

static void all_ends_when_we_are_killed(void **state)
{
	struct fixture *f = *state;
	char *path = pw_asprintf("/daemon:%s", f->lock);
	int p[2];
	char c;
	pid_t pid;

	assert_int_equal(pipe(p), 0);
	pid = fork();
	if (!pid) {
		run(f, path, 60 * SECOND);
		(void)!write(p[1], "x", 1);
		for (;;)
			pause();
	}
	close(p[1]);
	assert_int_equal(read(p[0], &c, 1), 1);
	assert_false(can_lock(f->lock, false));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(p[0]);
	assert_true(can_lock(f->lock, true));
	free(path);
}

static void assert_no_start(struct fixture *f, const char *start,
			    const char *say)
{
	struct pw_session_opts o = { .box_dir = f->box,
				     .start_limit_ns = 60 * SECOND };
	struct pw_err err = { 0 };

	if (!strcmp(start, "mute"))
		o.start_limit_ns = SOON;
	fake_runtime_release(&f->fake);
	fake_runtime_init(&f->fake, start);
	assert_null(pw_session_open(&f->fake.rt, &o, &err));
	if (!strstr(err.msg, say))
		fail_msg("'%s' does not say '%s'", err.msg, say);
	assert_true(err.code > 0);
}

static void a_host_that_cannot_start_says_why(void **state)
{
	assert_no_start(*state, "exit",
			"fake@1 does not start: cannot load the thing");
	assert_no_start(*state, "fail",
			"fake@1 does not start: no such library");
	assert_no_start(*state, "chatter", "'hello there'");
	assert_no_start(*state, "mute", "said nothing for 0.1 s");
}

static void a_missing_host_program_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct pw_session_opts o = { .box_dir = f->box };
	struct pw_err err = { 0 };

	free(f->fake.argv[0]);
	f->fake.argv[0] = pw_strdup("/no/such/host");
	assert_null(pw_session_open(&f->fake.rt, &o, &err));
	assert_non_null(strstr(err.msg, "/no/such/host"));
}

static void bad_folders_are_refused(void **state)
{
	struct fixture *f = *state;
	const char *root[] = { "/", NULL }, *none[] = { "/none/such", NULL };
	struct pw_session_opts o = { .box_dir = "relative" };
	struct pw_err err = { 0 };

	assert_null(pw_session_open(&f->fake.rt, &o, &err));
	assert_int_equal(err.code, EINVAL);
	o.box_dir = "/no/such/box";
	assert_null(pw_session_open(&f->fake.rt, &o, &err));
	assert_int_equal(err.code, ENOENT);
	o.box_dir = f->box;
	o.dirs = root;
	assert_null(pw_session_open(&f->fake.rt, &o, &err));
	assert_int_equal(err.code, EINVAL);
	o.dirs = none;
	assert_null(pw_session_open(&f->fake.rt, &o, &err));
	assert_int_equal(err.code, ENOENT);
	o.dirs = NULL;
	o.writable_dirs = root;
	assert_null(pw_session_open(&f->fake.rt, &o, &err));
	assert_int_equal(err.code, EINVAL);
}

static void on_alarm(int sig)
{
	(void)sig;
	pw_measure_interrupt();
}

/* In a process of its own: there is no way back from an interrupt. */
static int interrupted_run(struct fixture *f)
{
	struct pw_host_request req = { .module_path = "/silent" };
	struct pw_host_reply reply;
	struct pw_err err = { 0 };

	open_session(f);
	signal(SIGALRM, on_alarm);
	alarm(1);
	if (pw_session_run(f->s, &req, &reply, &err) != -EINTR)
		return 1;
	if (!pw_measure_interrupted() || err.code != EINTR)
		return 2;
	req.module_path = "/ok";
	if (pw_session_run(f->s, &req, &reply, &err) != -EINTR)
		return 3;
	pw_session_close(f->s);
	return 0;
}

static void an_interrupt_ends_a_run_and_all_after_it(void **state)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(interrupted_run(*state));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
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

static void no_descriptor_is_left_open(void **state)
{
	static const char *const paths[] = { "/ok", "/die", "/garbage",
					     "/leave:1", "/idle-die" };
	struct fixture *f = *state;
	size_t before = n_open();

	for (int i = 0; i < 100; i++) {
		run(f, paths[i % 5], 60 * SECOND);
		pw_session_close(f->s);
		f->s = NULL;
	}
	assert_int_equal(n_open(), before);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		T(a_reply_comes_back),
		T(its_processes_are_known),
		T(a_large_request_arrives),
		T(a_death_is_a_crash_told_with_its_last_words),
		T(leaving_is_a_crash_too),
		T(silence_is_a_wall_limit),
		T(a_closed_mouth_is_noticed),
		T(garbage_is_a_crash),
		T(an_endless_line_is_cut),
		T(a_flood_of_complaints_is_stopped),
		T(an_answer_to_another_request_is_refused),
		T(a_second_answer_does_not_reach_the_next_request),
		T(a_death_between_requests_harms_nobody),
		T(a_host_that_does_not_listen_is_a_wall_limit),
		T(a_daemon_ends_with_the_session),
		T(a_daemon_ends_with_its_dead_host),
		T(a_daemon_ends_when_its_host_is_silenced),
		T(all_ends_when_we_are_killed),
		T(a_host_that_cannot_start_says_why),
		T(a_missing_host_program_is_an_error),
		T(bad_folders_are_refused),
		T(an_interrupt_ends_a_run_and_all_after_it),
		T(no_descriptor_is_left_open),
	};
	int failed = 0;

	if (argc == 3 && !strcmp(argv[1], "host"))
		return fake_host_main(argv[2]);
	has_sandbox = !pw_sandbox_probe(NULL);
	if (has_sandbox)
		failed = cmocka_run_group_tests_name("in the sandbox", tests,
						     NULL, NULL);
	has_sandbox = false;
	setenv("PATH", "/nonexistent", 1);
	return failed + cmocka_run_group_tests_name("without a sandbox", tests,
						    NULL, NULL);
}
