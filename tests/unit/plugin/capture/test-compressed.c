// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compressed records. The zstd frames are made by hand (RFC 8878): blocks of
 * raw bytes, and blocks of one byte over and over.
 */
#include "capture-of.h"

#include <errno.h>

static const struct perfdata_attr attr = { .sample_type = PERF_SAMPLE_IP |
							  PERF_SAMPLE_TIME,
					   .flags = PERFDATA_ID_ALL };

/* Magic, then a header without sizes and a window of 1 MiB. */
static void frame_begin(struct pw_buf *z)
{
	pw_buf_add(z, "\x28\xb5\x2f\xfd\x00\x50", 6);
}

static void block_header(struct pw_buf *z, int type, uint32_t size, bool last)
{
	uint32_t v = size << 3 | (uint32_t)type << 1 | last;

	pw_buf_add_u8(z, (uint8_t)v);
	pw_buf_add_u8(z, (uint8_t)(v >> 8));
	pw_buf_add_u8(z, (uint8_t)(v >> 16));
}

static void raw_block(struct pw_buf *z, const void *data, size_t n, bool last)
{
	block_header(z, 0, (uint32_t)n, last);
	pw_buf_add(z, data, n);
}

/* n samples, as records in a buffer of their own. */
static void make_samples(struct pw_buf *b, uint32_t n, bool big)
{
	struct perfdata inner = { .big = big };
	uint32_t i;

	for (i = 0; i < n; i++) {
		perfdata_begin(&inner, PW_REC_SAMPLE, 0);
		perfdata_u64(&inner, i);
		perfdata_u64(&inner, 1000 + i);
		perfdata_end(&inner);
	}
	*b = inner.data;
}

static void add_compressed(struct perfdata *p, const struct pw_buf *z,
			   bool second_kind)
{
	perfdata_begin(p, second_kind ? PW_REC_COMPRESSED2 : PW_REC_COMPRESSED,
		       0);
	if (second_kind)
		perfdata_u64(p, z->len);
	pw_buf_add(&p->data, z->data, z->len);
	while (second_kind && p->data.len % 8)
		perfdata_u8(p, 0);
	perfdata_end(p);
}

/* The frame goes on from one record to the next, and so does the seventh
 * sample: cut at its tenth byte. */
static void records_go_on_from_piece_to_piece(void **state)
{
	struct perfdata p = { .big = *(bool *)*state };
	struct pw_buf samples, z = { 0 };
	struct opened o;
	const size_t cut = 6 * 24 + 10;
	int kind, i;

	for (kind = 0; kind < 2; kind++) {
		make_samples(&samples, 10, p.big);
		perfdata_attr(&p, &attr);
		z.len = 0;
		frame_begin(&z);
		raw_block(&z, samples.data, cut, false);
		add_compressed(&p, &z, kind);
		z.len = 0;
		raw_block(&z, samples.data + cut, samples.len - cut, true);
		add_compressed(&p, &z, kind);
		perfdata_round(&p);
		perfdata_round(&p);
		open_made(&o, &p);
		for (i = 0; i < 2; i++)
			next_of(&o,
				kind ? PW_REC_COMPRESSED2 : PW_REC_COMPRESSED);
		assert_true(pw_capture_facts(o.c)->is_compressed);
		next_of(&o, PW_REC_FINISHED_ROUND);
		next_of(&o, PW_REC_FINISHED_ROUND);
		for (i = 0; i < 10; i++) {
			next_of(&o, PW_REC_SAMPLE);
			assert_int_equal(o.ev.sample.ip, i);
			assert_int_equal(o.ev.time_ns, 1000 + i);
			/* where its bytes came from */
			assert_true(o.ev.off >= 104 + 152 &&
				    o.ev.off < o.file.len);
		}
		close_made(&o);
		pw_buf_release(&samples);
	}
	pw_buf_release(&z);
}

static void a_piece_that_is_no_zstd_is_named_by_its_place(void **state)
{
	struct perfdata p = { .big = *(bool *)*state };
	struct pw_buf z = { 0 };
	struct opened o;

	perfdata_attr(&p, &attr);
	pw_buf_add(&z, "this is no zstd.", 16);
	add_compressed(&p, &z, false);
	open_made(&o, &p);
	next_of(&o, PW_REC_COMPRESSED);
	assert_int_equal(pw_capture_next(o.c, &o.ev, &o.err), -EINVAL);
	assert_int_equal(o.err.off, 104 + 152);
	assert_non_null(strstr(o.err.msg, "zstd"));
	pw_capture_close(o.c);
	pw_buf_release(&o.file);
	pw_buf_release(&z);
}

static void a_size_beyond_the_record_is_refused(void **state)
{
	struct perfdata p = { .big = *(bool *)*state };
	struct opened o;

	perfdata_attr(&p, &attr);
	perfdata_begin(&p, PW_REC_COMPRESSED2, 0);
	perfdata_u64(&p, 9);
	perfdata_u64(&p, 0);
	perfdata_end(&p);
	open_made(&o, &p);
	assert_int_equal(pw_capture_next(o.c, &o.ev, &o.err), -EINVAL);
	assert_int_equal(o.err.off, 104 + 152);
	pw_capture_close(o.c);
	pw_buf_release(&o.file);
}

/* 400 blocks of 128 KiB, each four bytes of input: records of type
 * 0x08080808 and of 0x0808 bytes. They are given, one after the other, and no
 * more is held than a few blocks. */
static void a_bomb_takes_no_memory(void **state)
{
	struct perfdata p = { .big = *(bool *)*state };
	struct pw_buf z = { 0 };
	struct opened o;
	uint64_t n = 0, bytes = 400ull << 17;
	int i;

	perfdata_attr(&p, &attr);
	frame_begin(&z);
	for (i = 0; i < 400; i++) {
		block_header(&z, 1, 1 << 17, i == 399);
		pw_buf_add_u8(&z, 8);
	}
	add_compressed(&p, &z, false);
	open_made(&o, &p);
	next_of(&o, PW_REC_COMPRESSED);
	while (pw_capture_next(o.c, &o.ev, &o.err) > 0)
		n++;
	assert_int_equal(n, bytes / 0x808);
	assert_int_equal(pw_capture_counts(o.c)->tail_bytes, bytes % 0x808);
	close_made(&o);
	pw_buf_release(&z);
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
		BOTH(records_go_on_from_piece_to_piece),
		BOTH(a_piece_that_is_no_zstd_is_named_by_its_place),
		BOTH(a_size_beyond_the_record_is_refused),
		BOTH(a_bomb_takes_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
