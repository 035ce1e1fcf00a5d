// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts by block of the capture's time, for reports that are compared. Blocks
 * double in width when the capture outgrows them, so that one pass is enough
 * and 33 to 64 are left of a long one. What has counts in few blocks takes room
 * for few: one hash table of (what, block) holds them all, and its size is
 * bounded. When it is full, instructions go without, then all.
 */
#include <stdlib.h>
#include <string.h>

#include "profile-impl.h"

#define FIRST_SHIFT 20 /* blocks of a millisecond */
#define ENTRIES_MAX (1u << 20)

/* key: 1, kind (3 bits), sub (12), id (32), block (8). */
#define KEY_BLOCK 0xffu

struct block_entry {
	uint64_t key, period;
	uint64_t samples;
};

static uint64_t key_of(enum block_kind kind, uint32_t sub, uint32_t id)
{
	return 1ull << 63 | (uint64_t)kind << 52 | (uint64_t)sub << 40 |
	       (uint64_t)id << 8;
}

static bool is_hit(uint64_t key)
{
	return (key >> 52 & 7) == BLOCK_HIT;
}

static struct block_entry *slot_of(const struct time_blocks *b, uint64_t key)
{
	uint32_t i = (uint32_t)mix(key, 3) & (b->cap - 1);

	while (b->entries[i].key && b->entries[i].key != key)
		i = (i + 1) & (b->cap - 1);
	return &b->entries[i];
}

static void add(struct time_blocks *b, uint64_t key, uint64_t samples,
		uint64_t period)
{
	struct block_entry *e = slot_of(b, key);

	b->n += !e->key;
	e->key = key;
	e->samples += samples;
	e->period += period;
}

/* All over again in a table of `cap`, with block numbers shifted. */
static void rebuild(struct time_blocks *b, uint32_t cap, int shift)
{
	struct block_entry *old = b->entries;
	uint32_t n = b->cap;

	b->entries = pw_zalloc(cap * sizeof(*b->entries));
	b->cap = cap;
	b->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t key = old[i].key;

		if (!key || (b->lacks_hits && is_hit(key)))
			continue;
		key = (key & ~(uint64_t)KEY_BLOCK) | (key & KEY_BLOCK) >> shift;
		add(b, key, old[i].samples, old[i].period);
	}
	free(old);
}

/* Room for one more; false: there is none. */
static bool make_room(struct time_blocks *b)
{
	if (b->n < b->cap / 2)
		return true;
	if (b->cap < 2 * ENTRIES_MAX) {
		rebuild(b, b->cap ? 2 * b->cap : 1024, 0);
		return true;
	}
	if (!b->lacks_hits) {
		b->lacks_hits = true;
		rebuild(b, b->cap, 0);
	}
	if (b->n >= b->cap / 2)
		b->is_full = true;
	return !b->is_full;
}

void blocks_reach(struct time_blocks *b, uint64_t time_ns)
{
	unsigned int times;

	if (!b->axis.n_max) {
		b->axis = (struct pw_axis){ .n_max = BLOCKS_MAX,
					    .shift = FIRST_SHIFT };
		b->last_ns = time_ns;
	}
	if (time_ns > b->last_ns)
		b->last_ns = time_ns;
	times = pw_axis_reach(&b->axis, time_ns);
	/* no block has a number above 63, so 8 is as good as more */
	if (times)
		rebuild(b, b->cap ? b->cap : 1024, times < 8 ? (int)times : 8);
}

void blocks_add(struct time_blocks *b, enum block_kind kind, uint32_t sub,
		uint32_t id, uint64_t time_ns, struct pw_count n)
{
	if (b->is_full || sub > 0xfff || (b->lacks_hits && kind == BLOCK_HIT))
		return;
	if (time_ns == PW_NO_TIME) {
		b->is_full = true; /* not all of it has a block */
		return;
	}
	blocks_reach(b, time_ns);
	if (make_room(b) && !(b->lacks_hits && kind == BLOCK_HIT))
		add(b, key_of(kind, sub, id) | pw_axis_bin(&b->axis, time_ns),
		    n.samples, n.period);
}

void blocks_add_span(struct time_blocks *b, enum block_kind kind, uint32_t sub,
		     uint32_t id, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t end, part;

	blocks_reach(b, to_ns);
	for (; from_ns < to_ns; from_ns += part) {
		end = pw_axis_end_ns(&b->axis, pw_axis_bin(&b->axis, from_ns));
		part = (end < to_ns ? end : to_ns) - from_ns;
		blocks_add(b, kind, sub, id, from_ns,
			   (struct pw_count){ end >= to_ns, part });
	}
}

uint64_t blocks_span_ns(const struct time_blocks *b)
{
	return b->last_ns - b->axis.start_ns;
}

uint64_t blocks_width_ns(const struct time_blocks *b)
{
	return b->axis.n_max && !b->is_full ? 1ull << b->axis.shift : 0;
}

int blocks_n(const struct time_blocks *b)
{
	uint64_t span = blocks_span_ns(b);

	if (!span || b->is_full)
		return 0;
	return (int)((span - 1) >> b->axis.shift) + 1;
}

void blocks_get(const struct time_blocks *b, enum block_kind kind, uint32_t sub,
		uint32_t id, double *periods, double *samples)
{
	int n = blocks_n(b);

	if (!b->cap || sub > 0xfff)
		return;
	/* the very last moment may be a block of its own: it is the last's */
	for (int i = 0; i <= n; i++) {
		const struct block_entry *e =
			slot_of(b, key_of(kind, sub, id) |
					   (uint64_t)(unsigned int)i);
		int to = i < n ? i : n - 1;

		if (!e->key || to < 0)
			continue;
		if (periods)
			periods[to] += (double)e->period;
		if (samples)
			samples[to] += (double)e->samples;
	}
}

void blocks_release(struct time_blocks *b)
{
	free(b->entries);
	memset(b, 0, sizeof(*b));
}
