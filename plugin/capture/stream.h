/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes on their way in: a source (file, pipe, memory) is read into blocks,
 * and records are taken off a stream of blocks. A block stays while the stream
 * or a queued record holds it and is used again after that, so that memory
 * follows what is held back and not the size of the file.
 */
#ifndef PLUGIN_CAPTURE_STREAM_H
#define PLUGIN_CAPTURE_STREAM_H

#include <perfwasm/base.h>

struct source {
	int fd; /* -1: memory */
	bool own_fd, can_seek;
	const uint8_t *mem;
	uint64_t mem_size;
	uint64_t pos; /* of the next byte */
	uint64_t end; /* nothing is read from here on; UINT64_MAX: all is */
};

int source_open(struct source *s, const char *path, struct pw_err *err);
void source_open_bytes(struct source *s, const void *data, size_t size);
void source_close(struct source *s);
/* The size of a file or memory, UINT64_MAX of a pipe. */
uint64_t source_size(const struct source *s);
/* Up to n bytes, 0 only at the end; -errno. */
int64_t source_read(struct source *s, void *to, size_t n, struct pw_err *err);
/* Passes over n bytes; fewer than that are left: up to the end. The number
 * passed over, or -errno. */
int64_t source_skip(struct source *s, uint64_t n, struct pw_err *err);
/* Exactly n bytes at a place; of files and memory only. */
int source_read_at(struct source *s, void *to, size_t n, uint64_t off,
		   struct pw_err *err);

/* Blocks are aligned to their size, so that a record's address tells its
 * block. Twice the largest record at least. */
#define BLOCK_BYTES (256 * 1024)

struct block {
	uint32_t refs;
	bool one_off; /* all of it has offset `off` (decompressed) */
	uint64_t off; /* of data[0] in the file */
	struct block *next;
	uint8_t data[] __attribute__((aligned(32)));
};
#define BLOCK_ROOM (BLOCK_BYTES - sizeof(struct block))

struct block_pool {
	struct block *free;
	uint64_t n_used;
	void **slabs; /* what the blocks were cut from */
	uint32_t n_slabs;
};

static inline struct block *block_of(const uint8_t *p)
{
	return (struct block *)((uintptr_t)p & ~(uintptr_t)(BLOCK_BYTES - 1));
}

static inline uint64_t block_off(const uint8_t *p)
{
	const struct block *b = block_of(p);

	return b->one_off ? b->off : b->off + (uint64_t)(p - b->data);
}

void block_drop(struct block_pool *pool, struct block *b);
void block_pool_release(struct block_pool *pool);

struct stream {
	struct block_pool *pool;
	struct block *b; /* NULL before the first byte */
	size_t pos, end; /* what is not taken yet, in b->data */
};

static inline const uint8_t *stream_at(const struct stream *s)
{
	return s->b->data + s->pos;
}

static inline size_t stream_left(const struct stream *s)
{
	return s->end - s->pos;
}

/* Makes room behind `end`: what is not taken yet moves to another block when
 * this one is full. `off` is where the byte at `end` lies in the file. */
void stream_make_room(struct stream *s, uint64_t off, bool one_off);
void stream_release(struct stream *s);

#endif
