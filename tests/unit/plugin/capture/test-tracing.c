// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracing data in a file and in a pipe: tracepoints get their names, fields
 * are found by name and read in either byte order. state: bit 0 big-endian,
 * bit 1 pipe.
 */
#include "capture-of.h"

#include <errno.h>

static const char switch_format[] =
	"name: sched_switch\n"
	"ID: 314\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:char next_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:u8 flag;\toffset:40;\tsize:1;\tsigned:0;\n"
	"\tfield:s16 little;\toffset:42;\tsize:2;\tsigned:1;\n"
	"\tfield:__data_loc char[] name;\toffset:44;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] other;\toffset:48;\tsize:4;\tsigned:0;\n"
	"\n"
	"print fmt: \"next_comm=%s ( unbalanced\", REC->next_comm\n";

static void add_block(struct pw_buf *b, const char *s, bool big)
{
	perfdata_add(b, strlen(s), 8, big);
	pw_buf_add(b, s, strlen(s));
}

static void make_tracing(struct pw_buf *b, bool big)
{
	pw_buf_add(b,
		   "\x17\x08\x44"
		   "tracing"
		   "0.6\0",
		   14);
	pw_buf_add_u8(b, big);
	pw_buf_add_u8(b, 8);
	perfdata_add(b, 4096, 4, big);
	pw_buf_add(b, "header_page\0", 12);
	add_block(b, "page", big);
	pw_buf_add(b, "header_event\0", 13);
	add_block(b, "event", big);
	perfdata_add(b, 1, 4, big);
	add_block(b, "name: function\nID: 1\n", big);
	perfdata_add(b, 2, 4, big);
	pw_buf_add(b, "irq\0", 4);
	perfdata_add(b, 0, 4, big);
	pw_buf_add(b, "sched\0", 6);
	perfdata_add(b, 2, 4, big);
	add_block(b, "name: other\nID: 313\nformat:\n", big);
	add_block(b, switch_format, big);
	perfdata_add(b, 0, 4, big); /* kallsyms */
	perfdata_add(b, 0, 4, big); /* printk */
	perfdata_add(b, 0, 8, big); /* command lines */
}

static void add_raw(struct perfdata *p)
{
	size_t start;

	perfdata_begin(p, PW_REC_SAMPLE, 0);
	perfdata_u32(p, 68);
	start = p->data.len;
	perfdata_u16(p, 314);
	perfdata_u16(p, 0);
	perfdata_u32(p, 77);
	pw_buf_add(&p->data, "worker\0\0\0\0\0\0\0\0\0\0", 16);
	perfdata_u32(p, (uint32_t)-5);
	perfdata_u32(p, 0);
	perfdata_u64(p, 0x102);
	perfdata_u8(p, 200);
	perfdata_u8(p, 0);
	perfdata_u16(p, (uint16_t)-3);
	perfdata_u32(p, 6 << 16 | 52);
	perfdata_u32(p, 5 << 16 | 6); /* from 52 on */
	pw_buf_add(&p->data, "where\0here\0", 11);
	while (p->data.len < start + 68)
		perfdata_u8(p, 0);
	perfdata_end(p);
}

static void open_traced(struct opened *o, void **state)
{
	int how = *(int *)*state;
	struct perfdata p = { .big = how & 1, .is_pipe = how & 2 };
	struct perfdata_attr a = { .type = PERF_TYPE_TRACEPOINT,
				   .config = 314,
				   .sample_type = PERF_SAMPLE_RAW };
	struct pw_buf tracing = { 0 };

	make_tracing(&tracing, p.big);
	perfdata_attr(&p, &a);
	if (p.is_pipe) {
		perfdata_begin(&p, PW_REC_TRACING_DATA, 0);
		perfdata_u32(&p, (uint32_t)tracing.len);
		perfdata_end(&p);
		pw_buf_add(&p.data, tracing.data, tracing.len);
		for (size_t n = tracing.len; n % 8; n++)
			perfdata_u8(&p, 0);
	} else {
		perfdata_feature(&p, 1, &tracing);
	}
	add_raw(&p);
	open_made(o, &p);
	if (how & 2) {
		next_of(o, PW_REC_ATTR);
		next_of(o, PW_REC_TRACING_DATA);
	}
	next_of(o, PW_REC_SAMPLE);
	pw_buf_release(&tracing);
}

static uint64_t number_of(struct opened *o, const char *name)
{
	struct pw_field f;

	if (pw_capture_field(o->c, o->ev.attr, name, &f, &o->err))
		fail_msg("%s", o->err.msg);
	assert_int_equal(f.size, f.size & 15);
	return pw_field_u64(&f, o->ev.sample.raw, o->ev.sample.raw_size);
}

static void assert_text(struct opened *o, const char *name, const char *text)
{
	struct pw_field f;
	const char *s;
	uint32_t len;

	if (pw_capture_field(o->c, o->ev.attr, name, &f, &o->err))
		fail_msg("%s", o->err.msg);
	assert_true(f.is_text);
	s = pw_field_text(&f, o->ev.sample.raw, o->ev.sample.raw_size, &len);
	assert_int_equal(len, strlen(text));
	assert_memory_equal(s, text, len);
	/* the raw data end before it */
	pw_field_text(&f, o->ev.sample.raw, 10, &len);
	assert_true(len <= 2);
}

static void fields_are_read_by_name(void **state)
{
	struct opened o;
	struct pw_field f;

	open_traced(&o, state);
	assert_string_equal(o.ev.attr->name, "sched:sched_switch");
	assert_int_equal(number_of(&o, "common_pid"), 77);
	assert_true(number_of(&o, "next_pid") == (uint64_t)-5);
	assert_int_equal(number_of(&o, "prev_state"), 0x102);
	assert_int_equal(number_of(&o, "flag"), 200);
	assert_true(number_of(&o, "little") == (uint64_t)-3);
	assert_text(&o, "next_comm", "worker");
	assert_text(&o, "name", "where");
	assert_text(&o, "other", "here");
	assert_int_equal(pw_capture_field(o.c, o.ev.attr, "nobody", &f, &o.err),
			 -ENOENT);
	assert_non_null(strstr(o.err.msg, "nobody"));
	close_made(&o);
}

static void a_number_beyond_the_raw_data_is_zero(void **state)
{
	struct pw_field f = { .off = 8, .size = 8 };
	uint8_t raw[15];
	uint32_t len;

	(void)state;
	memset(raw, 1, sizeof(raw));
	assert_int_equal(pw_field_u64(&f, raw, 15), 0);
	f.off = UINT32_MAX;
	assert_int_equal(pw_field_u64(&f, raw, 15), 0);
	f = (struct pw_field){ .off = 8, .size = 3 };
	assert_int_equal(pw_field_u64(&f, raw, 15), 0);
	f = (struct pw_field){ .off = 12, .size = 4, .is_dynamic = true };
	assert_string_equal(pw_field_text(&f, raw, 15, &len), "");
	f.off = 0; /* 257 bytes from 257 on */
	assert_string_equal(pw_field_text(&f, raw, 15, &len), "");
	assert_int_equal(len, 0);
}

static void a_format_can_be_asked_without_a_capture(void **state)
{
	struct pw_err err;
	struct pw_field f;

	(void)state;
	assert_int_equal(pw_field_of_format(switch_format,
					    sizeof(switch_format) - 1,
					    "next_pid", &f, &err),
			 0);
	assert_int_equal(f.off, 24);
	assert_int_equal(f.size, 4);
	assert_true(f.is_signed);
	assert_false(f.is_text);
	assert_int_equal(pw_field_of_format("no format", 9, "next_pid", &f,
					    &err),
			 -ENOENT);
}

static void a_format_that_was_not_recorded_is_missed(void **state)
{
	struct perfdata p = { .big = *(int *)*state & 1 };
	struct perfdata_attr a = { .type = PERF_TYPE_TRACEPOINT,
				   .config = 314 };
	struct opened o;
	struct pw_field f;

	perfdata_attr(&p, &a);
	a.type = PERF_TYPE_SOFTWARE;
	perfdata_attr(&p, &a);
	open_made(&o, &p);
	assert_int_equal(pw_capture_field(o.c, pw_capture_attr(o.c, 0),
					  "next_pid", &f, &o.err),
			 -ENOENT);
	assert_non_null(strstr(o.err.msg, "was not recorded"));
	assert_int_equal(pw_capture_field(o.c, pw_capture_attr(o.c, 1),
					  "next_pid", &f, &o.err),
			 -ENOENT);
	assert_non_null(strstr(o.err.msg, "is no tracepoint"));
	close_made(&o);
}

/* Cut anywhere, tracing data are a fault with a place in the file, and the
 * records are given all the same. */
static void cut_tracing_data_spoil_nothing_else(void **state)
{
	struct pw_buf tracing = { 0 };
	size_t len;
	bool big = *(int *)*state & 1;

	make_tracing(&tracing, big);
	for (len = 1; len < tracing.len; len += 3) {
		struct perfdata p = { .big = big };
		struct pw_buf part = { .data = tracing.data, .len = len };
		struct opened o;

		perfdata_attr(&p, &(struct perfdata_attr){ .type = 0 });
		perfdata_round(&p);
		perfdata_feature(&p, 1, &part);
		open_made(&o, &p);
		next_of(&o, PW_REC_FINISHED_ROUND);
		/* what comes behind the formats is not read */
		if (len < tracing.len - 16) {
			const struct pw_capture_counts *n =
				pw_capture_counts(o.c);

			assert_int_equal(n->features_unread, 1);
			assert_true(n->first_unread.off > 104 &&
				    n->first_unread.off <= o.file.len);
		}
		close_made(&o);
	}
	pw_buf_release(&tracing);
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
		ALL(fields_are_read_by_name),
		ALL(a_format_that_was_not_recorded_is_missed),
		ALL(cut_tracing_data_spoil_nothing_else),
		cmocka_unit_test(a_number_beyond_the_raw_data_is_zero),
		cmocka_unit_test(a_format_can_be_asked_without_a_capture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
