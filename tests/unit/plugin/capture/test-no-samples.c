// SPDX-License-Identifier: GPL-2.0-only
/* A capture read for its other records: what is given, in which order. */
#include <stdlib.h>
#include <unistd.h>

#include "capture-of.h"

static const struct perfdata_attr attr = { .sample_type = PERF_SAMPLE_IP |
							  PERF_SAMPLE_TIME,
					   .flags = PERFDATA_ID_ALL };
static const struct pw_capture_opts no_samples = { .no_samples = true };

static void add_sample(struct perfdata *p, uint64_t time_ns)
{
	perfdata_begin(p, PW_REC_SAMPLE, 2);
	perfdata_u64(p, 0x1000);
	perfdata_u64(p, time_ns);
	perfdata_end(p);
}

static void add_lost(struct perfdata *p, uint64_t lost, uint64_t time_ns)
{
	perfdata_begin(p, PW_REC_LOST, 0);
	perfdata_u64(p, 0);
	perfdata_u64(p, lost);
	perfdata_u64(p, time_ns);
	perfdata_end(p);
}

static void make(struct perfdata *p)
{
	perfdata_attr(p, &attr);
	add_sample(p, 20);
	add_sample(p, 10);
	add_lost(p, 2, 40);
	add_sample(p, 90);
	add_lost(p, 1, 30);
	add_sample(p, 50);
}

static void all_but_samples_come_in_the_order_of_time(void **state)
{
	struct perfdata p = { 0 };
	struct opened o;

	(void)state;
	make(&p);
	open_made_with(&o, &p, &no_samples);
	assert_int_equal(next_of(&o, PW_REC_LOST)->lost.lost, 1);
	assert_int_equal(next_of(&o, PW_REC_LOST)->lost.lost, 2);
	close_made(&o);
}

static void the_first_and_the_last_sample_are_known_by_their_times(void **state)
{
	const struct pw_capture_counts *n;
	struct perfdata p = { 0 };
	struct opened o;

	(void)state;
	make(&p);
	open_made_with(&o, &p, &no_samples);
	next_of(&o, PW_REC_LOST);
	next_of(&o, PW_REC_LOST);
	assert_int_equal(pw_capture_next(o.c, &o.ev, &o.err), 0);
	n = pw_capture_counts(o.c);
	assert_int_equal(n->first_ns, 10);
	assert_int_equal(n->last_ns, 90);
	assert_int_equal(n->lost, 3);
	assert_int_equal(n->records[PW_REC_SAMPLE], 0);
	close_made(&o);
}

static void a_capture_of_samples_only_is_at_its_end(void **state)
{
	struct perfdata p = { 0 };
	struct opened o;

	(void)state;
	perfdata_attr(&p, &attr);
	for (uint64_t i = 0; i < 100000; i++)
		add_sample(&p, 1 + i);
	open_made_with(&o, &p, &no_samples);
	assert_int_equal(pw_capture_next(o.c, &o.ev, &o.err), 0);
	assert_int_equal(pw_capture_counts(o.c)->last_ns, 100000);
	close_made(&o);
}

/* What is cut off is told as for all others. */
static void a_cut_sample_is_bytes_at_the_end(void **state)
{
	struct perfdata p = { 0 };
	struct opened o;

	(void)state;
	make(&p);
	perfdata_begin(&p, PW_REC_SAMPLE, 2);
	perfdata_size(&p, 200);
	open_made_with(&o, &p, &no_samples);
	next_of(&o, PW_REC_LOST);
	next_of(&o, PW_REC_LOST);
	assert_int_equal(pw_capture_next(o.c, &o.ev, &o.err), 0);
	assert_int_equal(pw_capture_counts(o.c)->tail_bytes, 8);
	close_made(&o);
}

static void a_reader_need_not_go_on_before_the_round_ends(void **state)
{
	struct perfdata p = { 0 };
	struct opened o;

	(void)state;
	perfdata_attr(&p, &attr);
	add_sample(&p, 10);
	add_lost(&p, 1, 5);
	perfdata_round(&p);
	add_sample(&p, 30);
	add_lost(&p, 2, 25);
	perfdata_round(&p);
	add_sample(&p, 50);
	perfdata_round(&p);
	open_made_with(&o, &p, &no_samples);
	next_of(&o, PW_REC_FINISHED_ROUND);
	assert_int_equal(pw_capture_past_ns(o.c), 0);
	next_of(&o, PW_REC_FINISHED_ROUND);
	assert_int_equal(pw_capture_past_ns(o.c), 4);
	next_of(&o, PW_REC_LOST);
	assert_int_equal(pw_capture_past_ns(o.c), 10);
	next_of(&o, PW_REC_FINISHED_ROUND);
	assert_int_equal(pw_capture_past_ns(o.c), 24);
	next_of(&o, PW_REC_LOST);
	assert_int_equal(pw_capture_past_ns(o.c), 30);
	assert_int_equal(pw_capture_next(o.c, &o.ev, &o.err), 0);
	assert_true(pw_capture_past_ns(o.c) == UINT64_MAX);
	close_made(&o);
}

#define MANY 400000u /* more than is mapped at once */

/* Reads a file of many samples with a record behind each 1000. */
static void read_many(const char *path, const struct pw_buf *lent)
{
	struct pw_err err;
	struct pw_capture *c = pw_capture_open(path, &no_samples, &err);
	uint64_t n = 0, off = 0;
	struct pw_event ev;

	assert_non_null(c);
	if (lent)
		pw_capture_lend(c, lent->data, lent->len);
	while (pw_capture_next(c, &ev, &err) > 0) {
		assert_int_equal(ev.type, PW_REC_LOST);
		assert_int_equal(ev.lost.lost, ++n);
		if (off)
			assert_int_equal(ev.off - off, 1000 * 24 + 32);
		off = ev.off;
	}
	assert_int_equal(n, MANY / 1000);
	assert_int_equal(pw_capture_counts(c)->last_ns, MANY);
	assert_int_equal(pw_capture_counts(c)->tail_bytes, 0);
	pw_capture_close(c);
}

static void a_large_file_is_looked_at_in_parts_or_where_it_is_lent(void **state)
{
	char path[] = "/tmp/no-samples-XXXXXX";
	struct pw_buf file = { 0 };
	struct perfdata p = { 0 };
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	perfdata_attr(&p, &attr);
	for (uint64_t i = 1; i <= MANY; i++) {
		add_sample(&p, i);
		if (i % 1000 == 0)
			add_lost(&p, i / 1000, i);
	}
	perfdata_finish(&p, &file);
	assert_int_equal(pw_file_write(path, file.data, file.len, NULL), 0);
	read_many(path, NULL);
	read_many(path, &file);
	pw_buf_release(&file);
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_but_samples_come_in_the_order_of_time),
		cmocka_unit_test(
			the_first_and_the_last_sample_are_known_by_their_times),
		cmocka_unit_test(a_capture_of_samples_only_is_at_its_end),
		cmocka_unit_test(a_cut_sample_is_bytes_at_the_end),
		cmocka_unit_test(a_reader_need_not_go_on_before_the_round_ends),
		cmocka_unit_test(
			a_large_file_is_looked_at_in_parts_or_where_it_is_lent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
