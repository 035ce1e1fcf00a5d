// SPDX-License-Identifier: GPL-2.0-only
/*
 * What stands before the data of a perf.data file, and the table of features
 * behind it:
 *   magic u64 | size u64 | attr_size u64 | attrs, data, event types (each:
 *   offset u64, size u64) | features, 256 bits
 * In a pipe only magic and size (16). The magic tells the byte order.
 */
#include <errno.h>
#include <stdlib.h>

#include "session.h"

#define PIPE_HEADER 16u
#define FILE_HEADER 104u
#define N_FEATURES  256u

struct section {
	uint64_t off, size;
};

struct file_header {
	uint64_t size, attr_size;
	struct section attrs, data;
	uint64_t features[4];
};

static int read_magic(struct pw_capture *c, const uint8_t *magic,
		      struct pw_err *err)
{
	bool same = !memcmp(magic, "PERFILE2", 8);

	if (!same && memcmp(magic, "2ELIFREP", 8))
		return pw_err_at(
			err, EINVAL, 0,
			"not a perf.data file: expected PERFILE2 in its first 8 bytes; name what perf record or perf wasm record wrote");
	/* perf writes the magic as a number */
	c->big = !same == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	c->swap = !same;
	c->facts.is_swapped = c->swap;
	return 0;
}

static struct section section_at(const uint8_t *p, bool swap)
{
	return (struct section){ load64(p, swap), load64(p + 8, swap) };
}

static void read_feature_bits(struct file_header *h, const uint8_t *p,
			      const struct pw_capture *c)
{
	const uint64_t hostname = 1 << 3;
	int i;

	for (i = 0; i < 4; i++)
		h->features[i] = load64(p + 8 * i, c->swap);
	/* words of a 32-bit big-endian recorder; all of them say the name
	 * of the host */
	if (c->big && !(h->features[0] & hostname) &&
	    h->features[0] >> 32 & hostname)
		for (i = 0; i < 4; i++)
			h->features[i] = h->features[i] >> 32 | h->features[i]
									<< 32;
}

static int read_file_header(struct pw_capture *c, struct file_header *h,
			    struct pw_err *err)
{
	uint8_t raw[FILE_HEADER] = { 0 };
	size_t n = h->size < FILE_HEADER ? h->size : FILE_HEADER;
	int ret;

	if (h->size < 72)
		return pw_err_at(
			err, EINVAL, 8,
			"the header says that it has %llu bytes, expected 104, or 16 in a pipe",
			(unsigned long long)h->size);
	if (!c->src.can_seek)
		return pw_err_at(
			err, ESPIPE, 8,
			"this is a perf.data file, not a stream of perf record -o -; name the file instead of sending it through a pipe");
	ret = source_read_at(&c->src, raw, n, c->src.pos - PIPE_HEADER, err);
	if (ret)
		return ret;
	h->attr_size = load64(raw + 16, c->swap);
	h->attrs = section_at(raw + 24, c->swap);
	h->data = section_at(raw + 40, c->swap);
	if (n == FILE_HEADER)
		read_feature_bits(h, raw + 72, c);
	return 0;
}

/* The ids of one attr; all attrs' together fit in the file. */
static int read_ids(struct pw_capture *c, struct section s, uint64_t *room,
		    struct pw_buf *ids, struct pw_err *err)
{
	ids->len = 0;
	if (s.size > *room)
		return pw_err_at(
			err, EINVAL, s.off,
			"the ids of an event have %llu bytes, more than the file has left for them",
			(unsigned long long)s.size);
	*room -= s.size;
	pw_buf_reserve(ids, s.size);
	ids->len = s.size;
	return source_read_at(&c->src, ids->data, s.size, s.off, err);
}

static int read_attrs(struct pw_capture *c, const struct file_header *h,
		      uint64_t file_size, struct pw_err *err)
{
	uint64_t n = h->attr_size ? h->attrs.size / h->attr_size : 0, i;
	uint64_t room = file_size;
	struct pw_buf ids = { 0 };
	uint8_t *raw;
	int ret = 0;

	if (h->attr_size < 64 + 16 || h->attr_size > RECORD_MAX)
		return pw_err_at(
			err, EINVAL, 16,
			"the header says that an event attribute has %llu bytes, expected 80 or more",
			(unsigned long long)h->attr_size);
	if (h->attrs.size > file_size)
		return pw_err_at(
			err, EINVAL, 24,
			"the event attributes have %llu bytes, but the file has %llu",
			(unsigned long long)h->attrs.size,
			(unsigned long long)file_size);
	raw = pw_alloc(h->attr_size);
	for (i = 0; !ret && i < n; i++) {
		uint64_t off = h->attrs.off + i * h->attr_size;

		ret = source_read_at(&c->src, raw, h->attr_size, off, err);
		if (!ret)
			ret = read_ids(c,
				       section_at(raw + h->attr_size - 16,
						  c->swap),
				       &room, &ids, err);
		if (!ret)
			ret = attr_add(c, raw, h->attr_size - 16, ids.data,
				       ids.len / 8, off, err);
	}
	free(raw);
	pw_buf_release(&ids);
	return ret;
}

static void feature_fault(struct pw_capture *c, const struct pw_err *err)
{
	if (!c->counts.features_unread++)
		c->counts.first_unread = *err;
}

static void read_feature(struct pw_capture *c, unsigned int feature,
			 struct section s, uint64_t file_size)
{
	struct pw_err err = { 0 };
	uint8_t *data;
	int ret;

	if (s.off > file_size || s.size > file_size - s.off) {
		pw_err_at(&err, EINVAL, s.off,
			  "header feature %u does not lie within the file",
			  feature);
		feature_fault(c, &err);
		return;
	}
	data = pw_alloc(s.size ? s.size : 1);
	ret = source_read_at(&c->src, data, s.size, s.off, &err);
	if (!ret)
		ret = feature_read(c, feature, data, s.size, s.off, &err);
	if (ret)
		feature_fault(c, &err);
	free(data);
}

/* A file without its features still has its records. */
static void read_features(struct pw_capture *c, const struct file_header *h,
			  uint64_t file_size)
{
	uint64_t off = h->data.off + h->data.size;
	unsigned int i;

	for (i = 0; i < N_FEATURES; i++) {
		struct pw_err err = { 0 };
		uint8_t raw[16];

		if (!(h->features[i / 64] >> i % 64 & 1))
			continue;
		if (source_read_at(&c->src, raw, sizeof(raw), off, &err))
			feature_fault(c, &err);
		else
			read_feature(c, i, section_at(raw, c->swap), file_size);
		off += sizeof(raw);
	}
}

/* Where the data end; 1: there are features behind them. */
static int find_end(struct pw_capture *c, const struct file_header *h)
{
	uint64_t file_size = source_size(&c->src);

	if (!h->data.size)
		c->facts.is_killed = true;
	else if (h->data.size > file_size - h->data.off)
		c->facts.is_cut = true;
	else
		c->src.end = h->data.off + h->data.size;
	return c->src.end != UINT64_MAX;
}

int header_data(struct pw_capture *c, const uint8_t *header, struct pw_err *err)
{
	struct file_header h = { .data = section_at(header + 40, c->swap) };

	if (h.data.off != c->src.pos)
		return pw_err_at(
			err, EINVAL, 40,
			"the data begin at byte %llu, in the pieces before at %llu",
			(unsigned long long)h.data.off,
			(unsigned long long)c->src.pos);
	find_end(c, &h);
	return 0;
}

static int read_file(struct pw_capture *c, struct file_header *h,
		     struct pw_err *err)
{
	uint64_t file_size = source_size(&c->src);
	int ret = read_file_header(c, h, err);

	if (!ret)
		ret = read_attrs(c, h, file_size, err);
	if (ret)
		return ret;
	if (h->data.off > file_size)
		return pw_err_at(
			err, EINVAL, 40,
			"the data begin at byte %llu, but the file has %llu",
			(unsigned long long)h->data.off,
			(unsigned long long)file_size);
	c->src.pos = h->data.off;
	if (find_end(c, h))
		read_features(c, h, file_size);
	return 0;
}

int header_read(struct pw_capture *c, struct pw_err *err)
{
	struct file_header h = { 0 };
	uint8_t raw[PIPE_HEADER];
	size_t n = 0;
	int64_t got = 1;
	int ret;

	while (n < sizeof(raw) && got) {
		got = source_read(&c->src, raw + n, sizeof(raw) - n, err);
		if (got < 0)
			return (int)got;
		n += (size_t)got;
	}
	if (n < sizeof(raw))
		return pw_err_at(
			err, EINVAL, n,
			"not a perf.data file: it ends after %zu bytes", n);
	ret = read_magic(c, raw, err);
	if (ret)
		return ret;
	h.size = load64(raw + 8, c->swap);
	c->facts.is_pipe = h.size == PIPE_HEADER;
	return c->facts.is_pipe ? 0 : read_file(c, &h, err);
}
