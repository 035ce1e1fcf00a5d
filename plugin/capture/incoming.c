// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whole records off the two streams of a capture: what compressed records
 * held comes first, then what lies in the file. Knows of a record only its
 * header. Bytes at the end that are no whole record are counted.
 */
#include <errno.h>

#include "session.h"

static int fill(struct pw_capture *c, struct pw_err *err)
{
	struct stream *s = &c->outer;
	int64_t got;

	if (stream_map(s, &c->src))
		return 1;
	stream_make_room(s, c->src.pos, false);
	got = source_read(&c->src, s->b->data + s->end, BLOCK_ROOM - s->end,
			  err);
	if (got > 0)
		s->end += (size_t)got;
	return got > 0 ? 1 : (int)got;
}

static int32_t whole(const struct pw_capture *c, const struct stream *s)
{
	return s->b ? record_whole(c, stream_at(s), stream_left(s)) : 0;
}

static void count_tail(struct pw_capture *c, uint64_t off, uint64_t n)
{
	if (!c->counts.tail_bytes)
		c->counts.tail_off = off;
	c->counts.tail_bytes += n;
}

/* All that is left of the file from here on is no record. A recorder that was
 * killed may leave such an end; elsewhere it is a fault. */
static int broken(struct pw_capture *c, const struct stream *s,
		  struct pw_err *err)
{
	uint64_t off = block_off(stream_at(s)), end = source_size(&c->src);

	if (c->facts.is_killed && s == &c->outer) {
		count_tail(c, off, end - off);
		return 0;
	}
	return pw_err_at(
		err, EINVAL, off,
		"a record of type %u says that it has %u bytes, expected 8 or more; what follows can't be read",
		load32(stream_at(s), c->swap),
		load16(stream_at(s) + 6, c->swap));
}

/* So far ahead of what is read the next bytes are sent for. */
#define AHEAD_BYTES 2048

static int take(struct stream *s, int32_t size, const uint8_t **rec)
{
	*rec = stream_at(s);
	__builtin_prefetch(*rec + AHEAD_BYTES);
	s->pos += (size_t)size;
	return 1;
}

static int32_t next_size(struct pw_capture *c, struct stream *s)
{
	if (c->opts.no_samples && s->b)
		pass_samples(c, s);
	return whole(c, s);
}

static int inner_next(struct pw_capture *c, const uint8_t **rec,
		      struct pw_err *err)
{
	struct stream *s = &c->inner;
	int32_t size;
	int ret;

	while (!(size = next_size(c, s))) {
		ret = inflate_fill(c, err);
		if (ret <= 0)
			return ret;
	}
	return size < 0 ? broken(c, s, err) : take(s, size, rec);
}

/* The next record of the file that is read. */
static int file_next(struct pw_capture *c, const uint8_t **rec,
		     struct pw_err *err)
{
	struct stream *s = &c->outer;
	int32_t size;
	int ret;

	if (c->inflate) {
		ret = inner_next(c, rec, err);
		if (ret)
			return ret;
	}
	if (c->opts.no_samples && !c->folder && !stream_left(s)) {
		*rec = pass_to_record(c);
		if (*rec)
			return 1;
	}
	while (!(size = next_size(c, s))) {
		ret = folder_turn(c, err);
		if (!ret)
			ret = fill(c, err);
		if (ret < 0)
			return ret;
		if (ret)
			continue;
		if (stream_left(s))
			count_tail(c, block_off(stream_at(s)), stream_left(s));
		if (c->inflate && stream_left(&c->inner))
			count_tail(c, block_off(stream_at(&c->inner)),
				   stream_left(&c->inner));
		return 0;
	}
	return size < 0 ? broken(c, s, err) : take(s, size, rec);
}

int incoming_next(struct pw_capture *c, const uint8_t **rec, struct pw_err *err)
{
	int ret;

	do {
		ret = file_next(c, rec, err);
		if (ret)
			return ret;
		ret = folder_next(c, err);
	} while (ret > 0);
	return ret;
}

int64_t incoming_data(struct pw_capture *c, struct pw_buf *to, uint64_t n,
		      struct pw_err *err)
{
	struct stream *s = &c->outer;
	uint64_t left = stream_left(s), most = n < left ? n : left, done = most;
	uint8_t part[16384];
	int64_t got = 1;

	if (to)
		pw_buf_add(to, stream_at(s), most);
	s->pos += most;
	if (!to) {
		got = source_skip(&c->src, n - done, err);
		/* what was in the block is no longer next to what comes */
		if (got > 0)
			stream_release(s);
		return got < 0 ? got : (int64_t)(done + (uint64_t)got);
	}
	while (done < n && got) {
		most = n - done < sizeof(part) ? n - done : sizeof(part);
		got = source_read(&c->src, part, most, err);
		if (got < 0)
			return got;
		pw_buf_add(to, part, (size_t)got);
		done += (uint64_t)got;
	}
	if (done > left)
		stream_release(s);
	return (int64_t)done;
}
