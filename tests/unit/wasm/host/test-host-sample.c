// SPDX-License-Identifier: GPL-2.0-only
/* A process that samples itself finds the loop that it spends its time in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../../../wasm/host/host-parts.h"

#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOOP_BYTES 64 /* more than the loop, less than what follows */

/* In a section of its own, so that its place is known. */
__attribute__((noinline, noclone, section(".text.hot"))) static uint64_t
hot_loop(uint64_t n)
{
	uint64_t x = n;

	while (n--) {
		x = x * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

/* 100 ms of CPU time at least, of which a machine that was stopped meanwhile
 * may have taken a part: so it is so much work, too. */
static void work(void)
{
	uint64_t from = pw_cpu_ns();

	for (int n = 0; n < 50 || pw_cpu_ns() - from < 100000000; n++)
		hot_loop(1000000);
}

static size_t count(const char *text, bool inside)
{
	size_t n = 0;

	for (const char *p = strchr(text, '\n'); p && p[1];
	     p = strchr(p + 1, '\n'))
		n += (p[1] != '-') == inside;
	return n;
}

static char *sample(uint64_t text_addr, uint64_t size)
{
	char path[] = "/tmp/pw-samples-XXXXXX", *text;
	struct pw_host_request req = { .samples_path = path,
				       .sample_period_ns = 200000 };
	struct pw_host_run run = { .req = &req };
	struct pw_file f;

	close(mkstemp(path));
	run.samples = host_samples_begin(req.sample_period_ns);
	assert_non_null(run.samples);
	work();
	host_samples_end(run.samples);
	assert_int_equal(pw_host_samples_write(&run, text_addr, size, NULL), 0);
	assert_int_equal(pw_file_open(&f, path, NULL), 0);
	host_samples_free(run.samples);
	text = pw_strndup((const char *)f.data, f.size);
	pw_file_close(&f);
	unlink(path);
	return text;
}

static void most_samples_are_in_the_hot_loop(void **state)
{
	char *text = sample((uintptr_t)hot_loop, LOOP_BYTES);
	size_t in = count(text, true), out = count(text, false);

	(void)state;
	assert_int_equal(strncmp(text, "period_ns ", 10), 0);
	assert_true(in + out >= 5);
	assert_true(in > 3 * out);
	free(text);
}

/* From here on this process has no perf_event_open. */
static void refuse_perf_events(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		skip();
}

/* Ticks are coarse: the period is what it came to be. */
static void a_timer_does_where_perf_events_are_refused(void **state)
{
	unsigned long long period = 0;
	char *text;

	(void)state;
	refuse_perf_events();
	text = sample((uintptr_t)hot_loop, LOOP_BYTES);
	assert_int_equal(sscanf(text, "period_ns %llu", &period), 1);
	assert_true(period > 200000);
	assert_true(count(text, true) >= 3);
	assert_true(count(text, true) > 3 * count(text, false));
	free(text);
}

static void without_a_text_every_sample_is_outside(void **state)
{
	char *text = sample(0, 0);

	(void)state;
	assert_int_equal(count(text, true), 0);
	assert_true(count(text, false) > 0);
	free(text);
}

static void a_run_that_could_not_be_sampled_says_so(void **state)
{
	struct pw_host_request req = { .samples_path = "/tmp/never" };
	struct pw_host_run run = { .req = &req };
	struct pw_err err;

	(void)state;
	assert_true(pw_host_samples_write(&run, 0, 0, &err) < 0);
	assert_non_null(strstr(err.msg, "sample itself"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(most_samples_are_in_the_hot_loop),
		cmocka_unit_test(without_a_text_every_sample_is_outside),
		cmocka_unit_test(a_run_that_could_not_be_sampled_says_so),
		/* last, as there is no way back */
		cmocka_unit_test(a_timer_does_where_perf_events_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
