// SPDX-License-Identifier: GPL-2.0-only
/* When a record is given: rounds, equal times, missing rounds, no time. */
#include "perfdata-writer.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const struct perfdata_attr clock_attr = {
	.type = PERF_TYPE_SOFTWARE,
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME,
	.flags = PERFDATA_ID_ALL
};

/* A sample is known by its ip. */
static void add_sample(struct perfdata *p, uint64_t ip, uint64_t time_ns)
{
	perfdata_begin(p, PW_REC_SAMPLE, 2);
	perfdata_u64(p, ip);
	perfdata_u64(p, time_ns);
	perfdata_end(p);
}

static void add_samples(struct perfdata *p, const char *times)
{
	for (; *times; times++)
		add_sample(p, (uint64_t)*times, (uint64_t)(*times & 0xdf));
}

/* The ips of the samples as a string: what was given, in its order. */
static void assert_given(struct perfdata *p, const struct pw_capture_opts *o,
			 const char *expected)
{
	struct pw_buf file = { 0 }, seen = { 0 };
	struct pw_capture *c;
	struct pw_event ev;
	struct pw_err err;

	perfdata_finish(p, &file);
	c = pw_capture_open_bytes(file.data, file.len, o, &err);
	if (!c)
		fail_msg("%s", err.msg);
	while (pw_capture_next(c, &ev, &err) > 0)
		if (ev.type == PW_REC_SAMPLE)
			pw_buf_add_u8(&seen, (uint8_t)ev.sample.ip);
	assert_string_equal(pw_buf_str(&seen), expected);
	pw_capture_close(c);
	pw_buf_release(&file);
	pw_buf_release(&seen);
}

static void records_of_two_buffers_come_by_time(void **state)
{
	struct perfdata p = { 0 };

	(void)state;
	perfdata_attr(&p, &clock_attr);
	add_samples(&p, "ADGJ");
	add_samples(&p, "BCHI");
	perfdata_round(&p);
	add_samples(&p, "KP");
	add_samples(&p, "EFLM");
	perfdata_round(&p);
	assert_given(&p, NULL, "ABCDEFGHIJKLMP");
}

/* Upper and lower case have the same time here. */
static void equal_times_stay_as_they_lie(void **state)
{
	struct perfdata p = { 0 };

	(void)state;
	perfdata_attr(&p, &clock_attr);
	add_samples(&p, "BbC");
	add_samples(&p, "aAcD");
	add_samples(&p, "ABb");
	assert_given(&p, NULL, "aAABbBbCcD");
}

/* 60 buffers with the same two times: those of the first buffer first. */
static void equal_times_of_many_buffers_stay_as_they_lie(void **state)
{
	struct perfdata p = { 0 };
	struct pw_buf file = { 0 };
	struct pw_capture *c;
	struct pw_event ev;
	uint64_t i;

	(void)state;
	perfdata_attr(&p, &clock_attr);
	for (i = 0; i < 60; i++) {
		add_sample(&p, i, 5);
		add_sample(&p, 60 + i, 6);
	}
	perfdata_finish(&p, &file);
	c = pw_capture_open_bytes(file.data, file.len, NULL, NULL);
	for (i = 0; pw_capture_next(c, &ev, NULL) > 0; i++)
		assert_int_equal(ev.sample.ip, i);
	assert_int_equal(i, 120);
	pw_capture_close(c);
	pw_buf_release(&file);
}

/* All that waited has left when more of the same buffer comes. */
static void a_queue_that_was_empty_goes_on(void **state)
{
	struct perfdata p = { 0 };

	(void)state;
	perfdata_attr(&p, &clock_attr);
	add_samples(&p, "AB");
	perfdata_round(&p);
	perfdata_round(&p);
	add_samples(&p, "CD");
	perfdata_round(&p);
	perfdata_round(&p);
	add_samples(&p, "EF");
	assert_given(&p, NULL, "ABCDEF");
}

/* The end of the second round lets go what came before the end of the first
 * and no more: C, which comes late, is not too late. */
static void a_round_waits_for_the_next(void **state)
{
	struct perfdata p = { 0 };
	struct pw_buf file = { 0 };
	struct pw_capture *c;
	struct pw_event ev;
	int n = 0;

	(void)state;
	perfdata_attr(&p, &clock_attr);
	add_samples(&p, "AD");
	perfdata_round(&p);
	add_samples(&p, "CF");
	perfdata_round(&p);
	add_samples(&p, "E");
	perfdata_finish(&p, &file);
	c = pw_capture_open_bytes(file.data, file.len, NULL, NULL);
	assert_int_equal(pw_capture_next(c, &ev, NULL), 1);
	assert_int_equal(ev.type, PW_REC_FINISHED_ROUND);
	assert_int_equal(pw_capture_next(c, &ev, NULL), 1);
	assert_int_equal(ev.type, PW_REC_FINISHED_ROUND);
	for (; pw_capture_next(c, &ev, NULL) > 0; n++)
		assert_int_equal(ev.sample.ip, "ACDEF"[n]);
	assert_int_equal(n, 5);
	assert_int_equal(pw_capture_counts(c)->out_of_order, 0);
	pw_capture_close(c);
	pw_buf_release(&file);
}

static void without_rounds_all_are_ordered(void **state)
{
	struct perfdata p = { 0 };

	(void)state;
	perfdata_attr(&p, &clock_attr);
	add_samples(&p, "ZYXWVUTSRQPONMLKJIHGFEDCBA");
	assert_given(&p, NULL, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

static void the_order_of_the_file_can_be_asked_for(void **state)
{
	struct pw_capture_opts o = { .file_order = true };
	struct perfdata p = { 0 };

	(void)state;
	perfdata_attr(&p, &clock_attr);
	add_samples(&p, "CAB");
	assert_given(&p, &o, "CAB");
}

static void a_record_without_time_is_given_at_once(void **state)
{
	struct perfdata p = { 0 };

	(void)state;
	perfdata_attr(&p, &clock_attr);
	add_samples(&p, "CB");
	add_sample(&p, 'x', 0);
	add_sample(&p, 'y', UINT64_MAX);
	add_samples(&p, "A");
	assert_given(&p, NULL, "xyABC");
}

/* 100,000 samples in falling order and no round: more than may wait. All are
 * given, and what came too late is counted. */
static void what_may_wait_is_bounded(void **state)
{
	struct pw_capture_opts o = { .queue_bytes = 1 << 20 };
	struct perfdata p = { 0 };
	struct pw_buf file = { 0 };
	struct pw_capture *c;
	struct pw_event ev;
	uint64_t n = 0;
	uint32_t i;

	(void)state;
	perfdata_attr(&p, &clock_attr);
	for (i = 0; i < 100000; i++)
		add_sample(&p, i, 1000000 - i);
	perfdata_finish(&p, &file);
	c = pw_capture_open_bytes(file.data, file.len, &o, NULL);
	while (pw_capture_next(c, &ev, NULL) > 0)
		n++;
	assert_int_equal(n, 100000);
	assert_true(pw_capture_counts(c)->out_of_order > 1000);
	assert_true(pw_capture_counts(c)->out_of_order < 100000);
	assert_true(pw_capture_counts(c)->first_ns == 1000000 - 99999);
	assert_true(pw_capture_counts(c)->last_ns == 1000000);
	pw_capture_close(c);
	pw_buf_release(&file);
}

/* The offset of a record tells where it lies, whatever block it is in. */
static void an_event_says_where_it_lies(void **state)
{
	struct perfdata p = { 0 };
	struct pw_buf file = { 0 };
	struct pw_capture *c;
	struct pw_event ev;
	uint64_t n = 0, first = 104 + 152;
	uint32_t i;

	(void)state;
	perfdata_attr(&p, &clock_attr);
	for (i = 0; i < 50000; i++)
		add_sample(&p, i, 1 + i);
	perfdata_finish(&p, &file);
	c = pw_capture_open_bytes(file.data, file.len, NULL, NULL);
	for (; pw_capture_next(c, &ev, NULL) > 0; n++) {
		assert_int_equal(ev.off, first + 24 * ev.sample.ip);
		assert_memory_equal(file.data + ev.off + 8, ev.bytes, 16);
	}
	assert_int_equal(n, 50000);
	pw_capture_close(c);
	pw_buf_release(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_of_two_buffers_come_by_time),
		cmocka_unit_test(equal_times_stay_as_they_lie),
		cmocka_unit_test(equal_times_of_many_buffers_stay_as_they_lie),
		cmocka_unit_test(a_queue_that_was_empty_goes_on),
		cmocka_unit_test(a_round_waits_for_the_next),
		cmocka_unit_test(without_rounds_all_are_ordered),
		cmocka_unit_test(the_order_of_the_file_can_be_asked_for),
		cmocka_unit_test(a_record_without_time_is_given_at_once),
		cmocka_unit_test(what_may_wait_is_bounded),
		cmocka_unit_test(an_event_says_where_it_lies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
