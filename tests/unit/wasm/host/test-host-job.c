// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parent of a host program, with "runtimes" that are a function of this
 * test: every way in which a child can end has its outcome.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../../../wasm/host/host-job.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS  1000000ull
#define MIB (1ull << 20)

static struct pw_host_reply run(void (*f)(void *self, struct pw_host_run *run),
				const struct pw_host_request *req)
{
	struct pw_host_ops ops = { .run = f };
	struct job j = { .req = req, .from_fd = -1, .diag_fd = -1 };
	struct pw_host_reply reply;

	assert_int_equal(job_start(&j, &ops, NULL), 0);
	job_watch(&j);
	job_judge(&j, &reply);
	job_release(&j);
	assert_int_equal(reply.id, req->id);
	return reply;
}

static void spin(uint64_t ns)
{
	uint64_t from = pw_cpu_ns();

	while (pw_cpu_ns() - from < ns)
		;
}

/* --- guests --- */

static void good(void *self, struct pw_host_run *r)
{
	(void)self;
	pw_host_compile_begin(r);
	spin(2 * MS);
	pw_host_compile_end(r);
	pw_host_call_begin(r);
	spin(5 * MS);
	pw_host_call_end(r);
}

static void endless(void *self, struct pw_host_run *r)
{
	(void)self;
	pw_host_call_begin(r);
	for (;;)
		;
}

static void sleeper(void *self, struct pw_host_run *r)
{
	(void)self;
	pw_host_call_begin(r);
	for (;;)
		pause();
}

static void stuck_compiler(void *self, struct pw_host_run *r)
{
	(void)self;
	(void)r;
	for (;;)
		pause();
}

static void eat(size_t bytes)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p != MAP_FAILED)
		p[0] = 1;
}

static void eater(void *self, struct pw_host_run *r)
{
	(void)self;
	pw_host_call_begin(r);
	eat(100 * MIB);
	for (;;)
		pause();
}

static void quick_eater(void *self, struct pw_host_run *r)
{
	(void)self;
	pw_host_call_begin(r);
	eat(100 * MIB);
	pw_host_call_end(r);
}

/* Address space that is only reserved is free. */
static void reserver(void *self, struct pw_host_run *r)
{
	(void)self;
	pw_host_call_begin(r);
	mmap(NULL, 8192 * MIB, PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	pw_host_call_end(r);
}

static void flood(void *self, struct pw_host_run *r)
{
	char text[4096];

	(void)self;
	memset(text, 'x', sizeof(text));
	pw_host_call_begin(r);
	while (write(1, text, sizeof(text)) > 0)
		;
	pw_host_call_end(r);
}

static void aborter(void *self, struct pw_host_run *r)
{
	static const char text[] = "thread panicked at here\nnote: nothing\n";

	(void)self;
	(void)r;
	if (write(2, text, strlen(text)) > 0)
		abort();
}

static void crasher(void *self, struct pw_host_run *r)
{
	(void)self;
	signal(SIGSEGV, SIG_DFL); /* cmocka catches it */
	pw_host_call_begin(r);
	raise(SIGSEGV);
}

static void leaver(void *self, struct pw_host_run *r)
{
	(void)self;
	(void)r;
	_exit(3);
}

static void liar(void *self, struct pw_host_run *r)
{
	static const char text[] =
		"done\tid=99\toutcome=ok\tcpu_ns=1\nwatch\tpid=x\nrubbish\n";

	(void)self;
	(void)r;
	if (write(PW_HOST_FD, text, strlen(text)) > 0)
		_exit(0);
}

static void chatterbox(void *self, struct pw_host_run *r)
{
	char text[4096];

	(void)self;
	(void)r;
	memset(text, 'x', sizeof(text));
	signal(SIGPIPE, SIG_IGN);
	while (write(PW_HOST_FD, text, sizeof(text)) > 0)
		;
	pause();
}

/* Leaves a child behind that holds the pipe and would live for ever. */
static void parent_of_stray(void *self, struct pw_host_run *r)
{
	static char text[32];
	pid_t pid = fork();

	(void)self;
	if (!pid) {
		for (;;)
			pause();
	}
	snprintf(text, sizeof(text), "%d", pid);
	pw_host_fail(r, PW_OUT_TRAP, "%s", text);
}

static void talker(void *self, struct pw_host_run *r)
{
	(void)self;
	pw_host_call_begin(r);
	if (write(1, "out ", 4) != 4 || write(2, "err", 3) != 3)
		abort();
	pw_host_call_end(r);
	if (write(1, "host", 4) != 4)
		abort();
}

static void reader(void *self, struct pw_host_run *r)
{
	char text[16] = "";

	(void)self;
	pw_host_call_begin(r);
	if (read(0, text, sizeof(text) - 1) < 0)
		abort();
	pw_host_call_end(r);
	pw_host_fail(r, PW_OUT_TRAP, "[%s]", text);
}

/* --- tests --- */

static void a_good_run_has_its_times_apart(void **state)
{
	struct pw_host_request req = { .id = 5 };
	struct pw_host_reply r = run(good, &req);

	(void)state;
	assert_int_equal(r.outcome, PW_OUT_OK);
	assert_true(r.compile_ns >= 2 * MS);
	assert_true(r.cpu_ns >= 5 * MS);
	assert_true(r.wall_ns >= 5 * MS);
}

static void an_endless_loop_uses_up_its_cpu_time(void **state)
{
	struct pw_host_request req = { .cpu_limit_ns = 30 * MS };
	struct pw_host_reply r = run(endless, &req);

	(void)state;
	assert_int_equal(r.outcome, PW_OUT_CPU);
	assert_true(r.cpu_ns >= 25 * MS);
}

static void a_sleeper_runs_out_of_time(void **state)
{
	struct pw_host_request req = { .wall_limit_ns = 50 * MS,
				       .cpu_limit_ns = 1000 * MS };
	struct pw_host_reply r = run(sleeper, &req);

	(void)state;
	/* a busy machine may not have come to the call by then */
	while (strstr(r.message, "before the call") &&
	       req.wall_limit_ns < 10000 * MS) {
		assert_int_equal(r.outcome, PW_OUT_WALL);
		req.wall_limit_ns *= 2;
		r = run(sleeper, &req);
	}
	assert_int_equal(r.outcome, PW_OUT_WALL);
	assert_null(strstr(r.message, "before the call"));
	assert_true(r.wall_ns >= req.wall_limit_ns);
}

static void a_compiler_that_hangs_is_told_from_a_call(void **state)
{
	struct pw_host_request req = { .wall_limit_ns = 50 * MS };
	struct pw_host_reply r = run(stuck_compiler, &req);

	(void)state;
	assert_int_equal(r.outcome, PW_OUT_WALL);
	assert_non_null(strstr(r.message, "before the call"));
}

static void a_greedy_guest_is_stopped(void **state)
{
	struct pw_host_request req = { .memory_limit_bytes = 50 * MIB,
				       .wall_limit_ns = 20000 * MS };

	(void)state;
	assert_int_equal(run(eater, &req).outcome, PW_OUT_MEMORY);
	req.memory_limit_bytes = 400 * MIB;
	req.wall_limit_ns = 50 * MS;
	assert_int_equal(run(eater, &req).outcome, PW_OUT_WALL);
}

static void greed_is_seen_however_short(void **state)
{
	struct pw_host_request req = { .memory_limit_bytes = 50 * MIB };

	(void)state;
	assert_int_equal(run(quick_eater, &req).outcome, PW_OUT_MEMORY);
	req.memory_limit_bytes = 400 * MIB;
	assert_int_equal(run(quick_eater, &req).outcome, PW_OUT_OK);
}

/* The child's own limits, with no parent to help: its wait status. */
static int run_alone(void (*f)(void *self, struct pw_host_run *run),
		     const struct pw_host_request *req)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		struct pw_host_run r;

		dup2(open("/dev/null", O_WRONLY), PW_HOST_FD);
		if (host_run_init(&r, req, NULL))
			_exit(99);
		f(NULL, &r);
		_exit(r.reply.outcome);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void a_child_sees_its_own_greed(void **state)
{
	struct pw_host_request req = { .memory_limit_bytes = 50 * MIB };

	(void)state;
	assert_int_equal(WEXITSTATUS(run_alone(quick_eater, &req)),
			 PW_OUT_MEMORY);
}

static void a_child_ends_by_its_own_cpu_limit(void **state)
{
	struct pw_host_request req = { .cpu_limit_ns = 20 * MS };

	(void)state;
	assert_int_equal(WTERMSIG(run_alone(endless, &req)), SIGXCPU);
}

static void reserved_address_space_is_not_memory(void **state)
{
	struct pw_host_request req = { .memory_limit_bytes = 50 * MIB };

	(void)state;
	assert_int_equal(run(reserver, &req).outcome, PW_OUT_OK);
}

static void a_flood_of_output_is_stopped(void **state)
{
	struct pw_host_request req = { .output_limit_bytes = 100000,
				       .digest = true };

	(void)state;
	assert_int_equal(run(flood, &req).outcome, PW_OUT_OUTPUT);
}

static void a_death_before_the_call_has_the_last_words(void **state)
{
	struct pw_host_request req = { .id = 1 };
	struct pw_host_reply r = run(aborter, &req);

	(void)state;
	assert_int_equal(r.outcome, PW_OUT_CRASH);
	assert_string_equal(
		r.message,
		"died of signal 6 (Aborted), before the call: thread panicked at here");
}

static void a_crash_in_the_call_is_one(void **state)
{
	struct pw_host_request req = { .id = 1 };
	struct pw_host_reply r = run(crasher, &req);

	(void)state;
	assert_int_equal(r.outcome, PW_OUT_CRASH);
	assert_non_null(strstr(r.message, "signal 11"));
	assert_null(strstr(r.message, "before the call"));
}

static void a_child_that_just_leaves_has_crashed(void **state)
{
	struct pw_host_request req = { .id = 1 };
	struct pw_host_reply r = run(leaver, &req);

	(void)state;
	assert_int_equal(r.outcome, PW_OUT_CRASH);
	assert_non_null(strstr(r.message, "status 3"));
}

static void the_id_is_never_the_childs_to_choose(void **state)
{
	struct pw_host_request req = { .id = 4 };
	struct pw_host_reply r = run(liar, &req);

	(void)state;
	assert_int_equal(r.outcome, PW_OUT_OK);
	assert_int_equal(r.cpu_ns, 1);
}

static void a_child_that_never_stops_talking_is_not_heard(void **state)
{
	struct pw_host_request req = { .wall_limit_ns = 300 * MS };

	(void)state;
	assert_int_equal(run(chatterbox, &req).outcome, PW_OUT_WALL);
}

static void what_a_child_leaves_behind_dies_with_it(void **state)
{
	struct pw_host_request req = { .wall_limit_ns = 20000 * MS };
	struct pw_host_reply r = run(parent_of_stray, &req);
	pid_t pid = atoi(r.message);

	(void)state;
	assert_int_equal(r.outcome, PW_OUT_TRAP);
	assert_true(pid > 0);
	for (int i = 0; i < 1000 && !kill(pid, 0); i++) {
		char path[64], text[256] = "";
		int fd;

		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		fd = open(path, O_RDONLY);
		if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 ||
		    strstr(text, ") Z ") || strstr(text, ") X ")) {
			close(fd);
			return; /* dead, only not yet reaped by init */
		}
		close(fd);
		usleep(10000);
	}
	assert_int_not_equal(kill(pid, 0), 0);
}

static void only_the_guests_words_are_its_output(void **state)
{
	char path[] = "/tmp/pw-output-XXXXXX";
	struct pw_host_request req = { .stdout_path = path };
	struct pw_file f;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(run(talker, &req).outcome, PW_OUT_OK);
	assert_int_equal(pw_file_open(&f, path, NULL), 0);
	assert_int_equal(f.size, 7);
	assert_memory_equal(f.data, "out err", 7);
	pw_file_close(&f);
	unlink(path);
}

static void the_guest_reads_its_own_input(void **state)
{
	char path[] = "/tmp/pw-input-XXXXXX";
	struct pw_host_request req = { .stdin_path = path };

	(void)state;
	close(mkstemp(path));
	assert_int_equal(pw_file_write(path, "hi", 2, NULL), 0);
	assert_string_equal(run(reader, &req).message, "[hi]");
	req.stdin_path = NULL;
	assert_string_equal(run(reader, &req).message, "[]");
	unlink(path);
}

static void output_that_cannot_be_written_is_said(void **state)
{
	struct pw_host_request req = { .stdout_path = "/no/such/folder" };
	struct pw_host_reply r = run(good, &req);

	(void)state;
	assert_int_equal(r.outcome, PW_OUT_UNSUPPORTED);
	assert_non_null(strstr(r.message, "/no/such/folder"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_run_has_its_times_apart),
		cmocka_unit_test(an_endless_loop_uses_up_its_cpu_time),
		cmocka_unit_test(a_sleeper_runs_out_of_time),
		cmocka_unit_test(a_compiler_that_hangs_is_told_from_a_call),
		cmocka_unit_test(a_greedy_guest_is_stopped),
		cmocka_unit_test(greed_is_seen_however_short),
		cmocka_unit_test(a_child_sees_its_own_greed),
		cmocka_unit_test(a_child_ends_by_its_own_cpu_limit),
		cmocka_unit_test(reserved_address_space_is_not_memory),
		cmocka_unit_test(a_flood_of_output_is_stopped),
		cmocka_unit_test(a_death_before_the_call_has_the_last_words),
		cmocka_unit_test(a_crash_in_the_call_is_one),
		cmocka_unit_test(a_child_that_just_leaves_has_crashed),
		cmocka_unit_test(the_id_is_never_the_childs_to_choose),
		cmocka_unit_test(a_child_that_never_stops_talking_is_not_heard),
		cmocka_unit_test(what_a_child_leaves_behind_dies_with_it),
		cmocka_unit_test(only_the_guests_words_are_its_output),
		cmocka_unit_test(the_guest_reads_its_own_input),
		cmocka_unit_test(output_that_cannot_be_written_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
