// SPDX-License-Identifier: GPL-2.0-only
/* What the recorder says of the machine, itself and its events, from a file
 * and from a pipe, in both byte orders. state: bit 0 big-endian, bit 1 pipe. */
#include "capture-of.h"

static const struct perfdata_attr attr = {
	.sample_type = PERF_SAMPLE_IDENTIFIER, .ids = { 10 }, .n_ids = 1
};

static struct perfdata begin(void **state)
{
	int how = *(int *)*state;
	struct perfdata p = { .big = how & 1, .is_pipe = how & 2 };
	struct perfdata_attr a = attr;

	perfdata_attr(&p, &a);
	a.ids[0] = 20;
	perfdata_attr(&p, &a);
	/* data of no size would be those of a killed recorder */
	perfdata_round(&p);
	return p;
}

static void add_u32(struct pw_buf *b, const struct perfdata *p, uint32_t v)
{
	perfdata_add(b, v, 4, p->big);
}

static void add_u64(struct pw_buf *b, const struct perfdata *p, uint64_t v)
{
	perfdata_add(b, v, 8, p->big);
}

/* A length, the text, zeros up to the length. */
static void add_text(struct pw_buf *b, const struct perfdata *p, const char *s)
{
	uint32_t n = (uint32_t)(strlen(s) + 64) / 64 * 64;

	add_u32(b, p, n);
	pw_buf_add(b, s, strlen(s));
	for (n -= (uint32_t)strlen(s); n; n--)
		pw_buf_add_u8(b, 0);
}

static void add_feature(struct perfdata *p, unsigned int number,
			struct pw_buf *b)
{
	perfdata_feature(p, number, b);
	b->len = 0;
}

static void open_and_read(struct opened *o, struct perfdata *p)
{
	open_made(o, p);
	while (pw_capture_next(o->c, &o->ev, &o->err) > 0)
		;
	if (pw_capture_counts(o->c)->features_unread)
		fail_msg("%s", pw_capture_counts(o->c)->first_unread.msg);
}

static void assert_fact(const struct pw_capture *c, const char *key,
			const char *value)
{
	const struct pw_capture_facts *f = pw_capture_facts(c);
	uint32_t i;

	for (i = 0; i < f->n_more; i++)
		if (!strcmp(f->more[i].key, key) &&
		    !strcmp(f->more[i].value, value))
			return;
	fail_msg("no fact %s: %s", key, value);
}

static void the_machine_is_described(void **state)
{
	struct perfdata p = begin(state);
	struct pw_buf b = { 0 };
	const struct pw_capture_facts *f;
	struct opened o;
	int i;

	for (i = 3; i <= 9; i++) {
		static const char *const texts[] = { "host",
						     "6.1.0",
						     "6.2",
						     "x86_64",
						     NULL,
						     "EPYC",
						     "AuthenticAMD,25,1" };

		if (i == 7) {
			add_u32(&b, &p, 4);
			add_u32(&b, &p, 3);
		} else {
			add_text(&b, &p, texts[i - 3]);
		}
		add_feature(&p, (unsigned int)i, &b);
	}
	add_u64(&b, &p, 1 << 20);
	add_feature(&p, 10, &b);
	add_u32(&b, &p, 3);
	add_text(&b, &p, "perf");
	add_text(&b, &p, "record");
	add_text(&b, &p, "-a b");
	add_feature(&p, 11, &b);
	open_and_read(&o, &p);
	f = pw_capture_facts(o.c);
	assert_string_equal(f->hostname, "host");
	assert_string_equal(f->osrelease, "6.1.0");
	assert_string_equal(f->version, "6.2");
	assert_string_equal(f->arch, "x86_64");
	assert_string_equal(f->cpudesc, "EPYC");
	assert_string_equal(f->cpuid, "AuthenticAMD,25,1");
	assert_int_equal(f->n_cpus_avail, 4);
	assert_int_equal(f->n_cpus_online, 3);
	assert_int_equal(f->total_mem_kb, 1 << 20);
	assert_int_equal(f->n_argv, 3);
	assert_string_equal(f->argv[2], "-a b");
	assert_null(f->argv[3]);
	close_made(&o);
	pw_buf_release(&b);
}

static void events_have_names_and_groups(void **state)
{
	struct perfdata p = begin(state);
	struct pw_buf b = { 0 };
	struct opened o;
	uint32_t i;

	add_u32(&b, &p, 2);
	add_u32(&b, &p, 64);
	/* told in the other order: the ids count */
	for (i = 0; i < 2; i++) {
		perfdata_attr_bytes(&b, &(struct perfdata_attr){ .size = 64 },
				    p.big);
		add_u32(&b, &p, 1);
		add_text(&b, &p, i ? "cycles:u" : "instructions:u");
		add_u64(&b, &p, i ? 10 : 20);
	}
	add_feature(&p, 12, &b);
	add_u32(&b, &p, 1);
	add_text(&b, &p, "{anon_group}");
	add_u32(&b, &p, 0);
	add_u32(&b, &p, 2);
	add_feature(&p, 17, &b);
	open_and_read(&o, &p);
	assert_string_equal(pw_capture_attr(o.c, 0)->name, "cycles:u");
	assert_string_equal(pw_capture_attr(o.c, 1)->name, "instructions:u");
	assert_int_equal(pw_capture_attr(o.c, 1)->leader_idx, 0);
	assert_fact(o.c, "group {anon_group}", "leader 0, 2 members");
	close_made(&o);
	pw_buf_release(&b);
}

static void clocks_are_told(void **state)
{
	struct perfdata p = begin(state);
	struct pw_buf b = { 0 };
	const struct pw_capture_facts *f;
	struct opened o;

	add_u64(&b, &p, 1000);
	add_u64(&b, &p, 2000);
	add_feature(&p, 21, &b);
	add_u64(&b, &p, 1);
	add_feature(&p, 23, &b);
	add_u32(&b, &p, 1);
	add_u32(&b, &p, 1);
	add_u64(&b, &p, 1700000000000000000ull);
	add_u64(&b, &p, 5000);
	add_feature(&p, 29, &b);
	open_and_read(&o, &p);
	f = pw_capture_facts(o.c);
	assert_int_equal(f->first_sample_ns, 1000);
	assert_int_equal(f->last_sample_ns, 2000);
	assert_int_equal(f->clock_res_ns, 1);
	assert_true(f->has_clock_data);
	assert_int_equal(f->wall_clock_ns, 1700000000000000000ull);
	assert_int_equal(f->clock_ns, 5000);
	close_made(&o);
	pw_buf_release(&b);
}

static void add_topology(struct perfdata *p, struct pw_buf *b)
{
	add_u32(b, p, 2);
	add_u32(b, p, 2);
	add_feature(p, 7, b);
	add_u32(b, p, 1);
	add_text(b, p, "0-1");
	add_u32(b, p, 2);
	add_text(b, p, "0");
	add_text(b, p, "1");
	add_u32(b, p, 0);
	add_u32(b, p, 0);
	add_u32(b, p, 1);
	add_u32(b, p, 0);
	add_u32(b, p, 1);
	add_text(b, p, "0-1");
	add_u32(b, p, 5);
	add_u32(b, p, 6);
	add_feature(p, 13, b);
	add_u32(b, p, 1);
	add_u32(b, p, 0);
	add_u64(b, p, 1000);
	add_u64(b, p, 600);
	add_text(b, p, "0-1");
	add_feature(p, 14, b);
	add_u32(b, p, 1);
	add_u32(b, p, 4);
	add_text(b, p, "cpu");
	add_feature(p, 16, b);
}

static void topologies_are_facts(void **state)
{
	struct perfdata p = begin(state);
	struct pw_buf b = { 0 };
	struct opened o;

	add_topology(&p, &b);
	add_u32(&b, &p, 1);
	add_u32(&b, &p, 1);
	add_u32(&b, &p, 1);
	add_u32(&b, &p, 64);
	add_u32(&b, &p, 128);
	add_u32(&b, &p, 8);
	add_text(&b, &p, "Data");
	add_text(&b, &p, "32K");
	add_text(&b, &p, "0-1");
	add_feature(&p, 20, &b);
	add_u32(&b, &p, 1);
	add_text(&b, &p, "cpu_core");
	add_text(&b, &p, "0-1");
	add_feature(&p, 30, &b);
	add_u32(&b, &p, 1);
	add_u32(&b, &p, 2);
	add_text(&b, &p, "branches");
	add_text(&b, &p, "32");
	add_text(&b, &p, "max_precise");
	add_text(&b, &p, "3");
	add_text(&b, &p, "cpu_core");
	add_feature(&p, 31, &b);
	open_and_read(&o, &p);
	assert_fact(o.c, "core siblings", "0-1");
	assert_fact(o.c, "thread siblings", "1");
	assert_fact(o.c, "die siblings", "0-1");
	assert_fact(o.c, "cpu 1", "core 1 socket 0");
	assert_fact(o.c, "cpu 1", "die 6");
	assert_fact(o.c, "numa node 0", "cpus 0-1, 1000 kB, 600 kB free");
	assert_fact(o.c, "pmu cpu", "type 4");
	assert_fact(o.c, "cache L1 Data",
		    "32K, line 64, 128 sets, 8 ways, cpus 0-1");
	assert_fact(o.c, "hybrid cpu_core", "0-1");
	assert_fact(o.c, "capabilities cpu_core", "branches=32, max_precise=3");
	close_made(&o);
	pw_buf_release(&b);
}

static void add_build_id(struct pw_buf *b, const struct perfdata *p,
			 uint16_t misc, uint8_t size, const char *name)
{
	add_u32(b, p, 67);
	perfdata_add(b, misc, 2, p->big);
	perfdata_add(b, 8 + 28 + 64, 2, p->big);
	add_u32(b, p, UINT32_MAX);
	pw_buf_add(b, "abcdefghijklmnopqrst", 20);
	pw_buf_add_u8(b, size);
	pw_buf_add(b, "\0\0\0", 3);
	pw_buf_add(b, name, strlen(name));
	for (size_t i = strlen(name); i < 64; i++)
		pw_buf_add_u8(b, 0);
}

static void build_ids_are_listed(void **state)
{
	struct perfdata p = begin(state);
	struct pw_buf b = { 0 };
	const struct pw_capture_facts *f;
	struct opened o;

	add_build_id(&b, &p, 1, 0, "[kernel.kallsyms]");
	add_build_id(&b, &p, 1 << 15 | 2, 16, "/bin/x");
	add_feature(&p, 2, &b);
	open_and_read(&o, &p);
	f = pw_capture_facts(o.c);
	assert_int_equal(f->n_build_ids, 2);
	assert_int_equal(f->build_ids[0].size, 20);
	assert_string_equal(f->build_ids[0].filename, "[kernel.kallsyms]");
	assert_int_equal(f->build_ids[1].size, 16);
	assert_memory_equal(f->build_ids[1].id, "abcdefghijklmnop", 16);
	assert_string_equal(f->build_ids[1].filename, "/bin/x");
	close_made(&o);
	pw_buf_release(&b);
}

/* A pipe of old: the record's type is the feature's number and 66. */
static void an_early_pipe_has_features_as_records(void **state)
{
	struct perfdata p = { .big = *(int *)*state & 1, .is_pipe = true };
	struct perfdata_attr a = { .size = 80,
				   .sample_type = PERF_SAMPLE_TIME,
				   .flags = PERFDATA_ID_ALL };
	struct opened o;

	perfdata_begin(&p, 69, 0);
	add_text(&p.data, &p, "old host");
	perfdata_end(&p);
	perfdata_begin(&p, 76, 0);
	perfdata_u64(&p, 777);
	perfdata_end(&p);
	perfdata_attr(&p, &a);
	perfdata_begin(&p, PW_REC_SAMPLE, 0);
	perfdata_u64(&p, 5);
	perfdata_end(&p);
	open_made(&o, &p);
	next_of(&o, PW_REC_FEATURE);
	next_of(&o, PW_REC_FEATURE);
	next_of(&o, PW_REC_ATTR);
	assert_int_equal(next_of(&o, PW_REC_SAMPLE)->time_ns, 5);
	assert_string_equal(pw_capture_facts(o.c)->hostname, "old host");
	assert_int_equal(pw_capture_facts(o.c)->total_mem_kb, 777);
	close_made(&o);
}

int main(void)
{
	static int how[] = { 0, 1, 2, 3 };
#define ALL(f)                                                      \
	{ #f ", file", f, NULL, NULL, &how[0] },                    \
		{ #f ", big-endian file", f, NULL, NULL, &how[1] }, \
		{ #f ", pipe", f, NULL, NULL, &how[2] },            \
	{                                                           \
#f ", big-endian pipe", f, NULL, NULL, &how[3]      \
	}
	const struct CMUnitTest tests[] = {
		ALL(the_machine_is_described),
		ALL(events_have_names_and_groups),
		ALL(clocks_are_told),
		ALL(topologies_are_facts),
		ALL(build_ids_are_listed),
		ALL(an_early_pipe_has_features_as_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
