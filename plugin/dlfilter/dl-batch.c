// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples wait here, those of a task and event together, until something
 * changes that what an address is depends on, or there are many: then each
 * address is looked up once. Most samples are where one was shortly before,
 * and are counted in the front; what does not stay there goes to the log,
 * which is written from front to back, as a filter has no time to wait for
 * memory.
 */
#include "dlfilter.h"

#include <stdlib.h>
#include <sys/mman.h>

#include <uthash.h>

#define N_RECENT   256u
#define FRONT_BITS 9
#define FRONT      (1u << FRONT_BITS)
#define LOG_FIRST  64u
#define LOG_LARGE  (1u << 15) /* from here on at once to the largest */
#define LOG_MAX    ((1u << 19) - FRONT)
#define ALL_MAX    (1u << 21)
#define MOST_ENDED 1024u
#define HUGE       (2u << 20)

struct key {
	uint32_t pid, tid;
	uint16_t event, cpumode;
};

struct stream {
	struct key key;
	uint32_t n, cap;
	uint64_t now_ns; /* of the last sample */
	struct pw_alike *log;
	struct pw_alike *front; /* NULL: there were few samples so far */
	UT_hash_handle hh;
};

struct dl_batch {
	struct stream *streams, *recent[N_RECENT];
	uint32_t n_held; /* room in all logs */
	uint32_t n_ended;
	struct pw_alike *spare; /* as a log of LOG_MAX; to sort */
	/* the last sample, whose place in the front is on its way to the CPU;
	 * NULL: none */
	struct stream *late;
	struct pw_alike late_one;
};

struct dl_batch *dl_batch_new(void)
{
	return pw_zalloc(sizeof(struct dl_batch));
}

static uint32_t recent_of(const struct key *k)
{
	return (k->tid ^ (uint32_t)k->cpumode << 5 ^ (uint32_t)k->event << 2) %
	       N_RECENT;
}

static void stream_free(struct dl_batch *b, struct stream *s)
{
	struct stream **recent = &b->recent[recent_of(&s->key)];

	if (*recent == s)
		*recent = NULL;
	HASH_DEL(b->streams, s);
	b->n_held -= s->cap;
	free(s->log);
	free(s->front);
	free(s);
}

void dl_batch_free(struct dl_batch *b)
{
	struct stream *s, *next;

	if (!b)
		return;
	HASH_ITER (hh, b->streams, s, next)
		stream_free(b, s);
	free(b->spare);
	free(b);
}

/* --- giving ---------------------------------------------------------------------- */

static void take_front(struct stream *s)
{
	for (uint32_t i = 0; s->front && i < FRONT; i++) {
		if (s->front[i].n)
			s->log[s->n++] = s->front[i];
		s->front[i].n = 0;
	}
}

/* In pages as large as the kernel has: most of the time goes into memory that
 * is not at hand. */
static struct pw_alike *log_largest(void)
{
	size_t size = (LOG_MAX + FRONT) * sizeof(struct pw_alike);
	struct pw_alike *a = aligned_alloc(HUGE, size);

	if (!a)
		return pw_alloc(size);
	madvise(a, size, MADV_HUGEPAGE);
	return a;
}

static void give_log(struct dl_batch *b, struct stream *s, struct pw_profile *p)
{
	struct pw_push push = { .event = s->key.event,
				.pid = s->key.pid,
				.tid = s->key.tid,
				.cpu = PW_NO_PID,
				.time_ns = s->now_ns,
				.cpumode = s->key.cpumode };

	if (s->n > 1 && !b->spare)
		b->spare = log_largest();
	s->n = dl_alike_sort(s->log, s->n, b->spare);
	pw_profile_push_alike(p, &push, s->log, s->n);
	s->n = 0;
}

/* Room for all of the front is always left. */
static void log_grow(struct dl_batch *b, struct stream *s)
{
	uint32_t cap = s->cap == LOG_LARGE ? LOG_MAX
		       : s->cap            ? 2 * s->cap
					   : LOG_FIRST;
	struct pw_alike *old = s->log;

	b->n_held += cap - s->cap;
	s->cap = cap;
	if (cap < LOG_MAX) {
		s->log = pw_realloc(old, (cap + FRONT) * sizeof(*old));
		return;
	}
	s->log = log_largest();
	memcpy(s->log, old, s->n * sizeof(*old));
	free(old);
}

static void append(struct dl_batch *b, struct stream *s,
		   const struct pw_alike *a, struct pw_profile *p)
{
	if (s->n == s->cap) {
		if (s->cap == LOG_MAX)
			give_log(b, s, p);
		else
			log_grow(b, s);
	}
	s->log[s->n++] = *a;
}

static struct pw_alike *place_of(const struct stream *s, uint64_t ip)
{
	return &s->front[ip * 0x9e3779b97f4a7c15u >> (64 - FRONT_BITS)];
}

static void take_late(struct dl_batch *b, struct pw_profile *p)
{
	struct stream *s = b->late;
	struct pw_alike *x;

	if (!s)
		return;
	b->late = NULL;
	x = place_of(s, b->late_one.ip);
	if (x->n && dl_alike_add(x, &b->late_one))
		return;
	if (x->n)
		append(b, s, x, p);
	*x = b->late_one;
}

static void give(struct dl_batch *b, struct stream *s, struct pw_profile *p)
{
	take_front(s);
	give_log(b, s, p);
}

void dl_batch_give(struct dl_batch *b, struct pw_profile *p)
{
	struct stream *s, *next;

	take_late(b, p);
	HASH_ITER (hh, b->streams, s, next) {
		give(b, s, p);
		stream_free(b, s);
	}
	b->n_ended = 0;
}

void dl_batch_give_task(struct dl_batch *b, uint32_t pid, uint32_t tid,
			struct pw_profile *p)
{
	struct stream *s, *next;

	take_late(b, p);
	HASH_ITER (hh, b->streams, s, next)
		if (s->key.pid == pid || s->key.tid == tid)
			give(b, s, p);
}

void dl_batch_end_task(struct dl_batch *b, uint32_t pid, uint32_t tid,
		       struct pw_profile *p)
{
	struct stream *s, *next;

	take_late(b, p);
	HASH_ITER (hh, b->streams, s, next)
		if (s->key.tid == tid || (pid == tid && s->key.pid == pid)) {
			give(b, s, p);
			stream_free(b, s);
		}
	/* some come late, when the task is not forgotten yet */
	if (++b->n_ended >= MOST_ENDED)
		dl_batch_give(b, p);
}

/* --- taking ---------------------------------------------------------------------- */

static void push(const struct dl_alike *a, uint64_t time_ns,
		 struct pw_profile *p)
{
	struct pw_push push = { .event = a->event,
				.pid = a->pid,
				.tid = a->tid,
				.cpu = PW_NO_PID,
				.time_ns = time_ns,
				.ip = a->ip,
				.period = a->period,
				.cpumode = a->cpumode,
				.n_samples = a->n };

	pw_profile_push(p, &push);
}

/* The profile has the first sample at once: its tables stand in the order in
 * which things came first. */
static struct stream *stream_new(struct dl_batch *b, const struct dl_alike *a,
				 uint64_t time_ns, struct pw_profile *p)
{
	struct stream *s = pw_zalloc(sizeof(*s));

	push(a, time_ns, p);
	s->key = (struct key){ a->pid, a->tid, a->event, a->cpumode };
	HASH_ADD(hh, b->streams, key, sizeof(s->key), s);
	return s;
}

/* NULL: it was the first of its stream. */
static inline struct stream *stream_of(struct dl_batch *b,
				       const struct dl_alike *a,
				       uint64_t time_ns, struct pw_profile *p)
{
	struct key k = { a->pid, a->tid, a->event, a->cpumode };
	struct stream **recent = &b->recent[recent_of(&k)], *s = *recent;

	if (s && s->key.tid == k.tid && s->key.pid == k.pid &&
	    s->key.event == k.event && s->key.cpumode == k.cpumode)
		return s;
	HASH_FIND(hh, b->streams, &k, sizeof(k), s);
	*recent = s ? s : stream_new(b, a, time_ns, p);
	return s;
}

/* It has enough samples for a front: they go there. */
static void front_make(struct dl_batch *b, struct stream *s,
		       struct pw_profile *p)
{
	struct pw_alike *x;
	uint32_t n = s->n;

	s->front = pw_zalloc(FRONT * sizeof(*s->front));
	s->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		x = place_of(s, s->log[i].ip);
		if (!x->n)
			*x = s->log[i];
		else if (!dl_alike_add(x, &s->log[i]))
			append(b, s, &s->log[i], p);
	}
}

void dl_batch_add(struct dl_batch *b, const struct dl_alike *a,
		  uint64_t time_ns, struct pw_profile *p)
{
	struct pw_alike one = { a->ip, a->n, (uint32_t)a->period };
	struct stream *s = stream_of(b, a, time_ns, p);

	if (!s)
		return;
	s->now_ns = time_ns;
	if (a->period > UINT32_MAX) {
		push(a, time_ns, p);
	} else if (s->front) {
		__builtin_prefetch(place_of(s, a->ip), 1);
		take_late(b, p);
		b->late = s;
		b->late_one = one;
	} else {
		append(b, s, &one, p);
		if (s->n == FRONT)
			front_make(b, s, p);
	}
	if (b->n_held > ALL_MAX)
		dl_batch_give(b, p);
}
