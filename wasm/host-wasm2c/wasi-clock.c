// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clocks of a WASI guest and waiting for them. Descriptors are always
 * ready: here they are files, or block when they are used.
 */
#include "wasi.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define NS 1000000000ull

static bool host_clock(uint64_t id, clockid_t *clock)
{
	static const clockid_t clocks[] = { CLOCK_REALTIME, CLOCK_MONOTONIC,
					    CLOCK_PROCESS_CPUTIME_ID,
					    CLOCK_THREAD_CPUTIME_ID };

	if ((uint32_t)id >= 4)
		return false;
	*clock = clocks[(uint32_t)id];
	return true;
}

static uint64_t to_ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * NS + (uint64_t)t->tv_nsec;
}

static uint32_t clock_res(struct wasi *w, const uint64_t *a)
{
	struct timespec t;
	clockid_t clock;

	if (!host_clock(a[0], &clock) || clock_getres(clock, &t))
		return WASI_INVAL;
	return wasi_put_u64(w, a[1], to_ns(&t));
}

static uint32_t clock_time(struct wasi *w, const uint64_t *a)
{
	struct timespec t;
	clockid_t clock;

	if (!host_clock(a[0], &clock) || clock_gettime(clock, &t))
		return WASI_INVAL;
	return wasi_put_u64(w, a[2], to_ns(&t));
}

/* --- waiting ----------------------------------------------------------------------------------- */

struct subscription {
	uint64_t userdata;
	uint8_t tag; /* 0 clock, 1 read, 2 write */
	uint8_t pad[7];
	uint32_t id; /* of the clock, or the descriptor */
	uint32_t pad2;
	uint64_t timeout;
	uint64_t precision;
	uint16_t flags; /* 1: absolute */
	uint8_t pad3[6];
};

struct event {
	uint64_t userdata;
	uint16_t error;
	uint8_t tag;
	uint8_t pad[5];
	uint64_t n_bytes;
	uint16_t flags;
	uint8_t pad2[6];
};

static bool get_subscription(struct wasi *w, uint64_t at, uint64_t i,
			     struct subscription *s)
{
	const void *from = wasi_mem(w, at + i * sizeof(*s), sizeof(*s));

	if (from)
		memcpy(s, from, sizeof(*s));
	return from;
}

/* How long until it is due; what is no clock is due now: descriptors here
 * are files, or block when used. */
static uint64_t due_in_ns(const struct subscription *s)
{
	struct timespec t;
	clockid_t clock;
	uint64_t now;

	if (s->tag)
		return 0;
	if (!(s->flags & 1))
		return s->timeout;
	if (!host_clock(s->id, &clock) || clock_gettime(clock, &t))
		return 0;
	now = to_ns(&t);
	return s->timeout > now ? s->timeout - now : 0;
}

static void sleep_ns(uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / NS),
			      .tv_nsec = (long)(ns % NS) };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

static uint32_t poll_oneoff(struct wasi *w, const uint64_t *a)
{
	uint32_t n = (uint32_t)a[2], n_events = 0;
	uint64_t least = UINT64_MAX;
	struct subscription s;

	if (!n)
		return WASI_INVAL;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t due;

		if (!get_subscription(w, a[0], i, &s))
			return WASI_FAULT;
		due = due_in_ns(&s);
		least = due < least ? due : least;
	}
	sleep_ns(least);
	for (uint32_t i = 0; i < n; i++) {
		struct event e = { 0 };

		if (!get_subscription(w, a[0], i, &s))
			return WASI_FAULT;
		if (s.flags & 1 ? due_in_ns(&s) : due_in_ns(&s) > least)
			continue;
		e.userdata = s.userdata;
		e.tag = s.tag;
		e.error = s.tag && wasi_host_fd(w, s.id) < 0 ? WASI_BADF : 0;
		if (!wasi_put(w, a[1] + n_events * sizeof(e), &e, sizeof(e)))
			return WASI_FAULT;
		n_events++;
	}
	return wasi_put_u32(w, a[3], n_events);
}

const struct wasi_func wasi_clock_funcs[] = {
	{ "clock_res_get", "ii", clock_res },
	{ "clock_time_get", "iIi", clock_time },
	{ "poll_oneoff", "iiii", poll_oneoff },
	{ NULL, NULL, NULL },
};
