// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every field of a sample, alone and all together, in both byte orders, in the
 * order of perf_event_open(2). state says whether the file is big-endian.
 */
#include "capture-of.h"

#define READ_LOST  (1ULL << 4)
#define HW_INDEX   (1ULL << 17)
#define ALL_FIELDS ((1ULL << 25) - 1)

static const struct perfdata_attr plain = { .flags = PERFDATA_ID_ALL };

static struct perfdata with_attr(const struct perfdata_attr *a, void **state)
{
	struct perfdata p = { .big = *(bool *)*state };

	perfdata_attr(&p, a);
	return p;
}

static void who_when_and_where_are_in_the_event(void **state)
{
	struct perfdata_attr a = plain;
	struct perfdata p;
	struct opened o;
	const struct pw_event *ev;

	a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
			PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
			PERF_SAMPLE_PERIOD;
	p = with_attr(&a, state);
	perfdata_begin(&p, PW_REC_SAMPLE, PERF_RECORD_MISC_USER);
	perfdata_u64(&p, 0x401000);
	perfdata_u32(&p, 70);
	perfdata_u32(&p, 71);
	perfdata_u64(&p, 123456789);
	perfdata_u64(&p, 0x7fff0000);
	perfdata_u64(&p, 5);
	perfdata_u64(&p, 6);
	perfdata_u32(&p, 3);
	perfdata_u32(&p, 0);
	perfdata_u64(&p, 250000);
	perfdata_end(&p);
	open_made(&o, &p);
	ev = next_of(&o, PW_REC_SAMPLE);
	assert_int_equal(ev->sample.fields, a.sample_type);
	assert_int_equal(ev->misc, PERF_RECORD_MISC_USER);
	assert_int_equal(ev->sample.ip, 0x401000);
	assert_int_equal(ev->pid, 70);
	assert_int_equal(ev->tid, 71);
	assert_int_equal(ev->time_ns, 123456789);
	assert_int_equal(ev->sample.addr, 0x7fff0000);
	assert_int_equal(ev->id, 5);
	assert_int_equal(ev->stream_id, 6);
	assert_int_equal(ev->cpu, 3);
	assert_int_equal(ev->sample.period, 250000);
	assert_ptr_equal(ev->attr, pw_capture_attr(o.c, 0));
	close_made(&o);
}

static void what_is_not_recorded_is_said_so(void **state)
{
	struct perfdata_attr a = plain;
	struct perfdata p;
	struct opened o;
	const struct pw_event *ev;

	a.sample_type = PERF_SAMPLE_IP;
	p = with_attr(&a, state);
	perfdata_begin(&p, PW_REC_SAMPLE, 0);
	perfdata_u64(&p, 1);
	perfdata_end(&p);
	open_made(&o, &p);
	ev = next_of(&o, PW_REC_SAMPLE);
	assert_true(ev->time_ns == PW_NO_TIME);
	assert_true(ev->pid == PW_NO_PID && ev->cpu == PW_NO_PID);
	assert_null(ev->sample.callchain);
	assert_int_equal(ev->sample.fields, PERF_SAMPLE_IP);
	close_made(&o);
}

static void a_read_value_stands_before_its_times(void **state)
{
	struct perfdata_attr a = plain;
	struct perfdata p;
	struct opened o;
	const struct pw_read *r;

	a.sample_type = PERF_SAMPLE_READ;
	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID |
			READ_LOST;
	p = with_attr(&a, state);
	perfdata_begin(&p, PW_REC_SAMPLE, 0);
	perfdata_u64(&p, 1000);
	perfdata_u64(&p, 20);
	perfdata_u64(&p, 10);
	perfdata_u64(&p, 77);
	perfdata_u64(&p, 3);
	perfdata_end(&p);
	open_made(&o, &p);
	r = &next_of(&o, PW_REC_SAMPLE)->sample.read;
	assert_int_equal(r->n, 1);
	assert_int_equal(r->values[0].value, 1000);
	assert_int_equal(r->time_enabled, 20);
	assert_int_equal(r->time_running, 10);
	assert_int_equal(r->values[0].id, 77);
	assert_int_equal(r->values[0].lost, 3);
	close_made(&o);
}

static void a_group_read_gives_all_members(void **state)
{
	struct perfdata_attr a = plain;
	struct perfdata p;
	struct opened o;
	const struct pw_read *r;
	uint32_t i;

	a.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_CPU;
	a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
			PERF_FORMAT_TOTAL_TIME_ENABLED;
	p = with_attr(&a, state);
	perfdata_begin(&p, PW_REC_SAMPLE, 0);
	perfdata_u32(&p, 1);
	perfdata_u32(&p, 0);
	perfdata_u64(&p, 3);
	perfdata_u64(&p, 99);
	for (i = 0; i < 3; i++) {
		perfdata_u64(&p, 1000 + i);
		perfdata_u64(&p, 50 + i);
	}
	perfdata_end(&p);
	open_made(&o, &p);
	r = &next_of(&o, PW_REC_SAMPLE)->sample.read;
	assert_int_equal(r->n, 3);
	assert_int_equal(r->time_enabled, 99);
	assert_int_equal(r->time_running, 0);
	for (i = 0; i < 3; i++) {
		assert_int_equal(r->values[i].value, 1000 + i);
		assert_int_equal(r->values[i].id, 50 + i);
		assert_int_equal(r->values[i].lost, 0);
	}
	close_made(&o);
}

/* Raw data have a size of four bytes, so what follows is not aligned. */
static void what_follows_raw_data_may_lie_anywhere(void **state)
{
	struct perfdata_attr a = plain;
	struct perfdata p;
	struct opened o;
	const struct pw_sample *s;

	a.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK;
	a.branch_sample_type = HW_INDEX;
	p = with_attr(&a, state);
	perfdata_begin(&p, PW_REC_SAMPLE, 0);
	perfdata_u32(&p, 6);
	pw_buf_add(&p.data, "abcdef", 6);
	perfdata_u64(&p, 2);
	perfdata_u64(&p, 8);
	perfdata_u64(&p, 0x1000);
	perfdata_u64(&p, 0x2000);
	/* mispredicted, in a transaction, 300 cycles, type 5 */
	perfdata_u64(&p,
		     p.big ? 1ull << 63 | 1ull << 61 | 300ull << 44 | 5ull << 40
			   : 1 | 4 | 300 << 4 | 5 << 20);
	perfdata_u64(&p, 0x3000);
	perfdata_u64(&p, 0x4000);
	perfdata_u64(&p, 0);
	perfdata_end(&p);
	open_made(&o, &p);
	s = &next_of(&o, PW_REC_SAMPLE)->sample;
	assert_int_equal(s->raw_size, 6);
	assert_memory_equal(s->raw, "abcdef", 6);
	assert_int_equal(s->n_branches, 2);
	assert_int_equal(s->branch_hw_idx, 8);
	assert_int_equal(s->branches[0].from, 0x1000);
	assert_int_equal(s->branches[0].to, 0x2000);
	assert_int_equal(s->branches[0].flags, 1 | 4 | 300 << 4 | 5 << 20);
	assert_int_equal(s->branches[1].to, 0x4000);
	close_made(&o);
}

static void add_every_field(struct perfdata *p)
{
	uint32_t i;

	perfdata_begin(p, PW_REC_SAMPLE, 0);
	perfdata_u64(p, 7);        /* identifier */
	perfdata_u64(p, 0x401000); /* ip */
	perfdata_u32(p, 1);
	perfdata_u32(p, 2);
	perfdata_u64(p, 1000);   /* time */
	perfdata_u64(p, 0xadd7); /* addr */
	perfdata_u64(p, 7);      /* id */
	perfdata_u64(p, 8);      /* stream id */
	perfdata_u32(p, 4);      /* cpu */
	perfdata_u32(p, 0);
	perfdata_u64(p, 100); /* period */
	perfdata_u64(p, 55);  /* read */
	perfdata_u64(p, 3);   /* call chain */
	for (i = 0; i < 3; i++)
		perfdata_u64(p, 0x9000 + i);
	perfdata_u32(p, 4); /* raw */
	perfdata_u32(p, 0x01020304);
	perfdata_u64(p, 1); /* branch stack */
	for (i = 0; i < 3; i++)
		perfdata_u64(p, 0);
	perfdata_u64(p, 2); /* user registers: of 64 bits, 3 of them */
	for (i = 0; i < 3; i++)
		perfdata_u64(p, 0x100 + i);
	perfdata_u64(p, 16); /* user stack: 16 bytes, 9 of use */
	pw_buf_add(&p->data, "0123456789abcdef", 16);
	perfdata_u64(p, 9);
	/* weight: 1, 2 and 3 */
	perfdata_u64(p, 1 | 2ull << 32 | 3ull << 48);
	perfdata_u64(p, 0xda7a);  /* data source */
	perfdata_u64(p, 0x7a);    /* transaction */
	perfdata_u64(p, 0);       /* registers at interrupt: none */
	perfdata_u64(p, 0x9a);    /* physical address */
	perfdata_u64(p, 0xc9);    /* cgroup */
	perfdata_u64(p, 4096);    /* data page */
	perfdata_u64(p, 2 << 20); /* code page */
	perfdata_u64(p, 5);       /* AUX data */
	pw_buf_add(&p->data, "aux..\0\0\0", 8);
	perfdata_end(p);
}

static void every_field_together_is_read(void **state)
{
	struct perfdata_attr a = plain;
	struct perfdata p;
	struct opened o;
	const struct pw_sample *s;

	a.sample_type = ALL_FIELDS & ~(uint64_t)PERF_SAMPLE_WEIGHT;
	a.sample_regs_user = 0x8101;
	a.sample_regs_intr = 0x3;
	p = with_attr(&a, state);
	add_every_field(&p);
	open_made(&o, &p);
	s = &next_of(&o, PW_REC_SAMPLE)->sample;
	assert_int_equal(o.ev.id, 7);
	assert_int_equal(o.ev.cpu, 4);
	assert_int_equal(s->read.values[0].value, 55);
	assert_int_equal(s->n_callchain, 3);
	assert_int_equal(s->callchain[2], 0x9002);
	assert_int_equal(s->raw_size, 4);
	assert_int_equal(s->n_branches, 1);
	assert_true(s->branch_hw_idx == UINT64_MAX);
	assert_int_equal(s->regs_user.abi, 2);
	assert_int_equal(s->regs_user.mask, 0x8101);
	assert_int_equal(s->regs_user.n, 3);
	assert_int_equal(s->regs_user.values[2], 0x102);
	assert_int_equal(s->stack_size, 9);
	assert_memory_equal(s->stack, "012345678", 9);
	assert_int_equal(s->weight_var1, 1);
	assert_int_equal(s->weight_var2, 2);
	assert_int_equal(s->weight_var3, 3);
	assert_int_equal(s->data_src, 0xda7a);
	assert_int_equal(s->transaction, 0x7a);
	assert_int_equal(s->regs_intr.abi, 0);
	assert_int_equal(s->regs_intr.n, 0);
	assert_int_equal(s->phys_addr, 0x9a);
	assert_int_equal(s->cgroup, 0xc9);
	assert_int_equal(s->data_page_size, 4096);
	assert_int_equal(s->code_page_size, 2 << 20);
	assert_int_equal(s->aux_size, 5);
	assert_memory_equal(s->aux, "aux..", 5);
	close_made(&o);
}

/* Cut anywhere, the same sample is passed over and counted. */
static void a_field_that_does_not_fit_spoils_its_record_only(void **state)
{
	struct perfdata_attr a = plain;
	uint32_t cut, whole;

	a.sample_type = ALL_FIELDS & ~(uint64_t)PERF_SAMPLE_WEIGHT;
	a.sample_regs_user = 0x8101;
	for (cut = 8;; cut += 8) {
		struct perfdata p = with_attr(&a, state);
		struct opened o;

		add_every_field(&p);
		whole = (uint32_t)p.data.len - 8;
		p.data.len -= cut;
		perfdata_end(&p);
		perfdata_round(&p);
		open_made(&o, &p);
		next_of(&o, PW_REC_FINISHED_ROUND);
		assert_int_equal(pw_capture_next(o.c, &o.ev, NULL), 0);
		assert_int_equal(pw_capture_counts(o.c)->malformed, 1);
		assert_int_equal(pw_capture_counts(o.c)->first_malformed.off,
				 104 + 152);
		close_made(&o);
		if (cut >= whole)
			break;
	}
}

/* More of the stack is said to be of use than there is. */
static void a_stack_is_not_larger_than_its_copy(void **state)
{
	struct perfdata_attr a = plain;
	struct perfdata p;
	struct opened o;

	a.sample_type = PERF_SAMPLE_STACK_USER;
	p = with_attr(&a, state);
	perfdata_begin(&p, PW_REC_SAMPLE, 0);
	perfdata_u64(&p, 8);
	perfdata_u64(&p, 0);
	perfdata_u64(&p, 9);
	perfdata_end(&p);
	open_made(&o, &p);
	assert_int_equal(pw_capture_next(o.c, &o.ev, NULL), 0);
	assert_int_equal(pw_capture_counts(o.c)->malformed, 1);
	close_made(&o);
}

/* Counts of things that can't be in a record at all. */
static void a_count_beyond_the_record_is_refused(void **state)
{
	static const uint64_t fields[] = { PERF_SAMPLE_CALLCHAIN,
					   PERF_SAMPLE_BRANCH_STACK,
					   PERF_SAMPLE_STACK_USER,
					   PERF_SAMPLE_AUX, PERF_SAMPLE_READ };
	static const uint64_t counts[] = { 3, 1ull << 61, UINT64_MAX,
					   UINT64_MAX / 8 + 2 };
	size_t i, k;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		for (k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
			struct perfdata_attr a = plain;
			struct perfdata p;
			struct opened o;

			a.sample_type = fields[i];
			a.read_format = PERF_FORMAT_GROUP;
			p = with_attr(&a, state);
			perfdata_begin(&p, PW_REC_SAMPLE, 0);
			perfdata_u64(&p, counts[k]);
			if (counts[k] != 3)
				perfdata_u64(&p, 0);
			perfdata_end(&p);
			open_made(&o, &p);
			close_made(&o);
		}
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
		BOTH(who_when_and_where_are_in_the_event),
		BOTH(what_is_not_recorded_is_said_so),
		BOTH(a_read_value_stands_before_its_times),
		BOTH(a_group_read_gives_all_members),
		BOTH(what_follows_raw_data_may_lie_anywhere),
		BOTH(every_field_together_is_read),
		BOTH(a_field_that_does_not_fit_spoils_its_record_only),
		BOTH(a_stack_is_not_larger_than_its_copy),
		BOTH(a_count_beyond_the_record_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
