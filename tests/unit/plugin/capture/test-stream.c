// SPDX-License-Identifier: GPL-2.0-only
/*
 * Captures that come through a real pipe, in pieces: as they come, with data
 * behind records that can't be sought over.
 */
#include "capture-of.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct perfdata_attr attr = { .sample_type = PERF_SAMPLE_IP |
							  PERF_SAMPLE_TIME,
					   .flags = PERFDATA_ID_ALL };

static void add_sample(struct perfdata *p, uint64_t n)
{
	perfdata_begin(p, PW_REC_SAMPLE, 0);
	perfdata_u64(p, n);
	perfdata_u64(p, 1000 + n);
	perfdata_end(p);
}

/* Writes all of it in pieces of so many bytes, and ends. */
static void write_pieces(int fd, const struct pw_buf *b, size_t piece)
{
	size_t at = 0;

	while (at < b->len) {
		size_t n = b->len - at < piece ? b->len - at : piece;
		ssize_t done = write(fd, b->data + at, n);

		if (done <= 0)
			_exit(1);
		at += (size_t)done;
	}
	_exit(0);
}

/* Standard input becomes a pipe that a child fills. */
static pid_t feed(struct perfdata *p, size_t piece)
{
	struct pw_buf b = { 0 };
	int ends[2];
	pid_t pid;

	perfdata_finish(p, &b);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(ends[0]);
		write_pieces(ends[1], &b, piece);
	}
	close(ends[1]);
	assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
	pw_buf_release(&b);
	return pid;
}

static void ended(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void a_stream_in_pieces_is_the_same_stream(void **state)
{
	static const size_t pieces[] = { 1, 7, 65536 };
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct perfdata p = { .is_pipe = true };
		struct pw_capture *c;
		struct pw_event ev;
		uint64_t n = 0, many = pieces[i] == 1 ? 50 : 30000, k;
		pid_t pid;

		perfdata_attr(&p, &attr);
		for (k = 0; k < many; k++)
			add_sample(&p, k);
		pid = feed(&p, pieces[i]);
		c = pw_capture_open("-", NULL, NULL);
		assert_non_null(c);
		assert_int_equal(pw_capture_next(c, &ev, NULL), 1);
		assert_int_equal(ev.type, PW_REC_ATTR);
		for (; pw_capture_next(c, &ev, NULL) > 0; n++) {
			assert_int_equal(ev.sample.ip, n);
			assert_int_equal(ev.off, 16 + 144 + 24 * n);
		}
		assert_int_equal(n, many);
		pw_capture_close(c);
		ended(pid);
	}
}

/* 300 KiB of AUX data lie between two samples: more than a block. */
static void data_behind_a_record_are_passed_over(void **state)
{
	struct perfdata p = { .is_pipe = true };
	struct pw_capture *c;
	struct pw_event ev;
	uint64_t i;
	pid_t pid;

	(void)state;
	perfdata_attr(&p, &attr);
	add_sample(&p, 1);
	perfdata_begin(&p, PW_REC_AUXTRACE, 0);
	perfdata_u64(&p, 300 << 10);
	for (i = 0; i < 4; i++)
		perfdata_u64(&p, 0);
	perfdata_end(&p);
	for (i = 0; i < 300 << 10; i += 8)
		perfdata_u64(&p, 0xbad);
	add_sample(&p, 2);
	pid = feed(&p, 4096);
	c = pw_capture_open("-", NULL, NULL);
	assert_int_equal(pw_capture_next(c, &ev, NULL), 1);
	assert_int_equal(pw_capture_next(c, &ev, NULL), 1);
	assert_int_equal(ev.type, PW_REC_AUXTRACE);
	assert_int_equal(ev.auxtrace.size, 300 << 10);
	assert_int_equal(pw_capture_next(c, &ev, NULL), 1);
	assert_int_equal(ev.sample.ip, 1);
	assert_int_equal(pw_capture_next(c, &ev, NULL), 1);
	assert_int_equal(ev.sample.ip, 2);
	assert_int_equal(ev.off, 16 + 144 + 24 + 48 + (300 << 10));
	assert_int_equal(pw_capture_next(c, &ev, NULL), 0);
	assert_int_equal(pw_capture_counts(c)->aux_bytes, 300 << 10);
	pw_capture_close(c);
	ended(pid);
}

static void a_stream_may_end_anywhere(void **state)
{
	struct perfdata p = { .is_pipe = true };
	struct pw_capture *c;
	struct pw_event ev;
	pid_t pid;

	(void)state;
	perfdata_attr(&p, &attr);
	add_sample(&p, 1);
	perfdata_begin(&p, PW_REC_AUXTRACE, 0);
	perfdata_u64(&p, 1 << 20);
	perfdata_end(&p);
	perfdata_u64(&p, 0);
	pid = feed(&p, 4096);
	c = pw_capture_open("-", NULL, NULL);
	while (pw_capture_next(c, &ev, NULL) > 0)
		;
	assert_true(pw_capture_facts(c)->is_cut);
	assert_int_equal(pw_capture_counts(c)->aux_bytes, 8);
	assert_int_equal(pw_capture_counts(c)->records[PW_REC_SAMPLE], 1);
	pw_capture_close(c);
	ended(pid);
}

static void a_file_through_a_pipe_is_refused(void **state)
{
	struct perfdata p = { 0 };
	struct pw_err err = { 0 };
	pid_t pid;

	(void)state;
	perfdata_attr(&p, &attr);
	add_sample(&p, 1);
	pid = feed(&p, 4096);
	assert_null(pw_capture_open("-", NULL, &err));
	assert_int_equal(err.code, ESPIPE);
	assert_non_null(strstr(err.msg, "name the file"));
	ended(pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_in_pieces_is_the_same_stream),
		cmocka_unit_test(data_behind_a_record_are_passed_over),
		cmocka_unit_test(a_stream_may_end_anywhere),
		cmocka_unit_test(a_file_through_a_pipe_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
