// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sources and blocks: see stream.h. Knows nothing of what the bytes mean.
 */
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int source_open(struct source *s, const char *path, struct pw_err *err)
{
	struct stat st;
	off_t at;

	memset(s, 0, sizeof(*s));
	s->end = UINT64_MAX;
	s->own_fd = strcmp(path, "-") != 0;
	s->fd = s->own_fd ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (s->fd < 0)
		return pw_err_set(err, errno, "%s: %s", path, strerror(errno));
	if (fstat(s->fd, &st) || S_ISDIR(st.st_mode)) {
		source_close(s);
		return pw_err_set(err, EISDIR, "%s: is a folder, no file",
				  path);
	}
	at = lseek(s->fd, 0, SEEK_CUR);
	s->can_seek = S_ISREG(st.st_mode) && at >= 0;
	s->pos = s->can_seek ? (uint64_t)at : 0;
	return 0;
}

void source_open_bytes(struct source *s, const void *data, size_t size)
{
	memset(s, 0, sizeof(*s));
	s->fd = -1;
	s->can_seek = true;
	s->mem = data;
	s->mem_size = size;
	s->end = UINT64_MAX;
}

static void unmap(struct source *s)
{
	if (s->map)
		munmap(s->map, s->map_size);
	s->map = NULL;
}

void source_close(struct source *s)
{
	unmap(s);
	if (s->own_fd && s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	s->own_fd = false;
}

uint64_t source_size(const struct source *s)
{
	struct stat st;

	if (s->fd < 0)
		return s->mem_size;
	if (!s->can_seek || fstat(s->fd, &st))
		return UINT64_MAX;
	return (uint64_t)st.st_size;
}

static size_t mem_read(struct source *s, void *to, size_t n, uint64_t off)
{
	if (off >= s->mem_size)
		return 0;
	if (n > s->mem_size - off)
		n = s->mem_size - off;
	if (to)
		memcpy(to, s->mem + off, n);
	return n;
}

int64_t source_read(struct source *s, void *to, size_t n, struct pw_err *err)
{
	ssize_t got;

	if (s->pos >= s->end)
		return 0;
	if (n > s->end - s->pos)
		n = s->end - s->pos;
	if (s->fd < 0) {
		got = (ssize_t)mem_read(s, to, n, s->pos);
	} else {
		do
			got = s->can_seek ? pread(s->fd, to, n, (off_t)s->pos)
					  : read(s->fd, to, n);
		while (got < 0 && errno == EINTR);
		if (got < 0)
			return pw_err_at(err, errno, s->pos, "reading: %s",
					 strerror(errno));
	}
	s->pos += (uint64_t)got;
	return got;
}

/* Looked at from front to back, a part at a time, so that little of it counts
 * as memory of ours. */
#define MAP_BYTES (4u << 20)
#define MAP_ALIGN (64u << 10) /* a multiple of all page sizes */

/* Maps what is from pos on; false: it can't be. */
static bool map_at_pos(struct source *s, uint64_t end)
{
	uint64_t off = s->pos / MAP_ALIGN * MAP_ALIGN;

	unmap(s);
	s->map_off = off;
	s->map_size = end - off < MAP_BYTES ? end - off : MAP_BYTES;
	s->map = mmap(NULL, s->map_size, PROT_READ, MAP_SHARED, s->fd,
		      (off_t)off);
	if (s->map == MAP_FAILED)
		s->map = NULL;
	return s->map;
}

const uint8_t *source_peek(struct source *s, size_t n, size_t *left)
{
	uint64_t end = s->can_seek ? source_size(s) : 0;

	if (end > s->end)
		end = s->end;
	if (s->pos >= end || n > end - s->pos)
		return NULL;
	if (s->fd < 0 || (s->lent && end <= s->lent_size)) {
		*left = end - s->pos;
		return (s->fd < 0 ? s->mem : s->lent) + s->pos;
	}
	if (!s->map || s->pos < s->map_off ||
	    s->pos + n > s->map_off + s->map_size) {
		if (n > MAP_BYTES - MAP_ALIGN || !map_at_pos(s, end))
			return NULL;
	}
	if (end > s->map_off + s->map_size)
		end = s->map_off + s->map_size;
	*left = end - s->pos;
	return (const uint8_t *)s->map + (s->pos - s->map_off);
}

int64_t source_skip(struct source *s, uint64_t n, struct pw_err *err)
{
	uint64_t done = 0, end = s->can_seek ? source_size(s) : s->end;
	uint8_t away[16384];

	if (end > s->end)
		end = s->end;
	if (s->can_seek) {
		done = s->pos >= end ? 0 : end - s->pos;
		done = done < n ? done : n;
		s->pos += done;
		return (int64_t)done;
	}
	while (done < n) {
		uint64_t most = n - done;
		int64_t got =
			source_read(s, away,
				    most < sizeof(away) ? most : sizeof(away),
				    err);

		if (got < 0)
			return got;
		if (!got)
			break;
		done += (uint64_t)got;
	}
	return (int64_t)done;
}

int source_read_at(struct source *s, void *to, size_t n, uint64_t off,
		   struct pw_err *err)
{
	size_t done = 0;
	ssize_t got = 1;

	if (s->fd < 0)
		done = mem_read(s, to, n, off);
	while (s->fd >= 0 && done < n && got && off <= INT64_MAX - n) {
		got = pread(s->fd, (uint8_t *)to + done, n - done,
			    (off_t)(off + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return pw_err_at(err, errno, off, "reading: %s",
					 strerror(errno));
		done += (size_t)got;
	}
	if (done < n)
		return pw_err_at(
			err, EINVAL, off,
			"expected %zu bytes, but the file ends within them", n);
	return 0;
}

/* Blocks are aligned to their size, so a slab has one more for the edges;
 * what is never touched takes no memory. */
#define BLOCKS_A_SLAB 3

static void add_slab(struct block_pool *pool)
{
	uint8_t *slab = pw_alloc((BLOCKS_A_SLAB + 1) * (size_t)BLOCK_BYTES);
	uint8_t *first = (uint8_t *)block_of(slab + BLOCK_BYTES - 1);
	int i;

	pool->slabs =
		pw_realloc(pool->slabs, (pool->n_slabs + 1) * sizeof(void *));
	pool->slabs[pool->n_slabs++] = slab;
	for (i = BLOCKS_A_SLAB - 1; i >= 0; i--) {
		struct block *b =
			(struct block *)(first + (size_t)i * BLOCK_BYTES);

		b->next = pool->free;
		pool->free = b;
	}
}

static struct block *block_get(struct block_pool *pool)
{
	struct block *b;

	if (!pool->free)
		add_slab(pool);
	b = pool->free;
	pool->free = b->next;
	b->refs = 1;
	b->is_mapped = false;
	pool->n_used++;
	return b;
}

/* Not from malloc(), which must not get back what maps a file. */
#define MAP_SLAB_BYTES ((BLOCKS_A_SLAB + 1) * (size_t)BLOCK_BYTES)

static bool add_map_slab(struct block_pool *pool)
{
	uint8_t *slab = mmap(NULL, MAP_SLAB_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *first = (uint8_t *)block_of(slab + BLOCK_BYTES - 1);

	if (slab == MAP_FAILED)
		return false;
	pool->map_slabs = pw_realloc(pool->map_slabs,
				     (pool->n_map_slabs + 1) * sizeof(void *));
	pool->map_slabs[pool->n_map_slabs++] = slab;
	for (int i = BLOCKS_A_SLAB - 1; i >= 0; i--) {
		struct block *b =
			(struct block *)(first + (size_t)i * BLOCK_BYTES);

		b->next = pool->free_mapped;
		pool->free_mapped = b;
	}
	return true;
}

void block_drop(struct block_pool *pool, struct block *b)
{
	struct block **list = b->is_mapped ? &pool->free_mapped : &pool->free;

	if (--b->refs)
		return;
	b->next = *list;
	*list = b;
	pool->n_used--;
}

void block_pool_release(struct block_pool *pool)
{
	while (pool->n_slabs)
		free(pool->slabs[--pool->n_slabs]);
	free(pool->slabs);
	while (pool->n_map_slabs)
		munmap(pool->map_slabs[--pool->n_map_slabs], MAP_SLAB_BYTES);
	free(pool->map_slabs);
	memset(pool, 0, sizeof(*pool));
}

void stream_make_room(struct stream *s, uint64_t off, bool one_off)
{
	size_t left = stream_left(s);
	struct block *b;

	if (s->b && !s->b->is_mapped && s->end < BLOCK_ROOM)
		return;
	b = block_get(s->pool);
	b->one_off = one_off;
	b->each_off = false;
	b->off = one_off ? off : off - left;
	if (left)
		memcpy(b->data, stream_at(s), left);
	if (s->b)
		block_drop(s->pool, s->b);
	s->b = b;
	s->pos = 0;
	s->end = left;
}

bool stream_map(struct stream *s, struct source *src)
{
	/* a block keeps its own page in front of the file's */
	const size_t own = (size_t)getpagesize();
	size_t left = s->b ? stream_left(s) : 0;
	uint64_t from = src->pos - left, off = from / own * own;
	uint64_t end = src->can_seek && src->fd >= 0 ? source_size(src) : 0;
	struct block *b;

	if (end > src->end)
		end = src->end;
	if (src->pos >= end || left > src->pos)
		return false;
	if (!s->pool->free_mapped && !add_map_slab(s->pool))
		return false;
	if (end > off + (BLOCK_BYTES - own))
		end = off + (BLOCK_BYTES - own);
	b = s->pool->free_mapped;
	if (mmap((uint8_t *)b + own, end - off, PROT_READ,
		 MAP_PRIVATE | MAP_FIXED | MAP_POPULATE, src->fd,
		 (off_t)off) == MAP_FAILED)
		return false;
	s->pool->free_mapped = b->next;
	s->pool->n_used++;
	b->refs = 1;
	b->one_off = b->each_off = false;
	b->is_mapped = true;
	/* of data[0], were it in the file */
	b->off = off - (own - sizeof(*b));
	if (s->b)
		block_drop(s->pool, s->b);
	s->b = b;
	s->pos = own - sizeof(*b) + (from - off);
	s->end = s->pos + (end - from);
	src->pos = end;
	return true;
}

const uint8_t *stream_put(struct stream *s, const uint8_t *record, size_t size,
			  uint64_t off)
{
	size_t room = sizeof(off) + ((size + 7) & ~(size_t)7);
	uint8_t *at;

	if (!s->b || !s->b->each_off || BLOCK_ROOM - s->end < room) {
		stream_release(s);
		s->b = block_get(s->pool);
		s->b->one_off = false;
		s->b->each_off = true;
	}
	at = s->b->data + s->end + sizeof(off);
	memcpy(at - sizeof(off), &off, sizeof(off));
	memcpy(at, record, size);
	s->pos = s->end += room;
	return at;
}

void stream_release(struct stream *s)
{
	if (s->b)
		block_drop(s->pool, s->b);
	s->b = NULL;
	s->pos = s->end = 0;
}
