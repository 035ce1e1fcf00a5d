// SPDX-License-Identifier: GPL-2.0-only
/* Samples that read a group of counters become samples of its members. */
#include "capture-of.h"

static const struct pw_capture_opts split = { .split_reads = true };

#define GROUP (PERF_FORMAT_GROUP | PERF_FORMAT_ID)

static struct perfdata begin(uint64_t read_format, uint64_t flags)
{
	struct perfdata p = { 0 };
	struct perfdata_attr a = { .sample_type = PERF_SAMPLE_IDENTIFIER |
						  PERF_SAMPLE_TID |
						  PERF_SAMPLE_TIME |
						  PERF_SAMPLE_READ,
				   .read_format = read_format,
				   .flags = PERFDATA_ID_ALL | flags,
				   .ids = { 10 },
				   .n_ids = 1 };

	perfdata_attr(&p, &a);
	a.config = 1;
	a.ids[0] = 20;
	perfdata_attr(&p, &a);
	return p;
}

/* A sample of the first event that reads both. */
static void add_sample(struct perfdata *p, uint64_t time_ns, uint32_t tid,
		       uint64_t first, uint64_t second)
{
	perfdata_begin(p, PW_REC_SAMPLE, 0);
	perfdata_u64(p, 10);
	perfdata_u32(p, 1);
	perfdata_u32(p, tid);
	perfdata_u64(p, time_ns);
	perfdata_u64(p, 2);
	perfdata_u64(p, first);
	perfdata_u64(p, 10);
	perfdata_u64(p, second);
	perfdata_u64(p, 20);
	perfdata_end(p);
}

static void assert_part(struct opened *o, uint64_t time_ns, uint32_t attr,
			uint64_t period)
{
	const struct pw_event *ev = next_of(o, PW_REC_SAMPLE);

	assert_int_equal(ev->time_ns, time_ns);
	assert_int_equal(ev->attr->idx, attr);
	assert_int_equal(ev->id, attr ? 20 : 10);
	assert_int_equal(ev->sample.period, period);
}

static void each_counter_that_rose_is_a_sample(void **state)
{
	struct perfdata p = begin(GROUP, 0);
	struct opened o;

	(void)state;
	add_sample(&p, 1, 1, 100, 7);
	add_sample(&p, 2, 1, 250, 7);
	add_sample(&p, 3, 1, 250, 7);
	add_sample(&p, 4, 1, 250, 9);
	open_made_with(&o, &p, &split);
	assert_part(&o, 1, 0, 100);
	assert_part(&o, 1, 1, 7);
	assert_part(&o, 2, 0, 150);
	assert_part(&o, 4, 1, 2);
	assert_int_equal(pw_capture_counts(o.c)->records[PW_REC_SAMPLE], 4);
	close_made(&o);
}

/* Counters that are inherited count for each thread. */
static void threads_have_counts_of_their_own(void **state)
{
	struct perfdata p = begin(GROUP, 1 << 1);
	struct opened o;

	(void)state;
	add_sample(&p, 1, 1, 100, 0);
	add_sample(&p, 2, 2, 30, 0);
	add_sample(&p, 3, 1, 110, 0);
	open_made_with(&o, &p, &split);
	assert_part(&o, 1, 0, 100);
	assert_part(&o, 2, 0, 30);
	assert_part(&o, 3, 0, 10);
	close_made(&o);
}

static void a_counter_of_no_event_is_counted_as_unknown(void **state)
{
	struct perfdata p = begin(GROUP, 0);
	struct opened o;

	(void)state;
	add_sample(&p, 1, 1, 100, 7);
	/* the id of the second value */
	p.data.data[p.data.len - 8] = 99;
	open_made_with(&o, &p, &split);
	assert_part(&o, 1, 0, 100);
	assert_int_equal(pw_capture_next(o.c, &o.ev, NULL), 0);
	assert_int_equal(pw_capture_counts(o.c)->unknown_ids, 1);
	close_made(&o);
}

static void a_single_counter_needs_no_id(void **state)
{
	struct perfdata p = begin(0, 0);
	struct opened o;
	int i;

	(void)state;
	for (i = 1; i < 3; i++) {
		perfdata_begin(&p, PW_REC_SAMPLE, 0);
		perfdata_u64(&p, 20);
		perfdata_u64(&p, 0);
		perfdata_u64(&p, (uint64_t)i);
		perfdata_u64(&p, (uint64_t)(500 * i + i));
		perfdata_end(&p);
	}
	open_made_with(&o, &p, &split);
	assert_part(&o, 1, 1, 501);
	assert_part(&o, 2, 1, 501);
	close_made(&o);
}

static void unasked_samples_stay_whole(void **state)
{
	struct perfdata p = begin(GROUP, 0);
	struct opened o;

	(void)state;
	add_sample(&p, 1, 1, 100, 7);
	open_made(&o, &p);
	assert_int_equal(next_of(&o, PW_REC_SAMPLE)->sample.read.n, 2);
	close_made(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_counter_that_rose_is_a_sample),
		cmocka_unit_test(threads_have_counts_of_their_own),
		cmocka_unit_test(a_counter_of_no_event_is_counted_as_unknown),
		cmocka_unit_test(a_single_counter_needs_no_id),
		cmocka_unit_test(unasked_samples_stay_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
