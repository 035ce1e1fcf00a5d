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

struct dl_batch {
	struct dl_alike slots[N_SLOTS];
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

static void give(const struct dl_batch *b, struct dl_alike *s,
		 struct pw_profile *p)
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

static bool is_alike(const struct dl_alike *x, const struct dl_alike *y)
{
	return x->ip == y->ip && x->tid == y->tid && x->pid == y->pid &&
	       x->event == y->event && x->cpumode == y->cpumode;
}

void dl_batch_add(struct dl_batch *b, const struct dl_alike *s,
		  uint64_t time_ns, struct pw_profile *p)
{
	uint64_t h = (s->ip ^ (uint64_t)s->tid << 32) * 0x9e3779b97f4a7c15u;
	struct dl_alike *x = &b->slots[h >> 49];

	b->now_ns = time_ns;
	if (x->n && is_alike(x, s) && x->n < UINT32_MAX) {
		x->n++;
		x->period += s->period;
		return;
	}
	if (x->n)
		give(b, x, p);
	else
		b->used[b->n_used++] = (uint16_t)(x - b->slots);
	*x = *s;
}

void dl_batch_give(struct dl_batch *b, struct pw_profile *p)
{
	for (uint32_t i = 0; i < b->n_used; i++) {
		struct dl_alike *x = &b->slots[b->used[i]];

		give(b, x, p);
		x->n = 0;
	}
	b->n_used = 0;
}
