/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes on their way in: a source (file, pipe, memory) is read into blocks,
 * and records are taken off a stream of blocks. A block stays while the stream
 * or a queued record holds it and is used again after that, so that memory
 * follows what is held back and not the size of the file.
 */
#ifndef PLUGIN_CAPTURE_STREAM_H
#define PLUGIN_CAPTURE_STREAM_H

#include <string.h>

#include <perfwasm/base.h>

struct source {
	int fd; /* -1: memory */
	bool own_fd, can_seek;
	const uint8_t *mem;
	uint64_t mem_size;
	uint64_t pos; /* of the next byte */
	/* source_peek(): the part of a file that is mapped; NULL: none */
	void *map;
	uint64_t map_off, map_size;
	const uint8_t *lent; /* the whole file; NULL: not lent */
	uint64_t lent_size;
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
/*
 * The bytes from pos on without reading them: *left of them, n at least; NULL:
 * there are not so many, or it is a pipe. They stay until the next call. What
 * was looked at is passed over by adding to pos.
 */
const uint8_t *source_peek(struct source *s, size_t n, size_t *left);
/* Exactly n bytes at a place; of files and memory only. */
int source_read_at(struct source *s, void *to, size_t n, uint64_t off,
		   struct pw_err *err);

/* Blocks are aligned to their size, so that a record's address tells its
 * block. Twice the largest record at least. */
#define BLOCK_BYTES (256 * 1024)

struct block {
	uint32_t refs;
	bool one_off;   /* all of it has offset `off` (decompressed) */
	bool each_off;  /* a record's offset is the number in front of it */
	bool is_mapped; /* behind its first page it is a part of the file */
	uint64_t off;   /* of data[0] in the file */
	struct block *next;
	uint8_t data[] __attribute__((aligned(32)));
};
#define BLOCK_ROOM (BLOCK_BYTES - sizeof(struct block))

struct block_pool {
	struct block *free;
	uint64_t n_used;
	void **slabs; /* what the blocks were cut from */
	uint32_t n_slabs;
	struct block *free_mapped; /* the same of those that map a file */
	void **map_slabs;
	uint32_t n_map_slabs;
};

static inline struct block *block_of(const uint8_t *p)
{
	return (struct block *)((uintptr_t)p & ~(uintptr_t)(BLOCK_BYTES - 1));
}

static inline uint64_t block_off(const uint8_t *p)
{
	const struct block *b = block_of(p);

	uint64_t off;

	if (b->each_off) {
		memcpy(&off, p - sizeof(off), sizeof(off));
		return off;
	}
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
/*
 * The next part of a file as it lies, with what is not taken yet in front:
 * nothing is copied, and no memory cleared. False: it is no file, or all is in
 * the stream.
 */
bool stream_map(struct stream *s, struct source *src);
/* A whole record from elsewhere, which lies at `off` of the file; nothing is
 * left in the stream. It is taken already: where it is now. */
const uint8_t *stream_put(struct stream *s, const uint8_t *record, size_t size,
			  uint64_t off);
void stream_release(struct stream *s);

#endif
