// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples that are alike (same task, event and address) are counted in one
 * place and given to the profile together: most are, and one look into memory
 * is all that a filter has time for. Given before anything changes that what
 * an address is depends on.
 */
#include "dlfilter.h"

#include <stdlib.h>

#define N_SLOTS (1u << 15)

struct slot {
	uint64_t ip, period;
	uint32_t pid, tid, n; /* n 0: free */
	uint16_t event;
	uint16_t cpumode;
};

struct dl_batch {
	struct slot slots[N_SLOTS];
	uint16_t used[N_SLOTS];
	uint32_t n_used;
	uint64_t now_ns; /* of the last sample */
};

struct dl_batch *dl_batch_new(void)
{
	return pw_zalloc(sizeof(struct dl_batch));
}

void dl_batch_free(struct dl_batch *b)
{
	free(b);
}

static void give(const struct dl_batch *b, struct slot *s, struct pw_profile *p)
{
	struct pw_push push = { .event = s->event,
				.pid = s->pid,
				.tid = s->tid,
				.cpu = PW_NO_PID,
				.time_ns = b->now_ns,
				.ip = s->ip,
				.period = s->period,
				.cpumode = s->cpumode,
				.n_samples = s->n };

	pw_profile_push(p, &push);
}

static struct slot *slot_of(struct dl_batch *b, const struct pw_push *s)
{
	uint64_t h = (s->ip ^ (uint64_t)s->tid << 32) * 0x9e3779b97f4a7c15u;

	return &b->slots[h >> 49];
}

static bool is_alike(const struct slot *x, const struct pw_push *s)
{
	return x->ip == s->ip && x->tid == s->tid && x->pid == s->pid &&
	       x->event == s->event && x->cpumode == s->cpumode;
}

void dl_batch_add(struct dl_batch *b, const struct pw_push *s,
		  struct pw_profile *p)
{
	struct slot *x = slot_of(b, s);

	b->now_ns = s->time_ns;
	if (x->n && is_alike(x, s) && x->n < UINT32_MAX) {
		x->n++;
		x->period += s->period;
		return;
	}
	if (x->n)
		give(b, x, p);
	else
		b->used[b->n_used++] = (uint16_t)(x - b->slots);
	*x = (struct slot){ .ip = s->ip,
			    .period = s->period,
			    .pid = s->pid,
			    .tid = s->tid,
			    .n = 1,
			    .event = (uint16_t)s->event,
			    .cpumode = (uint16_t)s->cpumode };
}

void dl_batch_give(struct dl_batch *b, struct pw_profile *p)
{
	for (uint32_t i = 0; i < b->n_used; i++) {
		struct slot *x = &b->slots[b->used[i]];

		give(b, x, p);
		x->n = 0;
	}
	b->n_used = 0;
}
