// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples of another's reading are passed over: only when the first and the
 * last were is kept. A capture has little else, so in a file they are looked
 * at where they lie, and what is between them is copied.
 */
#include "session.h"

/* Where the time of every sample lies; -1: it takes more to know. */
static int32_t time_at(const struct pw_capture *c)
{
	return c->uniform && c->n_attrs && !c->swap
		       ? c->attrs[0]->at.sample_time
		       : -1;
}

/* A sample at p goes by. */
static inline void pass(struct pw_capture *c, const uint8_t *p, int32_t size,
			int32_t at)
{
	uint64_t time_ns =
		at >= 0 && (int32_t)HEADER_BYTES + at + 8 <= size
			? load64(p + HEADER_BYTES + at, false)
			: record_time(c, p, PW_REC_SAMPLE, (uint32_t)size);

	if (!time_ns || time_ns == PW_NO_TIME)
		return;
	c->arrived_ns = time_ns;
	if (time_ns < c->counts.first_ns)
		c->counts.first_ns = time_ns;
	if (time_ns > c->counts.last_ns)
		c->counts.last_ns = time_ns;
	/* rounds end with the latest time of all their records */
	if (time_ns > c->order.max_ns)
		c->order.max_ns = time_ns;
}

/* How many bytes of samples are at the front of n; *size: what follows them,
 * as record_whole() has it. */
static size_t samples_at(struct pw_capture *c, const uint8_t *p, size_t n,
			 int32_t *size)
{
	int32_t time = time_at(c);
	size_t at = 0;

	while ((*size = record_whole(c, p + at, n - at)) > 0 &&
	       load32(p + at, c->swap) == PW_REC_SAMPLE) {
		pass(c, p + at, *size, time);
		at += (size_t)*size;
	}
	return at;
}

void pass_samples(struct pw_capture *c, struct stream *s)
{
	int32_t size;

	s->pos += samples_at(c, stream_at(s), stream_left(s), &size);
}

const uint8_t *pass_to_record(struct pw_capture *c)
{
	struct source *src = &c->src;
	size_t n = HEADER_BYTES, left, at;
	const uint8_t *p;
	int32_t size;

	while ((p = source_peek(src, n, &left))) {
		at = samples_at(c, p, left, &size);
		src->pos += at;
		p += at;
		left -= at;
		if (size > 0) {
			src->pos += (size_t)size;
			return stream_put(&c->outer, p, (size_t)size,
					  src->pos - (size_t)size);
		}
		if (size < 0)
			break;
		/* a record that is not all in what was looked at */
		n = left < HEADER_BYTES ? HEADER_BYTES : load16(p + 6, c->swap);
	}
	/* the end, or what is no record: read as ever */
	stream_release(&c->outer);
	return NULL;
}
