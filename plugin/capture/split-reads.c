// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples that read counters, taken apart: what rose since the last sample is
 * a sample of that counter's event, with the rise as its period. So a group
 * that is sampled by its leader ("{cycles,instructions}:S") has samples of all
 * its members.
 */
#include <linux/perf_event.h>
#include <stdlib.h>

#include "session.h"

#define INHERITS (1ULL << 1) /* of pw_attr.flags: a count for each thread */

struct counter {
	uint64_t id, value;
	uint32_t tid;
	bool used;
};

struct split {
	struct pw_event whole;
	uint32_t next;            /* of its values */
	struct counter *counters; /* by id and tid */
	uint32_t n, cap;
};

static uint32_t slot_of(const struct split *s, uint64_t id, uint32_t tid)
{
	uint64_t key = (id ^ (uint64_t)tid << 32) * 0x9e3779b97f4a7c15ull;
	uint32_t i = (uint32_t)(key >> 32) & (s->cap - 1);

	while (s->counters[i].used &&
	       (s->counters[i].id != id || s->counters[i].tid != tid))
		i = (i + 1) & (s->cap - 1);
	return i;
}

static void grow(struct split *s)
{
	struct counter *old = s->counters;
	uint32_t n = s->cap, i;

	s->cap = n ? 2 * n : 64;
	s->counters = pw_zalloc(s->cap * sizeof(*s->counters));
	for (i = 0; i < n; i++)
		if (old[i].used)
			s->counters[slot_of(s, old[i].id, old[i].tid)] = old[i];
	free(old);
}

static uint64_t rise(struct split *s, uint64_t id, uint32_t tid, uint64_t value)
{
	struct counter *c;
	uint64_t was;

	if (2 * (s->n + 1) > s->cap)
		grow(s);
	c = &s->counters[slot_of(s, id, tid)];
	s->n += !c->used;
	was = c->value;
	*c = (struct counter){ id, value, tid, true };
	return value - was;
}

bool split_next(struct pw_capture *c, struct pw_event *ev)
{
	struct split *s = c->split;
	const struct pw_read *r = s ? &s->whole.sample.read : NULL;

	while (s && s->next < r->n) {
		const struct pw_read_value *v = &r->values[s->next++];
		const struct pw_attr *owner = s->whole.attr;
		uint64_t id = owner->read_format & PERF_FORMAT_ID ? v->id
								  : s->whole.id;
		const struct attr *a = attr_by_id(c, id);
		uint64_t period;

		if (!a) {
			c->counts.unknown_ids++;
			continue;
		}
		period = rise(s, id, owner->flags & INHERITS ? s->whole.tid : 0,
			      v->value);
		if (!period)
			continue;
		*ev = s->whole;
		ev->id = id;
		ev->attr = &a->pub;
		ev->sample.period = period;
		ev->sample.fields |= PERF_SAMPLE_PERIOD;
		return true;
	}
	return false;
}

bool split_start(struct pw_capture *c, struct pw_event *ev)
{
	if (!c->split)
		c->split = pw_zalloc(sizeof(*c->split));
	c->split->whole = *ev;
	c->split->next = 0;
	return split_next(c, ev);
}

void split_release(struct pw_capture *c)
{
	if (c->split)
		free(c->split->counters);
	free(c->split);
	c->split = NULL;
}
