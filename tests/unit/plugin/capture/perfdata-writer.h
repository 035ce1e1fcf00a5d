/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfdata-writer: perf.data files and pipes from nothing, in either byte
 * order, for tests. Attrs, records and features are added; perfdata_finish()
 * lays them out as
 *   file   header | ids | attrs | data | feature table | features
 *   pipe   header | ATTR records and data as they were added
 * and knows nothing of what the reader makes of it.
 */
#ifndef PERFDATA_WRITER_H
#define PERFDATA_WRITER_H

#include <linux/perf_event.h>
#include <string.h>

#include <perfwasm/capture.h>

#define PERFDATA_ID_ALL (1ULL << 18) /* of flags */

struct perfdata_attr {
	uint32_t type, size; /* size 0: 136 */
	uint64_t config, sample_type, read_format, flags;
	uint64_t branch_sample_type, sample_regs_user, sample_regs_intr;
	uint64_t ids[4];
	uint32_t n_ids;
};

struct perfdata {
	bool big, is_pipe;
	uint64_t data_size_off_by; /* added to the header's size of the data */
	bool is_killed;            /* it says 0 */
	uint32_t stride;           /* of attrs in the file */
	struct pw_buf attrs, ids, data, table, features;
	uint64_t feature_bits;
	size_t record; /* where the open one begins in data */
};

static inline void perfdata_add(struct pw_buf *b, uint64_t v, int n, bool big)
{
	int i;

	for (i = 0; i < n; i++)
		pw_buf_add_u8(b, (uint8_t)(v >> 8 * (big ? n - 1 - i : i)));
}

static inline void perfdata_u8(struct perfdata *p, uint8_t v)
{
	perfdata_add(&p->data, v, 1, p->big);
}

static inline void perfdata_u16(struct perfdata *p, uint16_t v)
{
	perfdata_add(&p->data, v, 2, p->big);
}

static inline void perfdata_u32(struct perfdata *p, uint32_t v)
{
	perfdata_add(&p->data, v, 4, p->big);
}

static inline void perfdata_u64(struct perfdata *p, uint64_t v)
{
	perfdata_add(&p->data, v, 8, p->big);
}

/* Text with its zero, filled up to eight bytes. */
static inline void perfdata_text(struct perfdata *p, const char *s)
{
	size_t n = strlen(s) + 1;

	pw_buf_add(&p->data, s, n);
	for (; n % 8; n++)
		pw_buf_add_u8(&p->data, 0);
}

static inline void perfdata_begin(struct perfdata *p, uint32_t type,
				  uint16_t misc)
{
	p->record = p->data.len;
	perfdata_u32(p, type);
	perfdata_u16(p, misc);
	perfdata_u16(p, 0);
}

static inline void perfdata_size(struct perfdata *p, uint16_t size)
{
	uint8_t *at = p->data.data + p->record + 6;

	at[p->big] = (uint8_t)size;
	at[!p->big] = (uint8_t)(size >> 8);
}

static inline void perfdata_end(struct perfdata *p)
{
	perfdata_size(p, (uint16_t)(p->data.len - p->record));
}

static inline void perfdata_round(struct perfdata *p)
{
	perfdata_begin(p, PW_REC_FINISHED_ROUND, 0);
	perfdata_end(p);
}

/* Bit-fields fill a big-endian word from its other end. */
static inline uint64_t perfdata_bits(uint64_t v, bool big)
{
	uint64_t r = 0;
	int i;

	for (i = 0; i < 64; i++)
		r |= (v >> i & 1) << (63 - i);
	return big ? r : v;
}

static inline void perfdata_attr_bytes(struct pw_buf *b,
				       const struct perfdata_attr *a, bool big)
{
	uint32_t size = a->size ? a->size : 136;
	size_t start = b->len;

	perfdata_add(b, a->type, 4, big);
	perfdata_add(b, size, 4, big);
	perfdata_add(b, a->config, 8, big);
	perfdata_add(b, 4000, 8, big);
	perfdata_add(b, a->sample_type, 8, big);
	perfdata_add(b, a->read_format, 8, big);
	perfdata_add(b, perfdata_bits(a->flags, big), 8, big);
	perfdata_add(b, 11, 4, big);
	perfdata_add(b, 12, 4, big);
	perfdata_add(b, 13, 8, big);
	perfdata_add(b, 14, 8, big);
	perfdata_add(b, a->branch_sample_type, 8, big);
	perfdata_add(b, a->sample_regs_user, 8, big);
	perfdata_add(b, 15, 4, big);
	perfdata_add(b, 1, 4, big);
	perfdata_add(b, a->sample_regs_intr, 8, big);
	perfdata_add(b, 16, 4, big);
	perfdata_add(b, 17, 2, big);
	perfdata_add(b, 0, 2, big);
	perfdata_add(b, 18, 4, big);
	perfdata_add(b, 0, 4, big);
	perfdata_add(b, 19, 8, big);
	perfdata_add(b, 20, 8, big);
	while (b->len < start + size)
		pw_buf_add_u8(b, 0xaa);
	b->len = start + size;
}

static inline void perfdata_attr(struct perfdata *p,
				 const struct perfdata_attr *a)
{
	struct pw_buf *ids = p->is_pipe ? &p->data : &p->ids;
	uint32_t size = a->size ? a->size : 136, i;
	size_t start = p->attrs.len;

	if (p->is_pipe) {
		perfdata_begin(p, PW_REC_ATTR, 0);
		perfdata_attr_bytes(&p->data, a, p->big);
	} else {
		if (!p->stride)
			p->stride = size + 16;
		perfdata_attr_bytes(&p->attrs, a, p->big);
		while (p->attrs.len < start + p->stride - 16)
			pw_buf_add_u8(&p->attrs, 0);
		perfdata_add(&p->attrs, 104 + p->ids.len, 8, p->big);
		perfdata_add(&p->attrs, 8 * a->n_ids, 8, p->big);
	}
	for (i = 0; i < a->n_ids; i++)
		perfdata_add(ids, a->ids[i], 8, p->big);
	if (p->is_pipe)
		perfdata_end(p);
}

/* The content of a header feature; they are added by rising number. */
static inline void perfdata_feature(struct perfdata *p, unsigned int number,
				    const struct pw_buf *content)
{
	if (p->is_pipe) {
		perfdata_begin(p, PW_REC_FEATURE, 0);
		perfdata_u64(p, number);
		pw_buf_add(&p->data, content->data, content->len);
		perfdata_end(p);
		return;
	}
	p->feature_bits |= 1ULL << number;
	perfdata_add(&p->table, p->features.len, 8, p->big);
	perfdata_add(&p->table, content->len, 8, p->big);
	pw_buf_add(&p->features, content->data, content->len);
}

static inline void perfdata_file_header(const struct perfdata *p,
					struct pw_buf *out)
{
	uint64_t attrs = 104 + p->ids.len, data = attrs + p->attrs.len, i;

	perfdata_add(out, 104, 8, p->big);
	perfdata_add(out, p->stride, 8, p->big);
	perfdata_add(out, attrs, 8, p->big);
	perfdata_add(out, p->attrs.len, 8, p->big);
	perfdata_add(out, data, 8, p->big);
	perfdata_add(out, p->is_killed ? 0 : p->data.len + p->data_size_off_by,
		     8, p->big);
	perfdata_add(out, 0, 8, p->big);
	perfdata_add(out, 0, 8, p->big);
	perfdata_add(out, p->feature_bits, 8, p->big);
	for (i = 0; i < 3; i++)
		perfdata_add(out, 0, 8, p->big);
}

static inline uint64_t perfdata_get(const uint8_t *p, bool big)
{
	uint64_t v = 0;
	int i;

	for (i = 0; i < 8; i++)
		v |= (uint64_t)p[i] << 8 * (big ? 7 - i : i);
	return v;
}

/* The whole of it; p is empty again. */
static inline void perfdata_finish(struct perfdata *p, struct pw_buf *out)
{
	size_t i, at;

	out->len = 0;
	pw_buf_add(out, p->big ? "2ELIFREP" : "PERFILE2", 8);
	if (p->is_pipe) {
		perfdata_add(out, 16, 8, p->big);
	} else {
		perfdata_file_header(p, out);
		pw_buf_add(out, p->ids.data, p->ids.len);
		pw_buf_add(out, p->attrs.data, p->attrs.len);
	}
	pw_buf_add(out, p->data.data, p->data.len);
	at = out->len + p->table.len;
	for (i = 0; i + 16 <= p->table.len; i += 16) {
		perfdata_add(out, perfdata_get(p->table.data + i, p->big) + at,
			     8, p->big);
		pw_buf_add(out, p->table.data + i + 8, 8);
	}
	pw_buf_add(out, p->features.data, p->features.len);
	pw_buf_release(&p->attrs);
	pw_buf_release(&p->ids);
	pw_buf_release(&p->data);
	pw_buf_release(&p->table);
	pw_buf_release(&p->features);
	p->feature_bits = 0;
	p->stride = 0;
}

#endif
