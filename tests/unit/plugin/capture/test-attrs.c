// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event attributes of older and newer perfs in both byte orders, their names,
 * and whose a record is. state says whether the file is big-endian.
 */
#include "capture-of.h"

static void an_attr_is_read_as_far_as_it_goes(void **state)
{
	static const uint32_t sizes[] = { 64,  72,  80,  96,  104,
					  112, 120, 128, 136, 160 };
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct perfdata p = { .big = *(bool *)*state };
		struct perfdata_attr a = { .type = 4,
					   .size = sizes[i],
					   .config = 0x1234,
					   .sample_type = PERF_SAMPLE_IP,
					   .flags = 1ull << 4 | 1ull << 25,
					   .branch_sample_type = 3,
					   .sample_regs_user = 5,
					   .sample_regs_intr = 6 };
		const struct pw_attr *b;
		uint32_t size = sizes[i];
		struct opened o;

		perfdata_attr(&p, &a);
		open_made(&o, &p);
		b = pw_capture_attr(o.c, 0);
		assert_int_equal(b->type, 4);
		assert_int_equal(b->config, 0x1234);
		assert_int_equal(b->sample_type, PERF_SAMPLE_IP);
		assert_int_equal(b->flags, 1ull << 4 | 1ull << 25);
		assert_int_equal(b->wakeup, 11);
		assert_int_equal(b->config1, 13);
		assert_int_equal(b->config2, size >= 72 ? 14 : 0);
		assert_int_equal(b->branch_sample_type, size >= 80 ? 3 : 0);
		assert_int_equal(b->sample_regs_user, size >= 96 ? 5 : 0);
		assert_int_equal(b->clockid, size >= 96 ? 1 : 0);
		assert_int_equal(b->sample_regs_intr, size >= 104 ? 6 : 0);
		assert_int_equal(b->sample_max_stack, size >= 112 ? 17 : 0);
		assert_int_equal(b->aux_sample_size, size >= 120 ? 18 : 0);
		assert_int_equal(b->sig_data, size >= 128 ? 19 : 0);
		assert_int_equal(b->config3, size >= 136 ? 20 : 0);
		close_made(&o);
	}
}

static void add_two(struct perfdata *p)
{
	struct perfdata_attr a = { .type = PERF_TYPE_HARDWARE,
				   .sample_type = PERF_SAMPLE_IDENTIFIER |
						  PERF_SAMPLE_TIME,
				   .flags = PERFDATA_ID_ALL,
				   .ids = { 100, 101 },
				   .n_ids = 2 };

	perfdata_attr(p, &a);
	a.config = 1;
	a.sample_type |= PERF_SAMPLE_IP;
	a.ids[0] = 200;
	a.n_ids = 1;
	perfdata_attr(p, &a);
}

static void an_id_tells_the_event(void **state)
{
	struct perfdata p = { .big = *(bool *)*state };
	struct perfdata_attr third = { .sample_type = PERF_SAMPLE_IDENTIFIER |
						      PERF_SAMPLE_TIME,
				       .flags = PERFDATA_ID_ALL,
				       .ids = { 300 },
				       .n_ids = 1 };
	struct opened o;
	const struct pw_event *ev;

	add_two(&p);
	perfdata_attr(&p, &third); /* laid out as the first, not the second */
	perfdata_begin(&p, PW_REC_SAMPLE, 0);
	perfdata_u64(&p, 101);
	perfdata_u64(&p, 20);
	perfdata_end(&p);
	perfdata_begin(&p, PW_REC_SAMPLE, 0);
	perfdata_u64(&p, 200);
	perfdata_u64(&p, 0x1000);
	perfdata_u64(&p, 10);
	perfdata_end(&p);
	perfdata_begin(&p, PW_REC_LOST, 0);
	perfdata_u64(&p, 200);
	perfdata_u64(&p, 1);
	perfdata_u64(&p, 30);
	perfdata_u64(&p, 200);
	perfdata_end(&p);
	perfdata_begin(&p, PW_REC_SAMPLE, 0);
	perfdata_u64(&p, 999);
	perfdata_u64(&p, 40);
	perfdata_end(&p);
	open_made(&o, &p);
	ev = next_of(&o, PW_REC_SAMPLE); /* without a known time: at once */
	assert_null(ev->attr);
	assert_int_equal(ev->sample.fields, 0);
	assert_int_equal(pw_capture_counts(o.c)->unknown_ids, 1);
	ev = next_of(&o, PW_REC_SAMPLE);
	assert_int_equal(ev->time_ns, 10);
	assert_int_equal(ev->attr->idx, 1);
	assert_int_equal(ev->sample.ip, 0x1000);
	ev = next_of(&o, PW_REC_SAMPLE);
	assert_int_equal(ev->time_ns, 20);
	assert_int_equal(ev->attr->idx, 0);
	assert_int_equal(next_of(&o, PW_REC_LOST)->attr->idx, 1);
	assert_ptr_equal(pw_capture_attr_by_id(o.c, 101),
			 pw_capture_attr(o.c, 0));
	assert_null(pw_capture_attr_by_id(o.c, 102));
	close_made(&o);
}

static void attrs_come_with_a_pipe(void **state)
{
	struct perfdata p = { .big = *(bool *)*state, .is_pipe = true };
	struct opened o;

	add_two(&p);
	perfdata_begin(&p, PW_REC_SAMPLE, 0);
	perfdata_u64(&p, 200);
	perfdata_u64(&p, 0x1000);
	perfdata_u64(&p, 10);
	perfdata_end(&p);
	open_made(&o, &p);
	assert_true(pw_capture_facts(o.c)->is_pipe);
	assert_int_equal(pw_capture_n_attrs(o.c), 0);
	next_of(&o, PW_REC_ATTR);
	next_of(&o, PW_REC_ATTR);
	assert_int_equal(pw_capture_n_attrs(o.c), 2);
	assert_int_equal(pw_capture_attr(o.c, 0)->n_ids, 2);
	assert_int_equal(pw_capture_attr(o.c, 0)->ids[1], 101);
	assert_int_equal(next_of(&o, PW_REC_SAMPLE)->attr->idx, 1);
	close_made(&o);
}

#define NO_KERNEL (PW_ATTR_EXCLUDE_KERNEL | PW_ATTR_EXCLUDE_HV)
#define NO_USER   (PW_ATTR_EXCLUDE_USER | PW_ATTR_EXCLUDE_HV)

static void an_event_without_a_name_gets_one(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config, flags;
		const char *name;
	} cases[] = {
		{ PERF_TYPE_HARDWARE, 0, 1 << 20, "cycles" },
		{ PERF_TYPE_HARDWARE, 0, 0, "cycles:HG" },
		{ PERF_TYPE_HARDWARE, 0, 2 << 15, "cycles:pp" },
		{ PERF_TYPE_HARDWARE, 0, 2 << 15 | 1 << 20, "cycles:ppH" },
		{ PERF_TYPE_HARDWARE, 1, NO_KERNEL, "instructions:u" },
		{ PERF_TYPE_SOFTWARE, 0, NO_USER, "cpu-clock:k" },
		{ PERF_TYPE_HARDWARE, 1ull << 40, 1 << 20,
		  "type 0 config 0x10000000000" },
		{ PERF_TYPE_TRACEPOINT, 316, 0, "tracepoint 0x13c" },
		{ PERF_TYPE_RAW, 0x1c2, 1 << 20, "raw 0x1c2" },
		{ 11, 5, 1 << 20, "type 11 config 0x5" },
	};
	struct perfdata p = { .big = *(bool *)*state };
	struct opened o;
	uint32_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perfdata_attr a = { .type = cases[i].type,
					   .config = cases[i].config,
					   .flags = cases[i].flags };

		perfdata_attr(&p, &a);
	}
	open_made(&o, &p);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(pw_capture_attr(o.c, i)->name,
				    cases[i].name);
	assert_null(pw_capture_attr(o.c, i));
	close_made(&o);
}

static void a_pipe_names_events_later(void **state)
{
	struct perfdata p = { .big = *(bool *)*state, .is_pipe = true };
	struct opened o;
	const char *before;

	add_two(&p);
	perfdata_begin(&p, PW_REC_EVENT_UPDATE, 0);
	perfdata_u64(&p, 2);
	perfdata_u64(&p, 200);
	perfdata_text(&p, "instructions:pp");
	perfdata_end(&p);
	perfdata_begin(&p, PW_REC_EVENT_TYPE, 0);
	perfdata_u64(&p, 0);
	perfdata_text(&p, "cpu-cycles");
	perfdata_end(&p);
	open_made(&o, &p);
	next_of(&o, PW_REC_ATTR);
	next_of(&o, PW_REC_ATTR);
	before = pw_capture_attr(o.c, 1)->name;
	assert_string_equal(before, "instructions:HG");
	next_of(&o, PW_REC_EVENT_UPDATE);
	next_of(&o, PW_REC_EVENT_TYPE);
	assert_string_equal(pw_capture_attr(o.c, 1)->name, "instructions:pp");
	assert_string_equal(pw_capture_attr(o.c, 0)->name, "cpu-cycles");
	assert_string_equal(before, "instructions:HG"); /* still there */
	close_made(&o);
}

static void the_clock_of_all_times_is_told(void **state)
{
	struct perfdata p = { .big = *(bool *)*state };
	struct perfdata_attr a = { .flags = PW_ATTR_USE_CLOCKID };
	struct opened o;

	perfdata_attr(&p, &a);
	perfdata_attr(&p, &a);
	open_made(&o, &p);
	assert_true(pw_capture_facts(o.c)->use_clockid);
	assert_int_equal(pw_capture_facts(o.c)->clockid, 1);
	assert_false(pw_capture_facts(o.c)->clocks_differ);
	close_made(&o);

	perfdata_attr(&p, &a);
	a.flags = 0;
	perfdata_attr(&p, &a);
	open_made(&o, &p);
	assert_true(pw_capture_facts(o.c)->clocks_differ);
	close_made(&o);

	perfdata_attr(&p, &a);
	open_made(&o, &p);
	assert_false(pw_capture_facts(o.c)->use_clockid);
	close_made(&o);
}

int main(void)
{
	static bool no, yes = true;
#define BOTH(f)                                        \
	{ #f ", little-endian", f, NULL, NULL, &no },  \
	{                                              \
#f ", big-endian", f, NULL, NULL, &yes \
	}
	const struct CMUnitTest tests[] = {
		BOTH(an_attr_is_read_as_far_as_it_goes),
		BOTH(an_id_tells_the_event),
		BOTH(attrs_come_with_a_pipe),
		BOTH(an_event_without_a_name_gets_one),
		BOTH(a_pipe_names_events_later),
		BOTH(the_clock_of_all_times_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
