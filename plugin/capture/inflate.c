// SPDX-License-Identifier: GPL-2.0-only
/*
 * COMPRESSED and COMPRESSED2 records: pieces of one zstd stream that holds
 * records, which may go on from one piece to the next. The only file of the
 * room that includes zstd.
 */
#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "session.h"

struct inflate {
	ZSTD_DStream *z;
	ZSTD_inBuffer in;
	struct block *in_block; /* holds the input */
	uint64_t off;           /* of the record that the input is from */
	bool more; /* output was full, so that there may be more of it */
};

/* What zstd's highest level takes: 128 MiB. A stream that asks for more is
 * refused. */
#define WINDOW_LOG_MAX 27

int inflate_start(struct pw_capture *c, const uint8_t *data, size_t size,
		  struct pw_err *err)
{
	struct inflate *f = c->inflate;

	if (!f) {
		f = c->inflate = pw_zalloc(sizeof(*f));
		f->z = ZSTD_createDStream();
		c->facts.is_compressed = true;
		c->inner.pool = &c->pool;
		if (!f->z)
			return pw_err_set(err, ENOMEM, "zstd: out of memory");
		ZSTD_DCtx_setParameter(f->z, ZSTD_d_windowLogMax,
				       WINDOW_LOG_MAX);
	}
	f->in = (ZSTD_inBuffer){ .src = data, .size = size, .pos = 0 };
	f->in_block = block_of(data);
	f->in_block->refs++;
	f->off = block_off(data) - HEADER_BYTES;
	f->more = true;
	return 0;
}

static void drop_input(struct pw_capture *c, struct inflate *f)
{
	if (f->in_block)
		block_drop(&c->pool, f->in_block);
	f->in_block = NULL;
	f->in.size = f->in.pos = 0;
	f->more = false;
}

int inflate_fill(struct pw_capture *c, struct pw_err *err)
{
	struct inflate *f = c->inflate;
	struct stream *s = &c->inner;
	ZSTD_outBuffer out;
	size_t ret, was;

	while (f->in.pos < f->in.size || f->more) {
		stream_make_room(s, f->off, true);
		out = (ZSTD_outBuffer){ .dst = s->b->data + s->end,
					.size = BLOCK_ROOM - s->end,
					.pos = 0 };
		was = f->in.pos;
		ret = ZSTD_decompressStream(f->z, &out, &f->in);
		if (ZSTD_isError(ret))
			return pw_err_at(
				err, EINVAL, f->off,
				"the compressed record can't be read: zstd: %s",
				ZSTD_getErrorName(ret));
		s->end += out.pos;
		f->more = out.pos == out.size;
		if (out.pos)
			return 1;
		if (f->in.pos == was)
			break; /* what is left is no more than padding */
	}
	drop_input(c, f);
	return 0;
}

void inflate_free(struct pw_capture *c, struct inflate *f)
{
	if (!f)
		return;
	drop_input(c, f);
	ZSTD_freeDStream(f->z);
	free(f);
}
