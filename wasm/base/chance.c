// SPDX-License-Identifier: GPL-2.0-only
/*
 * The one clock, the one seeded generator and the one content hash.
 */
#include <perfwasm/base.h>

#include <time.h>
#include <xxhash.h>

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t pw_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t pw_cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void pw_rng_init(struct pw_rng *r, uint64_t seed)
{
	r->state = seed;
}

uint64_t pw_rng_u64(struct pw_rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Rejects the last, partial stretch of 0..2^64 so that no x is favoured. */
uint64_t pw_rng_below(struct pw_rng *r, uint64_t n)
{
	uint64_t limit = UINT64_MAX - UINT64_MAX % n;
	uint64_t x;

	do
		x = pw_rng_u64(r);
	while (x >= limit);
	return x % n;
}

uint64_t pw_hash(const void *data, size_t n, uint64_t seed)
{
	return XXH3_64bits_withSeed(data, n, seed);
}
